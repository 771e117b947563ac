"""The command `compare`: one table and one figure about runs of one problem."""

import argparse
from pathlib import Path

from lengthwise.cli.output import WIDTHS, add_json, add_width, note, print_json, print_table
from lengthwise.files import require_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the files to the parser."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR", help="folders of runs")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write a page")
    parser.add_argument(
        "--figure",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write the figure: .svg, or .pdf at the font size of a paper",
    )
    add_width(parser)
    parser.add_argument(
        "--label",
        action="append",
        dest="labels",
        metavar="NAME",
        help="name of a row and of its line, once for each row in their order",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the page and the figure, if asked for, and print the table."""
    from lengthwise.report.compare import compare

    files = [require_name(arguments.out, ".html")] if arguments.out else []
    files += [require_name(path, ".svg", ".pdf") for path in arguments.figure]
    comparison = compare(arguments.runs, labels=arguments.labels)
    for path in files:
        comparison.save(path, width=WIDTHS[arguments.width])
    if arguments.json:
        print_json({**comparison.to_dict(), "files": [str(path) for path in files]})
        return
    print_table(*comparison.table, title=f"{comparison.subject}, {comparison.curve.measure}")
    for line in comparison.notes:
        note(line)
