"""Verdicts on networks against brute force: of what was learned, and of what was spoilt after."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lengthwise.errors import CertificateError, LanguageError, VerificationError
from lengthwise.languages import elements
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.problems.base import Run
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from ordinary import few
from proofs.trained import ENDS_WITH_1, last_symbol, of_odd_length, random_model, train_proved

Word = tuple[int, ...]

PROVED = ["parity", "tomita-5"]


@pytest.fixture(scope="session", params=PROVED)
def proved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_proved(tmp_path_factory, request.param)


@cache
def list_answers(language: Language, length: int) -> tuple[Tensor, Tensor]:
    """All words of the domain of a length, and their classes."""
    words = [
        word
        for word in product(range(language.num_symbols), repeat=length)
        if language.domain is None or language.domain.classify(word) == 1
    ]
    tokens = torch.tensor(words, dtype=torch.int64).view(len(words), length)
    return tokens, torch.tensor([language.classify(word) for word in words])


@torch.no_grad()
def shortest_wrong(model: RegularGPT, language: Language, most: int) -> int | None:
    """The length of the shortest word of the domain that the model itself gets wrong."""
    for length in range(most + 1):
        words, true = list_answers(language, length)
        if len(words) and (model(words).argmax(dim=1) != true).any():
            return length
    return None


def copy_of(model: nn.Module) -> RegularGPT:
    assert isinstance(model, RegularGPT)
    copy = RegularGPT(model.config)
    copy.load_state_dict(model.state_dict())
    return copy.eval()


def require_wrong(made: Certificate, model: RegularGPT, language: Language, most: int) -> None:
    """The verdict is a word, no longer than `most`, that the model does get wrong."""
    assert made.verdict == "counterexample", made.statement
    assert made.counterexample is not None
    word = language.encode(made.counterexample.word)
    assert len(word) <= most
    assert made.checked_length == len(word) - 1
    with torch.no_grad():
        given = int(model(torch.tensor([word], dtype=torch.int64).view(1, len(word))).argmax())
    assert given != language.classify(word)
    assert made.counterexample.model == language.class_names[given]
    assert made.counterexample.language == language.class_names[language.classify(word)]


# ---- what was learned ------------------------------------------------------------------------


def test_what_training_proved_is_proved_again_and_holds_on_long_words(proved: Run) -> None:
    made = certify(proved.model, proved.language)
    assert (made.verdict, made.strength) == ("equivalent", "discrete")
    assert (made.counterexample, made.checked_length, made.reason) == (None, None, "")
    assert "every word of" in made.statement
    assert made.margins is not None
    assert made.margins.is_certain
    measured, radius = made.margins.measured, made.margins.sign_radius
    assert measured is not None
    assert radius is not None
    assert 0 < measured < radius
    assert shortest_wrong(copy_of(proved.model), proved.language, 10) is None
    generator = torch.Generator().manual_seed(0)
    for length in (63, 64, 65, 300, 1000):
        words = torch.randint(proved.language.num_symbols, (60, length), generator=generator)
        true = [proved.language.classify(tuple(word)) for word in words.tolist()]
        with torch.no_grad():
            assert proved.model(words).argmax(dim=1).tolist() == true


def test_the_same_model_gives_the_same_certificate(proved: Run) -> None:
    first, second = (certify(proved.model, proved.language) for _ in range(2))
    assert first.to_bytes() == second.to_bytes()
    assert first.model_digest == certify(copy_of(proved.model), proved.language).model_digest


# ---- another language than the one that was learned -----------------------------------------


def change_languages(language: Language) -> list[Language]:
    """Each transition and each class changed, one at a time; some are the same language again."""
    found = []
    for state, row in enumerate(language.transitions):
        for symbol, target in product(range(language.num_symbols), range(language.num_states)):
            if target != row[symbol]:
                other = (*row[:symbol], target, *row[symbol + 1 :])
                rows = list(language.transitions)
                rows[state] = other
                found.append(replace(language, transitions=tuple(rows)))
        turned = list(language.classes)
        turned[state] = 1 - turned[state]
        found.append(replace(language, classes=tuple(turned)))
    return found


def unroll(language: Language, times: int) -> Language:
    """The same language with states that count symbols up to `times`, so that changes come late."""
    states = list(product(range(times), range(language.num_states)))
    number = {state: index for index, state in enumerate(states)}
    return Language(
        alphabet=language.alphabet,
        transitions=tuple(
            tuple(number[min(count + 1, times - 1), target] for target in language.transitions[s])
            for count, s in states
        ),
        classes=tuple(language.classes[s] for _, s in states),
        start=number[0, language.start],
    )


@pytest.mark.slow_except("parity")
def test_every_change_of_the_language_is_found_with_a_shortest_word(proved: Run) -> None:
    """The model *is* the language, so the shortest word on which two languages differ is known."""
    model, differing, longest = copy_of(proved.model), 0, 0
    language = proved.language.minimise()
    changed, late = change_languages(language), change_languages(unroll(language, 6))
    some = few(5, 10)
    for other in changed[:: 1 + len(changed) // some] + late[5 :: 1 + len(late) // some]:
        word = language.difference(other)
        made = certify(model, other)
        if word is None:
            assert made.verdict == "equivalent"
            continue
        differing += 1
        longest = max(longest, len(word))
        require_wrong(made, model, other, len(word))
        assert made.counterexample is not None
        assert len(made.counterexample.word) == len(word)
        check(made)
    assert differing > some // 2
    assert longest >= 4


def test_an_equivalent_machine_with_more_states_is_proved_as_well(proved: Run) -> None:
    larger = unroll(proved.language.minimise(), 5)
    assert certify(proved.model, larger).verdict == "equivalent"


# ---- another model than the one that was learned ---------------------------------------------

Change = Callable[[RegularGPT, torch.Generator], None]


def entry_of(name: str, factor: float) -> Change:
    """One entry of a matrix becomes large, with its sign turned."""

    def change(model: RegularGPT, generator: torch.Generator) -> None:
        weight = model.get_parameter(name).data.view(-1)
        index = int(torch.randint(len(weight), (), generator=generator))
        weight[index] = -factor * (weight[index] + weight[index].sign() * weight.abs().mean())

    return change


def noise(share: float) -> Change:
    """All weights move by a share of their size."""

    def change(model: RegularGPT, generator: torch.Generator) -> None:
        for parameter in model.parameters():
            by = torch.randn(parameter.shape, generator=generator) * parameter.data.std()
            parameter.data.add_(by, alpha=share)

    return change


def swap_answer(model: RegularGPT, generator: torch.Generator) -> None:
    """The rows of the read-out change places."""
    model.answer.weight.data = model.answer.weight.data.flip(0)
    model.answer.bias.data = model.answer.bias.data.flip(0)


def leaning_answer(model: RegularGPT, generator: torch.Generator) -> None:
    """One class is preferred by more and less."""
    lean = 20 * torch.randn((), generator=generator)
    model.answer.bias.data[0] += lean


CHANGES: dict[str, Change] = {
    "embedding": entry_of("embedding.weight", 5.0),
    "pad": entry_of("pad", 20.0),
    "query": entry_of("layers.0.attention.query.weight", 20.0),
    "values": entry_of("layers.0.attention.key_value.weight", 20.0),
    "bias": entry_of("layers.0.attention.bias", 10.0),
    "expand": entry_of("layers.0.expand.weight", 20.0),
    "contract": entry_of("layers.0.contract.weight", 20.0),
    "write": entry_of("memory.write.weight", 10.0),
    "read": entry_of("memory.read.weight", 10.0),
    "readout": entry_of("answer.weight", 10.0),
    "swapped": swap_answer,
    "leaning": leaning_answer,
    "noise 0.1": noise(0.1),
    "noise 0.2": noise(0.2),
    "noise 0.3": noise(0.3),
    "noise 0.5": noise(0.5),
    "noise 1.0": noise(1.0),
}


@pytest.mark.slow
@pytest.mark.slow_except("parity")
def test_no_change_of_the_weights_is_proved_right_where_a_word_is_wrong(proved: Run) -> None:
    verdicts: list[str] = []
    lengths: list[int] = []
    for number, (name, change) in enumerate(CHANGES.items()):
        for seed in range(3 if "noise" in name else 1):
            model = copy_of(proved.model)
            change(model, torch.Generator().manual_seed(100 * number + seed))
            made = certify(model, proved.language)
            brute = shortest_wrong(model, proved.language, 8 if made.verdict == "equivalent" else 7)
            verdicts.append(made.verdict)
            if brute is not None:
                lengths.append(brute)
                require_wrong(made, model, proved.language, brute)
            elif made.verdict == "counterexample":
                require_wrong(made, model, proved.language, 2**22)
    assert verdicts.count("counterexample") > 8
    assert verdicts.count("equivalent") > 1
    assert sum(length > 1 for length in lengths) > 2


@pytest.mark.slow
def test_no_change_of_the_weights_to_length_12(proved: Run) -> None:
    for number, change in enumerate(CHANGES.values()):
        for seed in range(20):
            model = copy_of(proved.model)
            change(model, torch.Generator().manual_seed(1000 * number + seed))
            made = certify(model, proved.language)
            brute = shortest_wrong(model, proved.language, 12)
            if brute is not None:
                require_wrong(made, model, proved.language, brute)


@pytest.mark.slow_except("2")
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_random_models_are_wrong_where_brute_force_says_so(chunk_size: int) -> None:
    """Never taught, with domains of all kinds; most are wrong early, and some words are long."""
    domains = [None, of_odd_length(), ENDS_WITH_1, parse("regex:(01)*0?", alphabet="01")]
    found = []
    for seed in range(few(12, 24)):
        language = replace(parse("parity"), domain=domains[seed % 4])
        pad = "learned" if seed % 3 else "absent"
        model = random_model(
            language, seed, chunk_size=chunk_size, pad=pad, norm=["post", "pre"][seed % 2]
        )
        made = certify(model, language)
        brute = shortest_wrong(model, language, 7)
        if brute is not None:
            require_wrong(made, model, language, brute)
            assert made.counterexample is not None
            assert len(made.counterexample.word) == brute
            found.append(brute)
            check(made)
        else:
            assert made.verdict != "equivalent" or shortest_wrong(model, language, 10) is None
    assert len(set(found)) > 1


# ---- models made by hand ---------------------------------------------------------------------


@pytest.mark.slow_except("2")
@pytest.mark.parametrize("chunk_size", [2, 3, 5])
def test_a_model_made_by_hand_is_proved_with_any_chunk_and_domain(chunk_size: int) -> None:
    model = last_symbol(chunk_size)
    for domain in (None, of_odd_length(), parse("regex:0*1?0*", alphabet="01")):
        language = replace(ENDS_WITH_1, domain=domain)
        made = certify(model, language)
        assert made.verdict == "equivalent"
        check(made)
        starts = replace(parse("regex:1(0|1)*", alphabet="01"), domain=domain)
        brute = shortest_wrong(model, starts, 5)
        assert brute is not None
        require_wrong(certify(model, starts), model, starts, brute)


@pytest.mark.parametrize("size", [1e38, 3.4e38])
def test_a_model_that_overflows_in_float32_is_not_proved_in_float64(size: float) -> None:
    """All its sums are infinite, so it gives every word class 0; float64 would not notice."""
    model = last_symbol(size=size)
    with torch.no_grad():
        model.memory.write.weight.mul_(1e-20)  # type: ignore[union-attr, operator]
    broken = shortest_wrong(model, ENDS_WITH_1, 3)
    with np.errstate(invalid="ignore"):
        made = certify(model, ENDS_WITH_1)
    if broken is None:
        assert size < 2e38
    else:
        assert made.verdict != "equivalent"
        nothing = ~parse("regex:(0|1)*", alphabet="01")  # what it says, and float64 does not
        assert shortest_wrong(model, nothing, 3) is None
        with np.errstate(invalid="ignore"):
            assert certify(model, nothing).verdict == "not-closed"
    assert certify(last_symbol(), ENDS_WITH_1).verdict == "equivalent"


@pytest.mark.slow_except("memory.write.bias", "pad")
@pytest.mark.parametrize(
    "name",
    [
        *("embedding.weight", "pad", "memory.write.bias", "answer.bias"),
        *("memory.write.weight", "layers.0.expand.weight", "memory.norm.weight", "answer.weight"),
    ],
)
def test_nothing_is_certain_of_weights_that_are_no_numbers(name: str) -> None:
    """Even where the answers happen to be right."""
    all_words = parse("regex:(0|1)*", alphabet="01")
    for value in (float("nan"), float("inf"), -float("inf")):
        model = last_symbol()
        model.get_parameter(name).data.view(-1)[-1] = value
        for target in (ENDS_WITH_1, ~ENDS_WITH_1, all_words, ~all_words):
            with np.errstate(invalid="ignore"):
                made = certify(model, target)
            assert made.verdict != "equivalent"
            assert made.margins is not None
            if made.verdict == "counterexample":
                require_wrong(made, model, target, 4)
            else:
                assert not made.margins.is_certain


def test_a_sign_at_zero_is_not_certain() -> None:
    """A dead bit is 0 or above whatever the word, but rounding could turn any zero."""
    model = last_symbol()
    with torch.no_grad():
        model.memory.write.weight.zero_()  # type: ignore[union-attr, operator]
        model.answer.weight.zero_()
        model.answer.bias.copy_(torch.tensor([0.0, 1.0]))
    made = certify(model, parse("regex:(0|1)*", alphabet="01"))
    assert made.verdict == "not-closed"
    assert "sign" in made.reason
    with torch.no_grad():
        model.answer.bias.copy_(torch.tensor([0.0, 0.0]))
        model.memory.write.bias.fill_(1.0)  # type: ignore[union-attr, operator]
    made = certify(model, ~parse("regex:(0|1)*", alphabet="01"))
    assert made.verdict == "not-closed"
    assert "answer" in made.reason


# ---- codes -----------------------------------------------------------------------------------


# ---- what cannot be certified ----------------------------------------------------------------


class Other(nn.Module):
    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        return tokens.new_zeros(len(tokens), 2).float()


@pytest.mark.parametrize(
    ("model", "language", "values", "message"),
    [
        (Other(), "parity", {}, "Other"),
        (last_symbol(), "cycle-navigation", {}, "2 symbols and 2 classes.*has 3 and 5"),
        (last_symbol(), "count:a:3", {}, "2 symbols and 2 classes"),
        (
            RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2)),
            "parity",
            {"strength": "discrete"},
            "continuous",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    model: nn.Module, language: str, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(VerificationError, match=message):
        certify(model, parse(language), **values)


def test_past_the_bound_there_is_no_verdict_and_it_says_how_much_there_was(proved: Run) -> None:
    made = certify(proved.model, proved.language, max_chunks=9)
    assert made.verdict == "not-closed"
    assert "10 chunks of 2 interior and 2 edge pairs, more than 9" in made.reason
    assert made.checked_length == 0
    assert made.counterexample is None
    assert made.repeats is None
    assert made.reason in made.statement
    with pytest.raises(CertificateError, match="proves nothing"):
        check(made)


def test_languages_with_too_many_state_maps_are_refused(
    proved: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elements, "MAX_ELEMENTS", 1)
    with pytest.raises(LanguageError, match="more than 1 state maps"):
        certify(proved.model, proved.language)
