"""Measure how far networks move from real arithmetic in each way to run them, and how far they may.

The numbers whose signs are the codes of proved networks are computed in many ways: other batches
and threads, other libraries, orders of additions that were chosen to do harm, bfloat16, TF32. Each
is compared with the centre and with the radius of its ball (`proofs/check/balls.py`).
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lengthwise.languages.spec import parse
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.threads import processor_threads
from lengthwise.precision import why_unavailable
from lengthwise.problems.planning import make_plan
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.search.bfloat16_emulation import RoundedToBfloat16
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.network import node_of, recurrent_node_of
from lengthwise.proofs.search.summation_orders import ORDERS, OrderedSums, TensorFloat32
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder

Network = RegularGPT | BinaryRecurrent

_CHUNKS = 64
"""Chunks of a tree that are computed."""
_RANDOM_ORDERS = 20

PROTOCOL = "chunks of codes, or steps, that were met while the network was explored; no words"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, models and presets."""

    preset: str
    languages: tuple[str, ...] = ("parity", "tomita-5", "even-pairs")
    models: tuple[str, ...] = ("regular-gpt-binary", "gru-binary", "elman-binary")
    seeds: tuple[int, ...] = (0,)
    compiled: tuple[str, ...] = ()
    """Models of the first language that are compiled, too."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each network, and those that are compiled."""
    every = [(*pair, False) for pair in product(sizes.languages, sizes.models)]
    every += [(sizes.languages[0], model, True) for model in sizes.compiled]
    all_parts = []
    for seed, (spec, model, compiled) in product(seeds or sizes.seeds, every):
        settings = {"language": spec, "model": model, "compiled": compiled, "seed": seed}
        name = f"{spec}, {model}{', compiled' if compiled else ''}, seed {seed}"
        all_parts.append(Part(name, {**settings, "preset": sizes.preset}))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a network, certify it in both precisions, and compute it in all ways, or compiled."""
    changes = {"seed": settings["seed"], "precision": "single"}
    language = parse(settings["language"])
    plan = make_plan(language, settings["model"], preset=settings["preset"], settings=changes)
    run, _ = train_in_folder(plan, folder)
    model = run.model.float().eval()
    assert isinstance(model, RegularGPT | BinaryRecurrent)
    how = {"words_per_length": None, "protocol": PROTOCOL, "interval_95": None}
    if settings["compiled"]:
        return [{**settings, **how, **measure_compiled_deviation(model, settings["language"])}]
    verdicts = {
        name: certify(model, language, precision=name).verdict for name in ("weights", "bfloat16")
    }
    facts = {**settings, **how, "verdicts": verdicts}
    return [{**facts, **deviation} for deviation in deviations(model, settings["language"])]


# ---- ways to compute a network -------------------------------------------------------------------


@contextmanager
def _flushing() -> Any:
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


@contextmanager
def _without_onednn() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of its own setting for another device
        with torch.backends.mkldnn.flags(enabled=False):
            yield


def _ways() -> Mapping[str, Sequence[AbstractContextManager[Any]]]:
    """Return the ways to compute a network in float32, each with the contexts that are tried."""
    orders = [
        OrderedSums(order, fused=fused, seed=seed)
        for order in ORDERS
        for fused in (False, True)
        for seed in range(_RANDOM_ORDERS if order == "at random" else 1)
    ]
    return {
        "float32, one batch": [nullcontext()],
        "float32, two threads": [processor_threads(2)],
        "float32, without oneDNN": [_without_onednn()],
        "float32, subnormal numbers flushed": [_flushing()],
        "float32, orders of additions chosen": [context for context in orders if not context.fused],
        "float32, the same with fused multiply-add": [
            context for context in orders if context.fused
        ],
        "TF32": [TensorFloat32()],  # type: ignore[no-untyped-call]
    }


def deviations(model: Network, spec: str) -> list[Record]:
    """Return the largest deviation from the centre, and its share of the bound, for each way."""
    records = []
    centre, radius, compute = probe(model, spec, "weights")
    for name, contexts in _ways().items():
        numbers = []
        for context in contexts:
            with context:
                numbers.append(compute(model, slice(None)))
        records.append(_record(name, numbers, centre, radius))
    alone = [compute(model, slice(row, row + 1)) for row in range(len(centre))]
    records.append(_record("float32, one by one", [torch.cat(alone)], centre, radius))
    double = model.double()
    exact, bound, compute = probe(double, spec, "weights")
    numbers = [compute(double, slice(None))]
    records.append(_record("float64, one batch", numbers, exact, bound))
    cast = model.bfloat16()
    exact, bound, compute = probe(cast, spec, "bfloat16")
    if why_unavailable("bfloat16") is None:
        numbers = [compute(cast, slice(None))]
        records.append(_record("bfloat16, one batch", numbers, exact, bound))
    plain = cast.float()
    with RoundedToBfloat16():  # type: ignore[no-untyped-call]
        numbers = [compute(plain, slice(None))]
    records.append(_record("bfloat16, emulated", numbers, exact, bound))
    return records


def measure_compiled_deviation(model: Network, spec: str) -> Record:
    """Return the deviation of the network as torch compiles it."""
    centre, radius, compute = probe(model, spec, "weights")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's compiler, about itself
        compiled = torch.compile(compute, fullgraph=True)
        numbers = compiled(model, slice(None))
    return _record("float32, torch.compile", [numbers], centre, radius)


def _record(name: str, numbers: Sequence[Tensor], centre: Floats, radius: Floats) -> Record:
    off = np.stack([np.abs(array.double().numpy() - centre) for array in numbers]).max(axis=0)
    is_bounded = bool(np.isfinite(radius).all())
    return {
        "way": name,
        "deviation": float(off.max()),
        "bound": float(radius.max()) if is_bounded else None,
        "share_of_bound": float((off / radius).max()),
        "runs": len(numbers),
    }


Compute = Callable[[Any, slice], Tensor]


def probe(model: Network, spec: str, precision: Precision) -> tuple[Floats, Floats, Compute]:
    """Return numbers before signs in float64, their radii, and a function that computes them.

    They are those of chunks, or of steps, that were met while the network was explored.
    """
    if isinstance(model, BinaryRecurrent):
        return _of_steps(model, precision)
    node = node_of(model, precision)
    algebra = BinaryAlgebra(node)
    decide(algebra, parse(spec))
    children = algebra.evaluate(1, _CHUNKS)
    centre, radius = node.numbers(node.gather(node.recall(algebra.codes), children))
    codes, rows = torch.from_numpy(algebra.codes), torch.from_numpy(children)

    @torch.no_grad()
    def compute(ran: Any, part: slice) -> Tensor:
        return ran.memory.numbers(ran.gather(ran.memory.recall(codes), rows[part]))

    return centre, radius, compute


def _of_steps(model: BinaryRecurrent, precision: Precision) -> tuple[Floats, Floats, Compute]:
    node = recurrent_node_of(model, precision)
    codes_found = [np.asarray(node.start().values, dtype=np.bool_)[0]]
    for code in codes_found:  # grows while it runs
        for symbol in range(node.num_symbols):
            after = np.asarray(node.step(code[None], np.array([symbol])).values)[0]
            if len(codes_found) < _CHUNKS and not any(
                np.array_equal(after, known_code) for known_code in codes_found
            ):
                codes_found.append(after)
    codes = np.repeat(np.array(codes_found), node.num_symbols, axis=0)
    symbols = np.tile(np.arange(node.num_symbols), len(codes_found))
    centre, radius = node.numbers(node.recall(codes), symbols)
    bits, inputs = torch.from_numpy(codes), torch.from_numpy(symbols)

    @torch.no_grad()
    def compute(ran: Any, part: slice) -> Tensor:
        return ran.memory.numbers(ran.cell(ran.memory.recall(bits[part]), inputs[part]))

    return centre, radius, compute


# ---- what is said of it --------------------------------------------------------------------------


def table(records: Sequence[Record]) -> Table:
    """Return a row for each way: the largest deviation and share of the bound of all networks."""
    rows = []
    for (way,), of_way in group_records(records, "way").items():
        bounds = [record["bound"] for record in of_way if record["bound"] is not None]
        rows.append(
            [
                way,
                str(sum(record["runs"] for record in of_way)),
                f"{max(record['deviation'] for record in of_way):.2g}",
                f"{max(bounds, default=0.0):.2g}",
                f"{max(record['share_of_bound'] for record in of_way):.2g}",
            ]
        )
    return Table(["way", "runs", "largest deviation", "largest bound", "largest share"], rows)


def proofs(records: Sequence[Record]) -> Table:
    """Return a row for each network: what `certify` says of it in both precisions."""
    rows = []
    not_compiled = [record for record in records if not record["compiled"]]
    for (language, model), of_network in group_records(not_compiled, "language", "model").items():
        verdicts = of_network[0]["verdicts"]
        of_bits = next(record for record in of_network if record["way"] == "bfloat16, emulated")
        bound = "none" if of_bits["bound"] is None else f"{of_bits['bound']:.2g}"
        row = [language, f"`{model}`", verdicts["weights"], verdicts["bfloat16"], bound]
        rows.append([*row, f"{of_bits['deviation']:.2g}"])
    columns = ["language", "network", "float32", "bfloat16", "bound in bfloat16", "deviation"]
    return Table(columns, rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether bounds held wherever they are claimed, and that TF32 needs to be refused."""
    covered = [record for record in records if record["way"] != "TF32"]
    worst = max((record["share_of_bound"] for record in covered), default=0.0)
    outside = max(
        (record["share_of_bound"] for record in records if record["way"] == "TF32"), default=0.0
    )
    return [
        Statement(
            "ours",
            "no way that is covered leaves a bound",
            worst <= 1,
            f"{worst:.2g} of the bound at most",
        ),
        Statement(
            "ours",
            "TF32 moves numbers further than any order of additions in float32",
            outside > max((record["share_of_bound"] for record in covered), default=0.0),
            f"{outside:.2g} of the bound of float32",
        ),
    ]


ARITHMETIC = PartsExperiment(
    item="arithmetic",
    claim="Bounds on rounding hold in every way that a network is run, and in chosen orders.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", languages=("parity",), models=("elman-binary",)),
        laptop=Sizes(preset="laptop", compiled=("elman-binary",)),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Proofs": proofs},
    check=check,
)
"""Deviations from real arithmetic, measured and searched for, beside their bounds."""
