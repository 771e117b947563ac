"""Docstrings of what people call: each parameter has its line, and the example its result."""

import doctest
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw

MODULES = (lw, lw.interpret, lw.steps, lw.text)


def functions() -> dict[str, Callable[..., Any]]:
    """The public functions by name."""
    every = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in MODULES
        for name in module.__all__
    }
    return {name: each for name, each in every.items() if inspect.isfunction(each)}


FUNCTIONS = functions()
TRAINS = [
    *("lengthwise.train", "lengthwise.compare", "lengthwise.text.prepare_pairs"),
    "lengthwise.arena",
    *("lengthwise.text.translate", "lengthwise.text.evaluate_translations"),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_has_its_line(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    summary, _, rest = text.partition("\n")
    assert summary.endswith((".", ":")), summary
    _, _, listed = rest.partition("\nArgs:\n")
    block = re.split(r"\n\n", listed)[0]
    listed_names = re.findall(r"^    (\w+): ", block, flags=re.MULTILINE)
    assert listed_names == list(inspect.signature(FUNCTIONS[name]).parameters)
    assert "\nExamples:\n    >>> " in rest
    assert "\nRaises:\n" in rest


def classes() -> dict[str, type]:
    """The public classes by name."""
    every = {name: getattr(m, name) for m in MODULES for name in m.__all__}
    return {name: each for name, each in every.items() if inspect.isclass(each)}


CLASSES = classes()
EVERY: dict[str, Any] = {**FUNCTIONS, **CLASSES}


@pytest.mark.parametrize("name", CLASSES)
def test_methods_name_their_parameters(name: str) -> None:
    assert "Examples:\n    >>> " in (inspect.getdoc(CLASSES[name]) or "")
    for method, function in inspect.getmembers(CLASSES[name], inspect.isroutine):
        text = inspect.getdoc(function) or ""
        if method.startswith("_") or function.__module__.partition(".")[0] != "lengthwise":
            continue
        for parameter in inspect.signature(function).parameters:
            assert parameter == "self" or re.search(rf"\b{parameter}\b", text), (method, parameter)


@pytest.mark.slow_for(*TRAINS)
@pytest.mark.parametrize("name", EVERY)
def test_the_example_gives_what_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name.startswith("lengthwise.text."):
        pytest.importorskip("tokenizers", reason="the extra [text] is not installed")
    monkeypatch.chdir(tmp_path)
    function = EVERY[name]
    examples = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert any(test.examples for test in examples)
    said: list[str] = []
    with warnings.catch_warnings():
        for test in examples:
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert said == []
