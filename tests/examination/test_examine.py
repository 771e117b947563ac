"""Examinations of networks of every kind, and of planted faults."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import ConfigError, LanguageError, VerificationError
from lengthwise.examination import retraining
from lengthwise.examination.record import Examination
from models.recurrences import CountedParity, Layered, Positioned
from proofs.snapped import parity_network

SMALL: dict[str, Any] = {
    "budget": 12.0,
    "words_per_length": 8,
    "validation_length": 12,
    "rounds": 0,
}


class Drifting(CountedParity):
    """Parity whose state comes nearer to the middle with every symbol."""

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        parity = (state[:, :1] - symbols[:, None]).abs()
        after = torch.cat([(parity - 0.5) * 0.97 + 0.5, 0 * parity], dim=1)
        return self.read(after), after


def test_a_fault_beyond_a_thousand_symbols_is_found_along_the_states() -> None:
    network = CountedParity(1_001, unit=2**-12)
    found = lw.examine(network, "parity", longest=1_200, **{**SMALL, "budget": 40.0})
    assert found.search.word is not None
    assert len(found.search.word) == 1_001
    assert not found.search.is_shortest
    assert found.raw.startswith("wrong on a word of 1,001 symbols, a chosen one; all words to ")
    assert found.to_dict()["wrong_length"] == 1_001
    assert found.verdict.startswith("right at every length")  # of the snapped network


def test_a_fault_beyond_what_was_tried_is_never_called_right() -> None:
    found = lw.examine(CountedParity(1_001, unit=2**-12), "parity", longest=300, **SMALL)
    assert found.search.word is None
    assert not found.is_proved
    assert found.raw.startswith("right on everything tried, which is not a proof")
    assert f"all words to {found.search.right_to} symbols are right" in found.raw
    assert max(found.search.longest.values()) <= 300
    assert found.certificate is None


def test_a_drifting_network_is_snapped_and_the_costs_are_said() -> None:
    found = lw.examine(Drifting(), "parity", longest=400, **SMALL)
    assert found.snapping is not None
    assert found.snapping.verdict == "equivalent"
    assert "right at every length, decided on a table" in found.verdict
    assert found.automaton is not None
    assert found.automaton.machine.num_states == 2
    assert found.automaton.is_language
    assert found.agreeing == sum(record.correct for record in found.scores.records)
    distances = [row.largest for row in found.drift]
    assert distances[-1] == pytest.approx(0.5 - 0.5 * 0.97**400, abs=0.5)
    assert found.snapped is not None
    assert lw.predict(found.snapped, ["1" * 5_001], language="parity") == ["1"]
    assert "keep their class" in str(found)


def test_a_short_wrong_word_is_the_shortest() -> None:
    torch.manual_seed(0)
    network = Layered(nn.GRU(4, 6, batch_first=True))
    model = lw.adapt(network, pad_token=2)
    found = lw.examine(model, "parity", longest=60, **SMALL)
    assert found.search.is_shortest
    assert found.search.how == "exhaustive"
    assert "all shorter words are right" in found.raw
    assert found.search.word is not None
    word = "".join(map(str, found.search.word))
    assert lw.predict(model, [word], language="parity") != [str(word.count("1") % 2)]
    assert found.network == "Layered"
    assert found.reads_symbols


class Last(nn.Module):
    """Answers from the last output, so that it cannot read the empty word."""

    def __init__(self) -> None:
        super().__init__()
        exact = parity_network()
        self.cell, self.answer = exact.cell, exact.answer

    def forward(self, tokens: Tensor) -> Tensor:
        outputs = self.cell(torch.nn.functional.one_hot(tokens.t(), 2).float())[0]
        found: Tensor = self.answer(outputs[-1])
        return found


def test_an_empty_word_that_cannot_be_read_is_left_out() -> None:
    found = lw.examine(Last(), "parity", longest=60, **SMALL)
    assert found.empty_word == "unreadable"
    said = dict(found.facts())["empty word"]
    assert said.startswith("cannot be read without lw.adapt(network, pad_token=N)")
    assert said.endswith("; all lines are about the other words")
    assert lw.predict(lw.adapt(Last(), pad_token=0), [""], language="parity") == ["0"]
    assert found.search.word is None
    assert found.snapping is not None
    assert found.snapping.verdict == "equivalent"


def test_an_empty_word_that_is_wrong_hides_nothing() -> None:
    class WrongAtStart(CountedParity):
        def start(self) -> tuple[Tensor, Tensor]:
            logits, state = super().start()
            return -logits, state

    found = lw.examine(WrongAtStart(), "parity", lengths=[0, 1, 50], **{**SMALL, "budget": 3.0})
    assert found.empty_word == "wrong"
    assert found.search.word is None
    assert found.raw.startswith("right on everything tried but the empty one, which is not a")
    assert "all words but the empty one to " in found.raw
    assert found.scores.lengths == [1, 50]
    assert "representative:  symbols" not in str(found)


class Whole(nn.Module):
    """Knows parity, except of words of 13 symbols or more; it keeps no state."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, tokens: Tensor) -> Tensor:
        odd = tokens.sum(dim=1) % 2
        if tokens.shape[1] > 12:
            odd = torch.zeros_like(odd)
        return self.weight * torch.nn.functional.one_hot(odd, 2).float()


