"""The portfolio: what it keeps, when it ends, and how it goes on."""

import itertools
import math
from dataclasses import dataclass, field, replace
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import (
    ANSWERS,
    EVERY,
    FIVE,
    MACHINES,
    Readings,
    balance,
    draw_long_words,
    enlarge,
    machine,
    number_symbols,
    sample_of,
    samples,
)
from lengthwise.inference import portfolio
from lengthwise.inference.judge import Judge, label_bits
from lengthwise.inference.portfolio import SearchState, search_automaton
from lengthwise.inference.reducing import reduce_states
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask
from lengthwise.inference.state_merging import StateMerging
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from ordinary import few
from strategies import minimal_automaton

EVEN = machine([[1, 0], [0, 1]], [0, 1])
TWICE = machine([[(n + 1) % 14, n] for n in range(14)], [1, 0, 0, 0, 0, 0, 0] * 2)
DOUBLED = machine([[1, 0], [2, 3], [3, 0], [0, 1]], [0, 1, 0, 1])
CONSTANT = machine([[0, 0]], [0])


MERGING = (StateMerging(),)


def none_of(sample: Sample) -> Sample:
    return sample.part(np.zeros(0, dtype=np.int64))


SEVENTH = machine([[(n + 1) % 7, n] for n in range(7)], [1, 0, 0, 0, 0, 0, 0])


def words_of_one_length(count: int, language: Language = EVEN, seed: int = 0) -> Judge:
    """Words of one length, with their classes."""
    draw = np.random.default_rng(seed)
    some = {tuple(draw.integers(2, size=12).tolist()) for _ in range(2 * count)}
    words = sorted(some)[:count]
    sample = Sample.of_words(words, [language.classify(word) for word in words], 2, 2)
    mask = np.arange(len(sample)) % 10 == 0
    return Judge(sample.part(~mask), sample.part(mask))


@dataclass
class Says(Searcher):
    """Says what it is given, an attempt each; each reads as many symbols as `work`."""

    name: str
    says: list[Language | None]
    work: int = 10
    size: float = math.inf
    asked: list[int] = field(default_factory=list)

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        task.read(0)
        self.asked.append(number)
        if number == len(self.says):
            return None
        task.read(self.work)
        return Attempt(self.says[number], self.size)


@settings(max_examples=few(15, 60))
@given(st.integers(0, len(MACHINES) - 1))
def test_complete_words_give_the_smallest_machine_that_fits(index: int) -> None:
    sample = sample_of(EVERY, ANSWERS[index].tolist())
    best = search_automaton(Judge(sample, none_of(sample)), max_states=50, searchers=MERGING).best
    fits = np.flatnonzero((ANSWERS[index] == ANSWERS).all(axis=1))
    smallest = min((MACHINES[each].minimise() for each in fits), key=lambda one: one.num_states)
    assert best is not None
    assert best.language == smallest


@given(samples())
def test_the_best_is_never_a_longer_description_than_the_commonest_label(sample: Sample) -> None:
    mask = np.arange(len(sample)) % 3 == 0
    judge = Judge(sample.part(~mask), sample.part(mask))
    found = search_automaton(judge, searchers=MERGING)
    best = found.best
    assert best is not None
    common = int(judge.train.shares.argmax())
    constant = judge(machine([[0, 0]], [common]), "")
    assert best.rank(0.0) <= constant.rank(0.0)
    assert best.wrong == int((answers_of(best.language, judge.train) != judge.train.classes).sum())


def test_the_searcher_that_has_read_least_is_asked_next() -> None:
    slow, fast = Says("slow", [CONSTANT] * 3, work=100), Says("fast", [CONSTANT] * 9, work=30)
    found = search_automaton(words_of_one_length(100), searchers=[slow, fast])
    assert found.end == "exhausted"
    assert found.work == {"slow": 300, "fast": 270}
    assert found.attempts == {"slow": -1, "fast": -1}
    assert slow.asked == list(range(4))
    assert fast.asked == list(range(10))


def test_an_attempt_that_reads_too_much_is_made_again_after_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "_TURN", 100)
    large, small = Says("large", [CONSTANT] * 2, work=900), Says("small", [CONSTANT] * 300)
    found = search_automaton(words_of_one_length(100), searchers=[large, small])
    assert large.asked == [0, 0, 0, 1, 2]  # 100 and 400 symbols were too few, 1,600 are enough
    assert found.work == {"large": 100 + 400 + 2 * 900, "small": 3_000}
    assert found.turns == {"large": 1_600}
    kept = SearchState.from_dict(found.to_dict(), words_of_one_length(100))
    assert kept == found
    alone = Says("alone", [CONSTANT], work=900)
    search_automaton(words_of_one_length(100), searchers=[alone])
    assert alone.asked == [0, 1]


