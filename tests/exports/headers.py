"""Headers of C as tests run them: all that their functions return, and headers with one change."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from lengthwise.exports.c_tables import Header
from lengthwise.exports.format import Exported
from lengthwise.languages.language import Language

CC = shutil.which("gcc") or shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="needs a C compiler")

_START = """
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf out;
static void leave(int number) { signal(number, leave); siglongjmp(out, 1); }
#define SHOW(call) if (sigsetjmp(out, 1)) puts("undefined"); else printf("%u\\n", call)
"""

_DUMP = """
static void dump_PREFIX(void)
{
    unsigned numbers[] = {NUMBERS};
    int i, j, count = sizeof numbers / sizeof *numbers;
    SHOW(mPREFIX_reset());
    for (i = 0; i < count; i++) {
        SHOW(mPREFIX_class(numbers[i]));
        for (j = 0; j < count; j++)
            SHOW(mPREFIX_step(numbers[i], numbers[j]));
    }
}
"""

_MAIN = """
int main(void)
{
    signal(SIGILL, leave);
    signal(SIGTRAP, leave);
    CALLS
    return 0;
}
"""

Returned = list[int | None]
"""What reset, class and step return for some numbers; None where C leaves it undefined."""


def header_of(language: Language) -> str:
    return Header().content(Exported(language=language.minimise(), name="m"))


def run_header(header: str, numbers: list[int], folder: Path) -> Returned | None:
    """What the compiled functions return, or None if the compiler refuses the header."""
    return run_headers([(header, numbers)], folder)[0]


def run_headers(pairs: Sequence[tuple[str, list[int]]], folder: Path) -> list[Returned | None]:
    """The same of many headers in one program, in which each has a prefix of its own."""
    sources = [
        f'#line 1 "{place}"\n'
        + header.replace("m_", f"m{place}_").replace("M_", f"M{place}_")
        + _DUMP.replace("NUMBERS", ", ".join(f"{number}u" for number in numbers)).replace(
            "PREFIX", str(place)
        )
        for place, (header, numbers) in enumerate(pairs)
    ]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wno-tautological-compare", "-pedantic-errors"]
    flags += ["-D_POSIX_C_SOURCE=200809L", "-fsanitize=bounds"]
    flags += ["-fsanitize-undefined-trap-on-error", "-fmax-errors=0"]
    left = set(range(len(sources)))
    while left:
        calls = "".join(f'puts("next"); dump_{place}();' for place in sorted(left))
        parts = (_START, *(sources[place] for place in sorted(left)), '#line 1 "main"')
        whole = "\n".join((*parts, _MAIN.replace("CALLS", calls)))
        (folder / "dump.c").write_text(whole)
        command = [str(CC), *flags, "dump.c", "-o", "dump"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        refused = set(map(int, re.findall(r"^(\d+):[\d:]+ error", done.stderr, re.MULTILINE)))
        assert refused & left, done.stderr
        left -= refused
    returned: list[Returned | None] = [None] * len(sources)
    if left:
        said = subprocess.run([str(folder / "dump")], capture_output=True, text=True, check=True)
        dumps = said.stdout.split("next\n")[1:]
        for place, dump in zip(sorted(left), dumps, strict=True):
            returned[place] = [None if line == "undefined" else int(line) for line in dump.split()]
    return returned


def expected_of(language: Language, numbers: list[int]) -> Returned:
    """What a header has to return: the minimal automaton, a state for all else, and 32,767."""
    machine = language.total().minimise()
    found: Returned = [0]
    for state in numbers:
        is_state = state < machine.num_states
        found.append(machine.classes[state] if is_state else 32767)
        found += [
            machine.transitions[state][symbol]
            if is_state and symbol < machine.num_symbols
            else machine.num_states
            for symbol in numbers
        ]
    return found


@dataclass(frozen=True)
class Change:
    """A header with one token in place of another."""

    header: str
    said: str
    returned: tuple[int | None, ...] = ()
    """What its functions return."""


_SWAPPED = {
    ">=": (">", "<", "<=", "==", "!="),
    "||": ("&&", "|", "&"),
    "m_next": ("m_classes",),
    "m_classes": ("m_next",),
    "state": ("symbol",),
    "symbol": ("state",),
    "M_STATES": ("M_SYMBOLS", "M_NONE"),
    "M_SYMBOLS": ("M_STATES", "M_NONE"),
    "M_NONE": ("M_STATES", "M_SYMBOLS"),
}


def changes_of(header: str) -> Iterator[Change]:
    """Headers with one constant, operator, bound or name changed, outside comments and lines #."""
    code = header.index("enum {")
    for found in re.finditer(r"/\*.*?\*/|#.*|\w+|>=|\|\|", header[code:]):
        token = found[0]
        instead = (
            tuple(str(int(token) + step) for step in (-1, 1, 256) if int(token) + step >= 0)
            if token.isdecimal()
            else _SWAPPED.get(token, ())
        )
        start, end = code + found.start(), code + found.end()
        for other in instead:
            line = header.count("\n", 0, start) + 1
            yield Change(header[:start] + other + header[end:], f"line {line}: {token} to {other}")
