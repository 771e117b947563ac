"""The structure of the report page: what it says of each run, and how its tables are built."""

import shlex
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.report.report import read_run, render, write_report

SMALL = ("--preset", "smoke", "--device", "cpu", "--set", "steps=2", "--set", "validate_every=1")
VOID = {"br", "meta", "path", "use", "link", "image"}


class Page(HTMLParser):
    """The tables, lists, codes and figures of a page, all of whose elements must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.cells: list[list[str]] = []
        """Tags of the cells of each table's first row."""
        self.lists: list[list[tuple[str, str]]] = []
        self.codes: list[str] = []
        self.headings: list[str] = []
        self.figures = 0
        self._open: list[str] = []
        self._text: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not [value for name, value in attrs if name == "src"]
        if tag in VOID:
            return
        self._open.append(tag)
        self._text.append("")
        if tag == "table":
            self.tables.append([])
            self.cells.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag == "dl":
            self.lists.append([])
        elif tag == "svg":
            self.figures += 1
        if tag in ("th", "td") and len(self.tables[-1]) == 1:
            self.cells[-1].append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Skip elements without content."""

    def handle_data(self, data: str) -> None:
        if self._text:
            self._text[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open.pop() == tag
        text = self._text.pop()
        if self._text:
            self._text[-1] += text
        text = " ".join(text.split())
        if tag in ("th", "td"):
            self.tables[-1][-1].append(text)
        elif tag == "dt":
            self.lists[-1].append((text, ""))
        elif tag == "dd":
            self.lists[-1][-1] = (self.lists[-1][-1][0], text)
        elif tag == "code":
            self.codes.append(text)
        elif tag in ("h2", "h3"):
            self.headings.append(text)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs on parity, tested at several lengths and at one, in a folder with a space."""
    folder = tmp_path_factory.mktemp("runs") / "my runs"
    for name, lengths in (("a", "3:9:3"), ("b", "6")):
        out = str(folder / name)
        assert main(["train", "parity", "--out", out, *SMALL, "--set", f"seed={len(name)}"]) == 0
        assert main(["evaluate", out, "--lengths", lengths, "--words", "8"]) == 0
    main(["certify", str(folder / "a")])
    return folder


def page_of(*paths: Path) -> Page:
    return Page(render([read_run(path) for path in paths]))


@pytest.mark.usefixtures("undrawn")
def test_a_page_says_what_the_language_is_with_words_of_each_class(runs: Path) -> None:
    about = dict(page_of(runs / "a").lists[0])
    assert about["language"] == "parity: class 1: an odd number of 1s"
    language = parse("parity")
    for name in ("0", "1"):
        words = about[f"words of class {name}"].replace("the empty word", "").split(", ")
        assert len(words) > 2
        assert {language.class_names[language.classify(word)] for word in words} == {name}


@pytest.mark.usefixtures("undrawn")
def test_a_page_says_when_and_where_it_and_its_runs_were_made(runs: Path) -> None:
    html = render([read_run(runs / "a")])
    assert "UTC by lengthwise" in html
    made = dict(Page(html).lists[0])["made"]
    assert "torch" in made
    assert "processor" in made
    assert made[:2] == "20"


@pytest.mark.usefixtures("undrawn")
def test_words_are_defined_where_they_are_used(runs: Path) -> None:
    terms = dict(page_of(runs / "a").lists[1])
    assert set(terms) == {"“audited words”", "“composition supervision”", "“shortcut”"} | {
        name for name in terms if name == "“interior and edge”"
    }
    assert "near misses" in terms["“audited words”"]
    explored = "interior and" in render([read_run(runs / "a")]).partition("</dl>")[2]
    assert ("“interior and edge”" in terms) == explored
    assert "“interior and edge”" not in dict(page_of(runs / "b").lists[1])


@pytest.mark.parametrize("model", ["regular-gpt-slots", "gru-binary"])
def test_a_proved_run_of_every_kind_of_network_has_a_page(tmp_path: Path, model: str) -> None:
    assert main(["train", "parity", "--model", model, "--out", str(tmp_path / "run")]) == 0
    assert main(["certify", str(tmp_path / "run")]) == 0
    page = render([read_run(tmp_path / "run")])
    assert "right at every length" in page or "equivalent" in page


