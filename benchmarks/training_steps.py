"""Where does a training step spend its time, and how far is it from a plain matrix product?

    python benchmarks/bench.py training                             prints it
    python benchmarks/training_steps.py --save after [--only ALiBi]  keeps it, for docs/speed.md
    python benchmarks/training_steps.py --half --save half           single and half precision
    python benchmarks/training_steps.py --there --save there         on an accelerator

A case takes the same steps again and again: timed, under torch's profiler, and under a counter of
operations. Times are medians, and parts are the least of three, since other processes can only add
to them. What sharing saves is not counted: only operations that are computed are.

    products   matrix products, wherever they are
    attention  everything else in attention, forward and backward
    optimiser  zeroing gradients, their norm and its clipping, and AdamW
    outside    all others, which `parts` divides

The profiler's own time is taken off, the same for each event.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode

from lengthwise.layers import dropout
from lengthwise.layers.attention import Attention
from lengthwise.layers.sliding_dilated import InsideChunks
from lengthwise.models import regular_gpt
from lengthwise.models.cost import matmul_rate
from lengthwise.models.threads import processor_threads
from lengthwise.precision import why_unavailable
from lengthwise.problems.planning import make_plan
from lengthwise.tasks.task import Task
from lengthwise.text.data.parallel_corpus import Ragged, SentencePairs
from lengthwise.text.layers.self_attention import CausalAttention, DilatedAttention, SelfAttention
from lengthwise.text.models.translation_models import DEFAULT_TRANSLATION_MODEL, TRANSLATION_MODELS
from lengthwise.text.problems.language_modelling import objective as texts
from lengthwise.text.problems.translation import objective as pairs
from lengthwise.training import loop
from lengthwise.training.adamw import AdamW
from lengthwise.training.autocast import Autocast, autocast
from lengthwise.training.clock import Clock
from lengthwise.training.devices import accelerator_name, choose_device
from lengthwise.training.distributed import ALONE
from lengthwise.training.settings import TrainingConfig

FIGURES = Path(__file__).with_suffix(".json")
WARM, TIMED, TIMED_THERE, REPEAT = 8, 9, 5, 3
THREADS = (1, 2)


@dataclass(frozen=True, slots=True)
class Case:
    """A model, what it learns, and the settings that are not the default."""

    name: str
    spec: str
    model: str
    settings: dict[str, Any] = field(default_factory=dict)
    steps: int = 16


WIDE = {"d_model": 256}
LARGE_SUM = {"bits": 48, "d_model": 384, "position": "one-hot", "norm": "post-embedded"}
BODY = {"body": "text-large", "weights": "random", "bits": 8, "order": "carries"}
CASES = (
    Case("RegularGPT, parity, width 64", "parity", "regular-gpt"),
    Case("RegularGPT, parity, width 256", "parity", "regular-gpt", WIDE),
    Case("RegularGPT, modular arithmetic, width 256", "modular-arithmetic", "regular-gpt", WIDE),
    Case("Transformer of Table 1, parity", "parity", "chomsky-transformer", steps=8),
    Case("RegularGPT of text", "text:zoo:python-english", "regular-gpt-lm", steps=4),
    Case("ALiBi of text", "text:zoo:python-english", "gpt-lm", {"position": "alibi"}, steps=6),
    Case("translator", "translation:", DEFAULT_TRANSLATION_MODEL, steps=6),
    Case("decoder of steps, 48 bits", "steps:addition", "step-decoder", LARGE_SUM, steps=2),
    Case("frozen GPT-2 of 25 million weights, 8 bits", "steps:addition", "gpt2", BODY, steps=2),
)


PROCESSOR = torch.device("cpu")


class Steps:
    """Steps of training, on the same words each time."""

    def __init__(
        self, case: Case, half: Autocast = "none", device: torch.device = PROCESSOR
    ) -> None:
        self.case, self._half, self.device = case, half, device
        self._model, self._goal, self._config = _prepare(case)
        self._model.to(device)
        self._state, self._count = loop.begin(self._model, self._goal, self._config, None), WARM
        self._data = self._state.generators["data"].get_state()
        self()
        self._count, self._data = case.steps, self._state.generators["data"].get_state()

    def __call__(self) -> None:
        """Take the steps, as `fit` does."""
        self._state.generators["data"].set_state(self._data)
        clock = Clock()
        lower = _lower(self._goal.step, self.device, self._half)
        with mock.patch.object(self._goal, "step", lower):
            for _ in range(self._count):
                loop._train_step(self._state, self._goal, self._config, clock, ALONE)


def _lower(
    step: Callable[..., loop.Step], device: torch.device, half: Autocast
) -> Callable[..., loop.Step]:
    """Return the step under autocast, as objectives that have that setting take theirs."""

    def lower(*arguments: Any) -> loop.Step:
        with autocast(device, half):
            return step(*arguments)

    return lower


def _prepare(case: Case) -> tuple[nn.Module, loop.Objective, TrainingConfig]:
    if case.spec != "translation:":
        plan = make_plan(case.spec, case.model, settings=case.settings)
        return plan.draw(), plan.problem.objective(plan), plan.training
    entry, drawn = TRANSLATION_MODELS[case.model], _draw_pairs(20_000)
    network = entry.configure({"vocab_size": _VOCABULARY, **case.settings})
    goal = pairs.NextTargetToken(drawn, drawn, pairs.SentencesConfig(), label_smoothing=0.1)
    training = TrainingConfig(learning_rate=2e-3, warmup=400)
    return entry.draw(network, torch.Generator().manual_seed(0)), goal, training


_VOCABULARY = 4_096


def _draw_pairs(count: int) -> SentencePairs:
    """Return pairs of random tokens whose lengths are spread as those of sentences are."""
    random = np.random.default_rng(0)
    source = np.clip(random.lognormal(3.2, 0.5, count), 3, 150).astype(np.int64)
    target = np.clip(source * random.uniform(0.8, 1.3, count), 3, 150).astype(np.int64)
    sides = [
        Ragged(random.integers(3, _VOCABULARY, int(own.sum())), np.cumsum([0, *own]))
        for own in (source, target)
    ]
    return SentencePairs(source=sides[0], target=sides[1])


def measure(case: Case, threads: int) -> dict[str, Any]:
    """Return the time of a step, its operations, and the share of each part of it."""
    with processor_threads(threads):
        steps = Steps(case)
        times, rates = zip(*[time_step(steps) for _ in range(TIMED)], strict=True)
        return divide_time(steps, statistics.median(times), statistics.median(rates))


def time_step(steps: Steps) -> tuple[float, float]:
    """Return the seconds of a step, and the operations a second of a large matrix product."""
    rate = matmul_rate(steps.device, torch.float32)
    return _seconds(steps), rate


def _seconds(steps: Steps) -> float:
    start = time.perf_counter()
    steps()
    return (time.perf_counter() - start) / steps.case.steps


def _by_turns(every: Sequence[Steps], rounds: int) -> list[tuple[float, ...]]:
    """Return the seconds of a step of each, round by round."""
    return [tuple(map(_seconds, every)) for _ in range(rounds)]


def measure_half_precision(case: Case, threads: int) -> dict[str, Any]:
    """Return the time of a step in single precision, and of one with products in bfloat16."""
    with processor_threads(threads):
        times = _by_turns([Steps(case), Steps(case, "bfloat16")], TIMED)
    return _summarise_times(case.name, threads, times)


def product(threads: int) -> dict[str, Any]:
    """Return the times of a large matrix product in both precisions, as `measure_half_precision`
    does.
    """
    with processor_threads(threads):
        times = [
            tuple(
                2 * 1_024**3 / matmul_rate(PROCESSOR, kind)
                for kind in (torch.float32, torch.bfloat16)
            )
            for _ in range(TIMED)
        ]
    return _summarise_times(PRODUCT, threads, times)


def _summarise_times(case: str, threads: int, times: Sequence[tuple[float, ...]]) -> dict[str, Any]:
    """Return the medians of times in single precision and in bfloat16, and of their quotients."""
    single, half = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
    return {
        "case": case,
        "threads": threads,
        "milliseconds": single,
        "milliseconds_half": half,
        "times_as_fast": statistics.median(one / other for one, other in times),
    }


HALF = "half"
"""Name of the figures that compare two precisions."""

THERE = "there"
"""Name of the figures of an accelerator."""

PRODUCT = "matrix product, 1,024 x 1,024 times 1,024 x 1,024"


def divide_time(steps: Steps, seconds: float, rate: float) -> dict[str, Any]:
    """Return what `measure` does, of steps that were timed."""
    counter = FlopCounterMode(display=False)
    with counter, sdpa_kernel(SDPBackend.MATH):  # fused attention on a processor is not counted
        steps()
    operations = counter.get_total_flops() / steps.case.steps
    found = [_parts(steps) for _ in range(REPEAT)]
    least = {part: min(spent[part] for spent, _ in found) for part in found[0][0]}
    events = found[0][1]
    # What the profiler takes for each event, which makes parts of many small operations longer.
    each = max(0.0, (sum(least.values()) - 1e6 * seconds * steps.case.steps) / events.total())
    true = {part: max(0.0, spent - each * events[part]) for part, spent in least.items()}
    share = {part: spent / sum(true.values()) for part, spent in true.items()}
    main = {name: share.pop(name, 0.0) for name in ("products", "attention", "optimiser")}
    return {
        "case": steps.case.name,
        "threads": torch.get_num_threads(),
        "milliseconds": 1e3 * seconds,
        "megaflops": operations / 1e6,
        "of_product_rate": operations / seconds / rate,
        **main,
        "outside": sum(share.values()),
        "parts": dict(sorted(share.items(), key=lambda each: -each[1])),
    }


# ---- parts ---------------------------------------------------------------------------------------

PRODUCTS = frozenset({"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"})
FUSED = "scaled_dot_product"
"""Torch's fused attention: its products cannot be told from the rest of it."""

