"""Are the automata of MLRegTest in the classes that it says, and are they found from words?

    git clone https://github.com/heinz-jeffrey/subregular-learning
    python benchmarks/mlregtest.py subregular-learning/src/fstlib/att_format --out mlregtest.jsonl

The benchmark (van der Poel et al., 2024) has its automata in files such as `04.04.SL.2.1.0.att`:
the symbols, those of the tier, and the class are in the name. Each automaton is classified. Of each
class and alphabet one is drawn, which labels 1,000 words of 20 to 29 symbols, and then 10,000. The
inference sees these alone, as in `lengthwise reproduce own/long-words`, for 60 seconds. A JSON line
is written for each automaton and each search, and a run continues where it was stopped.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lengthwise.languages.att import from_att
from lengthwise.languages.subregular import CLASSES
from lengthwise_papers.own.long_words import measure_language


def classify(file: Path) -> dict[str, Any]:
    """Return whether an automaton is in the class of its name."""
    kind = CLASSES[_parts_of(file)[1]]
    start = time.process_time()
    ladder = from_att(file).minimise().ladder()
    agrees = all(ladder[question].holds for question in kind.yes)
    if "star_free" in kind.no:
        agrees = agrees and not ladder["star_free"].holds
    return {"agrees": agrees, "seconds": round(time.process_time() - start, 2)}


def _parts_of(file: Path) -> tuple[int, str]:
    """Return the number of symbols and the class in the name of a file."""
    symbols, _, kind = file.name.split(".")[:3]
    return int(symbols), kind


def infer(file: Path, words: int) -> dict[str, Any]:
    """Return whether the language of an automaton is found from words."""
    settings = {"learner": "pipeline", "words": words, "seed": 0, "budget": 60}
    with TemporaryDirectory() as folder:
        return {**settings, **measure_language(from_att(file).minimise(), settings, Path(folder))}


def main() -> None:
    """Classify and infer what the file of results does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    known = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    done = {(record["name"], record.get("words")) for record in map(json.loads, known)}
    files = sorted(arguments.folder.glob("*.*.*.*.*.*.att"))
    if not files:
        parser.error(f"{arguments.folder} has no file such as 04.04.SL.2.1.0.att. Give att_format.")
    for file, words in [*((file, None) for file in files), *_drawn(files)]:
        if (file.stem, words) in done:
            continue
        symbols, kind = _parts_of(file)
        found = classify(file) if words is None else infer(file, words)
        record = {"name": file.stem, "class": kind, "symbols": symbols, **found}
        with arguments.out.open("a") as lines:
            lines.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)


def _drawn(files: list[Path]) -> Iterator[tuple[Path, int]]:
    """Draw a file of each alphabet and class, for each number of words."""
    groups: dict[tuple[int, str], list[Path]] = {}
    for file in files:
        groups.setdefault(_parts_of(file), []).append(file)
    for words in (1_000, 10_000):
        for (symbols, kind), group in sorted(groups.items()):
            yield random.Random(f"{symbols:02} {kind}").choice(group), words


if __name__ == "__main__":
    main()
