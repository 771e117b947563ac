"""Headers of C: the kernel accepts theorems about 25 of them, and about no changed one."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from check import FLOATS, LIBRARY, Limits, ProofError, compile_certificate, compile_program
from form import theorems_of
from programs import THEOREMS, data_of, explain, theorems_about

import lengthwise as lw
from exports.headers import Change, changes_of, expected_of, header_of, needs_cc, run_headers
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check_with_induction
from lengthwise.proofs.export.rocq import language_file, save_rocq
from lengthwise.zoo_paths import resolve_path
from proofs.export.test_rocq_form import run_check
from proofs.rocq_kernel import accept, compile_library, needs_flocq, needs_rocq, run_rocq
from proofs.trained import of_odd_length

AUTOMATA = (
    *("parity", "even-pairs", "cycle-navigation", "modular-arithmetic", "d-2", "d-3", "d-4"),
    *("d-12", "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6", "tomita-7"),
    *("group:S3", "group:Z7", "count:1:20", "regex:(ab|ba|c{2,5})*a?", "regex:[ab]*"),
)
NETWORKS = (
    "cycle-navigation-tiny",
    "d-2-tiny",
    "even-pairs-tiny",
    "tomita-4-tiny",
    "tomita-6-tiny",
)
MUTATED = ("parity", "cycle-navigation", "d-2", "tomita-3", "group:S3")
START = """From Coq Require Import List NArith.
From Lengthwise Require Import Words Data Programs ProgramChecker.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(LIBRARY, tmp_path_factory.mktemp("library"))


def language_data(language: Language) -> str:
    text = language_file(language.minimise(), ())
    return text[text.index("Definition language") :]


def theorem(number: int, header: str, language: Language) -> str:
    parts = (language_data(language), data_of(header), THEOREMS)
    return "\n".join((f"Module M{number}.", *parts, f"End M{number}.\n"))


# ---- without Rocq --------------------------------------------------------------------------------


def test_the_theorems_are_about_the_bytes_of_the_header() -> None:
    header = header_of(parse("parity")).replace("automaton of", 'automaton "of"')
    text = theorems_about(header, "parity")
    found = re.search(r'source := "((?:[^"]|"")*)"%text', text)
    assert found is not None
    assert found[1].replace('""', '"') == header
    assert 'prefix := "m"%text' in text
    assert "language := parity.language" in text


def test_a_language_alone_has_the_form_but_is_no_certificate(tmp_path: Path) -> None:
    language, header = tmp_path / "even.v", tmp_path / "even.h"
    lw.export("parity", language)
    assert theorems_of(language.read_text()) == []
    assert f"{language} is a language without a theorem. Give a header" in run_check(language)
    lw.export("parity", header)
    assert f"{header} follows no certificate. Use check.py FILE.v" in run_check(header)
    program = tmp_path / "even.c"
    assert f"{program} has more than tables. Export a header" in run_check(language, program)
    source = header.read_text()
    for changed, said in (
        (source.replace("reset", "begin"), "no function resets"),
        (source.replace("automaton", "\u00e9"), "byte 10 is '\\xc3'. Export it again"),
    ):
        header.write_text(changed, encoding="utf-8")
        assert said in run_check(language, header)
    assert "No such file" in run_check(language, tmp_path / "none.h")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("     = (false, None)\n     : bool * option word", "not in the part of C"),
        ("= (true, Some (10%N\n  :: 2%N :: nil))\n : bool", "its symbols: 10 2"),
        ("= (true, Some nil)\n : bool * option word", "its symbols: none"),
        ("= (true, None)\n : bool * option word", "numbers that lead out of"),
    ],
)
def test_what_rocq_prints_is_explained(printed: str, said: str) -> None:
    assert said in explain(printed)


@needs_cc
def test_changed_headers_are_found_wrong_by_running_them(tmp_path: Path) -> None:
    """What `test_no_changed_header_is_proved` rests on."""
    changes = wrong_changes("parity", random.Random(0), 3, tmp_path)
    assert len({change.said for change in changes}) == 3


