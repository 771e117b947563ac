"""How many of some random expressions does each engine of constrained decoding generate exactly?

    pip install 'lengthwise[conform]'
    python benchmarks/engines.py --expressions 300

Each expression is judged with the single characters that it tells apart. The answers are checked
by brute force, with `re` and the engine's masks, on all sequences of up to four tokens: a wrong one
that the judge missed, one that is right, or a shorter wrong one, is a false answer.
"""

import argparse
import json
import re
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import numpy as np

from lengthwise.decoding.conformance import judge
from lengthwise.decoding.dialect import characters_of
from lengthwise.decoding.engines import ENGINES, Engine, make_engine
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import ConfigError, LanguageError

LONGEST = 4


def random_expression(draw: Random, depth: int = 3) -> str:
    """Draw an expression over a, b and c with negated classes and all repetitions."""
    kind = draw.random()
    if depth == 0 or kind < 0.2:
        if draw.random() < 0.3:
            some = "".join(sorted(draw.sample("abc", draw.randint(1, 2))))
            return f"[{'^' * draw.randint(0, 1)}{some}]"
        return draw.choice("abc")
    if kind < 0.5:
        return random_expression(draw, depth - 1) + random_expression(draw, depth - 1)
    if kind < 0.7:
        return f"({random_expression(draw, depth - 1)}|{random_expression(draw, depth - 1)})"
    repetition = draw.choice(["*", "+", "?", "{2}", "{1,3}", "{2,}", "{4,}"])
    return f"({random_expression(draw, depth - 1)}){repetition}"


def is_right(engine: Engine, expression: str, tokens: tuple[int, ...], words: Vocabulary) -> bool:
    """Return whether the masks allow a sequence exactly if `re` matches its text."""
    text = b"".join(words.tokens[token] or b"" for token in tokens).decode()
    state: Any = engine.start()
    allowed = True
    for token in tokens:
        allowed = bool(engine.mask(state)[token])
        if not allowed:
            break
        state = engine.advance(state, token)
    allowed = allowed and bool(engine.mask(state)[list(words.ends)].any())
    return allowed == (re.fullmatch(expression, text) is not None)


def is_false(engine: Engine, expression: str, found: Any, words: Vocabulary) -> bool:
    """Return whether brute force contradicts what was found."""
    wrong = found.verdict != "conforms"
    if wrong and is_right(engine, expression, found.tokens, words):
        return True
    most = len(found.tokens) - 1 if wrong else LONGEST
    texts = np.flatnonzero(words.text).tolist()
    return any(
        not is_right(engine, expression, tokens, words)
        for length in range(min(most, LONGEST) + 1)
        for tokens in product(texts, repeat=length)
    )


def measure(name: str, expressions: int) -> dict[str, Any]:
    """Judge an engine on expressions, and count the verdicts."""
    counts, title = Counter[str](), name
    examples: dict[str, str] = {}
    for number in range(expressions):
        expression = random_expression(Random(f"expression {number}"))
        try:
            words = characters_of(expression)
            found = judge(name, expression, words)
        except (ConfigError, LanguageError) as error:
            counts["refused"] += 1
            examples.setdefault("refused", f"{expression}: {error}")
            continue
        title = found.engine
        counts[found.verdict] += 1
        if found.verdict != "conforms":
            spelled = b"".join(words.tokens[token] or b"" for token in found.tokens).decode()
            best = examples.get(found.verdict)
            if best is None or len(expression) < len(best.partition(" ")[0]):
                examples[found.verdict] = f"{expression} {spelled!r}"
        counts["false"] += is_false(
            make_engine(name, expression, words)[0], expression, found, words
        )
    verdicts = ("conforms", "lost", "gained", "refused", "false")
    return {"engine": title, **{v: counts[v] for v in verdicts}, "examples": examples}


def main() -> None:
    """Measure the engines that are named, and print an object for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engines", nargs="*", default=list(ENGINES))
    parser.add_argument("--expressions", type=int, default=300)
    arguments = parser.parse_args()
    for name in arguments.engines:
        print(json.dumps(measure(name, arguments.expressions)), flush=True)


if __name__ == "__main__":
    main()
