"""The radii of both checkers, of every number of the models that come with the package.

The second checker counts the sizes of entries where the first counts norms, so its radii are at
most those of the first, and at least a tenth of them, where a sign or a class decides the proof.
Where vectors are snapped, numbers are few and often 0, and radii are up to `MORE` times as large,
besides what small numbers lose, which is below `TINY`.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.proofs.check.balls import Arithmetic, Floats
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.zoo_paths import ROOT as MODELS
from proofs.second_checker import ROOT

TINY, MORE = 1e-30, 1.01
SAME = 1e-12
"""Of two centres, which were computed in other orders."""

CERTIFICATES = sorted(path.parent.name for path in MODELS.glob("*/certificate.json"))


@pytest.fixture(scope="module")
def talking_checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second checker, which prints each number that a sign or a class is read off."""
    if shutil.which("rustc") is None:
        pytest.skip("needs rustc: apt-get install rustc")
    text = (ROOT / "checker" / "checker.rs").read_text(encoding="utf-8")
    for function, result, name in (("signs", "Vec<bool>", "numbers"), ("class", "usize", "logits")):
        head = f"fn {function}({name}: &[Number]) -> Checked<{result}> {{\n"
        assert text.count(head) == 1
        said = f'    {name}.iter().for_each(|(x, r)| println!("number {{x:e}} {{r:e}}"));\n'
        text = text.replace(head, head + said)
    source = tmp_path_factory.mktemp("checker") / "talking.rs"
    source.write_text(text, encoding="utf-8")
    program = source.with_suffix("")
    subprocess.run(
        ["rustc", "--edition", "2021", "-O", "-o", program, source], check=True, capture_output=True
    )
    return program


@contextmanager
def record(patch: pytest.MonkeyPatch) -> Iterator[list[Floats]]:
    """All numbers with their radii, `[number, 2]`, that the first checker computes from now on."""
    plain, found = Arithmetic.numbers, []

    def numbers(self: Arithmetic, x: Any, matrix: Any) -> Any:
        centre, radius = plain(self, x, matrix)
        found.append(np.stack([centre.ravel(), radius.ravel()], axis=1))
        return centre, radius

    with patch.context() as patched:
        patched.setattr(Arithmetic, "numbers", numbers)
        yield found


def range_at(centres: Floats, known: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest radius that is known of each number; each is known."""
    known = known[np.argsort(known[:, 0])]
    reach = SAME * (1 + np.abs(centres))
    low = np.searchsorted(known[:, 0], centres - reach, side="left")
    high = np.searchsorted(known[:, 0], centres + reach, side="right")
    assert (high > low).all()
    ends = np.stack([low, high], axis=1).ravel()
    radii = np.append(known[:, 1], 0.0)  # an end may be that of all
    return np.minimum.reduceat(radii, ends)[::2], np.maximum.reduceat(radii, ends)[::2]


@pytest.mark.slow
@pytest.mark.parametrize("name", CERTIFICATES)
def test_radii_of_the_second_checker_are_at_most_those_of_the_first(
    name: str, talking_checker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = MODELS / name / "certificate.json"
    made = Certificate.load(path)
    with record(monkeypatch) as found:
        check(made)
    done = subprocess.run([talking_checker, path], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("number ")]
    theirs = np.array([[float(number), float(radius)] for _, number, radius in lines])
    assert len(theirs) > 10
    least, most = range_at(theirs[:, 0], np.concatenate(found))
    if made.strength == "snapped":
        assert (theirs[:, 1] <= MORE * most + TINY).all()
    else:
        assert (theirs[:, 1] <= most).all()
        assert (theirs[:, 1] >= 0.1 * least).all()
