"""The export to Rocq: what stands in the file, what is refused, and what the kernel accepts."""

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from check import LIBRARY

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import CertificateError, ConfigError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check_with_induction
from lengthwise.proofs.export.rocq import require_rocq_name, rocq_file
from lengthwise.proofs.export.rocq_header import escape_string
from lengthwise.proofs.search.certify import certify
from proofs.rocq_changes import refuse, restatement, with_changed_bit
from proofs.rocq_kernel import PROOFS, accept, compile_library, needs_rocq
from proofs.rocq_reader import Exported
from proofs.rocq_shipped import SHIPPED, find_text
from proofs.trained import ENDS_WITH_1, last_symbol, of_odd_length


def of_domain(chunk_size: int = 3) -> Certificate:
    return certify(last_symbol(chunk_size), replace(ENDS_WITH_1, domain=of_odd_length()))


def wrong_late() -> Certificate:
    other = ENDS_WITH_1 ^ parse("regex:(0|1)(0|1)(0|1)(0|1)1*0", alphabet="01")
    return certify(last_symbol(), other)


def export(made: Certificate) -> str:
    return rocq_file(*check_with_induction(made))


# ---- without Rocq --------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk_size", [2, 3])
def test_the_exported_table_answers_as_the_language(chunk_size: int) -> None:
    for made in (certify(last_symbol(chunk_size), ENDS_WITH_1), of_domain(chunk_size)):
        assert Exported(export(made)).wrong_word(9) is None


def test_a_counterexample_is_the_first_wrong_word_of_the_table() -> None:
    made = wrong_late()
    assert made.counterexample is not None
    word = Exported(export(made)).wrong_word(8)
    assert word is not None
    assert len(word) == len(made.counterexample.word)


@pytest.mark.parametrize(
    "name", [n for n in SHIPPED if not n.endswith(("_relu", "_tiny", "_tiny_floats"))]
)
def test_shipped_tables_answer_as_their_languages(name: str) -> None:
    text = find_text(name)
    assert "Definition network : tree" in text
    short = 9 if "num_symbols := 2" in text else 6 if "num_symbols := 3" in text else 3
    assert Exported(text).wrong_word(short) is None


def test_the_file_says_that_it_is_about_a_table_alone() -> None:
    text = export(of_domain())
    assert "it says nothing about weights" in text
    assert text == export(of_domain())


def test_the_file_says_which_arithmetic_gives_the_table() -> None:
    text = export(certify(last_symbol(), ENDS_WITH_1, precision="bfloat16"))
    assert "codes of the network as it runs in bfloat16)" in text
    assert "bfloat16" not in export(certify(last_symbol(), ENDS_WITH_1))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("valid-snapped", "about the table of the snapped model, not about weights"),
        ("valid-states", "about the table of the snapped model, not about weights"),
        (
            "valid-table",
            "about the table in the certificate, not about weights",
        ),
        ("valid-robust", "about the table of classes of vectors, not about weights"),
        ("valid-structural", "has no table of codes"),
        ("invalid-not-closed", "nothing to check or to export"),
    ],
)
def test_the_command_says_what_can_be_exported(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = Path(__file__).parents[1] / "vectors" / f"{name}.json", tmp_path / "machine.v"
    status = main(["certify", "--check", str(file), "--export", "rocq", str(out)])
    assert said in capsys.readouterr().err.splitlines()[0]
    assert status == (0 if out.exists() else 2)
    assert out.exists() == said.startswith("about")


def test_an_export_that_needs_more_memory_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object, **__: object) -> None:
        raise MemoryError

    of_domain().save(tmp_path / "certificate.json")
    monkeypatch.setattr("lengthwise.proofs.export.rocq.rocq_file", out_of_memory)
    command = ["certify", "--check", str(tmp_path / "certificate.json")]
    assert main([*command, "--export", "rocq", str(tmp_path / "machine.v")]) == 2
    assert "needs more memory than there is" in capsys.readouterr().err.splitlines()[-1]


def test_hostile_names_stay_in_their_comment() -> None:
    names = ('*)Axiom\xadfalse:False.(*"', "\u202e*)")
    made = certify(
        last_symbol(),
        Language(
            alphabet=names,
            transitions=ENDS_WITH_1.transitions,
            classes=ENDS_WITH_1.classes,
            start=ENDS_WITH_1.start,
        ),
    )
    text = export(made)
    assert text.isascii()
    plain = export(certify(last_symbol(), ENDS_WITH_1))
    after = "From Coq Require"
    assert text[text.index(after) :] == plain[plain.index(after) :]
    assert text[: text.index(after)].count("(*") == 1
    assert escape_string('a"(*') == "a<22><28><2A>"


