"""A network of your own: a linear scan with a complex diagonal (as in S4), in parallel."""

import torch
from torch import Tensor, nn

import lengthwise as lw


class Scan(nn.Module):
    """h_t = a h_(t-1) + B x_t, with |a| < 1; the answer reads h at the end of the word."""

    def __init__(self, *, vocab_size: int, num_classes: int, width: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab_size, 2 * width)
        self.decay, self.angle = nn.Parameter(torch.randn(width)), nn.Parameter(torch.randn(width))
        self.answer = nn.Sequential(
            nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, num_classes)
        )

    def forward(self, tokens: Tensor) -> Tensor:
        power = torch.arange(tokens.shape[1] - 1, -1, -1)[:, None]
        rate = torch.complex(-nn.functional.softplus(self.decay - 4), self.angle)
        x = torch.view_as_complex(self.embed(tokens).unflatten(-1, (-1, 2)))
        h = (x * (rate * power).exp()).sum(dim=1)
        logits: Tensor = self.answer(torch.view_as_real(h).flatten(1))
        return logits


if __name__ == "__main__":
    run = lw.train("cycle-navigation", Scan, steps=300, max_length=10, learning_rate=5e-3)
    print(lw.evaluate(run, lengths=range(1, 21)).summary()["mean_accuracy"])
