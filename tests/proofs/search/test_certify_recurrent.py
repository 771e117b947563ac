"""Certificates of recurrent networks: true ones are found, and no planted fault is proved away."""

import copy
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.network import weights_of
from ordinary import few
from proofs.forger import body_of, merge_elements, one_field, sign, swap_classes, write
from proofs.recurrent import automaton_of, random_recurrence
from proofs.slots import slots_of
from proofs.windowed import random_scratchpad
from strategies import all_words

networks = st.builds(
    random_recurrence,
    st.integers(0, 10**6),
    cell=st.sampled_from(["elman", "gru"]),
    num_bits=st.sampled_from([1, 3, 4, 9]),
    vocab_size=st.sampled_from([1, 2, 3]),
    num_classes=st.sampled_from([2, 3]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)


def long_words(language: Language, count: int, longest: int, seed: int) -> list[tuple[int, ...]]:
    """Random words of odd and even lengths from 1 to `longest`."""
    draw = random.Random(seed)
    symbols = range(language.num_symbols)
    return [tuple(draw.choices(symbols, k=draw.randint(1, longest))) for _ in range(count)]


def wrong_words(model: Any, language: Language, words: list[tuple[int, ...]]) -> int:
    """How many words the model as it runs puts into another class, in both precisions."""
    wrong = 0
    true = torch.tensor([language.classify(word) for word in words])
    for network in (model, type(model)(model.config)):
        if network is not model:
            network.load_state_dict(model.state_dict())
            network.float().eval()
        wrong += int((logits_of(network, words, device="cpu").argmax(dim=1) != true).sum())
    return wrong


@settings(max_examples=few(6, 20))
@given(model=networks)
def test_a_network_is_proved_about_the_automaton_that_it_is(model: Any) -> None:
    own = automaton_of(model)
    made = certify(model, own)
    if made.verdict == "not-closed":  # some number is within rounding of 0
        assert made.margins is not None
        assert not made.margins.is_certain
        return
    assert made.verdict == "equivalent"
    assert len(made.elements["codes"]) == own.num_states
    assert check(made).statement == made.statement
    assert wrong_words(model, own, all_words(own, 5)) == 0


@settings(max_examples=20)
@given(model=networks, data=st.data())
def test_the_shortest_wrong_word_is_that_of_the_two_automata(model: Any, data: Any) -> None:
    own = automaton_of(model)
    state = data.draw(st.integers(0, own.num_states - 1))
    classes = list(own.classes)
    classes[state] = (classes[state] + 1) % own.num_classes
    rows = [list(row) for row in own.transitions]
    rows[state][0] = data.draw(st.integers(0, own.num_states - 1))
    other = replace(own, classes=tuple(classes), transitions=tuple(map(tuple, rows)))
    difference = own.difference(other)
    made = certify(model, other)
    if difference is None:
        assert made.verdict != "counterexample"
        return
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    word = other.encode(made.counterexample.word)
    assert len(word) == len(difference)
    assert own.classify(word) != other.classify(word)
    assert made.checked_length == len(word) - 1
    if made.margins is not None and made.margins.is_certain:
        assert check(made).counterexample == made.counterexample


def assert_wrong_empty_word_is_told(model: Any, own: Language) -> None:
    """Compare a network with its own automaton, every class of which is made another."""
    classes = [(answer + 1) % own.num_classes for answer in own.classes]
    made = certify(model, replace(own, classes=tuple(classes)))
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    assert made.counterexample.word == ""
    assert made.margins is not None
    assert made.margins.is_certain


@pytest.mark.parametrize("cell", ["elman", "gru", "relu"])
def test_a_wrong_empty_word_is_told_whatever_steps_would_compute(cell: str) -> None:
    """Exploration ends at it, so the bound on rounding is that of the small numbers of the start,
    and the much larger ones of steps that nothing bounds are no sign of changed code."""
    for seed in range(10):
        model = random_recurrence(
            seed, cell=cell, d_model=16, num_bits=4, num_classes=3, dtype=torch.float32
        )
        with torch.no_grad():
            model.start.mul_(1e-3)
            model.memory.write.bias.mul_(1e-3)
        assert_wrong_empty_word_is_told(model, automaton_of(model))


@pytest.mark.slow_for("1-value0", "1-nan", "2-value1", "2-inf")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "value", [np.finfo(np.float32).max, -np.finfo(np.float32).max, np.inf, np.nan]
)
@pytest.mark.parametrize("num_classes", [1, 2])
def test_logits_that_are_no_numbers_prove_nothing(value: float, num_classes: int) -> None:
    """Also where there is one class, and so no other that could be ahead."""
    lone = Language(alphabet=("a", "b"), transitions=((0, 0),), classes=(0,))
    lone = replace(lone, class_names=tuple(map(str, range(num_classes))))
    for model in (
        random_recurrence(0, num_classes=num_classes, dtype=torch.float32),
        random_scratchpad(0, num_classes=num_classes, dtype=torch.float32),
        slots_of(lone),
    ):
        with torch.no_grad():
            for parameter in model.answer.parameters():
                parameter.fill_(value)
        made = certify(model, lone)
        assert made.verdict == "not-closed"
        assert made.reason