def test_a_late_searcher_begins_when_the_others_have_read_as_much() -> None:
    order: list[str] = []

    class Noted(Says):
        def attempt(self, number: int, task: SearchTask) -> Attempt | None:
            order.append(self.name)
            return super().attempt(number, task)

    class Late(Noted):
        late = 55

    searchers = (Late("late", [CONSTANT] * 2, work=20), Noted("early", [CONSTANT] * 9))
    found = search_automaton(words_of_one_length(100), searchers=searchers)
    assert order[:9] == ["early"] * 6 + ["late"] + ["early"] * 2
    assert found.work == {"late": 40, "early": 90}


def test_the_search_ends_when_all_others_have_read_as_much() -> None:
    """Words of one length do not prove that there is none smaller."""
    one, other = Says("one", [CONSTANT, SEVENTH] + [None] * 50), Says("other", [None] * 50)
    found = search_automaton(words_of_one_length(400, SEVENTH), searchers=[one, other])
    assert found.best is not None
    assert (found.end, found.best.language, found.best.searcher) == ("explained", SEVENTH, "one")
    assert found.work_at_best == 20
    assert found.work == {"one": 20, "other": 20}


def test_a_late_searcher_counts_as_one_that_has_read_as_much() -> None:
    class Late(Says):
        late = 55

    one, late = Says("one", [CONSTANT, SEVENTH] + [None] * 50), Late("late", [None] * 50)
    found = search_automaton(words_of_one_length(400, SEVENTH), searchers=[one, late])
    assert (found.end, found.work, late.asked) == ("explained", {"one": 20}, [])


@pytest.mark.parametrize("language", [EVEN, DOUBLED])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_labels_may_be_wrong_the_search_ends_once_no_change_saves_bits(
    language: Language, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An automaton with more states than are needed loses them; the more words it misjudges, the
    more the others read."""
    monkeypatch.setattr(portfolio, "_WORK_IF_SETTLED", 50)
    judge = draw(EVEN, 2_000, seed, 0.02)
    searchers = [Says("one", [language], work=30), other := Says("other", [CONSTANT] * 99)]
    state = search_automaton(judge, searchers=searchers)
    assert state.end == "explained"
    assert state.best is not None
    assert state.best.language == EVEN
    wrong = state.best.wrong + state.best.wrong_in_validation
    count = len(judge.train) + len(judge.valid)
    deviations = max((wrong - 0.02 * count) / math.sqrt(0.02 * 0.98 * count), 0)
    doubt = math.exp(deviations**2 / 2) * (1 + 20 * judge.share(state.best))
    assert len(other.asked) == math.ceil(5 * doubt)  # ten symbols at a time
    monkeypatch.setattr(portfolio, "settle", lambda task: None)
    again = Says("other", [CONSTANT] * 99)
    search_automaton(judge, searchers=[searchers[0], again])
    assert len(again.asked) == 100


def test_several_searchers_are_asked_after_an_automaton_that_is_settled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that reads much, and finds nothing, counts as a quarter of what is read."""
    monkeypatch.setattr(portfolio, "_WORK_IF_SETTLED", 50)
    searchers = [Says(name, [CONSTANT] * 99, work=10_000) for name in "abcdef"]
    found = [Says("one", [EVEN], work=30), *searchers]
    assert search_automaton(draw(EVEN, 2_000, 1, 0.02), searchers=found).end == "explained"
    assert [each.asked for each in searchers] == [[0]] * 4 + [[]] * 2


def test_what_changes_to_something_worse_or_explains_nothing_is_not_settled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "_WORK_IF_SETTLED", 0)
    settled = [(CONSTANT, 2_000), (EVEN, 8), (EVEN, 2_000)]  # of 8 words EVEN saves too few bits
    for number, (language, count) in enumerate(settled):
        monkeypatch.setattr(portfolio, "settle", lambda task, language=language: language)
        other = Says("other", [CONSTANT] * 9)
        state = search_automaton(draw(EVEN, count, 1, 0.02), searchers=[Says("one", [EVEN]), other])
        assert state.best is not None
        assert state.best.language == EVEN
        assert (len(other.asked) < 10) == (number == 2)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_best_automaton_loses_the_states_that_no_word_tells_apart(noise: float) -> None:
    sample, mask = draw_long_words(FIVE, 2_000, 1, noise), np.arange(2_000) % 10 == 0
    judge = Judge(sample.part(~mask), sample.part(mask), noise)
    found = search_automaton(judge, searchers=[Says("one", [enlarge(FIVE, 5, 0)])])
    assert found.best is not None
    assert found.best.language.num_states <= 5
    assert found.best.searcher == "one"


