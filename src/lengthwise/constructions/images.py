r"""State maps of sub-words as integers: the images of a few points, in digits.

The states, or other points on which sub-words act (`points`), are numbered. A node holds the number
of the image f(p) of every point p under its sub-word f, with c digits below a base D (`numbering`):
at most c n coordinates for n points, however many elements the monoid has. If sub-word f comes
before sub-word g, the node above needs, for every p and every digit $\delta$,

$$\delta(g(f(p))) = b_a, \qquad a = f(p), \quad b_s = \delta(g(s)),$$

the entry of a table b that the right child holds, at a place a that the left child holds. One layer
of ReLU looks it up exactly.

Lookup. Let $u_s = b_s - b_{s-1}$, let $U \ge |u_s|$ for all g, and let m be any place. Then

$$b_a = b_m - U (a - m)
+ \sum_{i \ge 1} (-1)^{i+1} \mathrm{relu}\left(2U (a - m - i) + U + (-1)^{i+1} u_{m+i}\right)
- \sum_{i \ge 1} (-1)^{i+1} \mathrm{relu}\left(2U (m - a - i) + U + (-1)^{i+1} u_{m-i+1}\right).$$

Proof. Let a = m + k with $k \ge 0$. As a and m are whole and $|u_s| \le U$, unit i of the first sum
is on for $i \le k$ (its argument is at least $U - U = 0$), and off for i > k (at most
$-2U + U + U = 0$); every unit of the second sum is off, likewise. So the first sum is
$\sum_{i \le k} u_{m+i} = b_a - b_m$, plus $\sum_{i \le k} (-1)^{i+1} (2U (k - i) + U)$, which is
U k: two neighbours 2j - 1 and 2j differ by 2U, and if k is odd, U is left over for i = k. This is
what - U (a - m) takes away. For a = m - k the second sum, with its sign, is
$-\sum_{i \le k} u_{m-i+1} - U k$, hence $b_a - b_m - U k$, and the linear term is + U k. QED

Coordinates hold the digits of f(p) less those of the place m of p, so that all numbers are small:
the linear form $\sum_j D^j x_j$ of the coordinates of p is a - m. Only places between the least and
the greatest number that p can reach have units, and digits that no sub-word changes have no
coordinate. U is the largest difference in the pairs of points to which words take s - 1 and s.

Exactness. Every weight, bias, coordinate and sum of a layer is an integer. Weights, biases and
arguments of ReLU that are on are at most 256 in size, which bfloat16 holds exactly, and so are all
results; the sums that lead to them are of integers below $2^{24}$, so in float32 they are
exact in any order, and torch adds up products of matrices of shorter formats in float32. Attention
weights are 0 or 1, as in `automata`. By induction over the tree the root holds the images of the
points under the word, and the read-out, which is linear, is largest at the class (`points`). QED

A chunk of C children takes C - 1 layers. All children are brought to the last place in the first,
and layer i multiplies by child i before the last; what the layers compute at other places is
finite, and goes nowhere, as only the first layer's attention has values.

Unlike zeros and ones (`subword_encodings`) this does not remove errors: it is exact arithmetic, and
has none. `lengthwise certify --strength robust`, which bounds rounding by its general laws, cannot
prove it; it proves the other targets.
"""

import math
from collections.abc import Iterator

import numpy as np

from lengthwise.constructions.numbering import Action, Numbering, bases
from lengthwise.constructions.points import MOST, points_of
from lengthwise.constructions.units import Floats, Integers, Units
from lengthwise.errors import LanguageError
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language


