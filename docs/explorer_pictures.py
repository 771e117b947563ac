"""Draw the pictures of docs/explorer.md, with Playwright and a Chromium that is installed.

.venv/bin/python docs/explorer_pictures.py
"""

import os
import shutil
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import lengthwise as lw
from lengthwise.explorer.page import render_explorer
from lengthwise.explorer.server import Explorer
from lengthwise.explorer.subjects import subject_of

IMAGES = Path(__file__).parent / "img"
SETTINGS = {"d_model": 16, "num_heads": 2, "num_bits": 12, "learning_rate": 3e-3, "seed": 0}
OFTEN = {**SETTINGS, "validate_every": 25}


def save(page: Page, subject: str, sections: list[str], out: Path) -> None:
    """Show a subject, and save some sections of its page, one below the other."""
    file = Path("page.html").absolute()
    file.write_text(
        render_explorer(subject_of(subject, None, served=False).data, served=False), "utf-8"
    )
    page.goto(file.as_uri())
    page.evaluate(
        """(kept) => document.querySelectorAll('section').forEach((each) => {
          each.hidden = !kept.includes(each.id);
        })""",
        sections,
    )
    page.locator("main").screenshot(path=out)


def save_function(page: Page, out: Path) -> None:
    """Show an addition while its digits are written, and save the section."""
    save(page, "add[base=10,first=high]", ["function-section"], out)
    page.fill("#input", "271828182845 + 314159265358")
    page.fill("#position", "18")
    page.locator("main").screenshot(path=out)


def save_drawing(page: Page, out: Path) -> None:
    """Draw an automaton with a transition that is missing, and save the editor."""
    with Explorer(
        render_explorer(subject_of("regex:(ab)*", None, served=True).data, served=True), {}
    ) as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()
        page.goto(one.url)
        page.click("#draw summary")
        page.click("#copy-shown")
        page.select_option("#drawn-1-0", "")
        page.click("#canvas .state >> nth=1")
        page.locator("#draw").screenshot(path=out)
        one.shutdown()
        thread.join()


def main() -> None:
    """Draw the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.chdir(folder)
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 860, "height": 900})
        save(page, "d-2", ["language-section", "word-section"], IMAGES / "explorer-word.png")
        save_function(page, IMAGES / "explorer-function.png")
        lw.train("tomita-5", out="runs/tomita-5", device="cpu", **SETTINGS)
        save(page, "runs/tomita-5", ["run-section"], IMAGES / "explorer-proof.png")
        lw.train("tomita-5", out="runs/film", device="cpu", film=True, **OFTEN)
        save(page, "runs/film", ["film-section"], IMAGES / "explorer-film.png")
        lw.train("tomita-3", "gru", out="runs/gru", device="cpu", d_model=32, steps=600, seed=0)
        save(page, "runs/gru", ["word-section"], IMAGES / "explorer-path.png")
        save_drawing(page, IMAGES / "explorer-drawing.png")
        browser.close()
        os.chdir("/")


if __name__ == "__main__":
    main()
