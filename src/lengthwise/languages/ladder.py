"""The ladder of classes of regular languages: which transformer can carry a language, and why.

Each rung is a class of languages and the least network that is known to carry all of them. The
rungs from `r_trivial` on are nested, each in the next. The first one, `window`, is outside
this order.
All answers are read after the word, as at an end mark.

What follows is about what a network *can* do, with weights that exist. The theory of what training
finds is young: languages of C-RASP are expected to carry from short words to long ones, but no
program can say which length is long enough, even for two layers (arXiv 2603.02238).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LanguageError, unknown_name
from lengthwise.languages import algebra, definite, subsequences
from lengthwise.languages.locally_testable import (
    dot_depth_one,
    locally_testable,
    threshold_testable,
)
from lengthwise.languages.monoid import MAX_ELEMENTS
from lengthwise.languages.moore_machine import MooreMachine
from lengthwise.languages.random_refutation import or_drawn
from lengthwise.languages.sensitivity import average_sensitivity, greatest_sensitivity
from lengthwise.languages.tiers import on_tier
from lengthwise.languages.verdicts import Decide, LadderSubject, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class LadderRung:
    """A class of languages and a network that carries all of them."""

    key: str
    """The verdict that decides whether a language is on the rung."""
    network: str
    follows: str
    """What is known of such networks, with the source."""


def _of_rejected(decide: Callable[[LadderSubject, int], Verdict]) -> Decide:
    """Return a question about the words of class 0 instead of 1: about the complement."""
    return lambda subject: decide(subject, 0)


_locally_testable = or_drawn("locally_testable", locally_testable)
_threshold_testable = or_drawn("threshold_testable", threshold_testable)
_dot_depth_one = or_drawn("dot_depth_one", dot_depth_one)
_co_strictly_local = _of_rejected(definite.strictly_local)

QUESTIONS: Mapping[str, tuple[str, Decide]] = {
    "finite": ("finite", definite.finiteness),
    "co_finite": ("co-finite", _of_rejected(definite.finiteness)),
    "definite": ("definite", or_drawn("definite", definite.definite)),
    "reverse_definite": ("reverse definite", definite.reverse_definite),
    "generalised_definite": (
        "generalised definite",
        or_drawn("generalised_definite", definite.is_generalised_definite),
    ),
    "strictly_local": ("strictly local", definite.strictly_local),
    "co_strictly_local": ("complement of strictly local", _co_strictly_local),
    "tier_strictly_local": ("strictly local on a tier", on_tier(definite.strictly_local)),
    "tier_co_strictly_local": (
        "complement of strictly local on a tier",
        on_tier(_co_strictly_local),
    ),
    "locally_testable": ("locally testable", _locally_testable),
    "tier_locally_testable": ("locally testable on a tier", on_tier(_locally_testable)),
    "threshold_testable": ("locally threshold testable", _threshold_testable),
    "tier_threshold_testable": (
        "locally threshold testable on a tier",
        on_tier(_threshold_testable),
    ),
    "strictly_piecewise": ("strictly piecewise", subsequences.strictly_piecewise),
    "co_strictly_piecewise": (
        "complement of strictly piecewise",
        _of_rejected(subsequences.strictly_piecewise),
    ),
    "piecewise_testable": ("piecewise testable (J-trivial)", subsequences.piecewise_testable),
    "r_trivial": ("R-trivial", subsequences.loops_only),
    "l_trivial": ("L-trivial", or_drawn("l_trivial", algebra.is_left_trivial)),
    "da": ("DA", or_drawn("da", algebra.unambiguous)),
    "c_rasp": ("C-RASP", algebra.c_rasp),
    "r_infinity": ("R-infinity", or_drawn("r_infinity", algebra.r_infinity)),
    "dot_depth_one": ("dot-depth one", _dot_depth_one),
    "tier_dot_depth_one": ("dot-depth one on a tier", on_tier(_dot_depth_one)),
    "star_free": ("star-free", or_drawn("star_free", algebra.star_free)),
    "group": ("a group", algebra.is_group),
    "solvable": ("solvable", algebra.solvable),
}
"""Every question about a language: its name for people, and the function that answers it."""

RUNGS = (
    LadderRung(
        key="generalised_definite",
        network="one layer of attention to a window of fixed width, at the ends of the word",
        follows="nothing else is read, so what is right there is right at any length",
    ),
    LadderRung(
        key="r_trivial",
        network="softmax attention of fixed precision with a strict future mask, no positions",
        follows="such networks have exactly these languages (arXiv 2505.23623)",
    ),
    LadderRung(
        key="c_rasp",
        network="softmax attention that counts: uniform attention with a future mask, no positions",
        follows="it has a C-RASP program (arXiv 2608.13433), so training is expected to carry to "
        "any length; from which training length on, no program can say (arXiv 2603.02238)",
    ),
    LadderRung(
        key="star_free",
        network="hard attention with a strict future mask, no positions",
        follows="such networks have exactly these languages (arXiv 2310.13897); softmax has to "
        "sharpen with the length to do the same",
    ),
    LadderRung(
        key="solvable",
        network="attention with positions and a depth that does not grow with the length",
        follows="a cascade of resets and modular counters: O(n^2 log n) layers for n states (arXiv "
        "2210.10749, theorem 2)",
    ),
)
"""The rungs, the shallowest first; below them is `DEEPEST`, which carries every language."""

DEEPEST = LadderRung(
    key="regular",
    network="a depth that grows with the logarithm of the length, such as regular-gpt",
    follows="ceil(log2 T) layers carry any automaton over T symbols (arXiv 2210.10749, theorem 1)",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ladder:
    """The answers to all questions about a language, and the shallowest rung that it reaches.

    >>> from lengthwise.languages.spec import language
    >>> found = language("parity").ladder()
    >>> found.rung.key, found["star_free"].holds, found.missed.key
    ('solvable', False, 'star_free')
    >>> print(found["star_free"].says)
    1 turns 2 states in a circle: (1^2)^m and (1^2)^m 1 agree except for one turn for large m, and \
