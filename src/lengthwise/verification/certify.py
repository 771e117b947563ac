"""Is a model right at every length? Explore, confirm on the model itself, and write the evidence.

A claim is made only if it rests on numbers that no arithmetic could have changed: with binary
memory every sign that was looked at must be further from 0 than rounding can move it.
"""

import platform
from typing import Literal

import numpy as np
import torch
from torch import nn

from lengthwise.languages.language import Language
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.threads import processor_threads
from lengthwise.verification.binary import BinaryAlgebra
from lengthwise.verification.certificate import (
    Certificate,
    Strength,
    Sureness,
    Verdict,
    Wrong,
    pairs_of,
)
from lengthwise.verification.closure import MAX_CHUNKS, Closure, explore
from lengthwise.verification.network import (
    node_of,
    predicted,
    require_regular_gpt,
    require_same_classes,
    weights_of,
)
from lengthwise.verification.node import Node

_SAMPLE = 4096
_ALONE = 64


def certify(
    model: nn.Module,
    language: Language,
    *,
    strength: Literal["auto"] | Strength = "auto",
    max_chunks: int = MAX_CHUNKS,
) -> Certificate:
    """Decide whether `model` gives every word of `language` its class.

    `discrete` proves it of the model as it runs, which must have binary memory.

    Raises:
        VerificationError: the model is not a RegularGPT, or has other symbols or classes, or the
            strength does not suit it.
        LanguageError: the language has too many state maps to tell apart.
    """
    checked = require_regular_gpt(model)
    require_same_classes(checked, language)
    node = node_of(checked)
    algebra = BinaryAlgebra(node)
    closure = explore(algebra, language, max_chunks=max_chunks)
    sureness = Sureness(
        sign_distance=algebra.signs.distance,
        sign_radius=algebra.signs.radius,
        answer_distance=algebra.answers.distance,
        answer_radius=algebra.answers.radius,
        measured=measured_difference(checked, node, algebra),
        is_certain=algebra.is_certain,
    )
    verdict, wrong, reason = _judge(checked, language, closure, sureness)
    return Certificate(
        verdict=verdict,
        strength="discrete",
        language=language,
        settings=checked.config.to_dict(),
        weights=weights_of(checked),
        elements={"codes": [np.packbits(code).tobytes().hex() for code in algebra.codes]},
        maps=tuple(map(tuple, closure.elements.maps.tolist())),
        levels=tuple(
            {
                "interior": pairs_of(level.interior.elements, level.interior.states),
                "edge": pairs_of(level.edge.elements, level.edge.states),
            }
            for level in closure.levels
        ),
        repeats=closure.repeats,
        counterexample=wrong,
        checked_length=None if verdict == "equivalent" else _checked(closure),
        reason=reason,
        sureness=sureness,
        made_with={"python": platform.python_version(), "torch": torch.__version__},
    )


def _judge(
    model: RegularGPT, language: Language, closure: Closure, sureness: Sureness
) -> tuple[Verdict, Wrong | None, str]:
    if closure.wrong is not None:
        given = predicted(model, closure.wrong)
        true = language.classify(closure.wrong)
        if given != true:
            names = language.class_names
            word = language.decode(closure.wrong)
            return "counterexample", Wrong(word=word, model=names[given], language=names[true]), ""
    if not sureness.is_certain:
        what, distance, radius = (
            ("sign", sureness.sign_distance, sureness.sign_radius)
            if sureness.sign_distance <= sureness.sign_radius
            else ("answer", sureness.answer_distance, sureness.answer_radius)
        )
        return (
            "not-closed",
            None,
            f"a {what} is {distance:.2g} from turning over, and rounding is only known to move "
            f"such numbers by less than {radius:.2g}",
        )
    assert closure.wrong is None, "a certain answer is the model's"
    if closure.repeats is None:
        return "not-closed", None, closure.reason
    return "equivalent", None, ""


def _checked(closure: Closure) -> int:
    length = closure.checked_length
    return closure.chunk ** (len(closure.levels) - 1) if length is None else length


@torch.no_grad()
def measured_difference(model: RegularGPT, node: Node, algebra: BinaryAlgebra) -> float:
    """Largest difference between numbers before the sign as the model runs and in float64.

    Over a sample of the explored chunks: in one batch, one by one, and with another number of
    threads.
    """
    memory = model.memory
    assert isinstance(memory, BinaryMemory)
    device = model.pad.device
    codes = torch.where(torch.from_numpy(algebra.codes), 1.0, -1.0).to(model.pad)
    leaves = model.leaf(torch.arange(model.config.vocab_size, device=device))
    worst = 0.0
    for level, below, same in (
        (0, leaves, node.leaves()),
        (1, memory.norm(memory.read(codes)), node.recall(algebra.codes)),
    ):
        children = algebra.evaluated(level, _SAMPLE)
        exact, _ = node.numbers(node.gathered(same, children))
        rows = torch.from_numpy(children).to(device)
        ways = [(0, len(rows), 1), (0, len(rows), 2)]
        ways += [(index, index + 1, 1) for index in range(min(_ALONE, len(rows)))]
        for first, last, threads in ways:
            with processor_threads(threads):
                numbers = memory.numbers(model.gathered(below, rows[first:last]))
            off = np.abs(numbers.double().cpu().numpy() - exact[first:last])
            worst = max(worst, float(off.max(initial=0.0)))
    return worst
