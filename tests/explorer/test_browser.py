"""The explorer in a browser: what people type, and what they see."""

import random
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

import lengthwise as lw
from explorer.browsing import DARK, LIGHT, PHONE, Page, open, serving
from lengthwise.circuits.multipliers import multiplier_circuit
from lengthwise.constructions.construction import Computed
from lengthwise.explorer import table_values
from lengthwise.explorer.circuit_values import circuit_values
from lengthwise.explorer.page import render_explorer
from lengthwise.explorer.subjects import subject_of
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run
from proofs.trained import SMALL, train_proved


@pytest.fixture(scope="module")
def unproved(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that was given up early: it is wrong on some word."""
    out = tmp_path_factory.mktemp("unproved") / "<script>alert(1)<!-- run"
    return lw.train("parity", out=out, device="cpu", **{**SMALL, "steps": 5, "validate_every": 5})


def test_languages_are_typed_and_refused(page: Page) -> None:
    assert page.ask("regex:(ab)*") == "3 states, monoid of 6 elements"
    assert page.page.locator("svg.automaton g.state").count() == 3
    assert page.page.locator("table.box").count() == 3
    assert page.ask("group:S3") == "6 states, monoid of 6 elements"
    assert "it is a group" in page.page.inner_text("#monoid-section")
    assert page.ask("d-2") == "4 states, monoid of 15 elements"
    assert "C-RASP" in page.page.inner_text("#ladder-section")
    assert page.ask("regex:(a|b))*") == "expression '(a|b))*', column 6: ')' closes nothing. ..."[
        :0
    ] + page.page.inner_text("#status")
    assert "column 6" in page.page.inner_text("#status")
    assert page.page.evaluate("document.getElementById('spec').selectionStart") == 11
    assert "at most 200,000 states" in page.ask("regex:(a|b)*a(a|b){20}")
    assert page.ask("parity") == "2 states, monoid of 2 elements", "the page is alive"


def test_words_are_read_as_the_language_classifies_them(page: Page) -> None:
    generator = random.Random(0)
    for spec in ("regex:(0|10*1)*", "tomita-3"):  # in the second, order matters
        language = parse(spec)
        page.ask(spec)
        for length in (0, 1, 2, 3, 4, 17, 17, 18, 200, 10_000):
            word = "".join(generator.choices("01", [1, 3], k=length))
            expected = language.class_names[language.classify(word)]
            counted = f"{length:,} symbol{'' if length == 1 else 's'}"
            assert page.read(word) == f"The word of {counted} has class {expected}."
            assert page.page.evaluate("reader.answer") == expected
    assert page.page.locator("svg.tree .node").count() < 100, "the top of the tree only"
    assert "column 2: symbol 'x' is not in the alphabet. Use: 0 1" in page.read("0x1")


def test_nodes_hold_what_their_sub_words_do(page: Page) -> None:
    """Random words of a language in which the order of sub-words matters, in chunks of 2 to 4."""
    language, generator = parse("group:S3"), random.Random(2)
    page.ask("group:S3")
    words = [
        generator.choices(range(language.num_symbols), k=generator.randint(0, 60))
        for _ in range(200)
    ]
    found = page.page.evaluate(
        """(words) => words.map(
          (word, at) => reader.subject.grow(word, "", 2 + (at % 3)).tree.answer)""",
        words,
    )
    assert found == [language.classify(word) for word in words]


def test_an_answer_that_comes_late_is_not_shown(page: Page) -> None:
    page.page.evaluate(
        """() => {
          const { grow } = reader.subject;
          reader.subject.grow = (word, ...others) => new Promise((resolve) => {
            setTimeout(() => resolve(grow(word, ...others)), word.length === 1 ? 200 : 0);
          });
        }"""
    )
    page.page.fill("#word", "1")
    page.page.fill("#word", "00")
    page.page.wait_for_timeout(300)
    assert page.page.inner_text("#answer") == "The word of 2 symbols has class 1."


def test_bfloat16_rounds_as_torch_does(page: Page) -> None:
    numbers = torch.randn(1_000, generator=torch.Generator().manual_seed(0)).exp().tolist()
    numbers += [1 + 2**-8, 1 + 3 * 2**-8, -1.0, 0.0]
    found = page.page.evaluate("(numbers) => numbers.map(PRECISIONS.bfloat16)", numbers)
    assert found == torch.tensor(numbers).bfloat16().double().tolist()


def test_what_users_type_is_never_markup(page: Page) -> None:
    hostile = "<img src=http://example.com/x onerror=alert(1)>\u202e'\""
    assert hostile[:40] in page.ask(hostile)
    assert "unknown language" in page.ask("x" * 10_000)
    assert "too long to ask for" in page.ask("\u202e" * 10_000)
    page.page.evaluate("() => { document.getElementById('spec').value = '\\ud800'; }")
    page.page.click("#show")
    page.page.wait_for_function("() => document.getElementById('status').textContent.length > 1")
    page.ask("regex:(<|>|s|'|\u202e)*")
    assert page.page.locator("svg.automaton g.state").count() == 1
    page.read("<s>'\u202e" * 3)
    assert page.page.locator("img, iframe, main script").count() == 0


@pytest.mark.slow
def test_an_unproved_run_shows_its_shortest_wrong_word(chromium: Any, unproved: Run) -> None:
    assert unproved.folder is not None
    made = lw.certify(unproved)
    assert made.counterexample is not None
    subject = subject_of(str(unproved.folder.path), None, served=True)
    with serving(subject) as url, open(chromium, url) as page:
        assert page.page.inner_text("#verdict").startswith("wrong on some word")
        section = page.page.inner_text("#run-section")
        assert re.search(
            r"level 1, left edge: c\d+ is read as \d, beside state \d of class \d", section
        )
        page.page.click("#wrong")
        wrong = made.counterexample
        expected = f"The network says class {wrong.model} of the word of "
        page.page.wait_for_function("text => reader.word === text", arg=wrong.word)
        said = page.page.inner_text("#answer")
        assert said.startswith(expected)
        assert said.endswith(f"the language says class {wrong.language}.")
        assert not page.serious()


@pytest.mark.slow
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_a_screen_reader(
    chromium: Any, languages: str, colours: dict[str, str]
) -> None:
    with open(chromium, languages, **colours) as page:
        page.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert not page.serious()


@pytest.mark.slow
def test_a_written_page_needs_no_server_and_fits_a_phone(chromium: Any, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    subject = subject_of(None, None, served=False)
    out.write_text(render_explorer(subject.data, served=False), encoding="utf-8")
    with open(chromium, out.as_uri(), **PHONE) as page:
        for number in range(page.page.locator("button.example").count()):
            page.page.locator("button.example").nth(number).click()
            assert page.page.locator("svg.automaton").count() == 1
            across, inner = page.page.evaluate("[document.body.scrollWidth, innerWidth]")
            assert across <= inner == 390


def test_the_tree_is_walked_by_keys(page: Page) -> None:
    page.read("0110101")
    page.page.focus("svg.tree")
    page.page.keyboard.press("Home")
    assert "level 3, at the left edge, symbols 1 to 7" in page.page.inner_text("#node")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("ArrowRight")
    assert "level 2, interior, symbols 4 to 7" in page.page.inner_text("#node")


@pytest.mark.slow
def test_with_less_motion_nothing_moves(chromium: Any, languages: str) -> None:
    with open(chromium, languages, reduced_motion="reduce") as page:
        page.read("0110")
        page.page.click("#play")
        assert page.page.evaluate("reader.playing") == 0
        assert page.page.input_value("#progress") == "4"


CONSTRUCTIONS = ["parity", "parity-norm", "first", "first-norm"]
LONG = pytest.param(1_000, marks=pytest.mark.slow)


@cache
def compile_named(name: str, precision: str) -> tuple[Computed, torch.nn.Module]:
    made = lw.compile(name)
    return made, made.model.to(getattr(torch, precision)).eval()


@torch.no_grad()
@pytest.mark.parametrize("longest", [16, LONG])
def test_heads_are_those_of_the_computed_networks(page: Page, longest: int) -> None:
    """Logits by the page against the networks: float64, float32, and signs in bfloat16's range."""
    lengths = sorted({0, 1, 2, 3, 5, 16, longest // 3, longest})
    asked = [
        (name.removesuffix("-norm"), length, value, name.endswith("-norm"), precision)
        for name in CONSTRUCTIONS
        for precision in ("float64", "float32", "bfloat16")
        for length in lengths
        for value in sorted({0, 1, *([length // 2, length] if "parity" in name else [])})
        if value <= length
    ]
    found = page.page.evaluate(
        """(asked) => asked.map(([which, length, value, norm, precision]) =>
          CONSTRUCTIONS[which].run(length, value, {
            sharpness: 1, epsilon: 1e-5, norm, round: PRECISIONS[precision],
          }).logit)""",
        asked,
    )
    tolerance = {"float64": 1e-9, "float32": 0.02}
    for (which, length, value, norm, precision), logit in zip(asked, found, strict=True):
        made, model = compile_named(f"chiang2022/{which}{'-norm' if norm else ''}", precision)
        ones = value if which == "parity" else min(value, 1)
        word = torch.tensor([[1] * ones + [0] * (length - ones)], dtype=torch.int64)
        no, yes = model(word)[0].double().tolist()
        within = made.range[precision]
        if precision in tolerance:
            assert logit == pytest.approx(yes - no, rel=tolerance[precision], abs=1e-300)
        elif within is None or length <= within:
            assert (logit > 0) == (yes > no)


def test_the_sliders_say_what_rounding_does(page: Page) -> None:
    page.page.wait_for_selector("#curve svg")
    assert "right" in page.page.inner_text("#verdict-heads")
    assert "0 of 17 lengths are wrong with layer norm, 0 without" in page.page.inner_text("#curve")
    page.page.select_option("#precision", "bfloat16")
    wrong = page.page.locator("#curve path.cross").count()
    assert 0 < wrong < 2 * 17
    page.page.select_option("#which", "first")
    assert page.page.locator("#curve path.cross").count() == 0
    assert page.page.locator("#heads svg").count() == 1


def test_a_circuit_lights_up_to_its_outputs(page: Page) -> None:
    page.page.wait_for_selector("#circuit-section svg")
    assert page.page.inner_text("#outputs") == "e1 = 1, e2 = 0", "a1 alone is 1"
    page.page.check("#input-2")
    assert page.page.inner_text("#outputs") == "e1 = 0, e2 = 1"
    circuit = multiplier_circuit(3)
    words = list(product((0, 1), repeat=len(circuit.inputs)))
    found = page.page.evaluate(
        """([circuit, words]) => words.map((word) => {
          const values = signalsOf(circuit, word);
          return circuit.outputs.map((number) => values[number]);
        })""",
        [circuit_values(circuit, ""), words],
    )
    assert [tuple(outputs) for outputs in found] == [circuit.evaluate(word) for word in words]
    page.page.click("#run-circuit")
    page.page.wait_for_function("() => document.querySelectorAll('.circuit .known').length > 15")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["proved", "unproved"])
def test_answers_equal_those_of_predict_on_ten_thousand_words(
    chromium: Any, unproved: Run, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    run = unproved if kind == "unproved" else train_proved(tmp_path_factory, "tomita-5")
    assert run.folder is not None
    generator = random.Random(1)
    words = ["".join(generator.choices("01", k=generator.randint(0, 300))) for _ in range(10_000)]
    subject = subject_of(str(run.folder.path), None, served=False)
    assert subject.data["run"]["tables"] is not None
    with serving(subject) as url, open(chromium, url) as page:
        answers = page.page.evaluate(
            """async (words) => {
              const { machine, grow } = reader.subject;
              const found = [];
              for (const text of words) {
                found.push((await grow(encode(machine, text).word, text)).tree.answer);
              }
              return found.map((answer) => machine.class_names[answer]);
            }""",
            words,
        )
    assert answers == lw.predict(run, words)
    if kind == "unproved":
        assert answers != [str(word.count("1") % 2) for word in words], "it has faults to show"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["codes", "encoder"])
def test_a_network_without_tables_answers_through_the_server(
    chromium: Any, unproved: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(table_values, "MOST_ENTRIES", 1)
    run = unproved
    if kind == "encoder":
        out = tmp_path / "encoder"
        run = lw.train("parity", "encoder-cls", device="cpu", d_model=8, steps=2, out=out)
    assert run.folder is not None
    subject = subject_of(str(run.folder.path), None, served=True)
    assert subject.data["run"]["tables"] is None
    words = ["0", "1", "0110", "01011", "1" * 300]
    with serving(subject) as url, open(chromium, url) as page:
        for word, answer in zip(words, lw.predict(run, words), strict=True):
            page.page.fill("#word", word)
            said = f"The network says class {answer} of the word of {len(word)} symbol"
            page.page.wait_for_function(
                "(said) => document.getElementById('answer').textContent.startsWith(said)", arg=said
            )
        page.page.focus("svg.tree")
        page.page.keyboard.press("Home")
        held = "code" if kind == "codes" else "does what this word does"
        assert held in page.page.inner_text("#node")
        assert "column 2" in page.read("0x")
    written = tmp_path / "page.html"
    written.write_text(render_explorer(subject.data, served=False), encoding="utf-8")
    with open(chromium, written.as_uri()) as page:
        assert page.page.inner_text("#answer").startswith("The language says class ")
        assert page.page.get_attribute("#answer", "class") != "bad"


@pytest.mark.slow
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_a_run_is_shown_at_every_width(
    chromium: Any, unproved: Run, tmp_path: Path, width: int, colours: dict[str, Any]
) -> None:
    """Nothing scrolls sideways but boxes of their own; the pictures are kept for people to see."""
    assert unproved.folder is not None
    size = {"viewport": {"width": width, "height": 900}}
    subject = subject_of(str(unproved.folder.path), None, served=True)
    with serving(subject) as url, open(chromium, url, **size, **colours) as page:
        page.page.wait_for_selector("#circuit-section svg")
        page.page.focus("svg.tree")
        page.page.keyboard.press("Home")
        for details in page.page.locator("details").all():
            details.evaluate("(each) => { each.open = true; }")
        page.page.screenshot(path=tmp_path / "page.png", full_page=True)
        page.require_fit(width)
        paint = page.page.evaluate("performance.getEntriesByType('paint')[0].startTime")
        print(f"first paint after {paint:.0f} ms, kept as {tmp_path / 'page.png'}")


@pytest.mark.slow
def test_a_word_of_200_symbols_is_animated(page: Page) -> None:
    """Frame times are measured and reported by the page; none is asserted."""
    page.read("01" * 100)
    page.page.click("#play")
    page.page.wait_for_function("() => reader.frames.length > 0")
    frames = page.page.evaluate("reader.frames")
    assert len(frames) > 10
    print(f"median {sorted(frames)[len(frames) // 2]:.1f} ms of {len(frames)} frames")
    assert "frames, the middle one of" in page.page.inner_text("#timing")
    assert page.page.locator("svg.tree .node:not(.on)").count() == 0
