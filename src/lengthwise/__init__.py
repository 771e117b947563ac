"""What transformers can express, learn, and carry to any length.

    import lengthwise as lw

    language = lw.language("regex:(0|10*1)*")
    exact = lw.compile(language)
    run = lw.train(language, max_length=40)
    scores = lw.evaluate(run.model, language, lengths=range(41, 501))
    proof = lw.certify(run.model, language)

The functions come from `lengthwise.api`, which is imported when the first of them is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lengthwise.api import (
        certify,
        compile,
        evaluate,
        evaluate_steps,
        evaluate_translations,
        extract,
        language,
        learn_automaton,
        load,
        load_construction,
        perplexity,
        predict,
        prepare,
        prepare_pairs,
        snap,
        step_task,
        streaming,
        train,
        translate,
        verify,
    )

__all__ = [
    "certify",
    "compile",
    "evaluate",
    "evaluate_steps",
    "evaluate_translations",
    "extract",
    "language",
    "learn_automaton",
    "load",
    "load_construction",
    "perplexity",
    "predict",
    "prepare",
    "prepare_pairs",
    "snap",
    "step_task",
    "streaming",
    "train",
    "translate",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lengthwise' has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("lengthwise")
    from lengthwise import api  # noqa: PLC0415  torch is slow to import, and not always needed

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
