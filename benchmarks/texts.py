"""Language models: time of each form of attention and of the loss as a ratio, and peak memory.

Memory is the most that a process of its own ever had, less what it has on one token.
"""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from lengthwise.layers.dilated import KERNELS, select_kernel
from lengthwise.text.layers.token_loss import token_loss

SHAPE = {"words": 1, "heads": 4, "size": 32}
DENSE_TO = 4_096
"""Longer, and the dense matrix alone takes seconds and gigabytes."""

Seconds = Callable[..., list[float]]


def forms(seconds: Seconds) -> dict[str, float]:
    """Forward and backward of one layer, stride 1, against the dense matrix and each other."""
    result = {}
    for length in (512, DENSE_TO, 32_768):
        for chunk in (2, 8, 32, 128):
            best = select_kernel(length, 1, chunk, torch.device("cpu"))
            names = [best, *(n for n in ("shifted", "banded", "fused") if n != best)]
            names += ["masked"] * (length <= DENSE_TO)
            jobs = [partial(_descend, name, _inputs(length, chunk)) for name in names]
            first, *others = seconds(*jobs, repeat=3)
            title = f"T={length:,}, C={chunk}"
            for name, time in zip(names[1:], others, strict=True):
                result[f"{name} / {best}, {title} (times faster)"] = time / first
            result[f"milliseconds, {best}, {title}"] = 1e3 * first
    return result


def _inputs(length: int, chunk_size: int) -> tuple[torch.Tensor, ...]:
    shape = (SHAPE["words"], SHAPE["heads"], length, SHAPE["size"])
    parts = [torch.randn(shape, requires_grad=True) for _ in range(3)]
    return (*parts, torch.zeros(SHAPE["heads"], chunk_size, requires_grad=True))


def _descend(name: str, inputs: tuple[torch.Tensor, ...]) -> None:
    query, key, value, bias = inputs
    found = KERNELS[name](query, key, value, bias, 1)
    found.sum().backward()  # type: ignore[no-untyped-call]


def losses(seconds: Seconds) -> dict[str, float]:
    """Read-out and loss of 2,048 tokens, forward and backward, against a tensor of all logits."""
    result = {}
    for symbols, width in ((4_096, 128), (4_096, 256), (50_257, 256)):
        vectors = torch.randn(2_048, width, requires_grad=True)
        matrix = (torch.randn(symbols, width) / width**0.5).requires_grad_()
        asked = torch.randint(symbols, (2_048,))

        def at_once(parts: _Parts = (vectors, matrix, asked)) -> None:
            vectors, matrix, asked = parts
            loss = functional.cross_entropy(functional.linear(vectors, matrix), asked)
            loss.backward()  # type: ignore[no-untyped-call]

        def in_parts(parts: _Parts = (vectors, matrix, asked)) -> None:
            token_loss(*parts).loss.backward()  # type: ignore[no-untyped-call]

        all_logits, few = seconds(at_once, in_parts, repeat=3)
        title = f"V={symbols:,}, width {width}"
        result[f"all logits / a few at a time, {title} (times faster)"] = all_logits / few
        result[f"milliseconds, token loss, {title}"] = 1e3 * few
    return result


_Parts = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

_MEMORY = """
import resource, torch
from lengthwise.layers.dilated import FORMS
torch.manual_seed(0)
parts = [torch.randn(1, {heads}, {length}, {size}, requires_grad=True) for _ in range(3)]
bias = torch.zeros({heads}, {chunk}, requires_grad=True)
FORMS["{form}"](*parts, bias, 1).sum().backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

_CONTEXT = """
import resource, time, torch
from lengthwise.text.models.language_models import LANGUAGE_MODELS
entry = LANGUAGE_MODELS["{model}"]
config = entry.configure({{"vocab_size": 4096, **{settings}}})
model = entry.draw(config, torch.Generator().manual_seed(0)).eval()
tokens = torch.randint(4096, (1, {length}), generator=torch.Generator().manual_seed(0))
start = time.perf_counter()
with torch.no_grad():
    model.last(tokens)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter() - start)
"""


def memory(seconds: Seconds) -> dict[str, float]:
    """Megabytes of one layer, forward and backward, and of a whole model on a long text."""
    result = {}
    for form, chunk, lengths_of_form in (
        ("masked", 32, (1_024, 2_048, 4_096)),
        ("banded", 32, (4_096, 8_192, 16_384, 32_768)),
        ("shifted", 2, (4_096, 8_192, 16_384, 32_768)),
    ):
        own = {"form": form, "chunk_size": chunk, "heads": SHAPE["heads"], "size": SHAPE["size"]}
        (least,) = _run(_MEMORY.format(length=1, **own))
        for length in lengths_of_form:
            (most,) = _run(_MEMORY.format(length=length, **own))
            result[f"megabytes, {form}, C={chunk}, T={length:,}"] = (most - least) / 1024
    contexts: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
        "regular-gpt-lm": ({"chunk_size": 32}, (4_096, 8_192, 16_384, 32_768)),
        "gpt-lm": ({"position": "alibi"}, (4_096, 8_192)),
    }
    for model, (settings, lengths) in contexts.items():
        least, _ = _run(_CONTEXT.format(model=model, settings=settings, length=1))
        for length in lengths:
            most, taken = _run(_CONTEXT.format(model=model, settings=settings, length=length))
            result[f"megabytes, {model}, {length:,} tokens of context"] = (most - least) / 1024
            result[f"seconds, {model}, {length:,} tokens of context"] = taken
    return result


def _run(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]
