"""The command `train`: trains on a language, step task or corpus; given again, it continues."""

import argparse
import os
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.known import MODELS
from lengthwise.cli.output import (
    add_device,
    add_json,
    add_language,
    add_objective,
    add_settings,
    note,
    objective_of,
    parse_settings,
    print_json,
    say,
)
from lengthwise.errors import ClaimError, ConfigError, LengthwiseError
from lengthwise.files import parse_json, read_text
from lengthwise.problems.presets import PRESETS
from lengthwise.silence import noting_time

if TYPE_CHECKING:
    from lengthwise.problems.base import Plan
    from lengthwise.training.loop import Progress


_SECONDS_TO_SPEAK = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the specification, the model, the run folder and all settings to the parser."""
    parser.epilog = "Settings are given as --set KEY=VALUE, such as --set seed=1."
    add_language(
        parser,
        more="; a step task: steps:addition, ...; text:DIR or pairs:DIR, a corpus that `prepare` "
        "made of text or of translations; words:FILE, labelled words of yours (.tsv, .jsonl or a "
        "dataset), from which an automaton is inferred first unless a model is named; "
        "inferred:FILE.json, what `infer` found in such words",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (needed)")
    models = "; ".join(
        f"of {noun}: {', '.join(names)} (default {usual})"
        for noun, (names, usual) in MODELS.items()
    )
    parser.add_argument("--model", help=models)
    parser.add_argument("--preset", help=f"{', '.join(PRESETS)} (default laptop)")
    parser.add_argument(
        "--protocol",
        help="of a language: published or audited (default: the model's); of pairs: "
        "train-all-test-all (default) or train-short-test-long",
    )
    add_objective(parser)
    add_settings(parser, "max_length=40, steps=5000, seed=1, d_model=128, num_bits=8")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML")
    parser.add_argument(
        "--film", action="store_true", help="keep a film of the network's codes, for explore"
    )
    parser.add_argument(
        "--tensorboard", type=Path, metavar="DIR", help="write figures for TensorBoard there"
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
    own = {**objective_of(arguments), **parse_settings(arguments.settings)}
    settings: Sequence[Mapping[str, Any]] = [of_file, own]
    options: Mapping[str, Any] = {k: getattr(arguments, k) for k in ("alphabet", "protocol")}
    spec, model, preset = arguments.spec, arguments.model, arguments.preset
    if infers(spec, model):
        from lengthwise.problems.without_model import with_inference

        asked = with_inference(spec, settings, options, arguments.out, counting_progress)
        spec, model, settings, options = asked.subject, asked.model, asked.settings, asked.options
    with noting_time(f"{arguments.spec}: making a plan"):
        plan = plan_for(
            arguments.out, spec, model, preset=preset, settings=settings, options=options
        )
    train_and_tell(plan, arguments, film=arguments.film)


def train_and_tell(plan: "Plan", arguments: argparse.Namespace, *, film: bool = False) -> None:
    """Train by a plan in the folder of the arguments, and print what came of it.

    Raises:
        ClaimError: what came of it is refuted by the words that it was made from.
    """
    from lengthwise.problems.capabilities import Concluding
    from lengthwise.training.runs import RunFolder
    from lengthwise.training.settings import TextTrainingConfig

    had_ended = RunFolder(arguments.out).is_finished
    if not had_ended and isinstance(plan.training, TextTrainingConfig) and plan.training.compile:
        note("The network is compiled before the first step, which takes a minute or two.")
    plan, facts = _trained(plan, arguments, film=film)
    if had_ended:
        note(f"{arguments.out}: training had ended")
    problem, refutation = plan.problem, ""
    if isinstance(problem, Concluding):
        refutation = problem.refutation(facts)
    if arguments.json:
        print_json(facts)
    else:
        summary = problem.summary(plan, facts)
        say(f"{arguments.out}: {summary.line}")
        if plan.chosen:
            note(f"{plan.model} was chosen, since {plan.chosen}")
        note(f"next: {summary.next}")
    if refutation:
        raise ClaimError(f"{arguments.out}: {refutation}")


def _trained(
    plan: "Plan", arguments: argparse.Namespace, *, film: bool
) -> "tuple[Plan, dict[str, Any]]":
    """Train, and return the plan of the stage that is kept, with the results."""
    from lengthwise.models.cost import trained_parameters
    from lengthwise.problems.capabilities import Concluding, Distributed
    from lengthwise.problems.runs import train
    from lengthwise.problems.stages import stage_records
    from lengthwise.training.devices import choose_device
    from lengthwise.training.loop import kept
    from lengthwise.training.progress import training_progress

    problem, unit, cost = plan.problem, plan.problem.setup.unit, None
    if isinstance(problem, Distributed):
        cost = problem.training_cost(plan, choose_device(arguments.device))
    with ExitStack() as held:
        speed_at_most = cost and cost.full_speed
        progress: Progress = held.enter_context(
            training_progress(plan.title, plan.training.steps, unit, speed_at_most)
        )
        if arguments.tensorboard is not None:
            from lengthwise.training.track import tracked

            progress = held.enter_context(tracked(progress, arguments.tensorboard))
        result = train(
            plan, out=arguments.out, device=arguments.device, film=film, progress=progress
        )
    best, speed = kept(result.metrics), result.metrics[-1]["words_per_second"]
    plan, stages = result.require_plan(), stage_records(result)
    own = next(each for each in stages if each["kept"])
    about = problem.facts(plan, best)
    facts = {
        **about,
        "run": str(arguments.out),
        "supervision": plan.supervision,
        "model": plan.model,
        "chosen": plan.chosen,
        "preset": plan.preset,
        "parameters": sum(p.numel() for p in result.model.parameters()),
        "trained_parameters": trained_parameters(result.model),
        "steps": result.metrics[-1]["step"],
        "kept_step": best["step"],
        "validation_accuracy": best["validation_accuracy"],
        "validation_loss": best["validation_loss"],
        "perfect": best["perfect"],
        "longest": best.get("longest"),
        "grows_to": best.get("grows_to"),
        **{name: own[name] for name in ("proved", "right_to", "first_wrong", "wrong_chunks")},
        "states": best.get("states", about.get("states")),
        "reason": own["reason"],
        "stage": plan.stage,
        "stages": stages,
        f"{unit}_per_second": speed,
    }
    if cost:
        facts |= {"flops_per_token": cost.flops, "utilisation": speed / cost.full_speed}
    more = problem.concluded(facts) if isinstance(problem, Concluding) else {}
    return plan, {**facts, **more}


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