SCOPES: tuple[tuple[Any, str, str], ...] = (
    (nn.utils, "clip_grad_norm_", "optimiser"),
    (AdamW, "step", "optimiser"),
    (AdamW, "zero_grad", "optimiser"),
    (InsideChunks, "forward", "attention"),
    (InsideChunks, "of_rows", "attention"),
    (Attention, "forward", "attention"),
    (SelfAttention, "heads", "attention"),
    (SelfAttention, "finish", "attention"),
    (CausalAttention, "gather", "attention"),
    (DilatedAttention, "gather", "attention"),
    (nn.LayerNorm, "forward", "norms"),
    (dropout, "mask", "dropout"),
    (texts, "token_loss", "loss"),
    (pairs, "token_loss", "loss"),
    (Task, "draw", "drawing words"),
    (regular_gpt, "grow", "trees"),
    (regular_gpt.RegularGPT, "compose", "nodes"),
    (torch.Tensor, "backward", "backward"),
)
"""Owner and name of a function, and the part that it belongs to."""

NAMED = {"relu": "activation", "gelu": "activation", "AccumulateGrad": "adding gradients"}
"""Parts by what is in the name of an operation."""


def _parts(job: Callable[[], None]) -> tuple[Counter[str], Counter[str]]:
    """Return the microseconds that each part of a job takes, and its number of events."""
    with ExitStack() as scopes:
        for owner, method, part in SCOPES:
            scopes.enter_context(_name_part(owner, method, part))
        with profile(activities=[ProfilerActivity.CPU]) as profiler, record_function(_ALL):
            job()
    events = sorted(profiler.events(), key=lambda event: event.time_range.start)
    made_in: dict[int, str] = {}
    """The part in which each node of the graph was made: the last event with its number made it."""
    for event, part in _attribute_events(events, {}):
        if event.sequence_nr >= 0 and part != "backward":
            made_in[event.sequence_nr] = part
    spent: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for event, part in _attribute_events(events, made_in):
        spent[part] += event.self_cpu_time_total
        count[part] += 1
    return spent, count


