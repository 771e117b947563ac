"""The weights of recurrent networks in the page, and the plane in which it draws their states."""

import base64
from typing import Any

import numpy as np
import pytest
import torch

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.explorer import recurrent_values as module
from lengthwise.explorer.recurrent_values import read_vectors, recurrent_values
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.recurrent import Recurrent
from lengthwise.problems.base import Run


def train(model: str, **settings: Any) -> Run:
    return lw.train("tomita-3", model, device="cpu", steps=2, **{"d_model": 6, **settings})


@pytest.mark.parametrize("model", ["elman", "lstm", "gru-binary", "relu-binary"])
def test_weights_come_back_as_they_are(model: str) -> None:
    run = train(model)
    values = recurrent_values(run.model, run.task)
    for name, weight in run.model.named_parameters():
        found = np.frombuffer(base64.b64decode(values["weights"][name]), dtype="<f4")
        expected = weight.detach().T if name == "cell.weight_ih_l0" else weight.detach()
        assert found.tolist() == expected.flatten().tolist()


def test_points_of_the_plane_are_the_states_of_words() -> None:
    run = train("gru")
    assert isinstance(run.model, Recurrent | BinaryRecurrent)
    plane = recurrent_values(run.model, run.task)["plane"]
    words = torch.tensor([[0, 1, 1], [0, 0, 1]])
    lengths = torch.tensor([3, 1])
    vectors = read_vectors(run.model, words, lengths)
    logits = vectors @ run.model.answer.weight.double().T + run.model.answer.bias.double()
    torch.testing.assert_close(logits.float(), run.model(words, lengths), rtol=1e-4, atol=1e-5)
    axes = torch.tensor(plane["axes"])
    torch.testing.assert_close(axes @ axes.T, torch.eye(2))
    assert len(plane["points"]) == len(plane["states"]) == 400
    assert max(abs(value) for point in plane["points"] for value in point) <= plane["scale"] + 1e-6


def test_one_number_has_a_plane_too() -> None:
    run = train("elman", d_model=1)
    assert recurrent_values(run.model, run.task)["plane"]["axes"][1] == [0.0]


def test_what_has_no_room_in_a_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run = train("elman")
    double = run.model.double()
    with torch.no_grad():
        next(double.parameters())[0, 0] = 0.1
    with pytest.raises(VerificationError, match="32 bits"):
        recurrent_values(double, run.task)
    monkeypatch.setattr(module, "MOST_WEIGHTS", 10)
    with pytest.raises(VerificationError, match="room for 10 weights"):
        recurrent_values(run.model, run.task)
