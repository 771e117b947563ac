"""Verification finds what is wrong, says where, and holds no claim that fails."""

import copy
import dataclasses
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.construction import EVERY_LENGTH, Computed
from lengthwise.constructions.defaults import MOST, PRECISIONS
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.verify import NAN_MARGIN, Verification, verify_construction
from lengthwise.errors import LengthwiseError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.decoder import Decoder
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.tasks.automaton import Automaton


class UpTo(nn.Module):
    """Right on words of at most `longest` symbols, with margin `height` / length; then wrong."""

    def __init__(self, language: Language, longest: int, height: float = 6.0) -> None:
        super().__init__()
        self.automaton, self.longest, self.height = Automaton(language), longest, height
        self.type_of = nn.Parameter(torch.zeros(1))

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        right = self.automaton.classify(tokens)
        logits = torch.zeros(len(tokens), self.automaton.num_classes, dtype=self.type_of.dtype)
        sign = 1.0 if length <= self.longest else -1.0
        logits[torch.arange(len(tokens)), right] = sign * self.height / max(1, length)
        return logits


def make(model: nn.Module, spec: str = "parity", **claim: Any) -> Computed:
    values: dict[str, Any] = {
        "name": spec,
        "settings": {},
        "source": "a test",
        "claim": "right",
        "about": parse(spec),
        "architecture": "regular-gpt",
        "model": model,
    }
    return Computed(**{**values, **claim})


def quickly(construction: Computed, **options: Any) -> Verification:
    chosen = {"longest": 60, "all_words": 64, "words_per_length": 4, "precisions": ["float64"]}
    return verify_construction(construction, **{**chosen, **options})


@pytest.mark.slow_except(
    "0-modular-arithmetic",
    "1-modular-arithmetic",
    "24-modular-arithmetic",
    "25-modular-arithmetic",
    "38-modular-arithmetic",
    "61-modular-arithmetic",
)
@pytest.mark.parametrize("spec", ["parity", "modular-arithmetic"])
@pytest.mark.parametrize("longest", [0, 1, 7, 24, 25, 38, 59, 60, 61])
def test_the_boundary_is_found(spec: str, longest: int) -> None:
    """The last length that is right and the first that is wrong, of those that have words."""
    language = parse(spec)
    found = quickly(make(UpTo(language, longest), spec)).precisions["float64"]
    lengths = [n for n in range(61) if spec == "parity" or (n and n % 2 == 0)]
    right = [n for n in lengths if n <= longest]
    wrong = [n for n in lengths if n > longest]
    assert found.right_to == (right[-1] if right else None)
    assert found.first_wrong == (wrong[0] if wrong else None)
    assert found.holds == (not wrong)


def test_a_wrong_word_is_shown_and_a_long_one_cut() -> None:
    short = quickly(make(UpTo(parse("parity"), 3))).precisions["float64"]
    assert short.wrong_word is not None
    assert len(short.wrong_word) == short.first_wrong == 4
    long = quickly(make(UpTo(parse("parity"), 70)), longest=80).precisions["float64"]
    assert long.wrong_word is not None
    assert len(long.wrong_word) == 63
    assert long.wrong_word.endswith("...")


def test_only_what_is_claimed_must_hold() -> None:
    model = UpTo(parse("parity"), 40)
    for claimed, holds in [({"float64": 40}, True), ({"float64": 41}, False), ({}, None)]:
        found = quickly(make(model, range=claimed))
        assert found.holds is holds
        assert found.precisions["float64"].holds_to == claimed.get("float64")
        assert found.precisions["float64"].claimed is bool(claimed)
    found = quickly(make(model, range={"float32": 40}), precisions=PRECISIONS)
    assert found.holds
    assert [name for name, some in found.precisions.items() if some.claimed] == ["float32"]
    assert found.range == "to 40 symbols in float32"


def test_what_is_not_claimed_does_not_hold_and_does_not_fail() -> None:
    """A precision without a claim is no proof of anything, right or wrong."""
    construction = construct("steps2022/addition-nor", {"bits": 1})
    found = quickly(construction, precisions=["float16"])
    assert (found.holds, found.precisions["float16"].holds) == (None, None)
    assert quickly(construction, precisions=["float16", "float32"]).holds is True


def test_a_claim_of_long_words_holds_only_as_far_as_was_asked() -> None:
    found = quickly(make(UpTo(parse("parity"), 1_000), range={"float64": 500}))
    assert (found.holds, found.precisions["float64"].holds_to) == (True, 60)
    for end in (20, 23, 59):
        found = quickly(make(UpTo(parse("parity"), 1_000), range={"float64": end}))
        assert found.precisions["float64"].holds_to == end


