"""The main job: three languages, learned from at most 40 symbols, tested at 41..500, and proved."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lengthwise.languages.spec import parse
from lengthwise.measurement.measure import measure
from lengthwise.training.loop import Progress
from lengthwise.training.runs import RunFolder
from lengthwise.training.train import make_plan, train
from lengthwise.verification.certify import certify

LANGUAGES = ("parity", "even-pairs", "cycle-navigation")
TEST_LENGTHS = range(41, 501)


def demo(
    out: Path,
    *,
    model: str = "regular-gpt-binary",
    preset: str = "laptop",
    watch: Callable[[str, int], AbstractContextManager[Progress]],
    count: Callable[[str], AbstractContextManager[Callable[[int, int], None]]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Train, test and certify a model on each language; yield the language and what was found.

    The runs are folders of `out`; what was trained there is tested again, not trained again.
    `watch` shows the progress of training, `count` that of testing.
    """
    for spec in LANGUAGES:
        plan = make_plan(parse(spec), model, preset=preset)
        with watch(f"{spec}, {model}", plan.loop.steps) as progress:
            run = train(plan, out=out / spec, device="cpu", progress=progress)
        with count(f"testing {spec}") as progressed:
            _, summary = measure(run, TEST_LENGTHS, progress=progressed)
        found = {**summary, "run": str(out / spec), "steps": run.metrics[-1]["step"]}
        certificate = certify(run.model, run.language)
        certificate.save(RunFolder(out / spec).certificate)
        yield spec, {**found, "certificate": certificate.summary()}