@given(model=networks, most=st.integers(1, 40))
def test_steps_that_were_taken_are_known(model: Any, most: int) -> None:
    node = RecurrentNode(model.config.to_dict(), weights_of(model))
    known, asked = CodeRecurrence(TrackedCodes(node)), set()
    assert [len(part) for part in known.sample_steps(most)] == [0, 0]
    elements, draw = np.array([known.start()]), random.Random(0)
    for _ in range(5):
        symbols = np.array([draw.randrange(known.num_symbols) for _ in elements])
        asked |= set(zip(elements.tolist(), symbols.tolist(), strict=True))
        elements = np.concatenate([elements, known.step(elements, symbols)])
    assert set(zip(*(part.tolist() for part in known.sample_steps(10**6)), strict=True)) == asked
    some = list(zip(*(part.tolist() for part in known.sample_steps(most)), strict=True))
    assert set(some) <= asked
    assert len(set(some)) == len(some) <= most
    assert len(some) >= min(len(asked), most) / 2


def test_words_outside_the_domain_do_not_matter() -> None:
    model = random_recurrence(3)
    own = automaton_of(model)
    odd = Language(alphabet=("a", "b"), transitions=((1, 1), (0, 0)), classes=(0, 1))
    wrong = replace(own, classes=tuple(1 - c for c in own.classes))
    assert certify(model, replace(own, domain=odd)).verdict == "equivalent"
    made = certify(model, replace(wrong, domain=odd))
    assert made.counterexample is not None
    assert len(made.counterexample.word) == 1  # the empty word is outside


def test_too_many_steps_are_not_closed() -> None:
    model = random_recurrence(0, num_bits=9)
    own = automaton_of(model)
    assert own.num_states > 2
    made = certify(model, own, max_chunks=2)
    assert made.verdict == "not-closed"
    assert "more than 2" in made.reason
    with pytest.raises(CertificateError, match="proves nothing"):
        check(made)


@pytest.mark.parametrize("strength", ["snapped", "robust"])
def test_other_strengths_are_not_for_codes(strength: Any) -> None:
    with pytest.raises(VerificationError, match="Use 'discrete'"):
        certify(random_recurrence(0), automaton_of(random_recurrence(0)), strength=strength)


# ---- planted faults: in networks ---------------------------------------------------------------


@pytest.fixture(scope="module")
def proved() -> Any:
    """A network trained on a random automaton, and the automaton."""
    draw = random.Random("planted faults")
    while True:
        language = Language(
            alphabet=("a", "b"),
            transitions=tuple((draw.randrange(7), draw.randrange(7)) for _ in range(7)),
            classes=tuple(draw.randrange(2) for _ in range(7)),
        )
        if language.minimise().num_states == 7:
            break
    run = lw.train(language, "gru-binary", device="cpu", d_model=16, steps=2000)
    assert run.metrics[-1]["proved"]
    return run.model, language


@pytest.fixture(scope="module")
def certificate(proved: Any) -> Certificate:
    return certify(*proved)


def copy_of(model: Any) -> Any:
    copied = BinaryRecurrent(model.config).double()
    copied.load_state_dict(model.state_dict())
    return copied.eval()


@pytest.mark.slow
def test_a_trained_network_is_right_on_words_of_all_lengths(proved: Any) -> None:
    model, language = proved
    assert certify(model, language).verdict == "equivalent"
    words = all_words(language, 9) + long_words(language, 50, 2000, 0)
    assert wrong_words(model, language, words) == 0


def plant(model: Any, language: Language, seed: int) -> tuple[Any, Language, str]:
    """The network or the language with one fault: a weight, a bit, a transition or a class."""
    draw = random.Random(seed)
    model = copy_of(model)
    kind = draw.choice(["weight", "bit", "transition", "class", "symbol"])
    rows = [list(row) for row in language.transitions]
    classes = list(language.classes)
    with torch.no_grad():
        if kind == "weight":
            parameter = draw.choice(list(model.parameters())).view(-1)
            place = draw.randrange(len(parameter))
            parameter[place] = parameter[place] * draw.choice([0, -1, 3]) + draw.choice([0, 2])
        elif kind == "bit":
            model.memory.write.bias[draw.randrange(model.config.num_bits)].neg_().sub_(2)
        elif kind == "symbol":
            one, other = draw.sample(range(language.num_symbols), 2)
            model.cell.symbols.weight[one] = model.cell.symbols.weight[other]
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


