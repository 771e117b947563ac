"""Train a model on a language, in a run folder; the same command again goes on where it stopped."""

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
from lengthwise.models.catalogue import MODELS
from lengthwise.training.loop import kept
from lengthwise.training.presets import PRESETS
from lengthwise.training.train import make_plan, train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The language, the model, and everything that can be set."""
    add_language(parser)
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the run folder")
    parser.add_argument("--model", default="regular-gpt-binary", help=", ".join(MODELS))
    parser.add_argument("--preset", default="laptop", help=", ".join(PRESETS))
    parser.add_argument("--protocol", help="published or audited (default: the model's)")
    add_settings(parser, "max_length=40, steps=5000, seed=1, d_model=128, num_bits=8")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML")
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, or go on training, or find that all is done."""
    language = parse(arguments.spec, arguments.alphabet)
    settings = {
        **(_read_settings(arguments.config) if arguments.config else {}),
        **parse_settings(arguments.settings),
    }
    plan = make_plan(
        language,
        arguments.model,
        preset=arguments.preset,
        protocol=arguments.protocol,
        settings=settings,
    )
    with training_progress(f"{language.spec}, {plan.model}", plan.loop.steps) as progress:
        result = train(plan, out=arguments.out, device=arguments.device, progress=progress)
    best = kept(result.metrics)
    facts = {
        "run": str(arguments.out),
        "task": plan.task.id,
        "protocol": plan.task.protocol,
        "supervision": plan.recognition.supervision,
        "model": plan.model,
        "preset": plan.preset,
        "steps": result.metrics[-1]["step"],
        "kept_step": best["step"],
        "validation_accuracy": best["validation_accuracy"],
        "validation_loss": best["validation_loss"],
        "perfect": best["perfect"],
    }
    if arguments.json:
        print_json(facts)
    else:
        print(
            f"{arguments.out}: {plan.model} on {plan.task.id} ({plan.task.protocol} words, "
            f"{plan.recognition.supervision} supervision, {plan.preset} preset): "
            f"{percent(best['validation_accuracy'])} % on fresh words of length "
            f"1..{plan.recognition.max_length} after {best['step']} steps"
        )
        note(f"next: lengthwise evaluate {arguments.out} --lengths 41:500")


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