_PREFIX = "part:"
_ALL = f"{_PREFIX}others"


@contextmanager
def _name_part(owner: Any, method: str, part: str) -> Iterator[None]:
    """Let the profiler see what happens in a function, by the name of a part."""
    original = getattr(owner, method)

    @wraps(original)
    def watch(*arguments: Any, **named: Any) -> Any:
        with record_function(f"{_PREFIX}{part}"):
            return original(*arguments, **named)

    with mock.patch.object(owner, method, watch):
        yield


def _attribute_events(
    events: Sequence[Any], made_in: Mapping[int, str]
) -> Iterator[tuple[Any, str]]:
    """Return the events of the job, each with its part: its own, or that of what it happens in."""
    found: dict[int, str] = {}
    for event in events:
        part = _own_part(event, made_in) or found.get(id(event.cpu_parent))
        if part is not None:
            found[id(event)] = part
            yield event, part


def _own_part(event: Any, made_in: Mapping[int, str]) -> str | None:
    """Return the part that an event's name tells; of a gradient, that of the node it is of."""
    if event.name in PRODUCTS:
        return "products"
    if FUSED in event.name:
        return "attention"
    if event.name.startswith(_PREFIX):
        return str(event.name.removeprefix(_PREFIX))
    if event.name.startswith("autograd::engine") and event.sequence_nr in made_in:
        return made_in[event.sequence_nr]
    return next((part for name, part in NAMED.items() if name in event.name), None)


# ---- what is shown -------------------------------------------------------------------------------


