"""A film of training in the page: the slider, playing it, keys, and less motion."""

from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from explorer.browsing import DARK, LIGHT, Page, open, serving
from lengthwise.explorer.film_values import SIDE
from lengthwise.explorer.page import render_explorer
from lengthwise.explorer.subjects import ShownSubject, subject_of
from proofs.trained import SMALL


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> ShownSubject:
    out = tmp_path_factory.mktemp("filmed") / "run"
    settings = {**SMALL, "steps": 40, "validate_every": 10}
    lw.train("tomita-3", "regular-gpt-binary", out=out, device="cpu", film=True, **settings)
    return subject_of(str(out), None, served=False)


@pytest.fixture(scope="module")
def written(filmed: ShownSubject, tmp_path_factory: pytest.TempPathFactory) -> str:
    out: Path = tmp_path_factory.mktemp("written") / "page.html"
    out.write_text(render_explorer(filmed.data, served=False), encoding="utf-8")
    return out.as_uri()


def points(page: Page) -> list[list[float]]:
    found: list[list[float]] = page.page.evaluate(
        """() => [...document.querySelectorAll('.film .point')].map(
          (each) => ['cx', 'cy'].map((name) => Number(each.getAttribute(name))))"""
    )
    return found


def test_each_frame_is_shown_as_it_was(chromium: Any, filmed: ShownSubject, written: str) -> None:
    film = filmed.data["run"]["film"]
    assert [frame["step"] for frame in film["frames"]] == [0, 10, 20, 30, 40]
    with open(chromium, written) as page:
        assert page.page.input_value("#frame") == "4"
        page.page.focus("#frame")
        page.page.keyboard.press("Home")
        for frame in film["frames"]:
            assert points(page) == [[x, SIDE - y] for x, y in frame["points"]]
            said = page.page.inner_text("#film-figures")
            assert said.startswith(f"Step {frame['step']}: ")
            assert f"{frame['codes']} code" in said
            assert f", {frame['mixed']} of them" in said
            assert f"step {frame['step']}" in page.page.get_attribute("#frame", "aria-valuetext")
            page.page.keyboard.press("ArrowRight")
        rows = page.page.locator("#film-section details tbody tr")
        assert rows.count() == len(film["frames"])


@pytest.mark.slow
def test_the_film_plays_between_frames_and_stops(chromium: Any, written: str) -> None:
    with open(chromium, written) as page:
        page.page.focus("#play-film")
        page.page.keyboard.press("Enter")
        page.page.wait_for_function("() => Number(document.getElementById('frame').value) === 1")
        page.page.keyboard.press("Enter")
        assert page.page.evaluate("filming.playing") == 0
        page.page.click("#play-film")
        page.page.wait_for_function("() => filming.frames.length > 0")
        assert page.page.input_value("#frame") == "4"
        assert "drawn, the middle one in" in page.page.inner_text("#film-timing")
        assert page.page.inner_text("#play-film") == "Play"


@pytest.mark.slow
def test_with_less_motion_frames_come_one_by_one(chromium: Any, written: str) -> None:
    with open(chromium, written, reduced_motion="reduce") as page:
        assert page.page.inner_text("#play-film") == "Next frame"
        for expected in ("0", "1", "2"):
            page.page.click("#play-film")
            assert page.page.evaluate("filming.playing") == 0
            assert page.page.input_value("#frame") == expected


@pytest.mark.slow
def test_a_film_belongs_to_its_run_alone(chromium: Any, filmed: ShownSubject) -> None:
    with serving(filmed) as url, open(chromium, url) as page:
        assert page.page.is_visible("#film-section")
        page.ask("parity")
        assert not page.page.is_visible("#film-section")
        page.ask("tomita-3")
        assert page.page.is_visible("#film-section")


@pytest.mark.slow
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_film_fits_every_width(
    chromium: Any, written: str, tmp_path: Path, width: int, colours: dict[str, Any]
) -> None:
    with open(chromium, written, viewport={"width": width, "height": 900}, **colours) as page:
        page.page.locator("#film-section").screenshot(path=tmp_path / "film.png")
        page.require_fit(width)