def test_the_margin_that_is_claimed_is_asked_of_double_precision_and_words_with_symbols() -> None:
    """The margin is 6 / length: 6 for the empty word, 0.1 at 60 symbols."""
    model = UpTo(parse("parity"), 1_000)
    for required, holds in [(0.1, True), (0.101, False), (0.1 * (1 + 1e-12), True)]:
        assert quickly(make(model, required_margin=required)).holds is holds
    single = {"precisions": ["float32"]}
    assert quickly(make(model, required_margin=1e3), **single).holds
    assert quickly(make(model, required_margin=1e3), longest=0).holds  # of the empty word nothing


def test_margins_are_those_of_the_logits() -> None:
    construction = construct("chiang2022/first")
    found = quickly(construction, longest=7, all_words=2**7).precisions["float64"]
    language = parse("first")
    words = 0
    for length in range(8):
        least = float("inf")
        for number in range(2**length):
            word = [number >> place & 1 for place in range(length)]
            logits = construction.model(torch.tensor([word], dtype=torch.int64))[0].tolist()
            right = language.classify(word)
            least = min(least, logits[right] - logits[1 - right])
            words += 1
        assert found.margin[length] == pytest.approx(least, rel=1e-9, abs=1e-300)
    assert found.words == words


def test_all_words_are_counted() -> None:
    model = UpTo(parse("parity"), 1_000)
    found = quickly(make(model), longest=20, all_words=64)
    assert (found.exhaustive_to, found.longest) == (6, 20)
    some = found.precisions["float64"]
    assert sorted(some.margin) == list(some.margin)
    assert some.words > 2**7 - 1
    assert quickly(make(model), longest=3).precisions["float64"].words == 1 + 2 + 4 + 8
    assert quickly(make(model), longest=3).exhaustive_to == 3


class Broken(nn.Module):
    """Gives these logits for every word."""

    def __init__(self, *logits: float) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(logits))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.logits.expand(len(tokens), -1)


def test_logits_that_are_no_numbers_are_wrong_and_can_be_written() -> None:
    found = quickly(make(Broken(float("nan"), 1.0)))
    some = found.precisions["float64"]
    assert (found.holds, some.right_to, some.first_wrong, some.wrong_word) == (False, None, 0, "")
    assert set(some.margin.values()) == {NAN_MARGIN}
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["holds"] is False


def test_at_a_tie_the_first_class_wins() -> None:
    for spec, holds in [("tomita-2", False), ("aa-star", False)]:
        assert quickly(make(Broken(1.0, 1.0), spec)).holds is holds
    nothing = Language(alphabet=("a",), transitions=((0,),), classes=(0,))
    found = quickly(make(Broken(1.0, 1.0), about=nothing))
    assert found.holds
    assert set(found.precisions["float64"].margin.values()) == {0.0}


def test_with_one_class_nothing_is_wrong() -> None:
    alone = Language(alphabet=("a", "b"), transitions=((0, 0),), classes=(0,), class_names=("x",))
    found = quickly(construct(alone), longest=12)
    assert found.holds
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_what_is_verified_stays_as_it_is() -> None:
    construction = construct("parity")
    before = copy.deepcopy(construction.model.state_dict())
    assert quickly(construction, precisions=PRECISIONS).holds
    after = construction.model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {weight.dtype for weight in after.values()} == {torch.float64}


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    quickly(
        make(UpTo(parse("parity"), 99)),
        precisions=["float64", "float32"],
        progress=lambda done, total: told.append((done, total)),
    )
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))


def test_what_cannot_be_asked_is_refused() -> None:
    construction = construct("modular-arithmetic-left-to-right")
    with pytest.raises(VerificationError, match="no word of at most 1 symbols"):
        verify_construction(construction, longest=1)
    for name, value in [("longest", -3), ("all_words", 0), ("words_per_length", 0), ("seed", -1)]:
        with pytest.raises(VerificationError, match=f"{name}: {value} is too small"):
            verify_construction(construction, **{name: value})  # type: ignore[arg-type]
    for name, most in MOST.items():
        with pytest.raises(VerificationError, match=f"{name}: {most + 1} is too large"):
            verify_construction(construction, **{name: most + 1})  # type: ignore[arg-type]
    with pytest.raises(VerificationError, match="precisions: 0 is too small"):
        verify_construction(construction, precisions=[])
    with pytest.raises(VerificationError, match=r"precision 'float8'\. Did you mean 'float"):
        verify_construction(construction, precisions=["float8"])


# ---- faults that are planted -------------------------------------------------------------------


def swap_answers(model: nn.Module) -> None:
    assert isinstance(model, RegularGPT)
    model.answer.weight.copy_(model.answer.weight.flip(0))


def drop_a_product(model: nn.Module) -> None:
    assert isinstance(model, RegularGPT)
    model.block[0].contract.weight[:, model.config.d_model] = 0.0


def forget_the_pad(model: nn.Module) -> None:
    assert isinstance(model, RegularGPT)
    model.pad.zero_()


