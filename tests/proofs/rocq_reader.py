"""A reader of exported Rocq files that knows nothing of the exporter: the oracle of its tests.

It evaluates the definitions of `proofs/theories/Words.v` on the text of a file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

Rows = list[list[int]]

_DIGITS = re.compile(r'numbers (\d+) "([^"]*)"')
_AUTOMATON = re.compile(r"automaton_of (\d+)\s+(\(map \(numbers \d+\) \[.*?\]\))\s+\((.*?)\)", re.S)


def _numbers(width: int, text: str) -> list[int]:
    values = [ord(character) - 48 for character in text]
    groups = [values[i : i + width] for i in range(0, len(values), width)]
    return [sum(digit * 64**place for place, digit in enumerate(group[::-1])) for group in groups]


def _flat(text: str) -> list[int]:
    return [n for width, digits in _DIGITS.findall(text) for n in _numbers(int(width), digits)]


def _rows(text: str) -> Rows:
    found = re.search(r"map \(numbers (\d+)\)", text)
    assert found is not None
    return [_numbers(int(found[1]), row) for row in re.findall(r'"([^"]*)"', text)]


@dataclass
class Automaton:
    start: int
    rows: Rows
    classes: list[int]

    def class_of(self, word: Sequence[int]) -> int:
        state = self.start
        for symbol in word:
            row = self.rows[state] if state < len(self.rows) else []
            state = row[symbol] if symbol < len(row) else 0
        return self.classes[state] if state < len(self.classes) else 0


class Exported:
    """The language and the tree of a file; the language alone without `tables`."""

    def __init__(self, text: str, *, tables: bool = True) -> None:
        body = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        of_language = body[body.index("Definition language") : body.index("Definition the_machine")]
        automata = [
            Automaton(int(start), _rows(rows), _flat(classes))
            for start, rows, classes in _AUTOMATON.findall(of_language)
        ]
        self.answers, self.domain = automata
        found = re.search(r"num_symbols := (\d+)", of_language)
        assert found is not None
        self.num_symbols = int(found[1])
        if tables:
            self._read_tables(body)

    def _read_tables(self, body: str) -> None:
        chunk, repeat = (re.search(rf"{name} := (\d+)", body) for name in ("chunk", "repeat_from"))
        assert chunk is not None
        assert repeat is not None
        self.chunk_size, self.repeat = int(chunk[1]), int(repeat[1])
        self.tables = {}
        for name, rows in re.findall(r"Definition (\w+) := from_rows \d+\s+(.*?)\.\n", body, re.S):
            self.tables[name] = {
                (*row[: self.chunk_size - 1], last): result
                for row in reversed(_rows(rows))
                for last, result in enumerate(row[self.chunk_size - 1 :], 1)
                if result
            }
        self.levels = [
            (self.tables[inner], self.tables[outer], _flat(reading))
            for inner, outer, reading in re.findall(
                r"interior := (\w+); edge := (\w+); reading := from_classes \((.*?)\) \|",
                body,
                re.S,
            )
        ]
        empty = re.search(r"empty_class := (?:Some (\d+)|None)", body)
        assert empty is not None
        self.empty = None if empty[1] is None else int(empty[1])

    def _phase(self, level: int) -> int:
        count = len(self.levels)
        if level < count:
            return level
        return self.repeat + (level - self.repeat) % (count - self.repeat)

    def tree_class(self, word: Sequence[int]) -> int | None:
        if not word:
            return self.empty
        nodes, level = [symbol + 1 for symbol in word], 0
        while level == 0 or len(nodes) > 1:
            inner, outer, reading = self.levels[self._phase(level)]
            nodes = [0] * (-len(nodes) % self.chunk_size) + nodes
            cut = [
                tuple(nodes[i : i + self.chunk_size]) for i in range(0, len(nodes), self.chunk_size)
            ]
            found = [outer.get(cut[0]), *(inner.get(chunk) for chunk in cut[1:])]
            if None in found:
                return None
            nodes, level = [each for each in found if each is not None], level + 1
        value = reading[nodes[0] - 1] if nodes[0] <= len(reading) else 0
        return value - 1 if value else None

    def wrong_word(self, longest: int) -> tuple[int, ...] | None:
        """The first word of the domain that gets another class than its own."""
        for length in range(longest + 1):
            for word in product(range(self.num_symbols), repeat=length):
                inside = self.domain.class_of(word) == 1
                if inside and self.tree_class(word) != self.answers.class_of(word):
                    return word
        return None
