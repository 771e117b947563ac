"""How long does the inference take, and how much memory, from a thousand words to ten millions?

An automaton of six states over two symbols labels words of 1 to 40 symbols, all lengths equally
often and all words of a length too, so that short ones repeat. `lengthwise infer` reads the file
in a process of its own, without anything kept from another search; the operating system says what
time and memory the process had. The true language judges the automaton.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lengthwise.errors import RunError
from lengthwise.languages.language import Language
from lengthwise.languages.machine_files import read_machine
from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.labels_alone import is_same
from lengthwise_papers.own.random_languages import draw_needed_machine
from lengthwise_papers.parts import Part, PartsExperiment

STATES, SYMBOLS, LONGEST = 6, 2, 40
BLOCK = 100_000
"""Words that are drawn at once."""

MOST_MEGABYTES, MOST_SECONDS = 8_000, 3_600
"""What ten million words may take."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Numbers of words, and seeds of the language and its words."""

    words: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    seeds: tuple[int, ...] = (0,)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each number of words."""
    return [
        Part(f"{words} words, seed {seed}", {"words": words, "seed": seed})
        for seed in seeds or sizes.seeds
        for words in sizes.words
    ]


def write_words(language: Language, count: int, seed: int, file: Path) -> None:
    """Write labelled words to a file, block by block."""
    generator = np.random.default_rng(seed)
    automaton, places = Automaton(language), np.arange(LONGEST)
    letters = np.frombuffer("".join(language.alphabet).encode(), np.uint8)
    with file.open("w") as lines:
        for first in range(0, count, BLOCK):
            size = min(BLOCK, count - first)
            lengths = generator.integers(1, LONGEST + 1, size)
            symbols = generator.integers(0, SYMBOLS, (size, LONGEST))
            tokens = np.full((size, LONGEST), PAD)  # words are on the right
            tokens[places >= LONGEST - lengths[:, None]] = symbols[places < lengths[:, None]]
            labels = automaton.classify(torch.from_numpy(tokens))
            rows = letters[symbols].tobytes().decode()
            lines.writelines(
                f"{rows[LONGEST * row : LONGEST * row + length]}\t{label}\n"
                for row, (length, label) in enumerate(
                    zip(lengths.tolist(), labels.tolist(), strict=True)
                )
            )


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Draw words, and infer an automaton from them in a new process."""
    language = draw_needed_machine(random.Random(settings["seed"]), STATES, SYMBOLS)
    file, found = folder / "words.tsv", folder / "found.json"
    write_words(language, settings["words"], settings["seed"], file)
    command = [sys.executable, "-m", "lengthwise", "infer", str(file), "--out", str(found)]
    cache = folder / "cache"
    places = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    start = time.monotonic()
    with (folder / "log").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=places)
        _, status, used = os.wait4(process.pid, 0)
    seconds = round(time.monotonic() - start, 1)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: nothing better than a shortcut was found
        raise RunError(f"infer ended with status {process.returncode}; see {folder / 'log'}.")
    automaton = read_machine(str(found))
    assert automaton is not None
    file.unlink()
    shutil.rmtree(cache, ignore_errors=True)
    return [
        {
            **settings,
            "told": "labels of whole words",
            "protocol": "uniform",
            "words_per_length": None,
            "lengths": [1, LONGEST],
            "interval_95": None,
            "true_states": language.num_states,
            "states": automaton.num_states,
            "found": is_same(automaton, language),
            "seconds": seconds,
            "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
            "megabytes": round(used.ru_maxrss / 1_000),
            "environment": environment("cpu"),
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each number of words."""
    rows = [
        [
            f"{record['words']:,}",
            "yes" if record["found"] else "no",
            *(f"{record[name]:,.0f}" for name in ("processor_seconds", "seconds", "megabytes")),
        ]
        for record in sorted(records, key=lambda record: record["words"])
    ]
    return Table(["words", "found", "processor seconds", "seconds", "MB at most"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say how time grows over the last factor of ten, and what the most words take."""
    *_, before, last = sorted(records, key=lambda record: record["words"])
    exponent = log(last["processor_seconds"] / before["processor_seconds"]) / log(
        last["words"] / before["words"]
    )
    return [
        Statement(
            "ours",
            "time grows no faster than the words, to a power of 1.1",
            exponent <= 1.1,
            f"{exponent:.2f}",
        ),
        Statement(
            "ours",
            f"{last['words']:,} words take an hour and {MOST_MEGABYTES:,} MB at most",
            last["seconds"] <= MOST_SECONDS and last["megabytes"] <= MOST_MEGABYTES,
            f"{last['seconds']:.0f} seconds, {last['megabytes']:,} MB",
        ),
    ]


MANY_WORDS = PartsExperiment(
    item="many words",
    claim="Ten million words fit into the memory of a laptop.",
    presets=preset_catalogue(smoke=Sizes(words=(500, 1_000)), laptop=Sizes()),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
