"""Weights that are no numbers, or whose numbers overflow, in every kind of network.

Every call ends, with a right verdict or in one line, and no proof is of such weights.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import LengthwiseError
from lengthwise.proofs.search.extraction import extract_algebra
from proofs.recurrent import random_recurrence
from proofs.slots import slots_of
from proofs.trained import ENDS_WITH_1, last_symbol, random_model, random_rational
from proofs.windowed import random_scratchpad

WORDS = ["", "0", "01", "0110"]

NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "vectors": lambda: random_model(ENDS_WITH_1, 1, memory="continuous"),
    "vectors before norms": lambda: random_model(
        ENDS_WITH_1, 2, memory="continuous", norm="pre", activation="gelu"
    ),
    "bits": last_symbol,
    "rational": lambda: random_rational(4, num_classes=2),
    "gru": lambda: random_recurrence(5, cell="gru"),
    "elman": lambda: random_recurrence(5, cell="elman", dtype=torch.float32),
    "relu": lambda: random_recurrence(5, cell="relu"),
    "scratchpad": lambda: random_scratchpad(6),
    "slots": lambda: slots_of(ENDS_WITH_1),
}


def damage(kind: str, name: str, value: float) -> nn.Module:
    """The network with one number changed."""
    model = NETWORKS[kind]()
    model.get_parameter(name).data.view(-1)[0] = value
    return model


def names_of(kind: str) -> list[str]:
    return [name for name, _ in NETWORKS[kind]().named_parameters()]


def calls(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is done with a network, by name."""
    yield "certify", lambda: lw.certify(model, language=ENDS_WITH_1)
    yield "certify robust", lambda: lw.certify(model, language=ENDS_WITH_1, strength="robust")
    yield (
        "certify in bfloat16",
        lambda: lw.certify(model, language=ENDS_WITH_1, precision="bfloat16"),
    )
    yield "extract_algebra", lambda: extract_algebra(model)
    yield (
        "snap",
        lambda: lw.predict(
            lw.extract(model, language=ENDS_WITH_1).snap(), WORDS, language=ENDS_WITH_1
        ),
    )
    yield "extract", lambda: lw.extract(model, language=ENDS_WITH_1)
    yield (
        "evaluate",
        lambda: lw.evaluate(model, language=ENDS_WITH_1, lengths=[1, 5], words_per_length=8),
    )
    yield "predict", lambda: lw.predict(model, WORDS, language=ENDS_WITH_1)
    yield (
        "learn_automaton",
        lambda: lw.interpret.learn_automaton(model, "01", num_tests=50, max_length=6, max_states=8),
    )


def figures(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The analyses, by name."""
    for figure in ("clusters", "receptive-field", "attention", "deeper-trees"):
        yield figure, partial(_analyse, model, figure)


def _analyse(model: Any, figure: str) -> Any:
    return lw.interpret.analyse(
        model, figure, language=ENDS_WITH_1, lengths=[5], words_per_length=4
    )


def require_sound(model: nn.Module, value: float, *, every: bool = False) -> None:
    """Refuse an error that is none of ours or has two lines, and a proof of what is no number."""
    for name, call in [*calls(model), *(figures(model) if every else ())]:
        found, refused = None, ""
        try:
            found = call()
        except LengthwiseError as error:
            refused = str(error)
        assert "\n" not in refused
        if found is None or not name.startswith("certify"):
            continue
        assert "\n" not in found.reason
        assert found.verdict != "not-closed" or found.reason
        if found.verdict == "equivalent":
            assert math.isfinite(value)
            assert lw.predict(model, WORDS, language=ENDS_WITH_1) == ["0", "0", "1", "0"]
        if found.counterexample is not None and found.strength != "snapped":
            wrong = found.counterexample
            assert lw.predict(model, [wrong.word], language=ENDS_WITH_1) == [wrong.model]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *(("vectors", math.nan), ("vectors", 1e30), ("bits", 1e30)),
        *(("gru", math.nan), ("scratchpad", 1e30), ("slots", math.nan)),
    ],
)
def test_a_damaged_weight_is_said_in_a_line(kind: str, value: float) -> None:
    require_sound(damage(kind, names_of(kind)[-2], value), value)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [math.nan, math.inf, -1e30])
@pytest.mark.parametrize("kind", NETWORKS)
def test_every_third_damaged_weight_is_said_in_a_line(kind: str, value: float) -> None:
    for name in names_of(kind)[::3]:
        require_sound(damage(kind, name, value), value, every=True)
