"""Make `audited_classes.json`: which words do networks trained on the paper's words judge right?

    OMP_NUM_THREADS=1 .venv/bin/python results/audited_classes.py   (about five minutes on one core)

The RNN and RegularGPT of Table 1 of Chi et al. (2023), trained on `published` words of three
languages, with fewer steps where these will do. Then five kinds of words, at every length that has
members and non-members: both as either protocol draws them, and words one edit from a published
member, which neither has. Beside each kind stands how many neighbours are alike in its words, which
a network can see without following the word.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lengthwise.evaluation.evaluate import answers
from lengthwise.evaluation.scores import wilson
from lengthwise.experiments.chi2023.table1 import LAPTOP, MEASURED, trained_and_tested
from lengthwise.experiments.experiment import commit
from lengthwise.files import write_json
from lengthwise.languages.spec import parse
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.audited import one_edit_into
from lengthwise.tasks.task import Task
from lengthwise.training.train import make_plan, processor, train

HERE = Path(__file__).parent
PRESET = "laptop"
SEED = 0
LANGUAGES = ("d-2", "d-4", "tomita-3")
COLUMNS = ("rnn", "regular-gpt C=2")
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "rnn": {"d_model": 64, "steps": 1_000, "learning_rate": 1e-3},
    "regular-gpt C=2": {"steps": 5_000},
    "d-4, regular-gpt C=2": LAPTOP["d-4, regular-gpt C=2"],
}
"""Settings of training by column or by `row, column`; what is not named is the model's own."""

WORDS_PER_LENGTH = 64
OUTSIDE, INSIDE = 0, 1

Draw = Callable[[Task, Tensor, torch.Generator], Tensor]
"""Words of the wanted lengths, from the task of `published` words."""


def published_members(task: Task, lengths: Tensor, generator: torch.Generator) -> Tensor:
    """Members as the paper's code draws them: half of a batch."""
    batch = task.draw(lengths.repeat(2), generator)
    return batch.tokens[batch.classes == INSIDE]


def uniform(task: Task, lengths: Tensor, generator: torch.Generator, c: int) -> Tensor:
    """Uniform words of a class."""
    return task.sampler.draw(torch.full_like(lengths, c), lengths, generator)


def one_edit_from(task: Task, members: Tensor, generator: torch.Generator) -> Tensor:
    """Non-members: each member after one edit, as `audited` makes them."""
    outside = torch.full((len(members),), OUTSIDE)
    words, found = one_edit_into(task.sampler.automaton, members, outside, generator)
    return words[found]


KINDS: Mapping[str, tuple[int, str, Draw]] = {
    "members, published": (INSIDE, "published", published_members),
    "members, audited": (INSIDE, "audited", lambda *a: uniform(*a, INSIDE)),
    "non-members, uniform": (OUTSIDE, "both", lambda *a: uniform(*a, OUTSIDE)),
    "one edit from an audited member": (
        OUTSIDE,
        "audited",
        lambda task, n, g: one_edit_from(task, uniform(task, n, g, INSIDE), g),
    ),
    "one edit from a published member": (
        OUTSIDE,
        "neither",
        lambda task, n, g: one_edit_from(task, published_members(task, n, g), g),
    ),
}
"""The class of each kind of words, the protocol that draws them, and how."""


def rows(spec: str, column: str) -> Iterator[dict[str, Any]]:
    """One network, trained; a row for each kind of words, of trained lengths and of longer ones."""
    longest, (first, last) = trained_and_tested(spec)
    settings = {
        "max_length": longest,
        **MEASURED[column].settings,
        **SETTINGS[column],
        **SETTINGS.get(f"{spec}, {column}", {}),
        "seed": SEED,
    }
    plan = make_plan(
        parse(spec),
        MEASURED[column].model,
        preset=PRESET,
        protocol="published",
        settings=settings,
    )
    start = time.perf_counter()
    run = train(plan, device="cpu")
    seconds = time.perf_counter() - start
    for low, high in ((longest // 2 + 1, longest), (first, last)):
        for kind, (c, protocol, draw) in KINDS.items():
            own = [n for n in range(low, high + 1) if run.task.classes_at(n) == (OUTSIDE, INSIDE)]
            wanted = torch.tensor(own).repeat_interleave(WORDS_PER_LENGTH)
            tokens = draw(run.task, wanted, torch.Generator().manual_seed(SEED))
            lengths = (tokens >= 0).sum(dim=1)
            with processor_threads(plan.threads), torch.no_grad():
                found = answers(run.model, tokens, lengths).argmax(dim=1)
            right = int((found == c).sum())
            told = f"{spec:9} {column:16} {low:3}..{high:3} {kind:33} {right} of {len(found)}"
            print(told, flush=True)
            yield {
                "language": spec,
                "model": column,
                "kind": kind,
                "member": c == INSIDE,
                "protocol": protocol,
                "range": [low, high],
                "num_lengths": len(own),
                "words": len(found),
                "right": right,
                "interval_95": list(wilson(right, len(found))),
                **alike_neighbours(tokens),
                "words_per_length": WORDS_PER_LENGTH,
                "seed": SEED,
                "seconds_to_train": round(seconds, 1),
                "settings": plan.to_dict() | {"language": spec},
                "date": datetime.now(UTC).date().isoformat(),
                "commit": commit(),
            }


def alike_neighbours(tokens: Tensor) -> dict[str, Any]:
    """How many pairs of neighbours are twice one symbol: the mean share, and 98 of 100 words'."""
    pairs = tokens[:, :-1] >= 0
    alike = (pairs & (tokens[:, :-1] == tokens[:, 1:])).sum(dim=1) / pairs.sum(dim=1)
    ends = alike.quantile(torch.tensor([0.01, 0.99])).tolist()
    return {
        "alike_neighbours": round(float(alike.mean()), 4),
        "alike_from_to": [round(end, 4) for end in ends],
    }


def main() -> None:
    """Train, ask and write the file."""
    start = time.perf_counter()
    found = [row for column in COLUMNS for spec in LANGUAGES for row in rows(spec, column)]
    write_json(
        HERE / "audited_classes.json",
        {
            "what": "networks trained on published words, asked about five kinds of words",
            "preset": PRESET,
            "commit": ", ".join(sorted({row["commit"] for row in found})),
            "processor": f"{processor()}, 1 thread",
            "rows": found,
        },
    )
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
