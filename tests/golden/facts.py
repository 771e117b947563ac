"""Read what commands printed and wrote, without times, paths and the machine.

Numbers stay as they are. Weights, and files that are long, become digests.
"""

import hashlib
import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from safetensors import safe_open

DROPPED = frozenset(
    {
        *("seconds", "environment", "date", "commit", "made_with", "utilisation"),
        *("words_per_second", "tokens_per_second", "lengthwise", "versions"),
    }
)
"""Names whose values differ from run to run, or from machine to machine."""

_TIMED = re.compile(r"\bseconds\b|\bms\b")
"""Columns of a table that differ in the same way."""

DIGEST = "sha256:"

_LONG = 600
"""Characters of a list that is kept as it is."""

PRINTED = ("evaluation.json", "verification.json")
"""Files that hold what a command prints."""

SWEPT = "runs/"
"""Where an experiment keeps its runs, in folders that are named by digests of settings."""

_OF_SETTINGS = ("settings", "digest")
"""Names in the records of an experiment whose values depend on how settings are named."""

_OF_DATES = frozenset({"digest"})
"""Names in a certificate whose values depend on dropped ones."""


def clean(value: Any) -> Any:
    """Return the value without dropped names, and with the current folder written `CWD`."""
    match value:
        case {"columns": [*columns], "rows": [*rows]}:
            kept = [i for i, column in enumerate(columns) if not _TIMED.search(str(column))]
            return {
                "columns": [columns[i] for i in kept],
                "rows": [[row[i] for i in kept] for row in rows],
            }
        case dict():
            return {key: clean(each) for key, each in value.items() if key not in DROPPED}
        case list() | tuple():
            return [clean(each) for each in value]
        case str():
            return value.replace(str(Path.cwd()), "CWD")
    return value


def digest(value: Any) -> str:
    """Return the digest of a plain value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return DIGEST + hashlib.sha256(text.encode()).hexdigest()[:12]


def brief(value: Any) -> Any:
    """Return the value with columns in place of records, and digests in place of long lists.

    A text that is repeated is written once.
    """
    if isinstance(value, dict):
        return {key: brief(each) for key, each in value.items()}
    if not isinstance(value, list) or not value:
        return value
    first = value[0]
    if isinstance(first, dict) and all(isinstance(o, dict) and {*o} == {*first} for o in value):
        return {key: brief([each[key] for each in value]) for key in first}
    if isinstance(first, str) and len(value) > 1 and all(each == first for each in value):
        return {"times": len(value), "each": first}
    if len(json.dumps(value)) > _LONG:
        return digest(value)
    return [brief(each) for each in value]


def of_output(text: str) -> Any:
    """Read the JSON object that a command printed; None if it printed none."""
    return brief(clean(json.loads(text))) if text.startswith("{") else None


def of_folder(folder: Path) -> dict[str, Any]:
    """Read the files of a folder that commands made; names to facts."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and path.name != "config.json" and not path.name.endswith(".tmp"):
            facts = of_file(path)
            if facts is not None:
                found[name] = facts
    own = {name: facts for name, facts in found.items() if not name.startswith(SWEPT)}
    swept = [name for name in found if name.startswith(SWEPT) and name.endswith(".safetensors")]
    weights = sorted(found[name] for name in swept)
    return {**own, "weights of all runs": weights} if weights else own


def of_file(path: Path) -> Any:
    """Read one file; None if nothing of its contents is compared."""
    reader = READERS.get(path.suffix)
    if path.name in PRINTED:
        return "made"
    return None if reader is None else reader(path)


def _of_lines(path: Path) -> Any:
    records = [clean(json.loads(line)) for line in path.read_text().splitlines()]
    return digest(records) if path.stem == "scores" else brief(records)


def _of_bytes(path: Path) -> str:
    return DIGEST + hashlib.sha256(path.read_bytes()).hexdigest()[:24]


def _of_graph(path: Path) -> str:
    """Return the digest of a graph without its comments, which name folders and certificates."""
    lines = path.read_bytes().splitlines(keepends=True)
    graph = b"".join(line for line in lines if not line.startswith(b"//"))
    return DIGEST + hashlib.sha256(graph).hexdigest()[:24]


def _of_json(path: Path) -> Any:
    value = clean(json.loads(path.read_text()))
    if not isinstance(value, dict):
        return digest(value)
    if "weights" in value and "machine" in value:
        value = {key: each for key, each in value.items() if key not in _OF_DATES}
    facts: dict[str, Any] = {key: digest(each) for key, each in value.items()}
    if isinstance(value.get("records"), list):
        for name in _OF_SETTINGS:
            facts[name] = digest([one.pop(name, None) for one in value["records"]])
        facts["records"] = [digest(one) for one in value["records"]]
    return facts


def of_weights(path: Path) -> str:
    """Return the digest of names, types, shapes and bytes of tensors, in the order of names."""
    result = hashlib.sha256()
    with safe_open(path, framework="numpy") as tensors:
        for name in sorted(tensors.keys()):
            tensor = tensors.get_tensor(name)
            result.update(f"{name} {tensor.dtype} {tensor.shape}\n".encode())
            result.update(tensor.tobytes())
    return DIGEST + result.hexdigest()


_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:e-?\d+)?(?: %)?")


def of_page(path: Path) -> dict[str, bool]:
    """Return the numbers in the cells of a page's tables."""
    text = path.read_text()
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", text, flags=re.DOTALL)
    plain = (html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells)
    return {cell: True for cell in sorted(plain) if _NUMBER.fullmatch(cell)}


READERS: Mapping[str, Callable[[Path], Any]] = {
    ".safetensors": of_weights,
    ".jsonl": _of_lines,
    ".json": _of_json,
    ".html": of_page,
    ".dot": _of_graph,
    **dict.fromkeys((".att", ".bin"), _of_bytes),
    **dict.fromkeys((".svg", ".png", ".md"), lambda path: "made"),
}
"""How a file is read, by the ending of its name."""
