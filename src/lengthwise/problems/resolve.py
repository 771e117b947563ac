"""What callers give: a run, computed weights or a network of their own, and a language by name."""

from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import TypeAlias

from torch import nn

from lengthwise.constructions.construction import Computed
from lengthwise.errors import ConfigError, LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.validation import short
from lengthwise.problems.base import Run
from lengthwise.problems.capabilities import proving
from lengthwise.problems.functions.problem import recognition_of
from lengthwise.proofs.search.algebra_guard import guard
from lengthwise.training.model_languages import difference

Model: TypeAlias = Run | Computed | nn.Module
"""A trained run, computed weights, or a network alone, whose language must be given."""


def module_of(model: Model) -> nn.Module:
    """Return the network of a run or of computed weights, or the network that is given.

    Raises:
        ConfigError: it is none of them.
    """
    if isinstance(model, Run | Computed):
        return model.model
    if isinstance(model, nn.Module):
        return model
    remedy = ""
    if isinstance(model, str | Path):
        remedy = " Load its folder: lw.load(folder)."
    elif isinstance(model, type):
        remedy = f" Build it first: {model.__name__}(vocab_size, num_classes)."
    elif guard(model) is not None:
        remedy = " Use lw.interpret.decide for an algebra."
    raise ConfigError(
        f"a model is a run, a construction or a torch.nn.Module, but got a "
        f"{type(model).__name__}.{remedy}"
    )


def run_of(model: Model) -> Run | None:
    """Return a run as it is, computed weights as a run, and None for a network alone.

    Raises:
        RunError: the weights compute a circuit.
    """
    if isinstance(model, Computed):
        problem, plan = recognition_of(model.language), model.compiled
        return Run(problem=problem, plan=plan, model=model.model, folder=model.folder)
    return model if isinstance(model, Run) else None


def make_language(language: object) -> Language:
    """Return the language that is given or named.

    Raises:
        LanguageError: it is neither.
    """
    return language if isinstance(language, Language) else parse(language)  # type: ignore[arg-type]


def choose_language(model: Model, language: Language | str | None) -> Language:
    """Return the given or named language, or else that of the model.

    Raises:
        LanguageError: none is given for a network alone.
        RunError: the model is not about a language.
    """
    if language is not None:
        return make_language(language)
    if isinstance(model, Run | Computed):
        return model.language
    raise LanguageError(
        "a network alone does not know its language. Give language='parity', say, or a Language."
    )


def symbols_of(model: Model, language: Language | str | None) -> Language:
    """Return the language, or an automaton with the symbols and classes of the words of a run.

    Raises:
        LanguageError: none is given for a network alone.
        RunError: the model reads no words of any length.
    """
    if language is None and isinstance(model, Run):
        return proving(model.problem).symbols
    return choose_language(model, language)


def fitting_language(model: Model, language: Language | str | None) -> Language:
    """Return the language whose words a model is asked about.

    Raises:
        ConfigError: the model was made for other symbols or classes, as far as they are known.
        RunError: it is a run that classifies no words, or one whose language is not known.
        LanguageError: there is no such language, or none is given for a network alone.
    """
    if isinstance(model, Run):
        proving(model.problem)  # raises if it classifies no words
    network, asked_about = module_of(model), choose_language(model, language)
    if (other := difference(network, asked_about)) is not None:
        raise ConfigError(other)
    config = getattr(network, "config", None)
    if hasattr(config, "vocab_size") and not hasattr(config, "num_classes"):
        raise ConfigError("this model writes symbols, and classifies no words. Give its run alone.")
    made_for = (getattr(config, "vocab_size", None), getattr(config, "num_classes", None))
    sizes_asked = (asked_about.num_symbols, asked_about.num_classes)
    if None not in made_for and made_for != sizes_asked:
        raise ConfigError(
            f"the model was made for {made_for[0]} symbols and {made_for[1]} classes, but "
            f"{asked_about.spec or 'the language'} has {sizes_asked[0]} and {sizes_asked[1]}. Give "
            f"its own language."
        )
    return asked_about


def list_lengths(lengths: Sequence[int]) -> Sequence[int]:
    """Return the lengths, if they are a sequence of integers.

    Raises:
        ConfigError: they are not.
    """
    try:
        values = list(lengths)
        if any(isinstance(value, bool) for value in values):
            raise TypeError
        integers = [index(value) for value in values]
    except TypeError:
        raise ConfigError(
            f"lengths are integers, such as range(41, 501), but got {short(lengths)}. Give "
            f"[{lengths}]."
            if isinstance(lengths, int)
            else f"lengths are integers, such as range(41, 501), but got {short(lengths)}."
        ) from None
    if min(integers, default=0) < 0:
        raise ConfigError(f"a length is 0 or more, but got {min(integers)}.")
    return integers
