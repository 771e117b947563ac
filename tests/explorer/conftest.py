"""A browser, the page of languages in it, and the processes of languages, for these tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from explorer.browsing import Page, browser, open, serving
from lengthwise.explorer.subjects import subject_of
from lengthwise.explorer.timed_values import Workers


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as made:
        yield made


@pytest.fixture(scope="module")
def languages() -> Iterator[str]:
    with serving(subject_of(None, None, served=True)) as url:
        yield url


@pytest.fixture
def page(chromium: Any, languages: str) -> Iterator[Page]:
    with open(chromium, languages) as found:
        yield found


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers(30.0)
    yield made
    made.close()
