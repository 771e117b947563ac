"""The language that each trained or loaded model was made for, kept as long as the model exists.

The table is separate from the models, since a proof refuses a model with attributes that its class
does not set.
"""

from weakref import WeakKeyDictionary

from torch import nn

from lengthwise.languages.language import Language

_MADE_FOR: WeakKeyDictionary[nn.Module, Language] = WeakKeyDictionary()


def remember(model: nn.Module, language: Language) -> None:
    """Record the language that a model was made for."""
    _MADE_FOR[model] = language


def difference(model: nn.Module, asked: Language) -> str | None:
    """Describe in words how the symbols or classes of a model's own language differ from another's.

    The result is None if they are the same, and for a model whose language is not known.
    """
    own_language = _MADE_FOR.get(model)
    if own_language is None:
        return None
    if own_language.alphabet != asked.alphabet:
        kind, own_names, other_names = "symbols", own_language.alphabet, asked.alphabet
    elif own_language.class_names != asked.class_names:
        kind, own_names, other_names = "classes", own_language.class_names, asked.class_names
    else:
        return None
    name = asked.spec or "the language"
    return (
        f"the model was made for the {kind} {_few(own_names)}, but {name} has {_few(other_names)}. "
        f"Give its own language, or one over the same."
    )


def _few(names: tuple[str, ...]) -> str:
    return repr(" ".join(names[:20]) + (" ..." if len(names) > 20 else ""))
