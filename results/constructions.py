"""Make `constructions.json`: is every automaton that is compiled right, on how many words?

    OMP_NUM_THREADS=1 .venv/bin/python results/constructions.py     (hours on one core; resumes)

The catalogue of languages, balanced words, groups up to 24 elements, 200 random automata and 200
random regular expressions (seeded), each compiled with chunk 2, and with chunk 3 where the network
is small enough. Every network, in float32, is asked about 1,000 audited words of every length from
1 to 64, and about long words, each a random walk among the states from which its class can still be
reached. Chunks with equal vectors are computed once, which changes nothing, as all vectors are
found to be zeros and ones; some words are asked in the ordinary way, and give the same answers.
"""

import argparse
import json
import random
import subprocess
import time
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.constructions.automata import Design, build, design_automaton
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_json
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import CATALOGUE
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import depth
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.tasks.audited import draw_audited
from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.tasks.sampling import UniformSampler
from lengthwise.training.train import processor

HERE = Path(__file__).parent
RUNS = HERE.parent / "runs" / "constructions"
SEED = 0
LENGTHS = range(1, 65)
WORDS_PER_LENGTH = 1_000
LONG = 100_000
LONG_WORDS = 4
RANDOM = 200
MOST_STATES = 12
GROUPS = (
    *(f"Z{n}" for n in range(2, 13)),
    *("Z24", "Z2xZ2", "Z2xZ4", "Z2xZ2xZ2", "Z3xZ3", "Z4xZ4", "Z2xZ12"),
    *("S2", "A3", "S3", "S3xZ2", "S3xZ3", "S3xZ4", "A4", "A4xZ2", "S4"),
)
DYCK = ("d-2", "d-3", "d-4", "d-12")

MOST_PARAMETERS = {2: 20_000_000, 3: 2_000_000}
"""Larger networks of random languages with this chunk are left out, for time; all others are in."""

_MOST_HIDDEN = 1 << 24


def languages() -> Iterator[tuple[str, str, Language]]:
    """All that is compiled: family, name, language."""
    for name in CATALOGUE:
        yield "catalogue", name, parse(name)
    for name in DYCK:
        yield "balanced words", name, parse(name)
    for name in GROUPS:
        yield "groups", name, parse(f"group:{name}")
    for index in range(RANDOM):
        yield "random automata", f"automaton-{index}", random_automaton(SEED + index)
    for index in range(RANDOM):
        yield "random expressions", f"expression-{index}", random_expression(SEED + index)


def random_automaton(seed: int) -> Language:
    """An automaton with 2-12 states, all needed, over 2-4 symbols."""
    draw = random.Random(f"automaton {seed}")
    states, symbols = draw.randint(2, MOST_STATES), draw.randint(2, 4)
    while True:
        machine = Language(
            alphabet=tuple("abcd"[:symbols]),
            transitions=tuple(
                tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)
            ),
            classes=tuple(draw.randrange(2) for _ in range(states)),
        )
        if machine.minimised().num_states == states:
            return machine


def random_expression(seed: int) -> Language:
    """The language of a random regular expression over 2-4 symbols, with two states or more."""
    draw = random.Random(f"expression {seed}")
    symbols = "abcd"[: draw.randint(2, 4)]

    def expression(leaves: int) -> str:
        if leaves == 1:
            return draw.choice([*symbols, *symbols, "."])
        left = draw.randint(1, leaves - 1)
        first, second = expression(left), expression(leaves - left)
        joined = first + second if draw.random() < 0.6 else f"({first}|{second})"
        return f"({joined}){draw.choice('*+?')}" if draw.random() < 0.4 else joined

    while True:
        language = from_regex(expression(draw.randint(2, 10)), tuple(symbols))
        if 2 <= language.minimised().num_states <= MOST_STATES:
            return language