def test_of_a_network_without_states_the_automaton_is_learned_by_queries() -> None:
    found = lw.examine(Whole(), "parity", longest=60, **SMALL)
    assert not found.reads_symbols
    assert found.snapping is None
    assert "neither the methods start and step nor a cell" in found.verdict
    assert found.automaton is not None
    assert "queries" in found.automaton.of
    assert found.search.word is not None
    assert 13 <= len(found.search.word) <= 20
    assert found.drift == []
    said = dict(found.facts())["automaton"]
    assert " learned by " in said
    assert found.automaton.learned is not None
    unlike = found.automaton.learned.counterexample
    assert said.endswith(f"; the network differs from this automaton on {unlike!r}") == bool(unlike)


def test_a_network_with_a_proof_has_its_certificate() -> None:
    found = lw.examine(lw.load("zoo:parity", device="cpu"), longest=60, **{**SMALL, "budget": 60.0})
    assert found.is_proved
    assert found.raw.startswith("proved: The model as it runs gives every word of parity its class")
    assert found.network == "regular-gpt-binary"


def test_the_record_is_plain_and_the_page_loads_nothing(tmp_path: Path) -> None:
    found = lw.examine(Drifting(), "parity", longest=100, **SMALL)
    assert isinstance(found, Examination)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["snapping"]["verdict"] == "equivalent"
    assert plain["accuracy_by_length"][0]["interval_95"][0] > 0
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "right at every length" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    with pytest.raises(ConfigError, match=r"must end in \.html"):
        found.save(tmp_path / "page.txt")


def test_a_state_that_is_rarely_not_a_number_is_refused() -> None:
    class Rare(CountedParity):
        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            logits, after = super().step(state, symbols)
            return logits, after / (after[:, 1:] != 211)

    with pytest.raises(VerificationError, match=r"not finite after .* a word of 21[12] symbols"):
        lw.examine(Rare(), "parity", lengths=[10], longest=300, **SMALL)


class Reversed(CountedParity):
    """Knows the parity, and answers the other way round until it has learned its weight."""

    def __init__(self) -> None:
        super().__init__(unit=0.0)
        self.weight = nn.Parameter(torch.tensor(-0.05))

    def read(self, state: Tensor) -> Tensor:
        return super().read(state) * self.weight


def test_a_copy_is_trained_where_the_snapped_network_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("_RATE", 0.02), ("_STEPS", 20), ("_EACH", 5)):
        monkeypatch.setattr(retraining, name, value)
    options = {**SMALL, "rounds": 2, "budget": 300.0, "validation_length": 5}
    found = lw.examine(Reversed(), "parity", lengths=[5, 50], longest=60, **options)
    assert found.search.word == (0,)  # of the network that was given
    assert found.retrained is not None
    assert found.retrained.is_proved
    assert found.snapped is found.retrained.snapping.snapped
    assert dict(found.facts())["retrained"].startswith(
        "a copy, trained in 1 round on a word of 1 symbol; snapped: right at every length"
    )
    assert found.snapped is not None
    assert lw.predict(found.snapped, ["1" * 1_001], language="parity") == ["1"]
    assert found.to_dict()["retrained"]["rounds"][0]["wrong_length"] == 1


def test_a_copy_that_cannot_be_trained_is_said_to_be_so() -> None:
    class Unused(Reversed):
        def read(self, state: Tensor) -> Tensor:
            return -CountedParity.read(self, state)

    options = {**SMALL, "rounds": 1, "budget": 300.0}
    found = lw.examine(Unused(), "parity", lengths=[5], longest=20, **options)
    said = dict(found.facts())["retrained"]
    assert said.startswith("no copy: a copy could not be trained (RuntimeError: ")


def test_slips_are_one_line() -> None:
    with pytest.raises(ConfigError, match="is not deterministic"):
        lw.examine(Positioned(), "parity", **SMALL)
    with pytest.raises(ConfigError, match="budget is a number of seconds above 0"):
        lw.examine(CountedParity(), "parity", budget=0)
    with pytest.raises(ConfigError, match="'proofs'"):
        lw.examine(CountedParity(), "parity", choose="proofs")  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="a network alone does not know its language"):
        lw.examine(CountedParity())
    with pytest.raises(VerificationError, match=r"has to return logits \[1, 5\]"):
        lw.examine(CountedParity(), "cycle-navigation")
