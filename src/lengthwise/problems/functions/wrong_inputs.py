"""Inputs on which a network writes a wrong output: what wrong classes mean for a function."""

from collections.abc import Sequence

from torch import nn

from lengthwise.errors import ClaimError, VerificationError
from lengthwise.evaluation.outputs import outputs_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import PrefixReading
from lengthwise.languages.functions.tables import shortest_pairs
from lengthwise.messages import shorten

_SHOWN = 60


def describe_wrong_input(
    model: nn.Module, reading: PrefixReading, word: Sequence[int]
) -> str | None:
    """Return the shortest input with a wrong output, of those that begin with a word or end with
    its reversal; None if there is none.

    Args:
        model: the network.
        reading: the function, with the language of its classes.
        word: a word whose class is wrong.
    """
    function = reading.function
    beginnings, endings = (
        [list(word) for word in shortest_pairs(automaton, automaton).values()]
        for automaton in (function.left, function.right)
    )
    symbols, backwards = range(len(function.alphabet)), [*reversed(word)]
    inputs = [
        *([*word, *reversed(ending)] for ending in endings),
        *([*beginning, symbol, *backwards] for beginning in beginnings for symbol in symbols),
    ]
    inputs.sort(key=len)
    for tried, written in zip(inputs, outputs_of(model, reading, inputs), strict=True):
        if said := _describe(function, function, tried, written.tolist()):
            return said
    return None


def refute_function(model: nn.Module, reading: PrefixReading, other: Function) -> None:
    """Refuse another function than the one of a network, by the shortest input on which they
    differ.

    Raises:
        ClaimError: the network writes another output there than the other function.
        VerificationError: it writes the output of the other one, so it may compute either or none.
        LanguageError: the other function is over other input symbols.
    """
    word, name = reading.function.difference(other), other.spec or "the other function"
    if word is None:
        return
    (written,) = outputs_of(model, reading, [word])
    said = _describe(reading.function, other, word, written.tolist())
    if said is None:
        raise VerificationError(
            f"the network was made for another function than {name}, and yet writes its output on "
            f"the shortest input on which the two differ. Certify without --against first."
        )
    raise ClaimError(f"counterexample: {said} of {name}.")


def _describe(
    own: Function, right: Function, word: Sequence[int], written: Sequence[int]
) -> str | None:
    """Return what is written for an input and is wrong, and where; None if it is right."""
    outputs = [own.outputs[symbol] for symbol in written]
    wanted = [right.outputs[symbol] for symbol in right.run(word)]
    wrong = [place for place, (a, b) in enumerate(zip(outputs, wanted, strict=True)) if a != b]
    if not wrong:
        return None
    joint = " " if max(map(len, (*own.outputs, *right.outputs))) > 1 else ""
    return (
        f"{shorten(own.reader.decode(word), _SHOWN)!r} becomes "
        f"{shorten(joint.join(outputs), _SHOWN)!r}; position {wrong[0] + 1} has the first wrong "
        f"symbol, {outputs[wrong[0]]!r} in place of {wanted[wrong[0]]!r}"
    )
