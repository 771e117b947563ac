"""The film of training: bounded, and the same whether training was interrupted or not."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lengthwise.errors import RunError
from lengthwise.training.film import MOST_FRAMES, Film, read_film
from lengthwise.training.loop import Step, Validation, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig


class Weight(nn.Module):
    """A number, which is what the network holds for each of two words."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))


def empty() -> Film:
    def look(model: nn.Module) -> torch.Tensor:
        assert not model.training
        assert isinstance(model, Weight)
        return torch.stack([model.weight, 1 - 2 * model.weight])[:, None]

    return Film(torch.zeros(2, 3, dtype=torch.int64), torch.tensor([3, 1]), look)


def take_frames(film: Film, numbers: range) -> Film:
    model = Weight()
    for number in numbers:
        with torch.no_grad():
            model.weight.fill_(number / 1000)
        film.shoot(model, number, 10 * number, number / 1000)
        assert model.training
    return film


@given(st.integers(0, 700))
def test_a_film_is_bounded_and_evenly_spaced(last: int) -> None:
    found = [frame.number for frame in take_frames(empty(), range(last + 1)).frames]
    assert found[0] == 0
    assert found[-1] == last
    assert min(last + 1, MOST_FRAMES // 2) <= len(found) <= MOST_FRAMES + 1
    gaps = {after - before for before, after in pairwise(found[:-1])}
    assert len(gaps) <= 1


@given(st.integers(0, 200), st.integers(1, 3), st.integers(1, 200))
def test_an_interrupted_film_is_that_of_an_uninterrupted_run(
    killed: int, repeated: int, more: int
) -> None:
    """The film of a killed run may be a frame or more ahead of the checkpoint it goes on from."""
    whole = take_frames(empty(), range(killed + more))
    ahead = read_film(take_frames(empty(), range(killed + 1)).tensors())
    resumed, checkpoint = empty(), max(0, killed - repeated)
    resumed.restore(ahead.frames, 10 * checkpoint)
    take_frames(resumed, range(checkpoint + 1, killed + more))
    assert [frame.number for frame in resumed.frames] == [frame.number for frame in whole.frames]
    for one, other in zip(resumed.frames, whole.frames, strict=True):
        assert (one.step, one.accuracy) == (other.step, other.accuracy)
        assert torch.equal(one.codes, other.codes)


def test_values_are_kept_in_127ths_and_cut_at_one() -> None:
    film = take_frames(empty(), range(100, 101))
    assert film.frames[0].codes.tolist() == [[13], [102]]
    assert film.frames[0].values.flatten().tolist() == pytest.approx([0.1, 0.8], abs=1 / 254)


@pytest.mark.parametrize(
    "changed",
    [
        {"codes": torch.zeros(2, 2)},
        {"codes": torch.zeros(3, 2, 1, dtype=torch.int8)},
        {"codes": torch.zeros(0, 2, 1, dtype=torch.int8)},
        {"lengths": torch.tensor([1])},
        {"steps": torch.tensor(3)},
        {"tokens": None},
    ],
)
def test_a_damaged_film_is_refused(changed: dict[str, Any]) -> None:
    tensors = {**take_frames(empty(), range(2)).tensors(), **changed}
    with pytest.raises(RunError, match=r"Delete film\.safetensors"):
        read_film({name: each for name, each in tensors.items() if each is not None})


class Towards:
    """Learn to hold 1/2."""

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        return Step((cast(Weight, model).weight - 0.5) ** 2, 0.0, 1)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        return Validation(0.0, 0.75, False)


def test_the_film_of_a_run_begins_before_its_first_step(tmp_path: Path) -> None:
    folder, film = RunFolder(tmp_path / "run"), empty()
    folder.claim({})
    config = TrainingConfig(steps=4, validate_every=2, learning_rate=0.1)
    fit(Weight(), Towards(), config, folder=folder, film=film)
    assert [(frame.number, frame.step) for frame in film.frames] == [(0, 0), (1, 2), (2, 4)]
    assert math.isnan(film.frames[0].accuracy)
    assert [frame.accuracy for frame in film.frames[1:]] == [0.75, 0.75]
    assert film.frames[0].codes.tolist() == [[0], [127]]
