"""The catalogue of experiments: their presets and files."""

import pytest

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import (
    stem,
)
from smoke_runs import results as results  # noqa: PLC0414  a fixture

NAMES = sorted(EXPERIMENTS)


@pytest.mark.parametrize("name", NAMES)
def test_presets_differ_in_numbers_only(name: str) -> None:
    presets = EXPERIMENTS[name].presets
    assert list(presets) == ["smoke", "laptop", "paper"]
    assert len({type(sizes) for sizes in presets.values()}) == 1


def test_no_two_experiments_write_the_same_file() -> None:
    assert len({stem(name) for name in EXPERIMENTS}) == len(EXPERIMENTS)
    assert stem("chiang2022/figure2") == "chiang2022-figure2"
