"""Grids of jobs: every combination of models, values of settings and seeds on one subject."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from lengthwise.errors import ConfigError, guess
from lengthwise.problems.capabilities import Formal, Tested
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.registry import kind_of
from lengthwise.problems.results import Options
from lengthwise.problems.sweep_tests import Test
from lengthwise.settings import require
from lengthwise.sweeps.job import Job, jobs_over_seeds

BEYOND = "beyond"
"""Name of the test of every job."""


def make_grid(
    spec: str,
    models: Sequence[str],
    seeds: Sequence[int],
    values: Mapping[str, Sequence[Any]],
    *,
    preset: str = "laptop",
    options: Options | None = None,
    lengths: Sequence[int] | None = None,
    words_per_length: int = 64,
) -> list[Job]:
    """Return the jobs of a grid: each model with each combination of values, and each seed.

    A setting is left out of the models that do not have it; one must have it. Runs on a language
    are tested on the same `audited` words, beyond the lengths of training unless `lengths` are
    given.

    Raises:
        ConfigError: a name is unknown, a value does not fit, or two combinations are the same run.
        LengthwiseError: the subject cannot be read.
    """
    kind, known = kind_of(spec), set[str]()
    plans: list[Plan] = []
    for model in models:
        settable = kind.setup.settable(kind.setup.models[model])
        names = {name for part in settable.values() for name in part}
        own = {name: each for name, each in values.items() if _last(name) in names | {"objective"}}
        known |= own.keys()
        for combination in product(*own.values()):
            settings = dict(zip(own, combination, strict=True))
            plans.append(make_plan(spec, model, preset=preset, settings=settings, options=options))
    require_settable(values, known, models)
    test = _test_of(plans, lengths, words_per_length)
    return [job for plan in plans for job in jobs_over_seeds(plan, seeds, [test])]


def require_settable(
    names: Iterable[str], known: Collection[str], models: Sequence[str], *, other: str = ""
) -> None:
    """Refuse names that are settings of none of the models; `other` says what may be meant.

    Raises:
        ConfigError: one is.
    """
    for name in names:
        require(
            name in known,
            f"{name!r} is not a setting of {' or '.join(models)}. {guess(name, known)}`lengthwise "
            f"settings` lists them{other}.",
        )


def _last(name: str) -> str:
    """Return the name of a setting without its section."""
    return name.rpartition(".")[2]


def _test_of(plans: Sequence[Plan], lengths: Sequence[int] | None, words: int) -> Test:
    problem = plans[0].problem
    is_formal = isinstance(problem, Formal)
    has_lengths = "lengths" in problem.setup.evaluate_options
    if isinstance(problem, Tested):
        usual = [set(problem.test_lengths(plan) or ()) for plan in plans]
        has_lengths = any(usual)
        if lengths is None and has_lengths:
            lengths = sorted(set.intersection(*usual))
            require(bool(lengths), "the runs of a sweep read no length in common. Give --lengths.")
    if lengths is not None and not has_lengths:
        raise ConfigError(f"{problem.name} has no words of given lengths. Leave --lengths out.")
    return Test(
        name=BEYOND,
        lengths=tuple(lengths or range(1, 501)),
        words_per_length=words,
        protocol="audited" if is_formal else None,
    )
