"""`lw.arena`: layers of one's own, resuming, and slips."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.arenas.cell import LONG
from lengthwise.errors import ConfigError, LengthwiseError
from lengthwise.sweeps.folder import claim_sweep

TINY: dict[str, Any] = {
    "preset": "smoke",
    "budget": 0.3,
    "words_per_length": 1,
    "steps": 2,
    "validate_every": 2,
    "progress": False,
}


class Count(nn.Module):
    """Adds numbers of symbols, and answers at every position."""

    def __init__(self, vocab_size: int, num_classes: int, width: int = 4) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab_size, width)
        self.answer = nn.Linear(width, num_classes)
        self.width = width

    def start(self) -> tuple[Tensor, Tensor]:
        state = torch.zeros(1, self.width)
        return self.answer(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        after = torch.tanh(state + self.embed(symbols))
        return self.answer(after), after


def fails(*, vocab_size: int, num_classes: int) -> nn.Module:
    raise RuntimeError("no such layer")


def test_a_layer_of_ones_own_is_trained_examined_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**TINY, "languages": ["tomita-1"], "seeds": [0, 1], "out": tmp_path / "a"}
    monkeypatch.setattr("lengthwise.arenas.cell.LONG", 1_000)
    found = lw.arena(Count, **given)
    assert [cell.seed for cell in found.cells] == [0, 1]
    assert all(cell.found and cell.found["reads_symbols"] for cell in found.cells)
    assert found.cells[0].right(41, 500) is not None
    assert found.cells[0].right(LONG, LONG) is not None
    outcomes = sorted((tmp_path / "a" / "runs").glob("*/outcome.json"))
    stamps = [path.stat().st_mtime_ns for path in outcomes]
    more = {**given, "seeds": [0, 5], "finished": True}
    assert [cell.seed for cell in lw.arena(Count, **more).cells] == [0]
    again = lw.arena(Count, **given)
    assert again.to_dict() == found.to_dict()
    assert [path.stat().st_mtime_ns for path in outcomes] == stamps
    assert lw.Arena.load(tmp_path / "a" / "arena.json").table == found.table


@pytest.mark.parametrize(
    ("networks", "more", "message"),
    [
        ([], {}, "needs a network"),
        (["gru", "gru"], {}, "gru is given twice"),
        ("gruu", {}, "gruu"),
        (Count(2, 2), {}, "Give a function of vocab_size"),
        ("gru", {"suite": "regula"}, "unknown suite 'regula'"),
        ("gru", {"preset": "paper"}, "unknown preset 'paper'"),
        ("gru", {"languages": "parity"}, "languages is a list"),
        ("gru", {"languages": ["parity", "parity"]}, "given twice"),
        ("gru", {"languages": ["pariti"]}, "pariti"),
        ("gru", {"languages": ["steps:addition"]}, "is neither"),
        ("encoder-cls", {"languages": ["chomsky:bucket-sort"]}, "at the end of a string only"),
        ("gru", {"budget": 0}, "above 0"),
        ("gru", {"seeds": []}, "no seed"),
        (fails, {}, "no such layer"),
        ("gru", {"finished": True}, "no cell of this arena"),
    ],
)
def test_a_slip_is_told_in_one_line_before_anything_is_written(
    tmp_path: Path, networks: Any, more: dict[str, Any], message: str
) -> None:
    given = {**TINY, "languages": ["parity"], "out": tmp_path / "a", **more}
    with pytest.raises(LengthwiseError, match=message) as slip:
        lw.arena(networks, **given)
    assert "\n" not in str(slip.value)
    assert not (tmp_path / "a").exists()


def test_outputs_after_strings_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.arenas.protocol._LENGTHS", (2, 5, 41, 60))
    given = {**TINY, "languages": ["chomsky:solve-equation"], "seeds": [0], "out": tmp_path / "a"}
    found = lw.arena([Count, "gru"], **given)
    assert [cell.given for cell in found.cells] == ["outputs", "outputs"]
    assert [row[0] for row in found.cells[0].by_length] == [5, 41, 60]
    assert found.matrix[1][0][0] == "chomsky:solve-equation"
    found.save(tmp_path / "page.html")
    assert lw.Arena.load(tmp_path / "a" / "arena.json").to_dict() == found.to_dict()


def test_another_suite_does_not_mix_with_one(tmp_path: Path) -> None:
    given = {**TINY, "languages": ["tomita-1"], "seeds": [0], "out": tmp_path / "a"}
    claim_sweep(tmp_path / "a" / "runs", "arena regular")
    with pytest.raises(LengthwiseError, match="holds the sweep of arena regular"):
        lw.arena("gru", suite="mlregtest", **given)


def test_what_fails_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConfigError("cannot be examined")

    monkeypatch.setattr("lengthwise.arenas.cell.examine", refuse)
    given = {**TINY, "languages": ["tomita-1"], "seeds": [0]}
    found = lw.arena("gru", **given)
    assert found.failures == ["gru on tomita-1, seed 0: ConfigError: cannot be examined"]
    assert found.table[1][0][3] == "0 of 1"


@pytest.mark.slow
def test_the_example_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(lw.__file__).parents[2] / "docs" / "arena.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    names = {"__name__": "__main__"}
    exec(compile(example, "arena.md", "exec"), names)
    assert capsys.readouterr().out.startswith("['parity', '")
    assert (tmp_path / "arena" / "arena.html").is_file()
