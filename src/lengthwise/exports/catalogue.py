"""The formats by the ending of a file's name."""

from lengthwise.exports.format import Format
from lengthwise.registry import Catalogue

_HERE = "lengthwise.exports"

FORMATS: Catalogue[type[Format]] = Catalogue(
    "file ending",
    {
        ".c": f"{_HERE}.c_tables:C",
        ".dot": f"{_HERE}.tables:Dot",
        ".gv": f"{_HERE}.tables:LearnerDot",
        ".svg": f"{_HERE}.drawings:Svg",
        ".pdf": f"{_HERE}.drawings:Pdf",
        ".png": f"{_HERE}.drawings:Png",
        ".mmd": f"{_HERE}.mermaid:Mermaid",
        ".json": f"{_HERE}.tables:Json",
        ".regex": f"{_HERE}.tables:Regex",
        ".txt": f"{_HERE}.tables:Regex",
        ".att": f"{_HERE}.tables:Att",
        ".hoa": f"{_HERE}.hoa:Hoa",
        ".jff": f"{_HERE}.jflap:Jflap",
        ".onnx": f"{_HERE}.onnx_file:Onnx",
        ".h": f"{_HERE}.c_tables:Header",
        ".v": f"{_HERE}.rocq_language:Rocq",
    },
    group="lengthwise.formats",
    expected=Format,
)
"""Other packages add formats under the group of entry points `lengthwise.formats`."""
