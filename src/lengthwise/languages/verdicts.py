"""Verdicts on a language, each with words that a person can check.

A verdict against a class names words that no member of the class could treat as the language does.
Parts of them are pumped: `(01)^m` stands for 01 repeated m times, for any m from 1 on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import LanguageError
from lengthwise.languages.components import parts
from lengthwise.languages.green import Green
from lengthwise.languages.monoid import MAX_ELEMENTS, Monoid, transition_monoid
from lengthwise.languages.moore_machine import MooreMachine

Word = tuple[int, ...]
Integers = NDArray[np.int64]

NO_RECOGNISER = "asked only of languages that accept or reject all words"
"""Reason why a question about members has no answer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a family of words, repeated a number of times, all of it m times if it is
    pumped.
    """

    word: "Word | PumpedWord"
    times: int = 1
    pumped: bool = False

    def at(self, m: int) -> Word:
        """Return the piece with pumped words repeated m times."""
        word = self.word.at(m) if isinstance(self.word, PumpedWord) else self.word
        return word * (self.times * (m if self.pumped else 1))

    def rename(self, symbols: Sequence[int]) -> "Piece":
        """Return the piece with each symbol s replaced by `symbols[s]`."""
        if isinstance(self.word, PumpedWord):
            return replace(self, word=self.word.rename(symbols))
        return replace(self, word=tuple(symbols[symbol] for symbol in self.word))


@dataclass(frozen=True, slots=True)
class PumpedWord:
    """A family of words: one for each number m of repetitions of its pumped pieces."""

    pieces: tuple[Piece, ...]

    def at(self, m: int) -> Word:
        """Return the word with pumped pieces repeated m times."""
        return tuple(symbol for piece in self.pieces for symbol in piece.at(m))

    def rename(self, symbols: Sequence[int]) -> "PumpedWord":
        """Return the family with each symbol s replaced by `symbols[s]`."""
        return PumpedWord(tuple(piece.rename(symbols) for piece in self.pieces))

    def format(self, writer: "MooreMachine | LadderSubject") -> str:
        """Return the family as text: `0 (01)^m 1`."""
        spellings = []
        for piece in self.pieces:
            if not piece.at(1):
                continue
            if isinstance(piece.word, PumpedWord):
                text, single = piece.word.format(writer), False
            else:
                text, single = writer.decode(piece.word), len(piece.word) == 1
            if piece.times > 1:
                text = f"{text}^{piece.times}" if single else f"({text})^{piece.times}"
            spellings.append(f"({text})^m" if piece.pumped else text)
        return " ".join(spellings) or "(empty word)"


def make_family(*pieces: Word | Piece) -> PumpedWord:
    """Return the family of words with the given pieces; a plain word occurs once."""
    return PumpedWord(tuple(p if isinstance(p, Piece) else Piece(p) for p in pieces))


def plain(word: PumpedWord) -> "Word | PumpedWord":
    """Return a family that has one word alone, in one piece, as that word."""
    first = word.pieces[0]
    alone = len(word.pieces) == first.times == 1 and not first.pumped
    return first.word if alone else word


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The answer to one question about a language, with its reason."""

    holds: bool | None
    """The answer; None if it was not found, and `says` why not."""
    says: str
    """The reason in a sentence, with the words of the witness."""
    words: tuple[PumpedWord, ...] = ()
    """The words that the sentence names, in its order."""
    numbers: Mapping[str, int | float | list[int]] = field(default_factory=dict)
    """Numbers that belong to the answer, such as the least width `k`."""


