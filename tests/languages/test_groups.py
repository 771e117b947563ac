import itertools
import math
from collections.abc import Iterable, Sequence
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.groups import group, permutation_group
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from strategies import words

BOTH, LEFT, RIGHT = group("S3xZ4"), group("S3"), group("Z4")


@pytest.mark.slow_for("Z2wrZ2wrZ2-128", "Z3wrD3-162")
@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("S1", 1),
        ("S3", 6),
        ("S5", 120),
        ("A1", 1),
        ("A2", 1),
        ("A3", 3),
        ("A4", 12),
        ("A5", 60),
        ("Z1", 1),
        ("Z7", 7),
        ("Z60", 60),
        ("S3xZ2", 12),
        ("Z2xZ2xA4", 48),
        ("D1", 2),
        ("D2", 4),
        ("D5", 10),
        ("Q8", 8),
        ("Q8xZ3", 24),
        ("Z2wrS3", 48),
        ("S3wrZ2", 72),
        ("Z3wrD3", 162),
        ("Z2wrA3xZ2", 48),
        ("Z2wrZ2wrZ2", 128),
    ],
)
def test_the_classes_are_the_elements(name: str, order: int) -> None:
    language = group(name)
    assert language.num_classes == language.num_states == language.num_symbols == order
    assert language.classify(()) == 0
    assert transition_monoid(language).size == order
    assert language == language.minimise()


@given(st.data())
def test_a_word_of_permutations_is_applied_from_left_to_right(data: st.DataObject) -> None:
    language = group("S4")
    word = data.draw(words(language, max_size=6))
    images = []
    for point in "1234":
        moved = point
        for symbol in word:
            moved = language.alphabet[symbol][int(moved) - 1]
        images.append(moved)
    assert language.class_names[language.classify(word)] == "".join(images)


@given(st.data())
def test_products_act_in_each_factor(data: st.DataObject) -> None:
    word = [BOTH.alphabet[symbol].split(",") for symbol in data.draw(words(BOTH, max_size=6))]
    name = BOTH.class_names[BOTH.classify(" ".join(",".join(pair) for pair in word))]
    a = LEFT.class_names[LEFT.classify(" ".join(pair[0] for pair in word))]
    b = RIGHT.class_names[RIGHT.classify("".join(pair[1] for pair in word))]
    assert name == f"{a},{b}"


def test_cyclic_groups_add() -> None:
    language = group("Z12")
    for x, y in product(range(12), repeat=2):
        assert language.class_names[language.classify(f"{x} {y}")] == str((x + y) % 12)


def test_alternating_groups_have_the_even_permutations() -> None:
    even = {
        "".join(map(str, p))
        for p in permutations((1, 2, 3, 4))
        if round(math.prod((p[j] - p[i]) / (j - i) for i in range(4) for j in range(i + 1, 4))) == 1
    }
    assert set(group("A4").alphabet) == even


@given(st.integers(2, 8), st.integers(0, 1_000))
def test_drawn_generators_differ_and_generate_the_group(count: int, seed: int) -> None:
    language = group("S4", generators=count, seed=seed)
    assert len(set(language.alphabet)) == count
    assert len(language.reachable()) == 24
    assert language == group("S4", generators=count, seed=seed)