@pytest.mark.slow_except("drop_a_product-parity", "drop_a_product-tomita-2", "swap_answers-parity")
@pytest.mark.parametrize("spec", ["parity", "tomita-2", "d-2", "group:Z3"])
@pytest.mark.parametrize("plant", [swap_answers, drop_a_product, forget_the_pad])
def test_faults_of_automata_are_found(spec: str, plant: Callable[[nn.Module], None]) -> None:
    construction = construct(spec, {"target": "elements"})
    assert quickly(construction, longest=16).holds
    with torch.no_grad():
        plant(construction.model)
    found = quickly(construction, longest=16)
    assert not found.holds
    some = found.precisions["float64"]
    assert some.wrong_word is not None
    language = parse(spec)
    word = language.encode(some.wrong_word)
    logits = construction.model(torch.tensor([word], dtype=torch.int64))[0]
    assert int(logits.argmax()) != language.classify(word)


@pytest.mark.slow_except("pad")
@pytest.mark.parametrize("place", ["embedding.weight", "layers.0.contract.bias", "pad"])
def test_a_vector_that_is_not_of_zeros_and_ones_is_found(place: str) -> None:
    """Though every answer is still right."""
    construction = construct("tomita-2", {"target": "elements"})
    assert all(found.is_binary for found in quickly(construction).precisions.values())
    with torch.no_grad():
        construction.model.get_parameter(place).view(-1)[0] += 0.01
    found = quickly(construction)
    some = found.precisions["float64"]
    assert (found.holds, some.is_binary, some.first_wrong) == (False, False, None)
    unclaimed = quickly(dataclasses.replace(construction, is_binary=False))
    assert (unclaimed.holds, unclaimed.precisions["float64"].is_binary) == (True, None)


@pytest.mark.slow_except("0", "4")
@pytest.mark.parametrize("state", range(7))
def test_one_wrong_transition_is_found(state: int) -> None:
    language = parse("count:1:7")
    rows = [list(row) for row in language.transitions]
    rows[state][1] = (rows[state][1] + 1) % 7
    other = dataclasses.replace(language, transitions=tuple(map(tuple, rows)), spec="")
    found = quickly(dataclasses.replace(construct(other), about=language), longest=40)
    assert not found.holds
    assert found.precisions["float64"].first_wrong == state + 1  # that many 1s are needed


@pytest.mark.parametrize("name", ["steps2022/addition-1", "steps2022/addition-2"])
def test_gates_of_other_places_are_found(name: str) -> None:
    construction = construct(name, {"bits": 2})
    found = quickly(construction)
    assert (found.holds, found.is_circuit, found.exhaustive_to) == (True, True, 4)
    assert found.precisions["float64"].words == 16
    assert found.precisions["float64"].margin[4] >= found.required_margin > 13
    for place in (4, 9, 12):
        broken = construct(name, {"bits": 2})
        assert isinstance(broken.model, Decoder)
        with torch.no_grad():  # two places are taken for each other
            vectors = broken.model.state_dict()["position.vectors"]
            vectors[[place, place - 1]] = vectors[[place - 1, place]].clone()
        found = quickly(broken)
        assert not found.holds
        assert found.precisions["float64"].wrong_word is not None
        assert len(found.precisions["float64"].wrong_word) == 4


def test_every_flipped_gate_is_found() -> None:
    construction = construct("steps2022/addition-1", {"bits": 2})
    sequence = construction.about
    assert isinstance(sequence, GateSequence)
    others = {"XOR": "OR", "AND": "XOR", "CONST0": "CONST1"}
    flipped = 0
    for place, step in enumerate(sequence.steps):
        wrong = dataclasses.replace(step, kind=others[step.kind])
        steps = (*sequence.steps[:place], wrong, *sequence.steps[place + 1 :])
        about = dataclasses.replace(sequence, steps=steps)
        found = quickly(dataclasses.replace(construction, about=about))
        differ = any(
            about.complete(bits) != sequence.complete(bits)
            for bits in itertools.product((0, 1), repeat=4)
        )
        assert found.holds is not differ
        flipped += differ
    assert flipped > len(sequence.steps) // 2  # the first carry is 0, so some gates may be others


def test_a_claim_of_more_certainty_than_there_is_fails() -> None:
    construction = construct("steps2022/addition-1", {"bits": 1, "error": 1e-3})
    assert quickly(construction).holds
    bold = dataclasses.replace(construction, required_margin=30.0)
    assert not quickly(bold).holds


@pytest.mark.parametrize("claimed", [{"float64": None}, EVERY_LENGTH])
def test_a_false_claim_of_every_length_fails(claimed: dict[str, int | None]) -> None:
    construction = construct("chiang2022/first-flawed", {"sharpness": 2.0})
    assert quickly(construction).holds
    assert construction.range["float64"] == 7
    found = quickly(dataclasses.replace(construction, range=claimed))
    assert not found.holds
    assert found.precisions["float64"].first_wrong == 8


def test_an_error_inside_is_not_taken_for_an_answer() -> None:
    with pytest.raises((LengthwiseError, RuntimeError, IndexError)):
        quickly(make(construct("parity").model, "group:Z3"))
