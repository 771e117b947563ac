"""Every format of files of labelled words, and how a file's format is known: from its name, where
that tells it, else from its first lines, and else from the user.

words.csv.gz and so on are unpacked as they are read.
"""

from pathlib import Path

from lengthwise.data.columns import Columns
from lengthwise.data.compressed_files import PACKED, open_unpacked
from lengthwise.data.formats.competitions import Aalpy, Abbadingo, Stamina
from lengthwise.data.formats.event_log import EventLog
from lengthwise.data.formats.objects import JsonLines
from lengthwise.data.formats.reader import Reader, TableReader
from lengthwise.data.formats.separated import CommaSeparated, TabSeparated
from lengthwise.data.formats.tables import SAVED, SEVERAL, Parquet, SavedDataset
from lengthwise.errors import TextError, unknown_name

READERS: tuple[Reader, ...] = (
    TabSeparated(),
    CommaSeparated(),
    JsonLines(),
    Parquet(),
    SavedDataset(),
    Abbadingo(),
    Stamina(),
    Aalpy(),
    EventLog(),
)

FORMATS = {reader.name: reader for reader in READERS}

ENDINGS = {ending: reader for reader in READERS for ending in reader.endings}

_UNCERTAIN = (".txt", ".text", ".log", "")
"""Endings that do not name a format; the first lines may show it."""

_LOOKED_AT = 4_096
"""Number of bytes at the beginning of a file that show its format."""


def reader_of(path: Path, columns: Columns) -> Reader:
    """Return the reader of a file, or of the folder of a dataset.

    Raises:
        TextError: it does not exist, or its format is unknown.
        ConfigError: the columns name an unknown format.
    """
    if columns.format and columns.format not in FORMATS:
        raise unknown_name("format", columns.format, FORMATS)
    if not path.exists():
        raise TextError(f"{path} does not exist. Give a file of labelled words, .tsv or .jsonl.")
    reader = _reader_of(path, columns)
    if isinstance(reader, TableReader):
        columns.require_case()
    return reader


def _reader_of(path: Path, columns: Columns) -> Reader:
    if path.is_dir():
        _require_dataset(path)
        return FORMATS["dataset"]
    if columns.format:
        return FORMATS[columns.format]
    ending = word_kind(path)
    if ending in ENDINGS:
        return ENDINGS[ending]
    if ending in _UNCERTAIN:
        with open_unpacked(path) as file:
            beginning = file.read(_LOOKED_AT)
        claiming = [reader for reader in READERS if reader.claims(beginning)]
        if len(claiming) == 1:
            return claiming[0]
    raise TextError(
        f"{path} does not end in one of {', '.join(ENDINGS)}, packed or not "
        f"({', '.join(PACKED)}). Rename it, "
        f"or name its format: --columns format={'|'.join(FORMATS)}."
    )


def word_kind(path: Path) -> str:
    """Return the ending that names the format of a file of words, without that of a packer."""
    name = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return name.suffix.lower()


def _require_dataset(path: Path) -> None:
    """Refuse a folder that is not a dataset."""
    if (path / SEVERAL).exists():
        parts = sorted(path.name for path in path.iterdir() if (path / SAVED).exists())
        raise TextError(
            f"{path} holds several datasets, {', '.join(parts)}. Give one of them, such as "
            f"words:{path / next(iter(parts), 'train')}."
        )
    if not (path / SAVED).exists():
        raise TextError(
            f"{path} is a folder, but not a dataset that `save_to_disk` of the library datasets "
            f"wrote. Give one, or a .tsv or .jsonl file."
        )