class ImageEncoding:
    """Image encoding: the number of the image of every point, in as few digits as stay small.

    Raises:
        LanguageError: no numbering keeps all numbers small, or the network would have more than
            `most_parameters`.
    """

    ones = None

    def __init__(self, language: Language, chunk_size: int, most_parameters: int) -> None:
        machine = merge_outside_domain(language)
        least: float = math.inf
        for points in points_of(machine):
            if _least_parameters(points.action, chunk_size) > most_parameters:
                continue
            for order in points.orders():
                for base in bases(len(order)):
                    numbering = Numbering(points.action, order, base)
                    width = chunk_size * numbering.size
                    cost = width * (3 * width + numbering.num_units)  # half the parameters or so
                    if cost >= least or numbering.largest > MOST:
                        continue
                    answers = points.read_out(numbering)
                    if answers is not None:
                        least, self._points, self._numbering = cost, points, numbering
                        self._answers = answers
        if least == math.inf:
            raise LanguageError(
                f"no numbering of {machine.num_states} states has at most {most_parameters:,} "
                f"parameters and numbers of at most {MOST}."
            )
        self.size = max(1, self._numbering.size)

    def count_layers(self, chunk_size: int) -> int:
        """Return the number of layers: each multiplies two maps."""
        return chunk_size - 1

    def num_hidden(self, chunk_size: int) -> int:
        """Return the number of units of a layer."""
        return self._numbering.num_units

    @property
    def steps(self) -> Integers:
        """Action of symbols on the points, `[point, symbol]`."""
        return self._points.action.steps

    def vector(self, images: Integers) -> Floats:
        """Return the vector of a map of the points, which is given as the image of each."""
        return self._numbering.vector(images)

    def leaf(self, symbol: int) -> Floats:
        """Return the vector of a symbol."""
        return self.vector(self.steps[:, symbol])

    def pad(self) -> Floats:
        """Return the vector of the empty word."""
        return self.vector(np.arange(len(self.steps)))

    def read_out(self) -> tuple[Floats, Floats]:
        """Return weights `[class, coordinate]` and biases."""
        return self._answers

    def layers(self, chunk_size: int) -> Iterator[Units]:
        """Yield the units of each layer: layer i puts child i before the last in front of the
        product so far, which begins as the last child.
        """
        for layer in range(1, chunk_size):
            yield self._product(chunk_size * self.size, layer * self.size)

    def _product(self, width: int, left: int) -> Units:
        """Return the units that put left·right into the block of the right child."""
        numbering = self._numbering
        units = Units(width, shift=float(numbering.base - 1))
        everything = np.arange(numbering.size)
        units.add_linear(everything, everything, -1.0)
        units.add_linear(left + everything, left + everything, -1.0)
        for p, j in np.argwhere(numbering.varies):
            target, middle = int(numbering.coordinate[p, j]), int(numbering.middle[p])
            slope = float(numbering.slope[p, j])
            known = np.flatnonzero(numbering.varies[p])
            place, powers = left + numbering.coordinate[p, known], numbering.powers[known]
            component, factor, constant = numbering.entries(np.array([middle]), int(j))
            units.add_linear(target, component, factor)
            units.add_linear(target, place, (-slope * powers).astype(np.float64))
            units.add_constant(target, float(constant[0] - numbering.digits[middle, j]))
            for side, last in ((1, numbering.greatest[p]), (-1, numbering.least[p])):
                step = np.arange(1, abs(int(last) - middle) + 1)
                sign = np.where(step % 2 == 1, 1.0, -1.0)
                upper = middle + step if side == 1 else middle - step + 1
                above, plus, high = numbering.entries(upper, int(j))
                below, minus, low = numbering.entries(upper - 1, int(j))
                row = np.broadcast_to(2.0 * slope * side * powers, (len(step), len(place)))
                units.add(
                    of=np.column_stack([np.tile(place, (len(step), 1)), above, below]),
                    weights=np.column_stack([row, sign * plus, -sign * minus]),
                    bias=slope - 2.0 * slope * step + sign * (high - low),
                    to=np.full(len(step), target),
                    sign=side * sign,
                )
        return units


def _least_parameters(action: Action, chunk_size: int) -> int:
    """Return fewer parameters than any numbering of the points needs."""
    ways = action.reach.sum(axis=1) - 1
    width = chunk_size * int(np.count_nonzero(ways))
    return (chunk_size - 1) * 2 * width * (3 * width + int(ways.sum()))
