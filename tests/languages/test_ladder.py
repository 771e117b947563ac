"""The ladder against second definitions (`ladder_oracles`), and its witnesses one by one."""

import itertools
import json
import random
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ladder_oracles as oracles
from ladder_checks import ON_A_TIER, check_witnesses, draw_automaton, inclusions, some_width
from ladder_oracles import Naive
from lengthwise.languages.describe import describe
from lengthwise.languages.groups import group
from lengthwise.languages.ladder import RUNGS, Ladder, ladder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.subsequences import decides, piecewise_testable, subsequence_depth
from lengthwise.languages.verdicts import LadderSubject, Verdict
from strategies import all_words, machines, machines_with_domain, recognisers

Word = tuple[int, ...]

EQUATIONS: dict[str, Callable[[Naive], bool]] = {
    "finite": oracles.finite,
    "co_finite": lambda naive: oracles.finite(naive, 0),
    "definite": oracles.definite,
    "reverse_definite": oracles.reverse_definite,
    "generalised_definite": oracles.generalised_definite,
    "locally_testable": oracles.locally_testable,
    "threshold_testable": oracles.threshold_testable,
    "piecewise_testable": oracles.j_trivial,
    "r_trivial": oracles.r_trivial,
    "l_trivial": oracles.l_trivial,
    "da": oracles.da,
    "r_infinity": oracles.r_infinity,
    "dot_depth_one": oracles.dot_depth_one,
    "star_free": oracles.aperiodic,
    "group": oracles.group,
}


@cache
def small_automata() -> Sequence[Language]:
    """Every minimal automaton of up to three states over two symbols, once."""
    found: dict[Language, None] = {}
    for size in range(1, 4):
        rows = itertools.product(range(size), repeat=2)
        for table in itertools.product(list(rows), repeat=size):
            for classes in itertools.product((0, 1), repeat=size):
                machine = Language(alphabet=("a", "b"), transitions=table, classes=classes)
                found[machine.minimise()] = None
    return tuple(found)


def disagreements(language: Language, found: Ladder, naive: Naive) -> list[str]:
    """The classes on which the second definitions disagree."""
    wrong = [key for key, holds in EQUATIONS.items() if found[key].holds is not holds(naive)]
    if found["strictly_piecewise"].holds is not oracles.strictly_piecewise(language):
        wrong.append("strictly_piecewise")
    if found["co_strictly_piecewise"].holds is not oracles.strictly_piecewise(~language):
        wrong.append("co_strictly_piecewise")
    for key, holds in ON_A_TIER.items():
        if found[key].holds is not oracles.on_some_tier(language, holds):
            wrong.append(key)
    if found["c_rasp"].holds is not oracles.c_rasp(language):
        wrong.append("c_rasp")
    if found["r_trivial"].holds is not oracles.loops_only(naive.machine):
        wrong.append("r_trivial")
    if found["l_trivial"].holds is not oracles.reversal_is_r_trivial(language):
        wrong.append("l_trivial")
    return wrong + inclusions(found)


def check_strictly_local(language: Language, verdict: Verdict) -> bool:
    if verdict.holds:
        k = verdict.numbers["k"]
        assert isinstance(k, int)
        return oracles.strictly_local(language, k) and not (
            k > 1 and oracles.strictly_local(language, k - 1)
        )
    return not some_width(language)


def test_some_automata_of_three_states_agree_with_the_second_definitions() -> None:
    for language in random.Random(3).sample(small_automata(), 40):
        found = ladder(language)
        assert not disagreements(language, found, Naive(language))
        assert check_strictly_local(language, found["strictly_local"])


@pytest.mark.slow
def test_all_automata_of_three_states_agree_with_the_second_definitions() -> None:
    assert len(small_automata()) == 1054
    for language in small_automata():
        found = ladder(language)
        assert not disagreements(language, found, Naive(language)), language
        assert check_strictly_local(language, found["strictly_local"]), language
        check_witnesses(language, found)


MOST_ELEMENTS = 150
MOST_KNAST = 3_000_000


