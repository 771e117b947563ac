"""The command `label`: prints the class of each word on standard input."""

import argparse

from lengthwise.cli.input_lines import read_words, standard_lines
from lengthwise.cli.output import add_json, add_language, print_answers, print_json
from lengthwise.languages.spec import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the language to the parser."""
    parser.epilog = "Words are read from standard input, one to a line, and answered when it ends."
    add_language(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the class of every word, or of none if one cannot be read."""
    language = parse(arguments.spec, arguments.alphabet)

    def one(text: str) -> tuple[int, ...]:
        word = language.encode(text)
        language.require_in_domain(word)
        return word

    lines = read_words(standard_lines(), one, joint=", ")
    words = [word for group in lines for word in group.words]
    labels = [language.class_names[language.classify(word)] for word in words]
    if arguments.json:
        rows = zip(words, labels, strict=True)
        print_json({"words": [{"word": language.decode(w), "class": c} for w, c in rows]})
    else:
        print_answers(labels)
