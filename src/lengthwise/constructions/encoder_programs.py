"""The encoders of Chiang & Cholak (2022) in words, and what they hold of a word, layer by layer.

Axes:
    layer     the embedding, then the layers
    position  CLS, then the symbols of the word
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lengthwise.constructions import first, parity
from lengthwise.languages.language import Language
from lengthwise.models.encoder import Encoder

Steps = tuple[tuple[str, ...], ...]

_SYMBOL = {"is_zero": "[w_i = 0]", "is_one": "[w_i = 1]", "is_cls": "[i = 0]"}

MEANING: Mapping[str, Mapping[str, str]] = {
    "parity": {
        **_SYMBOL,
        "place": "i/n",
        "sign": "cos(i pi)",
        "ones": "k/n",
        "inverse": "1/n",
        "match": "[i = k]/n",
        "answer": "s",
    },
    "first": {**_SYMBOL, "first": "[i = 1]", "match": "[i = 1 and w_1 = 1]", "answer": "s"},
}
"""Contents of each coordinate, for position i of n, with CLS at 0, and k ones; by language."""

_PARITY: Steps = (
    (
        "head 1: averages all n positions: ones = k/n, inverse = 1/n",
        "feed-forward: compares k with i: match = (relu(k-i-1) - 2 relu(k-i) + relu(k-i+1)) / n, "
        "which is 1/n where i = k and 0 elsewhere",
        "feed-forward: answer = -1/4 for the empty word",
    ),
    (
        "head 1: CLS prefers odd positions, and adds what it finds of match to answer",
        "head 2: CLS prefers even positions, and subtracts what it finds of match",
    ),
)
_FIRST: Steps = (
    ("feed-forward: match = relu(first - is_zero - is_cls), which is 1 at a first symbol 1",),
    ("head 1: CLS prefers position 1, and finds match - first/2 there: 1/2 or -1/2",),
)
_FLAWED: Steps = (
    ("head 1: CLS prefers position 1, but gathers is_one - 1/2 from every position",),
)
_CONFIDENT = ("feed-forward: keeps s alone, so that layer norm makes it as large as any other s",)
_NORM = "layer norms multiply all numbers of a position by a positive number: zeros and signs stay"


def encoder_steps(
    name: str, num_layers: int, settings: Mapping[str, Any]
) -> tuple[Steps, tuple[str, ...]]:
    """Return what each layer of an encoder does, and how the class is read."""
    steps = _FLAWED if num_layers == 1 else _PARITY if is_parity(name) else _FIRST
    if num_layers > len(steps):
        steps = (*steps, _CONFIDENT)
    notes = [_NORM] if "epsilon" in settings else []
    if (weight := settings.get("count_weight", 1.0)) != 1.0:
        notes.append(f"count_weight multiplies ones by {weight:g}, so match is not [i = k]/n")
    return steps, ("1 if s is positive at CLS", "0 otherwise", *notes)


def is_parity(name: str) -> bool:
    """Return whether an encoder is one for PARITY, and not for FIRST."""
    return name.startswith("chiang2022/parity")


@dataclass(frozen=True, kw_only=True)
class StreamReading:
    """The numbers that an encoder holds at the positions of a word."""

    word: tuple[str, ...]
    answer: str
    """The class of the word, as the network answers."""
    meaning: Mapping[str, str]
    """Contents of each coordinate."""
    layers: tuple[Mapping[str, tuple[float, ...]], ...]
    """The coordinates after the embedding and after each layer, with a number for each position
    that is read later."""
    attention: tuple[tuple[tuple[float, ...], ...], ...]
    """`attention[layer][head][position]`: the weights of CLS; layers count from 0."""

    def lines(self) -> Iterator[str]:
        """Yield a table for the embedding and for each layer."""
        symbols = ("CLS", *self.word)
        for number, held in enumerate(self.layers):
            yield f"after layer {number}" if number else "embedding and positions"
            shown = [name for name, values in held.items() if any(map(_is_seen, values))]
            heads = [
                name if name in _SYMBOL else f"{name} = {self.meaning[name]}" for name in shown
            ]
            rows = [["position", "symbol", *heads]]
            for i in range(len(next(iter(held.values())))):
                rows.append(
                    [str(i), symbols[i], *(_format_number(held[name][i]) for name in shown)]
                )
            yield from align_rows(rows)
        yield f"class {self.answer}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "symbols": list(self.word),
            "class": self.answer,
            "meaning": dict(self.meaning),
            "layers": [{name: list(row) for name, row in held.items()} for held in self.layers],
            "attention": [[list(head) for head in layer] for layer in self.attention],
        }


def align_rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows of a table as lines, with columns of one width each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(cells).rstrip()


def _is_seen(value: float) -> bool:
    return abs(value) > 1e-12


def _format_number(value: float) -> str:
    return f"{value:.4g}" if _is_seen(value) else "0"


@torch.no_grad()
def read_stream(
    model: Encoder, name: str, language: Language, symbols: Sequence[int]
) -> StreamReading:
    """Return what an encoder holds of a word after each layer, from its own vectors."""
    names: tuple[str, ...] = parity.NAMES if is_parity(name) else first.NAMES
    if len(model.block) == 1:
        names = tuple(each for each in names if each != "match")
    device = model.embedding.weight.device
    tokens = torch.tensor([list(symbols)], dtype=torch.int64, device=device)
    kept: list[torch.Tensor] = []
    hooks = [
        layer.register_forward_hook(lambda _, inputs, output: kept.append(output[0]))
        for layer in model.block
    ]
    try:
        number = model(tokens, skip_unused_queries=False).argmax(dim=-1).item()
    finally:
        for hook in hooks:
            hook.remove()
    ids, count, positions, _ = model.frame(tokens, None)
    begun = model.embedding(ids) + model.position(positions.expand_as(ids), count)
    wanted = [len(symbols) + 1, *model.positions_read(len(symbols) + 1)]
    layers = [
        {each: tuple(x[:read, at].double().tolist()) for at, each in enumerate(names)}
        for x, read in zip((begun[0], *kept), wanted, strict=True)
    ]
    if len(model.block) > 2:  # the layer of Proposition 2 puts s first
        layers[-1] = {"answer": layers[-1][names[0]]}
    weights = model.observe(tokens)[1][:, 0].double().tolist()
    return StreamReading(
        word=tuple(language.alphabet[symbol] for symbol in symbols),
        answer=language.class_names[int(number)],
        meaning=MEANING["parity" if is_parity(name) else "first"],
        layers=tuple(layers),
        attention=tuple(tuple(map(tuple, layer)) for layer in weights),
    )
