"""A fixed order of additions: where it is asked for, and what is said where there is none."""

from collections.abc import Iterator

import pytest
import torch

from lengthwise.errors import ConfigError
from lengthwise.training.determinism import deterministic
from lengthwise.training.settings import TrainingConfig

HERE, THERE = torch.device("cpu"), torch.device("cuda")
TWO, FIXED = TrainingConfig(threads=2), TrainingConfig(deterministic=True)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """What torch was asked for, without its loading the compiler for that; last, as it was."""
    calls: list[bool] = []
    monkeypatch.setattr(torch, "use_deterministic_algorithms", lambda on, **_: calls.append(on))
    yield calls
    assert calls in ([], [True, False])


@pytest.mark.parametrize(
    ("device", "config", "is_fixed"),
    [
        (HERE, TrainingConfig(), False),
        (HERE, FIXED, False),  # one thread has no other order
        (HERE, TWO, True),
        (THERE, TrainingConfig(), False),
        (THERE, TWO, False),
        (THERE, FIXED, True),
    ],
)
def test_threads_and_accelerators_add_up_in_a_fixed_order_if_that_is_asked_for(
    device: torch.device, config: TrainingConfig, is_fixed: bool, asked: list[bool]
) -> None:
    with deterministic(device, config):
        assert asked == [True] * is_fixed


@pytest.mark.parametrize(
    ("device", "config", "said", "cure"),
    [
        (HERE, TWO, "x is not deterministic", r"threads=2 .* on cpu .*\. Use threads=1\.$"),
        (
            THERE,
            FIXED,
            "no Deterministic x",
            r"deterministic=true .* on cuda .*\. Leave it out",
        ),
        (
            THERE,
            FIXED,
            "set CUBLAS_WORKSPACE_CONFIG to be deterministic",
            r"Set CUBLAS_WORKSPACE_CONFIG=:4096:8 before Python starts\.$",
        ),
    ],
)
def test_what_has_no_fixed_order_is_said_in_a_line_with_what_helps(
    device: torch.device, config: TrainingConfig, said: str, cure: str
) -> None:
    with pytest.raises(ConfigError, match=cure) as refused, deterministic(device, config):
        raise RuntimeError(f"{said},\n  by torch")
    assert "\n" not in str(refused.value)


def test_other_errors_pass() -> None:
    with pytest.raises(RuntimeError, match="out of memory"), deterministic(HERE, TWO):
        raise RuntimeError("out of memory")
