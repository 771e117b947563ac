"""Eval mode for a while: each part comes back into the mode that it was in."""

import pytest
from torch import nn

from lengthwise.models.eval_mode import in_eval_mode, keeps_mode


def make_mixed() -> nn.Sequential:
    """A network in training, with a part that stays in eval mode."""
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(1, 1))
    model.train()
    model[0].eval()
    return model


def modes(model: nn.Module) -> list[bool]:
    return [part.training for part in model.modules()]


def test_parts_come_back_into_their_own_modes_also_after_an_error() -> None:
    model = make_mixed()
    before = modes(model)
    with in_eval_mode(model):
        assert modes(model) == [False] * 3
    assert modes(model) == before == [True, False, True]
    with pytest.raises(ValueError, match="wrong"), in_eval_mode(model):
        raise ValueError("wrong")
    assert modes(model) == before


def test_a_network_in_eval_mode_is_not_touched() -> None:
    class Counting(nn.Linear):
        calls = 0

        def train(self, mode: bool = True) -> "Counting":
            type(self).calls += 1
            super().train(mode)
            return self

    model = Counting(1, 1).eval()
    Counting.calls = 0
    with in_eval_mode(model):
        assert Counting.calls == 0
    assert Counting.calls == 0


def test_a_function_of_a_network_or_of_what_has_one_keeps_its_mode() -> None:
    class Run:
        model = make_mixed()

    seen = []

    @keeps_mode
    def look(model: object, times: int = 1) -> int:
        held = model if isinstance(model, nn.Module) else getattr(model, "model", None)
        seen.append(modes(held)[0] if isinstance(held, nn.Module) else None)
        return times

    model, run = make_mixed(), Run()
    assert [look(model, 2), look(model=model, times=3), look(run)] == [2, 3, 1]
    assert seen == [False, False, False]
    assert modes(model) == modes(run.model) == [True, False, True]
    assert look(3) == 1
    assert seen[-1] is None
