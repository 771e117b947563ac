"""The command `train`: trains on a language, step task or corpus; run again, it continues."""

import argparse
import os
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.catalogue_names import MODELS
from lengthwise.cli.output import (
    add_columns,
    add_device,
    add_json,
    add_language,
    add_objective,
    add_settings,
    note,
    objective_of,
    parse_settings,
    print_facts,
    print_json,
    say,
)
from lengthwise.errors import ClaimError, ConfigError, LengthwiseError
from lengthwise.files import parse_json, read_text
from lengthwise.problems.presets import PRESETS
from lengthwise.status_lines import report_time

if TYPE_CHECKING:
    from lengthwise.problems.base import Plan, Run
    from lengthwise.problems.results import TrainingCost
    from lengthwise.training.loop import Progress


_SECONDS_TO_SPEAK = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the specification, the model, the run folder and all settings to the parser."""
    parser.epilog = "Settings are given as --set KEY=VALUE, such as --set seed=1."
    add_language(
        parser,
        more="; a step task: steps:addition, ...; text:DIR or translation:DIR, a corpus that "
        "`prepare` made of text or of translations; words:FILE, your labelled words (.tsv, .jsonl "
        "or a dataset); unless you name a model, an automaton is inferred from them first; "
        "inferred:FILE.json, what `infer` found in such words; pairs:FILE, inputs with outputs of "
        "equal length, from which a function is inferred first",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (required)")
    first = {names: noun for noun, (names, _) in reversed(MODELS.items())}
    models = "; ".join(
        f"for {noun}: {', '.join(names)} (default {usual})"
        if first[names] == noun
        else f"for {noun}: those for {first[names]} (default {usual})"
        for noun, (names, usual) in MODELS.items()
    )
    parser.add_argument("--model", help=models)
    parser.add_argument("--preset", help=f"{', '.join(PRESETS)} (default laptop)")
    parser.add_argument(
        "--protocol",
        help="for a language: published or audited (default: the model's); for pairs: "
        "train-all-test-all (default) or train-short-test-long",
    )
    add_columns(parser)
    add_objective(parser)
    add_settings(parser, "max_length=40, steps=5000, seed=1, d_model=128, num_bits=8")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML")
    parser.add_argument(
        "--film",
        action="store_true",
        help="record the network's codes during training, for `explore`",
    )
    parser.add_argument(
        "--tensorboard", type=Path, metavar="DIR", help="write figures for TensorBoard to DIR"
    )
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, continue training, or find that training has ended."""
    if arguments.out is None:  # this and the next are known before torch is loaded
        raise ConfigError("train keeps its run in a folder, but none is named. Add --out DIR.")
    if arguments.preset is not None:
        PRESETS[arguments.preset]
    with one_speaks():
        _run(arguments)


@contextmanager
def one_speaks() -> Iterator[None]:
    """Let only the main one of several processes print, and report its errors first."""
    from lengthwise.training.distributed import Rank

    if Rank.here().index == 0:
        yield
        return
    try:
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            yield
    except LengthwiseError:
        time.sleep(_SECONDS_TO_SPEAK)  # the launcher ends this process if all have the error
        raise


def _run(arguments: argparse.Namespace) -> None:
    from lengthwise.problems.capabilities import Distributed
    from lengthwise.problems.planning import plan_for
    from lengthwise.problems.registry import infers, kind_of
    from lengthwise.training.distributed import require_alone
    from lengthwise.training.progress import counting_progress

    if not issubclass(kind_of(arguments.spec), Distributed):
        require_alone(arguments.spec)
    of_file = _read_settings(arguments.config) if arguments.config else {}
    overrides = {**objective_of(arguments), **parse_settings(arguments.settings)}
    settings: Sequence[Mapping[str, Any]] = [of_file, overrides]
    names = ("alphabet", "columns", "protocol")
    options: Mapping[str, Any] = {name: getattr(arguments, name) for name in names}
    spec, model, preset = arguments.spec, arguments.model, arguments.preset
    if infers(spec, model):
        from lengthwise.problems.infer_then_train import with_inference

        inferred = with_inference(
            spec, settings, options, arguments.out, counting_progress, model=model
        )
        spec, model, settings, options = (
            inferred.subject,
            inferred.model,
            inferred.settings,
            inferred.options,
        )
    with report_time(f"{arguments.spec}: making a plan"):
        plan = plan_for(
            arguments.out, spec, model, preset=preset, settings=settings, options=options
        )
    train_and_tell(plan, arguments, film=arguments.film)


def train_and_tell(plan: "Plan", arguments: argparse.Namespace, *, film: bool = False) -> None:
    """Train by a plan in the folder of the arguments, and print the result.

    Raises:
        ClaimError: the words that it was made from refute the result.
    """
    from lengthwise.training.runs import RunFolder
    from lengthwise.training.settings import TextTrainingConfig

    out, had_ended = arguments.out, RunFolder(arguments.out).is_finished
    if not had_ended and isinstance(plan.training, TextTrainingConfig) and plan.training.compile:
        note("The network is compiled before the first step, which takes a minute or two.")
    trained, cost = _train(plan, arguments, film=film)
    if had_ended:
        note(f"{out}: training had ended")
    account, values, rows = trained.account, {}, []
    if cost:
        share = trained.metrics[-1]["words_per_second"] / cost.full_speed
        values = {"flops_per_token": cost.flops, "utilisation": share}
        rows = [("utilisation", f"{100 * share:.0f} % of what a matrix product reaches")]
    if arguments.json:
        print_json({**account.values, "run": str(out), **values})
    else:
        say(f"{out}: {account.title} ({account.conditions})")
        print_facts([*account.rows, *rows])
        if reason := trained.require_plan().chosen:
            note(f"{trained.plan.model} was chosen, since {reason}")
        note(f"next: {account.advice()}")
    if account.refutation:
        raise ClaimError(f"{out}: {account.refutation}")


def _train(
    plan: "Plan", arguments: argparse.Namespace, *, film: bool
) -> "tuple[Run, TrainingCost | None]":
    """Train, and return the run, with the cost of an example where it is known."""
    from lengthwise.problems.capabilities import Distributed
    from lengthwise.problems.runs import train
    from lengthwise.training.devices import choose_device
    from lengthwise.training.progress import training_progress

    cost = None
    if isinstance(plan.problem, Distributed):
        cost = plan.problem.training_cost(plan, choose_device(arguments.device))
    with ExitStack() as held:
        unit, most = plan.problem.setup.unit, cost and cost.full_speed
        progress: Progress = held.enter_context(
            training_progress(plan.title, plan.training.steps, unit, most)
        )
        if arguments.tensorboard is not None:
            from lengthwise.training.tensorboard import track_progress

            progress = held.enter_context(track_progress(progress, arguments.tensorboard))
        trained = train(
            plan, out=arguments.out, device=arguments.device, film=film, progress=progress
        )
    return trained, cost


def _read_settings(path: Path) -> dict[str, Any]:
    text = read_text(path, "a settings file", ConfigError)
    try:
        settings = tomllib.loads(text) if path.suffix == ".toml" else parse_json(text)
    except RecursionError:
        raise ConfigError(
            f"{path} is not a settings file: it is nested too deep. Write JSON or TOML."
        ) from None
    except ValueError as error:  # covers broken JSON and broken TOML
        raise ConfigError(f"{path} is not a settings file: {error}. Write JSON or TOML.") from None
    if not isinstance(settings, dict):
        raise ConfigError(f'{path} holds no settings. Write one object, such as {{"steps": 5000}}.')
    return settings
