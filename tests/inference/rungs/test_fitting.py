"""A rule is fitted to some of the words, and then to those that it misjudges."""

import itertools

import numpy as np
import pytest

from inference.rungs.oracles import holds, words_of
from inference.samples import Readings, balance, end_at_once, number_symbols
from lengthwise.inference.rungs.automata import ValueAutomaton
from lengthwise.inference.rungs.fitting import Bench, Chosen, Combine, Cover, fit_rule
from lengthwise.inference.rungs.literals import Literal, windows
from lengthwise.inference.rungs.patterns import patterns
from lengthwise.inference.rungs.tiers import Uncovered
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import AttemptLostError, SearchTask
from lengthwise.languages.spec import parse
from lengthwise.languages.subregular import subregular

EVERY = np.ones(3, dtype=bool)


def sample_of(spec: str, count: int = 600) -> Sample:
    return balance(parse(spec), count, shortest=4, longest=10, seed=0)


def test_as_many_words_of_each_class_are_drawn() -> None:
    sample = sample_of("regex[abc]:.*ab.*")
    rare = sample.part(np.flatnonzero((sample.classes == 0) | (np.arange(len(sample)) % 20 == 0)))
    bench = Bench(SearchTask(rare))
    rows = bench.draw_rows(200, 0)
    number = int((rare.classes == 1).sum())
    assert number < 100
    assert np.bincount(rare.classes[rows]).tolist() == [100, number]
    assert len(set(rows.tolist())) == len(rows)
    assert bench.draw_rows(200, 0).tolist() == rows.tolist() != bench.draw_rows(200, 1).tolist()


def test_misjudged_are_the_words_that_are_not_of_the_commonest_class_of_their_values() -> None:
    sample = sample_of("regex[abc]:.*(bb|cb).*")
    one, two, three = Literal(((0, 0, 0),)), Literal(((1, 1),)), Literal(((2, 1),))
    chosen = Chosen(((one,), (two, three)), EVERY)
    cells: dict[tuple[bool, ...], list[int]] = {}
    for row, word in enumerate(words_of(sample)):
        key = tuple(any(holds(each, word, EVERY) for each in clause) for clause in chosen.clauses)
        cells.setdefault(key, []).append(row)
    expected = []
    for rows in cells.values():
        labels = sample.classes[rows].tolist()
        commonest = max((0, 1), key=labels.count)
        expected += [row for row in rows if sample.classes[row] != commonest]
    assert Bench(SearchTask(sample)).wrong(chosen).tolist() == sorted(expected)


def test_all_of_many_words_are_asked_of_the_rules_that_some_find_best() -> None:
    rules = [
        Chosen(((Literal(((one, other),)),),), EVERY) for one in range(3) for other in range(3)
    ]
    language = "regex[abc]:.*ba.*"
    few, many = (Bench(SearchTask(sample_of(language, count))) for count in (600, 6_000))
    assert few.likely(rules) == rules
    assert len(many.sample) > 4_000
    likely = many.likely(rules)
    assert len(likely) == 3
    assert likely[0] == Chosen(((Literal(((1, 0),)),),), EVERY)
    assert many.wrong(likely[0]).tolist() == []


@pytest.mark.parametrize("choose", [Combine(kind=windows(2)), Cover(kind=windows(2), covered=1)])
def test_what_is_rare_shows_among_the_misjudged_words(choose: Combine | Cover) -> None:
    """Of 6,000 words, 60 have their class by `ca` alone, so hardly any of the 40 drawn ones."""
    language = parse("regex[abc]:.*(ab|ca).*")
    sample = balance(language, 6_000, shortest=8, longest=14, seed=0)
    alone = np.array([(0, 1) not in itertools.pairwise(word) for word in words_of(sample)])
    rare = np.flatnonzero(alone & (sample.classes == 1))
    kept = np.setdiff1d(np.arange(len(sample)), rare[60:])
    found = fit_rule(Bench(SearchTask(sample.part(kept))), choose, count=40).language
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_counts_that_are_known_are_part_of_the_rule() -> None:
    language = parse("regex[abc]:((b|c)*a(b|c)*a(b|c)*a)*(b|c)*") & parse("regex[abc]:.*bb.*")
    sample = balance(language, 600, shortest=8, longest=14, seed=0)
    count = ValueAutomaton((np.arange(3)[:, None] + np.array([1, 0, 0, 0])) % 3, np.arange(3))
    found = fit_rule(Bench(SearchTask(sample), [count]), Combine(kind=windows(2)), count=400)
    assert found.language is not None
    assert found.language.difference(number_symbols(language)) is None