@pytest.mark.slow
def test_no_planted_fault_is_proved_away(proved: Any) -> None:
    model, language = proved
    found = judge(model, language, range(20))
    assert sum(found[f"{kind}: counterexample"] for kind in ("bit", "class", "symbol")) > 3


@pytest.mark.slow
def test_none_of_many_planted_faults_is_proved_away(proved: Any) -> None:
    model, language = proved
    print(judge(model, language, range(20, 1060)))


@pytest.mark.parametrize("how", ["hook", "method", "cell", "off"])
def test_a_network_with_code_of_its_own_is_refused(proved: Any, how: str) -> None:
    model, language = copy_of(proved[0]), proved[1]
    if how == "hook":
        model.cell.register_forward_hook(lambda _, __, out: -out)
    elif how == "method":
        model.step = lambda vectors, symbols, generator=None: vectors
    elif how == "cell":
        model.cell.forward = lambda vectors, symbols: vectors
    else:
        model.memory.off = -1.0
    with pytest.raises(VerificationError, match="answers may not follow"):
        certify(model, language)


def test_a_number_within_rounding_of_0_is_not_proved() -> None:
    """A bit whose numbers are 0 for every input, by nothing at all, is refused."""
    model = random_recurrence(3)
    own = automaton_of(model)
    assert certify(model, own).verdict == "equivalent"
    with torch.no_grad():
        model.memory.write.weight[0] = 0.0
        model.memory.write.bias[0] = 0.0
    made = certify(model, automaton_of(model))
    assert made.verdict == "not-closed"
    assert "a sign could turn over" in made.reason


# ---- planted faults: in certificates -------------------------------------------------------------


def test_a_certificate_is_read_back_and_checked_without_its_maker(
    proved: Any, tmp_path: Path
) -> None:
    made = certify(*proved)
    made.save(tmp_path / "c.json")
    verified = check(Certificate.load(tmp_path / "c.json"))
    assert verified.statement == made.statement
    assert verified.summary()["elements"] == 7
    assert "BinaryRecurrent" in " ".join(verified.summary()["terms"])
    assert len(verified.table) == 7
    assert verified.margins is not None
    assert verified.margins.room is not None
    assert verified.margins.room > 0


CHANGES: dict[str, Any] = {
    "a pair left out": lambda c: _edge(c, 1, c.levels[1]["edge"][:-1]),
    "a pair added": lambda c: _edge(c, 1, (*c.levels[1]["edge"], (0, 0))),
    "another state": lambda c: _edge(c, 1, ((c.levels[1]["edge"][0][0], 0),)),
    "a level cut off": lambda c: replace(c, levels=c.levels[:-1]),
    "an empty level early": lambda c: replace(c, levels=(c.levels[0], c.levels[-1])),
    "no levels": lambda c: replace(c, levels=()),
    "an interior": lambda c: replace(
        c, levels=({**c.levels[0], "interior": ((0, 0),)}, *c.levels[1:])
    ),
    "a code that is not met": lambda c: _codes(c, [*c.elements["codes"], "02"]),
    "codes exchanged": lambda c: _codes(c, c.elements["codes"][::-1]),
    "a code left out": lambda c: _codes(c, c.elements["codes"][:-1]),
    "a code twice": lambda c: _codes(c, [*c.elements["codes"], c.elements["codes"][0]]),
    "a bit past the last": lambda c: _codes(
        c, [f"{int(code, 16) | 1:02x}" for code in c.elements["codes"]]
    ),
    "a repeat": lambda c: replace(c, repeats=1),
    "state maps": lambda c: replace(c, maps=((0,) * 7,)),
    "another strength": lambda c: replace(c, strength="robust"),
    "a class": lambda c: replace(
        c,
        language=replace(c.language, classes=(1 - c.language.classes[0], *c.language.classes[1:])),
    ),
    "a transition": lambda c: replace(
        c,
        machine=replace(
            c.machine, transitions=(c.machine.transitions[0][::-1], *c.machine.transitions[1:])
        ),
    ),
    "a weight": lambda c: _weight(c, "memory.write.weight", -1.0),
    "a start": lambda c: _weight(c, "start", -1.0),
    "a symbol": lambda c: _weight(c, "cell.symbols.weight", 0.0),
    "no number": lambda c: _weight(c, "answer.bias", np.nan),
    "a setting": lambda c: replace(c, settings={**c.settings, "cell": "elman"}),
    "another network": lambda c: replace(
        c, settings={k: v for k, v in c.settings.items() if k != "cell"}
    ),
    "a verdict": lambda c: replace(c, verdict="counterexample"),
}


