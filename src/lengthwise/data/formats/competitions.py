"""Text formats of competitions and of other tools for inference.

abbadingo  `N ALPHABET`, then on each of N lines `LABEL LENGTH SYMBOL SYMBOL ...`; flexfringe, too
stamina    `+ SYMBOL SYMBOL ...` and `- SYMBOL SYMBOL ...` on each line
aalpy      `OUTPUT,INPUT/OUTPUT,INPUT/OUTPUT,...` on each line: the inputs up to each place are a
           word, and the output there is its label
"""

import re
from collections.abc import Iterator
from pathlib import Path

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import decode_text, open_unpacked
from lengthwise.data.formats.places import Place
from lengthwise.data.formats.reader import Reader, Row, label_of
from lengthwise.errors import TextError

_UNLABELLED = "-1"

_SIGNS = {"+": "1", "-": "0"}


class Abbadingo(Reader):
    """Files of the Abbadingo competition, which flexfringe and others read."""

    name = "abbadingo"
    endings = (".abbadingo", ".dat")
    shown = "LABEL LENGTH SYMBOL SYMBOL ..."

    def claims(self, beginning: bytes) -> bool:
        """Return whether a first line of two integers precedes one that counts its symbols."""
        lines = beginning.split(b"\n")[:2]
        if len(lines) < 2 or not re.fullmatch(rb"\s*[1-9]\d*\s+\d+\s*", lines[0]):
            return False
        first = lines[1].split()
        return len(first) > 1 and first[1].isdigit() and len(first) == int(first[1]) + 2

    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield the words; the header has their number."""
        expected, count = -1, 0
        unlabelled: Place | None = None
        labels: set[str] = set()
        for place, line in _lines(path):
            parts = line.split()
            if expected < 0:
                expected = _read_word_count(parts, place)
                continue
            if len(parts) < 2 or not parts[1].isdecimal():
                raise TextError(f"{place} is not a labelled word. Write {self.shown}.")
            symbols = parts[2:]
            if len(symbols) != int(parts[1]):
                raise TextError(
                    f"{place} says that it has {parts[1]} symbols, but has {len(symbols)}. Write "
                    f"{self.shown}."
                )
            for number, symbol in enumerate(symbols, start=1):
                if ":" in symbol or "/" in symbol:
                    raise TextError(
                        f"{place}, symbol {number}: {symbol!r:.40} has attributes or data behind "
                        f"`:` or `/`, which symbols of words do not have. Take them out."
                    )
            label = label_of(parts[0], place)
            labels.add(label)
            if label == _UNLABELLED:
                unlabelled = unlabelled or place
            if unlabelled is not None and labels >= {"0", "1", _UNLABELLED}:
                raise TextError(
                    f"{unlabelled}: the label -1, beside 0 and 1, is that of a word whose label is "
                    f"unknown. Take such lines out."
                )
            count += 1
            yield Row(place.number, symbols, label)
        if expected >= 0 and count != expected:
            raise TextError(
                f"{path} says in its first line that it has {expected:,} words, but it has "
                f"{count:,}. Correct the first line, or fetch the file again."
            )


def _read_word_count(parts: list[str], place: Place) -> int:
    """Return the number of words that the header says."""
    if len(parts) >= 2 and ":" in parts[1]:
        raise TextError(
            f"{place}: the header {' '.join(parts)!r:.40} says that symbols have attributes, which "
            f"symbols of words do not have. Take them out, and what follows `:`."
        )
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise TextError(
            f"{place} is not a header. Write the number of words and that of symbols, such as "
            f"1000 2."
        )
    return int(parts[0])


class Stamina(Reader):
    """Files of the StaMinA competition."""

    name = "stamina"
    shown = "+ SYMBOL SYMBOL ... or - SYMBOL SYMBOL ..."

    def claims(self, beginning: bytes) -> bool:
        """Return whether each line begins with + or - and a space."""
        lines = [line for line in beginning.split(b"\n")[:-1] if line.strip()]
        return bool(lines) and all(re.match(rb"[+-](\s|$)", line) for line in lines)

    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield the words; the label of `+` is 1, and that of `-` is 0."""
        for place, line in _lines(path):
            sign, *symbols = line.split()
            if sign not in _SIGNS:
                fault = "has no label" if sign == "?" else f"begins with {sign!r:.20}"
                raise TextError(f"{place} {fault}. Write {self.shown}.")
            yield Row(place.number, symbols, _SIGNS[sign])


class Aalpy(Reader):
    """Traces of inputs and outputs, as AALpy's IODelimiterTokenizer reads them."""

    name = "aalpy"
    shown = "OUTPUT,INPUT/OUTPUT,INPUT/OUTPUT,..."

    def rows(self, path: Path, columns: Columns) -> Iterator[Row]:
        """Yield each beginning of the inputs of a trace, with the output behind it."""
        for place, line in _lines(path):
            first, *pairs = line.split(",")
            yield Row(place.number, [], label_of(first, place))
            inputs: list[str] = []
            for number, pair in enumerate(pairs, start=1):
                symbol, mark, output = pair.partition("/")
                if not mark or not symbol.strip() or "/" in output:
                    raise TextError(
                        f"{place}, step {number}: {pair!r:.40} is not INPUT/OUTPUT. Write "
                        f"{self.shown}."
                    )
                inputs.append(symbol.strip())
                yield Row(place.number, list(inputs), label_of(output, place))


def _lines(path: Path) -> Iterator[tuple[Place, str]]:
    """Yield the lines that are not empty, with their places."""
    with open_unpacked(path) as file:
        for number, content in enumerate(file, start=1):
            line = decode_text(content, path, number - 1).strip()
            if line:
                yield Place(path, "line", number), line
