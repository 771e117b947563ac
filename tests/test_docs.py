"""What the documents say: their code runs, their tables are the results, their links lead."""

import ast
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.cli.commands import COMMANDS, PLUGGED, WINGS, parser_of
from lengthwise.cli.main import main
from lengthwise.models.regular_gpt import RegularGPTConfig
from lengthwise.problems.capabilities import Parametrised
from lengthwise.problems.inferred.settings import settings_of_inference
from lengthwise.problems.reference import settings_reference
from lengthwise.problems.registry import PROBLEMS

ROOT = Path(__file__).parent.parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(ROOT / "docs" / "reproducing" / name for name in ("proofs.md", "words.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
SHOWING = (
    *("README.md", "index.md", "first_proof.md", "verification.md", "proof_assistant.md"),
    *("runs.md", "monitor.md", "exports.md", "models.md", "zoo.md", "board.md", "certificate.md"),
    "decoding.md",
    *(("reproducing.md",) if "reproduce" in PLUGGED else ()),
)
"""Pages whose blocks of kind `text` are what the commands and the Python above them print."""

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
"""The kind of a block, and what is in it."""

LONGEST_LINE = 120


def require_shown(shown: str, said: str) -> None:
    """Require that a page quotes what was printed; `...` is what it leaves out."""
    printed = [" ".join(line.split()) for line in said.splitlines()]
    for line in shown.splitlines():
        start, _, rest = " ".join(line.split()).partition("...")
        assert not rest
        assert any(each == start or (start != line and each.startswith(start)) for each in printed)


def run_line(line: str, patch: pytest.MonkeyPatch) -> None:
    """Run a command of a page, which fails only where the page says so."""
    text, _, command = line.partition("  #")[0].rpartition(" | ")
    if text:
        words = text.removeprefix("printf ").strip("'").encode().decode("unicode_escape")
        patch.setattr("sys.stdin", io.StringIO(words))
    assert main(shlex.split(command)[1:]) == int("--against" in command), line


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWING)
def test_a_page_shows_what_its_commands_print(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands and Python run in their order, up to the last output that is shown."""
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(TEXTS[name])
    names: dict[str, object] = {"__name__": "__main__"}
    last = max(number for number, (kind, _) in enumerate(blocks) if kind == "text")
    for kind, block in blocks[: last + 1]:
        if kind == "text":
            require_shown(block, "".join(capsys.readouterr()))
        elif kind == "python":
            exec(compile(block, name, "exec"), names)
        elif not kind:
            joined = block.replace("\\\n", " ")
            for line in re.findall(r"^(?:printf .*\| )?lengthwise .*$", joined, flags=re.M):
                run_line(line, monkeypatch)


LONG_EXAMPLES = ("learn_automaton.py", "any_language.py")
EXAMPLES = [
    pytest.param(path, id=path.name, marks=[pytest.mark.slow] * (path.name in LONG_EXAMPLES))
    for path in sorted((ROOT / "examples").glob("*.py"))
]


@pytest.mark.slow_except("own_bounds.py")
@pytest.mark.parametrize("path", EXAMPLES)
def test_every_example_runs(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_the_citation_has_the_version_of_the_package() -> None:
    stated = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    built = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    papers = (ROOT / "papers" / "pyproject.toml").read_text()
    assert stated == built == [lw.__version__]
    assert re.findall(r'^version = "(.+)"$', papers, re.M) == built
    assert f'"lengthwise[figures]=={lw.__version__}"' in papers


def test_every_public_name_has_its_reference() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^::: lengthwise\.(\w+)$", page, re.M)) == set(lw.__all__) - {
        *("__version__", "interpret", "steps")
    }
    for name in ("interpret", "steps", "text"):
        named = set(re.findall(rf"^::: lengthwise\.{name}\.(\w+)$", page, re.M))
        assert named == set(getattr(lw, name).__all__)


@pytest.mark.slow
def test_the_commands_of_the_page_are_understood(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, as they stand, but for fewer test lengths."""
    monkeypatch.chdir(tmp_path)
    Path("words.tsv").write_text("".join(f"{'a' * n}\t{n % 2}\n" for n in range(400)))
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    blocks = "".join(block for kind, block in BLOCK.findall(page) if not kind)
    lines = re.findall(r"^(?:printf .*\| )?lengthwise .*$", blocks, flags=re.MULTILINE)
    assert {re.findall(r"lengthwise (\w+)", line)[0] for line in lines} == {*COMMANDS, *WINGS} - {
        "demo",
        "languages",
        "prepare",
        "pretrain",
        "translate",
    }
    for line in lines:
        command = line.partition("  #")[0].replace("41:500", "41:45")
        if command.split()[1] in set(WINGS) - set(PLUGGED):
            continue
        if "|" not in command:  # a process of its own would import torch once more
            assert main(shlex.split(command)[1:]) == 0, command
            assert capsys.readouterr().out
            continue
        shell = command.replace("lengthwise ", f"{sys.executable} -m lengthwise.cli.main ")
        done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
    assert main(["languages"]) == 0
    assert "parity" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_local_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"New file `[^`]+`", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:src|tests|docs|benchmarks|papers)/[\w./]+)(?:::(\w+))?`", text):
        path = ROOT / named[0]
        assert path.exists(), named[0]
        if named[1]:
            assert f"def {named[1]}(" in path.read_text(encoding="utf-8"), named


def test_settings_of_the_documents_exist() -> None:
    text = (ROOT / "docs" / "regular_gpt.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"\| setting .*?\n\n", text, flags=re.DOTALL)
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row[:40])}
    assert {"chunk_size", "noise", "pad"} <= named
    values = {"post", "pre", "none", "relu", "gelu", "learned", "absent", "continuous", "binary"}
    values |= {"xavier", "haiku"}
    assert named - values <= {field.name for field in fields(RegularGPTConfig)}


def test_lines_fit_a_screen() -> None:
    """Rows of tables and pictures cannot be broken."""
    for page in [*PAGES, ROOT / "CHANGELOG.md"]:
        for line in page.read_text(encoding="utf-8").splitlines():
            fits = len(line) <= LONGEST_LINE or line.startswith(("|", "!["))
            assert fits, (page.name, line)


def test_every_picture_stands_on_a_page_and_every_page_has_its_pictures() -> None:
    docs = ROOT / "docs"
    shown = {
        (page.parent / target).resolve()
        for page in [ROOT / "README.md", *docs.rglob("*.md"), *docs.rglob("*.ipynb")]
        for target in re.findall(r"!\[[^]]*\]\(([./\w]*img/[^)\s]+)\)", page.read_text("utf-8"))
    }
    assert shown == set((docs / "img").iterdir())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_of_a_page_can_be_read_and_names_what_there_is(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for kind, block in BLOCK.findall(text):
        if kind == "python" and not block.startswith(" "):  # part of a dict, in a recipe
            ast.parse(block)
    assert set(re.findall(r"\blw\.(\w+)", text)) <= {*lw.__all__, "text"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_a_page_have_the_options_that_they_are_given(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = "".join(block for kind, block in BLOCK.findall(text) if not kind)
    for line in re.findall(
        r"^(?:printf .*\| )?lengthwise (.*)$", blocks.replace("\\\n", " "), re.M
    ):
        plain = re.sub(r"(  +[^-\s].*| [<>] .*)$", "", line)
        command, *arguments = shlex.split(plain, comments=True)
        if command in PLUGGED or command not in WINGS:
            parser_of(command)[1].parse_args(arguments)


def test_every_setting_of_every_model_has_a_meaning() -> None:
    specs = ("steps:addition", "steps:multiplication", "steps:circuit:FILE", "steps:parity")
    seen = [
        (model, setting)
        for kind in PROBLEMS.values()
        for model in kind.setup.models
        for setting in settings_reference(kind, model)
    ]
    steps = PROBLEMS["step-by-step"]
    assert issubclass(steps, Parametrised)
    seen += [(spec, each) for spec in specs for each in steps.own_settings(spec).values()]
    seen += [("infer", each) for each in settings_of_inference()]
    assert len(seen) > 300
    for owner, setting in seen:
        assert setting.meaning.endswith("."), (owner, setting.name)
        assert setting.kind, (owner, setting.name)


def test_files_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+/(?:[a-z_]+/)*[a-z_]+\.(?:py|html))[:`]", text))
    assert len(named) > 20
    for path in named:
        assert (ROOT / "src" / "lengthwise" / path).exists() or (ROOT / path).exists(), path
    (table,) = re.findall(r"## Where would I change.*?\n\n(.*?)\n\nTo ", text, flags=re.DOTALL)
    rows = [row for row in table.split("\n") if row.startswith("| …")]
    assert len(rows) == 21
    for row in rows:
        first = re.findall(r"`([a-z_/]+\.py)`", row)[0]
        source = (ROOT / "src" / "lengthwise" / first).read_text(encoding="utf-8")
        for name in re.findall(r"`([A-Za-z_.]+)`", row.split("|")[2]):
            if "/" not in name and not name.endswith((".py", ".html")):
                assert name.rpartition(".")[2] in source, (first, name)