def wrong_changes(spec: str, choose: random.Random, count: int, folder: Path) -> list[Change]:
    """Changes after which a function returns something else, or C leaves it undefined."""
    language = parse(spec)
    numbers = numbers_of(language)
    expected = expected_of(language, numbers)
    changes = list(changes_of(header_of(language)))
    choose.shuffle(changes)
    headers = [header_of(language), *(change.header for change in changes)]
    unchanged, *returned = run_headers([(header, numbers) for header in headers], folder)
    assert unchanged == expected
    found = [
        replace(change, returned=tuple(one))
        for change, one in zip(changes, returned, strict=True)
        if one is not None and one != expected
    ]
    assert len(found) >= count
    return found[:count]


def numbers_of(language: Language) -> list[int]:
    """All states and symbols, the first numbers that are neither, and large ones."""
    machine = language.total().minimise()
    return [*range(max(machine.num_states, machine.num_symbols) + 2), 32767, 2**32 - 1]


# ---- with Rocq -----------------------------------------------------------------------------------


@needs_rocq
@pytest.mark.slow
def test_headers_of_automata_and_networks_are_proved(library: Path, tmp_path: Path) -> None:
    domain = lw.language("regex:(0|1)*1")
    inside = Language(
        alphabet=domain.alphabet,
        transitions=domain.transitions,
        classes=domain.classes,
        start=domain.start,
        domain=of_odd_length(),
    )
    languages = [*map(parse, AUTOMATA), inside]
    theorems = [theorem(i, header_of(language), language) for i, language in enumerate(languages)]
    for name in NETWORKS:
        made = lw.export(f"zoo:{name}", tmp_path / "m.h")
        assert "Certificate" in made.notes[1]
        theorems.append(theorem(len(theorems), (tmp_path / "m.h").read_text(), made.language))
    assert accept(START + "".join(theorems), library, tmp_path)


