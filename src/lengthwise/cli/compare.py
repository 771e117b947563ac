"""The command `compare`: one table and one figure about runs of one problem."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, note, print_json, print_table
from lengthwise.files import require_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the files to the parser."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR", help="folders of runs")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write a page")
    parser.add_argument("--svg", type=Path, metavar="FILE.svg", help="write the figure")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the page and the figure, if asked for, and print the table."""
    from lengthwise.report.compare import compare

    outputs = [(arguments.out, ".html"), (arguments.svg, ".svg")]
    files = [require_name(path, ending) for path, ending in outputs if path]
    comparison = compare(arguments.runs)
    for path in files:
        comparison.save(path)
    if arguments.json:
        print_json({**comparison.to_dict(), "files": [str(path) for path in files]})
        return
    print_table(*comparison.table, title=f"{comparison.subject}, {comparison.curve.measure}")
    for line in comparison.notes:
        note(line)
