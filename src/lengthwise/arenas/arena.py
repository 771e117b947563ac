"""`lw.arena`: train and examine networks on a suite of languages under one protocol."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from lengthwise.arenas.protocol import SIZES, make_plans, make_test, protocol_settings
from lengthwise.arenas.record import Arena
from lengthwise.arenas.suites import SUITES
from lengthwise.arenas.trained_cell import Cell
from lengthwise.arguments import number, path_of, require_integer, require_text
from lengthwise.errors import ConfigError
from lengthwise.models.custom import OwnModel, own_name
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.registry import as_problem
from lengthwise.problems.transduction.problem import TransductionProblem
from lengthwise.settings import require
from lengthwise.sweeps.executors import executor_for
from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.outcome import Failure, Outcome
from lengthwise.sweeps.sweep import run_sweep
from lengthwise.training.devices import environment

PAGE, RECORD, RUNS = "arena.html", "arena.json", "runs"
"""Names in the folder of an arena."""


def arena(
    networks: str | OwnModel | Sequence[str | OwnModel],
    *,
    suite: str = "regular",
    languages: Sequence[str] | None = None,
    seeds: Sequence[int] = (0, 1, 2),
    preset: str = "laptop",
    budget: float | None = None,
    words_per_length: int | None = None,
    out: Path | str | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    finished: bool = False,
    progress: bool | None = None,
    **settings: Any,
) -> Arena:
    """Train and examine networks on a suite of languages under one protocol.

    Args:
        networks: names of models, import paths `package.module:factory`, or functions that build a
            network from `vocab_size` and `num_classes` (see `adapt`); one or several.
        suite: `state-tracking`, `regular`, `chomsky` or `mlregtest`.
        languages: specifications in place of all languages and tasks of the suite.
        seeds: of weights and words of training; the words of the test are the same for all.
        preset: `laptop` (width 32, one layer, up to 1,000 steps) or `smoke`.
        budget: seconds of each examination.
        words_per_length: words of the test at each length; at 10,000 fewer.
        out: a folder for the runs, `arena.json` and `arena.html`; called again, it continues.
        workers: processes that share the work.
        scheduler: the address of a Dask scheduler, whose workers share it instead.
        finished: train nothing, and return the cells that `out` has so far.
        progress: True prints lines where no bar can be shown, False nothing.
        settings: of training and of those networks that have them, such as `steps=500`; in place
            of those of the protocol.

    Returns:
        `.table` has a row for each network, `.matrix` one for each language, `.save("page.html")`
        writes the page.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.arena("gru", languages=["parity"], seeds=[0], preset="smoke", progress=False)
        >>> found.networks, len(found.cells), found.cells[0].given
        (['gru'], 1, 'prefix')

    Raises:
        ConfigError: a name is unknown, a value does not fit, or a network is given as an object.
        RunError: the folder holds something else.
    """
    names = name_networks(networks)
    chosen = SUITES[require_text("suite", suite, "regular")]
    SIZES[require_text("preset", preset, "laptop")]
    specs = list(chosen.languages) if languages is None else list_languages(languages)
    if budget is not None:
        budget = number("budget", budget, 6.0)
        require(budget > 0, f"budget={budget} is a number of seconds above 0. Try 6.")
    if words_per_length is not None:
        words_per_length = require_integer("words_per_length", words_per_length, 1)
    require(out is not None or not finished, "finished=True needs the folder. Give out=DIR.")
    words_per_length = words_per_length or SIZES[preset].words_per_length
    budget = SIZES[preset].budget if budget is None else budget
    plans = make_plans(names, specs, suite=suite, preset=preset, settings=settings)
    jobs = [
        job
        for plan in plans
        for job in jobs_over_seeds(plan, seeds, [make_test(plan, words_per_length, budget)])
    ]
    jobs.sort(key=lambda job: list(seeds).index(job.plan.training.seed))  # whole rounds first
    with ExitStack() as held:
        if out is None:
            folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        else:
            folder = path_of("out", out, "arena")
        if finished:
            done = [(job, JobFolder.of(job, folder / RUNS).outcome()) for job in jobs]
            results: list[tuple[Job, Outcome | Failure]] = [
                (job, outcome) for job, outcome in done if outcome is not None
            ]
            require(bool(results), f"{folder} has no cell of this arena that is done. Wait for it.")
        else:
            executor = held.enter_context(executor_for(workers, scheduler))
            sweep = f"arena {suite}"
            outcomes = run_sweep(
                sweep, jobs, folder / RUNS, executor, device="cpu", progress=progress
            )
            results = [*zip(jobs, outcomes, strict=True)]
        found = Arena(
            suite=suite,
            protocol={
                "preset": preset,
                "settings": protocol_settings(suite, preset, settings),
                "seeds": list(seeds),
                "words_per_length": words_per_length,
                "budget": budget,
            },
            cells=[
                Cell.of(result, JobFolder.of(job, folder / RUNS).clock().processor_seconds)
                for job, result in results
            ],
            environment=environment("cpu"),
            date=datetime.now(UTC).date().isoformat(),
        )
        if out is not None:
            found.save(folder / RECORD)
            found.save(folder / PAGE)
    return found


def name_networks(networks: str | OwnModel | Sequence[str | OwnModel]) -> list[str]:
    """Return the names of the networks that are given.

    Raises:
        ConfigError: there are none, one is given twice, or one is an object, which fits one
            alphabet alone.
    """
    is_one = isinstance(networks, str) or callable(networks)
    given = [networks] if is_one else cast("Sequence[str | OwnModel]", networks)
    names = []
    for network in given:
        name = network if isinstance(network, str) else own_name(network)
        if name.endswith("()"):
            raise ConfigError(
                f"the arena builds a network for each language, but {name} is one that is built. "
                f"Give a function of vocab_size and num_classes that builds it."
            )
        if name in names:
            raise ConfigError(f"the arena compares different networks, but {name} is given twice.")
        names.append(name)
    require(bool(names), "the arena needs a network, but got none. Give gru, say.")
    return names


def list_languages(languages: Sequence[str]) -> list[str]:
    """Return the specifications of given languages or string tasks in canonical form.

    Raises:
        ConfigError: they are not a list, there are none, one is given twice, or is something else.
        LanguageError: one is unknown.
    """
    require(
        not isinstance(languages, str) and bool(languages),
        f"languages is a list of specifications, such as ['parity'], but got {languages!r:.40}.",
    )
    problems = [as_problem(spec) for spec in languages]
    for problem in problems:
        require(
            isinstance(problem, Recognition | TransductionProblem),
            f"the arena is about languages and string tasks, and {problem.name} is neither. Leave "
            f"it out.",
        )
    specs = [problem.name for problem in problems]
    require(len(set(specs)) == len(specs), f"a language is given twice in {specs!r:.60}.")
    return specs
