"""What `proofs/check.py` refuses before Rocq reads it, and what it says in one line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from check import Limits, ProofError, run
from form import FormError, require_form, theorems_of

from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.shipped import resolved, shipped_names
from proofs.export.test_rocq import exported, of_domain, wrong_late
from proofs.export.test_rocq import library as library  # noqa: PLC0414  a fixture
from proofs.export.test_rocq_weights import proved_recurrence
from proofs.rocq_kernel import PROOFS, accepted, needs_rocq
from proofs.trained import ENDS_WITH_1, last_symbol

VECTORS = Path(__file__).parents[1] / "vectors"
CERTIFICATES = sorted((PROOFS / "certificates").glob("*.v"))


# ---- what is taken -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: path.stem)
def test_shipped_certificates_have_the_form(path: Path) -> None:
    both = path.stem.endswith(("_rational", "_relu", "_tiny"))
    network = ["network_right_at_every_length"] if both else []
    assert require_form(path) == ["right_at_every_length", *network]


STRUCTURAL = ("d_12", "modular_arithmetic")
"""The models of these names in the zoo have proofs without a table; the files are of others."""
OF_THE_ZOO = [
    path
    for path in CERTIFICATES
    if path.stem.replace("_", "-") in shipped_names() and path.stem not in STRUCTURAL
]


@pytest.mark.parametrize("path", OF_THE_ZOO, ids=lambda path: path.stem)
def test_they_are_what_the_zoo_exports(path: Path) -> None:
    made = Certificate.load(resolved(f"zoo:{path.stem.replace('_', '-')}") / "certificate.json")
    lines, own = exported(made).splitlines(), path.read_text().splitlines()
    of_machine = [n for n, line in enumerate(own) if n == 0 or "verified content:" in line]
    assert len(of_machine) == 2  # the version, and a digest with bounds in floats
    for number in of_machine:
        lines[number] = own[number]
    assert lines == own


def test_twenty_are_of_the_zoo() -> None:
    assert len(OF_THE_ZOO) == 20


def test_exports_of_all_kinds_have_the_form() -> None:
    made = [of_domain(), certify(last_symbol(), ENDS_WITH_1), wrong_late(), proved_recurrence()]
    kinds = (
        *("valid-gru-wrong", "valid-relu-wrong", "valid-relu", "valid-relu-domain", "valid-tree"),
        *("valid-rational", "valid-rational-wrong", "valid-scratchpad", "valid-snapped"),
        *("valid-robust", "valid-bfloat16", "valid-tree-wrong", "valid-tree-domain"),
    )
    made += [Certificate.load(VECTORS / f"{name}.json") for name in kinds]
    for each in made:
        names = theorems_of(exported(each))
        right = "right_at_every_length" if each.verdict == "equivalent" else "wrong_word"
        assert names[0] == right
        assert set(names[1:]) <= {"right_up_to", "network_right_at_every_length"}


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
    assert accepted(FALSE[name], library, tmp_path)


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


def checked(*arguments: object) -> str:
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
    assert "byte 2 is not ASCII" in checked(bytes_)
    assert "Variable bad : False" in checked(forged)
    assert "No such file" in checked(tmp_path / "none.v")
    assert "its name is not of" in checked(tmp_path)


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
    assert "coqc Words.v needs more memory than 150 MB." in checked("--quick", "--megabytes", 150)
