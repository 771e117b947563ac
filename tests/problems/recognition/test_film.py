"""Films of recognisers: the codes that networks have, whatever happens on the way."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lengthwise as lw
import staged
from lengthwise.errors import ConfigError
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.film import codes_in_the_making
from lengthwise.problems.runs import train
from lengthwise.proofs.check.arrays import ABSENT
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.network import node_of
from lengthwise.training.runs import RunFolder

SMALL: dict[str, Any] = {"d_model": 16, "num_bits": 8, "steps": 60, "validate_every": 5, "seed": 1}
MODEL = "regular-gpt-binary"


def words(film_or_folder: RunFolder) -> list[tuple[int, ...]]:
    film = film_or_folder.film()
    assert film is not None
    rows = zip(film.tokens.tolist(), film.lengths.tolist(), strict=True)
    return [tuple(row[len(row) - length :]) for row, length in rows]


def root_code(algebra: BinaryAlgebra, word: tuple[int, ...]) -> list[bool]:
    """The code at the root by the verifier's own algebra, chunk by chunk."""
    nodes, level = list(word), 0
    while level == 0 or len(nodes) > 1:
        missing = -len(nodes) % algebra.chunk_size if nodes else algebra.chunk_size
        children = np.array([ABSENT] * missing + nodes).reshape(-1, algebra.chunk_size)
        edge = algebra.compose(level, children[:1], edge=True)
        inner = algebra.compose(level, children[1:], edge=False)
        nodes, level = [*edge.tolist(), *inner.tolist()], level + 1
    found: list[bool] = algebra.codes[nodes[0]].tolist()
    return found


@pytest.mark.slow
def test_the_last_frame_of_a_tree_has_the_codes_of_its_roots(tmp_path: Path) -> None:
    run = lw.train("tomita-3", MODEL, out=tmp_path / "run", device="cpu", film=True, **SMALL)
    assert run.folder is not None
    film = run.folder.film()
    assert film is not None
    held = codes_in_the_making(run.model, film.tokens, film.lengths) >= 0
    assert isinstance(run.model, RegularGPT)
    algebra = BinaryAlgebra(node_of(run.model))
    assert held.tolist() == [root_code(algebra, word) for word in words(run.folder)]
    assert film.frames[0].step == 0
    assert film.frames[-1].step == run.metrics[-1]["step"]


@pytest.mark.slow
def test_a_film_of_a_recurrent_network_has_its_last_codes(tmp_path: Path) -> None:
    run = lw.train(
        "tomita-3", "gru-binary", out=tmp_path / "run", device="cpu", film=True, d_model=8, steps=8
    )
    assert run.folder is not None
    film = run.folder.film()
    assert film is not None
    held = codes_in_the_making(deepcopy(run.model).double(), film.tokens, film.lengths) >= 0
    weights = {name: each.numpy() for name, each in run.model.state_dict().items()}
    assert isinstance(run.model, BinaryRecurrent)
    node = RecurrentNode(run.model.config.to_dict(), weights)
    for word, code in zip(words(run.folder), held.numpy(), strict=True):
        codes = node.start().values
        for symbol in word:
            codes = node.step(codes, np.array([symbol])).values
        assert codes[0].tolist() == code.tolist()


@pytest.mark.slow
def test_a_film_changes_nothing_and_survives_being_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan("tomita-3", "regular-gpt-binary", settings=[SMALL])
    plain = train(plan, out=tmp_path / "plain", device="cpu")
    whole = train(plan, out=tmp_path / "whole", device="cpu", film=True)
    saved = RunFolder.save_checkpoint

    def kill(folder: RunFolder, *values: Any) -> None:
        saved(folder, *values) if len(values[1]) < 4 else None
        if len(values[1]) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "save_checkpoint", kill)
    with pytest.raises(KeyboardInterrupt):
        train(plan, out=tmp_path / "killed", device="cpu", film=True)
    monkeypatch.undo()
    resumed = train(plan, out=tmp_path / "killed", device="cpu")  # a film goes on by itself
    for name, weight in plain.model.state_dict().items():
        assert torch.equal(weight, whole.model.state_dict()[name])
        assert torch.equal(weight, resumed.model.state_dict()[name])
    films = [(tmp_path / name / "film.safetensors").read_bytes() for name in ("whole", "killed")]
    assert films[0] == films[1]
    assert not RunFolder(tmp_path / "plain").is_filmed


def test_a_stage_that_ends_takes_its_film_along(tmp_path: Path) -> None:
    run = train(staged.plan(), out=tmp_path / "run", device="cpu", film=True)
    assert run.folder is not None
    films = {each.path.name: each.film() for each in run.folder.list_ended_stages()}
    steps = {name: film and [frame.step for frame in film.frames] for name, film in films.items()}
    assert steps == {"1-composition": [0, 10, 20], "2-maps": None}
    kept = run.folder.film()
    stage = films[f"{run.require_plan().stage}-{run.require_plan().supervision}"]
    assert (kept and kept.frames[-1].codes.tolist()) == (stage and stage.frames[-1].codes.tolist())


def test_what_has_no_codes_has_no_film(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="but gru on parity has none"):
        lw.train("parity", "gru", out=tmp_path / "run", film=True)
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError, match="kept in the run's folder"):
        lw.train("parity", film=True)
