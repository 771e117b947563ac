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
    "demo": "run the main job in about a minute: train, extrapolate, certify, report",
    "languages": "list the languages of the catalogue",
    "describe": "show one language: states, classes, monoid, sample words",
    "label": "print the class of each word on standard input",
    "diff": "compare two languages: the shortest words of one and not of the other",
    "sample": "draw words of a language uniformly",
    "infer": "infer an automaton from labelled words, and say how certain it is",
    "compile": "compute exact weights for a language, a circuit, or a paper's construction",
    "verify": "compare a construction with an independent definition",
    "explain": "show what each layer of computed weights does, and its attention on a word",
    "settings": "list every setting: default, unit, meaning, and its letter in the papers",
    "train": "train a model on a language, the steps of an algorithm, text or translations",
    "evaluate": "score a trained model: accuracy by length, perplexity, or BLEU",
    "certify": "prove that a run is right at every length, or find the shortest wrong word",
    "examine": "find where a network breaks, its automaton, and a version right at every length",
    "arena": "train and examine networks on a suite of languages under one protocol",
    "monitor": "say what holds of sequences of events as they come, for now or for good",
    "conform": "judge an engine of constrained decoding: the shortest string it loses or gains",
    "predict": "print the answers of a trained model to the lines on standard input",
    "snap": "replace a network by tables: vectors snapped to representatives",
    "extract": "extract the automaton that a trained model computes",
    "export": "write an automaton or a proved network for other programs: C, Graphviz, ONNX, ...",
    "analyse": "look inside a trained model: clusters, receptive field, deeper trees, attention",
    "sweep": "train models over seeds and values of settings, and compare them",
    "resume": "continue a stopped run with the settings in its folder",
    "ls": "list the runs below a folder: problem, date, state, accuracy, proof",
    "compare": "compare runs of one problem in a table and a figure",
    "zoo": "list the models that come with the package, with their proofs: `zoo:NAME`",
    "board": "show the smallest proved networks by language; `check` judges another",
    "completion": "print a script that completes commands and names in bash, zsh or fish",
    "report": "write a self-contained HTML page about runs",
    "explore": "open a local page: type languages and words, watch a network read, walk its proof",
}
"""The summary of each command. Each command is a module of this package, and only the requested one
is imported."""

PLUGGED: Catalogue[Any] = Catalogue(
    "command", {}, group="lengthwise.commands", needs=("add_arguments", "run")
)
"""The modules of commands that other packages add."""

WINGS = {
    "prepare": Wing(
        "prepare text, or text with its translation, for training",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "pretrain": Wing(
        "pretrain a small GPT-2 on plain text, for `train --model gpt2`",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "translate": Wing(
        "translate the sentences on standard input with a trained model",
        "lengthwise[text]",
        "pip install 'lengthwise[text]'",
    ),
    "reproduce": Wing(
        "repeat tables and figures of the papers, beside the printed numbers",
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