def compare_drawn(count: int, seed: int) -> dict[str, int]:
    """Compare so many random automata; return how often each class holds."""
    generator, tally = random.Random(seed), dict.fromkeys([*EQUATIONS, "c_rasp", "compared"], 0)
    for _ in range(count):
        language = draw_automaton(generator)
        found = ladder(language)
        assert not inclusions(found), language
        assert found["c_rasp"].holds is oracles.c_rasp(language), language
        assert found["r_trivial"].holds is oracles.loops_only(language), language
        assert found["strictly_piecewise"].holds is oracles.strictly_piecewise(language)
        for key in tally:
            tally[key] += key != "compared" and bool(found[key].holds)
        try:
            naive = Naive(language, MOST_ELEMENTS)
        except OverflowError:
            continue
        tally["compared"] += 1
        for key, holds in EQUATIONS.items():
            if key != "dot_depth_one" or oracles.knast_work(naive) <= MOST_KNAST:
                assert found[key].holds is holds(naive), (key, language)
    return tally


def test_random_automata_agree_with_the_second_definitions() -> None:
    compare_drawn(25, seed=1)


@pytest.mark.slow
def test_ten_thousand_random_automata_agree_with_the_second_definitions() -> None:
    tally = compare_drawn(10_000, seed=30)
    assert min(tally.values()) >= 100, tally


@pytest.mark.parametrize("spec", ["regex:c*a(a|b|c)*", "regex:(a|b|c)*ac*"])
def test_the_first_or_the_last_of_some_symbols_is_not_seen_in_windows(spec: str) -> None:
    """The local monoid of c has two L-related elements, or two R-related ones, and no others."""
    verdict = ladder(parse(spec))["locally_testable"]
    assert verdict.holds is False is oracles.locally_testable(Naive(parse(spec)))
    check_witnesses(parse(spec), ladder(parse(spec)))


# ---- C-RASP -----------------------------------------------------------------------------------


@given(recognisers(max_states=4), recognisers(max_states=4))
def test_programs_can_be_combined(one: Language, two: Language) -> None:
    """C-RASP is closed under Boolean operations, and so are the classes that are varieties."""
    first, second = ladder(one), ladder(two)
    for key in ("c_rasp", "r_trivial", "da", "star_free", "dot_depth_one", "locally_testable"):
        if first[key].holds and second[key].holds:
            assert ladder(one ^ two)[key].holds


# ---- witnesses --------------------------------------------------------------------------------


def test_witnesses_of_some_automata_of_three_states() -> None:
    for language in random.Random(4).sample(small_automata(), 40):
        check_witnesses(language, ladder(language))


@given(recognisers(alphabet="abc", max_states=5))
def test_witnesses_show_what_they_say(language: Language) -> None:
    check_witnesses(language, ladder(language))


@pytest.mark.parametrize("name", ["A5", "S5", "A6"])
def test_three_words_show_that_a_group_is_not_solvable(name: str) -> None:
    language = group(name, generators=3)
    verdict = ladder(language)["solvable"]
    assert verdict.holds is False
    states = list(range(language.num_states))

    def move(word: Word, times: int = 1) -> list[int]:
        return [language.run(word * times, state) for state in states]

    words = [word.at(1) for word in verdict.words]
    orders = [next(n for n in range(1, 99) if move(word, n) == states) for word in words]
    assert all(order > 1 for order in orders)
    assert all(np.gcd(a, b) == 1 for a, b in itertools.combinations(orders, 2))
    assert move(sum(words, ())) == states


@given(recognisers(alphabet="ab", max_states=5))
def test_the_least_widths_are_the_least(language: Language) -> None:
    """By all words of up to 8 symbols: what the width is said to decide, decides."""
    machine = language.minimise()
    found = ladder(machine)
    words = all_words(machine, 8)

    def tell(look: Callable[[Word], object]) -> bool:
        seen: dict[object, int] = {}
        for word in words:
            c = machine.classes[machine.run(word)]
            if seen.setdefault(look(word), c) != c:
                return False
        return True

    views: dict[str, Callable[[int], Callable[[Word], object]]] = {
        "definite": lambda k: lambda w: w[max(0, len(w) - k) :],
        "reverse_definite": lambda k: lambda w: w[:k],
        "locally_testable": lambda k: lambda w: oracles.windows_of(w, k),
        "piecewise_testable": lambda k: lambda w: oracles.subsequences_of(w, k),
    }
    for key, view in views.items():
        k = found[key].numbers.get("k")
        if isinstance(k, int) and k <= 3:
            assert tell(view(k)), (key, k)
            assert k <= 1 or not tell(view(k - 1)), (key, k)
    widths = found["generalised_definite"].numbers
    if widths:
        first, last = widths["first"], widths["last"]
        assert isinstance(first, int)
        assert isinstance(last, int)
        words = [word for word in words if len(word) >= first + last]
        assert tell(lambda w: (w[:first], w[len(w) - last :]))


