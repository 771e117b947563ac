"""How do proved adders add? Networks against Python's integers, one JSON line for each.

    python benchmarks/adders.py --out adders.jsonl              # 12 trained and 4 computed
    python benchmarks/adders.py --out adders.jsonl --sums 100   # a quick look

Each adder is trained on numbers of at most 20 digits with default settings, or computed. Then it
adds 10,000 random pairs of numbers of 1,000 digits, and 99...9 + 1 and 44...45 + 55...5 of 100,000
digits. A run continues where it was stopped.
"""

import argparse
import json
import random
import sys
import time
from itertools import product
from pathlib import Path

import lengthwise as lw
from lengthwise.evaluation.outputs import outputs_of
from lengthwise.languages.functions.arithmetic import DIGITS
from lengthwise.languages.functions.reading import reading_of

SEEDS = (None, 0, 1, 2)
"""Seeds of training; None for computed weights."""

BATCH = 250
DIGITS_OF_SUMS, DIGITS_OF_CHAINS = 1_000, 100_000


def write(number: int, length: int, base: int) -> str:
    """Return the last digits of a number, the high one first."""
    return (
        f"{number:b}"[-length:].zfill(length) if base == 2 else str(number)[-length:].zfill(length)
    )


def draw(base: int, length: int, generator: random.Random) -> int:
    """Return a number of at most so many digits."""
    return generator.randrange(base**length)


def count_wrong(
    model: lw.Run | lw.Construction, spec: str, pairs: list[tuple[int, int]], n: int
) -> int:
    """Return how many sums of numbers of n digits are not those of Python."""
    function = lw.function(spec)
    base, is_low = len(function.outputs), "high" not in spec
    turn = slice(None, None, -1 if is_low else 1)
    inputs = []
    for a, b in pairs:
        first, second = (write(number, n, base)[turn] for number in (a, b))
        inputs.append(
            [DIGITS.index(x) * base + DIGITS.index(y) for x, y in zip(first, second, strict=True)]
        )
    written = outputs_of(model.model, reading_of(function), inputs)
    return sum(
        function.decode(output.tolist())[turn] != write(a + b, n, base)
        for output, (a, b) in zip(written, pairs, strict=True)
    )


def measure(spec: str, seed: int | None, sums: int) -> dict[str, object]:
    """Make an adder, and let it add."""
    start = time.process_time()
    if seed is None:
        model: lw.Run | lw.Construction = lw.compile(spec)
    else:
        model = lw.train(spec, max_length=20, seed=seed, progress=False)
    seconds = time.process_time() - start
    proof = lw.certify(model)
    base = len(lw.function(spec).outputs)
    generator, wrong = random.Random(0), 0
    for done in range(0, sums, BATCH):
        some = range(min(BATCH, sums - done))
        pairs = [
            (draw(base, DIGITS_OF_SUMS, generator), draw(base, DIGITS_OF_SUMS, generator))
            for _ in some
        ]
        wrong += count_wrong(model, spec, pairs, DIGITS_OF_SUMS)
    top = base**DIGITS_OF_CHAINS
    chains = [(top - 1, 1), (top // 2 + 1, top // 2 - 1), (top - 1, top - 1)]
    return {
        "adder": spec,
        "seed": seed,
        "model": model.plan.model if isinstance(model, lw.Run) else model.architecture,
        "parameters": sum(weight.numel() for weight in model.model.parameters()),
        "cpu_seconds": round(seconds, 1),
        "verdict": proof.verdict,
        "strength": proof.strength,
        "sums": sums,
        "wrong_sums": wrong,
        "wrong_chains": count_wrong(model, spec, chains, DIGITS_OF_CHAINS),
    }


def main() -> None:
    """Measure the adders that the file does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sums", type=int, default=10_000)
    arguments = parser.parse_args()
    sys.set_int_max_str_digits(0)
    known = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    done = {(record["adder"], record["seed"]) for record in map(json.loads, known)}
    for seed, base, first in product(SEEDS, (2, 10), ("", ",first=high")):
        spec = f"add[base={base}{first}]"
        if (spec, seed) in done:
            continue
        record = measure(spec, seed, arguments.sums)
        with arguments.out.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
