"""Train a model on a language or a step task, in a run folder; given again, it goes on there."""

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from lengthwise.cli.output import (
    add_device,
    add_json,
    add_language,
    add_settings,
    note,
    parse_settings,
    print_json,
)
from lengthwise.cli.progress import training_progress
from lengthwise.errors import ConfigError
from lengthwise.evaluation.scores import percent
from lengthwise.languages.spec import parse
from lengthwise.models.catalogue import DEFAULT_MODEL, MODELS
from lengthwise.models.cost import trained_parameters
from lengthwise.models.step_models import DEFAULT_STEP_MODEL, STEP_MODELS
from lengthwise.tasks.step_specs import is_step_spec
from lengthwise.training.loop import kept
from lengthwise.training.presets import PRESETS
from lengthwise.training.step_plan import StepPlan, make_step_plan
from lengthwise.training.train import Plan, make_plan, train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The language, the model, and everything that can be set."""
    add_language(parser, more="; or a step task: steps:addition, steps:group:S5, ...")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the run folder")
    parser.add_argument(
        "--model",
        help=f"of a language: {', '.join(MODELS)} (default {DEFAULT_MODEL}); of a step task: "
        f"{', '.join(STEP_MODELS)} (default {DEFAULT_STEP_MODEL})",
    )
    parser.add_argument("--preset", default="laptop", help=", ".join(PRESETS))
    parser.add_argument("--protocol", help="published or audited (default: the model's)")
    add_settings(parser, "max_length=40, steps=5000, seed=1, d_model=128, num_bits=8")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML")
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, or go on training, or find that all is done."""
    settings = {
        **(_read_settings(arguments.config) if arguments.config else {}),
        **parse_settings(arguments.settings),
    }
    if is_step_spec(arguments.spec):
        _train_steps(arguments, settings)
        return
    language = parse(arguments.spec, arguments.alphabet)
    plan = make_plan(
        language,
        arguments.model,
        preset=arguments.preset,
        protocol=arguments.protocol,
        settings=settings,
    )
    facts = _trained(plan, arguments, language.spec)
    facts = {"task": plan.task.id, "protocol": plan.task.protocol, **facts}
    if arguments.json:
        print_json(facts)
        return
    print(
        f"{arguments.out}: {plan.model} on {plan.task.id} ({plan.task.protocol} words, "
        f"{plan.supervision} supervision, {plan.preset} preset): "
        f"{percent(facts['validation_accuracy'])} % on fresh words of length "
        f"1..{plan.recognition.max_length} after {facts['kept_step']} steps"
    )
    note(f"next: lengthwise evaluate {arguments.out} --lengths 41:500")


def _train_steps(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    for option in ("protocol", "alphabet"):
        if getattr(arguments, option) is not None:
            raise ConfigError(f"--{option} is for languages, and a step task has none. Omit it.")
    plan = make_step_plan(
        arguments.spec,
        arguments.model,
        preset=arguments.preset,
        settings=settings,
    )
    facts = {
        "task": plan.steps.name,
        "body": plan.body,
        **_trained(plan, arguments, plan.steps.name),
    }
    if arguments.json:
        print_json(facts)
        return
    print(
        f"{arguments.out}: {plan.model}{f' of {plan.body}' if plan.body else ''} on "
        f"{plan.steps.name} ({plan.supervision} supervision, "
        f"{plan.words}, {facts['trained_parameters']:,} of {facts['parameters']:,} parameters "
        f"trained, {plan.preset} preset): {percent(facts['validation_accuracy'])} % exact on "
        f"unseen inputs after {facts['kept_step']} steps"
    )
    note(f"next: lengthwise evaluate {arguments.out}")


def _trained(plan: Plan | StepPlan, arguments: argparse.Namespace, name: str) -> dict[str, Any]:
    """Train, and say what came of it."""
    with training_progress(f"{name}, {plan.model}", plan.loop.steps) as progress:
        result = train(plan, out=arguments.out, device=arguments.device, progress=progress)
    best = kept(result.metrics)
    return {
        "run": str(arguments.out),
        "supervision": plan.supervision,
        "model": plan.model,
        "preset": plan.preset,
        "parameters": sum(p.numel() for p in result.model.parameters()),
        "trained_parameters": trained_parameters(result.model),
        "steps": result.metrics[-1]["step"],
        "kept_step": best["step"],
        "validation_accuracy": best["validation_accuracy"],
        "validation_loss": best["validation_loss"],
        "perfect": best["perfect"],
    }


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        settings = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    except ValueError as error:  # covers broken JSON, broken TOML and broken UTF-8
        raise ConfigError(f"{path} is not a settings file: {error}. Write JSON or TOML.") from None
    if not isinstance(settings, dict):
        raise ConfigError(f"{path} holds no settings. Write one object, such as {{'steps': 5000}}.")
    return settings