class LadderSubject:
    """The minimal automaton of a language over all words, with properties that are kept.

    Words outside a domain count as one more class.
    """

    def __init__(self, language: MooreMachine, max_elements: int = MAX_ELEMENTS) -> None:
        self.machine = language.total().minimise()
        self.decode = self.machine.decode
        self._max_elements = max_elements
        self._verdicts: dict[Decide, Verdict] = {}

    def ask(self, decide: "Decide") -> Verdict:
        """Return the verdict of a question; it is decided once."""
        if decide not in self._verdicts:
            self._verdicts[decide] = decide(self)
        return self._verdicts[decide]

    @cached_property
    def tier(self) -> tuple[int, ...]:
        """The symbols that change some state (`lengthwise.languages.tiers`)."""
        moves = self.steps != np.arange(len(self.steps))[:, None]
        return tuple(np.flatnonzero(moves.any(axis=0)).tolist())

    @cached_property
    def distinct(self) -> tuple[int, ...]:
        """The first of each set of symbols that lead every state to the same state."""
        _, first = np.unique(self.steps, axis=1, return_index=True)
        return tuple(sorted(first.tolist()))

    @cached_property
    def on_tier(self) -> "LadderSubject":
        """The words of the symbols of the tier alone; the same if no symbol, or each, is skipped.

        Its verdicts write words in the alphabet of the whole language.
        """
        if len(self.tier) in (0, self.machine.num_symbols):
            return self
        small = replace(
            self.machine,
            alphabet=tuple(self.machine.alphabet[symbol] for symbol in self.tier),
            transitions=tuple(map(tuple, self.steps[:, self.tier].tolist())),
            spec="",
        )
        subject = LadderSubject(small, self._max_elements)
        subject.decode = lambda word: self.decode(self.tier[symbol] for symbol in word)
        return subject

    @cached_property
    def steps(self) -> Integers:
        """`steps[state, symbol]`, the transitions."""
        return np.array(self.machine.transitions, dtype=np.int64)

    @cached_property
    def parts(self) -> list[list[int]]:
        """The strongly connected parts, a part before those that lead to it."""
        return parts([list(dict.fromkeys(row)) for row in self.machine.transitions])

    @cached_property
    def part_of(self) -> list[int]:
        """The number of the part of each state."""
        numbers = [0] * self.machine.num_states
        for number, part in enumerate(self.parts):
            for state in part:
                numbers[state] = number
        return numbers

    @cached_property
    def monoid(self) -> Monoid:
        """The syntactic monoid.

        Raises:
            LanguageError: it has too many elements.
        """
        if self._refusal is None:
            try:
                return transition_monoid(self.machine, self._max_elements)
            except LanguageError as error:
                self._refusal = error
        raise self._refusal

    _refusal: LanguageError | None = None

    @cached_property
    def green(self) -> Green:
        """Green's relations of the syntactic monoid."""
        return Green(self.monoid)

    @property
    def is_recogniser(self) -> bool:
        """Whether the classes are 0 and 1, for all words."""
        return self.machine.class_names == ("0", "1")

    def has_cycle(self, state: int) -> bool:
        """Return whether some word that is not empty leads from a state back to it."""
        return len(self.parts[self.part_of[state]]) > 1 or state in self.machine.transitions[state]

    def access(self, state: int) -> Word:
        """Return the first shortest word that leads to a state."""
        return self.path(self.machine.start, state)

    def path(self, source: int, target: int, *, moving: bool = False) -> Word:
        """Return a shortest word from one state to another; `moving`: one that is not empty."""
        word = shortest_path(self.machine.transitions, source, target, moving=moving)
        assert word is not None, "the target is reachable"
        return word

    def separate(self, first: int, second: int) -> Word:
        """Return a shortest word that leads two different states to different classes."""
        steps, classes = self.machine.transitions, self.machine.classes
        words: dict[tuple[int, int], Word] = {(first, second): ()}
        for pair in (queue := [(first, second)]):
            state, two = pair
            if classes[state] != classes[two]:
                return words[pair]
            for symbol, after in enumerate(zip(steps[state], steps[two], strict=True)):
                if after not in words and after[0] != after[1]:
                    words[after] = (*words[pair], symbol)
                    queue.append(after)
        raise AssertionError("states of a minimal automaton differ on some word")

    def to_class(self, state: int, class_number: int) -> Word:
        """Return a shortest word from a state to a state of a class that can be reached."""
        words: dict[int, Word] = {state: ()}
        for source in (queue := [state]):
            if self.machine.classes[source] == class_number:
                return words[source]
            for symbol, target in enumerate(self.machine.transitions[source]):
                if target not in words:
                    words[target] = (*words[source], symbol)
                    queue.append(target)
        raise AssertionError("the class can be reached")

    def settle(self, word: Word, state: int) -> Piece:
        """Return a word, repeated so often that one time and any more do the same to a state."""
        seen = [state]
        while (after := self.machine.run(word, seen[-1])) not in seen:
            seen.append(after)
        start = seen.index(after)
        period = len(seen) - start
        return Piece(word, times=max(1, -(-start // period)) * period, pumped=True)

    def distinguish(self, first: Integers, two: Integers) -> tuple[Word, Word]:
        """Return words u, z such that words x, y with two different state maps give uxz and uyz
        different classes.
        """
        state = int(np.flatnonzero(first != two)[0])
        return self.access(state), self.separate(int(first[state]), int(two[state]))

    def moves(self, word: Word) -> Integers:
        """Return the state that a word leads each state to."""
        states = np.arange(len(self.steps))
        for symbol in word:
            states = self.steps[states, symbol]
        return states


Decide = Callable[[LadderSubject], Verdict]


def unlike(subject: LadderSubject, words: tuple[PumpedWord, PumpedWord], alike: str) -> Verdict:
    """Return the verdict by two words that look alike, of different classes."""
    first, second = (word.format(subject) for word in words)
    grows = any(piece.pumped for word in words for piece in word.pieces)
    end = "only one is in" if subject.is_recogniser else "they have different classes"
    return Verdict(
        holds=False,
        says=f"{first} and {second} {alike}{' for large m' if grows else ''}, and {end}",
        words=words,
    )


def shortest_path(
    targets: Iterable[Iterable[int]] | NDArray[np.int32],
    source: int,
    target: int,
    *,
    moving: bool = False,
) -> Word | None:
    """Return the labels of a shortest path of a graph, or None; `moving`: of one edge or more.

    `targets[node][label]` is the node that the label leads to.
    """
    rows = targets if isinstance(targets, np.ndarray) else list(targets)
    if source == target and not moving:
        return ()
    words: dict[int, Word] = {source: ()}
    for node in (queue := [source]):
        for label, after in enumerate(rows[node]):
            if after == target:
                return (*words[node], label)
            if after not in words:
                words[int(after)] = (*words[node], label)
                queue.append(int(after))
    return None