def test_each_smaller_automaton_has_a_turn_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a search that was stopped between two of them finds the same."""
    sample, large = draw_long_words(FIVE, 1_000, 1, 0.0), enlarge(FIVE, 6, 0)
    readings, steps = Readings(), [0]
    for _ in reduce_states(large, SearchTask(sample, read=readings.read)):
        steps.append(readings.symbols)
    most = int(np.diff([*steps, readings.symbols]).max())
    assert readings.symbols > 2 * most
    judge = Judge(sample, none_of(sample))
    for turn, least in ((most, 5), (int(np.diff(steps)[0]) - 1, large.num_states)):
        monkeypatch.setattr(portfolio, "_TURN", turn)
        state = search_automaton(judge, searchers=[Says("one", [large])])
        assert state.best is not None
        assert state.best.language.num_states == least


def test_the_commonest_label_is_never_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 labels 18 differ from it, and 20 may be wrong."""
    monkeypatch.setattr(portfolio, "_WORK_IF_SETTLED", 0)
    words = list(itertools.product((0, 1), repeat=7))[:100]
    train, valid = (sample_of(words, [0] * (100 - n) + [1] * n) for n in (12, 6))
    judge = Judge(train, valid, 0.1)
    assert judge.explains(judge(CONSTANT, ""))
    other = Says("other", [CONSTANT] * 9)
    search_automaton(judge, searchers=[other])
    assert len(other.asked) == 10


def test_a_rule_of_few_bits_goes_before_an_automaton_of_more() -> None:
    rule, other = Says("rule", [SEVENTH], size=5.0), Says("other", [TWICE, TWICE])
    found = search_automaton(words_of_one_length(400, SEVENTH), searchers=[other, rule])
    assert found.best is not None
    assert (found.best.searcher, found.best.size) == ("rule", 5.0)
    stored = SearchState.from_dict(found.to_dict(), words_of_one_length(400, SEVENTH))
    assert stored.best == found.best


def test_an_automaton_that_only_repeats_the_words_does_not_explain_them() -> None:
    judge = words_of_one_length(60)
    words = [*(judge.train.word(row) for row in range(len(judge.train)))]
    states: dict[tuple[int, ...], int] = {(): 0}
    for word in words:
        for end in range(1, len(word) + 1):
            states.setdefault(word[:end], len(states))
    moves = [[0, 0] for _ in states]
    for prefix, state in states.items():
        for symbol in (0, 1):
            moves[state][symbol] = states.get((*prefix, symbol), 0)
    classes = [0] * len(states)
    for word, label in zip(words, judge.train.classes.tolist(), strict=True):
        classes[states[word]] = label
    tree = judge(machine(moves, classes), "")
    assert tree.wrong == 0
    assert not judge.explains(tree)
    assert judge.explains(judge(EVEN, ""))
    assert not judge.explains(judge(CONSTANT, ""))


def test_without_noise_an_automaton_that_fits_goes_before_a_shorter_one() -> None:
    judge = words_of_one_length(40)
    both = search_automaton(judge, searchers=[Says("a", [CONSTANT, EVEN, CONSTANT])]).best
    assert both is not None
    assert both.language == EVEN


def test_more_states_than_allowed_are_not_kept() -> None:
    found = search_automaton(words_of_one_length(40), searchers=[Says("a", [EVEN])], max_states=1)
    assert found.best is not None
    assert found.best.language.num_states == 1


