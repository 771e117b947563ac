"""The commands of the program: those of this package, and those that other packages add."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from lengthwise.cli.output import Parser
from lengthwise.errors import ConfigError, unknown_name
from lengthwise.registry import Catalogue


@dataclass(frozen=True, slots=True)
class Wing:
    """A command of a wing: what it does, where it comes from, and how that is installed."""

    summary: str
    package: str
    remedy: str


COMMANDS = {
    "demo": "the main job in about a minute: train, extrapolate, certify, report",
    "languages": "the catalogue of languages",
    "describe": "one language: states, classes, monoid, sample words",
    "label": "classes of the words on standard input",
    "sample": "words of a language, drawn uniformly",
    "infer": "infer an automaton from labelled words, and say how certain it is",
    "compile": "exact weights for a language, a circuit, or a paper's construction",
    "verify": "compare a construction with the independent definition",
    "explain": "what each layer of computed weights does, and its attention on a word",
    "settings": "every setting: default, unit, meaning, and the letter of the papers",
    "train": "train a model on a language, the steps of an algorithm, text or translations",
    "evaluate": "scores of a trained model by length, its perplexity, or BLEU",
    "certify": "a proof that a run is right at every length, or the shortest wrong word",
    "monitor": "what holds of sequences of events as they come, for now or for good",
    "predict": "answers of a trained model to the lines on standard input",
    "snap": "tables in place of a network: vectors snapped to representatives",
    "extract": "the automaton that a trained model computes",
    "analyse": "inside a trained model: clusters, receptive field, deeper trees, attention",
    "resume": "continues a stopped run with the settings in its folder",
    "ls": "the runs below a folder: what, when, state, accuracy, proof",
    "compare": "one table and one figure about runs of one problem",
    "zoo": "the models that come with the package, with their proofs: `zoo:NAME`",
    "board": "the smallest networks that are proved, by language; `check` judges another",
    "completion": "a script by which bash, zsh or fish completes commands and names",
    "report": "one self-contained HTML page about runs",
    "explore": "a local page: type languages and words, watch a network read, walk its proof",
}
"""The summary of each command. Each command is a module of this package, and only the requested one
is imported."""

PLUGGED: Catalogue[Any] = Catalogue(
    "command", {}, group="lengthwise.commands", needs=("add_arguments", "run")
)
"""The modules of commands that other packages add."""

WINGS = {
    "prepare": Wing(
        "make text, or text with its translation, ready to train on",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "pretrain": Wing(
        "a small GPT-2 trained on plain text, for `train --model gpt2`",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "translate": Wing(
        "translations of the sentences on standard input by a trained model",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "reproduce": Wing(
        "tables and figures of the papers, measured again beside what was printed",
        "lengthwise-papers",
        "in a checkout, pip install ./papers",
    ),
}
"""The commands of our own wings, which are known whether or not they are installed."""


def summaries() -> dict[str, str]:
    """Return the summary of each command that is installed; that of a package not ours is its
    package's.
    """
    added = [name for name in PLUGGED if name not in COMMANDS]
    return COMMANDS | {
        name: WINGS[name].summary if name in WINGS else PLUGGED.summary(name) for name in added
    }


def parser_of(name: str) -> tuple[ModuleType, Parser]:
    """Return the module of a command, and the parser of its arguments.

    Raises:
        ConfigError: there is no such command, or the package that brings it is not installed.
    """
    if name in COMMANDS:
        command = import_module(f"lengthwise.cli.{name}")
    elif name in PLUGGED:
        command = PLUGGED[name]
    elif name in WINGS:
        raise ConfigError(
            f"the command {name} comes with {WINGS[name].package}, which is not installed. Use "
            f"{WINGS[name].remedy}."
        )
    else:
        raise unknown_name("command", name, summaries())
    parser = Parser(prog=f"lengthwise {name}", description=summaries()[name])
    command.add_arguments(parser)
    return command, parser
