"""Certificates of scratchpads with windows: true ones are found, no fault is proved away."""

import copy
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from ordinary import few
from proofs.search.test_certify_recurrent import (
    assert_wrong_empty_word_is_told,
    attack,
    is_true_of,
    long_words,
    with_weights,
    wrong_words,
)
from proofs.windowed import automaton_of, random_scratchpad
from strategies import all_words

networks = st.builds(
    random_scratchpad,
    st.integers(0, 10**6),
    num_states=st.sampled_from([1, 3, 6]),
    num_digits=st.just(1),
    vocab_size=st.sampled_from([1, 2, 3]),
    num_classes=st.sampled_from([2, 3]),
    window=st.sampled_from([2, 2, 3, 4]),
    num_layers=st.sampled_from([1, 1, 2]),
    norm=st.sampled_from(["pre", "post"]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)


@settings(max_examples=few(5, 20), deadline=None)
@given(model=networks)
def test_a_network_is_proved_about_the_automaton_that_it_is(model: Any) -> None:
    own = automaton_of(model)
    made = certify(model, own)
    if made.verdict == "not-closed":  # some number is within rounding of another
        assert made.margins is not None
        assert not made.margins.is_certain
        return
    assert made.verdict == "equivalent"
    assert len(made.elements["contexts"]) == own.num_states
    assert check(made).statement == made.statement
    assert wrong_words(model.double(), own, all_words(own, 4)) == 0


def test_a_wrong_empty_word_is_told_whatever_steps_would_compute() -> None:
    for seed in range(10):
        model = random_scratchpad(seed, norm="none", num_classes=3, dtype=torch.float32)
        with torch.no_grad():
            model.embedding.weight[2].mul_(1e-3)  # of the start
            for bias in (
                model.write.bias,
                model.layers[0].expand.bias,
                model.layers[0].contract.bias,
            ):
                bias.mul_(1e-3)
        assert_wrong_empty_word_is_told(model, automaton_of(model))


@settings(max_examples=few(8, 20), deadline=None)
@given(model=networks, data=st.data())
def test_the_shortest_wrong_word_is_that_of_the_two_automata(model: Any, data: Any) -> None:
    own = automaton_of(model)
    state = data.draw(st.integers(0, own.num_states - 1))
    classes = list(own.classes)
    classes[state] = (classes[state] + 1) % own.num_classes
    other = replace(own, classes=tuple(classes))
    difference = own.difference(other)
    made = certify(model, other)
    assert difference is not None
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    word = other.encode(made.counterexample.word)
    assert len(word) == len(difference)
    assert own.classify(word) != other.classify(word)
    if made.margins is not None and made.margins.is_certain:
        assert check(made).counterexample == made.counterexample


def test_too_many_contexts_are_not_closed() -> None:
    model = random_scratchpad(5, num_states=50, window=4, num_layers=2)
    made = certify(model, automaton_of(model), max_chunks=2)
    assert made.verdict == "not-closed"
    assert "codes in pairs with states" in made.reason
    assert "more than 2" in made.reason


@pytest.mark.parametrize("strength", ["snapped", "robust", "structural"])
def test_other_strengths_are_not_for_tokens(strength: Any) -> None:
    model = random_scratchpad(0)
    with pytest.raises(VerificationError, match=r"a scratchpad of tokens.* Use 'discrete'"):
        certify(model, automaton_of(model), strength=strength)


# ---- planted faults: in networks ---------------------------------------------------------------


@cache
def language_of_seven() -> Language:
    draw = random.Random("planted faults in tokens")
    while True:
        language = Language(
            alphabet=("a", "b"),
            transitions=tuple((draw.randrange(7), draw.randrange(7)) for _ in range(7)),
            classes=tuple(draw.randrange(2) for _ in range(7)),
        )
        if language.minimise().num_states == 7:
            return language


@pytest.fixture(scope="module", params=[{}, {"window": 3, "num_digits": 2}], ids=["2", "3"])
def proved(request: pytest.FixtureRequest) -> Any:
    """A network trained on a random automaton with a window of 2 or 3, and the automaton."""
    language = language_of_seven()
    run = lw.train(language, "scratchpad-window", device="cpu", d_model=16, **request.param)
    assert run.metrics[-1]["proved"]
    return run.model, language


def copy_of(model: Any) -> Any:
    copied = WindowScratchpad(copy.deepcopy(model.config)).double()
    copied.load_state_dict(model.state_dict())
    return copied.eval()


@pytest.fixture(scope="module")
def certificate(proved: Any) -> Certificate:
    return certify(*proved)


@pytest.mark.slow_except("2")
def test_a_trained_network_is_right_on_words_of_all_lengths(
    proved: Any, certificate: Certificate
) -> None:
    model, language = proved
    assert certificate.verdict == "equivalent"
    words = all_words(language, 7) + long_words(language, 20, few(200, 1000), 0)
    assert wrong_words(model, language, words) == 0


def plant(model: Any, language: Language, seed: int) -> tuple[Any, Language, str]:
    """The network or the language with one fault: a weight, a token, a transition or a class."""
    draw = random.Random(seed)
    model = copy_of(model)
    kind = draw.choice(["weight", "weight", "token", "digit", "transition", "class", "symbol"])
    rows = [list(row) for row in language.transitions]
    classes = list(language.classes)
    with torch.no_grad():
        if kind == "weight":
            parameter = draw.choice(list(model.parameters())).view(-1)
            place = draw.randrange(len(parameter))
            parameter[place] = parameter[place] * draw.choice([0, -1, 3]) + draw.choice([0, 2])
        elif kind == "token":
            first = language.num_symbols + 1
            one, other = draw.sample(range(first, first + 7), 2)
            model.embedding.weight[one] = model.embedding.weight[other]
        elif kind == "digit":
            model.write.bias[draw.randrange(len(model.write.bias))] += draw.choice([-4, 4])
        elif kind == "symbol":
            model.embedding.weight[0] = model.embedding.weight[1]
        elif kind == "transition":
            rows[draw.randrange(len(rows))][draw.randrange(2)] = draw.randrange(len(rows))
        else:
            state = draw.randrange(len(rows))
            classes[state] = 1 - classes[state]
    changed = replace(language, transitions=tuple(map(tuple, rows)), classes=tuple(classes))
    return model, changed, kind


def judge(model: Any, language: Language, seeds: range) -> Counter[str]:
    """The verdicts about planted faults, each compared with the automaton of the running model."""
    found: Counter[str] = Counter()
    for seed in seeds:
        faulty, other, kind = plant(model, language, seed)
        difference = automaton_of(faulty).difference(other)
        made = certify(faulty, other)
        if made.verdict == "equivalent":
            assert difference is None, f"{kind} {seed}"
        elif made.verdict == "counterexample":
            assert difference is not None
            assert made.counterexample is not None
            assert len(made.counterexample.word) == len(difference), f"{kind} {seed}"
        found[f"{kind}: {made.verdict}"] += 1
    return found


@pytest.mark.slow_except("2")
def test_no_planted_fault_is_proved_away(proved: Any) -> None:
    found = judge(proved[0], proved[1], range(few(8, 16)))
    assert sum(found[f"{kind}: counterexample"] for kind in ("token", "class", "symbol")) > 1


@pytest.mark.slow
def test_none_of_many_planted_faults_is_proved_away(proved: Any) -> None:
    print(judge(proved[0], proved[1], range(20, 620)))


@pytest.mark.parametrize("how", ["hook", "method", "layer", "window"])
def test_a_network_with_code_of_its_own_is_refused(proved: Any, how: str) -> None:
    model, language = copy_of(proved[0]), proved[1]
    if how == "hook":
        model.write.register_forward_hook(lambda _, __, out: -out)
    elif how == "method":
        model.predict_token = lambda contexts: contexts[:, 0]
    elif how == "layer":
        model.layers[0].forward = lambda x, present, generator: x[:, -1]
    else:
        object.__setattr__(model.config, "window", 4)
    with pytest.raises(VerificationError, match="answers may not follow"):
        certify(model, language)


def test_a_tie_of_tokens_is_not_proved() -> None:
    """Two states whose logits are equal for every input are never told apart for certain."""
    model = random_scratchpad(3)
    with torch.no_grad():
        model.write.weight[:] = 0.0
        model.write.bias[:] = torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0])
    made = certify(model, automaton_of(model))
    assert made.verdict == "not-closed"
    assert "another token be written" in made.reason


