"""One name, one thing: no public function or class is defined in two modules."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src" / "lengthwise"

CONTRACTS = {
    "add_arguments": "what the module of each command has",
    "run": "what the module of each command has, and a benchmark",
    "main": "what each module has that is a program",
}
"""Names that modules have because others look for them."""

DOORS = {
    "certify": "lw.certify checks its arguments, and takes runs and constructions, too",
    "check": "lw.check reads a file, whose certificate the checker takes",
    "train": "lw.train makes a plan, by which problems.runs.train trains",
}
"""Names of `lw` that a function below has, too."""

OF_PROOFS = {
    *("Tables", "node_of", "require"),
}
"""Names in the checker and the search, each of which has its own on purpose or by its format."""


def test_no_public_name_is_defined_in_two_modules() -> None:
    places = defaultdict(set)
    for file in SOURCES.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(file.relative_to(SOURCES)))
    assert len(places) > 1_000
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert set(twice) == {*CONTRACTS, *DOORS, *OF_PROOFS}, twice
