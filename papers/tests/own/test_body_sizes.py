"""Bodies are compared by their size."""

from pathlib import Path

import numpy as np
import pytest

from lengthwise.problems.planning import make_plan
from lengthwise_papers.experiment import Record
from lengthwise_papers.own import body_sizes
from lengthwise_papers.steps2022 import table2
from step_records import SINE, by_name, record


def test_bodies_are_compared_by_their_size() -> None:
    def run(body: str, kind: str, exact: float, seed: int = 0) -> Record:
        plan = make_plan("steps:addition", "gpt2", settings={"body": body})
        named = {"row": body, "column": kind, "settings": {"network": plan.network.to_dict()}}
        return {**record("weak", 8, SINE, exact, seed), **named}

    frozen = "pretrained, frozen"
    records = [
        run("text-large", frozen, 0.5),
        run("text-large", frozen, 0.7, seed=1),
        run("text-small", frozen, 0.6),
        run("text-small", "random, frozen", 0.1),
    ]
    lines = by_name(body_sizes.table(records))
    parameters = 8 * (12 * 512**2 + 13 * 512) + 2 * 512 + 512 * 512 + 2 * 512 + 512 * 2 + 2
    large = lines["text-large", "8 x 512 wide"]
    assert large["parameters"] == f"{parameters:,}"
    assert (large[frozen], large["random, frozen"]) == ("0.7000", "no record")
    assert lines["text-small", "4 x 128 wide"]["random, frozen"] == "0.1000"
    (statement,) = body_sizes.check(records)
    assert statement.holds
    assert statement.says.startswith("text-large (pretrained, frozen)")
    assert statement.says.endswith("than text-small")
    (axes,) = body_sizes.figures(records)["exact-match"].axes
    line = next(line for line in axes.lines if line.get_label() == frozen)
    assert np.asarray(line.get_ydata()).tolist() == [0.6, 0.7]
    assert not body_sizes.check([run("text-large", frozen, 0.6), records[2]])[0].holds
    assert body_sizes.check(records[2:]) == []
    assert body_sizes.figures([]) == {}


@pytest.mark.parametrize("is_there", [True, False])
def test_bodies_are_made_of_the_corpus_that_is_there(
    is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, tuple[Path | None, str]] = {}

    def make(body: str, *, corpus: Path | None, half: str, progress: object) -> None:
        made[body] = corpus, half

    monkeypatch.setattr(table2, "make_named", make)
    if is_there:
        (tmp_path / "index.json").touch()
    bodies = ("text-small", "text-large")
    sizes = body_sizes.Sizes(preset="smoke", bodies=bodies, corpus=tmp_path, half=bodies[1:])
    jobs = [run.job for run in body_sizes.runs(sizes, ()) if "random" not in run.column]
    body_sizes.prepare(sizes, jobs, lambda done, steps: None)
    corpus = tmp_path if is_there else None
    assert made == {"text-small": (corpus, "none"), "text-large": (corpus, "bfloat16")}


def test_bodies_are_trained_in_half_precision_if_they_were_pretrained_in_it() -> None:
    sizes = body_sizes.BODY_SIZES.presets["laptop"]
    halves = {
        (run.row, run.column)
        for run in body_sizes.runs(sizes, ())
        if run.job.plan.training.autocast == "bfloat16"
    }
    assert halves == {("text-large", table2.FROZEN), ("text-large", table2.POSITIONS)}
