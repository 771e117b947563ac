"""Pages that were edited stay free of the phrases that CONTRIBUTING.md lists."""

import re
from pathlib import Path

import pytest
from counts import WORD_LIST, hits, prose, read_page, sentences, shelves, strings

ROOT = Path(__file__).parent.parent

CLEAN = (
    *("README.md", "SECURITY.md", "docs/index.md", "docs/first_proof.md", "docs/own_network.md"),
    *("docs/verification.md", "docs/certificate.md", "docs/proof_assistant.md", "docs/runs.md"),
    *(
        "docs/models.md",
        "docs/layers.md",
        "docs/zoo.md",
        "docs/board.md",
        "docs/reproducing/proofs.md",
    ),
    *("docs/analysis.md", "docs/api.md", "docs/cluster.md", "docs/commands.md"),
    *("docs/constructions.md", "docs/dependencies.md", "docs/explorer.md", "docs/ladder.md"),
    *("docs/language_models.md", "docs/languages.md", "docs/notebooks.md", "docs/regular_gpt.md"),
    *("docs/settings.md", "docs/speed.md", "docs/tasks.md", "docs/translation.md"),
    *("docs/reproducing/exact_weights.md", "docs/reproducing/ladder.md"),
    "docs/reproducing/speed.md",
    *("docs/words.md", "docs/reproducing/words.md", "docs/architecture.md", "docs/monitor.md"),
    *("docs/logs.md", "docs/exports.md", "docs/trust.md"),
    *(f"docs/notebooks/{name}.ipynb" for name in ("adder", "audit", "course", "labelled_words")),
    *(f"docs/notebooks/{name}.ipynb" for name in ("language", "own_network", "parity", "text")),
    *("docs/steps.md", "docs/errata.md", "docs/examine.md", "docs/arena.md", "docs/decoding.md"),
    *("docs/reproducing.md", "docs/reproducing/chi2023.md"),
    *("docs/reproducing/chiang2022.md", "docs/reproducing/steps2022.md"),
)
"""Pages without a phrase of the word list. It grows; nothing leaves it."""


@pytest.mark.parametrize("page", CLEAN)
def test_a_clean_page_stays_clean(page: str) -> None:
    assert hits(prose(read_page(ROOT / page))) == {}


def test_contributing_has_the_word_list() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| instead of | write |\n|---|---|\n")
    rows = re.findall(r"\| (.*) \| (.*) \|", table.partition("\n<!--")[0])
    assert rows == [(name, phrase.instead) for name, phrase in WORD_LIST.items()]


def test_each_phrase_is_found_where_it_is_written() -> None:
    for name, phrase in WORD_LIST.items():
        assert hits(f"So {name} here.") == {name: 1}, name
        assert name not in hits(f"So {phrase.instead} here."), name
    assert hits("there is no word, it is no longer open, W stands for work") == {}
    assert hits("a number that is\nno result") == {"is no": 1}


def test_only_prose_is_searched() -> None:
    page = "He told `is no` [a word](a_text).\n\n```\na text\n```\n\n$$ of which $$\n"
    assert hits(prose(page)) == {"told": 1}
    assert hits(prose("<!-- x -->\n| told |\n<!-- end x -->\n")) == {}
    assert hits(prose("| what was told |")) == {"told": 1}


def test_sentences_are_counted_one_by_one() -> None:
    assert sentences(
        "# Title\n\nOne two three. Four five six seven\neight.\n\n- a b c\n- d e f g"
    ) == [
        *(3, 5),
        *(4, 5),
    ]


def test_every_page_has_a_shelf() -> None:
    found = shelves(ROOT)
    assert found.pop("not in the navigation") == []
    assert list(found)[2:] == ["Tutorials", "How-to guides", "Reference", "Explanation"]
    assert sum(map(len, found.values())) > 40


def test_docstrings_and_messages_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    code = '"""What it does."""\nX = "x"\nraise ValueError("a text is no number")\n'
    (tmp_path / "src" / "module.py").write_text(code)
    assert strings(tmp_path) == {
        "docstrings": ["What it does."],
        "messages": ["a text is no number"],
    }
