"""The command `settings`: prints the default of every setting, its origin, unit and meaning."""

import argparse
from dataclasses import asdict

from lengthwise.cli.catalogue_names import PREFIXES
from lengthwise.cli.output import add_json, add_objective, note, print_json, print_table
from lengthwise.errors import ConfigError
from lengthwise.problems.presets import PRESETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the specification of the problem, the model and the preset to the parser."""
    prefixes = ", ".join(f"{prefix}..." for prefix in dict.fromkeys(PREFIXES))
    parser.add_argument(
        "spec",
        metavar="SPEC",
        nargs="?",
        default="parity",
        help=f"what to train on, as for `train`: a language (the default), {prefixes}",
    )
    parser.add_argument("--model", help="the model (default: that of `train`)")
    add_objective(parser)
    parser.add_argument("--preset", default="laptop", help=", ".join(PRESETS))
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the settings of one problem and model."""
    from lengthwise.problems.inferred.problem import InferredProblem
    from lengthwise.problems.inferred.settings import settings_of_inference
    from lengthwise.problems.paired_words.problem import PairedWordsProblem
    from lengthwise.problems.reference import reference_of_plan, usual_plan
    from lengthwise.problems.registry import infers, kind_of

    spec, model, preset = arguments.spec, arguments.model, arguments.preset
    kind, settings_found = kind_of(spec), []
    if infers(spec, model):
        if arguments.objective:
            raise ConfigError("the objective depends on the model here. Give --model.")
        inferring = kind if issubclass(kind, PairedWordsProblem) else InferredProblem
        kind, spec, settings_found = inferring, "", settings_of_inference()
    plan = usual_plan(spec, model, preset, arguments.objective)
    settings_found += reference_of_plan(kind, plan, model, preset, spec)
    model = plan.model if plan else model or kind.setup.default_model
    reason = plan.chosen if plan else ""
    if arguments.json:
        settings = [asdict(setting) for setting in settings_found]
        facts = {"problem": kind.kind, "model": model, "chosen": reason}
        print_json({**facts, "settings": settings})
        return
    columns = ["setting", "default", "origin", "unit", "letter", "values", "meaning"]
    rows = [
        [
            setting.name,
            format_default(setting.default),
            setting.origin,
            setting.unit,
            setting.letter,
            setting.kind,
            setting.meaning,
        ]
        for setting in settings_found
    ]
    print_table(columns, rows)
    model_name = f"{model}, since {reason}" if reason else model
    note(
        f"{kind.kind}, {model_name}; train takes one as --set, without its section if only one has "
        f"it"
    )


def format_default(default: object) -> str:
    """Return a default as `--set` takes it, or a dash if it follows from other settings."""
    if default is None:
        return "-"
    return str(default).lower() if isinstance(default, bool) else str(default)
