import math
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.groups import group
from lengthwise.languages.monoid import transition_monoid
from strategies import words


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
    ],
)
def test_the_classes_are_the_elements(name: str, order: int) -> None:
    language = group(name)
    assert language.num_classes == language.num_states == language.num_symbols == order
    assert language.classify(()) == 0
    assert transition_monoid(language).size == order
    assert language == language.minimised()


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
    both, left, right = group("S3xZ4"), group("S3"), group("Z4")
    word = [both.alphabet[symbol].split(",") for symbol in data.draw(words(both, max_size=6))]
    name = both.class_names[both.classify(" ".join(",".join(pair) for pair in word))]
    a = left.class_names[left.classify(" ".join(pair[0] for pair in word))]
    b = right.class_names[right.classify("".join(pair[1] for pair in word))]
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
