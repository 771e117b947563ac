"""For which language was a model made? Known of trained and loaded ones for as long as they live.

A table beside the models, since a proof refuses a model with attributes of another's making.
"""

from weakref import WeakKeyDictionary

from torch import nn

from lengthwise.languages.language import Language

_MADE_FOR: WeakKeyDictionary[nn.Module, Language] = WeakKeyDictionary()


def remember(model: nn.Module, language: Language) -> None:
    """Note for which language a model was made."""
    _MADE_FOR[model] = language


def difference(model: nn.Module, asked: Language) -> str | None:
    """How the symbols or classes of a model's own language differ from another one's, in words.

    None if they are the same, and of models of which nothing is known.
    """
    own = _MADE_FOR.get(model)
    if own is None:
        return None
    if own.alphabet != asked.alphabet:
        kind, mine, theirs = "symbols", own.alphabet, asked.alphabet
    elif own.class_names != asked.class_names:
        kind, mine, theirs = "classes", own.class_names, asked.class_names
    else:
        return None
    name = asked.spec or "the language"
    return (
        f"the model was made for the {kind} {_few(mine)}, but {name} has {_few(theirs)}. Give its "
        f"own language, or one over the same."
    )


def _few(names: tuple[str, ...]) -> str:
    return repr(" ".join(names[:20]) + (" ..." if len(names) > 20 else ""))
