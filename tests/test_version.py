"""The version stands in `pyproject.toml`; what cannot read it there says the same."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import lengthwise as lw

VERSION = tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"]


def test_the_package_has_the_version_of_its_metadata() -> None:
    assert lw.__version__ == version("lengthwise") == VERSION


def test_papers_and_citation_have_the_version_too() -> None:
    papers = tomllib.loads(Path("papers/pyproject.toml").read_text())["project"]
    assert papers["version"] == VERSION
    assert re.findall(r"^version: (.*)$", Path("CITATION.cff").read_text(), re.M) == [VERSION]


def test_nothing_else_in_code_or_pages_names_it() -> None:
    places = [*Path("src").rglob("*.py"), *Path("papers/src").rglob("*.py"), Path("README.md")]
    places += [page for page in Path("docs").rglob("*.md") if "reproducing" not in page.parts]
    assert [str(place) for place in places if VERSION in place.read_text()] == []
