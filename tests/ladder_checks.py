"""Checks of the verdicts of the ladder and of their witnesses, shared by its tests."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import ladder_oracles as oracles
from ladder_oracles import Naive
from lengthwise.languages.ladder import Ladder
from lengthwise.languages.language import Language

Word = tuple[int, ...]

MOST_WIDTH = 5


def some_width(language: Language) -> bool:
    """Strictly k-local for some k that is tried."""
    return any(oracles.strictly_local(language, k) for k in range(1, MOST_WIDTH + 1))


ON_A_TIER: dict[str, Callable[[Language], bool]] = {
    "tier_strictly_local": some_width,
    "tier_co_strictly_local": lambda language: some_width(~language),
    "tier_locally_testable": lambda language: oracles.locally_testable(Naive(language)),
    "tier_threshold_testable": lambda language: oracles.threshold_testable(Naive(language)),
    "tier_dot_depth_one": lambda language: oracles.dot_depth_one(Naive(language)),
}


def draw_automaton(generator: random.Random) -> Language:
    """A minimal automaton of up to 8 states; half of them mostly move on, so that the classes that
    uniform tables hardly ever reach occur.
    """
    size, symbols = generator.randint(2, 8), generator.randint(1, 3)
    shape = generator.choice(["any", "near", "forward", "sink"])

    def target(state: int) -> int:
        near = min(max(state + generator.choice([-1, 0, 1]), 0), size - 1)
        return {
            "any": generator.randrange(size),
            "near": near,
            "forward": generator.randrange(state, size),
            "sink": generator.choice([size - 1, near]),
        }[shape]

    table = tuple(tuple(target(state) for _ in range(symbols)) for state in range(size))
    classes = tuple(generator.randint(0, 1) for _ in range(size))
    return Language(alphabet=tuple("abc"[:symbols]), transitions=table, classes=classes).minimise()


def inclusions(found: Ladder) -> list[str]:
    """Pairs of classes, one inside the other, on which the answers contradict that."""
    inside = [
        ("finite", "definite"),
        ("finite", "reverse_definite"),
        ("definite", "generalised_definite"),
        ("reverse_definite", "generalised_definite"),
        ("finite", "strictly_local"),
        ("co_finite", "co_strictly_local"),
        ("generalised_definite", "locally_testable"),
        ("strictly_local", "locally_testable"),
        ("co_strictly_local", "locally_testable"),
        ("tier_strictly_local", "tier_locally_testable"),
        ("tier_co_strictly_local", "tier_locally_testable"),
        ("tier_locally_testable", "tier_threshold_testable"),
        ("tier_threshold_testable", "tier_dot_depth_one"),
        ("tier_dot_depth_one", "star_free"),
        *((key, f"tier_{key}") for key in found if f"tier_{key}" in found),
        ("locally_testable", "threshold_testable"),
        ("threshold_testable", "star_free"),
        ("threshold_testable", "dot_depth_one"),
        ("strictly_piecewise", "piecewise_testable"),
        ("co_strictly_piecewise", "piecewise_testable"),
        ("piecewise_testable", "r_trivial"),
        ("piecewise_testable", "l_trivial"),
        ("piecewise_testable", "dot_depth_one"),
        ("r_trivial", "da"),
        ("r_trivial", "c_rasp"),
        ("c_rasp", "r_infinity"),
        ("r_infinity", "star_free"),
        ("da", "star_free"),
        ("dot_depth_one", "star_free"),
        ("star_free", "solvable"),
    ]
    return [f"{a} in {b}" for a, b in inside if found[a].holds and found[b].holds is False]


def pieces(word: Word, width: int, k: int) -> set[tuple[Word, ...]]:
    """The windows of a width and their pairs in order, without overlap."""
    windows = [word[i : i + width] for i in range(len(word) - width + 1)]
    first = {window: i for i, window in reversed(list(enumerate(windows)))}
    last = {window: i for i, window in enumerate(windows)}
    singles = {(window,) for window in last}
    pairs = {(u, v) for u, i in first.items() for v, j in last.items() if j >= i + width}
    return singles | (pairs if k > 1 else set())


def counts(word: Word) -> dict[Word, int]:
    """The numbers of windows of two symbols, up to 3."""
    found = Counter(itertools.pairwise(word))
    return {window: min(number, 3) for window, number in found.items()}


ALIKE: dict[str, Callable[[Word, Word], bool]] = {
    "definite": lambda u, v: u[-4:] == v[-4:],
    "reverse_definite": lambda u, v: u[:4] == v[:4],
    "generalised_definite": lambda u, v: u[:4] == v[:4] and u[-4:] == v[-4:],
    "locally_testable": lambda u, v: oracles.windows_of(u, 4) == oracles.windows_of(v, 4),
    "threshold_testable": lambda u, v: counts(u) == counts(v),
    "piecewise_testable": lambda u, v: pieces(u, 1, 2) == pieces(v, 1, 2),
    "dot_depth_one": lambda u, v: pieces(u, 4, 2) == pieces(v, 4, 2),
}


def check_witnesses(language: Language, found: Ladder) -> None:
    """Every refusal names words that show it, for small and for large m."""
    machine = language.minimise()
    for key, verdict in found.verdicts.items():
        if verdict.holds is not False:
            continue
        said = [word.format(machine) for word in verdict.words]
        assert all(text in verdict.says for text in said), (key, verdict)
        way = key.removeprefix("tier_")
        inside = int(not way.startswith("co_"))
        for m in (1, 2, 5):
            words = [word.at(m) for word in verdict.words]
            classes = [machine.classes[machine.run(word)] for word in words]
            if way != key:
                words = [off_the_rest(machine, word) for word in words]
                assert classes == [machine.classes[machine.run(word)] for word in words]
            if key in ("finite", "co_finite"):
                assert classes == [inside]
            elif way in ("strictly_local", "co_strictly_local"):
                assert classes == [inside, inside, 1 - inside]
                if m == 5:
                    there = set().union(*(oracles.windows_of(w, 4)[2] for w in words[:2]))
                    assert oracles.windows_of(words[2], 4)[2] <= there
            elif way in ("strictly_piecewise", "co_strictly_piecewise"):
                assert classes == [inside, 1 - inside]
                assert words[1] in set(itertools.combinations(words[0], len(words[1])))
            elif key == "group":
                befores = [machine.run(word[:-1]) for word in words]
                assert machine.run(words[0]) == machine.run(words[1])
                assert befores[0] != befores[1]
            elif key == "solvable":
                continue
            else:
                assert len(set(classes)) == 2, (key, verdict)
                if m == 5 and way in ALIKE:
                    assert ALIKE[way](*words), (key, verdict)


def off_the_rest(machine: Language, word: Word) -> Word:
    """The word without the symbols that change no state of a minimal automaton: any of them,
    removed, changes no class.
    """
    idle = {a for a in word if all(row[a] == s for s, row in enumerate(machine.transitions))}
    return tuple(a for a in word if a not in idle)


def with_idle_symbol(language: Language) -> Language:
    """The same language with one more symbol, which is skipped."""
    return replace(
        language,
        alphabet=(*language.alphabet, "idle"),
        transitions=tuple((*row, state) for state, row in enumerate(language.transitions)),
    )
