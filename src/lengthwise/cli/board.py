"""The command `board`: the smallest networks that are proved, and the check of a submission."""

import argparse
from pathlib import Path

from lengthwise.board.entries import BoardEntry, load_entries, place_on_board
from lengthwise.cli.output import add_json, note, print_facts, print_json, print_table
from lengthwise.errors import ConfigError, unknown_name

COLUMNS = [
    *("language", "made", "place", "parameters", "bits", "depth", "arithmetic", "proof"),
    *("model", "supervision", "seed", "name"),
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the check and its folder to the parser."""
    parser.add_argument(
        "shown",
        nargs="?",
        metavar="LANGUAGE | check | arena.json",
        help="show this language alone; judge a submission; or show the best networks of an arena",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="a run folder with its certificate"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the board, the part about a language, or what a submission would be on it.

    Raises:
        ConfigError: the board has no such language, or the folder of a submission is missing.
    """
    entries = load_entries()
    if arguments.shown is not None and arguments.shown.endswith(".json"):
        _show_arena(arguments)
        return
    if arguments.shown != "check":
        if arguments.shown is not None:
            entries = _list_entries(arguments.shown, entries)
        if arguments.folder is not None:
            raise ConfigError(
                f"board shows all languages or one, but also got {arguments.folder}. Leave it out."
            )
        _show(entries, as_json=arguments.json)
        return
    if arguments.folder is None:
        raise ConfigError("board check needs the folder of a run. Add it.")
    from lengthwise.board.submission import judge_submission

    _tell(judge_submission(arguments.folder), entries, arguments)


def _show_arena(arguments: argparse.Namespace) -> None:
    """Print the best networks of a record of `arena`.

    Raises:
        ConfigError: a folder is given, too.
        RunError: the file is not a record.
    """
    if arguments.folder is not None:
        raise ConfigError(f"board shows one arena, but also got {arguments.folder}. Leave it out.")
    from lengthwise.arenas.record import Arena

    found = Arena.load(arguments.shown)
    if arguments.json:
        print_json({"languages": found.best()})
        return
    print_table(*found.best_table, title=f"arena, {found.suite}, {found.date}")


def _list_entries(language: str, entries: list[BoardEntry]) -> list[BoardEntry]:
    matches = [entry for entry in entries if entry.language == language]
    if not matches and Path(language).is_dir():
        raise ConfigError(f"{language} is a folder. Judge it: `lengthwise board check {language}`.")
    if not matches:
        known = dict.fromkeys(["check", *(entry.language for entry in entries)])
        raise unknown_name("language of the board", language, known)
    return matches


def _show(entries: list[BoardEntry], *, as_json: bool) -> None:
    placed = [(place_on_board(entry, entries), entry) for entry in entries]
    if as_json:
        print_json({"entries": [{"place": place, **entry.to_dict()} for place, entry in placed]})
        return
    print_table(COLUMNS, [_row(place, entry) for place, entry in placed])


def _row(place: int, entry: BoardEntry) -> list[str]:
    return [
        *(entry.language, entry.made, str(place), f"{entry.parameters:,}"),
        "" if entry.bits is None else str(entry.bits),
        *(entry.depth, entry.arithmetic, entry.strength, entry.model, entry.told),
        "" if entry.seed is None else str(entry.seed),
        entry.name,
    ]


def _tell(entry: BoardEntry, entries: list[BoardEntry], arguments: argparse.Namespace) -> None:
    place = place_on_board(entry, entries)
    is_known = any(other.certificate == entry.certificate for other in entries)
    if arguments.json:
        facts = {"folder": str(arguments.folder), "place": place, "is_on_board": is_known}
        print_json({**entry.to_dict(), **facts, "would_lead": place == 1})
        return
    note("checked: the proof follows from the weights, and is about the language of the board.")
    print_facts(
        [
            ("language", entry.language),
            ("place", f"{place} of those {entry.made}{'; it is on the board' if is_known else ''}"),
            ("parameters", f"{entry.parameters:,}"),
            ("bits", "none" if entry.bits is None else str(entry.bits)),
            ("depth", entry.depth),
            ("arithmetic", entry.arithmetic),
            ("proof", f"{entry.strength}, {entry.certificate}"),
            ("model", entry.model),
            ("not shown by it", f"{entry.made}, supervision {entry.told}, seed {entry.seed}"),
        ]
    )
