"""Forged certificates of additions: mutants of true ones, and whether what is accepted is true.

A mutant is a certificate whose weights, table, verdict or bytes were changed, mostly with a new
digest. The checker may refuse it, or accept it if its statement is true. The oracle is the decoder
itself: it writes all sums of at most 4 bits and some of 12.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lengthwise.errors import CertificateError
from lengthwise.models.pointer_decoder import PointerDecoder, PointerDecoderConfig
from lengthwise.proofs.check.local_rule import addition_table
from lengthwise.proofs.check.rule_certificate import RuleCertificate, check_rule, prove_rule
from lengthwise.tasks.step_specs import make_step_task

Weights = Mapping[str, NDArray[Any]]
_LONG, _LONG_WORDS = 12, 50


def addition_decoder(weights: Weights, bits: int) -> PointerDecoder:
    """Return the decoder with these weights, for the addition of numbers of that many bits."""
    task = make_step_task("steps:addition", {"bits": bits, "order": "carries"})
    cells = " ".join(task.cells(task.layout("strong")))
    width = weights["answer.weight"].shape[1]
    model = PointerDecoder(PointerDecoderConfig(vocab_size=2, cells=cells, d_model=width))
    tensors = {name: torch.from_numpy(np.array(weight)) for name, weight in weights.items()}
    model.to(tensors["read"].dtype).load_state_dict(tensors)
    return model.eval()


def wrong_numbers(weights: Weights, bits: int, inputs: torch.Tensor) -> list[list[int]]:
    """Return those inputs after which the decoder writes a wrong carry or sum."""
    task = make_step_task("steps:addition", {"bits": bits, "order": "carries"})
    written = addition_decoder(weights, bits).complete(inputs, 2 * bits)[:, 2 * bits :]
    is_wrong = (written != task.write_steps(inputs)).any(dim=1)
    found: list[list[int]] = inputs[is_wrong].tolist()
    return found


def is_true(certificate: RuleCertificate) -> bool:
    """Return whether the decoder does what a certificate says, as far as it is run."""
    if certificate.verdict == "not-closed":
        return True
    if certificate.wrong is not None:
        a, b = certificate.wrong
        return bool(wrong_numbers(certificate.weights, len(a), torch.tensor([[*a, *b]])))
    for bits in range(1, 5):
        every = make_step_task("steps:addition", {"bits": bits}).num_words
        inputs = torch.arange(every)[:, None] >> torch.arange(2 * bits) & 1
        if wrong_numbers(certificate.weights, bits, inputs):
            return False
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randint(2, (_LONG_WORDS, 2 * _LONG), generator=generator)
    return not wrong_numbers(certificate.weights, _LONG, inputs)


# ---- mutants -------------------------------------------------------------------------------------


def _with_noise(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Move all weights a little or a lot, and claim the same."""
    noise = np.random.default_rng(draw.randrange(2**32))
    size = 10.0 ** draw.uniform(-4, 1)
    weights = {
        name: (w + size * noise.standard_normal(w.shape)).astype(w.dtype)
        for name, w in true.weights.items()
    }
    return replace(true, weights=weights)


def _one_weight(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Replace one weight by a number that is large, small, or none."""
    weights = {name: np.array(w) for name, w in true.weights.items()}
    array = weights[draw.choice(sorted(weights))]
    values = (0.0, 1e30, -1e30, 1e-40, np.inf, -np.inf, np.nan, 10.0 ** draw.uniform(-2, 3))
    array.reshape(-1)[draw.randrange(array.size)] = draw.choice(values)
    return replace(true, weights=weights)


def _swapped(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Exchange two letters, offsets or contents of what is read, or the two answers."""
    weights = {name: np.array(w) for name, w in true.weights.items()}
    axis = draw.choice((0, 1, 2, None))
    if axis is None:
        weights["answer.weight"] = weights["answer.weight"][::-1].copy()
    else:
        order = list(range(weights["read"].shape[axis]))
        draw.shuffle(order)
        weights["read"] = np.take(weights["read"], order, axis=axis)
    return replace(true, weights=weights)


def _shaped(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Give the weights another shape or type, or leave one out."""
    weights = dict(true.weights)
    name = draw.choice(sorted(weights))
    change = draw.choice(("drop", "double", "cut", "flatten", "integers"))
    if change == "drop":
        del weights[name]
    elif change == "double":
        weights = {key: w.astype(np.float64) for key, w in weights.items()}
    elif change == "cut":
        weights[name] = weights[name][..., :-1].copy()
    elif change == "flatten":
        weights[name] = weights[name].reshape(-1)
    else:
        weights[name] = weights[name].astype(np.int64)
    return replace(true, weights=weights)


def _tabled(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Change a row of the table, and perhaps all that follows from it."""
    table = dict(true.table)
    row = draw.choice(sorted(table))
    bit = table.pop(row)
    if draw.random() < 0.7:
        letter, read = row
        place = draw.randrange(len(read))
        other = (*read[:place], draw.randrange(-1, 4), *read[place + 1 :])
        table[draw.choice((row, (letter, other)))] = draw.choice((bit, 1 - bit, 2))
    return replace(true, table=table)


def _claimed(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Claim another verdict, with numbers that are drawn."""
    bits = draw.randrange(0, 5)
    a, b = (tuple(draw.randrange(2) for _ in range(bits)) for _ in "ab")
    verdict = draw.choice(("equivalent", "counterexample", "not-closed"))
    return replace(true, verdict=verdict, wrong=draw.choice((None, (a, b))))  # type: ignore[arg-type]


def _honest(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Move the weights, and claim what the checker itself finds of them."""
    return prove_rule(_with_noise(true, draw).weights)


def _rightly_claimed(true: RuleCertificate, draw: random.Random) -> RuleCertificate:
    """Move the weights, and claim the proof with the table that is right."""
    moved = _with_noise(true, draw)
    return replace(moved, verdict="equivalent", table=addition_table(), wrong=None)


MUTATIONS: tuple[Callable[[RuleCertificate, random.Random], RuleCertificate], ...] = (
    *(_with_noise, _one_weight, _swapped, _shaped, _tabled, _claimed, _honest, _rightly_claimed),
)


def forge(true: RuleCertificate, count: int, seed: int, folder: Path) -> dict[str, int]:
    """Check that many mutants of a certificate; return how many were refused, and accepted."""
    draw, results = random.Random(seed), Counter[str]()
    path = folder / "rule.json"
    for number in range(count):
        kind = number % (len(MUTATIONS) + 1)
        if kind < len(MUTATIONS):
            MUTATIONS[kind](true, draw).save(path)
        else:
            content = bytearray(true.to_bytes())
            content[draw.randrange(len(content))] = draw.randrange(256)
            path.write_bytes(bytes(content))
        try:
            accepted = check_rule(RuleCertificate.load(path))
        except CertificateError:
            results["refused"] += 1
            continue
        truth = "true" if is_true(accepted) else "false"
        results[f"accepted, {accepted.verdict}, {truth}"] += 1
    path.unlink(missing_ok=True)
    return dict(results)
