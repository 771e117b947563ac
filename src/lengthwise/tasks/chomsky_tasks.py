"""The eleven tasks of Deletang et al. (2023) that no finite automaton solves.

*Neural networks and the Chomsky hierarchy* (arXiv 2207.02098) has fifteen tasks. The four regular
ones are languages here (`chomsky-parity`, ...). The others have the strings, outputs and
distributions of the authors' code, except at lengths at which it fills in constants: `shortest`
begins after them. Numbers of `binary-*` have their lowest digit first. Symbol 2 ends an output.
"""

import math
from abc import abstractmethod
from random import Random
from typing import ClassVar

from lengthwise.errors import WordError
from lengthwise.registry import Catalogue
from lengthwise.tasks.transduction import Transduction

CONTEXT_FREE, CONTEXT_SENSITIVE = "deterministic context-free", "context-sensitive"

_END = "2"
_MODULUS = 5
_DIGITS = "01234"


class Bits(Transduction):
    """Base of tasks on uniform strings of bits."""

    level = CONTEXT_SENSITIVE

    def draw(self, length: int, random: Random) -> str:
        """Return a string of symbols, each drawn uniformly."""
        return "".join(random.choices(self.symbols, k=length))


class ReverseString(Bits):
    """The string, backwards."""

    summary, level = "the string, backwards", CONTEXT_FREE
    examples = (("011010", "010110"),)

    def answer(self, word: str) -> str:
        """Return the string backwards."""
        return word[::-1]


class DuplicateString(Bits):
    """The string, twice."""

    summary = "the string, twice"
    examples = (("101", "101101"), ("111111", "111111111111"))

    def answer(self, word: str) -> str:
        """Return the string twice."""
        return 2 * word

    def output_length(self, length: int) -> int:
        """Return twice the length."""
        return 2 * length


class OddsFirst(Bits):
    """The symbols at odd positions, and then the others; positions count from 0.

    The authors' text counts from 1, and so begins with the first symbol. Their code does not.
    """

    summary = "the second, fourth, ... symbols, and then the others"
    examples = (("00110101", "01110100"), ("110", "110"))

    def answer(self, word: str) -> str:
        """Return the symbols at odd positions, and then the others."""
        return word[1::2] + word[::2]


class BucketSort(Bits):
    """The symbols 0 to 4, sorted."""

    summary = "the symbols, sorted"
    symbols = outputs = _DIGITS
    examples = (("10204112", "00111224"),)

    def answer(self, word: str) -> str:
        """Return the symbols in ascending order."""
        return "".join(sorted(word))


