"""Bounds on trees with norms in float32, as the kernel computes them (`EuclidBalls.v`)."""

import copy
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from check import FLOATS, LIBRARY, SMOOTH

from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.export.rocq_smooth import smooth_text
from lengthwise.proofs.search.network import weights_of
from proofs.rocq_kernel import compile_library, needs_flocq, run_rocq
from proofs.trained import ENDS_WITH_1, random_model

PLACES = 44
"""Binary places of the kernel's numbers."""

HEAD = (
    "From Coq Require Import List NArith ZArith QArith.\n"
    "From Lengthwise Require Import Words Data Networks Fractions Weights Floats FloatNetworks.\n"
    "From Lengthwise Require Import SmoothNetworks Balls FloatWeights SmoothWeights Runs.\n"
    "Import ListNotations.\nLocal Open Scope N_scope.\nLocal Open Scope text_scope.\n"
    "Definition numbers_of (net : normed_tree) (chunk : list node) : list ball :=\n"
    "  match measured_tree single net with\n"
    "  | Some (balls, layers, written) =>\n"
    "      normed_numbers single smooth_places rough_places balls layers written chunk\n"
    "  | None => []\n"
    "  end.\n"
)

SHAPES: tuple[dict[str, Any], ...] = (
    *({}, {"num_layers": 2}, {"chunk_size": 3}, {"num_heads": 1}, {"embedding_scale": 1.0}),
    *({"d_model": 16, "ff_factor": 1}, {"num_bits": 12}),
)


def tree(seed: int) -> RegularGPT:
    return random_model(ENDS_WITH_1, seed, norm="post", **SHAPES[seed % len(SHAPES)])


def numbers_text(model: RegularGPT, chunk: tuple[int, ...]) -> str:
    """The numbers of a chunk of symbols; -1 stands for the pad."""
    nodes = "; ".join("Pad" if child < 0 else f"Symbol {child}" for child in chunk)
    record = smooth_text(model.config.to_dict(), weights_of(model))
    return f"numbers_of ({record}) [{nodes}]"


def shown_balls(text: str) -> list[list[tuple[float, float]]]:
    """The balls of each answer, in full numbers; none where a ball is unknown."""
    found = []
    for answer in re.findall(r"= (\[.*?\])\s*: list ball", text, re.S):
        pairs = re.findall(r"Some \(\(?(-?\d+)\)?%Z, (\d+)%Z\)", answer)
        found.append([(int(c) / 2**PLACES, int(r) / 2**PLACES) for c, r in pairs])
    return found


@torch.no_grad()
def numbers_that_run(model: RegularGPT, chunks: list[tuple[int, ...]]) -> np.ndarray[Any, Any]:
    """The numbers whose signs are the code, `[chunk, bit]`, as torch computes them."""
    memory: Any = model.memory
    gathered = model.gather(model.leaf(torch.arange(2)), torch.tensor(chunks))
    return memory.write(gathered).double().numpy()


def chunks_of(model: RegularGPT) -> list[tuple[int, ...]]:
    return list(product((-1, 0, 1), repeat=model.config.chunk_size))[2:7]


def move_bias(model: RegularGPT, bit: int, change: float) -> RegularGPT:
    moved: Any = copy.deepcopy(model)
    with torch.no_grad():
        bias = moved.memory.write.bias
        bias[bit] = float(bias[bit]) + change
    return moved


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = (*LIBRARY, *FLOATS, *SMOOTH)
    return compile_library(names, tmp_path_factory.mktemp("library"))


@needs_flocq
@pytest.mark.slow
def test_numbers_that_run_in_float32_are_in_the_kernels_balls(
    library: Path, tmp_path: Path
) -> None:
    """So are those of float64, from which float32 is further away than rounding in the kernel."""
    models = [tree(seed) for seed in range(len(SHAPES))]
    asked = [numbers_text(model, chunk) for model in models for chunk in chunks_of(model)]
    done = run_rocq(
        HEAD + "".join(f"Eval vm_compute in {one}.\n" for one in asked), library, tmp_path
    )
    assert done.returncode == 0, done.stderr
    balls, times, unknown = iter(shown_balls(done.stdout)), list[float](), 0
    for model in models:
        chunks = chunks_of(model)
        node = Node(model.config.to_dict(), weights_of(model))
        exact, bound = node.numbers(node.gather(node.leaves(), np.array(chunks)))
        for runs, centres, own in zip(numbers_that_run(model, chunks), exact, bound, strict=True):
            if not (shown := next(balls)):
                unknown += 1
                continue
            assert len(shown) == len(runs)
            for number, centre, limit, (c, r) in zip(runs, centres, own, shown, strict=True):
                assert abs(number - c) <= r
                assert abs(centre - c) <= r
                times.append(r / limit)
    assert next(balls, None) is None
    assert np.median(times) < 2, sorted(times)  # those of `certify`; of two layers up to 100
    assert unknown <= 5, unknown  # of 35: a block of two layers is bounded twice


@needs_flocq
@pytest.mark.slow
def test_signs_are_certain_just_beyond_the_bound_and_not_before(
    library: Path, tmp_path: Path
) -> None:
    """Of 30 trees, a bias brings one number to 0, then to 0.99 and 1.01 of its radius."""
    models, asked = [], ""
    for seed in range(30):
        model = tree(seed)
        chunk, bit = chunks_of(model)[seed % 5], seed % model.config.num_bits
        node = Node(model.config.to_dict(), weights_of(model))
        numbers, _ = node.numbers(node.gather(node.leaves(), np.array([chunk])))
        model = move_bias(model, bit, -float(numbers[0, bit]))
        models.append((model, chunk, bit))
        asked += f"Eval vm_compute in {numbers_text(model, chunk)}.\n"
    done = run_rocq(HEAD + asked, library, tmp_path)
    assert done.returncode == 0, done.stderr
    asked, expected = "", []
    shown = zip(models, shown_balls(done.stdout), strict=True)
    for which, ((model, chunk, bit), balls) in enumerate(shown):
        centre, radius = balls[bit]
        away = 1 if which % 2 else -1
        for share, sign in ((0.99, "None"), (1.01, f"Some {str(away > 0).lower()}")):
            moved = move_bias(model, bit, away * share * radius - centre)
            asked += (
                f"Eval vm_compute in sign_of (nth {bit} ({numbers_text(moved, chunk)}) None).\n"
            )
            expected.append(sign)
    done = run_rocq(HEAD + asked, library, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"= (None|Some true|Some false)", done.stdout) == expected
