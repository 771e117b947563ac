"""Train a model on a language, a step task or a corpus; given again, it goes on in its folder."""

import argparse
import os
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from lengthwise.cli.output import (
    add_device,
    add_json,
    add_language,
    add_settings,
    counted,
    note,
    parse_settings,
    print_json,
)
from lengthwise.cli.progress import training_progress
from lengthwise.errors import ConfigError, LengthwiseError
from lengthwise.evaluation.perplexity import perplexity_of
from lengthwise.evaluation.scores import percent
from lengthwise.experiments.measure import training_cost
from lengthwise.files import parse_json
from lengthwise.languages.spec import parse
from lengthwise.models.cost import trained_parameters
from lengthwise.models.language_models import DEFAULT_LANGUAGE_MODEL, LANGUAGE_MODELS
from lengthwise.models.recognisers import DEFAULT_MODEL, MODELS
from lengthwise.models.step_models import DEFAULT_STEP_MODEL, STEP_MODELS
from lengthwise.models.translation_models import TRANSLATION_MODELS
from lengthwise.tasks.step_specs import is_step_spec
from lengthwise.training.language_plan import LanguagePlan, is_text_spec, make_language_plan
from lengthwise.training.loop import kept
from lengthwise.training.presets import PRESETS
from lengthwise.training.processes import Place, require_alone
from lengthwise.training.step_plan import make_step_plan
from lengthwise.training.track import tracked
from lengthwise.training.train import AnyPlan, choose_device, make_plan, train, usual_lengths
from lengthwise.training.translation_plan import (
    TranslationPlan,
    is_pairs_spec,
    make_translation_plan,
)

_SECONDS_TO_SPEAK = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The language, the model, and everything that can be set."""
    add_language(
        parser,
        more="; a step task: steps:addition, ...; text:DIR or pairs:DIR, a corpus that `prepare` "
        "made of text or of translations",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the run folder")
    parser.add_argument(
        "--model",
        help=f"of a language: {', '.join(MODELS)} (default {DEFAULT_MODEL}); of a step task: "
        f"{', '.join(STEP_MODELS)} (default {DEFAULT_STEP_MODEL}); of a text: "
        f"{', '.join(LANGUAGE_MODELS)} (default {DEFAULT_LANGUAGE_MODEL}); of translations: "
        f"{', '.join(TRANSLATION_MODELS)}",
    )
    parser.add_argument("--preset", default="laptop", help=", ".join(PRESETS))
    parser.add_argument(
        "--protocol",
        help="of a language: published or audited (default: the model's); of pairs: "
        "train-all-test-all (default) or train-short-test-long",
    )
    add_settings(parser, "max_length=40, steps=5000, seed=1, d_model=128, num_bits=8")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML")
    parser.add_argument(
        "--tensorboard", type=Path, metavar="DIR", help="write figures for TensorBoard there"
    )
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, or go on training, or find that all is done."""
    with _one_speaks():
        _run(arguments)


@contextmanager
def _one_speaks() -> Iterator[None]:
    """Of several processes let the main one speak, and of errors before the others."""
    if Place.here().number == 0:
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
        time.sleep(_SECONDS_TO_SPEAK)  # if the error is that of all, the launcher ends us meanwhile
        raise


def _run(arguments: argparse.Namespace) -> None:
    if not is_text_spec(arguments.spec):
        require_alone(arguments.spec)
    settings = {
        **(_read_settings(arguments.config) if arguments.config else {}),
        **parse_settings(arguments.settings),
    }
    if is_step_spec(arguments.spec):
        _train_steps(arguments, settings)
        return
    if is_text_spec(arguments.spec):
        _train_text(arguments, settings)
        return
    if is_pairs_spec(arguments.spec):
        _train_pairs(arguments, settings)
        return
    language = parse(arguments.spec, arguments.alphabet)
    plan = make_plan(
        language,
        arguments.model,
        preset=arguments.preset,
        protocol=arguments.protocol,
        settings=settings,
    )
    facts = {
        "task": plan.task.id,
        "language": language.spec,
        "protocol": plan.task.protocol,
        **_trained(plan, arguments, language.spec),
    }
    if arguments.json:
        print_json(facts)
        return
    words = plan.recognition
    print(
        f"{arguments.out}: {plan.model} on {plan.task.title} ({plan.task.protocol} words, "
        f"{plan.supervision} supervision, {plan.preset} preset): {_proof(facts)}"
        f"{percent(facts['validation_accuracy'])} % on fresh words of length "
        f"{words.min_length}..{words.max_length} after {counted(facts['kept_step'], 'step')}"
    )
    if facts["proved"] is False:
        note(f"next: lengthwise certify {arguments.out}")
    else:
        note(f"next: lengthwise evaluate {arguments.out} --lengths {usual_lengths(plan)}")


