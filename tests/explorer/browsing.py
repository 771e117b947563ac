"""A page in a browser that reaches nothing but 127.0.0.1, for the tests of the explorer."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

from lengthwise.explorer.page import render_explorer
from lengthwise.explorer.server import ADDRESS, Explorer
from lengthwise.explorer.subjects import ShownSubject
from lengthwise.explorer.timed_values import Workers

SECONDS = 30_000
"""Milliseconds that an action of the browser may take on a busy machine."""

DARK, LIGHT = {"color_scheme": "dark"}, {"color_scheme": "light"}
PHONE = {"viewport": {"width": 390, "height": 844}}


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; skips the test where one of them is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@contextmanager
def serving(subject: ShownSubject) -> Iterator[str]:
    """The address at which the page of a subject is served."""
    workers = Workers(20.0)
    answers = {**subject.answers, "language": workers.answer}
    with Explorer(render_explorer(subject.data, served=True), answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()
            workers.close()


@dataclass
class Page:
    """A page with the faults that it reported, and the addresses that it asked for elsewhere."""

    page: Any
    faults: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def read(self, word: str) -> str:
        """Type a word; return the answer."""
        self.page.fill("#word", word)
        self.page.wait_for_function("text => reader.word === text", arg=word)
        return str(self.page.inner_text("#answer"))

    def ask(self, spec: str) -> str:
        """Type a language; return the status line when the server has answered."""
        self.page.fill("#spec", spec)
        self.page.press("#spec", "Enter")
        self.page.wait_for_function(
            "() => document.getElementById('status').textContent.length > 1"
        )
        return str(self.page.inner_text("#status"))

    def require_fit(self, width: int) -> None:
        """Fail where the page scrolls sideways, or stands in the way of a screen reader."""
        assert self.page.evaluate("document.documentElement.scrollWidth") == width
        assert not self.serious()

    def serious(self) -> list[str]:
        """What axe-core finds serious or critical."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]


@contextmanager
def open(made: Any, url: str, **context: Any) -> Iterator[Page]:
    """A fresh page at an address; requests to other hosts are cut and listed."""
    with made.new_context(**context) as fresh:
        fresh.set_default_timeout(SECONDS)
        found = Page(fresh.new_page())

        def only_here(route: Any) -> None:
            if urlsplit(route.request.url).hostname == ADDRESS or route.request.url == url:
                route.continue_()
            else:
                found.elsewhere.append(route.request.url)
                route.abort()

        fresh.route("**/*", only_here)
        found.page.on("pageerror", lambda error: found.faults.append(str(error)))
        found.page.on(
            "console",
            lambda message: found.faults.append(message.text) if message.type == "error" else None,
        )
        found.page.goto(url)
        yield found
        assert not found.faults
        assert not found.elsewhere
