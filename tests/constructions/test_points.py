"""Points on which sub-words act: their images give the class, and nothing is too large."""

import numpy as np
import pytest
from hypothesis import given, reject

from lengthwise.constructions.numbering import Numbering
from lengthwise.constructions.points import MOST, Points, StatePoints, points_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import all_words, machines


def answers_are_right(machine: Language, points: Points, words: list[tuple[int, ...]]) -> bool:
    """Whether the read-out of the followed points is largest at the class, by 1."""
    order = next(iter(points.orders()))
    numbering = Numbering(points.action, order, max(2, len(order)))
    found = points.read_out(numbering)
    if found is None:
        reject()
    weights, biases = found
    assert max(np.abs(weights).max(), np.abs(biases).max()) <= MOST
    for word in words:
        images = np.arange(len(points.action.steps))
        for symbol in word:
            images = points.action.steps[images, symbol]
        logits = weights @ numbering.vector(images) + biases
        right = machine.classify(word)
        if (np.delete(logits, right) > logits[right] - 1).any():
            return False
    return True


@given(language=machines())
def test_images_of_states_give_the_class(language: Language) -> None:
    machine = language.minimise()
    assert answers_are_right(machine, StatePoints(machine), all_words(machine, 6))


@pytest.mark.slow_except("group:Z12-7", "group:Z6-5")
@pytest.mark.parametrize(
    ("spec", "count"),
    [("group:S4", 4), ("group:Z6", 5), ("group:Z12", 7), ("group:A4", 4), ("group:S3xZ2", 5)],
)
def test_images_of_a_few_blocks_give_the_element_of_a_group(spec: str, count: int) -> None:
    machine = parse(spec).minimise()
    points = points_of(machine)[-1]
    assert len(points.action.steps) == count
    draw = np.random.default_rng(0)
    words = [tuple(draw.integers(machine.num_symbols, size=9).tolist()) for _ in range(50)]
    assert answers_are_right(machine, points, [(), *words])


def test_a_wrong_action_is_noticed() -> None:
    """The check above, on points of which one moves as another does."""
    machine = parse("group:S4").minimise()
    points = points_of(machine)[-1]
    words: list[tuple[int, ...]] = [(symbol, 5) for symbol in range(machine.num_symbols)]
    assert answers_are_right(machine, points, words)
    points.action.steps[0] = points.action.steps[1]
    with pytest.raises(AssertionError, match="a state has one map"):
        answers_are_right(machine, points, words)


def test_states_alone_where_classes_have_several() -> None:
    assert len(points_of(parse("tomita-4"))) == 1
    assert len(points_of(parse("group:Z5"))) == 1  # a prime number has no smaller action