def list_figures() -> dict[str, float]:
    """Return the figures of all cases by title, for `bench.py`."""
    result = {}
    for found in _each(measure):
        threads = found["threads"]
        where = f"{found['case']}, {threads} thread{'s' * (threads > 1)}"
        for name, title in TITLES.items():
            result[f"training step, {where}: {title}"] = found[name]
    return result


def list_half_precision_figures() -> dict[str, float]:
    """Return how many times as fast steps are in bfloat16, for `bench.py`."""
    if why := why_unavailable("bfloat16"):
        print(f"No bfloat16 here: {why}")
        return {}
    return {
        f"single precision / bfloat16, {one['case']}, {one['threads']} threads (time)": one[
            "times_as_fast"
        ]
        for one in _halves("")
    }


def list_accelerator_figures() -> dict[str, float]:
    """Return the time of steps on an accelerator, and beside the processor, for `bench.py`."""
    result = {}
    for one in there(""):
        where = f"{one['accelerator']}, {one['case']}"
        result[f"a thread of the processor / {where} (time)"] = one["times_as_fast"]
        result[f"{where}: milliseconds a step"] = one["milliseconds"]
        if "milliseconds_half" in one:
            result[f"{where}, bfloat16: milliseconds a step"] = one["milliseconds_half"]
    return result


def there(only: str) -> Iterator[dict[str, Any]]:
    """Yield the time of steps on an accelerator and on a thread of the processor beside it."""
    device = choose_device("auto")
    if device.type == "cpu":
        print("There is no accelerator here.")
        return
    kinds: list[Autocast] = ["none"]
    if why := why_unavailable("bfloat16", device):
        print(f"Single precision alone: {why}", flush=True)
    else:
        kinds.append("bfloat16")
    for case in CASES:
        if only in case.name:
            yield _there(case, kinds, device)


def _there(case: Case, kinds: Sequence[Autocast], device: torch.device) -> dict[str, Any]:
    on_it = [Steps(case, kind, device) for kind in kinds]
    with processor_threads(1):
        times = _by_turns([Steps(case), *on_it], TIMED_THERE)
    processor, *found = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
    return {
        "case": case.name,
        "threads": 1,
        "accelerator": accelerator_name(device),
        "milliseconds_processor": processor,
        **dict(zip(("milliseconds", "milliseconds_half"), found, strict=False)),
        "times_as_fast": processor / found[0],
    }


def _halves(only: str) -> Iterator[dict[str, Any]]:
    yield from _each(measure_half_precision, only)
    if only in PRODUCT:
        yield from map(product, THREADS)


def _each(
    measured: Callable[[Case, int], dict[str, Any]], only: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield what is measured of the cases with a text in their names, on each number of threads."""
    return (measured(case, n) for case in CASES if only in case.name for n in THREADS)


TITLES = {
    "milliseconds": "milliseconds",
    "megaflops": "millions of operations of matrix products",
    "of_product_rate": "their rate / that of a matrix product (share)",
    "outside": "share outside matrix products, attention and the optimiser",
}


COMPARISONS: Mapping[str, tuple[str, Callable[[str], Iterator[dict[str, Any]]]]] = {
    HALF: ("compare single precision and bfloat16", _halves),
    THERE: ("compare an accelerator with a thread", there),
}
"""Options by the name of their figures: what they do, and the function that yields the figures."""


def main() -> None:
    """Measure, print each case as a line, and store what was found under a name."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", help="name of the figures in training_steps.json")
    parser.add_argument("--only", default="", help="part of the names of the cases")
    one_of = parser.add_mutually_exclusive_group()
    for name, (told, _) in COMPARISONS.items():
        one_of.add_argument(f"--{name}", dest="kind", action="store_const", const=name, help=told)
    arguments = parser.parse_args()
    compared = arguments.kind or arguments.save in COMPARISONS
    if arguments.save and compared and arguments.save != arguments.kind:
        parser.error(f"figures of --half are kept as {HALF}, of --there as {THERE}, no others are")
    _, measured = COMPARISONS.get(arguments.kind, ("", partial(_each, measure)))
    found = []
    for one in measured(arguments.only):
        found.append(one)
        print(json.dumps(one), flush=True)
    if arguments.save and found:
        stored = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        kept = [
            each for each in stored.get(arguments.save, []) if arguments.only not in each["case"]
        ]
        order = [*(case.name for case in CASES), PRODUCT]
        figures = sorted(kept + found, key=lambda one: (order.index(one["case"]), one["threads"]))
        FIGURES.write_text(json.dumps({**stored, arguments.save: figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
