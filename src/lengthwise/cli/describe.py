"""The command `describe`: prints states, classes, monoid and sample words of a language.

Of a function, it first prints the automata and some outputs.

It also prints which transformer can carry the language, and the classes on which that depends.
"""

import argparse
from collections.abc import Mapping
from typing import Any

from lengthwise.cli.output import add_json, add_language, note, print_facts, print_json
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.describe import LADDER_KEYS, describe
from lengthwise.languages.ladder import QUESTIONS
from lengthwise.languages.language import Language
from lengthwise.languages.spec import names_function, parse
from lengthwise.messages import format_count

_MOST_SHOWN = 16
"""Classes, samples or counts that are printed; a group can have thousands."""

_MANY = 2_000
"""Number of states from which the command says that it takes a while."""

_ANSWERS = {True: "yes", False: "no", None: "unknown"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language to the parser."""
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the description of the language."""
    if names_function(arguments.spec):
        _describe_function(arguments)
        return
    language = parse(arguments.spec, arguments.alphabet)
    description = describe_with_note(language)
    if arguments.json:
        print_json(description)
    else:
        print_description(language, description)


def _describe_function(arguments: argparse.Namespace) -> None:
    """Print the automata and some outputs of a function, and the language of its prefixes."""
    from lengthwise.languages.functions.describe import describe_function, facts_of_function
    from lengthwise.languages.functions.reading import reading_of
    from lengthwise.languages.functions.spec import parse_function

    function = parse_function(arguments.spec, parse, arguments.alphabet)
    language = reading_of(function).language
    description = describe_with_note(language)
    if arguments.json:
        print_json({"function": describe_function(function), **description})
        return
    print_facts(facts_of_function(function))
    print("\nThe language of its prefixes, which a network learns")
    print_description(language, description)


def describe_with_note(language: Language) -> dict[str, Any]:
    """Describe a language; say first if it takes a while."""
    if language.num_states > _MANY:
        note(f"{language.num_states:,} states take some seconds.")
    return describe(language)


def print_description(language: Language, description: Mapping[str, Any]) -> None:
    """Print what is known of a language: its size, samples, network and classes."""
    plain = {key: value for key, value in description.items() if key not in LADDER_KEYS}
    if not plain["spec"]:  # an automaton that was inferred has none
        del plain["spec"]
    plain["alphabet"] = (
        f"{list_symbols(language.alphabet)} ({format_count(language.num_symbols, 'symbol')})"
    )
    plain["samples"] = {
        name: ", ".join(map(_show, words)) or "none" for name, words in plain["samples"].items()
    }
    print_facts([(key.replace("_", " "), _show(value)) for key, value in plain.items()])
    print("\nWhich transformer can carry it")
    advice = {key: text for key, text in description["network"].items() if key != "rung"}
    print_facts([(key.replace("_", " "), text) for key, text in advice.items()])
    print("\nIts classes, with the reasons")
    print_facts(_classes(description))


def _classes(description: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the classes of the ladder, each with the answer and the reason, and its numbers."""
    reasons = description["ladder_witnesses"]
    lines = [
        (QUESTIONS[key][0], f"{_ANSWERS[holds]}: {reasons[key]['says']}")
        for key, holds in description["ladder"].items()
    ]
    for key, value in description["ladder_numbers"].items():
        if isinstance(value, dict):
            sizes = ", ".join(f"{number:.3g} at {length}" for length, number in value.items())
            lines.append((key.replace("_", " "), f"{sizes} symbols"))
    bounds = description["ladder_numbers"]["krohn_rhodes"]
    if bounds is not None:
        low, high = bounds
        value_range = f"{low}" if low == high else f"between {low} and {high}"
        lines.append(("Krohn-Rhodes complexity", value_range))
    return lines


def _join(texts: list[str], separator: str) -> str:
    """Return the texts in one line, or the first of them and how many there are."""
    if len(texts) <= _MOST_SHOWN:
        return separator.join(texts)
    return separator.join([*texts[:_MOST_SHOWN], f"... ({len(texts):,} in all, see --json)"])


def _show(value: object) -> str:
    if isinstance(value, dict):
        return _join([f"{key}: {_show(inner)}" for key, inner in value.items()], "; ")
    if isinstance(value, list | tuple):
        return _join([_show(inner) for inner in value], " ")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else (str(value) or "(empty word)")
