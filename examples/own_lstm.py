"""A network of your own: torch's LSTM, trained and tested far beyond its training lengths."""

from torch import Tensor, nn

import lengthwise as lw


class Lstm(nn.Module):
    def __init__(self, vocab_size: int, num_classes: int, width: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab_size + 1, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.answer = nn.Linear(width, num_classes)

    def forward(self, tokens: Tensor) -> Tensor:
        logits: Tensor = self.answer(self.lstm(self.embed(tokens))[0][:, -1])
        return logits


def lstm(*, vocab_size: int, num_classes: int, width: int = 32) -> nn.Module:
    """An LSTM that reads the empty word as one more symbol."""
    return lw.adapt(Lstm(vocab_size, num_classes, width), pad_token=vocab_size)


if __name__ == "__main__":
    run = lw.train("parity", lstm, steps=300, max_length=10, batch_size=64, learning_rate=5e-3)
    print(lw.evaluate(run, lengths=range(1, 21)).summary()["mean_accuracy"])
    print(lw.interpret.learn_automaton(run, max_states=20))
