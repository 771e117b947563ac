"""Long words that strain a network for one automaton: where one wrong product is not forgiven.

Uniform words soon end in a sink, or forget how they began, and then most wrong products change no
answer. These words walk through rarely visited states, repeat a short word many times, stay in one
symbol for long, or differ from another of them in one place; and none reaches a state that cannot
be left before its end, where it can be avoided.
"""

import random
from collections import deque
from collections.abc import Callable, Sequence

from torch import nn

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language

Word = tuple[int, ...]

_SHORT, _MIDDLE, _LONG_ONE = 64, 2_000, 50
"""Greatest length of two fifths of the words, and of all but one in `_LONG_ONE`."""


def hostile_words(language: Language, count: int, *, longest: int, seed: int) -> list[Word]:
    """Draw words of the domain; the last has `longest` symbols, or a few more to end there."""
    walker, words = _Walker(language, random.Random(f"hostile {seed}")), list[Word]()
    for number in range(count):
        is_last, is_long = number == count - 1, number % _LONG_ONE == _LONG_ONE - 1
        if words and number % 5 == 4 and not (is_last or is_long):
            words.append(walker.near(walker.draw.choice(words)))
        else:
            length = longest if is_last else walker.length(number, longest)
            words.append(walker.walk(length, walker.manner(number // 2)))
    return words


def find_misjudged(model: nn.Module, language: Language, words: Sequence[Word]) -> list[Word]:
    """Return the words whose class a network misses, by a plain run of the automaton."""
    answers = answer_of(logits_of(model, words)).tolist()
    return [
        word
        for word, answer in zip(words, answers, strict=True)
        if answer != language.classes[_state_after(language, word)]
    ]


def _state_after(language: Language, word: Word) -> int:
    state, rows = language.start, language.transitions
    for symbol in word:
        state = rows[state][symbol]
    return state


class _Walker:
    """Draws words as walks through the minimal automaton."""

    def __init__(self, language: Language, draw: random.Random) -> None:
        machine = language.total().minimise()
        self.rows, self.start, self.draw = machine.transitions, machine.start, draw
        inside = [c < language.num_classes for c in machine.classes]
        self._ways = _ways_to(machine, inside)
        self._to_class = [
            _ways_to(machine, [number == c for number in machine.classes])
            for c in range(language.num_classes)
        ]
        self._moves = [
            [symbol for symbol, target in enumerate(row) if self._ways[target] is not None]
            for row in self.rows
        ]
        """Symbols after which a word can still end in the domain."""
        self._onward = [
            [
                symbol
                for symbol in moves
                if set(self.rows[self.rows[state][symbol]]) != {self.rows[state][symbol]}
            ]
            for state, moves in enumerate(self._moves)
        ]
        """Those of them that do not lead to a sink."""
        self._visits = [0] * len(self.rows)

    def length(self, number: int, longest: int) -> int:
        """Draw a length."""
        least, most = 0, min(_SHORT, longest)
        if number % _LONG_ONE == _LONG_ONE - 1:
            least, most = min(_MIDDLE, longest), longest
        elif number % 5 >= 2:
            least, most = min(_SHORT, longest), min(_MIDDLE, longest)
        if least == 0:
            return self.draw.randint(0, most)
        return round(least * (most / least) ** self.draw.random())

    def manner(self, number: int) -> Callable[[int, list[int]], int]:
        """Return a way to choose the next symbol from the state and what was read."""
        kind = number % 4
        if kind == 0:
            return lambda state, read: self.draw.randrange(len(self.rows[0]))
        if kind == 1:
            return lambda state, read: self._rarest(state)
        if kind == 2:
            base = [self.draw.randrange(len(self.rows[0])) for _ in range(self.draw.randint(1, 12))]
            return lambda state, read: base[len(read) % len(base)]
        stay = self.draw.uniform(0.5, 0.999)
        return lambda state, read: (
            read[-1]
            if read and self.draw.random() < stay
            else self.draw.randrange(len(self.rows[0]))
        )

    def walk(self, length: int, choose: Callable[[int, list[int]], int]) -> Word:
        """Return a word of about this length; sinks are avoided to a few symbols before its end."""
        state, read, open_end = self.start, list[int](), self.draw.randint(0, 3)
        for place in range(length):
            allowed = self._onward[state] if place < length - open_end else ()
            allowed = allowed or self._moves[state]
            symbol = choose(state, read)
            if symbol not in allowed:
                symbol = self.draw.choice(allowed)
            read.append(symbol)
            state = self.rows[state][symbol]
            self._visits[state] += 1
        return self._end_word(read, state)

    def near(self, word: Word) -> Word:
        """Return a word with one symbol more, less or other, of the domain like all others."""
        if not word:
            return self.walk(1, self.manner(0))
        place, new = self.draw.randrange(len(word)), self.draw.randrange(len(self.rows[0]))
        middle = self.draw.choice([(new,), (), (word[place], new)])
        state, read = self.start, list[int]()
        for symbol in word[:place] + middle + word[place + 1 :]:
            if self._ways[self.rows[state][symbol]] is None:
                symbol = self.draw.choice(self._moves[state])  # noqa: PLW2901
            read.append(symbol)
            state = self.rows[state][symbol]
        return self._end_word(read, state)

    def _rarest(self, state: int) -> int:
        row = self.rows[state]
        symbols = self.draw.sample(range(len(row)), min(8, len(row)))
        return min(symbols, key=lambda symbol: self._visits[row[symbol]])

    def _end_word(self, read: list[int], state: int) -> Word:
        """Return what was read with an end in the domain, half of the time one of a drawn class."""
        way = self._ways[state]
        if self.draw.random() < 0.5:
            way = self.draw.choice(self._to_class)[state] or way
        assert way is not None
        return (*read, *way)


def _ways_to(machine: Language, is_goal: Sequence[bool]) -> list[Word | None]:
    """Return a shortest word from each state to a wanted one; None if there is none."""
    ways: list[Word | None] = [() if is_end else None for is_end in is_goal]
    before: list[list[tuple[int, int]]] = [[] for _ in is_goal]
    for state, row in enumerate(machine.transitions):
        for symbol, target in enumerate(row):
            before[target].append((state, symbol))
    waiting = deque(state for state, is_end in enumerate(is_goal) if is_end)
    while waiting:
        target = waiting.popleft()
        way = ways[target]
        assert way is not None
        for state, symbol in before[target]:
            if ways[state] is None:
                ways[state] = (symbol, *way)
                waiting.append(state)
    return ways
