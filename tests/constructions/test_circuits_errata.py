"""Appendix A of steps2022 in numpy, equation by equation, with each slip of the print as a switch.

Without a slip every numbered claim holds, and the network is the one that `compile_nor` builds.
With one slip put back, one of the claims fails: docs/errata.md says which.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.constructions.nor_circuits import compile_nor
from lengthwise.errors import ConstructionError

Array = NDArray[np.float64]
ERROR = 1e-6
TINY = 1e-9


@dataclass(frozen=True)
class Example:
    """s_i = NOR(s_j, s_k) for i = n + 1, n + 2, ..., with all symbols counted from 1."""

    n: int
    gates: tuple[tuple[int, int], ...]

    @property
    def b(self) -> int:
        return self.n + len(self.gates) - 1

    def words(self) -> NDArray[np.int64]:
        words = np.array(list(product((0, 1), repeat=self.n)))
        for j, k in self.gates:
            words = np.c_[words, 1 - (words[:, j - 1] | words[:, k - 1])]
        return words

    def sequence(self) -> GateSequence:
        return GateSequence(
            num_inputs=self.n,
            steps=tuple(GateStep(kind="NOR", sources=(j - 1, k - 1)) for j, k in self.gates),
            outputs=(self.b,),
            names=tuple(f"s{i}" for i in range(1, self.b + 2)),
        )


XOR = Example(2, ((1, 1), (2, 2), (1, 2), (3, 4), (5, 6)))
TWICE = Example(2, ((1, 1), (3, 3), (2, 4), (5, 5)))
THREE = Example(3, ((1, 2), (3, 4), (5, 5), (1, 6)))
WIDE = Example(7, ((1, 2), (3, 3), (8, 4), (9, 10), (5, 7), (12, 6), (11, 13), (14, 1), (7, 7)))
EXAMPLES = {"XOR": XOR, "TWICE": TWICE, "THREE": THREE, "WIDE": WIDE}


def layer_norm(x: Array) -> Array:
    """Equation 38 with gamma = 1 and beta = 0."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True))


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


