"""Python, Rust and Rocq decide the same changed certificates.

Rocq knows what an export carries: the table that the weights give, the language, its machine, and
the evidence (levels, pairs, state maps, the repetition). So these are changed, and not the weights.
A changed certificate is exported as it stands, with the table of the honest one where Python
refuses it, and Rocq computes `check_tree` or `check_recurrence`, the booleans that its theorems
rest on, of many of them in one file.

Python and Rust must agree on every file. What Python accepts, Rocq must accept. Rocq is content
with evidence that is enough; Python asks for exactly what follows, in its canonical form. So Rocq
may accept what Python refuses for its form (`FORMAL`), and then the statement must be true.
"""

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import Induction, check_with_induction
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.export.rocq import rocq_file
from proofs.export.test_rocq import library as library  # noqa: PLC0414  a fixture
from proofs.forger import (
    UNFIT,
    Body,
    another_language,
    body_of,
    merge_elements,
    one_field,
    shift_the_repeat,
    sign,
)
from proofs.second_checker import (
    RECURRENT,
    TREES,
    Decision,
    certificate_of,
    first_says,
    is_true,
    longer_proof,
    renumber_maps,
    renumber_states,
    second_checker,
    second_says,
)

NAMES = [name for name in (*TREES, *RECURRENT) if "wrong" not in name]
FEW, MANY = 20, 1_000
TOGETHER = 100
"""Certificates that one run of coqc decides."""

CARRIED = ("language", "machine", "maps", "levels", "repeats")
"""Fields that an export carries, but for the table."""

FORMAL = (
    "is what follows",  # pairs that do not occur are listed, too, or not in order
    "every state map is named",
    "every state map occurs once",
    "every state of the machine is reached",
    "no two states of the machine are alike",
    "the start is a state",
    "every state has a next one for each symbol",  # in a row that is too long, or never read
    "every state has a class",
    "classes exist",
    "every code that is named occurs",
    "nothing new follows the last level",
    "has the pairs of level",
    "do to the domain what those of",
    "are what follows",
    "has the symbols and classes of the language",  # a class that no word has may go unnamed
)
"""Requirements of Python that Rocq does not need: without them the evidence is still enough."""

needs_rocq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs Rocq: apt-get install coq"
)


# ---- changes -------------------------------------------------------------------------------------


def more_pairs(body: Body, choose: random.Random) -> None:
    """List a pair in a level that another level has, in its place in the order."""
    one, other = choose.choice(body["levels"]), choose.choice(body["levels"])
    place = choose.choice(["interior", "edge"])
    if one[place]:
        pair = choose.choice(one[place])
        other[place] = sorted([*other[place], pair] if pair not in other[place] else other[place])


def one_carried_field(body: Body, choose: random.Random) -> None:
    """Change one field that the export carries."""
    part = {name: body[name] for name in CARRIED}
    one_field(part, choose)
    body.update(part)


CHANGES: tuple[Callable[[Body, random.Random], None], ...] = (
    one_carried_field,
    one_carried_field,
    another_language,
    merge_elements,
    shift_the_repeat,
    renumber_states,
    renumber_maps,
    longer_proof,
    more_pairs,
)


@cache
def honest_of(name: str) -> tuple[Certificate, Induction | PrefixInduction]:
    """An honest certificate without a specification, and its induction."""
    made = certificate_of(name)
    verified, induction = check_with_induction(
        replace(made, language=replace(made.language, spec=""))
    )
    assert induction is not None
    return verified, induction


def change(name: str, seed: int) -> tuple[str, bytes]:
    """A certificate with one to three changes, signed, and what was done."""
    choose = random.Random(f"three {name} {seed}")
    body = body_of(honest_of(name)[0])
    done = []
    for _ in range(choose.choice([1, 1, 2, 3])):
        how = choose.choice(CHANGES)
        with np.errstate(all="ignore"), suppress(*UNFIT):
            how(body, choose)
        done.append(how.__name__)
    if isinstance(body["language"], dict):
        body["language"]["spec"] = ""
    return "+".join(done), sign(body)


# ---- Rocq ----------------------------------------------------------------------------------------


