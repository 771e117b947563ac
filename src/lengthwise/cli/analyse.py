"""The command `analyse`: vectors of sub-words, receptive field and attention of a trained run."""

import argparse
from pathlib import Path
from typing import Any

from lengthwise.cli.catalogue_names import ANALYSES as KNOWN
from lengthwise.cli.output import add_json, make_integer_type, note, print_facts, print_json
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.files import require_file_place, write_bytes, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run, the figures and the words to the parser."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--figure",
        action="append",
        metavar="NAME",
        help=f"{', '.join(KNOWN)}; may be repeated (default: all)",
    )
    parser.add_argument(
        "--lengths",
        "--length",
        help="of the words: 100,1000 or 100:500:100 (default: 500; for deeper-trees the longest "
        "of training)",
    )
    parser.add_argument(
        "--words", type=make_integer_type(1), default=100, help="words per length (default 100)"
    )
    parser.add_argument("--seed", type=make_integer_type(0), default=0, help="of the words")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="where the figure goes, .svg or .png (default: DIR/analysis/NAME.svg)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure, store the records in the run folder, draw, and print the numbers."""
    from lengthwise.analysis.analyses import ANALYSES, analysis_of, record_path
    from lengthwise.analysis.figures import to_png, to_svg
    from lengthwise.interpret import knowledge_of, longest_of_training
    from lengthwise.problems.runs import load_run
    from lengthwise.training.runs import RunFolder

    names = list(dict.fromkeys(arguments.figure or ANALYSES))
    for name in names:
        ANALYSES[name]  # raises for a misspelt name before anything is computed
    _check_out(arguments.out, names)
    lengths = parse_lengths(arguments.lengths) if arguments.lengths is not None else []
    RunFolder(arguments.run).require_writable()
    trained = load_run(arguments.run, device="cpu")
    known = knowledge_of(trained)
    results: dict[str, Any] = {}
    for name in names:
        try:
            record = analysis_of(
                name,
                trained.model,
                trained.task,
                lengths=lengths,
                words_per_length=arguments.words,
                seed=arguments.seed,
                longest=longest_of_training(trained),
            )
        except ClaimError as error:
            if arguments.figure:
                raise
            note(f"{name} is left out: {error}")  # the other figures are still drawn
            continue
        meaning = ANALYSES[name].meaning(record, known)
        path = record_path(arguments.run, name)
        picture = arguments.out or path.with_suffix(".svg")
        figure = ANALYSES[name].draw(record)
        write_json(path, record)
        write_bytes(
            picture, to_png(figure) if picture.suffix == ".png" else to_svg(figure).encode()
        )
        results[name] = {
            **record,
            "meaning": meaning,
            "files": {"record": str(path), "figure": str(picture)},
        }
        if not arguments.json:
            print_facts(_facts(results[name]))
    if arguments.json:
        print_json({"run": str(arguments.run), "figures": results})


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of a record and the paths of its files, as names and values."""
    from lengthwise.analysis.analyses import ANALYSES

    lengths = ", ".join(map(str, result["lengths"]))
    return [
        ("figure", result["figure"]),
        ("words", f"{result['words_per_length']} of {lengths} symbols"),
        *ANALYSES[result["figure"]].numbers(result),
        ("meaning", result["meaning"]),
        *result["files"].items(),
    ]


def _check_out(out: Path | None, names: list[str]) -> None:
    if out is None:
        return
    if len(names) > 1:
        raise ConfigError(
            f"--out names one file, but {len(names)} figures are to be drawn. Ask for one with "
            f"--figure {names[0]}."
        )
    require_file_place(out, ".svg", ".png")