class Appendix:
    """All vectors of the network on all words, with these `slips` as printed."""

    def __init__(self, example: Example, *slips: str, error: float = ERROR) -> None:
        n, b = example.n, example.b
        self.example, self.slips = example, slips
        first = 3 if "places from coordinate 4" in slips else 9
        d = self.d = first + b
        self.eps = eps = 1 / (5 + 2 * d**2)
        self.delta = 1 - 4 * eps - 2 * d**2 * eps
        if "delta with + 2 d^2 eps" in slips:
            self.delta = 1 - 4 * eps + 2 * d**2 * eps
        if "c1 at the first place" in slips:
            c1 = 2 * math.ceil(math.log((n - 2) * (1 / 2 - eps) / (2 * eps)))
        elif "c1 for two sources" in slips:
            c1 = 2 * math.ceil(math.log((b - 2) * (1 / 2 - eps) / (2 * eps)))
        else:
            c1 = 2 * math.ceil(math.log(b * (1 - 2 * eps) / (2 * eps)))
        self.error = error
        self.c2 = math.ceil(math.log((1 - error) / error))
        self.root = math.sqrt(d / 4)
        self._run(first, c1)

    def _run(self, first: int, c1: int) -> None:
        """Equations 1-35, with places from coordinate `first` + 1 on."""
        example, slips, d, eps, root = self.example, self.slips, self.d, self.eps, self.root
        n, b = example.n, example.b
        embedding = np.zeros((2, d))
        embedding[0, :3], embedding[1, :3] = (-1, 1, -1), (1, -1, -1)
        position = np.zeros((b, d))
        query, key, value = np.zeros((3, d, d))
        for i in range(1, b + 1):
            position[i - 1, first + i - 1] = 1
            key[first + i - 1, i - 1] = 1
        for symbol, sources in enumerate(example.gates, start=n + 1):
            row = first + symbol - 1
            if "query row j" in slips:
                row = symbol
            if "sources of symbol i" in slips:
                row = first + symbol
            if row <= d:
                query[row - 1, [source - 1 for source in sources]] = c1 / root
        value[0, 3] = value[1, 4] = 1 / root
        ff1, ff1_bias, ff2 = np.zeros((d, 4 * d)), np.zeros(4 * d), np.zeros((4 * d, d))
        ff1[3, 5], ff1[3, 6] = -root, root
        ff1_bias[5], ff1_bias[6] = -2 * d**2 * eps, 1 - 4 * eps
        ff2[5, 5] = ff2[6, 6] = 1
        ff2[5, 7] = ff2[6, 8] = -1
        output = np.zeros((d, 2))
        output[6, 0] = output[5, 1] = d**2 * self.c2 / self.delta

        words = example.words()
        self.right = words[:, n:]
        self.emb = embedding[words[:, :b]] + position
        ln1 = layer_norm(self.emb)
        logits = (ln1 @ query) @ (ln1 @ key).transpose(0, 2, 1) / math.sqrt(d)
        mask = np.triu(np.full((b, b), -np.inf), 1)
        with np.errstate(invalid="ignore"):
            masked = logits * mask if "mask multiplied" in slips else logits + mask
            self.weights = softmax(masked)
        self.value = ln1 @ value
        self.att = self.weights @ self.value
        self.res1 = self.att + (ln1 if "residual from ln1" in slips else self.emb)
        self.ln2 = layer_norm(self.res1)
        self.ff1_in = self.ln2 @ ff1 + ff1_bias
        self.ff1 = np.maximum(self.ff1_in, 0)
        self.ff2 = self.ff1 @ ff2
        if "ReLU after ff2" in slips:
            self.ff2 = np.maximum(self.ff2, 0)
        self.res2 = self.ff2 + (self.ln2 if "residual from ln2" in slips else self.res1)
        self.ln3 = layer_norm(self.res2)
        self.z = self.ln3 @ output
        self.probability = softmax(self.z)

    def failing(self) -> set[str]:
        """The numbers of the claims that fail at some place i >= n of some word."""
        return {name for name, holds in self.claims().items() if not np.all(holds)}

    def claims(self) -> dict[str, NDArray[np.bool_]]:
        """What the appendix says at the places i >= n, by the numbers of its equations."""
        slips, d, eps, root, delta = self.slips, self.d, self.eps, self.root, self.delta
        at = slice(self.example.n - 1, None)
        one = self.right == 1
        gates = [(j - 1, k - 1) for j, k in self.example.gates]
        share = [1 - 2 * eps if j == k else 1 / 2 - eps for j, k in gates]
        attended = [
            self.weights[:, place, pair].min(axis=-1)
            for place, pair in enumerate(gates, start=self.example.n - 1)
        ]
        values = self.value[:, gates, 3]
        read, res1, ln2 = self.att[:, at, 3], self.res1[:, at], self.ln2[:, at]
        low, high = self.ff1_in[:, at, 5], self.ff1_in[:, at, 6]
        unit_one, unit_zero = self.ff1[:, at, 5], self.ff1[:, at, 6]
        ff2, res2 = self.ff2[:, at], self.res2[:, at]
        index = (0, 1) if "entries 1 and 2 of ff1" in slips else (5, 6)
        answer = ln2 if "h_ln2 for h_ln3" in slips else self.ln3[:, at]
        wanted = np.where(one, answer[..., 5], answer[..., 6])
        other = np.where(one, answer[..., 6], answer[..., 5])
        z = np.where(one[..., None], self.z[:, at, ::-1], self.z[:, at])
        probability = self.probability[:, at, 1]
        if "Softmax_2 for s = 0" not in slips:
            probability = np.where(one, probability, self.probability[:, at, 0])
        size = np.asarray if "(64) with signs" in slips else np.abs
        least = 1 - 4 * eps - 2 * d**2 * eps
        return {
            "49": np.array([s > t for s, t in zip(attended, share, strict=True)]),
            "56": np.isclose(values, 1) | np.isclose(values, -("values 0 and 1" not in slips)),
            "58": np.where(
                one,
                (read >= -1 - TINY) & (read <= -1 + 4 * eps),
                (read >= -2 * eps) & (read <= 1 + TINY),
            ),
            "59": np.isclose(self.res1, self.att + self.emb),
            "60": np.abs(res1.mean(axis=-1)) < TINY,
            "62": (res1.std(axis=-1) > 1 / root - TINY) & (res1.std(axis=-1) <= root),
            "64": (size(res1) / root < size(ln2) + TINY) & (size(ln2) < size(res1) * root + TINY),
            "68": np.where(one, (low >= least) & (low <= d**2), low <= 0),
            "70": np.where(one, high <= 0, (high >= least) & (high <= d**2 + 1 - 4 * eps)),
            "71": np.where(one, unit_one >= delta, unit_one == 0),
            "72": np.where(one, unit_zero == 0, unit_zero >= delta),
            "73": np.isclose(ff2[..., 5], self.ff1[:, at, index[0]]),
            "74": np.isclose(ff2[..., 6], self.ff1[:, at, index[1]]),
            "75": np.isclose(self.res2, self.ff2 + self.res1),
            "76": np.abs(res2.mean(axis=-1)) < TINY,
            "77": res2.std(axis=-1) <= d**2,
            "80": (wanted >= delta / d**2) & (np.abs(other) < TINY * delta / d**2),
            "83": (z[..., 0] > self.c2) & (np.abs(z[..., 1]) < TINY * self.c2),
            "87": probability > 1 - self.error,
        }


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_claim_holds_once_all_is_corrected(example: Example) -> None:
    assert Appendix(example).failing() == set()


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_the_corrected_network_is_the_compiled_one(example: Example) -> None:
    appendix = Appendix(example)
    model = compile_nor(example.sequence(), error=ERROR)
    words = torch.from_numpy(example.words()[:, :-1])

    weights = model.attention_weights(words)[0, :, 0].numpy()
    logits = model(words).detach().numpy()

    np.testing.assert_allclose(weights, appendix.weights, rtol=1e-12)
    np.testing.assert_allclose(logits, appendix.z, rtol=1e-9, atol=1e-6)


