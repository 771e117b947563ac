"""Word problems of finite groups: the class of a word is the product of its symbols.

Symbols are elements; products are taken from left to right. A permutation is written by its images
of 1, 2, ..., so `231` takes 1 to 2, 2 to 3, 3 to 1. In a product of permutations the left one acts
first:

    (p q)(i) = q(p(i))          so in S3 the word `213 132` has the class `312`.

Elements of Z_n are 0..n-1 with addition mod n; elements of a product of groups are written with
commas: `213,1`. `finite_groups` has the other groups and how their elements are written.
"""

import random
from collections.abc import Callable, Sequence

from lengthwise.errors import LanguageError
from lengthwise.languages.finite_groups import (
    MAX_ORDER,
    FiniteGroup,
    generate_group,
    in_cycles,
    make_group,
    read_permutations,
)
from lengthwise.languages.language import Language

MAX_TRANSITIONS = 1_000_000
"""Largest number of entries of the table of products of elements and generators."""

_MOST_DRAWS = 1_000


def group(name: str, generators: int | None = None, seed: int = 0) -> Language:
    """Build the word problem of a group, by name: `S5`, `A5`, `Z60` (cyclic), `D5` (dihedral, of
    order 10), `Q8`, a wreath product such as `Z2wrS3`, or a product such as `S3xZ2`.

    Symbols are all elements, or `generators` distinct ones drawn with `seed`, redrawn until they
    generate the whole group. The classes are the elements in their order, the identity first.

    >>> language = group("S3")
    >>> language.class_names[language.classify("213")], language.num_classes
    ('213', 6)
    >>> quaternions = group("Q8")
    >>> quaternions.class_names[quaternions.classify("i j")]
    'k'

    Raises:
        LanguageError: the name is not that of a group, the group is too large, or there is no such
            number of generators.
    """
    finite_group = make_group(name)
    order = finite_group.order
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
    _require_small_table(order, count, f"generators={MAX_TRANSITIONS // order} or fewer")
    elements = list(finite_group.elements())
    index = {element: i for i, element in enumerate(elements)}

    def multiply(x: int, y: int) -> int:
        return index[finite_group.multiply(elements[x], elements[y])]

    chosen_elements = list(range(order))
    if generators is not None:
        chosen_elements = _draw(name, order, generators, multiply, random.Random(seed))
    return _word_problem(finite_group, chosen_elements)


def permutation_group(text: str) -> Language:
    """Build the word problem of the group that permutations in cycle notation generate.

    Symbols are the permutations, as they are given; classes are all products, the identity first.
    Both are written without spaces, as GAP does: `(1,2,3)(4,5)`. In a product the left one acts
    first.

    >>> language = permutation_group("(1 2 3),(1 2)")
    >>> language.alphabet, language.class_names[language.classify("(1,2,3) (1,2)")]
    (('(1,2,3)', '(1,2)'), '(2,3)')

    Raises:
        LanguageError: it is not a list of different permutations, or the group is too large.
    """
    permutations = read_permutations(text)
    finite_group = generate_group(permutations, text)
    _require_small_table(finite_group.order, len(permutations), "fewer generators")
    index = {element: i for i, element in enumerate(finite_group.elements())}
    return _word_problem(finite_group, [index[permutation] for permutation in permutations])


def format_permutations(text: str) -> str:
    """Return permutations in the form in which `permutation_group` writes symbols."""
    return ",".join(map(in_cycles, read_permutations(text)))


def _word_problem(finite_group: FiniteGroup, numbers: Sequence[int]) -> Language:
    """Return the language whose symbols are the elements with the chosen numbers."""
    elements = list(finite_group.elements())
    index = {element: i for i, element in enumerate(elements)}
    names = [finite_group.write(element) for element in elements]
    return Language(
        alphabet=tuple(names[symbol] for symbol in numbers),
        transitions=tuple(
            tuple(index[finite_group.multiply(element, elements[symbol])] for symbol in numbers)
            for element in elements
        ),
        classes=tuple(range(finite_group.order)),
        class_names=tuple(names),
    ).minimise()


def _require_small_table(order: int, count: int, remedy: str) -> None:
    if order * count > MAX_TRANSITIONS:
        raise LanguageError(
            f"a table of products has at most {MAX_TRANSITIONS} entries, but {order} elements by "
            f"{count} generators are {order * count}. Take {remedy}."
        )


def _draw(
    name: str, order: int, count: int, multiply: Callable[[int, int], int], generator: random.Random
) -> list[int]:
    """Draw distinct elements that generate the group, in increasing order."""
    for _ in range(_MOST_DRAWS):
        numbers = sorted(generator.sample(range(order), count))
        elements = {0}
        for element in (queue := [0]):
            for symbol in numbers:
                product = multiply(element, symbol)
                if product not in elements:
                    elements.add(product)
                    queue.append(product)
        if len(elements) == order:
            return numbers
    raise LanguageError(
        f"generators={count} elements were drawn {_MOST_DRAWS} times, but never generated {name}. "
        f"Take more."
    )
