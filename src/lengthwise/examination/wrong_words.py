"""The search for a shortest wrong word: of all short words, along the states, and from a test.

Each search says what it did. A wrong word is always one that the network itself was asked, and only
the search of all words of a length says that shorter ones are right.

Axes:
    word    words that are read side by side
    symbol  symbols of the alphabet
    class   classes
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from lengthwise.errors import VerificationError
from lengthwise.evaluation.evaluate import answer_of, require_classes
from lengthwise.evaluation.predict import device_of, logits_of
from lengthwise.languages.language import Language
from lengthwise.messages import format_count, shorten
from lengthwise.models.stepping import StateError, Steps
from lengthwise.proofs.search.prefixes import leads_to

Word = tuple[int, ...]
How = Literal["exhaustive", "guided", "sampled"]

_TOGETHER = 4096
_MOST_SYMBOLS = 1_000_000
_LONGEST_ENUMERATED = 64
_BEAM = 64
_PERIODS = 64
_REPEATED = (50, 101, 200, 401)
"""Lengths to which short words are repeated where no state can be followed."""


class Asker:
    """Asks a network words of a language, and counts them."""

    def __init__(self, model: nn.Module, language: Language) -> None:
        self.model, self.language = model, language
        self.tried = 0
        self._device = device_of(model)

    def answers(self, words: Sequence[Word]) -> list[int]:
        """Return the classes that the network gives to words.

        Raises:
            ConfigError: the logits are of other classes, or not finite.
        """
        if not words:
            return []
        logits = logits_of(self.model, words, device=self._device)
        require_classes(logits, self.language, self.language.spec or "the language")
        self.tried += len(words)
        answers: list[int] = answer_of(logits).tolist()
        return answers

    def first_wrong(self, words: Sequence[Word]) -> Word | None:
        """Return the first of the shortest words of the domain that the network gets wrong."""
        inside = [word for word in words if self.is_inside(word)]
        pairs = zip(inside, self.answers(inside), strict=True)
        wrong = [word for word, c in pairs if c != self.language.classes[self.language.run(word)]]
        return min(wrong, key=len, default=None)

    def is_inside(self, word: Word) -> bool:
        """Tell whether a word is in the domain of the language."""
        domain = self.language.domain
        return domain is None or domain.classes[domain.run(word)] == 1


@dataclass(kw_only=True, slots=True)
class Search:
    """The extent of the search, and the shortest wrong word that was found."""

    right_to: int = -1
    """All words of the domain of at most this length were asked, and are right; -1: none was."""
    tried: dict[How, int] = field(default_factory=dict)
    """Number of words that each search asked."""
    longest: dict[How, int] = field(default_factory=dict)
    """Length of the longest word that it asked."""
    word: Word | None = None
    how: How | None = None
    """The search that found the word; others may have made it shorter."""

    @property
    def is_shortest(self) -> bool:
        """True if all shorter words were asked, and are right."""
        return self.word is not None and self.right_to >= len(self.word) - 1

    def count(self, how: How, words: int, longest: int) -> None:
        """Add words that were asked."""
        self.tried[how] = self.tried.get(how, 0) + words
        self.longest[how] = max(self.longest.get(how, 0), longest)

    def found(self, how: How, word: Word | None) -> None:
        """Keep a wrong word if it is shorter than the one before."""
        if word is not None and (self.word is None or len(word) < len(self.word)):
            self.word, self.how = word, how


def try_all(asker: Asker, search: Search, *, end: float, most: int) -> None:
    """Ask all words by length, until one is wrong, `most` were asked, or the time is up."""
    words = asker.language.words(max_length=_LONGEST_ENUMERATED)
    asked = 0
    while batch := list(islice(words, _TOGETHER)):
        wrong = asker.first_wrong(batch)
        asked += len(batch)
        search.count("exhaustive", len(batch), len(batch[-1]))
        if wrong is not None:
            search.right_to = len(wrong) - 1
            search.found("exhaustive", wrong)
            return
        search.right_to = len(batch[-1]) - 1
        if asked >= most or time.monotonic() > end:
            return
    search.right_to = _LONGEST_ENUMERATED


def try_words(asker: Asker, search: Search, how: How, words: Sequence[Word]) -> None:
    """Ask given words."""
    inside = [word for word in words if asker.is_inside(word)]
    if inside:
        search.found(how, asker.first_wrong(inside))
        search.count(how, len(inside), max(map(len, inside)))


def repeated_words(num_symbols: int) -> list[Word]:
    """Return short words, each repeated to several lengths."""
    periods = list(islice(_periods(num_symbols), _PERIODS))
    return [(word * n)[:n] for n in _REPEATED for word in periods]


def _periods(num_symbols: int) -> Iterator[Word]:
    length = 1
    while True:
        yield from product(range(num_symbols), repeat=length)
        length += 1


# ---- along the states of a recurrence ------------------------------------------------------------


def follow(
    steps: Steps, asker: Asker, search: Search, *, longest: int, end: float, seed: int
) -> None:
    """Read periodic words, and words chosen for small margins, and look at every prefix.

    What is found is asked again as a word, since the network may answer otherwise than its steps.
    """
    periods = list(islice(_periods(steps.num_symbols), _PERIODS))
    halfway = (time.monotonic() + end) / 2
    walks: list[tuple[_Periodic | _Beam, int, float]] = [
        (_Periodic(periods), len(periods), halfway),
        (_Beam(torch.Generator().manual_seed(seed)), 1, end),
    ]
    for choose, count, until in walks:
        limit = longest if search.word is None else min(longest, len(search.word) - 1)
        word, asked, reached = _walk(steps, asker.language, choose, count, longest=limit, end=until)
        search.count("guided", asked, reached)
        if word is not None and asker.first_wrong([word]) is not None:
            search.found("guided", word)


class _Periodic:
    """Continues each word with the next symbol of its period."""

    def __init__(self, periods: Sequence[Word]) -> None:
        self._periods = periods

    def expand(self, length: int, ids: Tensor, num_symbols: int) -> tuple[Tensor, Tensor]:
        symbols = [self._periods[i][length % len(self._periods[i])] for i in ids.tolist()]
        return torch.arange(len(ids)), torch.tensor(symbols, dtype=torch.long)

    def keep(self, margins: Tensor) -> Tensor:
        return torch.arange(len(margins))


class _Beam:
    """Continues each word with every symbol, and keeps the smallest margins, and some others."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def expand(self, length: int, ids: Tensor, num_symbols: int) -> tuple[Tensor, Tensor]:
        row = torch.arange(len(ids)).repeat_interleave(num_symbols)
        return row, torch.arange(num_symbols).repeat(len(ids))

    def keep(self, margins: Tensor) -> Tensor:
        order = margins.argsort(stable=True)
        if len(order) <= _BEAM:
            return order
        rest = order[_BEAM // 2 :]
        other = rest[torch.randperm(len(rest), generator=self._generator)[: _BEAM // 2]]
        return torch.cat([order[: _BEAM // 2], other])


def _walk(
    steps: Steps,
    language: Language,
    choose: "_Periodic | _Beam",
    count: int,
    *,
    longest: int,
    end: float,
) -> tuple[Word | None, int, int]:
    """Return the first wrong word, the number of words that were looked at, and their length."""
    machine = language.total()
    classes = torch.tensor(machine.classes)
    transitions = torch.tensor(machine.transitions)
    inside = classes < language.num_classes
    begins = torch.from_numpy(leads_to(transitions.numpy(), inside.numpy()))
    _, rows = steps.start()
    rows = rows.repeat(count, 1)
    states = torch.full((count,), machine.start)
    ids = torch.arange(count)
    history: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    asked = 0
    for length in range(longest):
        parent, symbols = choose.expand(length, ids, steps.num_symbols)
        after = transitions[states[parent], symbols]
        alive = begins[after].nonzero()[:, 0]
        parent, symbols, after = parent[alive], symbols[alive], after[alive]
        if not len(parent) or time.monotonic() > end:
            return None, asked, length
        try:
            logits, moved = steps.step(rows[parent], symbols)
        except StateError as error:
            history.append((parent.numpy(), symbols.numpy()))
            raise not_finite(error, language, _spell(history, error.row)) from None
        is_word = inside[after]
        asked += int(is_word.sum())
        true = classes[after].clamp(max=language.num_classes - 1)
        own = logits.gather(1, true[:, None])[:, 0]
        others = logits.scatter(1, true[:, None], -torch.inf).amax(dim=1)
        wrong = (is_word & (answer_of(logits) != true)).nonzero()[:, 0]
        if len(wrong):
            history.append((parent.numpy(), symbols.numpy()))
            return _spell(history, int(wrong[0])), asked, length + 1
        kept = choose.keep(torch.where(is_word, own - others, torch.inf))
        history.append((parent[kept].numpy(), symbols[kept].numpy()))
        rows, states, ids = moved[kept], after[kept], ids[parent[kept]]
    return None, asked, longest


def not_finite(error: StateError, language: Language, word: Word) -> VerificationError:
    """Return the error of a state that is not finite, with the word that leads there."""
    return VerificationError(
        f"{error} after {shorten(language.decode(word), 40)!r}, a word of "
        f"{format_count(len(word), 'symbol')}. Look at its weights."
    )


def _spell(history: Sequence[tuple[Any, Any]], row: int) -> Word:
    word = []
    for parents, symbols in reversed(history):
        word.append(int(symbols[row]))
        row = int(parents[row])
    return tuple(reversed(word))


# ---- a shorter one ---------------------------------------------------------------------------


def shorten_word(asker: Asker, search: Search, *, end: float) -> None:
    """Leave symbols out of the wrong word, as long as what remains is wrong and the time lasts."""
    if search.word is None or search.is_shortest:
        return
    how = search.how
    assert how is not None
    word = search.word
    size = max(1, len(word) // 2)
    while time.monotonic() < end:
        places = range(0, len(word), size)
        shorter = _first_wrong_without(asker, word, places, size, end)
        if shorter is not None:
            word = shorter
            size = min(size, max(1, len(word) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    search.found(how, word)


def _first_wrong_without(
    asker: Asker, word: Word, places: range, size: int, end: float
) -> Word | None:
    together = max(1, min(_TOGETHER, _MOST_SYMBOLS // max(1, len(word))))
    for first in range(0, len(places), together):
        part = [word[:p] + word[p + size :] for p in places[first : first + together]]
        wrong = asker.first_wrong([each for each in part if each])
        if wrong is not None:
            return wrong
        if time.monotonic() > end:
            return None
    return None
