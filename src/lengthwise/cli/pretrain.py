"""Train a small GPT-2 on plain text, and save it as transformers does: a body for step tasks."""

import argparse
import platform
from dataclasses import fields
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
from lengthwise.cli.progress import training_progress
from lengthwise.errors import unknown_name
from lengthwise.text.corpus import python_text, read_files
from lengthwise.training.loop import LoopConfig
from lengthwise.training.pretrain import PRETRAINING, PretrainConfig, pretrain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The text, the shape, and where to put it."""
    parser.add_argument(
        "text",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="plain text in UTF-8 (default: the English that ships with Python)",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the new body")
    add_settings(parser, "d_model=128, num_layers=4, window=128, steps=3000, seed=1")
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Train, or go on training, and say what it came to."""
    settings = {**PRETRAINING, **parse_settings(arguments.settings)}
    parts = {part: {f.name for f in fields(part)} for part in (PretrainConfig, LoopConfig)}
    known = sorted(set().union(*parts.values()))
    for name in settings:
        if name not in known:
            raise unknown_name("setting", name, known)
    shape, loop = (
        part.from_dict({k: v for k, v in settings.items() if k in names})
        for part, names in parts.items()
    )
    assert isinstance(shape, PretrainConfig)
    assert isinstance(loop, LoopConfig)
    if arguments.text:
        text, source = read_files(arguments.text), ", ".join(path.name for path in arguments.text)
    else:
        text = python_text()
        source = f"the English text that ships with Python {platform.python_version()}"
    with training_progress("pretraining", loop.steps) as progress:
        found = pretrain(
            arguments.out, text, source, shape, loop, device=arguments.device, progress=progress
        )
    found = {"body": str(arguments.out), **found}
    if arguments.json:
        print_json(found)
        return
    print_facts(
        [
            ("body", f"{arguments.out}, GPT-2 of {found['parameters']:,} parameters"),
            ("text", f"{source}: {found['characters']:,} characters, {found['tokens']:,} tokens"),
            ("held-out text", f"{found['bits_per_token']:.3f} bits per token"),
        ]
    )
    note(f"next: lengthwise train steps:addition --model gpt2 --set body={arguments.out} --out run")
