"""The command `report`: writes one self-contained HTML page about runs."""

import argparse
from pathlib import Path

from lengthwise.cli.output import WIDTHS, add_json, add_width, print_json, say
from lengthwise.files import require_file_place, require_folder_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs and the file of the page to the parser."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR", help="folders of runs")
    parser.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE.html")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="write accuracy by length as PDF files, too"
    )
    add_width(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the page and print its path."""
    from lengthwise.report.report import write_figures, write_report

    require_file_place(arguments.out, ".html")
    if arguments.figures:
        require_folder_place(arguments.figures)
    write_report(arguments.runs, arguments.out)
    files: list[Path] = []
    if arguments.figures:
        files = write_figures(arguments.runs, arguments.figures, WIDTHS[arguments.width])
    if arguments.json:
        print_json({"report": str(arguments.out), "figures": [str(path) for path in files]})
        return
    for path in (arguments.out, *files):
        say(str(path))
