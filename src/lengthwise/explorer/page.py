"""The page: one HTML file with its style, its program and its data, that loads nothing else."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from lengthwise.templates import template

PROGRAM = (
    "dom.js",
    "automaton.js",
    "drawn.js",
    "canvas.js",
    "editor.js",
    "monoid.js",
    "ladder.js",
    "algebra.js",
    "tables.js",
    "slots.js",
    "tree.js",
    "recurrent.js",
    "path.js",
    "reader.js",
    "proof.js",
    "film.js",
    "run.js",
    "heads.js",
    "circuit.js",
    "function.js",
    "language.js",
    "main.js",
)
"""The files of the program, in the order in which they are put together."""


def render_explorer(data: dict[str, Any], *, served: bool) -> str:
    """Return the page with its data; `served` lets it ask the server that it came from.

    Its policy names the digests of its one script and its one style, so that no other can run,
    whatever is in the data.
    """
    folder = files("lengthwise.explorer")
    style = (folder / "style.css").read_text(encoding="utf-8")
    program = '"use strict";\n' + "".join(
        (folder / name).read_text(encoding="utf-8") for name in PROGRAM
    )
    return template("lengthwise.explorer", "page.html").render(
        policy=policy(program, style, served=served),
        style=style,
        program=program,
        data=embed_json({**data, "served": served}),
    )


def policy(program: str, style: str, *, served: bool) -> str:
    """Return the content security policy of the page."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_digest(program)}",
            f"style-src {_digest(style)}",
            f"connect-src {_ASKED if served else _NOBODY}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


_ASKED, _NOBODY = "'self'", "'none'"


def embed_json(data: Any) -> str:
    """Return data as JSON that cannot end the HTML script element that holds it."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
