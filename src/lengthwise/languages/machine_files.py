"""Automata in files that an argument names: `.json` of `infer` and `export`, and `.att`."""

from pathlib import Path

from lengthwise.files import read_object, values_of
from lengthwise.languages.att import from_att
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict

_INFERRED = "inferred:"


def read_machine(name: str) -> Language | None:
    """Return the automaton in a file `FILE.json` or `FILE.att`; None if it is not such a name.

    Of an inference the file alone is read, and not its words.

    Raises:
        LanguageError: the file holds a damaged automaton.
        RunError: the file cannot be read, or holds no automaton.
    """
    file = Path(name.removeprefix(_INFERRED))
    is_json = name.endswith(".json") and (file.is_file() or not (":" in name or file.exists()))
    if name.startswith(_INFERRED) or is_json:
        remedy = "Give a file that `lengthwise infer` or `lengthwise export` wrote."
        values = read_object(file, remedy=remedy)
        with values_of(file, remedy=remedy):
            return from_dict(values if "transitions" in values else values["language"])
    return from_att(file) if name.endswith(".att") and file.is_file() else None