def test_structural_certificates_have_no_table() -> None:
    with pytest.raises(CertificateError, match="no table"):
        rocq_file(of_domain(), None)


@pytest.mark.parametrize("name", ["d-3.v", "1.v", "a.txt", "é.v", ".v"])
def test_rocq_takes_no_such_name(name: str) -> None:
    with pytest.raises(ConfigError, match=r"Use .*\.v"):
        require_rocq_name(Path(name))


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "certificate.json", tmp_path / "machine.v"
    made = of_domain()
    made.save(file)
    assert main(["certify", "--check", str(file), "--export", "rocq", str(out)]) == 0
    assert out.read_text() == export(made)
    for form, where, said in (("lean", out, "lean"), ("rocq", tmp_path / "a-b.v", "a_b.v")):
        assert main(["certify", "--check", str(file), "--export", form, str(where)]) == 2
        error = capsys.readouterr().err.strip().splitlines()[-1]
        assert said in error
    assert sorted(each.name for each in tmp_path.iterdir()) == ["certificate.json", "machine.v"]


def test_without_rocq_the_proofs_say_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PROOFS / "check.py")],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "apt-get install coq" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


# ---- with Rocq -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(LIBRARY, tmp_path_factory.mktemp("library"))


def change_statement(text: str, choose: random.Random) -> tuple[str, bool]:
    """A text whose theorem says something else, and whether that is false of a short word."""
    change = restatement(choose, "tree_class network", 9)
    start, end = text.index("Theorem right"), text.index("Proof.")
    plain = Exported(text)
    words = [word for length in range(10) for word in product(range(2), repeat=length)]
    is_false = any(
        plain.tree_class(change.asked(word))
        != plain.answers.class_of(change.true(word)) ^ change.flip
        for word in words
        if plain.domain.class_of(word) == 1
    )
    mutant = text[:start] + text[start:end].replace(change.old, change.new) + text[end:]
    assert mutant != text
    return mutant, is_false


def change_data(text: str, part: str, choose: random.Random) -> tuple[str, bool]:
    """A text with one bit changed in its data, and whether a short word is wrong in it."""
    first, last = {
        "table": ("Definition inner_0", "Definition the_maps"),
        "automaton": ("  answers := ", "  domain :="),
    }[part]
    mutant = with_changed_bit(text, first, last, choose)
    assert mutant != text
    return mutant, Exported(mutant).wrong_word(10) is not None


def mutate(name: str, part: str, count: int, library: Path, folder: Path) -> int:
    """Have false mutants of a certificate refused; return how many were left out as true."""
    text = find_text(name)
    assert accept(text, library, folder)
    if part == "statement":
        return refuse(partial(change_statement, text), count, library, folder)
    return refuse(partial(change_data, text, part), count, library, folder)


@needs_rocq
@pytest.mark.slow
def test_the_kernel_accepts_all_kinds(library: Path, tmp_path: Path) -> None:
    for made in (of_domain(), certify(last_symbol(), ENDS_WITH_1), wrong_late()):
        assert accept(export(made), library, tmp_path)


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("model", ["gru-binary", "scratchpad-window"])
def test_networks_that_read_symbol_by_symbol_are_accepted_and_no_changed_step(
    model: str, library: Path, tmp_path: Path
) -> None:
    """The minimal automaton needs each of its steps, and so does a network with a code for each
    state: every changed entry of its table makes some word wrong."""
    run = lw.train("tomita-4", model, device="cpu")
    made = certify(run.model, run.language)
    assert made.verdict == "equivalent"
    text = export(made)
    assert accept(text, library, tmp_path)
    start = text.index("next_code := ")
    end = text.index("code_class := ")
    rows = list(re.finditer(r'"(\d+)"', text[start:end]))
    assert len(rows) == 4
    for row in rows:
        for place in range(start + row.start(1), start + row.end(1)):
            mutant = text[:place] + str((int(text[place]) + 1) % 5) + text[place + 1 :]
            assert not accept(mutant, library, tmp_path), mutant


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("part", ["table", "automaton", "statement"])
def test_the_kernel_refuses_what_was_changed(part: str, library: Path, tmp_path: Path) -> None:
    for name in ("parity", "tomita_3", "d_3"):
        kept = mutate(name, part, 10, library, tmp_path)
        print(f"{name}, {part}: 10 refused, {kept} left the theorem true")