def test_subsequences_up_to_the_depth_decide() -> None:
    """The bound of Klíma and Polák (2013), on all piecewise testable automata of three states."""
    for language in small_automata():
        subject = LadderSubject(language)
        if piecewise_testable(subject).holds:
            k = subsequence_depth(subject)

            def read(seen: frozenset[Word], symbol: int, k: int = k) -> frozenset[Word]:
                return seen | {(*w, symbol) for w in (*seen, ()) if len(w) < k}

            assert decides(language, frozenset[Word](), read)


# ---- numbers ----------------------------------------------------------------------------------


# ---- what is said -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "rung", "missed"),
    [
        ("regex:(ab)*", "c_rasp", "r_trivial"),
        ("parity", "solvable", "star_free"),
        ("d-2", "c_rasp", "r_trivial"),
        ("tomita-4", "star_free", "c_rasp"),
        ("group:A5", "regular", "solvable"),
        ("regex:.*a.*b.*", "r_trivial", "generalised_definite"),
        ("even-pairs", "generalised_definite", None),
    ],
)
def test_the_shallowest_rung_is_named(spec: str, rung: str, missed: str | None) -> None:
    found = parse(spec).ladder()
    assert found.rung.key == rung
    assert (found.missed.key if found.missed else None) == missed
    assert found.rung.network in str(found)


def test_past_the_bound_of_the_monoid_the_automaton_still_decides() -> None:
    found = ladder(parse("d-12"), max_elements=100)
    for key in ("star_free", "r_infinity", "solvable"):
        assert found[key].holds is None
        assert "at most 100 elements" in found[key].says
    for key in ("l_trivial", "da"):
        assert found[key].holds is False
    check_witnesses(parse("d-12"), found)
    assert found["c_rasp"].holds is True
    assert found["r_trivial"].holds is False
    assert found["group"].holds is False
    assert found.rung.key == "c_rasp"
    assert found.complexity is None
    unknown = ladder(parse("tomita-4"), max_elements=2)
    assert unknown.rung.key == "regular"
    assert unknown.open == ("star_free", "solvable")
    assert "not known to be solvable" in str(unknown)


@given(st.one_of(machines_with_domain(), machines(max_states=4)))
def test_the_ladder_of_any_language_is_ready_for_json(language: Language) -> None:
    description = describe(language)
    assert json.loads(json.dumps(description)) == description
    assert set(description["ladder"]) == set(description["ladder_witnesses"])
    assert {"r_trivial", "c_rasp", "r_infinity", "star_free", "solvable"} <= set(
        description["ladder"]
    )
    assert all(rung.key in description["ladder"] for rung in RUNGS)


def test_with_one_symbol_the_width_is_that_of_the_definition() -> None:
    """Every language of one symbol whose automaton is at most seven states in a row."""
    for size in range(1, 8):
        words = [(0,) * length for length in range(2 * size + 2)]
        steps = tuple((min(n + 1, size - 1),) for n in range(size))
        for classes in itertools.product((0, 1), repeat=size):
            machine = Language(alphabet=("a",), transitions=steps, classes=classes)
            for k in itertools.count(1):
                seen: dict[object, set[int]] = {}
                for word in words:
                    of_windows = seen.setdefault(oracles.windows_of(word, k), set())
                    of_windows.add(machine.classify(word))
                if all(len(each) == 1 for each in seen.values()):
                    break
            assert ladder(machine)["locally_testable"].numbers["k"] == k


@pytest.mark.slow
def test_a_long_word_of_one_symbol_is_described_at_once() -> None:
    assert ladder(parse("regex:a{3000}"))["locally_testable"].numbers["k"] == 3001
