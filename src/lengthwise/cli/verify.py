"""The command `verify`: compares a construction with the independent definition.

The exit status is 1 if its claim fails.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.output import (
    add_json,
    add_settings,
    make_integer_type,
    parse_settings,
    print_facts,
    print_json,
    print_table,
    say,
    settings_in_words,
)
from lengthwise.constructions.defaults import ALL_WORDS, MOST, PRECISIONS
from lengthwise.errors import ClaimError, ConfigError, LanguageError, RunError
from lengthwise.files import write_json
from lengthwise.messages import shorten
from lengthwise.zoo_paths import is_shipped

if TYPE_CHECKING:
    from lengthwise.constructions.construction import Computed
    from lengthwise.constructions.verify import PrecisionResult, Verification

_LONGEST = 100
"""Characters of a construction's name that are shown; `--json` has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the construction and the words to test it on to the parser."""

    parser.add_argument(
        "construction", metavar="DIR|NAME", help="a folder that compile wrote, or a name"
    )
    parser.add_argument(
        "--longest",
        type=make_integer_type(0, MOST["longest"]),
        default=1_000,
        help="longest words (default 1000)",
    )
    parser.add_argument(
        "--all",
        dest="all_words",
        type=make_integer_type(1, MOST["all_words"]),
        default=ALL_WORDS,
        metavar="N",
        help=f"ask about all words of lengths that have at most N (default {ALL_WORDS})",
    )
    parser.add_argument(
        "--words",
        type=make_integer_type(1, MOST["words_per_length"]),
        default=32,
        help="words drawn at each longer length; as many neighbours are added (default 32)",
    )
    parser.add_argument(
        "--precision",
        action="append",
        choices=PRECISIONS,
        help="one of " + ", ".join(PRECISIONS) + "; may be repeated (default: all)",
    )
    parser.add_argument("--seed", type=make_integer_type(0), default=0, help="of the words")
    add_settings(parser, "epsilon=0, eta=0.001, bits=16; for a name, not a folder")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Verify, store the result in the folder, print it, and fail if the claim does not hold."""
    from lengthwise.constructions.verify import verify_construction
    from lengthwise.training.progress import counting_progress

    construction, folder = _find(arguments)
    with counting_progress(
        f"verifying {shorten(construction.name, _LONGEST)}", "lengths"
    ) as progress:
        result = verify_construction(
            construction,
            longest=arguments.longest,
            all_words=arguments.all_words,
            words_per_length=arguments.words,
            precisions=arguments.precision or PRECISIONS,
            seed=arguments.seed,
            progress=progress,
        )
    if folder is not None:
        write_json(folder / "verification.json", result.to_dict())
    if arguments.json:
        print_json(result.to_dict())
    else:
        _print(result)
    if result.holds is False:
        failed = [name for name, precision in result.precisions.items() if precision.holds is False]
        raise ClaimError(f"the claim does not hold in {', '.join(failed)}.")


def _find(arguments: argparse.Namespace) -> "tuple[Computed, Path | None]":
    from lengthwise.constructions.folders import read_construction
    from lengthwise.constructions.known_constructions import construct

    folder = Path(arguments.construction)
    settings = parse_settings(arguments.settings)
    if is_shipped(folder):
        return read_construction(folder), None
    if not folder.is_dir():
        try:
            return construct(arguments.construction, settings), None
        except LanguageError:
            if "/" not in arguments.construction or ":" in arguments.construction:
                raise
            raise RunError(f"{folder} is not a folder. Give one that compile wrote.") from None
    if settings:
        raise ConfigError(
            f"{folder} has its settings in config.json, so --set cannot change them. Leave it out."
        )
    return read_construction(folder), folder


def _print(result: "Verification") -> None:
    print_facts(
        [
            ("construction", shorten(result.construction, _LONGEST)),
            ("settings", settings_in_words(result.settings)),
            ("claim", result.claim),
            ("range", result.range or "none is claimed"),
            ("margin", result.required_margin_in_words),
            ("asked", _describe_words(result)),
        ]
    )
    for key, numbers in (("is_binary", "zeros and ones"), ("is_whole", "whole numbers")):
        odd = [
            name
            for name, precision in result.precisions.items()
            if getattr(precision, key) is False
        ]
        if odd:
            say(f"In {', '.join(odd)} there is a vector that is not of {numbers}.")
    if result.is_circuit:
        columns = ["precision", "claim", "inputs", "wrong", "least margin"]
        row_of = _of_one_length
    else:
        columns = ["precision", "claim", "words", "right to", "first wrong", "least margin"]
        columns, row_of = [*columns, "at the longest"], _of_many_lengths
    skipped = ["skipped", *["-"] * (len(columns) - 2)]
    rows = {
        n: skipped if precision.skipped else row_of(precision)
        for n, precision in result.precisions.items()
    }
    print_table(columns, [[name, *row] for name, row in rows.items()])
    for name, precision in result.precisions.items():
        if precision.skipped:
            say(f"{name} was skipped: {precision.skipped}.")


def _describe_words(result: "Verification") -> str:
    if result.is_circuit:
        return "all inputs" if result.exhaustive_to == result.longest else "random inputs"
    return f"all words to length {result.exhaustive_to}, some to {result.longest:,}"


def _of_many_lengths(precision: "PrecisionResult") -> list[str]:
    lengths = [n for n in precision.margin if n > 0] or list(precision.margin)
    least = min(lengths, key=lambda n: precision.margin[n])
    return [
        _reach(precision),
        f"{precision.words:,}",
        "nothing" if precision.right_to is None else f"{precision.right_to:,}",
        "none"
        if precision.first_wrong is None
        else f"{precision.first_wrong:,}: {precision.wrong_word}",
        _margin(precision, least),
        _margin(precision, max(precision.margin)),
    ]


def _of_one_length(precision: "PrecisionResult") -> list[str]:
    """Return the row of a circuit, without a length, since all inputs have the same."""
    (margin,) = precision.margin.values()
    wrong = "none" if precision.first_wrong is None else f"{precision.wrong_word}"
    return [_verdict(precision), f"{precision.words:,}", wrong, _number(margin)]


def _verdict(precision: "PrecisionResult") -> str:
    return {None: "none", False: "FAILS", True: "holds"}[precision.holds]


def _reach(precision: "PrecisionResult") -> str:
    if not precision.holds:
        return _verdict(precision)
    to = "every length" if precision.claimed_to is None else f"{precision.claimed_to:,}"
    return f"{_verdict(precision)} to {precision.holds_to:,} of {to}"


def _margin(precision: "PrecisionResult", length: int) -> str:
    from lengthwise.constructions.verify import NAN_MARGIN

    margin = precision.margin[length]
    return f"{_number(margin)} at {length:,}" if margin > NAN_MARGIN else _number(margin)


def _number(margin: float) -> str:
    from lengthwise.constructions.verify import NAN_MARGIN

    return f"{margin:.3g}" if margin > NAN_MARGIN else "NaN"
