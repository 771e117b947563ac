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
from lengthwise.proofs.check.narrow import Precision
from lengthwise.proofs.search.binary import BinaryAlgebra
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.emulated import RoundedToBfloat16
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.network import node_of, recurrent_node_of
from lengthwise.proofs.search.orders import ORDERS, OrderedSums, TensorFloat32
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, grouped, trained

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
    every = [(*one, False) for one in product(sizes.languages, sizes.models)]
    every += [(sizes.languages[0], model, True) for model in sizes.compiled]
    found = []
    for seed, (spec, model, compiled) in product(seeds or sizes.seeds, every):
        settings = {"language": spec, "model": model, "compiled": compiled, "seed": seed}
        name = f"{spec}, {model}{', compiled' if compiled else ''}, seed {seed}"
        found.append(Part(name, {**settings, "preset": sizes.preset}))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a network, certify it in both precisions, and compute it in all ways, or compiled."""
    own = {"seed": settings["seed"], "precision": "single"}
    language = parse(settings["language"])
    plan = make_plan(language, settings["model"], preset=settings["preset"], settings=own)
    run, _ = trained(plan, folder)
    model = run.model.float().eval()
    assert isinstance(model, RegularGPT | BinaryRecurrent)
    how = {"words_per_length": None, "protocol": PROTOCOL, "interval_95": None}
    if settings["compiled"]:
        return [{**settings, **how, **compiled_deviation(model, settings["language"])}]
    verdicts = {
        name: certify(model, language, precision=name).verdict for name in ("weights", "bfloat16")
    }
    told = {**settings, **how, "verdicts": verdicts}
    return [{**told, **found} for found in deviations(model, settings["language"])]


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
        "float32, orders of additions chosen": [each for each in orders if not each.fused],
        "float32, the same with fused multiply-add": [each for each in orders if each.fused],
        "TF32": [TensorFloat32()],  # type: ignore[no-untyped-call]
    }


def deviations(model: Network, spec: str) -> list[Record]:
    """Return the largest deviation from the centre, and its share of the bound, for each way."""
    found = []
    centre, radius, compute = probe(model, spec, "weights")
    for name, contexts in _ways().items():
        numbers = []
        for context in contexts:
            with context:
                numbers.append(compute(model, slice(None)))
        found.append(_record(name, numbers, centre, radius))
    alone = [compute(model, slice(row, row + 1)) for row in range(len(centre))]
    found.append(_record("float32, one by one", [torch.cat(alone)], centre, radius))
    double = model.double()
    own, bound, compute = probe(double, spec, "weights")
    numbers = [compute(double, slice(None))]
    found.append(_record("float64, one batch", numbers, own, bound))
    cast = model.bfloat16()
    own, bound, compute = probe(cast, spec, "bfloat16")
    if why_unavailable("bfloat16") is None:
        numbers = [compute(cast, slice(None))]
        found.append(_record("bfloat16, one batch", numbers, own, bound))
    plain = cast.float()
    with RoundedToBfloat16():  # type: ignore[no-untyped-call]
        numbers = [compute(plain, slice(None))]
    found.append(_record("bfloat16, emulated", numbers, own, bound))
    return found


def compiled_deviation(model: Network, spec: str) -> Record:
    """Return the deviation of the network as torch compiles it."""
    centre, radius, compute = probe(model, spec, "weights")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's compiler, about itself
        compiled = torch.compile(compute, fullgraph=True)
        numbers = compiled(model, slice(None))
    return _record("float32, torch.compile", [numbers], centre, radius)


def _record(name: str, numbers: Sequence[Tensor], centre: Floats, radius: Floats) -> Record:
    off = np.stack([np.abs(each.double().numpy() - centre) for each in numbers]).max(axis=0)
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
    children = algebra.evaluated(1, _CHUNKS)
    centre, radius = node.numbers(node.gathered(node.recall(algebra.codes), children))
    codes, rows = torch.from_numpy(algebra.codes), torch.from_numpy(children)

    @torch.no_grad()
    def compute(ran: Any, part: slice) -> Tensor:
        return ran.memory.numbers(ran.gathered(ran.memory.recall(codes), rows[part]))

    return centre, radius, compute


def _of_steps(model: BinaryRecurrent, precision: Precision) -> tuple[Floats, Floats, Compute]:
    node = recurrent_node_of(model, precision)
    found = [np.asarray(node.start().values, dtype=np.bool_)[0]]
    for code in found:  # grows while it runs
        for symbol in range(node.num_symbols):
            after = np.asarray(node.step(code[None], np.array([symbol])).values)[0]
            if len(found) < _CHUNKS and not any(np.array_equal(after, each) for each in found):
                found.append(after)
    codes = np.repeat(np.array(found), node.num_symbols, axis=0)
    symbols = np.tile(np.arange(node.num_symbols), len(found))
    centre, radius = node.numbers(node.recall(codes), symbols)
    bits, given = torch.from_numpy(codes), torch.from_numpy(symbols)

    @torch.no_grad()
    def compute(ran: Any, part: slice) -> Tensor:
        return ran.memory.numbers(ran.cell(ran.memory.recall(bits[part]), given[part]))

    return centre, radius, compute


# ---- what is said of it --------------------------------------------------------------------------


def table(records: Sequence[Record]) -> Table:
    """Return a row for each way: the largest deviation and share of the bound of all networks."""
    rows = []
    for (way,), found in grouped(records, "way").items():
        bounds = [one["bound"] for one in found if one["bound"] is not None]
        rows.append(
            [
                way,
                str(sum(one["runs"] for one in found)),
                f"{max(one['deviation'] for one in found):.2g}",
                f"{max(bounds, default=0.0):.2g}",
                f"{max(one['share_of_bound'] for one in found):.2g}",
            ]
        )
    return Table(["way", "runs", "largest deviation", "largest bound", "largest share"], rows)


def proofs(records: Sequence[Record]) -> Table:
    """Return a row for each network: what `certify` says of it in both precisions."""
    rows = []
    whole = [one for one in records if not one["compiled"]]
    for (language, model), found in grouped(whole, "language", "model").items():
        verdicts = found[0]["verdicts"]
        of_bits = next(one for one in found if one["way"] == "bfloat16, emulated")
        bound = "none" if of_bits["bound"] is None else f"{of_bits['bound']:.2g}"
        row = [language, f"`{model}`", verdicts["weights"], verdicts["bfloat16"], bound]
        rows.append([*row, f"{of_bits['deviation']:.2g}"])
    columns = ["language", "network", "float32", "bfloat16", "bound in bfloat16", "deviation"]
    return Table(columns, rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether bounds held wherever they are claimed, and that TF32 needs to be refused."""
    covered = [one for one in records if one["way"] != "TF32"]
    worst = max((one["share_of_bound"] for one in covered), default=0.0)
    outside = max((one["share_of_bound"] for one in records if one["way"] == "TF32"), default=0.0)
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
            outside > max((one["share_of_bound"] for one in covered), default=0.0),
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