SLIPS = {
    "residual from ln1": (XOR, {"59"}),
    "ReLU after ff2": (XOR, {"76", "80", "83"}),
    "residual from ln2": (XOR, {"75"}),
    "query row j": (WIDE, {"49", "58", "87"}),
    "sources of symbol i": (XOR, {"49", "58", "87"}),
    "c1 at the first place": (THREE, {"49"}),
    "c1 for two sources": (TWICE, {"49", "58"}),
    "mask multiplied": (XOR, {"49", "87"}),
    "places from coordinate 4": (THREE, {"87"}),
    "delta with + 2 d^2 eps": (XOR, {"72"}),
    "values 0 and 1": (XOR, {"56"}),
    "(64) with signs": (XOR, {"64"}),
    "entries 1 and 2 of ff1": (XOR, {"73", "74"}),
    "h_ln2 for h_ln3": (XOR, {"80"}),
    "Softmax_2 for s = 0": (XOR, {"87"}),
}
"""Each slip with a circuit that shows it, and the claims that fail there."""


@pytest.mark.parametrize("slip", SLIPS)
def test_one_printed_slip_alone_breaks_a_claim(slip: str) -> None:
    example, broken = SLIPS[slip]
    with np.errstate(invalid="ignore"):
        failing = Appendix(example, slip).failing()
    assert broken <= failing
    assert ("87" in broken) == ("87" in failing)  # what the network answers


def test_c1_of_a_place_is_no_constant_and_has_no_value_at_the_second() -> None:
    """(45) at i = n = 2 takes the logarithm of 0."""
    with pytest.raises(ValueError, match="math domain error"):
        Appendix(XOR, "c1 at the first place")


def test_printed_width_has_no_room_for_the_feed_forward_network_of_a_small_circuit() -> None:
    """(31) has entries in column 9, but d = 3 + b is 8."""
    with pytest.raises(IndexError):
        Appendix(TWICE, "places from coordinate 4")
    assert Appendix(TWICE).d == 14


def test_a_mask_of_width_d_does_not_fit_the_attention_of_b_places() -> None:
    appendix = Appendix(XOR)
    assert appendix.weights.shape[1:] == (XOR.b, XOR.b)
    assert appendix.d != XOR.b


@pytest.mark.parametrize("error", [0.5, 0.9])
def test_errors_of_a_half_and_more_are_not_reached(error: float) -> None:
    """c2 is then 0, or negative, so that the right symbol is the less likely one."""
    assert "87" in Appendix(XOR, error=error).failing()
    with pytest.raises(ConstructionError, match="0 < error < 1/2"):
        compile_nor(XOR.sequence(), error=error)


@pytest.mark.parametrize("d", [10, 23])
def test_bound_77_is_the_square_of_what_is_printed(d: int) -> None:
    assert math.sqrt(sum((d**2) ** 2 for _ in range(d)) / d) == d**2
