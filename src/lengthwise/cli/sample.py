"""The command `sample`: draws words of one length uniformly, from all words or from one class.

The inputs of a function have its outputs behind them, and no class.
"""

import argparse

from lengthwise.cli.output import (
    add_json,
    add_language,
    make_integer_type,
    print_answers,
    print_json,
)
from lengthwise.errors import ConfigError, unknown_name
from lengthwise.languages.functions.by_name import function_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language and the number, length and class of the words to the parser."""
    add_language(parser)
    parser.add_argument(
        "--length", type=make_integer_type(0), required=True, help="symbols of each word"
    )
    parser.add_argument(
        "--count", type=make_integer_type(0), default=1, help="how many words (default 1)"
    )
    parser.add_argument("--class", dest="label", help="the class of the words (default: any)")
    parser.add_argument(
        "--labelled",
        action="store_true",
        help="a file for `infer`: WORD<TAB>CLASS, or INPUT<TAB>OUTPUT of a function, of lengths up "
        "to --length, drawn as those of tests are (audited), equal ones once",
    )
    parser.add_argument("--seed", type=make_integer_type(0), default=0)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the words, one per line."""
    language = parse(arguments.spec, arguments.alphabet)
    function = function_of(language)
    if arguments.labelled:
        _print_labelled(language, function, arguments)
        return
    import torch

    from lengthwise.tasks.task import Task

    label = None
    if arguments.label is not None:
        if arguments.label not in language.class_names:
            raise unknown_name("class", arguments.label, language.class_names)
        label = language.class_names.index(arguments.label)
    batch = Task(language=language, protocol="audited").draw_uniform(
        arguments.count, arguments.length, torch.Generator().manual_seed(arguments.seed), label
    )
    words = [language.decode(word) for word in batch.tokens.tolist()]
    if function is not None:
        outputs = {word: function(word) for word in words}
        if arguments.json:
            rows = [{"word": word, "output": outputs[word]} for word in words]
            print_json({"words": rows})
        else:
            print_answers(f"{word}\t{outputs[word]}" for word in words)
        return
    if arguments.json:
        print_json({"words": words})
    else:
        print_answers(words)


def _print_labelled(
    language: Language, function: Function | None, arguments: argparse.Namespace
) -> None:
    """Print different words of mixed lengths with their classes, or inputs with their outputs.

    Raises:
        ConfigError: a class is requested, too.
        TaskError: the language has no words of these lengths.
    """
    import torch

    from lengthwise.tasks.task import Task

    if arguments.label is not None:
        raise ConfigError("--labelled draws words of all classes. Leave --class out.")
    task = Task(language=language, protocol="audited")
    batch = task.draw_mixed(
        arguments.count, arguments.length, torch.Generator().manual_seed(arguments.seed)
    )
    rows = zip(batch.tokens.tolist(), batch.lengths.tolist(), batch.classes.tolist(), strict=True)
    labels = {
        language.decode(row[len(row) - length :]): language.class_names[label]
        for row, length, label in rows
    }
    if function is not None:  # the empty input has no output
        labels = {word: function(word) for word in labels if word}
    if arguments.json:
        name = "class" if function is None else "output"
        print_json({"words": [{"word": word, name: label} for word, label in labels.items()]})
        return
    if any(len(symbol) > 1 for symbol in language.alphabet):  # a backslash escapes a separator
        labels = {word.replace("\\", "\\\\"): label for word, label in labels.items()}
    print_answers(f"{word}\t{label}" for word, label in labels.items())
