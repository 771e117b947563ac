"""Hooks of the docs site: what MkDocs does to a page beyond Markdown.

Links to files outside the docs lead to the repository if `repo_url` is set, and are plain text
otherwise. Equations become MathML, which browsers draw without a script. Examples of docstrings are
code. The help of every command is a page. The search has a name for screen readers.
"""

import html
import os
import posixpath
import re
from typing import Any

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

from lengthwise.cli.commands import parser_of, summaries

UPWARDS = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#]+)(?:#[^)]*)?\)")
"""A link that may lead to a file of the repository that is no page of the site."""

EQUATION = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
"""An equation as `pymdownx.arithmatex` leaves it: in (...) within a line, else in [...]."""


@event_priority(100)  # mkdocstrings takes a copy of the extensions
def on_config(config: Any) -> Any:
    """Add the extension that sets examples and, where `mike` publishes, the menu of versions."""
    config.markdown_extensions.append(ExamplesExtension())
    if "MIKE_DOCS_VERSION" in os.environ:  # a site of one version has no list to load
        config.extra["version"] = {"provider": "mike"}
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the page with the help of every command."""
    files.append(File.generated(config, "command_help.md", content=command_help()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links to files outside the docs into links to the repository, or into their text."""
    where, folder = config.repo_url, posixpath.dirname(page.file.src_uri)

    def replace(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, link[2]))
        if target.startswith("docs/"):
            return link[0]
        return f"[{link[1]}]({where.rstrip('/')}/blob/main/{target})" if where else link[1]

    return UPWARDS.sub(replace, markdown)


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Turn equations into MathML."""

    def draw(found: re.Match[str]) -> str:
        display = "block" if found[2] == "[" else "inline"
        return str(convert(html.unescape(found[3]), display=display))

    return EQUATION.sub(draw, content)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the dialog of the search, which the theme leaves without a name."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">')


def command_help() -> str:
    """Return a page with the summary and the help of every command."""
    parts = ["# Every command\n\nWhat `lengthwise COMMAND --help` prints.\n"]
    for name, summary in summaries().items():
        parser = parser_of(name)[1]
        parser.description = None
        text = parser.format_help().rstrip()
        parts.append(f"## {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


class Examples(Preprocessor):
    """Puts a fence around each example of a docstring, from `>>>` to the next empty line."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with fences."""
        found, is_inside = list[str](), False
        for line in [*lines, ""]:
            if line.startswith(">>> ") and not is_inside:
                found.append("```pycon")
                is_inside = True
            if is_inside and not line.strip():
                found.append("```")
                is_inside = False
            found.append(line)
        return found[:-1]


class ExamplesExtension(Extension):
    """Applies `Examples` before fences are read."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  the name is Markdown's
        """Register the preprocessor."""
        md.preprocessors.register(Examples(md), "examples", 40)
