"""The command `infer`: finds the automaton that labelled words show, and says how sure it is."""

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.describe import describe_with_note, print_description
from lengthwise.cli.output import (
    add_columns,
    add_json,
    add_settings,
    note,
    parse_settings,
    print_facts,
    print_json,
    say,
)
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.exports.export import export, require_automaton_place
from lengthwise.files import require_file_place, write_text
from lengthwise.inference.positives.statement import PositiveStatement

PREFIX = "pairs:"
"""Prefix of files of pairs."""

if TYPE_CHECKING:
    from lengthwise.problems.inferred.inference import Inference
    from lengthwise.problems.paired_words.inference import FunctionInference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file of words, the file to save to and the settings to the parser."""
    parser.add_argument(
        "words",
        metavar="FILE",
        help="labelled words: .tsv, .csv, .jsonl, .parquet, .dat, .xes or a dataset; words:FILE; "
        "or pairs:FILE, inputs with outputs of equal length, which show a function",
    )
    parser.add_argument("--alphabet", help="all symbols, if the file lacks some: abc or a-z")
    add_columns(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="save it as FILE.json (for `train inferred:FILE.json`), or the automaton as FILE.svg "
        "(a picture), FILE.dot (Graphviz), FILE.att (AT&T) or another ending of `export`; a "
        "function as FILE.att (for `mealy:FILE.att`)",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time limit of the search (default 120); the same command continues where it stopped, "
        "except on pairs",
    )
    parser.add_argument(
        "--assume",
        metavar="CLASS",
        help="search only this class of languages: SL, TSL, SP, LT, PT, star-free, group, ...; if "
        "all words have one label, k-testable, prefix-closed or k-reversible",
    )
    parser.add_argument(
        "--scheduler",
        metavar="tcp://...",
        help="address of a Dask scheduler, whose workers count words of parts of the file; they "
        "must see the file, and the folder XDG_CACHE_HOME, under the same paths",
    )
    add_settings(parser, "label_noise=0.01, max_states=64")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Infer, print statement and automaton, and save the result.

    Raises:
        ClaimError: the words that were held out refute the automaton.
    """
    from lengthwise.problems.inferred.inference import infer_from, read_reference
    from lengthwise.problems.inferred.settings import InferenceConfig
    from lengthwise.sweeps.executors import executor_for
    from lengthwise.training.progress import counting_progress

    out = arguments.out
    if arguments.words.startswith(PREFIX):
        _infer_function(arguments)
        return
    if out is not None and out.suffix != ".json":
        require_automaton_place(out)
    elif out is not None:
        require_file_place(out)
    config = InferenceConfig.from_dict(_settings(arguments))
    with executor_for(scheduler=arguments.scheduler) as executor:
        words = read_reference(
            arguments.words,
            arguments.alphabet,
            config,
            arguments.columns,
            workers=executor if arguments.scheduler else None,
        )
    inference = infer_from(words, config, counting_progress)
    if out is not None:
        if out.suffix == ".json":
            write_text(out, json.dumps(inference.to_dict(), ensure_ascii=False))
        else:
            export(inference, out)
        note(f"saved {out}")
    description = describe_with_note(inference.language)
    if arguments.json:
        file = None if out is None else str(out)
        print_json({**inference.to_dict(), "description": description, "file": file})
    else:
        say(f"{inference}\n")
        print_description(inference.language, description)
        note(f"next: lengthwise train {shlex.quote(_trainable(inference, out))} --out DIR")
    if refutation := inference.statement.refutation:
        raise ClaimError(f"{inference.name}: {refutation}")


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    settings = parse_settings(arguments.settings)
    for name in ("budget", "assume"):
        if (value := getattr(arguments, name)) is not None:
            settings |= parse_settings([f"{name}={value}"])
    return settings


def _infer_function(arguments: argparse.Namespace) -> None:
    """Infer a function from pairs, print statement and automata, and save the result."""
    from lengthwise.languages.functions.describe import describe_function, facts_of_function
    from lengthwise.languages.functions.transducers import to_transducer
    from lengthwise.problems.inferred.settings import InferenceConfig
    from lengthwise.problems.paired_words.inference import infer_function, read_paired_words
    from lengthwise.training.progress import counting_progress

    out = arguments.out
    if out is not None and out.suffix != ".att":
        raise ConfigError(
            f"a function is saved as FILE.att, a transducer of AT&T's format, but the name is "
            f"{str(out)!r:.60}. Give one that ends in .att."
        )
    if out is not None:
        require_file_place(out)
    config = InferenceConfig.from_dict(_settings(arguments))
    words = read_paired_words(
        arguments.words,
        arguments.alphabet,
        config,
        arguments.columns,
        scheduler=arguments.scheduler,
    )
    inference = infer_function(words, config, counting_progress)
    if out is not None:
        write_text(out, to_transducer(inference.function))
        note(f"saved {out}")
    if arguments.json:
        file = None if out is None else str(out)
        description = describe_function(inference.function)
        print_json({**inference.to_dict(), "description": description, "file": file})
    else:
        say(f"{inference}\n")
        print_facts(facts_of_function(inference.function))
        note(f"next: lengthwise train {_trainable_pairs(inference, arguments)} --out DIR")
    if refutation := inference.statement.refutation:
        raise ClaimError(f"{inference.name}: {refutation}")


def _trainable_pairs(inference: "FunctionInference", arguments: argparse.Namespace) -> str:
    """Return what `train` takes to infer the same function again, and learn it."""
    given = [
        (f"--{name}", getattr(arguments, name))
        for name in ("alphabet", "columns")
        if getattr(arguments, name) is not None
    ]
    settings = inference.settings.non_defaults().items()
    given += [("--set", f"{name}={value}") for name, value in settings]
    return shlex.join([inference.name, *(part for option in given for part in option)])


def _trainable(inference: "Inference", out: Path | None) -> str:
    """Return what `train` takes to learn the automaton."""
    if isinstance(inference.statement, PositiveStatement):
        return f"att:{out if out is not None and out.suffix == '.att' else 'FILE.att'}"
    return f"inferred:{out}" if out is not None and out.suffix == ".json" else inference.name