class MissingDuplicate(Transduction):
    """A string of bits twice, of which one bit is replaced by 2; 3 fills an odd length."""

    summary = "the bit that is replaced by 2 in a string that is there twice"
    level = CONTEXT_SENSITIVE
    symbols = "0123"
    shortest = 2
    examples = (("01100210", "1"), ("1011213", "0"))

    def draw(self, length: int, random: Random) -> str:
        """Return a string twice, with a hole."""
        half = "".join(random.choices("01", k=length // 2))
        hole = random.randrange(2 * len(half))
        whole = 2 * half
        return whole[:hole] + "2" + whole[hole + 1 :] + "3" * (length % 2)

    def answer(self, word: str) -> str:
        """Return the missing bit, which the other half has."""
        half = len(word) // 2
        return word[(word.index("2") + half) % (2 * half)]

    def output_length(self, length: int) -> int:
        """Return 1."""
        return 1


class StackManipulation(Transduction):
    """A stack from the bottom, then instructions: 2 pops, 3 pushes 0, 4 pushes 1."""

    summary = "the stack after pops (2) and pushes (3 of 0, 4 of 1), from the top"
    level = CONTEXT_FREE
    symbols, outputs = "01234", "012"
    shortest = 2
    examples = (("0110422", "1102"), ("110222", "2"))

    def draw(self, length: int, random: Random) -> str:
        """Return a stack of 1 to `length` - 1 bits, and instructions."""
        bits = random.randint(1, length - 1)
        instructions = random.choices("234", k=length - bits)
        return "".join(random.choices("01", k=bits) + instructions)

    def answer(self, word: str) -> str:
        """Return the last stack from its top; popping an empty one does nothing."""
        stack: list[str] = []
        for symbol in word:
            if symbol != "2":
                stack.append({"3": "0", "4": "1"}.get(symbol, symbol))
            elif stack:
                stack.pop()
        return "".join(reversed(stack)) + _END

    def output_length(self, length: int) -> int:
        """Return the number of symbols of a stack that is only pushed to, and its end."""
        return length + 1


class BracketArithmetic(Transduction):
    """The value mod 5 of an expression with brackets around each operation."""

    summary = "the value mod 5 of an expression with brackets"
    level = CONTEXT_FREE
    symbols, outputs = "01234+-*()", _DIGITS
    operators: ClassVar[str] = "+-*"
    examples = (("((1+2)*4)", "2"), ("(-3)", "2"), ("(1--3)", "4"))

    def draw(self, length: int, random: Random) -> str:
        """Return an expression."""
        return self.expression(length, random)

    def expression(self, length: int, random: Random) -> str:
        """Return a digit with a sign or brackets, or two expressions and an operator.

        The length of the first is uniform.
        """
        if length < 5:
            signed = "-" * (1 - length % 2) + random.choice(_DIGITS)
            return f"({signed})" if length > 2 else signed
        left = random.randrange(1, length - 3)
        parts = [self.expression(size, random) for size in (left, length - 3 - left)]
        return f"({random.choice(self.operators).join(parts)})"

    def answer(self, word: str) -> str:
        """Return the value mod 5."""
        return str(value_of(word))

    def output_length(self, length: int) -> int:
        """Return 1."""
        return 1


class SolveEquation(BracketArithmetic):
    """The digit x for which an expression without products has the value on the right."""

    summary = "the digit x that solves an equation mod 5 with brackets"
    symbols = "01234+-()x="
    operators = "+-"
    shortest = 3
    examples = (("(x+2)=1", "4"), ("x=3", "3"), ("((1-x)+2)=0", "3"))

    def draw(self, length: int, random: Random) -> str:
        """Return an expression whose digit at, or next after, a uniform place is replaced by x."""
        text = self.expression(length - 2, random)
        place = random.randrange(len(text))
        while text[place] not in _DIGITS:
            place = (place + 1) % len(text)
        return f"{text[:place]}x{text[place + 1 :]}={value_of(text)}"

    def answer(self, word: str) -> str:
        """Return the one digit that solves it: x is added or subtracted once."""
        left, _, right = word.partition("=")
        return next(d for d in _DIGITS if str(value_of(left.replace("x", d))) == right)


def value_of(text: str) -> int:
    """Return the value mod 5 of an expression with brackets around each operation.

    Raises:
        WordError: it is not one.
    """
    waiting: list[tuple[int, str]] = []  # left sides with their operators, of open brackets
    value: int | None = None
    is_negative = False
    for symbol in text:
        if symbol in _DIGITS and value is None:
            value = (-int(symbol) if is_negative else int(symbol)) % _MODULUS
            is_negative = False
        elif symbol == "(" and value is None and not is_negative:
            waiting.append((0, ""))
        elif symbol == "-" and value is None and not is_negative:
            is_negative = True
        elif symbol in "+-*" and value is not None and waiting and not waiting[-1][1]:
            waiting[-1] = (value, symbol)
            value = None
        elif symbol == ")" and value is not None and waiting:
            left, operator = waiting.pop()
            sums = {"": value, "+": left + value, "-": left - value, "*": left * value}
            value = sums[operator] % _MODULUS
        else:
            value = None
            break
    if value is None or waiting:
        raise WordError(f"{text[:40]!r} is not an expression such as ((1+2)*4). Write it so.")
    return value


class BinaryOperation(Transduction):
    """Base of operations on two numbers, lowest digits first."""

    level = CONTEXT_SENSITIVE
    outputs = "012"
    shortest = 3

    def draw(self, length: int, random: Random) -> str:
        """Return two positive numbers, and the sign between them at a uniform place."""
        first = random.randint(1, length - 2)
        numbers = (
            f"{random.randint(1, 2**size - 1):0{size}b}"[::-1]
            for size in (first, length - 1 - first)
        )
        return self.symbols[2].join(numbers)

    def answer(self, word: str) -> str:
        """Return the result without zeros at its end, and the symbol that ends it."""
        left, right = (int(number[::-1], 2) for number in word.split(self.symbols[2]))
        return f"{self.result(left, right):b}"[::-1] + _END

    @abstractmethod
    def result(self, left: int, right: int) -> int:
        """Return the result."""


class BinaryAddition(BinaryOperation):
    """The sum of two binary numbers."""

    summary = "the sum of two binary numbers, lowest digits first"
    symbols = "01+"
    examples = (("001+01101", "010112"), ("1001+000001", "1001012"))

    def result(self, left: int, right: int) -> int:
        """Return the sum."""
        return left + right

    def output_length(self, length: int) -> int:
        """Return room for a carry and the end."""
        return length + 1


class BinaryMultiplication(BinaryOperation):
    """The product of two binary numbers."""

    summary = "the product of two binary numbers, lowest digits first"
    symbols = "01*"
    examples = (("001*01101", "00011012"), ("1001*000001", "0000010012"))

    def result(self, left: int, right: int) -> int:
        """Return the product."""
        return left * right


class ComputeSqrt(Transduction):
    """The square root of a binary number, rounded down; highest digits first."""

    summary = "the square root of a binary number, rounded down"
    level = CONTEXT_SENSITIVE
    examples = (("100101", "110"), ("111", "10"))

    def draw(self, length: int, random: Random) -> str:
        """Return a uniform number above 0."""
        return f"{random.randint(1, 2**length - 1):0{length}b}"

    def answer(self, word: str) -> str:
        """Return the root, with half as many digits."""
        return f"{math.isqrt(int(word, 2)):0{self.output_length(len(word))}b}"

    def output_length(self, length: int) -> int:
        """Return half the length, rounded up."""
        return (length + 1) // 2


TRANSDUCTIONS: Catalogue[Transduction] = Catalogue(
    "string task",
    {
        "stack-manipulation": StackManipulation(),
        "reverse-string": ReverseString(),
        "modular-arithmetic-brackets": BracketArithmetic(),
        "solve-equation": SolveEquation(),
        "duplicate-string": DuplicateString(),
        "missing-duplicate": MissingDuplicate(),
        "odds-first": OddsFirst(),
        "binary-addition": BinaryAddition(),
        "binary-multiplication": BinaryMultiplication(),
        "compute-sqrt": ComputeSqrt(),
        "bucket-sort": BucketSort(),
    },
    expected=Transduction,
)
"""The tasks by name."""
