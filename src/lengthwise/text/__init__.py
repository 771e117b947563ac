"""Language modelling and translation: `lw.text`.

    import lengthwise as lw

    corpus = lw.text.prepare("corpus", ["novel.txt"])
    run = lw.train("text:corpus", out="runs/lm")
    lw.text.perplexity(run, lengths=[128, 512])

The libraries that it needs come with `pip install 'lengthwise[text]'`. The rest of the package does
not import it: it plugs in by the entry points in `pyproject.toml`. Each name is imported when it is
first used.
"""

TYPE_CHECKING = False  # that of typing, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from lengthwise.text.api import (
        evaluate_translations,
        perplexity,
        prepare,
        prepare_pairs,
        translate,
    )

__all__ = ["evaluate_translations", "perplexity", "prepare", "prepare_pairs", "translate"]


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415

    if name not in __all__:
        raise AttributeError(f"module 'lengthwise.text' has no attribute {name!r}")
    return getattr(import_module("lengthwise.text.api"), name)


def __dir__() -> list[str]:
    return list(__all__)
