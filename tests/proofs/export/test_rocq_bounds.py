"""Three bounds on the same numbers: what the kernel of Rocq refuses, Python and Rust refuse, too.

A bias moves a number towards 0, until rounding could turn its sign. The kernel's bound is the
smallest, so it accepts whatever one of the others accepts.
"""

import copy
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from check import FLOATS, LIBRARY

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check_with_induction
from lengthwise.proofs.search.certify import certify
from proofs.check.test_second_rounding import accepts, move
from proofs.export.test_rocq_floats import HEAD, at_the_edge, kernel_of, table_text
from proofs.recurrent import automaton_of
from proofs.rocq_kernel import compile_library, needs_flocq, run_rocq
from proofs.second_checker import second_checker

MOVES = 8
"""Positions of the number, from half of the kernel's bound to twelve times it."""


def near_the_edge(seed: int) -> tuple[list[Any], list[bytes], list[tuple[bool, ...]]]:
    """Networks that differ in one bias, their certificates, and the codes that they have."""
    refused, accepted, codes = at_the_edge(seed)
    choose = random.Random(seed)
    bad, good = (model.memory.write.bias.detach().numpy().copy() for model in (refused, accepted))
    (bit,) = np.flatnonzero(bad != good)
    away = np.sign(good[bit] - bad[bit])
    kernel = kernel_of(accepted)
    numbers = [kernel.start(), *(kernel.step(code, a) for code in codes for a in (0, 1))]
    nearest = min((ball[bit] for ball in numbers), key=lambda ball: abs(ball[0]))  # type: ignore[index]
    radius = nearest[1] * 2.0**-kernel.places  # type: ignore[index]
    models, contents = [], []

    def moved(steps: float) -> Any:
        model = copy.deepcopy(accepted)
        with torch.no_grad():
            model.memory.write.bias[int(bit)] = float(good[bit] + away * steps * radius)
        return model

    far = moved(60)
    made = certify(far, automaton_of(far))
    for steps in [-0.5, 1.0, *(choose.uniform(-0.5, 12) for _ in range(MOVES - 2))]:
        models.append(moved(steps))
        contents.append(move(made, "memory.write", models[-1].memory.write.bias.detach().numpy()))
    return models, contents, codes


def first_accepts(content: bytes, path: Path) -> bool:
    path.write_bytes(content)
    try:
        check_with_induction(Certificate.load(path))
    except CertificateError:
        return False
    return True


def decide(seed: int, folder: Path) -> list[tuple[bool, bool, bool]]:
    """What the kernel's bound, Python and Rust say of networks near the edge."""
    models, contents, codes = near_the_edge(seed)
    rust = accepts(second_checker(), contents, folder)
    python = [first_accepts(content, folder / "one.json") for content in contents]
    kernel = [kernel_of(model).accepts(codes, 2) for model in models]
    return list(zip(kernel, python, rust, strict=True))


@pytest.mark.slow_except("0")
@pytest.mark.parametrize("seed", range(30))
def test_python_and_rust_accept_nothing_that_the_kernel_refuses(seed: int, tmp_path: Path) -> None:
    decided = decide(seed, tmp_path)
    assert all(kernel or not (python or rust) for kernel, python, rust in decided), decided
    assert decided[0] == (False, False, False)
    assert decided[1][0]


@needs_flocq
@pytest.mark.slow
def test_the_kernel_decides_as_its_oracle_near_the_edge(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    library = compile_library((*LIBRARY, *FLOATS), tmp_path_factory.mktemp("library"))
    text, expected = HEAD, []
    for seed in range(10):
        models, _, codes = near_the_edge(seed)
        for model in models:
            text += f"Eval vm_compute in {table_text(model, codes)}.\n"
            expected.append(str(kernel_of(model).accepts(codes, 2)).lower())
    done = run_rocq(text, library, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"= (true|false)", done.stdout) == expected
    assert {"true", "false"} == set(expected)
