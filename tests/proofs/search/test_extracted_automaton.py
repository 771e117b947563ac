"""The automaton of a network answers every word as the network does, trained or not."""

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import LanguageError, VerificationError
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.recognisers import MODELS


@pytest.mark.parametrize("name", ["tomita-5", "parity-tiny", "modular-arithmetic", "d-12-tiny"])
def test_a_proved_model_is_its_language(name: str) -> None:
    run = lw.load(f"zoo:{name}")
    found = lw.extract(run)
    assert found.fidelity == "yes"
    assert found.automaton == run.language.minimise()


def _bits(seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return BinaryRecurrent(
        BinaryRecurrentConfig(cell="gru", vocab_size=2, num_classes=2, d_model=4, num_bits=5)
    )


def test_an_untrained_recurrence_is_its_automaton() -> None:
    language, compared = lw.language("parity"), 0
    words = [f"{number:b}"[1:] for number in range(1, 2**9)]
    for seed in range(60):
        model = _bits(seed)
        with torch.no_grad():
            for weight in model.parameters():  # some are unset before
                weight.normal_(0.0, 3.0)
        found = lw.extract(model, language=language)
        if found.fidelity == "yes":
            machine = found.automaton
            answers = [machine.class_names[machine.classify(machine.encode(w))] for w in words]
            assert lw.predict(model, words, language=language) == answers
            compared += machine.num_states > 1
    assert compared >= 6


def test_what_has_no_automaton_is_refused() -> None:
    model = _bits(0)
    with pytest.raises(LanguageError, match="does not know its language"):
        lw.extract(model)
    with pytest.raises(VerificationError, match="2 symbols and 2 classes"):
        lw.extract(model, language="group:S3")
    with pytest.raises(VerificationError, match="has none"):
        lw.extract(nn.Linear(2, 2), language="parity")


def test_only_vectors_of_sub_words_are_snapped() -> None:
    language = lw.language("parity")
    with pytest.raises(VerificationError, match="only a RegularGPT has vectors of sub-words"):
        lw.extract(_bits(0), language=language).snap()


def test_a_recurrence_of_the_package_is_snapped() -> None:
    entry = MODELS["elman"]
    model = entry.build(entry.configure({"vocab_size": 2, "num_classes": 2, "d_model": 3}))
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        model.state_dict()["answer.bias"][1] = 1.0
    found = lw.extract(model, language="parity")
    assert found.automaton == lw.language("regex[01]:(0|1)*").minimise()
    assert found.states is not None


class Turn(nn.Module):
    """A point on a circle, which each 1 turns by a little less than half a turn."""

    def __init__(self, angle: float = 3.1) -> None:
        super().__init__()
        self.angle = angle

    def start(self) -> tuple[Tensor, Tensor]:
        state = torch.tensor([[1.0, 0.0]])
        return self.read(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        angle = self.angle * symbols
        turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], dim=1)
        after = torch.einsum("wij,wj->wi", turn.view(-1, 2, 2), state)
        return self.read(after), after

    def read(self, state: Tensor) -> Tensor:
        return torch.stack([state[:, 0], -state[:, 0]], dim=1)


def test_a_recurrence_of_ones_own_is_snapped_and_its_table_read() -> None:
    found = lw.extract(Turn(), language="parity")
    assert found.automaton == lw.language("parity").minimise()
    assert found.fidelity != "yes"
    assert found.states is not None
    assert lw.predict(found.snap(), ["1" * 5_001], language="parity") == ["1"]
    with pytest.raises(VerificationError, match="are not finite"):
        lw.extract(Turn(float("nan")), language="parity")