@pytest.mark.parametrize(("num_classes", "is_fitted"), [(4, True), (5, False)])
def test_more_classes_than_a_rule_has_values_are_left_alone(
    num_classes: int, is_fitted: bool
) -> None:
    words = list(itertools.product(range(3), repeat=5))
    classes = [2 * (0 in word) + (1 in word) for word in words]
    readings = Readings()
    task = SearchTask(Sample.of_words(words, classes, 3, num_classes), read=readings.read)
    bench, before = Bench(task), readings.symbols
    found = fit_rule(bench, Combine(kind=windows(1), most=2), count=400).language
    assert (found is not None) == is_fitted
    assert (readings.symbols > before) == is_fitted
    assert fit_rule(bench, Cover(kind=windows(1), covered=0), count=400).language is None


def test_wrong_labels_are_left_wrong() -> None:
    language = parse("regex[abc]:.*(ab|ca).*")
    sample = balance(language, 1_000, shortest=8, longest=14, seed=0)
    classes = sample.classes.copy()
    classes[::20] ^= 1
    noisy = Sample.of_words(words_of(sample), classes.tolist(), 3, 2)
    found = fit_rule(Bench(SearchTask(noisy, noise=0.05)), Combine(kind=windows(2)), count=800)
    assert found.language is not None
    assert found.language.difference(number_symbols(language)) is None


def test_a_language_of_too_many_states_is_not_returned() -> None:
    sample = sample_of("regex[abc]:.*ab.*")
    combine = Combine(kind=windows(2))
    assert (
        fit_rule(Bench(SearchTask(sample, max_states=3)), combine, count=400).language is not None
    )
    assert fit_rule(Bench(SearchTask(sample, max_states=2)), combine, count=400).language is None


def test_an_attempt_stops_when_the_time_is_used_up() -> None:
    language = subregular("TSL", seed=1)
    sample = balance(language, 400, shortest=20, longest=29, seed=0)

    cover = Cover(kind=windows(2), covered=0)
    with pytest.raises(AttemptLostError):
        fit_rule(
            Bench(SearchTask(sample, read=end_at_once)),
            cover,
            count=400,
            judge=Uncovered(kind=windows(2), covered=0),
        )


def test_words_have_the_values_of_counts_as_their_cells() -> None:
    sample = sample_of("regex[abc]:.*ab.*")
    count = ValueAutomaton((np.arange(3)[:, None] + np.array([1, 0, 0, 0])) % 3, np.arange(3))
    other = ValueAutomaton((np.arange(2)[:, None] + np.array([0, 1, 0, 0])) % 2, np.arange(2))
    words = Bench(SearchTask(sample), [count, other]).words
    assert words.num_cells == 6
    assert words.groups.tolist() == [
        2 * (2 * (word.count(0) % 3) + word.count(1) % 2) + label
        for word, label in zip(words_of(sample), sample.classes.tolist(), strict=True)
    ]


def test_literals_are_widened_to_clauses() -> None:
    language = parse("regex[abcd]:.*(aab|bba).*") & parse("regex[abcd]:.*(ccd|ddc).*")
    bench = Bench(SearchTask(balance(language, 1_500, shortest=20, longest=29, seed=0)))
    rules = Combine(kind=windows(3), most=2)(bench, bench.words, np.ones(4, dtype=bool))
    best = min(rules, key=lambda rule: len(bench.wrong(rule)))
    assert sorted(map(len, best.clauses)) == [2, 2]
    found = bench.attempt(best).language
    assert found is not None
    assert found.difference(number_symbols(language)) is None


def test_literals_are_chosen_again_beside_the_best_rule() -> None:
    """`ba` is as frequent in both classes until `cc` is known, so it does not grow at first."""
    language = parse("regex[abcd]:.*cc.*") ^ parse("regex[abcd]:.*b.*a.*b.*a.*")
    sample = balance(language, 1_200, shortest=9, longest=12, seed=0)
    bench, every = Bench(SearchTask(sample)), np.ones(4, dtype=bool)
    kind = patterns(4, 16, in_blocks=True)

    def fewest(again: int) -> int:
        choose = Combine(kind=kind, width=4, most=1, again=again)
        return min(len(bench.wrong(rule)) for rule in choose(bench, bench.words, every))

    assert fewest(3) < fewest(0)


@pytest.mark.parametrize("seed", range(2))
def test_a_literal_of_two_clauses_is_numbered_once(seed: int) -> None:
    draw = np.random.default_rng(seed)
    labels: dict[tuple[int, ...], int] = {}
    for symbol, count, share in [
        (0, 300, 0.92),
        *((y, 25, 0.66) for y in range(1, 7)),
        (7, 600, 0.02),
    ]:
        for _ in range(count):
            word = draw.integers(7, 10, 12)
            word[draw.integers(12)] = symbol
            labels[tuple(word.tolist())] = int(draw.random() < share)
    bench = Bench(SearchTask(Sample.of_words(list(labels), list(labels.values()), 10, 2)))
    choose = Combine(kind=patterns(1, 8_000, in_blocks=False), width=8, most=1, again=3)
    rules = choose(bench, bench.words, np.ones(10, dtype=bool))
    best = min(rules, key=lambda rule: len(bench.wrong(rule)))
    assert {Literal(((symbol,),)) for symbol in range(7)} <= set(itertools.chain(*best.clauses))
