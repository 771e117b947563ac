"""Changes of files for Rocq that make them false, which the kernel must refuse."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from proofs.rocq_kernel import accept

Word = tuple[int, ...]


class Restatement(NamedTuple):
    """A change of a theorem: it says that the class of `asked(w)`, with bits turned over, is that
    of `true(w)`."""

    old: str
    new: str
    asked: Callable[[Word], Word]
    true: Callable[[Word], Word]
    flip: int


def restatement(choose: random.Random, network: str, most: int) -> Restatement:
    """Draw a change of what a theorem says of `network w`, with fewer than `most` symbols more or
    less."""
    symbol, count = choose.randrange(2), choose.randrange(1, most)
    flip = 2 ** choose.randrange(5)
    answers, given = "(class_of (answers language) w)", f"{network} w"
    kinds = [
        Restatement(answers, f"(N.lxor {flip} {answers})", lambda w: w, lambda w: w, flip),
        Restatement(
            given,
            f"{network} (w ++ repeat {symbol} {count})",
            lambda w: w + (symbol,) * count,
            lambda w: w,
            0,
        ),
        Restatement(given, f"{network} (firstn {count} w)", lambda w: w[:count], lambda w: w, 0),
        Restatement(
            answers,
            f"(class_of (answers language) ({symbol} :: w))",
            lambda w: w,
            lambda w: (symbol, *w),
            0,
        ),
    ]
    return choose.choice(kinds)


def with_changed_bit(text: str, first: str, last: str, choose: random.Random) -> str:
    """A text with one bit changed in one digit of the quoted numbers between two phrases."""
    start, end = text.index(first), text.index(last)
    places = [
        start + quoted.start(1) + offset
        for quoted in re.finditer(r'"([^"]*)"', text[start:end])
        for offset in range(len(quoted[1]))
    ]
    place = choose.choice(places)
    digit = (ord(text[place]) - 48) ^ (1 << choose.randrange(6))
    return text[:place] + chr(48 + digit) + text[place + 1 :]


def refuse(
    change: Callable[[random.Random], tuple[str, bool]], count: int, library: Path, folder: Path
) -> int:
    """Have the kernel refuse so many false texts; return how many were left out as true.

    `change` draws a text, and says whether a short word shows that it is false. Where none does,
    the theorem may be true, and proves nothing here.
    """
    choose, found, kept = random.Random(0), 0, 0
    while found < count:
        mutant, is_false = change(choose)
        if is_false:
            assert not accept(mutant, library, folder), mutant
            found += 1
        else:
            kept += 1
    return kept