RECIPE = re.compile(
    r"(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, (?P<where>above|below) `(?P<anchor>[^`]+)`)"
    r"[^\n]*:\n\n```(?:python|text)\n(?P<block>.*?)```\n",
    flags=re.DOTALL,
)
RECIPES = {
    "A language": "train no-double-one --preset smoke --out a",
    "A position": "train parity --model encoder-cls --set position=even-odd --preset smoke --out b",
    "A model": "train count:1:2 --model bag --preset smoke --out c",
    "An objective": "train parity --model gru --objective smoothed --set smoothing=0.2 "
    "--preset smoke --out g",
    "An experiment": "reproduce own/density --preset smoke --out d",
    "A construction": "compile own/no-zeros --out e",
    "A problem": "train copying:10 --out f",
}
"""Headings of recipes, and what works once they are followed."""
if "reproduce" not in PLUGGED:
    del RECIPES["An experiment"]


@pytest.fixture
def followed(tmp_path: Path) -> Path:
    """A copy of the package in which all recipes were followed, word by word."""
    for folder in ("src", "papers/src", "examples", "tests/languages", "tests/problems/plugin"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for heading, command in RECIPES.items():
        (recipe,) = re.findall(rf"^## {heading}\n(.*?)(?=^##? )", CONTRIBUTING, re.S | re.M)
        assert f"lengthwise {command.partition(' --out')[0]} --out" in recipe
        shells = re.findall(r"^(?:mkdir|echo|cp) .*$", recipe, flags=re.M)
        for shell in shells:
            subprocess.run(shell, shell=True, check=True, cwd=tmp_path)
        touched = {_follow(step, tmp_path) for step in RECIPE.finditer(recipe)}
        touched |= {shell.split()[2] for shell in shells if shell.startswith("cp ")}
        most = ("A model", "An objective", "A problem")
        assert len(touched) == (3 if heading in most else 2), heading
    return tmp_path


def test_recipes_touch_the_files_that_they_name(followed: Path) -> None:
    pytest.importorskip("ruff")
    for path in followed.rglob("src/**/*.py"):
        ast.parse(path.read_text(encoding="utf-8"))
    shutil.copy(ROOT / "pyproject.toml", followed)
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "src", "papers/src"],
            cwd=followed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_what_recipes_add_works_from_the_command_line(followed: Path) -> None:
    code = "import sys; from lengthwise.cli.main import main\n" + "".join(
        f"assert main({command.split()}) == 0\n" for command in RECIPES.values()
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=followed,
        env={**os.environ, "PYTHONPATH": f"{followed / 'src'}:{followed / 'papers' / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _follow(step: re.Match[str], root: Path) -> str:
    """Write a new file, or put a block above or below the line that a recipe names."""
    if step["new"]:
        assert not (root / step["new"]).exists()
        (root / step["new"]).write_text(step["block"], encoding="utf-8")
        return step["new"]
    path = root / step["old"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (found,) = (i for i, line in enumerate(lines) if line.strip().startswith(step["anchor"]))
    found += step["where"] == "below"
    lines[found:found] = [step["block"]]
    path.write_text("".join(lines), encoding="utf-8")
    return step["old"]


def test_a_network_that_is_trained_already_is_audited_as_the_page_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The blocks of the page, without the training of the first."""
    page = (ROOT / "docs" / "own_network.md").read_text(encoding="utf-8")
    blocks = [body for kind, body in BLOCK.findall(page) if kind == "python"]
    classes, _, _ = blocks[0].partition("run = lw.train")
    exec(
        compile(classes + blocks[1] + blocks[2], "own_network.md", "exec"),
        {"__name__": "own_network"},
    )
    answers, about, wrong = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\['[01]', '[01]'\] 0\.\d+", answers)
    assert about.startswith("A machine of ")
    assert wrong.startswith("a shortest wrong word: ")


def test_the_package_is_run_as_a_module() -> None:
    command = [sys.executable, "-m", "lengthwise", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"lengthwise {lw.__version__}\n")
