"""The command `predict`: prints a model's answer to each line on standard input.

An answer is a class, outputs, or more text.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.cli.input_lines import Lines, read_words, standard_lines
from lengthwise.cli.options import add_snapped, options_of
from lengthwise.cli.output import (
    add_device,
    add_json,
    make_integer_type,
    note,
    print_answers,
    print_json,
    refuse,
)
from lengthwise.errors import ConfigError
from lengthwise.problems.results import Answer, Predictor
from lengthwise.training.run_listing import read_statement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run and the options of its answers to the parser."""

    parser.epilog = (
        "Words, or beginnings of texts, are read from standard input, one to a line; words are "
        "answered when it ends."
    )
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a run")
    parser.add_argument(
        "--tokens",
        type=make_integer_type(1, 2**20),
        help="number of tokens that a language model adds (default 50)",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        help="temperature of a language model's sampling (default 0: always the likeliest token)",
    )
    parser.add_argument(
        "--seed", type=make_integer_type(0), help="seed of the sampling (default 0)"
    )
    parser.add_argument(
        "--text", type=Path, metavar="DIR", help="the corpus of a language model, if it was moved"
    )
    add_keep_going(parser)
    add_snapped(parser)
    add_device(parser)
    add_json(parser)


def add_keep_going(parser: argparse.ArgumentParser) -> None:
    """Add `--keep-going` to the parser."""
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="answer the other lines if one cannot be read: its answer is an empty line, standard "
        "error says what is wrong, and the exit status is 2 in the end",
    )


def run(arguments: argparse.Namespace) -> None:
    """Answer all lines, or none if one cannot be read; texts are answered line by line."""
    from lengthwise.constructions.folders import is_circuit
    from lengthwise.problems.runs import load_run

    if is_circuit(arguments.run):
        _complete(arguments)
        return
    trained = load_run(arguments.run, device=arguments.device)
    options = options_of(arguments, trained.problem, "predict_options")
    statement = read_statement(Path(arguments.run))
    if statement is not None and statement["refutation"]:
        note(f"answers are those of {statement['inferred']}. {statement['refutation']}")
    answer_lines(trained.problem.predictor(trained, options), arguments)


def answer_lines(predictor: Predictor, arguments: argparse.Namespace) -> None:
    """Print one line for each input, or one JSON object; then fail if a line could not be read.

    A few lines are answered at a time where the predictor says so, and each answer is printed as
    soon as it is known.

    Raises:
        WordError: a line could not be read.
    """
    together = predictor.together
    groups = read_words(
        standard_lines(),
        predictor.read,
        joint=predictor.joint,
        keep_going=arguments.keep_going,
        together=1 if together and sys.stdin.isatty() else together,
    )
    every: Lines[Any] = Lines([], [], {})
    answered: list[Answer] = []
    for group in groups:
        answers = predictor.answer(group.words)
        answered.extend(answers)
        every.numbers.extend(group.numbers)
        every.errors.update(group.errors)
        if not arguments.json:
            print_answers(group.answer_lines([answer.line for answer in answers]))
    if arguments.json:
        print_json(_as_json(predictor, every, answered, keep_going=arguments.keep_going))
    for line in predictor.notes(answered):
        note(line)
    every.require_all()


def _as_json(
    predictor: Predictor, lines: Lines[Any], answers: Sequence[Answer], *, keep_going: bool
) -> dict[str, Any]:
    """Return the answers as one object; with `keep_going`, each has its line, and errors follow."""
    totals = predictor.totals(answers)
    if not keep_going:
        return {predictor.key: [answer.record for answer in answers], **totals}
    numbered = zip(lines.numbers, answers, strict=True)
    errors = [{"line": number, "error": message} for number, message in lines.errors.items()]
    records = [{"line": line, **answer.record} for line, answer in numbered]
    return {predictor.key: records, "errors": errors, **totals}


def _complete(arguments: argparse.Namespace) -> None:
    """Print the outputs of a circuit for each line of input bits."""
    from lengthwise.constructions.folders import read_construction
    from lengthwise.problems.circuit import circuit_predictor
    from lengthwise.problems.registry import PROBLEMS
    from lengthwise.training.devices import choose_device

    options = {name for kind in PROBLEMS.values() for name in kind.setup.predict_options}
    for option in sorted(options & vars(arguments).keys() - {"keep_going", "snapped"}):
        refuse(arguments, option, "language models")
    if arguments.snapped:
        raise ConfigError("a circuit has no tables of sub-words. Leave --snapped out.")
    construction = read_construction(arguments.run)
    sequence = construction.about
    assert isinstance(sequence, GateSequence)
    model = construction.model.to(choose_device(arguments.device))
    answer_lines(circuit_predictor(model, sequence), arguments)
