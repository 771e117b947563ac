"""Finite groups as sets of elements with a product, and how elements are written.

A product xy is read from left to right. A group that permutes points does so from the left, too:
the points move by x first, then by y, so `act(xy)(i) = act(y)(act(x)(i))`.
"""

import itertools
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lengthwise.errors import LanguageError

T = TypeVar("T", bound=Hashable)

Permutation = tuple[int, ...]
"""A permutation of 0..n-1 by its images."""

MAX_ORDER = 10_000
"""Largest order of a group."""

MAX_POINTS = 100
"""Largest number of points that permutations in cycle notation may name."""

_MOST_LETTERS = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class FiniteGroup:
    """A finite group that lists its elements only on demand."""

    order: int
    elements: Callable[[], Sequence[Hashable]]
    """All elements, the identity first."""
    multiply: Callable[..., Hashable]
    write: Callable[..., str]
    """Write an element as a string without spaces."""
    num_points: int = 0
    """Number of points that the group permutes; 0 if it is not given as a group of permutations."""
    act: Callable[..., Permutation] | None = None
    """The permutation of the points of an element."""


def symmetric(n: int) -> FiniteGroup:
    """Return S_n, the permutations of n letters, written by their images: `231`."""
    return _by_images(n, math.factorial(n), lambda p: True)


