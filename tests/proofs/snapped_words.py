"""Snapped recurrences on all short words, and the definition of what they answer."""

from itertools import product

import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.proofs.search.snapped_states import SnappedStates
from models.recurrences import Layered

PARITY = lw.language("parity")
LONGEST = 10
WORDS = [word for n in range(LONGEST + 1) for word in product((0, 1), repeat=n)]


def steps(seed: int, *, gain: float = 3.0) -> Steps:
    torch.manual_seed(seed)
    network = Layered(nn.GRU(4, 6, batch_first=True))
    with torch.no_grad():
        for weight in network.parameters():
            weight.mul_(gain)
    return steps_of(with_lengths(network).eval(), 2, 2)


def some_representatives(found: Steps, count: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    words = torch.unique(torch.randint(2, (count, 6), generator=generator), dim=0).tolist()
    return torch.cat([found.start()[1], found.read(words)[1]])


def snapped_one_by_one(found: Steps, representatives: Tensor, word: tuple[int, ...]) -> int:
    """The class of a word, by the definition."""
    logits, state = found.start()
    for symbol in word:
        logits, state = found.step(state, torch.tensor([symbol]))
        away = (representatives.double() - state.double()).norm(dim=1)
        state = representatives[int(away.argmin())][None]
    return int(logits.argmax())


def classes(snapped: SnappedStates) -> list[int]:
    answers: list[int] = []
    for n in range(LONGEST + 1):
        tokens = torch.tensor([w for w in WORDS if len(w) == n], dtype=torch.long)
        answers += snapped(tokens).argmax(dim=1).tolist()
    return answers
