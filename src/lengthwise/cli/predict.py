"""Print what a model makes of each line on standard input: a class, outputs, or more text."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.cli.output import add_device, add_json, print_json, refuse, whole_number
from lengthwise.cli.snapped import add_snapped, with_tables
from lengthwise.cli.words import (
    Lines,
    read,
    read_inputs,
    read_sentences,
    read_words,
    standard_lines,
)
from lengthwise.constructions.folders import completed, is_circuit, load_construction
from lengthwise.errors import ConfigError, WordError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import device_of, predict, shares
from lengthwise.evaluation.steps import written
from lengthwise.experiments.measure import continued, corpus_of
from lengthwise.text.prepared import Corpus
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.train import Run, choose_device, load_run
from lengthwise.training.translation_plan import TranslationPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a run")
    parser.add_argument(
        "--tokens",
        type=whole_number(1, 2**20),
        help="how many more, by a language model (default 50)",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        help="at which a language model draws (default 0: the likeliest token each time)",
    )
    parser.add_argument("--seed", type=whole_number(0), help="of what it draws (default 0)")
    parser.add_argument(
        "--text", type=Path, metavar="DIR", help="the corpus of a language model, if it was moved"
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="answer the other lines if one cannot be read: an empty line stands for it, standard "
        "error says what is wrong, and the exit status is 2 in the end",
    )
    add_snapped(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Answer for all words, or for none if one cannot be read; line by line, if with texts."""
    if is_circuit(arguments.run):
        _require_no_text(arguments)
        _complete(arguments)
        return
    trained = load_run(arguments.run, device=arguments.device)
    if isinstance(trained.plan, LanguagePlan):
        _go_on(trained, arguments)
        return
    _require_no_text(arguments)
    if isinstance(trained.plan, TranslationPlan):
        raise ConfigError(f"{arguments.run} translates. Use lengthwise translate {arguments.run}.")
    if isinstance(trained.plan, StepPlan):
        _write_steps(trained, arguments)
        return
    if arguments.snapped:
        trained = with_tables(trained)
    language = trained.language
    lines = read_words(standard_lines(), language, keep_going=arguments.keep_going)
    words = lines.words
    logits = predict(trained.model, words, device=device_of(trained.model))
    classes = answer_of(logits)
    names = [language.class_names[c] for c in classes.tolist()]
    share = shares(logits).gather(1, classes[:, None])[:, 0] if words else classes
    answers = [
        {"word": language.decode(word), "class": name, "probability": each}
        for word, name, each in zip(words, names, share.tolist(), strict=True)
    ]
    _print_answers(lines, names, answers, arguments)


def _print_answers(
    lines: Lines[Any],
    shown: Sequence[str],
    answers: Sequence[Mapping[str, Any]],
    arguments: argparse.Namespace,
) -> None:
    """One line for each, or one JSON object; then an error, if a line could not be read."""
    if not arguments.json:
        for each in lines.shown(shown):
            print(each)
    elif not arguments.keep_going:
        print_json({"words": list(answers)})
    else:
        numbered = zip(lines.numbers, answers, strict=True)
        errors = [{"line": number, "error": what} for number, what in lines.errors.items()]
        print_json({"words": [{"line": line, **each} for line, each in numbered], "errors": errors})
    lines.require_all()


def _go_on(trained: Run, arguments: argparse.Namespace) -> None:
    """How a language model goes on with each line."""
    if arguments.snapped:
        raise ConfigError("a language model has no tables of sub-words. Leave --snapped out.")
    temperature = 0.0 if arguments.temperature is None else arguments.temperature
    if arguments.keep_going:
        raise ConfigError("a language model goes on with any text. Leave --keep-going out.")
    if not 0 <= temperature <= _MOST_TEMPERATURE:
        raise ConfigError(f"--temperature {temperature} is none. Use one of 0 to 100.")
    corpus = corpus_of(trained, Corpus.load(arguments.text) if arguments.text else None)
    found = []
    for number, (begun,) in enumerate(read_sentences(standard_lines(), 1), start=1):
        if not begun:
            raise WordError(f"line {number} is empty. A language model goes on with some text.")
        ended = continued(
            trained,
            begun,
            corpus,
            tokens=arguments.tokens or 50,
            temperature=temperature,
            seed=arguments.seed or 0,
        )
        found.append({"text": begun, "continued": ended})
        if not arguments.json:
            print(begun + ended, flush=True)
    if arguments.json:
        print_json({"texts": found})


_MOST_TEMPERATURE = 100


def _require_no_text(arguments: argparse.Namespace) -> None:
    for option in ("tokens", "temperature", "seed", "text"):
        refuse(arguments, option, "language models")


def _write_steps(trained: Run, arguments: argparse.Namespace) -> None:
    """The outputs that the model writes for each line of inputs."""
    if arguments.snapped:
        raise ConfigError("a step task has no tables of sub-words. Leave --snapped out.")
    plan = trained.plan
    assert isinstance(plan, StepPlan)
    layout = plan.steps.layout(plan.guided.supervision)
    lines = read(standard_lines(), plan.steps.read, keep_going=arguments.keep_going)
    inputs = lines.words
    words = torch.tensor(inputs, dtype=torch.long).reshape(-1, plan.steps.num_inputs)
    symbols = written(trained.model, layout, words).tolist() if inputs else []
    outputs = [plan.steps.show([word[place] for place in layout.outputs]) for word in symbols]
    names = [plan.steps.names[index] for index in layout.kept]
    answers = [
        {
            "word": plan.steps.spell(word),
            "outputs": each,
            "steps": dict(zip(names, steps, strict=True)),
        }
        for word, each, steps in zip(inputs, outputs, symbols, strict=True)
    ]
    _print_answers(lines, outputs, answers, arguments)


def _complete(arguments: argparse.Namespace) -> None:
    """The outputs of a circuit for each line of input bits."""
    if arguments.snapped:
        raise ConfigError("a circuit has no tables of sub-words. Leave --snapped out.")
    made = load_construction(arguments.run)
    assert isinstance(made.about, GateSequence)
    device = choose_device(arguments.device)
    lines = read_inputs(standard_lines(), made.about, keep_going=arguments.keep_going)
    inputs = lines.words
    results = completed(made.model.to(device), made.about, inputs)
    outputs = ["".join(str(word[place]) for place in made.about.outputs) for word in results]
    answers = [
        {"word": word, "outputs": bits, "sequence": "".join(map(str, result))}
        for word, bits, result in zip(inputs, outputs, results, strict=True)
    ]
    _print_answers(lines, outputs, answers, arguments)