def export(name: str, path: Path) -> str | None:
    """The definitions of a changed certificate for Rocq; None if it has no such form.

    Where Python refuses it, the table is that of the honest one.
    """
    honest, induction = honest_of(name)
    try:
        claim = Certificate.load(path)
    except CertificateError:
        return None
    if claim.verdict != "equivalent" or claim.elements != honest.elements or not _is_plain(claim):
        return None
    try:
        return _definitions(*check_with_induction(claim))
    except CertificateError:
        pass
    try:
        own: Induction | PrefixInduction
        if isinstance(induction, Induction):
            own = Induction(claim, induction.network)
            own.read_off, own.empty_class = induction.read_off, induction.empty_class
        else:
            own = PrefixInduction(claim, induction.node)  # type: ignore[arg-type]
        return _definitions(claim, own)
    except (CertificateError, *UNFIT):
        return None


def _is_plain(claim: Certificate) -> bool:
    """Whether all numbers are natural numbers of a size that Rocq can write out in unary."""
    machine = claim.machine
    rows = [*machine.transitions, machine.classes, *claim.maps, [machine.start]]
    rows += [pair for level in claim.levels for pairs in level.values() for pair in pairs]
    numbers = [number for row in rows for number in row]
    return min(numbers) >= 0 and max(numbers) < 2**16 and 0 <= (claim.repeats or 0) < 100


def _definitions(claim: Certificate, induction: Induction | PrefixInduction | None) -> str:
    text = rocq_file(claim, induction)
    body = text[text.index("Definition language") : text.index("Theorem right_at")]
    check = "check_tree" if isinstance(induction, Induction) else "check_recurrence"
    return f"{body}\nDefinition decided : bool := {check} network language evidence.\n"


HEADER = """From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.
"""


def rocq_says(texts: Sequence[str], library: Path, folder: Path) -> list[bool]:
    """What Rocq computes of each of the definitions, many in one file."""
    found: list[bool] = []
    for start in range(0, len(texts), TOGETHER):
        part = texts[start : start + TOGETHER]
        modules = [f"Module c{i}.\n{text}End c{i}.\n" for i, text in enumerate(part)]
        decided = "; ".join(f"c{i}.decided" for i in range(len(part)))
        content = HEADER + "\n".join(modules) + f"\nEval vm_compute in [{decided}].\n"
        (folder / "many.v").write_text(content)
        command = ["coqc", "-q", "-Q", str(library), "Lengthwise", "many.v"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        said = re.findall(r"true|false", done.stdout)
        assert len(said) == len(part), done.stdout[-500:]
        found += [each == "true" for each in said]
    return found


# ---- all three -----------------------------------------------------------------------------------


def compare(name: str, count: int, library: Path, folder: Path) -> Counter[str]:
    """Let the three decide changed certificates; return how often they agreed, and how."""
    program, found = second_checker(), Counter[str]()
    paths, told = [], []
    for seed in range(count):
        how, content = change(name, seed)
        paths.append(folder / f"{seed}.json")
        paths[-1].write_bytes(content)
        told.append(f"{name} {seed} ({how})")
    firsts = [first_says(path) for path in paths]
    asked: list[tuple[str, Path, Decision, str]] = []
    for path, first, second, what in zip(
        paths, firsts, second_says(program, paths), told, strict=True
    ):
        assert first.accepted == second.accepted or first.is_of_rounding or second.is_of_rounding, (
            f"{what}: first {first}, second {second}"
        )
        text = export(name, path)
        if text is None:
            assert not first.accepted, what
            found["no export, two refuse"] += 1
        else:
            asked.append((what, path, first, text))
    said = rocq_says([text for *_, text in asked], library, folder)
    for (what, path, first, _), third in zip(asked, said, strict=True):
        if first.accepted:
            assert third, f"{what}: Python accepts, Rocq does not"
            found["three accept"] += 1
        elif not third:
            found["three refuse"] += 1
        else:
            assert any(reason in first.why for reason in FORMAL), f"{what}: {first.why}"
            assert is_true(path), f"{what}: {first.why}"
            found["enough for Rocq"] += 1
    return found


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_three_checkers_agree_on_changed_certificates(
    name: str, library: Path, tmp_path: Path
) -> None:
    found = compare(name, MANY, library, tmp_path)
    print(f"\n{name}: {dict(found)}")
    assert found["three refuse"] > MANY / 10
    assert found["three accept"] > 0
    assert sum(found.values()) == MANY


@pytest.mark.parametrize("name", NAMES)
def test_changes_reach_exports(name: str) -> None:
    """Of honest certificates there is one, and changes do not all end in files without a form."""
    assert f"Definition decided : bool := check_{'tree' if name in TREES else 'recurrence'}" in (
        _definitions(*honest_of(name))
    )
    for seed in range(5):
        how, content = change(name, seed)
        assert how
        assert content.startswith(b'{"format":2,')
