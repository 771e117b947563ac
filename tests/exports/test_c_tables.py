"""The C program of an automaton gives every word its class, and compiles without a warning."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

import lengthwise as lw
from lengthwise.exports.c_tables import C
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
