"""Imports of proofs tell the truth: no cycle, also with entries written as strings counted."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import lengthwise

PACKAGE = Path(lengthwise.__file__).parent
ENTRY = re.compile(r"lengthwise(\.\w+)+(:\w+)?")


def modules() -> dict[str, ast.Module]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def named(node: ast.AST) -> Iterator[str]:
    """What is imported, now or later, and what entries of catalogues name; not types alone."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{each.name}" for each in node.names)
    elif isinstance(node, ast.Constant) and ENTRY.fullmatch(str(node.value)):
        yield str(node.value).partition(":")[0]
    for child in ast.iter_child_nodes(node):
        yield from named(child)


@cache
def arrows() -> dict[str, set[str]]:
    """The modules that each module names, but for the package itself."""
    known = modules()
    found: dict[str, set[str]] = {}
    for module, tree in known.items():
        targets = (name if name in known else name.rpartition(".")[0] for name in named(tree))
        found[module] = {each for each in targets if each in known} - {module, "lengthwise"}
    return found


def reached(start: str, after: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(after[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += after[module]
    return seen


def test_no_module_of_proofs_leads_to_itself() -> None:
    after = arrows()
    ours = [module for module in after if module.startswith("lengthwise.proofs.")]
    assert len(ours) > 50
    assert "lengthwise.proofs.check.balls" in reached("lengthwise.proofs.check.induction", after)
    assert [module for module in ours if module in reached(module, after)] == []


def test_strings_are_counted() -> None:
    """The door of languages to the ladder is an entry of a catalogue."""
    assert "lengthwise.languages.ladder" in arrows()["lengthwise.languages.language"]


def test_the_checker_leads_to_languages_and_settings_alone() -> None:
    after = arrows()
    rooms = {
        module.split(".")[1]
        for ours in after
        if ours.startswith("lengthwise.proofs.check.")
        for module in reached(ours, after)
    }
    small = {"arguments", "display", "errors", "files", "registry", "settings", "wording"}
    assert rooms <= {"languages", "proofs", *small}
