"""A network of your own: an encoder of Hugging Face transformers, which pads words at the right."""

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

import lengthwise as lw


class Bert(nn.Module):
    def __init__(self, vocab_size: int, num_classes: int, width: int) -> None:
        super().__init__()
        config = BertConfig(
            vocab_size=vocab_size + 1,
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=2,
            num_attention_heads=2,
            pad_token_id=vocab_size,
        )
        self.encoder = BertModel(config)
        self.answer = nn.Linear(width, num_classes)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        mask = torch.arange(tokens.shape[1]) < lengths[:, None].clamp(min=1)
        states = self.encoder(tokens, attention_mask=mask.long()).last_hidden_state
        logits: Tensor = self.answer(states[:, 0])
        return logits


def bert(*, vocab_size: int, num_classes: int, width: int = 32) -> nn.Module:
    """An encoder of two layers with learned positions, which answers at the first symbol."""
    network = Bert(vocab_size, num_classes, width)
    return lw.adapt(network, padding="right", pad_token=vocab_size)


if __name__ == "__main__":
    run = lw.train("tomita-4", bert, steps=200, max_length=10, learning_rate=1e-3)
    print(lw.evaluate(run, lengths=range(1, 21)).summary()["mean_accuracy"])
