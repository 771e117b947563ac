"""The C program of an automaton gives every word its class, and compiles without a warning."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import lengthwise as lw
from exports.headers import expected_of, header_of, run_header
from lengthwise.errors import ConfigError
from lengthwise.exports.c_tables import C, Header
from lengthwise.exports.format import Exported
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import class_of, machines, words_of_all_lengths

CC = shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="needs a C compiler")


def program(language: Language, folder: Path, *, name: str = "m", notes: str = "") -> Path:
    source = folder / "m.c"
    exported = Exported(language=language.minimise(), name=name, notes=(notes,))
    source.write_text(C().content(exported), encoding="utf-8")
    target = folder / "m"
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    main = C().content(exported).split("#ifdef ")[1].split("\n")[0]
    subprocess.run([str(CC), *flags, "-c", str(source), "-o", f"{target}.o"], check=True)
    subprocess.run([str(CC), *flags, f"-D{main}", str(source), "-o", str(target)], check=True)
    return target


def answers(target: Path, text: str) -> list[str]:
    done = subprocess.run([str(target)], input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def require_equal(language: Language, target: Path, words: list[tuple[int, ...]]) -> None:
    written = "".join(f"{language.decode(word)}\n" for word in words)
    assert answers(target, written) == [class_of(language, word) for word in words]


@needs_cc
@pytest.mark.parametrize(
    ("spec", "count"),
    [
        pytest.param("parity", 10_000, marks=pytest.mark.slow),
        ("group:S3", 100),
        ("cycle-navigation", 100),
        ('regex:a(b|é|"|\\?\\?/|\\\\|\U0001f600)*', 100),
        ("att[one two]", 100),
    ],
)
def test_the_program_answers_as_the_automaton(spec: str, count: int, tmp_path: Path) -> None:
    if spec.startswith("att"):
        language = Language(
            alphabet=("*/", "/*", "???", "a\0", "ab"),
            transitions=((1, 0, 0, 0, 1), (0, 1, 1, 2, 1), (2, 2, 0, 2, 2)),
            classes=(2, 0, 1),
            class_names=("no", 'per"haps', "??/ yes"),
        )
    else:
        language = parse(spec)
    target = program(language, tmp_path, notes="*/ /* ??/ \\")
    require_equal(language, target, words_of_all_lengths(language, count))


@needs_cc
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(machine=machines(alphabet="ab"))
def test_random_automata(machine: Language, tmp_path: Path) -> None:
    require_equal(machine, program(machine, tmp_path), words_of_all_lengths(machine, 100))


@needs_cc
def test_tables_of_more_than_a_byte(tmp_path: Path) -> None:
    draw = Random(3)
    language = Language(
        alphabet=tuple(f"s{i}" for i in range(3)),
        transitions=tuple(tuple(draw.randrange(700) for _ in range(3)) for _ in range(700)),
        classes=tuple(draw.randrange(300) for _ in range(700)),
    )
    target = program(language, tmp_path, name="9 tables/int")
    assert "uint16_t automaton_9_tables_int_next" in (tmp_path / "m.c").read_text()
    require_equal(language, target, words_of_all_lengths(language, 100))


@needs_cc
@pytest.mark.parametrize("name", ["parity-tiny", "s3-tiny"])
def test_a_proved_recurrent_network_is_its_table(name: str, tmp_path: Path) -> None:
    run = lw.load(f"zoo:{name}")
    exported = lw.export(run, tmp_path / "m.c")
    assert "Certificate " in (tmp_path / "m.c").read_text()
    target = program(exported.language, tmp_path)
    words = [run.language.decode(w) for w in words_of_all_lengths(run.language, 60, longest=90)]
    assert answers(target, "".join(f"{word}\n" for word in words)) == lw.predict(run, words)


def test_a_comment_has_no_trigraph() -> None:
    names = ("0", "???/")
    language = Language(alphabet=("a",), transitions=((0,),), classes=(1,), class_names=names)
    assert "??" not in C().content(Exported(language=language, notes=("a ????/ b",)))


@needs_cc
def test_lines_as_they_come(tmp_path: Path) -> None:
    target = program(parse("parity"), tmp_path)
    assert answers(target, "") == []
    assert answers(target, "\n") == ["0"]
    assert answers(target, "1 1 1\r\n\n1") == ["1", "0", "1"]
    for text in ("0\n02", "0\n\xe9", "0\n\U0001f600"):
        done = subprocess.run([str(target)], input=text.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, b"0\n")
        assert done.stderr.startswith(b"line 2: '")
    target = program(parse("group:S3"), tmp_path)
    long = subprocess.run([str(target)], input=b"1" * 999, capture_output=True, check=False)
    assert (long.returncode, long.stdout) == (2, b"")


# ---- headers -------------------------------------------------------------------------------------


@needs_cc
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(machine=machines(alphabet="ab"))
def test_a_header_has_the_automaton_and_is_safe(machine: Language, tmp_path: Path) -> None:
    numbers = [*range(machine.num_states + 3), 32767, 32768, 2**32 - 1]
    assert run_header(header_of(machine), numbers, tmp_path) == expected_of(machine, numbers)


@needs_cc
def test_a_header_with_a_domain_and_more_than_a_byte(tmp_path: Path) -> None:
    inside = lw.language("regex[ab]:(ab)*")
    language = Language(
        alphabet=("a", "b"), transitions=((1, 0), (0, 1)), classes=(0, 1), domain=inside
    )
    assert run_header(header_of(language), [0, 1, 2, 3, 4], tmp_path) == expected_of(
        language, [0, 1, 2, 3, 4]
    )
    draw = Random(3)
    large = Language(
        alphabet=("a", "b"),
        transitions=tuple(tuple(draw.randrange(700) for _ in range(2)) for _ in range(700)),
        classes=tuple(draw.randrange(300) for _ in range(700)),
    )
    numbers = [0, 1, 2, large.minimise().num_states - 1, large.minimise().num_states]
    assert "uint16_t m_next" in header_of(large)
    assert run_header(header_of(large), numbers, tmp_path) == expected_of(large, numbers)


def test_the_comment_of_a_header_is_plain() -> None:
    language = Language(alphabet=("\u00e9", "\\", "?"), transitions=((0, 0, 0),), classes=(1,))
    exported = Exported(language=language, notes=("a ??/ \\ */ b",))
    header = Header().content(exported)
    assert header.isascii()
    assert not {*header} & {*"\\?"}
    assert "&#233;" in header
    assert header.count("*/") == 4


def test_a_header_has_numbers_of_every_int() -> None:
    row = tuple(range(1, 32769))
    language = Language(
        alphabet=("a",), transitions=tuple((s % 32768,) for s in row), classes=(1, *[0] * 32767)
    )
    with pytest.raises(ConfigError, match="32,768 states, 1 symbols and 2 classes"):
        Header().content(Exported(language=language))


_FOLD = """
#include "m.h"
#include <stddef.h>
unsigned m_of(const unsigned char *word, size_t length)
{
    unsigned state = m_reset();
    while (length--)
        state = m_step(state, *word++);
    return m_class(state);
}
"""

_BLOCK = """
#include "m.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **values)
{
    static unsigned char block[1000000];
    size_t i, length = fread(block, 1, sizeof block, stdin);
    long times = atol(values[count - 1]);
    unsigned state = m_reset();
    while (times--)
        for (i = 0; i < length; i++)
            state = m_step(state, block[i]);
    printf("%u\\n", m_class(state));
    return 0;
}
"""


@needs_cc
def test_parity_has_at_most_300_bytes(tmp_path: Path) -> None:
    """All that `size` counts as text: code, both tables and the frame of the unwinder."""
    if shutil.which("size") is None:
        pytest.skip("needs size")
    (tmp_path / "m.h").write_text(header_of(parse("parity")))
    (tmp_path / "fold.c").write_text(_FOLD)
    for compiler in filter(shutil.which, ("gcc", "clang")):
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Os", "-c"]
        subprocess.run([*command, "fold.c"], cwd=tmp_path, check=True)
        said = subprocess.run(["size", "fold.o"], cwd=tmp_path, capture_output=True, check=True)
        text, data, bss = map(int, said.stdout.split()[6:9])
        print(f"{compiler} -Os: {text} bytes of text")
        assert text <= 300
        assert (data, bss) == (0, 0)


@needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["parity", "group:S3"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_header_follows_long_words(spec: str, compiler: str, tmp_path: Path) -> None:
    """10^9 symbols at -O2 by gcc, and 10^7 otherwise."""
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    language = parse(spec).minimise()
    (tmp_path / "m.h").write_text(header_of(language))
    (tmp_path / "block.c").write_text(_BLOCK)
    block = np.random.default_rng(0).integers(0, language.num_symbols, 10**6).astype(np.uint8)
    after = list(range(language.num_states))
    for symbol in block.tolist():
        after = [language.transitions[state][symbol] for state in after]
    for level in range(4):
        times = 1000 if (compiler, level) == ("gcc", 2) else 10
        flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-O{level}"]
        subprocess.run([compiler, *flags, "block.c", "-o", "block"], cwd=tmp_path, check=True)
        state = language.start
        for _ in range(times):
            state = after[state]
        said = subprocess.run(
            [str(tmp_path / "block"), str(times)],
            input=block.tobytes(),
            capture_output=True,
            check=True,
        )
        assert int(said.stdout) == language.classes[state], (compiler, level)
