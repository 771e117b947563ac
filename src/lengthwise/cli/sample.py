"""The command `sample`: draws words of one length uniformly, from all words or from one class."""

import argparse

from lengthwise.cli.output import add_json, add_language, print_answers, print_json, whole_number
from lengthwise.errors import unknown_name
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language and the number, length and class of the words to the parser."""
    add_language(parser)
    parser.add_argument(
        "--length", type=whole_number(0), required=True, help="symbols of each word"
    )
    parser.add_argument(
        "--count", type=whole_number(0), default=1, help="how many words (default 1)"
    )
    parser.add_argument("--class", dest="label", help="the class of the words (default: any)")
    parser.add_argument("--seed", type=whole_number(0), default=0)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the words, one per line."""
    import torch

    from lengthwise.tasks.task import Task

    language = parse(arguments.spec, arguments.alphabet)
    wanted = None
    if arguments.label is not None:
        if arguments.label not in language.class_names:
            raise unknown_name("class", arguments.label, language.class_names)
        wanted = language.class_names.index(arguments.label)
    batch = Task(language=language, protocol="audited").draw_uniform(
        arguments.count, arguments.length, torch.Generator().manual_seed(arguments.seed), wanted
    )
    words = [language.decode(word) for word in batch.tokens.tolist()]
    if arguments.json:
        print_json({"words": words})
    else:
        print_answers(words)