# ---- planted faults: in certificates -------------------------------------------------------------


def test_a_certificate_is_read_back_and_checked_without_its_maker(
    certificate: Certificate, tmp_path: Path
) -> None:
    made = certificate
    made.save(tmp_path / "c.json")
    verified = check(Certificate.load(tmp_path / "c.json"))
    assert verified.statement == made.statement
    assert verified.summary()["elements"] == len(made.elements["contexts"])
    assert "WindowScratchpad" in " ".join(verified.summary()["terms"])
    assert verified.margins is not None
    assert verified.margins.room is not None
    assert verified.margins.room > 0


def _contexts(made: Certificate, contexts: list[list[int]]) -> Certificate:
    return replace(made, elements={"contexts": contexts})


def _edge(made: Certificate, level: int, pairs: Any) -> Certificate:
    levels = list(made.levels)
    levels[level] = {"interior": (), "edge": tuple(pairs)}
    return replace(made, levels=tuple(levels))


def _weight(made: Certificate, name: str, factor: float) -> Certificate:
    return replace(made, weights={**made.weights, name: made.weights[name] * factor})


CHANGES: dict[str, Any] = {
    "a pair left out": lambda c: _edge(c, 1, c.levels[1]["edge"][:-1]),
    "a pair added": lambda c: _edge(c, 1, (*c.levels[1]["edge"], (0, 0))),
    "a level cut off": lambda c: replace(c, levels=c.levels[:-1]),
    "a context that is not met": lambda c: _contexts(
        c, [*c.elements["contexts"], [0] * len(c.elements["contexts"][0])]
    ),
    "contexts exchanged": lambda c: _contexts(c, c.elements["contexts"][::-1]),
    "a context left out": lambda c: _contexts(c, c.elements["contexts"][:-1]),
    "a context twice": lambda c: _contexts(c, [*c.elements["contexts"], c.elements["contexts"][0]]),
    "longer contexts": lambda c: _contexts(c, [[0, *each] for each in c.elements["contexts"]]),
    "codes": lambda c: replace(c, elements={"codes": ["00"]}),
    "another strength": lambda c: replace(c, strength="robust"),
    "a class": lambda c: replace(
        c,
        language=replace(c.language, classes=(1 - c.language.classes[0], *c.language.classes[1:])),
    ),
    "a weight": lambda c: _weight(c, "write.weight", -1.0),
    "embeddings": lambda c: _weight(c, "embedding.weight", 0.0),
    "no number": lambda c: _weight(c, "answer.bias", np.nan),
    "a window": lambda c: replace(c, settings={**c.settings, "window": 9}),
    "layers": lambda c: replace(c, settings={**c.settings, "num_layers": 2**40}),
    "states": lambda c: replace(c, settings={**c.settings, "num_states": 2**60}),
    "another network": lambda c: replace(
        c, settings={k: v for k, v in c.settings.items() if k != "window"}
    ),
    "a verdict": lambda c: replace(c, verdict="counterexample"),
}


