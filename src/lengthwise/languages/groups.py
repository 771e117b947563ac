"""Word problems of finite groups: the class of a word is the product of its symbols.

Symbols are elements; products are taken from left to right. A permutation is written by its images
of 1, 2, ..., so `231` takes 1 to 2, 2 to 3, 3 to 1. In a product of permutations the left one acts
first:

    (p q)(i) = q(p(i))          so in S3 the word `213 132` has the class `312`.

Elements of Z_n are 0..n-1 with addition mod n; elements of a product of groups are written with
commas: `213,1`.
"""

import itertools
import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language

Element = tuple[int, ...]
"""A permutation of 0..n-1 by its images, or the one number of an element of Z_n."""

MAX_ORDER = 10_000
"""Largest order of a group."""

MAX_TRANSITIONS = 1_000_000
"""Largest number of entries of the table of products of elements and generators."""

_MOST_LETTERS = 7
_MOST_DRAWS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class _Factor:
    order: int
    elements: Callable[[], Sequence[Element]]
    """All elements, the identity first."""
    multiply: Callable[[Element, Element], Element]
    write: Callable[[Element], str]


def group(name: str, generators: int | None = None, seed: int = 0) -> Language:
    """Build the word problem of a group: `S5`, `A5`, `Z60` (cyclic), or a product such as `S3xZ2`.

    Symbols are all elements, or `generators` distinct ones drawn with `seed`, redrawn until they
    generate the whole group. The classes are the elements in their order, the identity first.

    >>> language = group("S3")
    >>> language.class_names[language.classify("213")], language.num_classes
    ('213', 6)

    Raises:
        LanguageError: the name is not that of a group, the group is too large, or there is no such
            number of generators.
    """
    factors = [_factor(name, part) for part in name.split("x")]
    order = math.prod(factor.order for factor in factors)
    if order > MAX_ORDER:
        raise LanguageError(
            f"a group has at most {MAX_ORDER} elements here, but {name} has {order}. "
            f"Take a smaller one."
        )
    count = order if generators is None else generators
    if not 1 <= count <= order:
        raise LanguageError(
            f"{name} has {order} elements, so generators={count} cannot be drawn. "
            f"Take 1 to {order}."
        )
    if order * count > MAX_TRANSITIONS:
        raise LanguageError(
            f"a table of products has at most {MAX_TRANSITIONS} entries, but {order} elements by "
            f"{count} generators are {order * count}. Take generators={MAX_TRANSITIONS // order} "
            f"or fewer."
        )
    elements = list(itertools.product(*(factor.elements() for factor in factors)))
    index = {element: i for i, element in enumerate(elements)}

    def multiply(x: int, y: int) -> int:
        parts = zip(factors, elements[x], elements[y], strict=True)
        return index[tuple(factor.multiply(a, b) for factor, a, b in parts)]

    names = [
        ",".join(factor.write(part) for factor, part in zip(factors, element, strict=True))
        for element in elements
    ]
    chosen = list(range(order))
    if generators is not None:
        chosen = _draw(name, order, generators, multiply, random.Random(seed))
    return Language(
        alphabet=tuple(names[element] for element in chosen),
        transitions=tuple(tuple(multiply(x, y) for y in chosen) for x in range(order)),
        classes=tuple(range(order)),
        class_names=tuple(names),
    ).minimised()


def _draw(
    name: str, order: int, count: int, multiply: Callable[[int, int], int], generator: random.Random
) -> list[int]:
    """Draw distinct elements that generate the group, in increasing order."""
    for _ in range(_MOST_DRAWS):
        chosen = sorted(generator.sample(range(order), count))
        found = {0}
        for element in (queue := [0]):
            for symbol in chosen:
                product = multiply(element, symbol)
                if product not in found:
                    found.add(product)
                    queue.append(product)
        if len(found) == order:
            return chosen
    raise LanguageError(
        f"generators={count} elements were drawn {_MOST_DRAWS} times, but never generated {name}. "
        f"Take more."
    )


def _factor(name: str, part: str) -> _Factor:
    match = re.fullmatch(r"([SAZ])([1-9]\d*)", part, re.ASCII)
    if match is None:
        raise LanguageError(
            f"a group is S1..S7, A1..A7, Z1, Z2, ... or a product such as S3xZ2, "
            f"but {part!r} in {name!r} is none of these."
        )
    letter, n = match.group(1), int(match.group(2))
    if letter == "Z":
        return _Factor(
            order=n,
            elements=lambda: [(i,) for i in range(n)],
            multiply=lambda x, y: ((x[0] + y[0]) % n,),
            write=lambda x: str(x[0]),
        )
    if n > _MOST_LETTERS:
        raise LanguageError(
            f"{letter}_n goes up to n={_MOST_LETTERS}, but {name!r} asks for {part}. "
            f"Take a smaller one."
        )
    even_only = letter == "A"
    return _Factor(
        order=max(1, math.factorial(n) // 2) if even_only else math.factorial(n),
        elements=lambda: [
            p for p in itertools.permutations(range(n)) if not (even_only and _is_odd(p))
        ],
        multiply=lambda p, q: tuple(q[i] for i in p),
        write=lambda p: "".join(str(i + 1) for i in p),
    )


def _is_odd(permutation: Element) -> bool:
    return sum(a > b for a, b in itertools.combinations(permutation, 2)) % 2 == 1
