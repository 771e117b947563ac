"""Networks of Rocq files in fractions, by a reader that knows nothing of the exporter: an oracle.

It evaluates the definitions of `proofs/theories/Networks.v` on the text of a file.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

Vector = list[Fraction]
Node = tuple[str, Any]
"""`("pad", None)`, `("symbol", number)` or `("code", bits)`."""

PAD: Node = ("pad", None)

_TOKEN = re.compile(r'\{\||\|\}|:=|;|\[|\]|\(|\)|"[^"]*"|-?\d+|\w+')


def record_of(text: str) -> Any:
    """The value of a record of Rocq: dictionaries, lists, and fractions."""
    tokens = list(_TOKEN.findall(text))[::-1]
    return _value(tokens)


def _value(tokens: list[str]) -> Any:
    token = tokens.pop()
    if token == "{|":
        fields = {}
        while tokens[-1] != "|}":
            name = tokens.pop()
            assert tokens.pop() == ":="
            fields[name] = _value(tokens)
            if tokens[-1] == ";":
                tokens.pop()
        tokens.pop()
        return fields
    if token == "[":
        found = []
        while tokens[-1] != "]":
            found.append(_value(tokens))
            if tokens[-1] == ";":
                tokens.pop()
        tokens.pop()
        return found
    if token == "Qmake":
        return Fraction(_whole(tokens), _whole(tokens))
    if token == "fractions":
        return _fractions(_whole(tokens), _whole(tokens), tokens.pop())
    if token == "rows_of":
        places, width = _whole(tokens), _whole(tokens)
        return [_fractions(places, width, row) for row in _value(tokens)]
    if token in ("true", "false"):
        return token == "true"
    return token if token.startswith('"') else int(token)


def _whole(tokens: list[str]) -> int:
    token = tokens.pop()
    if token == "(":
        token = tokens.pop()
        assert tokens.pop() == ")"
    return int(token)


def _fractions(places: int, width: int, text: str) -> Vector:
    digits = [ord(each) - 48 for each in text.strip('"')]
    numbers = []
    for start in range(0, len(digits), width):
        number = 0
        for digit in digits[start : start + width]:
            number = 64 * number + digit
        numbers.append(Fraction(number - 64**width // 2, 2**places))
    return numbers


def _dot(x: Vector, y: Vector) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def _plus(x: Vector, y: Vector) -> Vector:
    return [a + b for a, b in zip(x, y, strict=True)]


def _affine(f: dict[str, Any], x: Vector) -> Vector:
    return [_dot(row, x) + b for row, b in zip(f["weight"], f["bias"], strict=True)]


def _relu(x: Fraction) -> Fraction:
    return max(x, Fraction(0))


class RationalNetwork:
    """Base of networks of a file: memory, and the class that is read off."""

    def __init__(self, record: dict[str, Any], memory: str, answer: str) -> None:
        self.record, self.memory, self.answer = record, record[memory], record[answer]

    def code(self, x: Vector) -> tuple[bool, ...]:
        return tuple(number >= 0 for number in _affine(self.memory["written"], x))

    def recall(self, bits: Sequence[bool]) -> Vector:
        on, off = self.memory["on"], self.memory["off"]
        return _affine(self.memory["recalled"], [on if bit else off for bit in bits])

    def class_of(self, x: Vector) -> int | None:
        logits = _affine(self.answer, x)
        best = logits.index(max(logits))
        return best if logits.count(max(logits)) == 1 else None


class RationalTree(RationalNetwork):
    """A tree of a file."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record, "node_memory", "answer")
        self.chunk_size = int(record["places"])
        self.known: dict[tuple[Node, ...], tuple[bool, ...]] = {}

    def vector(self, node: Node) -> Vector:
        kind, value = node
        if kind == "pad":
            return list(self.record["pad"])
        return self.recall(value) if kind == "code" else list(self.record["symbols"][value])

    def compose(self, nodes: Sequence[Node]) -> tuple[bool, ...]:
        key = tuple(nodes)
        if key not in self.known:
            x = [self.vector(node) for node in nodes]
            for layer in self.record["layers"]:
                x = [self._at(layer, x[: place + 1]) for place in range(len(x))]
            self.known[key] = self.code(x[-1])
        return self.known[key]

    def _at(self, layer: dict[str, Any], x: list[Vector]) -> Vector:
        gathered: Vector = []
        for head in layer["heads"]:
            asked = [a * self.record["query_scale"] for a in x[-1]]
            query = [_dot(row, asked) for row in head["query"]]
            parts = []
            for offset, seen in enumerate(reversed(x)):
                key = [_dot(row, seen) for row in head["key"]]
                weight = _relu(_dot(query, key) + head["offset_bias"][offset])
                value = [_dot(row, seen) for row in head["value"]]
                parts.append([weight * self.record["share"] * v for v in value])
            gathered += [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]
        h = _plus(x[-1], [_dot(row, gathered) for row in layer["output"]])
        hidden = [_relu(a) for a in _affine(layer["expand"], h)]
        return _plus(h, _affine(layer["contract"], hidden))

    def word_class(self, word: Sequence[int]) -> int | None:
        nodes: list[Node] = [("symbol", a) for a in word]
        is_first = True
        while is_first or len(nodes) > 1:
            missing = (-len(nodes) % self.chunk_size) if nodes else self.chunk_size
            nodes = [PAD] * missing + nodes
            nodes = [
                ("code", self.compose(nodes[i : i + self.chunk_size]))
                for i in range(0, len(nodes), self.chunk_size)
            ]
            is_first = False
        return self.class_of(self.vector(nodes[0]))


class RationalRecurrence(RationalNetwork):
    """A network of a file that reads symbol by symbol."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record, "cell_memory", "read_out")

    def start(self) -> tuple[bool, ...]:
        return self.code(self.record["first_vector"])

    def step(self, bits: Sequence[bool], symbol: int) -> tuple[bool, ...]:
        moved = _affine(self.record["recurrent"], self.recall(bits))
        return self.code([_relu(a) for a in _plus(self.record["symbol_rows"][symbol], moved)])

    def word_class(self, word: Sequence[int]) -> int | None:
        bits = self.start()
        for symbol in word:
            bits = self.step(bits, symbol)
        return self.class_of(self.recall(bits))


def network_of(text: str) -> RationalTree | RationalRecurrence:
    """The network of a file, or of a record alone."""
    if "Definition weights" in text:
        start = text.index("Definition weights")
        text = text[text.index("{|", start) : text.index("Definition codes")]
    record = record_of(text)
    return RationalTree(record) if "places" in record else RationalRecurrence(record)


def does(network: RationalTree | RationalRecurrence, num_symbols: int) -> list[Any]:
    """All that a network does: the codes that occur and what becomes of them, as plain values.

    Of trees it is what happens to all words of up to 2 C + 2 symbols, by their classes and codes.
    """
    if isinstance(network, RationalRecurrence):
        codes, found = [network.start()], []
        for bits in codes:
            after = [network.step(bits, symbol) for symbol in range(num_symbols)]
            found.append((bits, after, network.class_of(network.recall(bits))))
            codes += [each for each in after if each not in codes]
        return found
    words = [
        w for length in range(2 * network.chunk_size + 3) for w in words_of(num_symbols, length)
    ]
    classes = [network.word_class(word) for word in words]
    return [classes, sorted(network.known.items(), key=repr)]


def words_of(num_symbols: int, length: int) -> Iterator[tuple[int, ...]]:
    """All words of a length."""
    if length == 0:
        yield ()
        return
    for rest in words_of(num_symbols, length - 1):
        for symbol in range(num_symbols):
            yield (*rest, symbol)
