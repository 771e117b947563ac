"""The choice of representatives for the states of a recurrence, and the verdict.

There are three ways to choose them, none of which sees a class of a word:

    continuations  the start, and states after representatives, each of which the network's own
                   answers after some continuations tell from the nearest one (`continuations.py`)
    images         the start, and states after representatives, each farther than a radius from
                   those before it, until no step of a word of the domain leads to another one
    means          the start, and the means of the validation words' states, clustered within a
                   radius

Continuations come first: all short words, and then also the ends of the first validation words on
which the snapped network answers unlike the network. For the other two ways, states that validation
words lead to give the scale: radii are fixed shares of the greatest distance of a state from the
start, from coarse to fine.

A level of fineness *closes* if it needs few enough representatives and its table is certain, and it
*validates* if the snapped network is right on as many validation words as the network itself. The
first level that does both is taken (`validation`), or the first whose snapped network is proved
right at every length (`proof`). The proof itself is that of any recurrence (`exploration.decide`).

Axes:
    word            words of a batch
    representative  states that others are snapped to
    width           numbers of a state
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.messages import format_count, shorten
from lengthwise.models.alignment import align_left
from lengthwise.models.stepping import Rows, StateError, Steps, steps_of
from lengthwise.proofs.search.continuations import short_continuations, tell_apart
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.snapped_states import SnappedStates, distances
from lengthwise.proofs.search.state_tables import Domain, step_in_batches, tabulate_states
from lengthwise.tasks.task import Batch, Task

Choice = Literal["proof", "validation"]
Way = Literal["continuations", "images", "means"]
StateVerdict = Literal["equivalent", "counterexample", "not-closed"]

MAX_REPRESENTATIVES = 1_000
"""Most representatives of a level."""

VALIDATION, VALIDATION_LENGTH = 1_000, 40
"""Number of validation words, and their greatest length unless another is given."""

_SHARES = tuple(2.0 ** (-half / 2) for half in range(1, 17))
"""Radii, as shares of the greatest distance of a state from the start."""

_CLUSTERED = 2_000
"""Most states that are clustered."""

_TOGETHER = 64
"""States whose distances from all representatives are computed at once."""

_REFINED, _WORDS = 4, 4
"""How often more continuations are tried, and most words whose ends are added each time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fineness:
    """One level of fineness that was tried."""

    radius: float
    """0 where continuations tell representatives apart."""
    way: Way
    representatives: int | None
    """Number of representatives; None if there would be more than the most, or time was up."""
    continuations: int | None = None
    is_certain: bool = False
    """Whether the table has neither a near tie of representatives nor one of logits."""
    right: int | None = None
    """Number of validation words on which the snapped network is right."""
    verdict: StateVerdict | None = None
    """None where nothing was decided."""
    wrong_length: int | None = None
    """Length of the shortest word on which the snapped network is wrong."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StateSnapping:
    """A recurrence snapped to representatives, and what was decided about it."""

    snapped: SnappedStates | None
    """The snapped network; None if no level closes and validates."""
    verdict: StateVerdict
    """`equivalent`: the *snapped* network is right at every length."""
    wrong: tuple[int, ...] | None
    """A shortest word on which the snapped network is wrong."""
    chosen_by: Choice
    """What the level was chosen by; without a proof it is always validation."""
    tried: tuple[Fineness, ...]
    validation_words: int
    validation_right: int
    """Number of validation words on which the network itself is right."""
    reason: str = ""
    """Reason why nothing was decided."""
    level: Fineness | None = None
    """The level of the snapped network."""

    @property
    def representatives(self) -> int | None:
        """Number of representatives that words lead to."""
        if self.snapped is None:
            return None
        return len(set(self.snapped.snaps.of_element.tolist()))

    def describe(self, language: Language) -> str:
        """Say what is known of the snapped network."""
        if self.snapped is None:
            return f"not decided: {self.reason}"
        table = f"radius {self.snapped.snaps.radius:.3g}"
        if self.level is not None and self.level.continuations:
            told = format_count(self.level.continuations, "continuation")
            table = f"told apart by {told}"
        table = f"{table}, chosen by {self.chosen_by}"
        count = format_count(self.representatives or 0, "representative")
        if self.verdict == "equivalent":
            return f"right at every length, decided on a table of {count} ({table})"
        if self.wrong is not None:
            length = format_count(len(self.wrong), "symbol")
            word = shorten(language.decode(self.wrong), 40)
            return f"wrong on {word!r} of {length}, and on no shorter word ({count}, {table})"
        return f"not decided: {self.reason} ({count}, {table})"

    def summary(self) -> dict[str, Any]:
        """Return the result as plain values, with every level that was tried."""
        snaps = None if self.snapped is None else self.snapped.snaps
        return {
            "verdict": self.verdict,
            "chosen_by": self.chosen_by,
            "representatives": self.representatives,
            "radius": None if snaps is None else snaps.radius,
            "largest_move": None if snaps is None else float(snaps.distances.max()),
            "validation_words": self.validation_words,
            "validation_right_raw": self.validation_right,
            "wrong_length": None if self.wrong is None else len(self.wrong),
            "reason": self.reason,
            "levels_tried": [
                {name: getattr(level, name) for name in Fineness.__slots__} for level in self.tried
            ],
        }


def snap_states(
    steps: Steps,
    language: Language,
    validation: Batch,
    *,
    choose: Choice = "proof",
    seconds: float = 60.0,
    max_representatives: int = MAX_REPRESENTATIVES,
    seed: int = 0,
) -> StateSnapping:
    """Snap a recurrence to representatives, and decide whether it is right at every length.

    Raises:
        VerificationError: a state or logits are not finite on a validation word or after a
            representative, or numbers depend on the other words of a batch.
    """
    end = time.monotonic() + seconds
    search = _Search(steps, language, validation, max_representatives, seed)
    tried: list[Fineness] = []
    best: tuple[SnappedStates, Fineness, Any] | None = None
    reason = ""
    too_fine = set[str]()
    levels = deque(_levels(search.scale))
    while levels:
        radius, way = levels.popleft()
        if way in too_fine:  # it would need even more representatives
            continue
        if tried and time.monotonic() > end:
            sizes = [level.representatives or max_representatives for level in tried]
            reason = (
                f"the budget of {seconds:.2g} s is spent after "
                f"{format_count(len(tried), 'level')} of fineness, with up to {max(sizes):,} "
                f"representatives"
            )
            break
        told = len(search.continuations) if way == "continuations" else None
        level = Fineness(radius=radius, way=way, representatives=None, continuations=told)
        points = search.choose(level, end)
        if points is None:
            too_fine.add(way)
            tried.append(level)
            continue
        snapped = tabulate_states(steps, points, radius, search.domain)
        answers = search.ask(snapped)
        level = replace(
            level,
            representatives=len(points),
            is_certain=snapped.snaps.is_certain,
            right=int((answers == validation.classes).sum()),
        )
        if told and len(tried) < _REFINED and search.refine(answers):
            levels.appendleft((radius, way))
        if not level.is_certain or (level.right or 0) < search.raw_right:
            tried.append(level)
            continue
        found: Any = decide(snapped, language)
        verdict = _verdict_of(found)
        wrong = None if found.wrong is None else len(found.wrong)
        tried.append(replace(level, verdict=verdict, wrong_length=wrong))
        if best is None or verdict == "equivalent":
            best = (snapped, tried[-1], found)
        if verdict == "equivalent" or choose == "validation":
            break
    common: dict[str, Any] = {
        "tried": tuple(tried),
        "validation_words": len(validation.classes),
        "validation_right": search.raw_right,
    }
    if best is None:
        reason = reason or (
            f"none of {format_count(len(tried), 'level')} of fineness closes with at most "
            f"{max_representatives:,} representatives and is right on as many validation words as "
            f"the network"
        )
        return StateSnapping(
            snapped=None,
            verdict="not-closed",
            wrong=None,
            chosen_by="validation",
            reason=reason,
            **common,
        )
    snapped, level, found = best
    is_proved = level.verdict == "equivalent"
    assert level.verdict is not None
    return StateSnapping(
        snapped=snapped,
        verdict=level.verdict,
        wrong=found.wrong,
        chosen_by="proof" if is_proved and choose == "proof" else "validation",
        reason=found.reason,
        level=level,
        **common,
    )


class _Search:
    """What a search for representatives knows: the recurrence, and validation words."""

    def __init__(
        self, steps: Steps, language: Language, validation: Batch, most: int, seed: int
    ) -> None:
        self.steps, self.most = steps, most
        logits, states = _visit(steps, validation, language)
        self.own_answers = logits.argmax(dim=1)
        self.raw_right = int((self.own_answers == validation.classes).sum())
        self.start = steps.start()[1]
        self.scale = float(distances(states, self.start).max()) if len(states) else 0.0
        if len(states) > _CLUSTERED:
            generator = torch.Generator().manual_seed(seed)
            states = states[torch.randperm(len(states), generator=generator)[:_CLUSTERED]]
        self.states = states
        self.symbols, self.lengths = align_left(
            validation.tokens, validation.lengths, language.num_symbols, checked=False
        )
        self.domain = Domain.of(language)
        self.continuations = short_continuations(steps.num_symbols)

    def choose(self, level: Fineness, end: float) -> Rows | None:
        """Return the representatives of a level, or None if they are too many.

        Continuations have half of the time that is left, so that the other ways have some.
        """
        if level.way == "continuations":
            half = (time.monotonic() + end) / 2
            return tell_apart(self.steps, self.continuations, self.most, half, self.domain)
        if level.way == "images":
            return _images(self.steps, level.radius, self.most, end, self.domain)
        return _means(self.start, self.states, level.radius, self.most)

    def ask(self, snapped: SnappedStates) -> Int[Tensor, " word"]:
        """Return the classes of the validation words by a snapped network."""
        return torch.from_numpy(snapped.classes)[snapped.elements_after(self.symbols, self.lengths)]

    def refine(self, answers: Int[Tensor, " word"]) -> bool:
        """Add the ends of the shortest words that the snapped network answers unlike the network.

        Return whether there are any.
        """
        unlike = (answers != self.own_answers).nonzero()[:, 0]
        shortest = unlike[self.lengths[unlike].argsort(stable=True)[:_WORDS]]
        words = [self.symbols[word, : self.lengths[word]].tolist() for word in shortest]
        ends = [tuple(word[first:]) for word in words for first in range(1, len(word))]
        self.continuations = list(dict.fromkeys((*self.continuations, *ends)))
        return bool(words)


def _verdict_of(found: Any) -> StateVerdict:
    if found.is_closed:
        return "equivalent"
    return "not-closed" if found.wrong is None else "counterexample"


def snap_recurrence(model: nn.Module, language: Language) -> StateSnapping:
    """Snap a network that is read symbol by symbol, by validation words of the language.

    Raises:
        VerificationError: it is not read symbol by symbol, or as for `snap_states`.
    """
    steps = steps_of(model, language.num_symbols, language.num_classes)
    return snap_states(steps, language, draw_validation(language))


def draw_validation(
    language: Language, longest: int = VALIDATION_LENGTH, *, seed: int = 0
) -> Batch:
    """Draw validation words: of uniform lengths, and classes equally often."""
    generator = torch.Generator().manual_seed(seed + 1)
    return Task(language=language).draw_mixed(VALIDATION, longest, generator)


def _levels(scale: float) -> Iterator[tuple[float, Way]]:
    """Yield the levels of fineness in their order, from coarse to fine."""
    yield 0.0, "continuations"
    for share in _SHARES:
        yield share * scale, "images"
        yield share * scale, "means"


def _visit(
    steps: Steps, words: Batch, language: Language
) -> tuple[Float[Tensor, "word class"], Rows]:
    """Return the logits of words, and the states after all their prefixes but the empty one."""
    symbols, lengths = align_left(words.tokens, words.lengths, steps.num_symbols, checked=False)
    first, rows = steps.start()
    logits, rows = first.repeat(len(symbols), 1), rows.repeat(len(symbols), 1)
    visited = [rows[:0]]
    for place in range(symbols.shape[1]):
        alive = (lengths > place).nonzero()[:, 0]
        if not len(alive):
            break
        try:
            logits[alive], rows[alive] = steps.step(rows[alive], symbols[alive, place])
        except StateError as error:
            row = int(alive[error.row])
            word = language.decode(symbols[row, : place + 1].tolist())
            raise VerificationError(f"{error} after {word!r:.60}. Look at its weights.") from None
        visited.append(rows[alive])
    return logits, torch.cat(visited)


def _images(steps: Steps, radius: float, most: int, end: float, domain: Domain) -> Rows | None:
    """Return states that follow from each other, each farther than the radius from the earlier."""
    known = steps.start()[1]
    words: list[tuple[int, ...]] = [()]
    new = [(0, domain.start)] if domain.begins[domain.start] else []
    met = set(new)
    while new:
        row, symbol, states = domain.steps_from(new)
        if not len(row):
            break
        try:
            _, after = step_in_batches(steps, known[row], torch.from_numpy(symbol))
        except StateError as error:
            word = [*words[int(row[error.row])], int(symbol[error.row])]
            raise VerificationError(
                f"{error} after the symbols {short(word)}, a word of "
                f"{format_count(len(word), 'symbol')}, with the state snapped after each. Nothing "
                f"is decided about such a network; look at its weights."
            ) from None
        last = len(known)
        found = distances(after, known).min(dim=1)
        nearest = found.indices
        for place in (found.values > radius).nonzero()[:, 0].tolist():
            fresh = known[last:]
            if len(fresh):
                away = distances(after[place : place + 1], fresh)[0]
                if float(away.min()) <= radius:
                    nearest[place] = last + int(away.argmin())
                    continue
            if len(known) == most or time.monotonic() > end:
                return None
            nearest[place] = len(known)
            known = torch.cat([known, after[place : place + 1]])
            words.append((*words[int(row[place])], int(symbol[place])))
        pairs = zip(nearest.tolist(), states, strict=True)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in met]
        met.update(new)
    return known


def _means(start: Rows, states: Rows, radius: float, most: int) -> Rows | None:
    """Return the start and the means of clusters: of states within the radius of a first one."""
    leaders, cluster = start, list[int]()
    for part in torch.split(states, _TOGETHER):
        nearest, between = distances(part, leaders).min(dim=1), distances(part, part)
        fresh: list[int] = []
        for place, (leader, away) in enumerate(
            zip(nearest.indices.tolist(), nearest.values.tolist(), strict=True)
        ):
            chosen, least = leader, away
            if fresh:
                to = between[place, fresh].min(dim=0)
                if float(to.values) < away:
                    chosen, least = len(leaders) + int(to.indices), float(to.values)
            if least > radius:
                if len(leaders) + len(fresh) == most:
                    return None
                chosen = len(leaders) + len(fresh)
                fresh.append(place)
            cluster.append(chosen)
        leaders = torch.cat([leaders, part[fresh]])
    of_state = torch.tensor(cluster, dtype=torch.long)
    sums = torch.zeros(len(leaders), states.shape[1], dtype=torch.float64)
    sums.index_add_(0, of_state, states.double())
    counts = torch.bincount(of_state, minlength=len(leaders)).clamp(min=1)
    means = (sums / counts[:, None]).to(states.dtype)
    return torch.cat([start, means[torch.bincount(of_state, minlength=len(leaders)) > 0]])
