"""Exact match, from models whose mistakes are known."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import TaskError
from lengthwise.evaluation.steps import exact_matches, generate_steps
from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import Layout, StepTask


class Knowing(nn.Module):
    """Writes what is right, but for some symbols of some words."""

    def __init__(self, task: StepTask, layout: Layout, wrong: dict[tuple[int, ...], int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self._task, self._layout, self._wrong = task, layout, wrong

    def forward(
        self, tokens: Tensor, *, first: int = 0, generator: torch.Generator | None = None
    ) -> Tensor:
        raise NotImplementedError

    def complete(self, prefix: Tensor, steps: int) -> Tensor:
        words = self._task.sequences(prefix, self._layout)
        assert words.shape[1] == prefix.shape[1] + steps
        for word in words:
            place = self._wrong.get(tuple(word[: prefix.shape[1]].tolist()))
            if place is not None:
                word[prefix.shape[1] + place] ^= 1
        return words


TASK = make_step_task("steps:addition", {"bits": 2, "order": "carries"})  # c2 c3 e1 e2
INPUTS = torch.tensor([[1, 0, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])


def test_a_word_is_exact_if_its_outputs_are_right_whatever_stands_between() -> None:
    layout = TASK.layout("strong")
    model = Knowing(TASK, layout, {(1, 1, 0, 1): 0, (0, 0, 0, 0): 3})
    seen: list[tuple[int, int]] = []
    found = exact_matches(model, TASK, layout, INPUTS, progress=lambda *s: seen.append(s))
    assert (found.words, found.exact, found.first_wrong) == (4, 3, "0000")
    assert found.right_at == {"c2": 0.75, "c3": 1.0, "e1": 1.0, "e2": 0.75}
    assert seen == [(4, 4)]
    summary = found.summary()
    assert summary["exact_match"] == 0.75
    assert summary["interval_95"][0] < 0.75 < summary["interval_95"][1]
    assert (summary["worst_step"], summary["worst_step_accuracy"]) == ("c2", 0.75)


def test_weak_layouts_have_outputs_alone() -> None:
    layout = TASK.layout("weak")
    found = exact_matches(Knowing(TASK, layout, {}), TASK, layout, INPUTS)
    assert (found.exact, found.first_wrong, list(found.right_at)) == (4, None, ["e1", "e2"])


def test_nothing_and_no_writer_are_refused() -> None:
    layout = TASK.layout("strong")
    with pytest.raises(TaskError, match="nothing to test on"):
        exact_matches(Knowing(TASK, layout, {}), TASK, layout, INPUTS[:0])
    with pytest.raises(TaskError, match="cannot complete sequences"):
        generate_steps(nn.Linear(1, 1), layout, INPUTS)


def test_runs_that_write_unlike_steps_are_compared_at_their_outputs(tmp_path: Path) -> None:
    folders = [tmp_path / supervision for supervision in ("strong", "weak")]
    for folder in folders:
        settings: dict[str, Any] = {
            **{"bits": 3, "examples": 8, "validation_words": 8, "test_words": 40},
            **{"steps": 2, "warmup": 0, "supervision": folder.name},
        }
        lw.train("steps:addition", preset="smoke", device="cpu", out=folder, **settings)
        assert main(["evaluate", str(folder)]) == 0
    for found, folder in zip(lw.compare(folders).runs, folders, strict=True):
        right_at = json.loads((folder / "evaluation.json").read_text())["right_at"]
        outputs = [name for name in right_at if name.startswith("e")]
        assert (len(right_at) > len(outputs)) == (folder.name == "strong")
        assert list(found.curve.points.values()) == [100 * right_at[name] for name in outputs]
    (folders[0] / "evaluation.json").write_text("{}")
    assert main(["report", str(folders[0]), "--out", str(tmp_path / "page.html")]) == 2
    assert not (tmp_path / "page.html").exists()
