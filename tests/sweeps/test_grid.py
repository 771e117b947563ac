"""Grids of jobs: what is combined, left out, and refused."""

import pytest

from lengthwise.errors import ConfigError, LengthwiseError
from lengthwise.sweeps.grid import make_grid


def test_each_model_has_each_combination_of_its_own_settings() -> None:
    jobs = make_grid(
        "parity",
        ["gru", "decoder"],
        [0, 3],
        {"d_model": [8, 16], "num_heads": [2, 4], "steps": [5]},
        lengths=[50],
    )
    found = [
        (job.plan.model, job.plan.network.d_model, getattr(job.plan.network, "num_heads", None))
        for job in jobs
        if job.plan.training.seed == 3
    ]
    assert found == [
        *(("gru", width, None) for width in (8, 16)),
        *(("decoder", width, heads) for width in (8, 16) for heads in (2, 4)),
    ]
    assert len({job.digest for job in jobs}) == len(jobs) == 12
    assert {job.plan.training.steps for job in jobs} == {5}
    assert {(job.tests[0].lengths, job.tests[0].protocol) for job in jobs} == {((50,), "audited")}


def test_the_test_is_at_lengths_that_all_runs_read() -> None:
    (job,) = make_grid("parity", ["gru"], [0], {"max_length": [10]})
    assert (job.tests[0].lengths[0], job.tests[0].lengths[-1]) == (11, 500)
    with pytest.raises(ConfigError, match="no length in common"):
        make_grid("parity", ["gru"], [0], {"max_length": [5, 600]})


@pytest.mark.parametrize(
    ("models", "values", "message"),
    [
        (["gru"], {"num_heads": [2]}, "'num_heads' is not a setting of gru"),
        (["gruu"], {}, "unknown model 'gruu'"),
        (["gru"], {"d_model": [0]}, "d_model"),
    ],
)
def test_slips_are_refused(models: list[str], values: dict[str, list[int]], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        make_grid("parity", models, [0], values)


def test_a_step_task_has_no_lengths() -> None:
    assert make_grid("steps:addition", ["step-decoder"], [0], {})[0].tests[0].protocol is None
    with pytest.raises(ConfigError, match="Leave --lengths out"):
        make_grid("steps:addition", ["step-decoder"], [0], {}, lengths=[3])