def _proof(facts: Mapping[str, Any]) -> str:
    """Whether a proof closed, where training tries one; if not, how far the model is right."""
    if facts["proved"] is None:
        return ""
    if facts["proved"]:
        return "proved at every length; "
    if facts["wrong_chunks"]:
        return f"not proved: wrong on {counted(facts['wrong_chunks'], 'chunk')} of codes; "
    if facts["wrong_chunks"] == 0:
        return "not proved: no chunk of codes is wrong, but rounding could change an answer; "
    right, wrong = facts["right_to"], facts["first_wrong"]
    if right is None:
        return "not proved: right as far as explored, but rounding could change an answer; "
    if right < 0:
        return "not proved: the empty word is wrong; "
    if wrong is None:
        return f"not proved: right to length {right}; "
    brief = wrong if len(wrong) <= _SHOWN else f"{wrong[:_SHOWN]}..."
    return f"not proved: right to length {right}, first wrong word {brief}; "


_SHOWN = 60
"""Characters of a wrong word that are shown, at most."""


def _train_steps(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    _require_no_language(arguments)
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
        f"unseen inputs after {counted(facts['kept_step'], 'step')}"
    )
    note(f"next: lengthwise evaluate {arguments.out}")


def _train_text(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    _require_no_language(arguments)
    plan = make_language_plan(
        arguments.spec, arguments.model, preset=arguments.preset, settings=settings
    )
    facts = _trained_on_corpus(plan, arguments)
    if arguments.json:
        print_json(facts)
        return
    print(
        f"{_in_words(plan, arguments, facts)} on the text set apart for validation, after "
        f"{counted(facts['kept_step'], 'step')} at "
        f"{facts['tokens_per_second']:,.0f} tokens per second "
        f"({100 * facts['utilisation']:.0f} % of what a matrix product reaches)"
    )
    note(f"next: lengthwise evaluate {arguments.out}")


def _train_pairs(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    _require_no_language(arguments, but=("protocol",))
    if arguments.protocol is not None:
        settings = {"protocol": arguments.protocol, **settings}
    plan = make_translation_plan(
        arguments.spec, arguments.model, preset=arguments.preset, settings=settings
    )
    facts = _trained_on_corpus(plan, arguments)
    if arguments.json:
        print_json(facts)
        return
    print(
        f"{_in_words(plan, arguments, facts)} on the pairs set apart for validation, after "
        f"{counted(facts['kept_step'], 'step')} at "
        f"{facts['tokens_per_second']:,.0f} tokens per second"
    )
    note(f"next: lengthwise evaluate {arguments.out}, or lengthwise translate {arguments.out}")


def _trained_on_corpus(
    plan: LanguagePlan | TranslationPlan, arguments: argparse.Namespace
) -> dict[str, Any]:
    facts = {"corpus": plan.corpus.folder, **_trained(plan, arguments, arguments.spec, "tokens")}
    return {**facts, "validation_perplexity": perplexity_of(facts["validation_loss"])}


def _in_words(
    plan: LanguagePlan | TranslationPlan, arguments: argparse.Namespace, facts: Mapping[str, Any]
) -> str:
    return (
        f"{arguments.out}: {plan.model} on {arguments.spec} ({plan.words}, "
        f"{facts['parameters']:,} parameters, {plan.preset} preset): perplexity "
        f"{facts['validation_perplexity']:.2f}"
    )


def _require_no_language(arguments: argparse.Namespace, but: Sequence[str] = ()) -> None:
    for option in ("protocol", "alphabet"):
        if getattr(arguments, option) is not None and option not in but:
            raise ConfigError(
                f"--{option} is for languages, and {arguments.spec} is none. Omit it."
            )


def _trained(
    plan: AnyPlan, arguments: argparse.Namespace, name: str, unit: str = "words"
) -> dict[str, Any]:
    """Train, and say what came of it."""
    title = f"{name}, {plan.model}"
    cost = None
    if isinstance(plan, LanguagePlan):
        cost = training_cost(plan, choose_device(arguments.device))
    with (
        training_progress(title, plan.loop.steps, unit, cost and cost.full_speed) as shown,
        tracked(shown, arguments.tensorboard) as progress,
    ):
        result = train(plan, out=arguments.out, device=arguments.device, progress=progress)
    best, speed = kept(result.metrics), result.metrics[-1]["words_per_second"]
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
        "proved": best.get("proved"),
        "right_to": best.get("right_to"),
        "first_wrong": best.get("first_wrong"),
        "wrong_chunks": best.get("wrong"),
        f"{unit}_per_second": speed,
        **(
            {
                "flops_per_token": cost.flops_per_token,
                "utilisation": speed / cost.full_speed,
            }
            if cost
            else {}
        ),
    }


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        settings = tomllib.loads(text) if path.suffix == ".toml" else parse_json(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Give a file.") from None
    except RecursionError:
        raise ConfigError(
            f"{path} is not a settings file: it is nested too deep. Write JSON or TOML."
        ) from None
    except ValueError as error:  # covers broken JSON, broken TOML and broken UTF-8
        raise ConfigError(f"{path} is not a settings file: {error}. Write JSON or TOML.") from None
    if not isinstance(settings, dict):
        raise ConfigError(f"{path} holds no settings. Write one object, such as {{'steps': 5000}}.")
    return settings