@pytest.mark.parametrize("turn", [5, 1_000])
def test_a_search_goes_on_where_it_ended(turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "_TURN", turn)  # 5 symbols are too few for the first attempts
    judge, kept = words_of_one_length(400, SEVENTH), list[dict[str, object]]()
    says = Says("a", [CONSTANT, None, SEVENTH, None, None, None, None])
    other = Says("other", [None] * 9)
    whole = search_automaton(judge, searchers=[says, other])
    assert (whole.end, sum(whole.work.values())) == ("explained", 60 if turn > 5 else 70)
    for ends in range(1, 4):
        kept.clear()

        def keep(state: SearchState, last: int = ends) -> None:
            kept.append(state.to_dict())
            if len(kept) == last:
                raise KeyboardInterrupt

        stopped = search_automaton(judge, searchers=[says, other], keep=keep)
        assert stopped.end == "stopped"
        state = SearchState.from_dict(kept[-1], judge)
        says.asked.clear()
        again = search_automaton(judge, searchers=[says, other], state=state)
        assert turn == 5 or says.asked[:1] in ([(ends + 1) // 2], [])
        assert replace(again, seconds=0.0) == replace(whole, seconds=0.0)


def test_a_search_without_time_keeps_the_commonest_label() -> None:
    found = search_automaton(words_of_one_length(40), searchers=[Says("a", [EVEN])], budget=0)
    assert found.end == "out of time"
    assert found.best is not None
    assert found.best.searcher == "the commonest label"


def test_the_budget_ends_an_attempt_midway() -> None:
    class Endless(Searcher):
        name = "endless"

        def attempt(self, number: int, task: SearchTask) -> Attempt | None:
            while True:
                task.read(1)

    found = search_automaton(words_of_one_length(40), searchers=[Endless()], budget=0.05)
    assert (found.end, found.attempts) == ("out of time", {})
    assert found.seconds > 0.05


def test_a_searcher_is_not_asked_for_more_classes_than_it_can_tell_apart() -> None:
    class TwoClasses(Says):
        most_classes = 2

    words = [(symbol,) * length for symbol in (0, 1) for length in range(1, 10)]
    sample = Sample.of_words(words, [len(word) % 3 for word in words], 2, 3)
    two, more = TwoClasses("two", [CONSTANT]), Says("more", [CONSTANT])
    found = search_automaton(Judge(sample, none_of(sample)), searchers=[two, more])
    assert (found.end, two.asked, more.asked) == ("exhausted", [], [0, 1])


def test_words_of_one_class_need_no_attempt() -> None:
    sample = sample_of([(0,), (1,), (0, 1)], [1, 1, 1])
    says = Says("a", [EVEN])
    found = search_automaton(Judge(sample, none_of(sample)), searchers=[says])
    assert (found.end, says.asked) == ("explained", [])


@given(st.integers(0, 40), st.integers(40, 60), st.integers(2, 4))
def test_the_bits_of_labels_are_those_of_a_code(wrong: int, count: int, classes: int) -> None:
    plain = log2(count + 1) + log2(comb(count, wrong)) + wrong * log2(classes - 1)
    assert label_bits(wrong, count, classes, 0.0) == pytest.approx(plain, abs=1e-6)
    likely = math.prod([0.1 / (classes - 1)] * wrong + [0.9] * (count - wrong))
    assert label_bits(wrong, count, classes, 0.1) == pytest.approx(-log2(likely))


def draw(language: Language, count: int, seed: int, noise: float) -> Judge:
    """Uniform words of up to 20 symbols, a share of whose labels is wrong, in two parts."""
    draw = np.random.default_rng(seed)
    words = {
        tuple(draw.integers(0, language.num_symbols, draw.integers(0, 21)).tolist())
        for _ in range(count)
    }
    ordered = sorted(words)
    labels = [language.classify(word) ^ int(draw.random() < noise) for word in ordered]
    sample = sample_of(ordered, labels, language.num_symbols)
    mask = draw.random(len(sample)) < 0.1
    return Judge(sample.part(~mask), sample.part(mask), noise)


@pytest.mark.slow_except("2001-0.0", "2003-0.0")
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("seed", [2_001, 2_003])
def test_the_language_is_found_where_labels_are_wrong(seed: int, noise: float) -> None:
    language = minimal_automaton(seed)
    found = search_automaton(
        draw(language, 4_000, seed, noise), max_states=100, searchers=MERGING
    ).best
    assert found is not None
    assert found.language.transitions == language.minimise().transitions
    assert found.language.classes == language.minimise().classes


def test_a_searcher_of_three_shares_makes_three_times_as_many_attempts() -> None:
    order: list[str] = []

    class Noted(Says):
        def attempt(self, number: int, task: SearchTask) -> Attempt | None:
            order.append(self.name)
            return super().attempt(number, task)

    class NotedOften(Noted):
        share = 3.0

    searchers = (Noted("one", [None] * 5), NotedOften("often", [None] * 40))
    search_automaton(words_of_one_length(40), searchers=searchers)
    assert order[:16].count("often") == 12


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["a.*b|[bcd].*[acd]|[cd]", "[acd]*b[acd]*", "(ab)?[acd]*b?"])
def test_languages_of_a_published_report_are_found_from_as_many_words(expression: str) -> None:
    """Its LSTMs learn the first, and not the others; no word shows what shorter ones are."""
    language = number_symbols(parse(f"regex[abcd]:{expression}").minimise())
    sample = balance(language, 10_000, shortest=10, longest=19, seed=0)
    mask = np.arange(len(sample)) % 10 == 0
    best = search_automaton(Judge(sample.part(~mask), sample.part(mask))).best
    assert best is not None
    found, pairs = best.language, {(language.start, best.language.start)}
    for length in range(11 + language.num_states * found.num_states):
        if length >= 10:
            assert all(language.classes[one] == found.classes[other] for one, other in pairs)
        pairs = {
            (language.transitions[one][symbol], found.transitions[other][symbol])
            for one, other in pairs
            for symbol in range(4)
        }
