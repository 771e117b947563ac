"""The command `report`: writes one self-contained HTML page about runs."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, print_json, say
from lengthwise.files import require_file_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the file of the page to the parser."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR", help="folders of runs")
    parser.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE.html")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the page and print its path."""
    from lengthwise.report.report import write_report

    require_file_place(arguments.out, ".html")
    write_report(arguments.runs, arguments.out)
    if arguments.json:
        print_json({"report": str(arguments.out)})
    else:
        say(str(arguments.out))
