"""The command `pretrain`: trains a small GPT-2 on plain text, as a backbone for step tasks.

It is saved in the format of transformers.
"""

import argparse
import shlex
from pathlib import Path

from lengthwise.cli.output import (
    add_device,
    add_json,
    add_settings,
    note,
    parse_settings,
    print_facts,
    print_json,
)
from lengthwise.errors import ConfigError
from lengthwise.text.data.documents import documents
from lengthwise.text.data.python_text import PYTHON_TEXT, python_text
from lengthwise.text.models.backbones import BACKBONES, FOLDER, location

_NAMED = [name for name, body in BACKBONES.items() if body.made_with is not None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the text, the settings of the network and the folder to the parser."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="FILE|NAME",
        help=f"plain text in UTF-8, or a body that has a name: {', '.join(_NAMED)} (default: the "
        f"English that ships with Python)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"the new body (with a name: in {FOLDER})"
    )
    add_settings(parser, "d_model=128, num_layers=4, window=128, steps=3000, seed=1")
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, or continue training, and print the result."""
    from lengthwise.text.problems.language_modelling.pretrain import pretrain, pretraining
    from lengthwise.training.progress import training_progress

    settings, out = parse_settings(arguments.settings), arguments.out
    files, body = arguments.text, str(out)
    if arguments.text and arguments.text[0] in set(BACKBONES) - set(_NAMED):
        name = arguments.text[0]
        raise ConfigError(
            f"{name} is on the hub and is not trained here. Use it: lengthwise train "
            f"steps:addition --model gpt2 --set body={name} --out run."
        )
    if arguments.text and arguments.text[0] in _NAMED:
        _require_alone(arguments)
        body, files = arguments.text[0], []
        settings, out = BACKBONES[body].pretraining(), Path(location(body))
    elif out is None:
        raise ConfigError("pretrain writes a folder, but none is named. Add --out DIR.")
    shape, loop = pretraining(settings)
    text = "\n".join(t for file in files for t in documents(file)) if files else python_text()
    source = ", ".join(Path(file).name for file in files) if files else PYTHON_TEXT
    with training_progress("pretraining", loop.steps, "tokens") as progress:
        result = pretrain(
            out, text, source, shape, loop, device=arguments.device, progress=progress
        )
    if arguments.json:
        print_json({"body": body, **result})
        return
    print_facts(
        [
            ("body", f"{out}, GPT-2 of {result['parameters']:,} parameters"),
            ("text", f"{source}: {result['characters']:,} characters, {result['tokens']:,} tokens"),
            ("held-out text", f"{result['bits_per_token']:.3f} bits per token"),
        ]
    )
    setting = shlex.quote(f"body={body}")
    note(f"next: lengthwise train steps:addition --model gpt2 --set {setting} --out run")


def _require_alone(arguments: argparse.Namespace) -> None:
    """Refuse other arguments beside the name of a backbone."""
    if len(arguments.text) > 1 or arguments.out is not None or arguments.settings:
        raise ConfigError(
            f"{arguments.text[0]} is a body with its own text, settings and folder. Give "
            f"nothing else."
        )
