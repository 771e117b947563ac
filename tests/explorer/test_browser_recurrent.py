"""Recurrent networks in a page without a server: answers, states and paths."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from explorer.browsing import DARK, LIGHT, open, serving
from lengthwise.explorer.page import render_explorer
from lengthwise.explorer.recurrent_values import read_vectors
from lengthwise.explorer.subjects import subject_of
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.recurrent import Recurrent
from lengthwise.problems.base import Run

KINDS = ["elman", "elman-relu", "gru", "lstm", "elman-binary", "gru-binary", "relu-binary"]


def train(folder: Path, model: str, **settings: Any) -> Run:
    short = {"d_model": 12, "steps": 60, "validate_every": 30, "learning_rate": 1e-2, "seed": 3}
    return lw.train("tomita-3", model, out=folder, device="cpu", **{**short, **settings})


def write(run: Run, out: Path) -> str:
    assert run.folder is not None
    subject = subject_of(str(run.folder.path), None, served=False)
    assert subject.data["run"]["recurrent"] is not None
    page = render_explorer(subject.data, served=False)
    assert len(page.encode()) < 3_000_000
    print(f"page of {len(page.encode()):,} bytes")
    out.write_text(page, encoding="utf-8")
    return out.as_uri()


def random_words(count: int, longest: int) -> list[str]:
    generator = random.Random(5)
    return ["".join(generator.choices("01", k=generator.randint(0, longest))) for _ in range(count)]


@pytest.mark.parametrize(
    ("model", "settings", "count"),
    [
        pytest.param("gru", {}, 200, id="gru"),
        *(pytest.param(kind, {}, 1_000, marks=pytest.mark.slow) for kind in KINDS),
        pytest.param("gru", {"num_layers": 2}, 1_000, marks=pytest.mark.slow, id="two-layers"),
        pytest.param("lstm", {"d_model": 256, "steps": 4}, 300, marks=pytest.mark.slow, id="wide"),
    ],
)
def test_answers_equal_those_of_predict(
    chromium: Any, tmp_path: Path, model: str, settings: dict[str, Any], count: int
) -> None:
    run = train(tmp_path / "run", model, **settings)
    words = random_words(count, 60)
    with open(chromium, write(run, tmp_path / "page.html")) as page:
        answers = page.page.evaluate(
            """async (words) => {
              const { machine, grow } = reader.subject;
              const found = [];
              for (const text of words) {
                reader.word = text;
                found.push((await grow(encode(machine, text).word, text)).tree.answer);
              }
              return found.map((answer) => machine.class_names[answer]);
            }""",
            words,
        )
        assert answers == lw.predict(run, words)
        vectors = page.page.evaluate(
            """async (text) => {
              const { machine, network } = reader.subject;
              const { word } = encode(machine, text);
              const found = await readBy(network, word, () => true);
              return word.concat(0).map((_, at) => Array.from(found.vector(at)));
            }""",
            words[0],
        )
    assert isinstance(run.model, Recurrent | BinaryRecurrent)
    word = [int(symbol) for symbol in words[0]]
    tokens = torch.tensor([[0] * (len(word) - at) + word[:at] for at in range(len(word) + 1)])
    expected = read_vectors(run.model, tokens, torch.arange(len(word) + 1))
    found = torch.tensor(vectors, dtype=torch.float64)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_the_path_is_walked_symbol_by_symbol(chromium: Any, tmp_path: Path) -> None:
    run = train(tmp_path / "run", "gru")
    with open(chromium, write(run, tmp_path / "page.html")) as page:
        said = page.read("0110100")
        (answer,) = lw.predict(run, ["0110100"])
        assert said.startswith(f"The network says class {answer} of the word of 7 symbols")
        assert page.page.locator(".path .point:not(.faint)").count() == 8
        page.page.focus("#progress")
        page.page.keyboard.press("Home")
        for at in range(8):
            (answer,) = lw.predict(run, ["0110100"[:at]])
            label = page.page.get_attribute("svg.path", "aria-label")
            assert label.startswith(f"State after {at} symbol")
            assert label.endswith(f"the network says class {answer}")
            assert page.page.locator("#held .bar").count() == 12
            page.page.keyboard.press("ArrowRight")
        said = page.read("01" * 400_000)
        assert "runs a network of this size on at most" in said
        page.page.click("#play")
        assert "column 2" in page.read("0x")


@pytest.mark.slow
def test_a_served_page_asks_the_server_for_words_that_are_too_long(
    chromium: Any, tmp_path: Path
) -> None:
    run = train(tmp_path / "run", "gru-binary")
    assert run.folder is not None
    subject = subject_of(str(run.folder.path), None, served=True)
    with serving(subject) as url, open(chromium, url) as page:
        page.page.evaluate(
            "() => Object.defineProperty(reader.subject.network, 'longest', { value: 3 })"
        )
        (answer,) = lw.predict(run, ["01101"])
        page.page.fill("#word", "01101")
        page.page.wait_for_selector("svg.tree")
        assert page.page.inner_text("#answer").startswith(f"The network says class {answer} of")
        page.page.fill("#word", "011")
        page.page.wait_for_selector("svg.path")


@pytest.mark.slow
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_path_fits_every_width(
    chromium: Any, tmp_path: Path, width: int, colours: dict[str, Any]
) -> None:
    url = write(train(tmp_path / "run", "gru-binary"), tmp_path / "page.html")
    with open(chromium, url, viewport={"width": width, "height": 900}, **colours) as page:
        page.read("0110100")
        page.page.locator("#word-section").screenshot(path=tmp_path / "path.png")
        page.require_fit(width)
