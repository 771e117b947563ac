"""The main job: three languages, learned from words of at most 40 symbols, tested at 41..500."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lengthwise.experiments.measure import measure
from lengthwise.languages.spec import parse
from lengthwise.training.loop import Progress
from lengthwise.training.train import make_plan, train

LANGUAGES = ("parity", "even-pairs", "cycle-navigation")
TEST_LENGTHS = range(41, 501)
SETTINGS: Mapping[str, Any] = {}


def demo(
    out: Path,
    *,
    model: str = "regular-gpt-binary",
    preset: str = "laptop",
    settings: Mapping[str, Any] = SETTINGS,
    watch: Callable[[str, int], AbstractContextManager[Progress]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Train and test a model on each language; yield the language and the summary of its test.

    The runs are folders of `out`; what is finished there is not done again.
    """
    for spec in LANGUAGES:
        plan = make_plan(parse(spec), model, preset=preset, settings=settings)
        with watch(f"{spec}, {model}", plan.loop.steps) as progress:
            run = train(plan, out=out / spec, device="cpu", progress=progress)
        assert run.folder is not None
        summary = run.folder.evaluation()
        if summary is None:
            _, summary = measure(run, TEST_LENGTHS)
        yield spec, {**summary, "run": str(run.folder.path), "steps": run.metrics[-1]["step"]}
