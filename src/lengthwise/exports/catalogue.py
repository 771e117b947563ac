"""The formats by the ending of a file's name."""

from lengthwise.exports.format import Format
from lengthwise.registry import Catalogue

_HERE = "lengthwise.exports"

FORMATS: Catalogue[type[Format]] = Catalogue(
    "file ending",
    {
        ".dot": f"{_HERE}.tables:Dot",
        ".att": f"{_HERE}.tables:Att",
        ".json": f"{_HERE}.tables:Json",
        ".c": f"{_HERE}.c_tables:C",
        ".svg": f"{_HERE}.drawings:Svg",
    },
    group="lengthwise.formats",
    expected=Format,
)
"""Other packages add formats under the group of entry points `lengthwise.formats`."""