only one is in
    """

    verdicts: Mapping[str, Verdict]
    monoid_size: int | None
    """Number of elements of the syntactic monoid; None if they are too many."""
    refusal: str
    """The reason why the monoid was not computed, or nothing."""
    complexity: tuple[int, int] | None
    """Bounds on the complexity of Krohn and Rhodes; None if the monoid is too large."""
    group_depth: int | None
    average_sensitivity: Mapping[int, float] | None
    greatest_sensitivity: Mapping[int, int] | None

    def __iter__(self) -> Iterator[str]:
        return iter(self.verdicts)

    def __getitem__(self, key: str) -> Verdict:
        if key not in self.verdicts:
            raise unknown_name("class of languages", key, self.verdicts, LanguageError)
        return self.verdicts[key]

    @property
    def rung(self) -> LadderRung:
        """The shallowest rung that the language is known to reach."""
        return next((rung for rung in RUNGS if self.verdicts[rung.key].holds), DEEPEST)

    @property
    def missed(self) -> LadderRung | None:
        """The rung just above the reached one, which the language misses or is not known to reach;
        None at the first.
        """
        place = RUNGS.index(self.rung) if self.rung in RUNGS else len(RUNGS)
        return RUNGS[place - 1] if place else None

    @property
    def open(self) -> tuple[str, ...]:
        """The keys of the rungs that are not decided."""
        return tuple(rung.key for rung in RUNGS if self.verdicts[rung.key].holds is None)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self.advice())

    def advice(self) -> list[tuple[str, str]]:
        """Return what to use and why, as names and sentences."""
        reached = self.verdicts.get(self.rung.key)
        lines = [
            ("network", self.rung.network),
            ("known", self.rung.follows),
            ("because", "that is enough for any automaton" if reached is None else reached.says),
        ]
        local = self.verdicts["locally_testable"]
        if local.holds and self.rung.key != "generalised_definite":
            how = "relative positions, and then whether a window occurs anywhere"
            lines.append(("or", f"{how}: {local.says}"))
        if self.missed is not None:
            verdict = self.verdicts[self.missed.key]
            name = QUESTIONS[self.missed.key][0]
            adverb = "not" if verdict.holds is False else "not known to be"
            lines.append(("not less", f"it is {adverb} {name}: {verdict.says}"))
        if self.verdicts["solvable"].holds is False:
            lines.append(("no fixed depth", "unless TC0 = NC1, as it is not solvable"))
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return plain values: `ladder` (truth values, None if not decided), `ladder_witnesses`,
        `ladder_numbers` and `network`.
        """
        return {
            "ladder": {key: verdict.holds for key, verdict in self.verdicts.items()},
            "ladder_witnesses": {
                key: {"says": verdict.says, **verdict.numbers}
                for key, verdict in self.verdicts.items()
            },
            "ladder_numbers": {
                "krohn_rhodes": None if self.complexity is None else list(self.complexity),
                "group_depth": self.group_depth,
                "average_sensitivity": _by_length(self.average_sensitivity),
                "greatest_sensitivity": _by_length(self.greatest_sensitivity),
            },
            "network": {
                "rung": self.rung.key,
                **{k.replace(" ", "_"): v for k, v in self.advice()},
            },
        }


def ladder(language: MooreMachine, *, max_elements: int = MAX_ELEMENTS) -> Ladder:
    """Decide every class of the ladder for a language, exactly, each with a witness.

    What needs the syntactic monoid is left open (`holds` is None) if it has more than
    `max_elements` elements, or if the question takes too many products; `says` has the reason.
    """
    subject = LadderSubject(language, max_elements)
    try:
        size, refusal = subject.monoid.size, ""
    except LanguageError as error:
        size, refusal = None, str(error)
    return Ladder(
        monoid_size=size,
        refusal=refusal,
        verdicts={key: answer(subject, key) for key in QUESTIONS},
        complexity=None if size is None else algebra.complexity(subject),
        group_depth=None if size is None else subject.green.group_depth,
        average_sensitivity=average_sensitivity(subject),
        greatest_sensitivity=greatest_sensitivity(subject),
    )


def answer(subject: LadderSubject, key: str) -> Verdict:
    """Return the verdict on one question; it says so where the question is not decided."""
    try:
        return subject.ask(QUESTIONS[key][1])
    except LanguageError as error:
        return Verdict(holds=None, says=f"not decided: {error}")


def _by_length(values: Mapping[int, float] | None) -> dict[str, float] | None:
    return None if values is None else {str(n): round(v, 6) for n, v in values.items()}