def test_the_seed_matters() -> None:
    assert len({group("S5", generators=2, seed=seed).alphabet for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("name", "generators", "message"),
    [
        ("X5", None, "'X5' in 'X5' is none of these"),
        ("D0", None, "'D0' in 'D0' is none of these"),
        ("Q16", None, "'Q16' in 'Q16' is none of these"),
        ("Z2wr", None, "'' in 'Z2wr' is none of these"),
        ("Z" + "9" * 5000, None, "is none of these"),
        ("Z2wrQ8", None, "permutes points (S_n, A_n, Z_n, or D_n from D3 on), but in Z2wrQ8 it"),
        ("Z1wrZ9999", 2, "two elements or more, but in Z1wrZ9999 it has one"),
        ("Z2wrD2", None, "but in Z2wrD2 it does not"),
        ("D5001", None, "at most 10000 elements here, but D5001 has 10002"),
        ("Z2wrS7", None, "at most 10000 elements here, but Z2wrS7 has 645120"),
        ("Z2wrZ999999999", None, "but Z2wrZ999999999 has about 10^301030004"),
        ("Z2wrS3wrZ999999999", None, "Z2wrS3wrZ999999999 has about 10^1681241245"),
        ("x".join(["Z999999999"] * 40), None, "has about 10^27"),
        ("Z2wrS5", None, "3840 elements by 3840 generators are 14745600. Take generators=260 or"),
        ("S", None, "'S' in 'S' is none of these"),
        ("Z0", None, "'Z0' in 'Z0' is none of these"),
        ("S3xx", None, "'' in 'S3xx' is none of these"),
        ("S8", None, "goes up to n=7"),
        ("Z10001", None, "at most 10000 elements here, but Z10001 has 10001"),
        ("S7", None, "generators=198 or fewer"),
        ("S3", 0, "Take 1 to 6"),
        ("S3", 7, "S3 has 6 elements, so generators=7"),
        ("S3", 1, "never generated S3. Take more"),
        ("Z2xZ2xZ2", 2, "never generated"),
    ],
)
def test_what_is_no_group_is_refused(name: str, generators: int | None, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        group(name, generators)
    assert message in str(caught.value)


# ---- the same groups, by other definitions -------------------------------------------------------


def cycles_applied(text: str, point: int) -> int:
    """Return where a permutation, as it is written, takes a point."""
    for cycle in text.replace("(", " ").split(")"):
        points = [int(each) for each in cycle.replace(",", " ").split()]
        if point in points:
            return points[(points.index(point) + 1) % len(points)]
    return point


def closure(generators: Iterable[Sequence[int]]) -> set[tuple[int, ...]]:
    """Return all products of permutations: words of ever greater length, until none is new."""
    given = [tuple(each) for each in generators]
    found = {tuple(range(len(given[0])))}
    while True:
        more = found | {tuple(g[i] for i in p) for p in found for g in given}
        if more == found:
            return found
        found = more


TEXTS = [
    "(1 2 3)(4 5),(1 2)",
    "(1 2 3 4 5),(1 2)(3 5)",
    "(1 2)(3 4),(1 3)(2 4),(5)",
    "(7 2 9)",
    "()",
]


@pytest.mark.parametrize("text", TEXTS)
@given(data=st.data())
def test_permutations_in_cycles_are_applied_from_left_to_right(
    text: str, data: st.DataObject
) -> None:
    language = permutation_group(text)
    word = data.draw(words(language, max_size=6))
    answer = language.class_names[language.classify(word)]
    for point in range(1, 11):
        moved = point
        for symbol in word:
            moved = cycles_applied(language.alphabet[symbol], moved)
        assert moved == cycles_applied(answer, point)


@pytest.mark.parametrize("text", TEXTS)
def test_permutations_generate_what_their_products_are(text: str) -> None:
    language = permutation_group(text)
    images = [
        [cycles_applied(symbol, point + 1) - 1 for point in range(10)]
        for symbol in language.alphabet
    ]
    assert language.num_classes == language.num_states == len(closure(images))
    assert language.class_names[0] == "()"


@given(st.lists(st.permutations(range(5)), min_size=1, max_size=3, unique_by=tuple))
def test_any_permutations_generate_their_closure(given_: list[list[int]]) -> None:
    text = ",".join(map(cycles_of, given_))
    language = permutation_group(text)
    assert language.num_classes == len(closure(given_))
    moved = [
        tuple(cycles_applied(symbol, point + 1) - 1 for point in range(5))
        for symbol in language.alphabet
    ]
    assert moved == [tuple(images) for images in given_]


def cycles_of(images: Sequence[int]) -> str:
    """Write a permutation with the point that moves from each point: `(1 2 3)`, fixed ones too."""
    left, text = list(range(len(images))), ""
    while left:
        cycle = [left[0]]
        while images[cycle[-1]] != cycle[0]:
            cycle.append(images[cycle[-1]])
        left = [point for point in left if point not in cycle]
        text += f"({' '.join(str(point + 1) for point in cycle)})"
    return text


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
def test_dihedral_groups_are_the_matrices_of_rotations_and_reflections(n: int) -> None:
    def matrix(name: str) -> tuple[complex, bool]:
        """The map z -> turn * z, or turn * conj(z), of the plane."""
        angle = 2 * math.pi * int(name[1:]) / n
        return complex(math.cos(angle), math.sin(angle)), name[0] == "s"

    language = group(f"D{n}")
    for x, y in product(language.alphabet, repeat=2):
        (a, flipped), (b, other) = matrix(x), matrix(y)
        turn, flips = matrix(language.class_names[language.classify(f"{x} {y}")])
        assert abs(turn - a * (b.conjugate() if flipped else b)) < 1e-9
        assert flips == (flipped != other)


def test_quaternions_are_complex_matrices() -> None:
    units = {
        "1": ((1, 0), (0, 1)),
        "i": ((1j, 0), (0, -1j)),
        "j": ((0, 1), (-1, 0)),
        "k": ((0, 1j), (1j, 0)),
    }
    table = {
        sign + name: tuple(tuple(int(sign + "1") * entry for entry in row) for row in matrix)
        for name, matrix in units.items()
        for sign in ("", "-")
    }
    language = group("Q8")
    assert set(language.alphabet) == set(table)
    for x, y in product(language.alphabet, repeat=2):
        expected = tuple(
            tuple(sum(table[x][i][k] * table[y][k][j] for k in range(2)) for j in range(2))
            for i in range(2)
        )
        assert table[language.class_names[language.classify(f"{x} {y}")]] == expected


def test_wreath_products_move_points_of_copies() -> None:
    """(f; p) takes point b of copy i to point f_i(b) of copy p(i): a second definition."""

    def parts(name: str) -> tuple[list[str], str]:
        inside, _, top = name[1:-1].rpartition(";")
        return inside.split(","), top

    def move(name: str, copy: int, point: int) -> tuple[int, int]:
        base, top = parts(name)
        return int(top[copy]) - 1, (point + int(base[copy])) % 3

    language = group("Z3wrS3")
    assert language.num_classes == 3**3 * 6
    for x, y in itertools.islice(product(language.alphabet, repeat=2), 0, None, 41):
        answer = language.class_names[language.classify(f"{x} {y}")]
        for copy, point in product(range(3), repeat=2):
            assert move(answer, copy, point) == move(y, *move(x, copy, point))


def test_the_top_of_a_wreath_product_acts_as_its_permutations_do() -> None:
    """Z2 wr D4 and Z2 wr Z4 have the orders of elements that signed permutations have."""
    for name, tops in (
        ("Z2wrD4", closure([(1, 2, 3, 0), (3, 2, 1, 0)])),
        ("Z2wrZ4", closure([(1, 2, 3, 0)])),
    ):
        signed = [
            tuple(2 * top[i // 2] + (i % 2 + flips[i // 2]) % 2 for i in range(8))
            for top in tops
            for flips in product((0, 1), repeat=4)
        ]
        language = group(name)
        mine = sorted(order(language, x) for x in range(language.num_symbols))
        identity = tuple(range(8))
        theirs = sorted(
            next(n for n in itertools.count(1) if power(p, n) == identity) for p in signed
        )
        assert mine == theirs


def order(language: Language, symbol: int) -> int:
    """Return how often a symbol must be read for the identity, the class 0."""
    return next(n for n in itertools.count(1) if language.classify((symbol,) * n) == 0)


def power(p: tuple[int, ...], n: int) -> tuple[int, ...]:
    result = tuple(range(len(p)))
    for _ in range(n):
        result = tuple(p[i] for i in result)
    return result


def test_groups_that_are_the_same_have_the_same_counts() -> None:
    """Z2 wr Z2 is D4, and so are two reflections of a square."""
    of_square = permutation_group("(1 3),(1 2)(3 4)")
    assert of_square.num_classes == group("Z2wrZ2").num_classes == group("D4").num_classes
    orders = [
        sorted(order(found, symbol) for symbol in range(found.num_symbols))
        for found in (group("Z2wrZ2"), group("D4"), group("Q8"))
    ]
    assert orders[0] == orders[1] == [1, 2, 2, 2, 2, 2, 4, 4]
    assert orders[2] == [1, 2, 4, 4, 4, 4, 4, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(1 2 3 4 5 6 7 8),(1 2)", "at most 10000 elements here, but (1 2 3 4 5 6 7 8),(1 2) gen"),
        ("(1 2)(2 3)", "2 appears twice in one of group:(1 2)(2 3). Multiply the cycles out"),
        ("(1 1)", "1 appears twice"),
        ("(1 2),(3 4),(2 1)", "generators differ from each other, but (1,2) appears twice"),
        ("(0 1)", "the points 1 to 100, but group:(0 1) names 0"),
        ("(1 101)", "the points 1 to 100, but group:(1 101) names 101"),
        ("(1 2", "permutations are written in cycles with commas between them"),
        ("(1 2)(", "permutations are written in cycles"),
        ("(a b)", "permutations are written in cycles"),
        ("(1 2),", "permutations are written in cycles"),
        ("(1 2),generators=2", "permutations are written in cycles"),
        ("(1,,2)", "permutations are written in cycles"),
        ("(" + "1 " * 30_000, "permutations are written in cycles"),
    ],
)
def test_what_are_no_permutations_is_refused(text: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        permutation_group(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300
