"""Count what readers have to read: words, sentence lengths and unidiomatic phrases.

`python docs/counts.py` prints words and the median sentence length by page and shelf of the site,
and how often each phrase of the word list occurs in docs, docstrings and messages.
"""

import ast
import re
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import nbformat

ROOT = Path(__file__).parent.parent

FRONT = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages outside the site, counted as a shelf of their own."""


class Phrase(NamedTuple):
    """What to look for, as a regular expression, and what to write instead."""

    pattern: str
    instead: str


WORD_LIST: Mapping[str, Phrase] = {
    "is no": Phrase(r"(?<!there )\b(?:is|are|was|were) no (?!longer|more\b|one\b)", "is not a"),
    "a text": Phrase(r"\ba text\b", "a string"),
    "whole number": Phrase(r"\bwhole numbers?\b", "integer"),
    "told": Phrase(r"\btold\b", "given, supervision or reported"),
    "so many": Phrase(r"\bso many\b", "n"),
    "stands": Phrase(r"\b(?:stands?|stood)\b(?! for\b)", "is or appears"),
    "go on": Phrase(r"\b(?:go|goes|gone|went|going) on\b", "continue"),
    "mend": Phrase(r"\bmend(?:s|ed)?\b", "fix"),
    "give again": Phrase(r"\bgiven? (?:it |the command )?again\b", "run it again"),
    "at its place": Phrase(r"\bat (?:its|their) places?\b", "there, or in its position"),
    "what it is about": Phrase(r"\bwhat (?:it|each run) is about\b", "its subject"),
    "of which": Phrase(r"\bof which\b", "a second sentence"),
    "but for": Phrase(r"\bbut for\b", "except"),
    "hand on": Phrase(r"\bhand(?:s|ed)? on\b", "pass on"),
    "what came of it": Phrase(r"\bcame of it\b", "the result"),
    "in the manner of": Phrase(r"\bin the manner of\b", "like"),
    "and the like": Phrase(r"\bthe like\b", "similar"),
}
"""Phrases that readers stumble over, by the name that CONTRIBUTING.md gives them."""

_FENCE = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
_GENERATED = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- end \1 -->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\([^)]*\)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")
_INDENT = 2
"""Spaces before a shelf of the navigation."""

_FEWEST = 3
"""Words of a sentence, or of a message; less is a label."""


def prose(text: str) -> str:
    """Return a page without code, equations, pictures, addresses and generated parts."""
    for part in (_GENERATED, _FENCE):
        text = part.sub("\n", text)
    text = re.sub(r"(?m)^(?: {4}(?! *[-*\d]).*|<!--.*)$", "", text)
    return _LINK.sub(lambda link: "" if link[1] else link[2], _CODE.sub("CODE", text))


def sentences(text: str) -> list[int]:
    """Return the number of words of each sentence of a page, tables and headings left out."""
    kept = "\n".join(
        "" if line.lstrip("> ").startswith(("|", "#")) else line for line in text.split("\n")
    )
    counts = [len(part.split()) for part in _SENTENCE_END.split(kept)]
    return [count for count in counts if count >= _FEWEST]


def count_words(text: str) -> int:
    """Return how many words a page has, of prose and code; rules of tables have no letter."""
    return sum(any(map(str.isalnum, part)) for part in text.split())


def hits(text: str) -> dict[str, int]:
    """Return how often each phrase of the word list occurs in a string."""
    flat = " ".join(text.split())
    found = {
        name: len(re.findall(phrase.pattern, flat, re.IGNORECASE))
        for name, phrase in WORD_LIST.items()
    }
    return {name: count for name, count in found.items() if count}


def read_page(path: Path) -> str:
    """Return the Markdown of a page, or of the Markdown cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = nbformat.reads(text, as_version=4).cells  # type: ignore[no-untyped-call]
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def shelves(root: Path) -> dict[str, list[Path]]:
    """Return the pages of each shelf of the site, and those outside it."""
    _, _, nav = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    found: dict[str, list[Path]] = {"outside the site": [root / name for name in FRONT]}
    for line in nav.split("\n"):
        if (entry := re.fullmatch(r"( *)- (?:(.+): *)?(\S+\.md)?", line)) is None:
            break  # the end of the navigation
        if len(entry[1]) == _INDENT:
            pages = found.setdefault(entry[2].strip('"'), [])
        if entry[3]:
            page = root / "docs" / entry[3]
            pages += [one for one in (page, page.with_suffix(".ipynb")) if one.exists()][:1]
    listed = {path for pages in found.values() for path in pages}
    found["not in the navigation"] = sorted(set((root / "docs").rglob("*.md")) - listed)
    return found


def strings(root: Path) -> dict[str, list[str]]:
    """Return the docstrings of the package, and its other strings that are sentences."""
    found: dict[str, list[str]] = {"docstrings": [], "messages": []}
    for path in sorted((root / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) in docstrings:
                    found["docstrings"].append(node.value)
                elif len(node.value.split()) >= _FEWEST:
                    found["messages"].append(node.value)
    return found


def _print_pages(root: Path) -> str:
    """Print a line for each page and shelf; return the prose of all pages."""
    texts, totals = list[str](), [0, 0]
    print(f"{'words':>8} {'generated':>9} {'median':>6} {'hits':>5}  page")
    for shelf, pages in shelves(root).items():
        sums = [0, 0]
        for path in pages:
            text = read_page(path)
            words = count_words(text)
            generated = words - count_words(_GENERATED.sub("", text))
            texts.append(prose(text))
            median = statistics.median(sentences(texts[-1]) or [0])
            counts = f"{words:8,} {generated:9,} {median:6.0f} {sum(hits(texts[-1]).values()):5}"
            print(f"{counts}  {path.relative_to(root)}")
            sums = [sums[0] + words, sums[1] + generated]
        print(f"{sums[0]:8,} {sums[1]:9,}               {shelf}: {len(pages)} pages\n")
        totals = [totals[0] + sums[0], totals[1] + sums[1]]
    print(f"{totals[0]:8,} {totals[1]:9,}               all pages\n")
    return "\n\n".join(texts)


def main(root: Path = ROOT) -> None:
    """Print the counts of a working tree."""
    places = {"docs": _print_pages(root)}
    places |= {name: "\n\n".join(each) for name, each in strings(root).items()}
    counted = {name: hits(text) for name, text in places.items()}
    print(f"{'':18}" + "".join(f"{name:>12}" for name in counted))
    for phrase in WORD_LIST:
        print(f"{phrase:18}" + "".join(f"{each.get(phrase, 0):12,}" for each in counted.values()))
    print(f"{'all':18}" + "".join(f"{sum(each.values()):12,}" for each in counted.values()))


if __name__ == "__main__":
    main(*(Path(folder).resolve() for folder in sys.argv[1:2]))
