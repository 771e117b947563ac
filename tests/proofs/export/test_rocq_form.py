"""What `proofs/check.py` refuses before Rocq reads it, and what it says in one line."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import check
import export_zoo
import pytest
from check import Limits, ProofError, digest, run
from form import FormError, require_form, theorems_of

from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from proofs.export.test_rocq import export, of_domain, wrong_late
from proofs.export.test_rocq import library as library  # noqa: PLC0414  a fixture
from proofs.export.test_rocq_weights import prove_recurrence
from proofs.rocq_kernel import PROOFS, accept, needs_rocq
from proofs.rocq_shipped import EXPORTED, SHIPPED, WRITTEN, find_text
from proofs.trained import ENDS_WITH_1, last_symbol

VECTORS = Path(__file__).parents[1] / "vectors"


# ---- what is taken -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_certificates_have_the_form(name: str) -> None:
    both = name.endswith(("_rational", "_relu", "_tiny"))
    network = ["network_right_at_every_length"] if both else []
    floats = both or name.endswith("_floats")
    network += ["float_network_right_at_every_length"] if floats else []
    assert theorems_of(find_text(name)) == ["right_at_every_length", *network]


FIGURES = {row["file"]: row for row in json.loads((PROOFS / "figures.json").read_text("utf-8"))}


@pytest.mark.parametrize("name", SHIPPED)
def test_they_are_what_rocq_accepted(name: str) -> None:
    """Rocq took the files of `figures.json`; the comment at the top has digests of a machine."""
    assert digest(find_text(name)) == FIGURES[name]["sha256"]


def test_figures_are_of_these_files_and_the_library() -> None:
    assert sorted(FIGURES) == sorted(["library", "floats", "smooth", *SHIPPED])


def test_the_file_to_read_is_what_the_zoo_exports() -> None:
    assert set(WRITTEN) & set(EXPORTED) == {"parity"}
    own, now = ((PROOFS / "certificates" / "parity.v").read_text(), find_text("parity"))
    differing = [
        one for one, two in zip(own.splitlines(), now.splitlines(), strict=True) if one != two
    ]
    assert len(differing) <= 2
    assert all("lengthwise" in line or "verified content:" in line for line in differing)


def test_exports_are_written_where_they_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "EXPORTED", tmp_path)
    assert {path.stem for path in check.every_file()} == set(WRITTEN)
    assert export_zoo.main(["--out", str(tmp_path)]) == 0
    found = check.every_file()
    assert sorted(path.stem for path in found) == list(SHIPPED)
    assert found[0].stat().st_size <= found[-1].stat().st_size
    assert tmp_path / "parity.v" in found
    (tmp_path / "file").touch()
    assert export_zoo.main(["--out", str(tmp_path / "file")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_exports_of_all_kinds_have_the_form() -> None:
    made = [of_domain(), certify(last_symbol(), ENDS_WITH_1), wrong_late(), prove_recurrence()]
    kinds = (
        *("valid-gru-wrong", "valid-relu-wrong", "valid-relu", "valid-relu-domain", "valid-tree"),
        *("valid-rational", "valid-rational-wrong", "valid-scratchpad", "valid-snapped"),
        *("valid-robust", "valid-bfloat16", "valid-tree-wrong", "valid-tree-domain"),
        *("valid-states", "valid-states-wrong", "valid-table"),
    )
    made += [Certificate.load(VECTORS / f"{name}.json") for name in kinds]
    for each in made:
        names = theorems_of(export(each))
        right = "right_at_every_length" if each.verdict == "equivalent" else "wrong_word"
        assert names[0] == right
        assert set(names[1:]) <= {
            *("right_up_to", "network_right_at_every_length"),
            "float_network_right_at_every_length",
        }


# ---- what is refused -----------------------------------------------------------------------------

PARITY = (PROOFS / "certificates" / "parity.v").read_text()
THEOREM = PARITY.index("Theorem right")
DATA, PROVED = PARITY[:THEOREM], PARITY[THEOREM:]
WRONG = DATA.replace(
    '"01";\n     "10"])\n    (numbers 1 "01");', '"01";\n     "11"])\n    (numbers 1 "01");', 1
)
"""The data with an automaton for another language, of which the table is wrong."""
STATEMENT = PROVED[: PROVED.index("Proof.")]
ASKED = "Print Assumptions right_at_every_length.\n"
SAYS_CLOSED = 'Goal True. idtac "Closed under the global context". exact I. Qed.\n'

CYRILLIC = "tr\u0435e_class"

FALSE = {
    "a variable": (
        f"{WRONG}Variable bad : False.\n{STATEMENT}Proof. destruct bad. Qed.\n{ASKED}{SAYS_CLOSED}"
    ),
    "another theorem is asked": (
        f"{WRONG}Context (bad : False).\n{STATEMENT}Proof. destruct bad. Qed.\n"
        "Theorem harmless : True. exact I. Qed.\nPrint Assumptions harmless.\n"
    ),
    "a word is never one": (
        f"{WRONG}Definition is_word (L : Words.language) (w : word) : Prop := False.\n"
        f"{STATEMENT}Proof. intros w []. Qed.\n{ASKED}"
    ),
    "the theorem in a comment": (
        f"{WRONG}(* {STATEMENT}*)\nTheorem right_at_every_length : True.\nProof. exact I. Qed.\n"
        f"{ASKED}"
    ),
    "a name that looks alike": (
        f"{WRONG}Definition {CYRILLIC} (T : tree) (w : word) : option N := "
        f"Some (class_of (answers language) w).\n{STATEMENT.replace('tree_class', CYRILLIC)}"
        f"Proof. reflexivity. Qed.\n{ASKED}"
    ),
    "a section": (
        f"{WRONG}Section S. Variable bad : False.\n{STATEMENT}Proof. destruct bad. Qed.\nEnd S.\n"
        f"{ASKED}"
    ),
    "a proof that is given up": f"{WRONG}{STATEMENT}Proof. Abort.\nPrint Assumptions tree_right.\n",
    "a notation": (
        f"{WRONG}Notation \"'Some' x\" := (tree_class network x) (at level 0).\n{PROVED}"
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_only_looks_like_a_certificate_is_refused(name: str, tmp_path: Path) -> None:
    assert WRONG != DATA
    file = tmp_path / "parity.v"
    file.write_text(FALSE[name], encoding="utf-8")
    with pytest.raises(FormError) as refusal:
        require_form(file)
    assert str(refusal.value).isascii()
    assert len(str(refusal.value).splitlines()) == 1


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FALSE if name != "a notation"])
def test_rocq_alone_would_take_it(name: str, library: Path, tmp_path: Path) -> None:
    """The form is what refuses: coqc accepts the file, and says of some theorem that it is
    closed."""
    assert accept(FALSE[name], library, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        DATA,
        PARITY.replace("Import ListNotations.", ""),
        PARITY.replace("Import ListNotations.", 'Import ListNotations.\nLoad "other".'),
        PARITY.replace("w = Some", "w <> Some"),
        PARITY.replace("is_word language w ->", ""),
        PARITY.replace("num_symbols := 2", "num_symbols := length nil"),
        PARITY.replace("Qed.", "Admitted."),
        PARITY.replace("language: parity", 'language: " *) Axiom a : False. (* "'),
        PARITY.replace('(numbers 1 "01")', '(numbers 1 "(* 01 *)")'),
        PARITY.replace("chunk := 2;", "chunk := ltac:(idtac; exact 2%nat);"),
        PARITY + "Theorem right : False.\n",
        PARITY + "(* open",
        PARITY + "Set Printing All",
    ],
)
def test_a_word_more_or_less_is_refused(text: str) -> None:
    with pytest.raises(FormError):
        theorems_of(text)


def test_comments_and_spaces_are_free() -> None:
    other = PARITY.replace("\n", "\n\n").replace(
        "Definition the_maps", "(* maps *)Definition the_maps"
    )
    assert theorems_of(other) == ["right_at_every_length"]


# ---- one line ------------------------------------------------------------------------------------


def run_check(*arguments: object) -> str:
    """What check.py complains of."""
    done = subprocess.run(
        [sys.executable, str(PROOFS / "check.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_files_that_are_none_are_refused_in_one_line(tmp_path: Path) -> None:
    bytes_, forged = tmp_path / "bytes.v", tmp_path / "forged.v"
    bytes_.write_bytes(b"(*\xff*)" + PARITY.encode())
    forged.write_text(FALSE["a variable"])
    assert "byte 2 is not ASCII" in run_check(bytes_)
    assert "Variable bad : False" in run_check(forged)
    assert "No such file" in run_check(tmp_path / "none.v")
    assert "its name is not of" in run_check(tmp_path)


def test_a_run_that_needs_more_time_or_memory_than_given_is_one_line(tmp_path: Path) -> None:
    busy = [sys.executable, "-c", "while True: pass"]
    with pytest.raises(ProofError, match=r"needs more than 1 s\. Give --seconds more\.$"):
        run(busy, tmp_path, Limits(seconds=1))
    large = [sys.executable, "-c", "print('Fatal error: out of memory'); raise SystemExit(2)"]
    with pytest.raises(ProofError, match=r"more memory than 900 MB\. Give --megabytes more\.$"):
        run(large, tmp_path, Limits(megabytes=900))
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    with pytest.raises(ProofError, match="more memory than there is"):
        run(killed, tmp_path, Limits())
    failed = [sys.executable, "-c", "print('one\\ntwo'); raise SystemExit(1)"]
    with pytest.raises(ProofError, match=r"failed: one two$"):
        run(failed, tmp_path, Limits())


@pytest.mark.skipif(shutil.which("coqc") is None, reason="needs Rocq: apt-get install coq")
def test_coqc_says_so_when_memory_ends() -> None:
    assert "coqc Words.v needs more memory than 150 MB." in run_check("--quick", "--megabytes", 150)
