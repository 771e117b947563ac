"""Pages of the site, and its search, in a browser that reaches nothing but the site's files."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from notebook_runs import NOTEBOOKS, read

from explorer.browsing import Page, browser

ROOT = NOTEBOOKS.parents[1]
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
DARK, PHONE = {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}

OF_THE_THEME = {"color-contrast", "link-in-text-block"}
"""What axe finds serious on every page of Material for MkDocs."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does: a warning is an error."""
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return out


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as made:
        yield made


@pytest.mark.parametrize("context", [{}, DARK, {**DARK, **PHONE}], ids=["light", "dark", "phone"])
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_page_shows_its_outputs_and_loads_nothing_from_elsewhere(
    path: Path, context: dict[str, Any], site: Path, chromium: Any
) -> None:
    elsewhere, faults = list[str](), list[str]()
    with chromium.new_context(**context) as fresh:
        page = fresh.new_page()
        page.on("request", lambda request: elsewhere.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto((site / "notebooks" / f"{path.stem}.html").as_uri())
        shown = page.evaluate(
            "[...document.querySelectorAll('.output')].map((each) => "
            "each.shadowRoot.textContent.length + each.shadowRoot.children.length)"
        )
        wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        colours = page.evaluate(
            "[document.body, ...document.querySelectorAll('.output')]"
            ".map((each) => getComputedStyle(each).color)"
        )
        serious = Page(page).serious()
        equations = page.locator(".md-content").inner_text()
    outputs = [each for cell in read(path).cells for each in cell.get("outputs", ())]
    assert len(shown) == len(outputs)
    assert min(shown) > 1
    assert wider <= 0, "outputs scroll, and the page does not"
    assert len(set(colours)) == 1, "outputs have the colour of the page's text"
    assert "$" not in equations
    assert [each for each in serious if each.partition(":")[0] not in OF_THE_THEME] == []
    assert not faults
    assert [url for url in elsewhere if not url.startswith((site.as_uri(), "data:"))] == []


@pytest.mark.parametrize("path", ["index.html", "notebooks/parity.html"])
def test_the_search_of_a_page_that_is_a_file_finds_other_pages(
    path: str, site: Path, chromium: Any
) -> None:
    elsewhere = list[str]()
    with chromium.new_context(viewport={"width": 1440, "height": 900}) as fresh:
        page = fresh.new_page()
        page.on("request", lambda request: elsewhere.append(request.url))
        page.goto((site / path).as_uri())
        page.get_by_role("textbox", name="Search").fill("counterexample")
        found = page.locator(".md-search-result__link[href*='certificate.html']").first
        found.wait_for(state="attached")
    assert [url for url in elsewhere if not url.startswith((site.as_uri(), "data:"))] == []
