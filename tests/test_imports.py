"""Imports tell the truth: no cycle, also with entries written as strings counted."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import lengthwise

PACKAGE = Path(lengthwise.__file__).parent
ENTRY = re.compile(r"lengthwise(\.\w+)+(:\w+)?")

EXCEPTED = {
    ("lengthwise.cli.commands", "lengthwise.cli.completion"): "the list of commands has the one "
    "that prints what completes them all, and finds each by its name when it is called",
}
"""Arrows that are not counted, each with its reason.

What plugs in from above makes no arrow here: the entry points of `pyproject.toml`, and
`display.views`, which `lengthwise/__init__.py` sets.
"""


def modules() -> dict[str, str]:
    """The text of each module."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    return found


def list_imports(text: str) -> Iterator[str]:
    """What is imported, now or later, and what entries of catalogues name; not types alone."""
    todo: list[ast.AST] = [ast.parse(text)]
    read: tuple[type[ast.AST], ...] = (ast.stmt, ast.excepthandler, ast.match_case)  # and imports
    if re.search(r"[\"']lengthwise", text):  # an entry may be in any expression
        read = (ast.AST,)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Constant) and ENTRY.fullmatch(str(node.value)):
            yield str(node.value).partition(":")[0]
        else:
            todo += (each for each in ast.iter_child_nodes(node) if isinstance(each, read))


def complete(text: str) -> Iterator[str]:
    """What a string such as f"lengthwise.cli.{name}" names, with the strings of its module."""
    if not re.search(r"[\"']lengthwise\.", text):
        return
    nodes = list(ast.walk(ast.parse(text)))
    texts = {str(each.value) for each in nodes if isinstance(each, ast.Constant)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            start = str(node.values[0].value)
            if start.startswith("lengthwise."):
                yield from (start + text for text in texts)


@cache
def arrows() -> dict[str, set[str]]:
    """The modules that each module names, but for the package itself."""
    known = modules()
    found: dict[str, set[str]] = {}
    for module, text in known.items():
        every = (*list_imports(text), *complete(text))
        targets = (name if name in known else name.rpartition(".")[0] for name in every)
        found[module] = {each for each in targets if each in known} - {module, "lengthwise"}
    return found


def find_reached(start: str, after: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(after[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += after[module]
    return seen


def test_no_module_leads_to_itself() -> None:
    after = {
        module: {each for each in targets if (module, each) not in EXCEPTED}
        for module, targets in arrows().items()
    }
    assert len(after) > 400
    assert "lengthwise.proofs.check.balls" in find_reached(
        "lengthwise.proofs.check.induction", after
    )
    assert [module for module in after if module in find_reached(module, after)] == []


def test_arrows_that_are_excepted_would_lead_back() -> None:
    after = arrows()
    for start, end in EXCEPTED:
        assert end in after[start]
        assert start in find_reached(end, after)


def test_strings_are_counted() -> None:
    """The door of languages to the ladder, and networks by name, are entries of catalogues."""
    after = arrows()
    assert "lengthwise.languages.ladder" in after["lengthwise.languages.language"]
    assert "lengthwise.models.tree_entries" in after["lengthwise.models.recognisers"]
    assert "lengthwise.cli.train" in after["lengthwise.cli.commands"]


def test_the_checker_leads_to_languages_and_settings_alone() -> None:
    after = arrows()
    rooms = {
        module.split(".")[1]
        for ours in after
        if ours.startswith("lengthwise.proofs.check.")
        for module in find_reached(ours, after)
    }
    small = {"arguments", "display", "errors", "files", "registry", "settings", "messages"}
    assert rooms <= {"languages", "proofs", "zoo_paths", *small}
