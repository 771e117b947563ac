"""The command `compile`: computes exact weights of a language, circuit or construction.

They are stored in a run folder.
"""

import argparse
from pathlib import Path
from typing import Any

from lengthwise.cli.catalogue_names import RUNGS
from lengthwise.cli.output import (
    add_json,
    add_settings,
    note,
    parse_settings,
    print_facts,
    print_json,
    print_table,
    settings_in_words,
)
from lengthwise.constructions.defaults import AUTO, COMPARED_AT
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the specification, the run folder and the settings to the parser."""

    parser.add_argument(
        "spec",
        nargs="?",
        metavar="SPEC",
        help="a language, circuit:FILE, or a construction such as chiang2022/parity; "
        "without it, all constructions are listed",
    )
    parser.add_argument(
        "--as",
        dest="rung",
        metavar="RUNG",
        help=f"the kind of network for a language: {', '.join(RUNGS)}; {AUTO} for the shallowest, "
        f"with what each would cost (default: tree or slots, as can be proved)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder")
    parser.add_argument(
        "--alphabet", help="all symbols of a regular expression, such as abc or a-z"
    )
    add_settings(parser, "chunk_size=3, norm=post, target=images, epsilon=0, eta=0.001, bits=16")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print how large the result will be, compute it, and store it."""
    from lengthwise.constructions.known_constructions import construct, names
    from lengthwise.training.construction_files import require_place_of_compiled, save_compiled
    from lengthwise.training.devices import environment

    if arguments.spec is None:
        if arguments.json:
            print_json({"constructions": names()})
        else:
            print_table(["name", "claim"], [[*row] for row in names().items()])
        return
    if arguments.out is None:
        raise ConfigError("compile writes a run folder, but none is named. Add --out DIR.")
    require_place_of_compiled(arguments.out)
    settings = _settings(arguments)
    ladder = _ladder(arguments) if arguments.rung == AUTO else []
    construction = construct(
        arguments.spec,
        settings,
        alphabet=arguments.alphabet,
        report_size=lambda size: note(f"{arguments.spec}: {size}"),
    )
    save_compiled(arguments.out, construction.compiled, construction.model, environment("cpu"))
    facts = {
        "run": str(arguments.out),
        "construction": construction.name,
        "settings": dict(construction.settings),
        "architecture": construction.architecture,
        "parameters": construction.num_parameters,
        "claim": construction.claim,
        "range": dict(construction.range),
        "source": construction.source,
        **({"ladder": ladder} if ladder else {}),
    }
    if arguments.json:
        print_json(facts)
        return
    if ladder:
        print_table(_COLUMNS, [_row(step) for step in ladder])
    print_facts(
        [
            ("weights", f"{arguments.out}/model.safetensors"),
            ("network", f"{construction.architecture}, {construction.num_parameters:,} parameters"),
            ("settings", settings_in_words(construction.settings)),
            ("claim", construction.claim),
            ("range", construction.range_in_words() or "none is claimed"),
            ("margin", construction.margin_in_words()),
            ("source", construction.source),
        ]
    )


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings, with the requested rung."""
    from lengthwise.constructions.known_constructions import RUNG, is_construction

    settings = parse_settings(arguments.settings)
    if arguments.rung is None:
        return settings
    if is_construction(arguments.spec):
        raise ConfigError(f"--as is for languages, and {arguments.spec} is not one. Omit it.")
    if RUNG in settings:
        raise ConfigError(f"--as and --set {RUNG} are the same. Give one.")
    return {**settings, RUNG: arguments.rung}


_COLUMNS = [
    *("rung", "layers", f"at {COMPARED_AT:,} symbols", "heads", "width", "parameters"),
    *("float32 to", "bfloat16 to"),
]


def _ladder(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the cost of the language on every rung."""
    from lengthwise.constructions.shallowest import climb

    return [step.to_dict() for step in climb(parse(arguments.spec, arguments.alphabet))]


def _row(step: dict[str, Any]) -> list[str]:
    """Return the row of a rung, or the reason why it is not reached."""
    if not step["reached"]:
        return [step["rung"], f"none: {step['refused']}", *[""] * (len(_COLUMNS) - 2)]
    sizes = [step[key] for key in (f"layers_at_{COMPARED_AT}", "heads", "width", "parameters")]
    ends = [step["range"][name] for name in ("float32", "bfloat16")]
    return [
        step["rung"],
        str(step["layers"]),
        *(f"{size:,}" for size in sizes),
        *("every length" if end is None else f"{end:,}" for end in ends),
    ]
