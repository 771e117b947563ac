"""Lines of Markdown of at most 120 characters: paragraphs and items of lists are filled again."""

import re
import textwrap
from collections.abc import Iterator

WIDTH = 120

_ITEM = re.compile(r"(\s*)([-*]|\d+\.)\s+")
_ALONE = ("|", "#", "<!--", "![")
_SPAN = re.compile(r"`[^`]{1,60}`")
_KEPT = "\x00"
"""Stands for a space within code, so that no line ends there."""


def wrap(text: str) -> str:
    """Fill each paragraph and item with a line past `WIDTH`; leave code, tables and pictures."""
    return "\n".join(line for block in _blocks(text.split("\n")) for line in block)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Cut lines into paragraphs and items, which are filled, and lines that stay as they are."""
    block: list[str] = []
    in_code = False
    for line in lines:
        fence = line.lstrip().startswith("```")
        indented = line.startswith("    ") and not block
        alone = in_code or fence or indented or not line.strip() or line.startswith(_ALONE)
        in_code ^= fence
        if block and (alone or _ITEM.match(line)):
            yield _fill(block)
            block = []
        if alone:
            yield [line]
        else:
            block.append(line)
    if block:
        yield _fill(block)


def _fill(block: list[str]) -> list[str]:
    if all(len(line) <= WIDTH for line in block):
        return block
    item = _ITEM.match(block[0])
    text = " ".join(line.strip() for line in block)
    lines = textwrap.wrap(
        _SPAN.sub(lambda span: span[0].replace(" ", _KEPT), text),
        WIDTH,
        initial_indent=item[1] if item else "",
        subsequent_indent=" " * item.end() if item else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
    assert not any(re.match(r"\s*([-*+#>|]|\d+[.)])(\s|$)", line) for line in lines[1:]), lines
    return [line.replace(_KEPT, " ") for line in lines]
