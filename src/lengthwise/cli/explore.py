"""The command `explore`: serves or writes one local page about a language or a run."""

import argparse
import webbrowser
from pathlib import Path

from lengthwise.cli.output import add_json, make_integer_type, note, print_json, say
from lengthwise.errors import ConfigError
from lengthwise.explorer.server import Explorer
from lengthwise.explorer.subjects import subject_of
from lengthwise.explorer.timed_values import Workers
from lengthwise.files import require_file_place, write_text
from lengthwise.status_lines import mute


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subject, the file and the port to the parser."""
    parser.add_argument(
        "subject",
        nargs="?",
        metavar="RUN|SPEC",
        help="the folder of a run, a language, or circuit:FILE (default: some to begin with)",
    )
    parser.add_argument(
        "--alphabet", help="all symbols of a regular expression, such as abc or a-z"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE.html", help="write the page to a file, and serve nothing"
    )
    parser.add_argument(
        "--port", type=make_integer_type(0, 65_535), help="the port (default: 0, any free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Write the page, or serve it until Ctrl-C."""
    from lengthwise.explorer.page import render_explorer

    out = arguments.out
    if out is not None and (arguments.port is not None or arguments.no_browser):
        raise ConfigError(
            "--out writes a page and serves nothing. Leave --port and --no-browser out."
        )
    if out is not None:
        require_file_place(out, ".html")
    subject = subject_of(arguments.subject, arguments.alphabet, served=out is None, say=note)
    page = render_explorer(subject.data, served=out is None)
    if out is not None:
        write_text(out, page)
        _say({"page": str(out), "bytes": len(page.encode())}, str(out), as_json=arguments.json)
        return
    workers = Workers()
    answers = {**subject.answers, "language": workers.answer}
    try:
        with Explorer(page, answers, arguments.port or 0) as server:
            _say({"url": server.url}, server.url, as_json=arguments.json)
            if not arguments.no_browser:
                webbrowser.open(server.url)
            note("Ctrl-C ends it.")
            with mute():
                server.serve_forever()
    finally:
        workers.close()


def _say(record: dict[str, object], line: str, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        say(line)
