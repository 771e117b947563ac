"""The command `zoo`: lists the models that come with the package, shows a card, or copies one."""

import argparse
import shutil
from pathlib import Path

from lengthwise.cli.output import add_json, note, print_json, print_table
from lengthwise.errors import ConfigError, RunError
from lengthwise.files import require_folder_place
from lengthwise.messages import format_count
from lengthwise.zoo.records import CARD, COLUMNS, read_record, read_records, row
from lengthwise.zoo_paths import PREFIX, resolve_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name and the place of a copy to the parser."""
    parser.add_argument("name", nargs="?", help="print the card of this model, such as tomita-3")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="copy the model there, as a run folder of your own"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the table, or one card; with `--out`, copy the model."""
    if arguments.name is None:
        if arguments.out is not None:
            raise ConfigError("--out copies one model, but none is named. Give its name.")
        records = read_records()
        if arguments.json:
            print_json({"models": records})
            return
        print_table(COLUMNS, [row(record) for record in records])
        note(
            f"{format_count(len(records), 'model')}; name one as {PREFIX}NAME wherever a run is "
            f"taken"
        )
        return
    name = arguments.name.removeprefix(PREFIX)
    record, folder = read_record(name), resolve_path(PREFIX + name)
    if arguments.out is not None:
        _copy(folder, arguments.out)
        note(f"copied to {arguments.out}")
    if arguments.json:
        out = None if arguments.out is None else str(arguments.out)
        print_json({**record, "folder": str(folder), "copied_to": out})
    else:
        print((folder / CARD).read_text(encoding="utf-8"), end="")


def _copy(folder: Path, out: Path) -> None:
    """Copy a run folder to a place where nothing is yet."""
    require_folder_place(out)
    if out.exists() and any(out.iterdir()):
        raise RunError(f"{out} is not empty. Use a new or empty folder.")
    shutil.copytree(folder, out, dirs_exist_ok=True)
