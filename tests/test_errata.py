"""Errata of Chi et al. (2023) on levels and padding, and the tests that the page names."""

import math
import re
from pathlib import Path

import torch

from lengthwise.layers.chunks import ABSENT, depth, grow


def test_speed_up_bound_with_whole_levels() -> None:
    length, chunk = 512, 128
    printed = length / (chunk * math.log(length, chunk))
    whole = length / (chunk * depth(length, chunk))

    assert math.isclose(printed, 3.11, abs_tol=0.005)
    assert whole == 2.0


def test_padding_once_is_not_enough() -> None:
    word = torch.zeros(1, 6, dtype=torch.long)

    first, second, third = grow(word, None, 1, chunk_size=2).levels

    assert ABSENT not in first.children
    assert ABSENT in second.children
    assert ABSENT not in third.children


def test_the_page_names_tests_and_cases_that_there_are() -> None:
    root = Path(__file__).parent.parent
    page = (root / "docs" / "errata.md").read_text(encoding="utf-8")
    files = [*(root / "tests").rglob("*.py"), *(root / "papers" / "tests").rglob("*.py")]
    tests = "".join(path.read_text(encoding="utf-8") for path in files)
    assert set(re.findall(r"`(test_\w+)`", page)) <= set(
        re.findall(r"^def (test_\w+)\(", tests, re.M)
    )
    slips = re.search(r"^SLIPS\b.*?^}", tests, re.DOTALL | re.MULTILINE)
    assert slips is not None
    cases = re.findall(r'^    "(.+)": \(', slips[0], re.MULTILINE)
    assert len(cases) == 15
    flat = " ".join(page.split())
    assert all(f". ({case})" in flat for case in cases)
