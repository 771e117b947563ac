"""Only the certificate of a network that is right proves what it computes."""

from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import RunError
from lengthwise.problems.runs import load_run
from lengthwise.problems.subjects import read_equivalence, read_subject
from lengthwise.proofs.check.certificate import Certificate

SMALL = ("--preset", "smoke", "--device", "cpu")


def test_a_certificate_of_a_wrong_network_proves_no_language(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    assert main(["train", "parity", "--model", "regular-gpt-binary", "--out", folder, *SMALL]) == 0
    assert main(["certify", folder]) == 1
    assert Certificate.load(tmp_path / "run" / "certificate.json").verdict == "counterexample"
    assert read_equivalence(load_run(folder, device="cpu")) is None
    assert read_subject(folder) == lw.language("parity")
    with pytest.raises(RunError, match="nothing proves which language the network of"):
        read_subject(folder, proved=True)


def test_a_proved_run_has_its_language() -> None:
    assert read_subject("zoo:parity", proved=True) == lw.language("parity")
    assert read_equivalence(load_run("zoo:parity", device="cpu")) is not None