@pytest.mark.slow_except(
    "2-a context left out",
    "2-a context twice",
    "2-a level cut off",
    "2-a verdict",
    "2-another strength",
    "2-codes",
    "2-contexts exchanged",
    "3-layers",
)
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_certificate_is_refused(
    certificate: Certificate, name: str, tmp_path: Path
) -> None:
    changed = CHANGES[name](certificate)
    changed.save(tmp_path / "c.json")  # with a digest that fits
    with pytest.raises(CertificateError):
        check(Certificate.load(tmp_path / "c.json"))


def is_true(verified: Certificate) -> bool:
    """Whether the automaton of the network in the file is as the statement says."""
    model = WindowScratchpad(WindowScratchpadConfig.from_dict(verified.settings))
    return is_true_of(verified, automaton_of(with_weights(model, verified)))


@pytest.mark.slow_except("2-False")
@pytest.mark.parametrize("wrong", [False, True])
def test_no_forgery_is_believed_with_a_false_statement(proved: Any, wrong: bool) -> None:
    model, language = proved
    if wrong:
        language = language ^ lw.language("regex:(a|b)(a|b)(a|b)a*b", "ab")
    made = certify(model, language)
    assert (made.counterexample is not None) == wrong
    assert is_true(made)
    assert attack(made, range(30), is_true)["refused"] > 15


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 5])
def test_none_of_many_forgeries_is_believed_with_a_false_statement(proved: Any, seed: int) -> None:
    small = random_scratchpad(seed)
    for made in (certify(*proved), certify(small, automaton_of(small))):
        print(attack(made, range(1000 * seed, 1000 * seed + 500), is_true))
