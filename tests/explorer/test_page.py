"""The page: hostile data stays data, and nothing is loaded from elsewhere."""

import base64
import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.explorer.page import embed_json, render_explorer

SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@given(st.text() | st.just("</script><script>alert(1)</script>") | st.just("<!--<script>"))
def test_data_come_back_and_end_no_element(text: str) -> None:
    found = embed_json({"name": text})
    assert json.loads(found) == {"name": text}
    assert not set("<>&\u2028\u2029") & set(found)
    page = render_explorer({"languages": [text]}, served=False)
    (inside,) = DATA.findall(page)
    assert json.loads(inside)["languages"] == [text]


@pytest.mark.parametrize("served", [True, False])
def test_the_policy_allows_this_script_and_this_style_only(served: bool) -> None:
    page = render_explorer({}, served=served)
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', page)
    policy = policy.replace("&#39;", "'")
    (script,), (style,) = SCRIPT.findall(page), re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert f"script-src 'sha256-{digest(script)}';" in policy
    assert f"style-src 'sha256-{digest(style)}';" in policy
    asked = "self" if served else "none"
    assert f"connect-src '{asked}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert not re.search(r"unsafe|https?:", policy)


def test_the_program_makes_no_markup_of_text() -> None:
    (script,) = SCRIPT.findall(render_explorer({}, served=True))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", script)
    assert re.findall(r"https?://[^\"']+", script) == ["http://www.w3.org/2000/svg"]
