"""The command `examine`: where a network breaks, what it computes, and what is right for ever."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.output import (
    add_device,
    add_json,
    make_integer_type,
    note,
    print_facts,
    print_json,
)
from lengthwise.errors import ConfigError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.files import require_file_place, require_run_folder
from lengthwise.zoo_paths import PREFIX

if TYPE_CHECKING:
    from torch import nn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the network, the language, the budget and the words of the test to the parser."""
    parser.add_argument(
        "network",
        metavar="RUN|MODULE",
        help="the folder of a run, zoo:NAME, or package.module:name of a network or of a function "
        "that builds one",
    )
    parser.add_argument(
        "spec", nargs="?", metavar="SPEC", help="the language (default: that of the run)"
    )
    parser.add_argument(
        "--budget", type=float, default=60.0, help="seconds for all searches (default 60)"
    )
    parser.add_argument(
        "--lengths",
        help="lengths of the test: 41:500, 41:500:10 or 10,100,1000 (default: some of 1 to 500, "
        "then up to 100,000 as far as the budget goes)",
    )
    parser.add_argument(
        "--longest", type=make_integer_type(1), help="greatest length of any word that is tried"
    )
    parser.add_argument(
        "--words",
        type=make_integer_type(1),
        default=128,
        help="words per length (default 128; of long words fewer)",
    )
    parser.add_argument(
        "--choose",
        choices=["proof", "validation"],
        default="proof",
        help="the level of snapping: the first that is proved (proof, the default), or the first "
        "that is right on the validation words (validation)",
    )
    parser.add_argument(
        "--rounds",
        type=make_integer_type(0),
        default=2,
        help="if the snapped network is not proved, train a copy on its wrong word and snap the "
        "copy, this many times at most (default 2)",
    )
    parser.add_argument("--seed", type=make_integer_type(0), default=0, help="seed (default 0)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.html", help="write the page, which loads nothing"
    )
    parser.add_argument(
        "--save-snapped",
        type=Path,
        metavar="FILE",
        help="store the snapped network's table (FILE.safetensors)",
    )
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Examine the network, write the page if asked to, and print what was found."""
    for file, suffix in ((arguments.out, ".html"), (arguments.save_snapped, ".safetensors")):
        if file is not None:
            require_file_place(file, suffix)
    lengths = None if arguments.lengths is None else parse_lengths(arguments.lengths)
    is_run = ":" not in arguments.network or arguments.network.startswith(PREFIX)
    if is_run and not arguments.network.startswith(PREFIX):
        require_run_folder(Path(arguments.network))
    if not is_run and arguments.spec is None:
        raise ConfigError(
            f"{arguments.network} does not know its language. Add it: lengthwise examine "
            f"{arguments.network} parity."
        )
    from lengthwise.examination.examine import examine

    model, language = _load(arguments, is_run=is_run)
    found = examine(
        model,
        language,
        budget=arguments.budget,
        lengths=lengths,
        longest=arguments.longest,
        words_per_length=arguments.words,
        choose=arguments.choose,
        rounds=arguments.rounds,
        seed=arguments.seed,
    )
    if arguments.out is not None:
        found.save(arguments.out)
        note(f"wrote {arguments.out}")
    if arguments.save_snapped is not None:
        if found.snapped is None:
            note(f"nothing to store: {found.verdict}")
        else:
            found.snapped.save(arguments.save_snapped)
            note(f"wrote {arguments.save_snapped}")
    if arguments.json:
        print_json(found.to_dict())
    else:
        print_facts(found.facts())


def _load(arguments: argparse.Namespace, *, is_run: bool) -> tuple[Any, Any]:
    """Return the network, and the language if it is not that of a run."""
    from lengthwise.languages.spec import parse

    language = None if arguments.spec is None else parse(arguments.spec)
    if is_run:
        from lengthwise.problems.runs import load_run

        return load_run(Path(arguments.network), device=arguments.device), language
    from lengthwise.training.devices import choose_device

    assert language is not None
    network = _build(arguments.network, language)
    return network.to(choose_device(arguments.device)), language


def _build(name: str, language: Any) -> "nn.Module":
    """Return the network that an import path names, or that the function there builds.

    Raises:
        ConfigError: it cannot be imported, or builds no network.
    """
    from torch import nn

    from lengthwise.models.custom import own_entry
    from lengthwise.registry import import_attribute

    target = import_attribute(name, kind="model", form="package.module:name")
    if isinstance(target, nn.Module):
        return target
    entry = own_entry(name)
    sizes = {"vocab_size": language.num_symbols, "num_classes": language.num_classes}
    return entry.build(entry.configure(sizes))