def alternating(n: int) -> FiniteGroup:
    """Return A_n, the even permutations of n letters, written by their images."""
    return _by_images(n, max(1, math.factorial(n) // 2), lambda p: not _is_odd(p))


def cyclic(n: int) -> FiniteGroup:
    """Return Z_n, the integers modulo n with addition; x takes the point i to i + x."""
    return FiniteGroup(
        order=n,
        elements=lambda: range(n),
        multiply=lambda x, y: (x + y) % n,
        write=str,
        num_points=n,
        act=lambda x: tuple((i + x) % n for i in range(n)),
    )


def dihedral(n: int) -> FiniteGroup:
    """Return D_n, the 2n symmetries of a polygon of n sides: rotations `r0`.. and reflections
    `s0`..

        r_i r_j = r_{i+j},  r_i s_j = s_{i+j},  s_i r_j = s_{i-j},  s_i s_j = r_{i-j}  (mod n)

    From three sides on it permutes the corners.
    """

    def multiply(x: tuple[str, int], y: tuple[str, int]) -> tuple[str, int]:
        (a, i), (b, j) = x, y
        return ("r" if a == b else "s", (i + j if a == "r" else i - j) % n)

    def act(x: tuple[str, int]) -> Permutation:
        kind, i = x
        return tuple((k - i if kind == "r" else i - k) % n for k in range(n))

    return FiniteGroup(
        order=2 * n,
        elements=lambda: [(kind, i) for kind in "rs" for i in range(n)],
        multiply=multiply,
        write=lambda x: f"{x[0]}{x[1]}",
        num_points=n if n >= 3 else 0,
        act=act,
    )


def quaternion() -> FiniteGroup:
    """Return Q_8: 1, -1, i, -i, j, -j, k, -k, with ij = k, jk = i, ki = j and squares -1."""
    units = "1ijk"

    def multiply(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
        (sign, a), (other, b) = x, y
        if 0 in (a, b):
            return sign * other, a + b
        if a == b:
            return -sign * other, 0
        return sign * other * (1 if (b - a) % 3 == 1 else -1), 6 - a - b

    return FiniteGroup(
        order=8,
        elements=lambda: [(sign, unit) for unit in range(4) for sign in (1, -1)],
        multiply=multiply,
        write=lambda x: ("-" if x[0] < 0 else "") + units[x[1]],
    )


def direct_product(factors: Sequence[FiniteGroup]) -> FiniteGroup:
    """Return the direct product, whose elements are written with commas: `213,1`."""
    return FiniteGroup(
        order=math.prod(factor.order for factor in factors),
        elements=lambda: list(itertools.product(*(factor.elements() for factor in factors))),
        multiply=lambda x, y: tuple(
            factor.multiply(a, b) for factor, a, b in zip(factors, x, y, strict=True)
        ),
        write=lambda x: ",".join(
            factor.write(part) for factor, part in zip(factors, x, strict=True)
        ),
    )


def wreath_product(base: FiniteGroup, top: FiniteGroup, name: str) -> FiniteGroup:
    """Return base wr top, where top permutes n points: elements (f_1, ..., f_n; p).

        (f; p)(g; q) = (f_1 g_p(1), ..., f_n g_p(n); pq)

    Raises:
        LanguageError: the top permutes no points, the base has one element only, or the product is
            too large; the message has `name`.
    """
    if base.order == 1:
        raise LanguageError(
            f"the group before wr has two elements or more, but in {name} it has one, so that the "
            f"product is the group after it. Give that."
        )
    act, n = top.act, top.num_points
    if act is None or n == 0:
        raise LanguageError(
            f"the group after wr permutes points (S_n, A_n, Z_n, or D_n from D3 on), but in {name} "
            f"it does not. Take one of these."
        )
    require_order(name, n * math.log10(base.order) + math.log10(top.order))

    def multiply(x: tuple, y: tuple) -> tuple:  # type: ignore[type-arg]
        (f, p), (g, q) = x, y
        moved = zip(f, act(p), strict=True)
        return tuple(base.multiply(a, g[i]) for a, i in moved), top.multiply(p, q)

    return FiniteGroup(
        order=base.order**n * top.order,
        elements=lambda: list(
            itertools.product(itertools.product(base.elements(), repeat=n), top.elements())
        ),
        multiply=multiply,
        write=lambda x: f"({','.join(base.write(a) for a in x[0])};{top.write(x[1])})",
    )


def require_order(name: str, digits: float) -> None:
    """Refuse a group whose order has a decimal logarithm far above what can be written.

    Raises:
        LanguageError: it has.
    """
    if digits > 18:
        raise LanguageError(
            f"a group has at most {MAX_ORDER} elements here, but {name} has about 10^{digits:.0f}. "
            f"Take a smaller one."
        )


# ---- permutations in cycle notation --------------------------------------------------------------


def generate_group(generators: Sequence[Permutation], name: str) -> FiniteGroup:
    """Return the group of all products of permutations, in the order of their images.

    Raises:
        LanguageError: it has more than `MAX_ORDER` elements.
    """
    identity = tuple(range(len(generators[0])))
    elements = {identity}
    for permutation in (queue := [identity]):
        for generator in generators:
            product = _compose(permutation, generator)
            if product not in elements:
                elements.add(product)
                queue.append(product)
        if len(elements) > MAX_ORDER:
            raise LanguageError(
                f"a group has at most {MAX_ORDER} elements here, but {name} generates more. Take "
                f"a smaller one."
            )
    return FiniteGroup(
        order=len(elements),
        elements=lambda: sorted(elements),
        multiply=_compose,
        write=in_cycles,
        num_points=len(identity),
        act=lambda x: x,
    )


def _compose(p: Permutation, q: Permutation) -> Permutation:
    """Return the product pq of permutations: p acts first."""
    return tuple(q[i] for i in p)


def in_cycles(permutation: Permutation) -> str:
    """Write a permutation in cycles without spaces, as GAP does: `(1,2,3)(4,5)`, or `()`.

    >>> in_cycles((1, 2, 0, 4, 3, 5))
    '(1,2,3)(4,5)'
    """
    seen: set[int] = set()
    cycles = []
    for start in range(len(permutation)):
        cycle: list[str] = []
        point = start
        while point not in seen:
            seen.add(point)
            cycle.append(str(point + 1))
            point = permutation[point]
        if len(cycle) > 1:
            cycles.append(f"({','.join(cycle)})")
    return "".join(cycles) or "()"


def read_permutations(text: str) -> list[Permutation]:
    """Read permutations in cycle notation: `(1 2 3)(4 5),(1 2)`, or with commas in the cycles.

    >>> read_permutations("(1 2 3),(1,2)")
    [(1, 2, 0), (1, 0, 2)]

    Raises:
        LanguageError: it is not such a list, a point appears twice in a permutation, a permutation
            appears twice, or a point is 0 or above `MAX_POINTS`.
    """
    one_permutation = r"\(\s*(?:\d{1,9}(?:(?:\s*,\s*|\s+)\d{1,9})*\s*)?\)\s*"
    text = text.strip()
    if not re.fullmatch(rf"(?:{one_permutation})+(?:,\s*(?:{one_permutation})+)*", text, re.ASCII):
        raise LanguageError(
            f"permutations are written in cycles with commas between them, such as "
            f"group:(1 2 3)(4 5),(1 2), but this is group:{text[:60]}."
        )
    cycle_lists = [
        [[int(point) for point in re.findall(r"\d+", inner)] for inner in factor.split(")")]
        for factor in re.split(r"(?<=\))\s*,", text)
    ]
    largest = max(
        (point for cycles_of_one in cycle_lists for cycle in cycles_of_one for point in cycle),
        default=1,
    )
    smallest = min(
        (point for cycles_of_one in cycle_lists for cycle in cycles_of_one for point in cycle),
        default=1,
    )
    if smallest < 1 or largest > MAX_POINTS:
        wrong = largest if largest > MAX_POINTS else smallest
        raise LanguageError(
            f"permutations move the points 1 to {MAX_POINTS}, but group:{text[:60]} names {wrong}. "
            f"Number the points from 1."
        )
    permutations = []
    for cycles in cycle_lists:
        point = _find_repeated(point for cycle in cycles for point in cycle)
        if point is not None:
            raise LanguageError(
                f"the cycles of a permutation have no point in common, but {point} appears twice "
                f"in one of group:{text[:60]}. Multiply the cycles out."
            )
        images = list(range(largest))
        for cycle in cycles:
            for source, target in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
                images[source - 1] = target - 1
        permutations.append(tuple(images))
    twice = _find_repeated(permutations)
    if twice is not None:
        raise LanguageError(
            f"generators differ from each other, but {in_cycles(twice)} appears twice in "
            f"group:{text[:60]}. Remove one."
        )
    return permutations


def _find_repeated(items: Iterable[T]) -> T | None:
    """Return the first item that occurred before, or None."""
    seen: set[T] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


# ---- names ---------------------------------------------------------------------------------------


def make_group(name: str) -> FiniteGroup:
    """Return a group by name: `S5`, `A5`, `Z60`, `D5`, `Q8`, `Z2wrS3`, or a product `S3xZ2`.

    `wr` binds stronger than `x`, and groups to the left.

    Raises:
        LanguageError: the name is not that of a group, or the group is too large.
    """
    factors = []
    digits = 0.0
    for part in name.split("x"):
        first, *tops = part.split("wr")
        factor = _simple(name, first)
        for top in tops:
            factor = wreath_product(factor, _simple(name, top), name)
        factors.append(factor)
        digits += math.log10(factor.order)
        require_order(name, digits)
    return direct_product(factors)


def _simple(name: str, part: str) -> FiniteGroup:
    match = re.fullmatch(r"([SAZD])([1-9]\d{0,8})|Q8", part, re.ASCII)
    if match is None:
        raise LanguageError(
            f"a group is S1..S7, A1..A7, Z1, Z2, ..., D1, D2, ... (of order 2, 4, ...), Q8, a "
            f"wreath product such as Z2wrS3, a product such as S3xZ2, or permutations such as "
            f"(1 2 3),(1 2), but {part[:20]!r} in {name[:60]!r} is none of these."
        )
    if match.group() == "Q8":
        return quaternion()
    letter, n = match.group(1), int(match.group(2))
    if letter in "SA" and n > _MOST_LETTERS:
        raise LanguageError(
            f"{letter}_n goes up to n={_MOST_LETTERS}, but {name!r} asks for {part}. "
            f"Take a smaller one."
        )
    return {"S": symmetric, "A": alternating, "Z": cyclic, "D": dihedral}[letter](n)


def _by_images(n: int, order: int, is_element: Callable[[Permutation], bool]) -> FiniteGroup:
    return FiniteGroup(
        order=order,
        elements=lambda: [p for p in itertools.permutations(range(n)) if is_element(p)],
        multiply=_compose,
        write=lambda p: "".join(str(i + 1) for i in p),
        num_points=n,
        act=lambda p: p,
    )


def _is_odd(permutation: Permutation) -> bool:
    return sum(a > b for a, b in itertools.combinations(permutation, 2)) % 2 == 1
