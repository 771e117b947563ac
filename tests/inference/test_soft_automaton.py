"""The recurrence of probabilities: its loss, its gradient, and the automaton that it is near."""

import itertools

import numpy as np
import pytest

from inference.samples import EVERY, MACHINES, sample_of
from lengthwise.inference.sample import Sample
from lengthwise.inference.soft_automaton import SoftAutomaton, WordBatch, probabilities_of
from lengthwise.languages.language import Language


def network(states: int, seed: int = 0, symbols: int = 2) -> SoftAutomaton:
    draw = np.random.default_rng(seed)
    return SoftAutomaton(num_symbols=symbols, num_states=states, num_classes=2, stay=0.0, draw=draw)


def sure(language: Language) -> SoftAutomaton:
    """A network whose probabilities are nearly 0 and 1, as the automaton says."""
    made = network(language.num_states)
    moves = np.array(language.transitions).T
    made.moves = 40 * np.eye(language.num_states, dtype=np.float32)[moves]
    made.answers = 40 * np.eye(2, dtype=np.float32)[np.array(language.classes)]
    return made


@pytest.mark.parametrize("index", range(7, len(MACHINES), 997))
def test_a_sure_network_answers_as_its_automaton(index: int) -> None:
    language = MACHINES[index]
    for word in EVERY:
        label = language.classify(word)
        right = sure(language).loss(WordBatch.of(sample_of([word], [label])))[0]
        wrong = sure(language).loss(WordBatch.of(sample_of([word], [1 - label])))[0]
        assert right == pytest.approx(0.0, abs=1e-5)
        assert wrong > 10


def test_a_sure_network_is_snapped_to_its_automaton() -> None:
    for language in MACHINES[::499]:
        snapped = sure(language).snap()
        assert snapped.tolist() == [list(row) for row in language.transitions]


def test_the_loss_is_that_of_the_product_of_the_matrices() -> None:
    made, words = network(3), [(), (0,), (1, 0), (0, 1, 1), (1, 1, 0, 0)]
    moves, answers = probabilities_of(made.moves), probabilities_of(made.answers)
    for word, label in itertools.product(words, (0, 1)):
        state = np.eye(3)[0]
        for symbol in word:
            state = state @ moves[symbol]
        loss = made.loss(WordBatch.of(sample_of([word], [label])))[0]
        assert loss == pytest.approx(-np.log(state @ answers)[label], rel=1e-4)


def test_the_gradient_is_that_of_differences() -> None:
    made = network(3)
    words = WordBatch.of(sample_of([(), (1,), (0, 1), (1, 0, 1), (0, 0, 1, 1)], [0, 1, 1, 0, 1]))
    _, gradients = made.loss(words)
    for weights, gradient in zip((made.moves, made.answers), gradients, strict=True):
        for place in np.ndindex(*weights.shape):
            own, sides = weights[place], []
            for step in (0.02, -0.02):
                weights[place] = own + step
                sides.append(made.loss(words)[0])
            weights[place] = own
            assert (sides[0] - sides[1]) / 0.04 == pytest.approx(gradient[place], abs=2e-4)


def test_words_of_a_part_are_those_of_its_rows() -> None:
    sample = sample_of([(), (0,), (1, 0), (0, 1, 1)], [0, 1, 0, 1])
    part = WordBatch.of(sample).part(np.array([2, 3]))
    assert part.symbols.tolist() == [[2, 0], [1, 1], [0, 1]]
    assert part.classes.tolist() == [0, 1]


def test_training_learns_whether_the_last_symbol_is_a_one() -> None:
    draw = np.random.default_rng(1)
    words = list({tuple(draw.integers(0, 2, 9).tolist()) for _ in range(200)})
    batch = WordBatch.of(Sample.of_words(words, [word[-1] for word in words], 2, 2))
    made = network(2, seed=3)
    losses = [made.train_step(batch) for _ in range(200)]
    assert losses[0] > 0.5
    assert losses[-1] < 0.1
    snapped = made.snap()
    assert snapped[0].tolist() == snapped[1].tolist()
    assert snapped[0][0] != snapped[0][1]
