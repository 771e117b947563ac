"""Networks with norms, softmax, tanh and gates of Rocq files, in floating point: an oracle.

It evaluates the definitions of `proofs/theories/SmoothNetworks.v` on the text of a record.
"""

from collections.abc import Sequence
from math import exp, sqrt, tanh
from typing import Any

from proofs.rocq_networks import Node, RationalRecurrence, RationalTree, record_of

Floats = list[float]


def _floats(value: Any) -> Any:
    """A record with floats in place of fractions."""
    if isinstance(value, dict):
        return {name: _floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_floats(each) for each in value]
    return value if isinstance(value, bool | int | str) else float(value)


def _apply(rows: Sequence[Floats], x: Floats) -> Floats:
    return [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows]


def _affine(f: dict[str, Any], x: Floats) -> Floats:
    return _plus(_apply(f["weight"], x), f["bias"])


def _plus(x: Floats, y: Floats) -> Floats:
    return [a + b for a, b in zip(x, y, strict=True)]


def _norm(norm: dict[str, Floats], x: Floats) -> Floats:
    mean = sum(x) / len(x)
    variance = sum((a - mean) ** 2 for a in x) / len(x)
    root = 1 / sqrt(variance + 1e-5)
    return [
        gain * ((a - mean) * root) + shift
        for gain, shift, a in zip(norm["gain"], norm["shift"], x, strict=True)
    ]


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x))


class SmoothTree(RationalTree):
    """A tree with norms."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record["base"])
        self.smooth = record

    def vector(self, node: Node) -> Any:
        kind, value = node
        if kind == "code":
            return _norm(self.smooth["memory_norm"], super().vector(node))  # type: ignore[arg-type]
        scale = sqrt(self.smooth["square"])
        return [a * scale for a in super().vector((kind, value))]

    def compose(self, nodes: Sequence[Node]) -> tuple[bool, ...]:
        x = [self.vector(node) for node in nodes]
        for layer in self.smooth["normed_layers"]:
            x = [self._normed(layer, x[: place + 1]) for place in range(len(x))]
        return self.code(x[-1])

    def _normed(self, layer: dict[str, Any], x: list[Floats]) -> Floats:
        plain, gathered = layer["plain"], list[float]()
        for head in plain["heads"]:
            asked = [a / sqrt(self.smooth["head_width"]) for a in x[-1]]
            query, places = _apply(head["query"], asked), list(reversed(x))
            logits = [
                sum(a * b for a, b in zip(query, _apply(head["key"], seen), strict=True)) + bias
                for seen, bias in zip(places, head["offset_bias"], strict=False)
            ]
            powers = [exp(logit - max(logits)) for logit in logits]
            values = [_apply(head["value"], seen) for seen in places]
            gathered += [
                sum(power / sum(powers) * a for power, a in zip(powers, column, strict=True))
                for column in zip(*values, strict=True)
            ]
        h = _norm(layer["attention_norm"], _plus(x[-1], _apply(plain["output"], gathered)))
        hidden = [max(a, 0.0) for a in _affine(plain["expand"], h)]
        return _norm(layer["forward_norm"], _plus(h, _affine(plain["contract"], hidden)))


class SmoothRecurrence(RationalRecurrence):
    """A recurrence with tanh or gates."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record["cell"])
        self.smooth = record

    def recall(self, bits: Sequence[bool]) -> Any:
        return _norm(self.smooth["cell_norm"], super().recall(bits))  # type: ignore[arg-type]

    def step(self, bits: Sequence[bool], symbol: int) -> tuple[bool, ...]:
        h: Any = self.recall(bits)
        moved, row = _affine(self.record["recurrent"], h), self.record["symbol_rows"][symbol]
        if not self.smooth["has_gates"]:
            return self.code([tanh(a) for a in _plus(row, moved)])  # type: ignore[misc]
        n, y = len(h), []
        for i in range(n):
            reset = _logistic(row[i] + moved[i])
            keep = _logistic(row[n + i] + moved[n + i])
            new = tanh(row[2 * n + i] + reset * moved[2 * n + i])
            y.append(new + keep * (h[i] - new))
        return self.code(y)


def smooth_network_of(text: str) -> SmoothTree | SmoothRecurrence:
    """The network of a record."""
    record = _floats(record_of(text))
    return SmoothTree(record) if "base" in record else SmoothRecurrence(record)