@needs_rocq
@needs_cc
@pytest.mark.slow
def test_no_changed_header_is_proved_and_rocq_returns_what_c_does(
    library: Path, tmp_path: Path
) -> None:
    """Each change makes the compiled functions return something else. What Rocq says that they
    return is what they return, unless it does not read the header."""
    choose, text = random.Random(0), START + QUESTIONS
    changes: list[Change] = []
    for spec in MUTATED:
        language = parse(spec)
        found = wrong_changes(spec, choose, 20, tmp_path)
        changes += found
        numbers = "; ".join(map(str, numbers_of(language)))
        sources = ";\n".join(quoted(change.header) for change in found)
        text += (
            f"Module M{len(changes)}.\n{language_data(language)}\n"
            f"Definition sources := [{sources}].\n"
            f"Eval vm_compute in map (all [{numbers}]) sources.\n"
            f"Eval vm_compute in map (proved language) sources.\nEnd M{len(changes)}.\n"
        )
    done = run_rocq(text, library, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.findall("true|false", done.stdout) == ["false"] * 100
    rows = re.findall(r"\[([^\[\]]*)\]\s*[;\]]", done.stdout)
    assert len(rows) == 100
    read = 0
    for change, row in zip(changes, rows, strict=True):
        if row.strip():
            read += 1
            found_by_rocq = [
                None if one == "None" else int(one.removeprefix("Some "))
                for one in (" ".join(part.split()) for part in row.split(";"))
            ]
            assert found_by_rocq == list(change.returned), change.said
    print(f"100 changed headers refused; Rocq reads {read} of them as C does")
    assert read >= 50


QUESTIONS = """
Definition all (numbers : list N) (source : text) : list (option N) :=
  match parse source with
  | None => []
  | Some p =>
      reset p "m" :: flat_map (fun s => class_in p "m" s :: map (step p "m" s) numbers) numbers
  end.
Definition proved (L : language) (source : text) : bool :=
  (check_program source "m" L && check_safe source "m" (num_symbols L))%bool.
"""


OUTSIDE = (
    ("M_SYMBOLS = 2", "M_SYMBOLS = 02"),
    ("M_SYMBOLS = 2", "M_SYMBOLS = 0x2"),
    ("M_SYMBOLS = 2", "M_SYMBOLS = 2u"),
    ("M_SYMBOLS = 2", "M_SYMBOLS = 32768"),
    ("{0, 1},", "{0, 256},"),
    ("{0, 1},", "{0},"),
    ("{0, 1},", "{0, 1, 0},"),
    ("{0, 1},", "{0, 1},,"),
    ("uint8_t m_next", "int8_t m_next"),
    ("m_next[2][2]", "m_next[2][3]"),
    ("static const", "static"),
    ("/* the state before", "// the state before"),
    ("/* the state before", "/* ??/ the state before"),
    ("/* the state before", "/* \\ the state before"),
    ("#endif", "/* #endif"),
    ("#endif", "#endif /* M_H */"),
    ("#endif\n", "#endif"),
    ("#endif\n", "#endif\nunsigned x;\n"),
    ("#endif\n", "#define m_step 0\n#endif\n"),
    ("#define M_H", "#define M_H static"),
    ("#define M_H", "#define M_G"),
    ("M_H\n", "state\n"),
    ("M_H\n", "unsigned\n"),
    ("#include <stdint.h>", '#include "stdint.h"'),
    ("enum {", "enum <%"),
    ("m_next[state]", "m_next<:state:>"),
    ("return 0;", "return 0; return 1;"),
    ("return 0;", ""),
    ("return 0;", "return -0;"),
    ("return 0;", "return m_reset();"),
    ("state >= M_STATES ||", "state >= M_STATES |"),
    ("state >= M_STATES ||", "(state >= M_STATES) ||"),
    ("state >= M_STATES ||", "state >= M_STATES && state >= M_STATES ||"),
    ("state >= M_STATES", "state > = M_STATES"),
    ("if (", "while ("),
    ("unsigned symbol)", "int symbol)"),
    ("unsigned symbol)", "unsigned symbol, ...)"),
)
"""Changes after which a header is not in the part of C that the theorems know."""

INSIDE = (
    ("enum {", "enum/* a */{"),
    ("return 0;", 'return\n/* "b" */0 ;'),
    ("static inline unsigned m_class", "enum { OTHER = 3 };\nstatic inline unsigned m_class"),
    ("uint8_t m_next", "uint16_t m_next"),
)


@needs_rocq
@pytest.mark.slow
def test_a_header_has_nothing_that_the_theorems_do_not_know(library: Path, tmp_path: Path) -> None:
    header = header_of(parse("parity"))
    assert all(old in header for old, _ in (*OUTSIDE, *INSIDE))
    texts = [quoted(header.replace(old, new)) for old, new in (*OUTSIDE, *INSIDE)]
    done = run_rocq(
        f"{START}Eval vm_compute in map is_program [{'; '.join(texts)}].\n", library, tmp_path
    )
    expected = ["false"] * len(OUTSIDE) + ["true"] * len(INSIDE)
    assert re.findall("true|false", done.stdout) == expected, done.stderr


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@needs_flocq
@pytest.mark.slow
def test_a_header_is_proved_of_the_file_of_a_certificate(library: Path, tmp_path: Path) -> None:
    """One theorem says that the weights give the language, another one that the header does."""
    certificate, header = tmp_path / "d_2.v", tmp_path / "d_2.h"
    file = Certificate.load(resolve_path("zoo:d-2-tiny") / "certificate.json")
    save_rocq(certificate, *check_with_induction(file))
    assert "network_right_at_every_length" in theorems_of(certificate.read_text())
    lw.export("zoo:d-2-tiny", header)
    build = tmp_path / "build"
    compile_library(FLOATS, library)
    compile_certificate(certificate, library, build, Limits())
    compile_program(header, certificate, library, build, Limits())
    right = header.read_text()
    header.write_text(right.replace("{1, 2}", "{2, 2}", 1))
    assert header.read_text() != right
    with pytest.raises(ProofError, match="another class; its symbols: "):
        compile_program(header, certificate, library, build, Limits())
