"""The command `examine`: runs, import paths, the page, and slips."""

from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.proofs.search.snapped_states import SnappedStates

CODE = """
import torch
from torch import nn

class Parity(nn.Module):
    def start(self):
        return torch.tensor([[1.0, -1.0]]), torch.zeros(1, 1)

    def step(self, state, symbols):
        after = (state - symbols[:, None]).abs()
        return torch.cat([0.5 - after, after - 0.5], dim=1), after

network = Parity()

def build(*, vocab_size, num_classes):
    return Parity()

def number():
    return 5
"""

FEW = ["--budget", "8", "--longest", "60", "--words", "4"]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own_steps.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lengthwise.models.custom._ENTRIES", {})
    return tmp_path


@pytest.mark.parametrize("name", ["network", "build"])
def test_a_network_of_an_import_path_is_examined(shell: Shell, own: Path, name: str) -> None:
    given = ["examine", f"own_steps:{name}", "parity", *FEW]
    found = shell.json(*given, "--out", "page.html", "--save-snapped", "table.safetensors")
    assert found["network"] == "Parity"
    assert found["snapping"]["verdict"] == "equivalent"
    assert found["wrong_word"] is None
    assert "not a proof" in found["raw"]
    assert "right at every length" in (own / "page.html").read_text(encoding="utf-8")
    assert SnappedStates.load(own / "table.safetensors").num_symbols == 2


def test_a_run_knows_its_language(shell: Shell) -> None:
    status, out, _ = shell("examine", "zoo:parity", *FEW, "--device", "cpu")
    assert status == 0
    assert "as it runs           proved: The model as it runs gives every word of parity" in out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["own_steps:network"], "does not know its language. Add it: lengthwise examine"),
        (["nowhere"], "nowhere is not a folder"),
        (["own_steps:number", "parity"], "must take vocab_size and num_classes"),
        (["own_steps:missing", "parity"], "cannot be imported"),
        (["own_steps:network", "parity", "--out", "page.txt"], "must end in .html"),
        (["own_steps:network", "parity", "--budget", "0"], "above 0"),
        (["own_steps:network", "cycle-navigation"], "logits [1, 5]"),
    ],
)
def test_slips_are_one_line(
    own: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    assert main(["examine", *given]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1