class Answers:
    """A network's answers; chunks with equal vectors are computed once.

    All vectors must be zeros and ones, exactly.
    """

    def __init__(self, model: RegularGPT) -> None:
        self._model, self._config = model, model.config
        self._hidden = self._config.ff_factor * self._config.d_model
        self._number: dict[bytes, int] = {}
        self._bits: list[bytes] = []
        self._products: dict[int, int] = {}
        self._symbols = self._intern(model.leaf(torch.arange(self._config.vocab_size)))

    @property
    def computed(self) -> int:
        """Chunks that were computed."""
        return len(self._products)

    def __call__(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """The class of each word; words stand at the right of their rows."""
        chunk = self._config.chunk
        nodes = np.append(self._symbols, PAD)[tokens.numpy()]
        levels = np.array([depth(n, chunk) for n in range(int(lengths.max()) + 1)])[lengths]
        roots = np.full(len(nodes), PAD)
        for level in range(1, int(levels.max()) + 1):
            nodes = np.pad(nodes, ((0, 0), (-nodes.shape[1] % chunk, 0)), constant_values=PAD)
            nodes = self._compose(nodes.reshape(len(nodes), -1, chunk))
            roots[levels == level] = nodes[levels == level, -1]
        assert (roots >= 0).all()
        vectors, which = np.unique(roots, return_inverse=True)
        return self._model.read(self._vectors(vectors)).argmax(dim=1)[torch.from_numpy(which)]

    def _compose(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        base = 1 << 20  # more than there are vectors
        keys = np.zeros(children.shape[:-1], dtype=np.int64)
        for column in np.moveaxis(children, -1, 0):
            keys = keys * base + (column + 1)
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        rows = children.reshape(-1, children.shape[-1])[first]
        new = [i for i, key in enumerate(distinct.tolist()) if key and key not in self._products]
        for start in range(0, len(new), size := max(1, _MOST_HIDDEN // self._hidden)):
            some = new[start : start + size]
            used, local = np.unique(rows[some], return_inverse=True)
            absent = int(used[0] == PAD)
            vectors = self._model.compose(
                self._vectors(used[absent:]),
                torch.from_numpy(local.reshape(-1, children.shape[-1]) - absent),
            )
            self._products.update(zip(distinct[some].tolist(), self._intern(vectors), strict=True))
        numbers = [self._products[key] if key else PAD for key in distinct.tolist()]
        assert len(self._bits) < base - 1
        return np.array(numbers)[inverse].reshape(keys.shape)

    def _intern(self, vectors: Tensor) -> list[int]:
        assert ((vectors == 0) | (vectors == 1)).all(), "a vector is not of zeros and ones"
        numbers = []
        for row in np.packbits(vectors.numpy().astype(bool), axis=1):
            key = row.tobytes()
            if key not in self._number:
                self._number[key] = len(self._bits)
                self._bits.append(key)
            numbers.append(self._number[key])
        return numbers

    def _vectors(self, numbers: NDArray[np.int64]) -> Tensor:
        packed = np.frombuffer(b"".join(self._bits[i] for i in numbers), dtype=np.uint8)
        bits = np.unpackbits(packed.reshape(len(numbers), -1), axis=1, count=self._config.d_model)
        return torch.from_numpy(bits.astype(np.float32))


def long_words(language: Language, seed: int) -> list[tuple[int, ...]]:
    """Words of `LONG` symbols, or the next length that has words: of one class after the other."""
    machine = language.total().minimised()
    draw = random.Random(f"long {seed}").random
    for length in range(LONG, LONG + 1_000):
        ways = {c: _ways(machine, c, length) for c in range(language.num_classes)}
        classes = [c for c, rows in ways.items() if rows[length][machine.start]]
        if classes:
            break
    words = []
    for index in range(LONG_WORDS if classes else 0):
        rows = ways[classes[(index + seed) % len(classes)]]
        moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
        state, word = machine.start, []
        for left in range(length - 1, -1, -1):
            key = (id(rows[left]), state)
            if key not in moves:
                after = enumerate(machine.transitions[state])
                moves[key] = [(symbol, s) for symbol, s in after if rows[left][s]]
            symbol, state = moves[key][int(draw() * len(moves[key]))]
            word.append(symbol)
        words.append(tuple(word))
    return words


def _ways(machine: Language, c: int, length: int) -> list[tuple[bool, ...]]:
    """Of each number of symbols to come: from which states they can end in the class."""
    known: dict[tuple[bool, ...], tuple[bool, ...]] = {}
    rows = [tuple(found == c for found in machine.classes)]
    for _ in range(length):
        last = rows[-1]
        if last not in known:
            known[last] = tuple(any(last[s] for s in row) for row in machine.transitions)
        rows.append(known[last])
    return rows


@torch.no_grad()
def measured(name: str, language: Language, design: Design, seed: int) -> dict[str, Any]:
    """One network: how many words it was asked, and how many answers were wrong."""
    start = time.perf_counter()
    model = build(design).float()
    answers = Answers(model)
    sampler = UniformSampler(language)
    generator = torch.Generator().manual_seed(seed)
    present = [n for n in LENGTHS if sampler.classes_at(n)]
    lengths = torch.tensor(present, dtype=torch.int64).repeat_interleave(WORDS_PER_LENGTH)
    words = wrong = 0
    if present:
        tokens, right = draw_audited(sampler, lengths, generator)
        found = answers(tokens, lengths)
        words, wrong = len(tokens), int((found != right).sum())
        some = torch.randperm(len(tokens), generator=generator)[:20]
        for row, n in zip(some.tolist(), lengths[some].tolist(), strict=True):
            plain = model(tokens[[row], tokens.shape[1] - n :])
            assert int(plain.argmax()) == int(found[row]), "the ordinary way gives another answer"
    long = long_words(language, seed)
    if long:
        tokens = torch.tensor(long)
        found = answers(tokens, torch.full((len(long),), tokens.shape[1]))
        wrong += int((found != Automaton(language).classify(tokens)).sum())
    return {
        "language": name,
        "chunk": design.config.chunk,
        "states": design.machine.num_states,
        "symbols": design.machine.num_symbols,
        "target": design.target,
        "parameters": design.num_parameters,
        "width": design.config.d_model,
        "lengths": len(present),
        "words": words,
        "long_words": len(long),
        "wrong": wrong,
        "chunks_computed": answers.computed,
        "seconds": round(time.perf_counter() - start, 2),
        "date": date.today().isoformat(),
        "commit": commit(),
    }


def networks(most_seconds: float) -> dict[str, list[dict[str, Any]]]:
    """All of them by family, from small to large; those that are too large have no `words`."""
    begun = time.perf_counter()
    found: dict[str, list[dict[str, Any]]] = {}
    jobs = []
    for number, (family, name, language) in enumerate(languages()):
        for chunk in (2, 3):
            row = {"language": name, "chunk": chunk}
            try:
                design = design_automaton(language, chunk=chunk)
            except (ConstructionError, LanguageError) as error:
                found.setdefault(family, []).append({**row, "left_out": str(error)})
                continue
            size = design.num_parameters
            if family.startswith("random") and size > MOST_PARAMETERS[chunk]:
                found.setdefault(family, []).append({**row, "left_out": design.summary})
                continue
            late = chunk == 3 and (family.startswith("random") or size > MOST_PARAMETERS[2])
            jobs.append((late, size, number, family, name, chunk, language))
    jobs.sort(key=lambda job: job[:3])
    for done, (_, _, number, family, name, chunk, language) in enumerate(jobs):
        file = RUNS / f"{family}-{name}-{chunk}.json".replace(" ", "-")
        if file.exists():
            row = json.loads(file.read_text())
        elif time.perf_counter() - begun > most_seconds:
            row = {"language": name, "chunk": chunk, "left_out": "there was no time"}
        else:
            row = measured(name, language, design_automaton(language, chunk=chunk), SEED + number)
            RUNS.mkdir(parents=True, exist_ok=True)
            write_json(file, row)
            print(done, len(jobs), json.dumps(row), flush=True)
        found.setdefault(family, []).append(row)
    return found


def summary(family: str, chunk: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the networks of a family with one chunk answered."""
    asked = [row for row in rows if "words" in row]
    words, long_words, wrong = (
        sum(row[key] for row in asked) for key in ("words", "long_words", "wrong")
    )
    total = words + long_words
    return {
        "family": family,
        "chunk": chunk,
        "languages": len(asked),
        "left_out": len(rows) - len(asked),
        "words": words,
        "long_words": long_words,
        "wrong": wrong,
        "interval_95": list(wilson(total - wrong, total)),
        "words_per_length": WORDS_PER_LENGTH,
        "lengths": [LENGTHS[0], LENGTHS[-1]],
        "length_of_long_words": LONG,
        "protocol": "audited",
        "precision": "float32",
        "most_states": max(row["states"] for row in asked),
        "largest_parameters": max(row["parameters"] for row in asked),
        "largest_width": max(row["width"] for row in asked),
        "targets": {
            target: sum(row["target"] == target for row in asked)
            for target in ("matrices", "elements")
        },
        "chunks_computed": sum(row["chunks_computed"] for row in asked),
        "seconds": round(sum(row["seconds"] for row in asked), 1),
        "seed": SEED,
        "date": max(row["date"] for row in asked),
        "commit": ", ".join(sorted({row["commit"] for row in asked})),
    }


@lru_cache
def commit() -> str:
    """The version of the code that measured a row."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE)
    return done.stdout.strip()


def main() -> None:
    """Ask what is missing and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="after them, begin no network")
    torch.set_num_threads(1)
    found = networks(60 * parser.parse_args().minutes)
    rows = [
        summary(family, chunk, [row for row in of_family if row["chunk"] == chunk])
        for family, of_family in found.items()
        for chunk in (2, 3)
        if any(row["chunk"] == chunk and "words" in row for row in of_family)
    ]
    write_json(
        HERE / "constructions.json",
        {
            "what": "RegularGPT weights computed for automata, compared with the automata",
            "preset": "none",
            "commit": ", ".join(sorted({row["commit"] for row in rows})),
            "processor": f"{processor()}, 1 thread",
            "left_out_above": {str(k): v for k, v in MOST_PARAMETERS.items()},
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