def _edge(made: Certificate, level: int, pairs: Any) -> Certificate:
    levels = list(made.levels)
    levels[level] = {"interior": (), "edge": tuple(pairs)}
    return replace(made, levels=tuple(levels))


def _codes(made: Certificate, codes: list[str]) -> Certificate:
    return replace(made, elements={"codes": codes})


def _weight(made: Certificate, name: str, factor: float) -> Certificate:
    return replace(made, weights={**made.weights, name: made.weights[name] * factor})


@pytest.mark.slow_except(
    "a code left out",
    "a code that is not met",
    "a code twice",
    "a pair added",
    "a pair left out",
    "a repeat",
    "a weight",
    "an interior",
    "another state",
    "codes exchanged",
    "no levels",
    "state maps",
)
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_certificate_is_refused(
    certificate: Certificate, name: str, tmp_path: Path
) -> None:
    changed = CHANGES[name](certificate)
    changed.save(tmp_path / "c.json")  # with a digest that fits
    with pytest.raises(CertificateError):
        check(Certificate.load(tmp_path / "c.json"))


def believe(body: Any) -> Certificate | None:
    """What the checker makes of a signed forgery."""
    with tempfile.TemporaryDirectory() as folder, suppress(CertificateError):
        return check(Certificate.load(write(sign(body), Path(folder))))
    return None


def is_true(verified: Certificate) -> bool:
    """Whether the automaton of the network in the file is as the statement says."""
    model = BinaryRecurrent(BinaryRecurrentConfig.from_dict(verified.settings))
    return is_true_of(verified, automaton_of(with_weights(model, verified)))


def with_weights(model: Any, verified: Certificate) -> Any:
    """The network with the weights of the file."""
    weights = {name: torch.from_numpy(w.copy()) for name, w in verified.weights.items()}
    model.to(next(iter(weights.values())).dtype).load_state_dict(weights)
    return model.eval()


def is_true_of(verified: Certificate, automaton: Language) -> bool:
    """Whether the automaton of a network is as the statement says."""
    language = replace(verified.language, domain=None)
    own = replace(automaton, alphabet=language.alphabet, class_names=language.class_names)
    difference = replace(own, domain=verified.language.domain).difference(verified.language)
    if verified.verdict == "equivalent":
        return difference is None
    wrong = verified.counterexample
    assert wrong is not None
    word = language.encode(wrong.word)
    given, true = own.classify(word), language.classify(word)
    names = (language.class_names[given], language.class_names[true])
    same = difference is not None and len(difference) == len(word)
    return given != true and same and names == (wrong.model, wrong.language)


def attack(
    made: Certificate, seeds: range, holds: Callable[[Certificate], bool] = is_true
) -> Counter[str]:
    """What became of certificates with one to three fields changed and signed again."""
    found: Counter[str] = Counter()
    honest = body_of(made)
    for seed in seeds:
        choose, body = random.Random(seed), copy.deepcopy(honest)
        for _ in range(choose.choice([1, 1, 2, 3])):
            with (
                np.errstate(all="ignore"),
                suppress(AttributeError, LookupError, TypeError, ValueError),
            ):
                choose.choice([one_field, one_field, merge_elements, swap_classes])(body, choose)
        if body == honest:
            continue
        verified = believe(body)
        assert verified is None or holds(verified), seed
        found["refused" if verified is None else "accepted and true"] += 1
    return found


@pytest.mark.parametrize("wrong", [False, True])
def test_no_forgery_is_believed_with_a_false_statement(proved: Any, wrong: bool) -> None:
    model, language = proved
    if wrong:
        language = language ^ lw.language("regex:(a|b)(a|b)(a|b)a*b", "ab")
    made = certify(model, language)
    assert (made.counterexample is not None) == wrong
    assert is_true(made)
    found = attack(made, range(60))
    assert found["refused"] > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 5, 8])
def test_none_of_many_forgeries_is_believed_with_a_false_statement(proved: Any, seed: int) -> None:
    small = random_recurrence(seed)
    for made in (certify(*proved), certify(small, automaton_of(small))):
        print(attack(made, range(1000 * seed, 1000 * seed + 1000)))


def test_a_right_network_cannot_be_given_a_counterexample(proved: Any) -> None:
    model, language = proved
    other = replace(language, classes=tuple(1 - c for c in language.classes))
    wrong = certify(model, other)
    assert wrong.counterexample is not None
    assert wrong.counterexample.word == ""
    assert check(wrong).verdict == "counterexample"
    turned = replace(wrong, language=language, machine=certify(model, language).machine)
    with pytest.raises(CertificateError):
        check(turned)
