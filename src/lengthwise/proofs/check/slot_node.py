r"""Bounds on the compositions of a network with a slot for each state, for all nodes at once.

No product of maps is enumerated. Let c(s) be the code of state s: the one that slot s of the pad
holds. A node is *valid* if each of its slots holds the code of a state; it then stands for a map
of states. For all valid nodes x' at once, a slot with the code of s finds at slot s of x' the code
of some state t, and at the others any codes of states, so that the numbers before the signs are

$$W \Bigl(w_s c(t) + \sum_{r \ne s} w_r x'_r\Bigr) + b, \qquad \sum_r w_r = 1 .$$

With $u(t) = W c(t)$ and σ the signs of c(t), each number on its own side of 0 is at least

$$σ\, (w_s u(t) + b) + (1 - w_s) \min_{t'} σ\, u(t') ,$$

which is lowest where the weight $w_s$ is. If that is above 0 for all pairs of states s and t and
all bits, by more than rounding can move it, slot q of the product holds c(x'(x(q))): composition of
maps, whatever the word. So n^2 cases stand for all n^(2n) pairs of nodes.

Axes:
    state, other   states s and t
    slot           slots of a node
    bit            bits of a slot
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import Booleans
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, Matrix, outward
from lengthwise.proofs.check.layer_node import quietly, require_one_type, require_shapes

_TOGETHER = 2**22


class SlotNode:
    """The compositions of a network, from its weights alone, in float64 with bounds on rounding.

    `settings` are those of `StateSlotsConfig`; `weights` are named as in its state dictionary.

    Raises:
        VerificationError: the weights are of several types, or not those of the settings.
    """

    def __init__(self, settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
        _check_shapes(settings, weights)
        self.arithmetic = Arithmetic.of(require_one_type(weights))
        self._weights = {name: np.asarray(w, dtype=np.float64) for name, w in weights.items()}
        self._scale = float(settings["d_model"]) ** -0.5

    # ---- codes that are written down -----------------------------------------------------------

    @property
    def states(self) -> Booleans:
        """Return the codes of the states, `[state, bit]`: what the slots of the pad hold."""
        return self._weights["pad"] >= 0

    @property
    def symbols(self) -> Booleans:
        """Return the codes of the slots of each symbol, `[symbol, slot, bit]`."""
        return self._weights["symbols"] >= 0

    @property
    def start(self) -> Booleans:
        """Return the code that the answer is read with, `[bit]`."""
        return self._weights["start"] >= 0

    def measure_signs(self) -> Floats:
        """Return the distances from 0 of all numbers whose signs are written down."""
        return np.abs(
            np.concatenate([self._weights[name].ravel() for name in ("symbols", "pad", "start")])
        )

    @property
    def flushed(self) -> float:
        """Largest distance from 0 at which a processor may take a number as 0."""
        return self.arithmetic.tiny

    @quietly
    def numbers(self, left: Booleans, right: Booleans) -> Floats:
        """Return the numbers before the signs of products of nodes `[node, slot, bit]`."""
        hidden = np.maximum(self._linear(_signs(left), "expand"), 0.0)
        logits = self._linear(hidden, "query") * self._scale @ self._weights["keys"].T
        power = np.exp(logits - logits.max(axis=-1, keepdims=True))
        weights = power / power.sum(axis=-1, keepdims=True)
        return self._linear(weights @ _signs(right), "write")

    def _linear(self, x: Floats, name: str) -> Floats:
        product: Floats = x @ self._weights[f"{name}.weight"].T
        return product + self._weights[f"{name}.bias"]

    # ---- bounds --------------------------------------------------------------------------------

    @quietly
    def sides(self) -> tuple[Floats, Floats]:
        """Return how far numbers are at least on their own side of 0, and bounds on rounding.

        Both are `[state, other]`, of the bit that is nearest to 0 after rounding. Beyond the
        bounds no node can differ from composition.
        """
        codes = _signs(self.states)
        matrix, bias = self._weights["write.weight"], self._weights["write.bias"]
        bits = len(bias)
        sizes = outward(np.abs(matrix).sum(axis=1))
        lowest, moved = self._own_weights()
        reached = codes @ matrix.T
        worst = np.where(codes > 0, reached.min(axis=0), -reached.max(axis=0))
        own_share, shift = codes * reached, codes * bias
        radius = self._rounding(sizes, np.abs(bias), len(codes), bits)
        sides, radii = np.empty((len(codes),) * 2), np.empty((len(codes),) * 2)
        together = max(1, _TOGETHER // own_share.size)
        for first in range(0, len(codes), together):
            share = lowest[first : first + together, None, None]
            least = share * own_share + (1.0 - share) * worst + shift
            nearest = (least - radius).argmin(axis=2)
            rows = slice(first, first + together)
            sides[rows] = np.take_along_axis(least, nearest[..., None], axis=2)[..., 0]
            radii[rows] = radius[nearest]
        radii[~np.isfinite(sides)] = np.inf
        radii[~np.isfinite(moved)] = np.inf  # logits that overflow have no softmax
        return sides, radii

    def _rounding(self, sizes: Floats, biases: Floats, slots: int, bits: int) -> Floats:
        r"""Bound what rounding does to each number, `[bit]`; `sizes` are $\sum_i |W_{ji}|$.

        The computed weights are those of a softmax times 1 + δ with |δ| at most
        $γ_{\mathrm{slots} + 4}$, and off by what small numbers lose. So the sum of signs, which is
        between -1 and 1, is off by $e = γ_{2\,\mathrm{slots} + 8}$ and that loss; then the matrix
        rounds. The float64 of `sides` rounds, too, which $γ$ counts.
        """
        arithmetic = self.arithmetic
        lost = slots * arithmetic.bound_underflow(slots, 2.0 * slots)
        off = arithmetic.gamma(2 * slots + 8) * 2 + lost
        size = sizes * (1.0 + off) + biases
        fresh = arithmetic.gamma(2 * bits + 16) * size + arithmetic.bound_underflow(
            bits, size + bits
        )
        return outward(sizes * off + arithmetic.safe(size, fresh))

    @quietly
    def apart(self) -> float:
        """Return how far numbers of products can be from their float64, if the left node is valid.

        The weights of one softmax move by at most $e^{2 ρ} - 1$ of themselves, in the network as
        in the centre.
        """
        _, moved = self._own_weights()
        matrix, bias = self._weights["write.weight"], self._weights["write.bias"]
        sizes = outward(np.abs(matrix).sum(axis=1))
        radius = self._rounding(sizes, np.abs(bias), len(self.states), len(bias))
        return float((radius + 2.0 * sizes * np.expm1(2.0 * moved.max())).max())

    def _own_weights(self) -> tuple[Floats, Floats]:
        r"""Return the lowest weight with which each state's code looks at its own slot, and ρ.

        If every logit lies within ρ of its centre, a softmax lies within factors $e^{\pm 2 ρ}$ of
        that of the centres. A factor 1 + δ on a computed exp is as if its logit had moved by
        log(1 + δ).
        """
        arithmetic = self.arithmetic
        codes = _signs(self.states)
        hidden = arithmetic.relu(arithmetic.linear(_exact(codes), self._matrix("expand")))
        queries = arithmetic.scale(arithmetic.linear(hidden, self._matrix("query")), self._scale)
        logits, radius = arithmetic.numbers(queries, Matrix(self._weights["keys"]))
        size = (np.abs(logits) + radius).max(axis=1)
        moved = outward(radius.max(axis=1) + arithmetic.exp_rounding(size))
        power = np.exp(logits - logits.max(axis=1, keepdims=True))
        own_weight = np.diagonal(power) / power.sum(axis=1)
        own_weight = (
            own_weight * np.exp(-2.0 * moved) * (1.0 - arithmetic.gamma(2 * len(codes) + 64))
        )
        return np.where(np.isfinite(own_weight), own_weight, 0.0), moved

    @quietly
    def logits(self) -> tuple[Floats, Floats]:
        """Return the logits of the classes of each state, `[state, class]`, and their radii."""
        arithmetic = self.arithmetic
        codes = _exact(_signs(self.states))
        hidden = arithmetic.relu(arithmetic.linear(codes, self._matrix("inner")))
        return arithmetic.numbers(hidden, self._matrix("answer"))

    def _matrix(self, name: str) -> Matrix:
        return Matrix(self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])


def _signs(codes: Booleans) -> Floats:
    return np.where(codes, 1.0, -1.0)


def _exact(vectors: Floats) -> Ball:
    return Ball(vectors, np.zeros(len(vectors)))


def _check_shapes(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
    """Refuse weights of other shapes than the settings say."""
    slots, bits, width = settings["num_slots"], settings["num_bits"], settings["d_model"]
    hidden = settings["d_hidden"] or 4 * width
    shapes: dict[str, tuple[int, ...]] = {
        "symbols": (settings["vocab_size"], slots, bits),
        "pad": (slots, bits),
        "start": (bits,),
        "expand.weight": (hidden, bits),
        "expand.bias": (hidden,),
        "query.weight": (width, hidden),
        "query.bias": (width,),
        "keys": (slots, width),
        "write.weight": (bits, bits),
        "write.bias": (bits,),
        "inner.weight": (hidden, bits),
        "inner.bias": (hidden,),
        "answer.weight": (settings["num_classes"], hidden),
        "answer.bias": (settings["num_classes"],),
    }
    require_shapes(weights, shapes)