@pytest.mark.usefixtures("undrawn")
def test_every_table_has_headers_above_its_columns(runs: Path) -> None:
    page = page_of(runs / "a", runs / "b")
    assert len(page.tables) >= 5
    for table, first in zip(page.tables, page.cells, strict=True):
        assert set(first) == {"th"}
        assert {len(row) for row in table} == {len(table[0])}


@pytest.mark.usefixtures("undrawn")
def test_the_command_that_checks_a_proof_can_be_pasted(runs: Path) -> None:
    command = next(code for code in page_of(runs / "a").codes if "--check" in code)
    words = shlex.split(command)
    assert words[:3] == ["lengthwise", "certify", "--check"]
    assert Path(words[3]) == runs / "a" / "certificate.json"
    assert Path(words[3]).exists()


@pytest.mark.usefixtures("undrawn")
def test_a_curve_has_more_than_one_point(runs: Path) -> None:
    several, one = page_of(runs / "a"), page_of(runs / "b")
    assert several.figures == one.figures + 1
    assert any("evaluate" in code and "--lengths" in code for code in one.codes)
    assert not any("evaluate" in code for code in several.codes)
    assert not any(said.endswith("in one figure") for said in several.headings)


@pytest.mark.usefixtures("undrawn")
def test_the_worst_length_stands_where_lengths_differ(runs: Path) -> None:
    measures = {row[0] for table in page_of(runs / "b").tables for row in table}
    assert "mean accuracy over 1 length" in measures
    assert "worst length" not in measures


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_runs_of_one_language_are_in_one_figure(runs: Path) -> None:
    together = page_of(runs / "a", runs / "b")
    assert together.headings[0] == "Runs on parity, in one figure"
    alone = [page_of(runs / name).figures for name in "ab"]
    assert together.figures == sum(alone) + 1
    assert page_of(runs / "a").headings[0] != together.headings[0]
    assert page_of(runs / "a", runs / "a").headings[0] != together.headings[0]


@pytest.mark.usefixtures("undrawn")
def test_runs_that_share_no_length_are_still_drawn_together(runs: Path) -> None:
    out = runs / "c"
    assert main(["train", "parity", "--out", str(out), *SMALL]) == 0
    assert main(["evaluate", str(out), "--lengths", "7,8", "--words", "8"]) == 0
    html = render([read_run(runs / "a"), read_run(out)])
    assert Page(html).headings[0] == "Runs on parity, in one figure"
    assert "Each run is shown as it was tested" in html


@pytest.mark.usefixtures("undrawn")
def test_a_language_without_a_name_is_named_by_its_size(tmp_path: Path) -> None:
    language = parse("parity") | parse("first")
    plan = make_plan(language, preset="smoke", settings={"steps": 1, "validate_every": 1})
    train(plan, out=tmp_path / "run", device="cpu")
    title = page_of(tmp_path / "run").headings[0]
    expected = f"a language of {language.num_states} states over 0 1, regular-gpt-binary"
    assert language.spec == ""
    assert title == expected


def test_hostile_names_stay_texts(tmp_path: Path) -> None:
    (tmp_path / "<b>x$y$").mkdir()
    out = tmp_path / "<b>x$y$" / "run"
    file = tmp_path / "w.tsv"
    file.write_text("".join(f"{'ab' * n}a\t<i>\n{'ba' * n}\tno\n" for n in range(1, 30)))
    assert main(["train", f"words:{file}", "--out", str(out), *SMALL]) == 0
    assert main(["evaluate", str(out)]) == 0
    write_report([out], tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>" not in html
    assert "<i>" not in html
    about = dict(Page(html).lists[0])
    assert about["words of class no"].startswith("29, as ba, baba, ")
    assert "not evaluated yet" not in html


def test_a_page_follows_the_colours_of_its_reader(runs: Path) -> None:
    html = render([read_run(runs / "a")])
    assert "prefers-color-scheme: dark" in html
    assert html.count("currentColor") > 10
    figures = html.split("<svg")[1:]
    assert all("#1c2430" not in one.partition("</svg>")[0] for one in figures)


@pytest.mark.usefixtures("undrawn")
def test_figures_of_a_report_are_written_as_pdf(runs: Path, tmp_path: Path) -> None:
    paths = [str(runs / "a"), str(runs / "b")]
    out = ["--out", str(tmp_path / "r.html"), "--figures", str(tmp_path / "figures")]
    assert main(["report", *paths, *out]) == 0
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {"run-1.pdf", "together-1.pdf"}  # the other run was tested at one length
