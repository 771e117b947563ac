"""Structural proofs: bounds beside all contents of all slots, planted faults, forged files."""

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import CertificateError, VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.problems.runs import make_plan, train
from lengthwise.verification.certificate import Certificate, WrongWord
from lengthwise.verification.certify import certify
from lengthwise.verification.check import check
from lengthwise.verification.measured import measured_products
from lengthwise.verification.network import weights_of
from lengthwise.verification.slot_node import SlotNode
from ordinary import few
from strategies import all_words, recognisers
from verification.trained import last_symbol

SPECS = ("tomita-3", "regex:(0|1)*1(0|1){2}", "cycle-navigation", "d-2")


@lru_cache
def proved(spec: str | Language, chunk: int = 2) -> StateSlots:
    """Return a network that is trained until its structure is proved."""
    language = parse(spec) if isinstance(spec, str) else spec
    run = train(make_plan(language, "regular-gpt-slots", settings={"chunk": chunk}))
    assert run.metrics[-1]["proved"]
    assert isinstance(run.model, StateSlots)
    return run.model


def node_of(model: StateSlots) -> SlotNode:
    return SlotNode(model.config.to_dict(), weights_of(model))


def wrong_on(model: StateSlots, language: Language, words: list[tuple[int, ...]]) -> int:
    given_classes = answer_of(logits_of(model, words)).tolist()
    return sum(c != language.classify(w) for c, w in zip(given_classes, words, strict=True))


def some_words(language: Language, longest: int = 7) -> list[tuple[int, ...]]:
    """Return all short words of the domain, and random ones of odd lengths."""
    draw = random.Random(0)
    symbols = range(language.num_symbols)
    words = all_words(language, longest if language.num_symbols < 4 else 4)
    words += [tuple(draw.choices(symbols, k=k)) for k in (33, 65, 129, 257, 999, 2001)]
    domain = language.domain
    return [w for w in words if domain is None or domain.classify(w) == 1]


# ---- what is proved is right --------------------------------------------------------------------


@pytest.mark.slow_except("2-d-2", "2-tomita-3")
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("chunk", [2, 3])
def test_what_is_proved_is_right_on_short_and_long_words(spec: str, chunk: int) -> None:
    model, language = proved(spec, chunk), parse(spec)
    made = certify(model, language)
    assert (made.verdict, made.strength) == ("equivalent", "structural")
    assert made.sureness is not None
    assert made.sureness.is_certain
    assert wrong_on(model, language, some_words(language)) == 0


@settings(max_examples=few(2, 12))
@given(language=recognisers(max_states=5))
def test_a_random_automaton_is_proved_and_no_other_is(language: Language) -> None:
    model = proved(language.minimised())
    assert certify(model, language).verdict == "equivalent"
    other = replace(language, classes=tuple(1 - c for c in language.classes))
    made = certify(model, other)
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    assert (made.counterexample.word, made.checked_length) == ("", -1)


# ---- bounds -------------------------------------------------------------------------------------


def drawn(seed: int, slots: int = 3, size: float = 1.0) -> StateSlots:
    config = StateSlotsConfig(
        vocab_size=2, num_classes=2, num_slots=slots, num_bits=2, d_model=4, d_hidden=4
    )
    model = StateSlots(config)
    model.initialise(torch.Generator().manual_seed(seed))
    with torch.no_grad():
        model.keys.mul_(size)
    return model.eval()


@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.5, 2.0, 8.0]))
def test_sides_are_the_lowest_over_all_nodes(seed: int, size: float) -> None:
    """All 27 valid nodes are multiplied with each state, in float64."""
    node = node_of(drawn(seed, size=size).double())
    codes = node.states
    sides, radius = node.sides()
    assert radius.max() < 1e-10
    nodes = codes[np.array(list(product(range(3), repeat=3)))]
    for state in range(3):
        left = np.broadcast_to(codes[[state]], (len(nodes), 1, 2))
        numbers = node.numbers(left, nodes)[:, 0]
        for other in range(3):
            there = (nodes[:, state] == codes[other]).all(axis=1)
            own = (numbers[there] * np.where(codes[other], 1.0, -1.0)).min()
            assert sides[state, other] == pytest.approx(own, abs=1e-9)
            assert sides[state, other] - radius[state, other] <= own


@given(seed=st.integers(0, 10**6), size=st.sampled_from([1.0, 10.0, 100.0]))
def test_what_torch_computes_lies_within_the_bounds(seed: int, size: float) -> None:
    model = drawn(seed, slots=4, size=size)
    node = node_of(model)
    assert measured_products(model, node) <= node.apart()
    assert node.apart() < 0.1


@pytest.mark.slow
def test_a_fault_in_one_of_a_million_corners_is_refused() -> None:
    """The product is right but for the one content of seven other slots that the bound is about."""
    model = copy.deepcopy(proved("regex:(0|1)*1(0|1){2}")).double()
    node = node_of(model)
    assert (node.sides()[0] > 0).all()
    low, high = 0.0, 1.0
    for _ in range(60):  # the largest scale of keys at which the bound just fails
        middle = (low + high) / 2
        fails = (
            node_of(with_weights(model, "keys", partial(torch.mul, middle))).sides()[0].min() <= 0
        )
        low, high = (middle, high) if fails else (low, middle)
    weaker = with_weights(model, "keys", partial(torch.mul, low))
    node = node_of(weaker)
    sides, _ = node.sides()
    state, other = np.unravel_index(sides.argmin(), sides.shape)
    assert -1e-6 < sides[state, other] <= 0
    codes = node.states
    draw = np.random.default_rng(0)
    nodes = codes[draw.integers(0, len(codes), size=(200_000, len(codes)))]
    nodes[:, state] = codes[other]
    numbers = node.numbers(codes[None, [state]], nodes)[:, 0]
    wrong = ((numbers >= 0) != codes[other]).any(axis=1)
    assert wrong.mean() < 1e-4  # random contents hardly find it
    assert certify(weaker, parse("regex:(0|1)*1(0|1){2}")).verdict == "not-closed"


@pytest.mark.slow_except(
    "parity-expand.weight",
    "parity-query.weight",
    "parity-write.weight",
    "regex:(0|1)*-write.weight",
)
@pytest.mark.parametrize("name", ["keys", "query.weight", "expand.weight", "write.weight"])
@pytest.mark.parametrize("spec", ["regex:(0|1)*", "parity"])
def test_weights_that_overflow_are_refused(spec: str, name: str) -> None:
    """With one state no content matters, but a softmax of infinities is no number."""
    made = certify(proved(spec), parse(spec))
    assert check(made).verdict == "equivalent"
    huge = {**made.weights, name: np.full_like(made.weights[name], 3e38)}
    with pytest.raises(CertificateError):
        check(replace(made, weights=huge))


def test_a_network_of_no_numbers_is_not_proved_where_short_words_do_not_tell() -> None:
    """All words of the domain are long, so that no class is ever read off a state with another."""
    anything = parse("regex:(0|1)*")
    long = replace(
        anything,
        domain=Language(
            alphabet=("0", "1"),
            transitions=tuple((min(n + 1, 257),) * 2 for n in range(258)),
            classes=(0,) * 257 + (1,),
        ),
        spec="",
    )
    config = StateSlotsConfig(
        vocab_size=2, num_classes=2, num_slots=258, num_bits=9, d_model=4, d_hidden=4
    )
    model = StateSlots(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)
        model.write.weight.copy_(torch.eye(9))
        model.answer.bias.copy_(torch.tensor([0.0, 1.0]))
        model.answer.weight.zero_()
    assert certify(model.eval(), long).verdict == "equivalent"  # one code, one class
    for name in ("keys", "query.weight"):
        model = with_weights(model, name, lambda w: torch.full_like(w, 1e30))
    node = node_of(model)
    assert measured_products(model, node) == np.inf
    assert certify(model, long).verdict == "not-closed"


def test_a_file_without_weights_or_with_endless_chunks_is_refused() -> None:
    made = certify(proved("tomita-3"), parse("tomita-3"))
    assert replace(made, weights={}).summary()["elements"] == 5
    for bad in (
        replace(made, weights={}),
        replace(made, settings={**made.settings, "chunk": 33}),
        replace(made, settings={**made.settings, "chunk": 2**61}),
    ):
        with pytest.raises(CertificateError):
            check(bad)


# ---- planted faults -----------------------------------------------------------------------------


def with_weights(
    model: StateSlots, name: str, change: Callable[[torch.Tensor], torch.Tensor]
) -> StateSlots:
    changed = copy.deepcopy(model)
    with torch.no_grad():
        parameter = changed.get_parameter(name)
        parameter.copy_(change(parameter.clone()))
    return changed


@pytest.mark.parametrize(
    "count", [12, *(pytest.param(many, marks=pytest.mark.slow) for many in (40, 1_000))]
)
def test_no_planted_fault_is_proved_where_a_word_is_wrong(count: int) -> None:
    """A weight, a sign or a whole row changes, a little or much; whatever is proved is right."""
    draw = random.Random(count)
    spec = "tomita-3"
    language, model = parse(spec), proved(spec)
    words = some_words(language)
    names = [name for name, _ in model.named_parameters()]
    still, refused, wrong = 0, 0, 0
    for _ in range(count):
        name, place = draw.choice(names), draw.random()
        kind = draw.choice(["sign", "scale", "zero", "add", "row"])

        def planted(weight: torch.Tensor, kind: str = kind, place: float = place) -> torch.Tensor:
            flat = weight.view(-1)
            index = int(place * len(flat))
            if kind == "row":
                return weight.roll(1, dims=0)
            changes = {"sign": -flat[index], "scale": flat[index] * draw.choice([1e-3, 30.0])}
            changes |= {"zero": torch.tensor(0.0), "add": flat[index] + draw.gauss(0, 3)}
            flat[index] = changes[kind]
            return weight

        changed = with_weights(model, name, planted)
        is_proved = certify(changed, language).verdict == "equivalent"
        is_wrong = wrong_on(changed, language, words) > 0
        still, refused = still + is_proved, refused + (not is_proved)
        wrong += is_wrong
        assert not (is_proved and is_wrong), (name, kind, place)
    assert min(still, refused, wrong) > count / 20


@pytest.mark.slow_except("tomita-3")
@pytest.mark.parametrize("spec", SPECS)
def test_another_automaton_is_never_proved(spec: str) -> None:
    """Every transition and every class is changed once."""
    language, model = parse(spec).total().minimised(), proved(spec)
    if language.num_classes != parse(spec).num_classes:
        language = replace(parse(spec))
    states = range(language.num_states)
    for state in states:
        for symbol in range(language.num_symbols):
            row = list(language.transitions[state])
            row[symbol] = (row[symbol] + 1) % language.num_states
            table = (*language.transitions[:state], tuple(row), *language.transitions[state + 1 :])
            other = replace(language, transitions=table, spec="")
            if any(other.classify(w) != language.classify(w) for w in some_words(language)):
                assert certify(model, other).verdict == "counterexample"


# ---- networks that were made for another automaton ----------------------------------------------


def shortest_wrong(model: StateSlots, language: Language, longest: int) -> str | None:
    """Return the first shortest word that the model itself gets wrong, by trying all."""
    domain = language.domain
    for word in all_words(language, longest):
        if domain is None or domain.classify(word) == 1:
            given_class = int(answer_of(logits_of(model, [word]))[0])
            if given_class != language.classify(word):
                return language.decode(word)
    return None


@st.composite
def with_domains(draw: st.DrawFn) -> tuple[Language, Language]:
    """A language with a domain, and an automaton that is right, or wrong, on that domain."""
    domain = draw(recognisers(max_states=3))
    own = draw(recognisers(max_states=3))
    language = replace(own, domain=domain if domain.shortest(1) is not None else None)
    free = language.total().minimised()
    outside = language.num_classes
    filled = [draw(st.integers(0, 1)) if c == outside else c for c in free.classes]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(filled) - 1))
        filled[place] = 1 - filled[place]
    return language, replace(free, classes=tuple(filled), class_names=language.class_names)


@settings(max_examples=few(2, 10))
@given(pair=with_domains())
def test_a_network_of_another_automaton_is_judged_on_the_domain(
    pair: tuple[Language, Language],
) -> None:
    """The verdict is that of trying all words up to the length that tells automata apart."""
    language, automaton = pair
    model = proved(automaton.minimised())
    made = certify(model, language)
    wrong = shortest_wrong(model, language, longest=7)
    assert made.strength == "structural"
    if made.counterexample is None:
        assert (made.verdict, made.checked_length, wrong) == ("equivalent", None, None)
    else:
        word = language.encode(made.counterexample.word)
        assert made.verdict == "counterexample"
        assert made.checked_length == len(word) - 1
        if wrong is not None:
            assert made.counterexample.word == wrong
        assert int(answer_of(logits_of(model, [word]))[0]) != language.classify(word)
    again = check(made)
    assert (again.verdict, again.statement) == (made.verdict, made.statement)


def merged_outside() -> tuple[Language, Language]:
    """Words of D_2 with all others as members of some class, and D_2 on well-formed words only."""
    whole = parse("d-2")
    return whole, replace(whole, domain=parse("regex:(01|0011|0101)*", alphabet="01"), spec="")


def test_an_automaton_with_other_states_is_proved_on_the_domain() -> None:
    automaton, language = merged_outside()
    assert language.total().minimised().num_states != automaton.minimised().num_states
    made = certify(proved("d-2"), language)
    assert made.verdict == "equivalent"
    assert made.summary()["elements"] == automaton.num_states
    assert len(made.machine.classes) != automaton.num_states
    assert check(made).verdict == "equivalent"


def wrong_claim(change: Callable[[WrongWord], dict[str, Any]]) -> Certificate:
    made = certify(proved("tomita-3"), parse("tomita-4"))
    assert (made.verdict, made.checked_length) == ("counterexample", 1)
    assert check(made).counterexample == made.counterexample
    assert made.counterexample is not None
    return replace(made, **change(made.counterexample))


CLAIMS: dict[str, Callable[[WrongWord], dict[str, Any]]] = {
    "equivalent": lambda word: {
        "verdict": "equivalent",
        "counterexample": None,
        "checked_length": None,
    },
    "a longer word": lambda word: {
        "counterexample": replace(word, word="1011"),
        "checked_length": 3,
    },
    "a longer word after all shorter ones": lambda word: {
        "counterexample": replace(word, word="1011")
    },
    "a right word": lambda word: {"counterexample": replace(word, word="11")},
    "other classes": lambda word: {"counterexample": replace(word, model="1", language="0")},
    "another length": lambda word: {"checked_length": 0},
    "no word": lambda word: {"counterexample": None},
}


@pytest.mark.slow_for("equivalent")
@pytest.mark.parametrize("name", CLAIMS)
def test_a_false_claim_about_another_language_is_refused(name: str) -> None:
    with pytest.raises(CertificateError):
        check(wrong_claim(CLAIMS[name]))


# ---- files --------------------------------------------------------------------------------------


def forged(change: Callable[[dict[str, Any]], Any]) -> Certificate:
    """Return a certificate with changed fields, signed again by whoever changed it."""
    made = certify(proved("tomita-3"), parse("tomita-3"))
    fields: dict[str, Any] = {"weights": {name: w.copy() for name, w in made.weights.items()}}
    change(fields)
    return replace(made, **fields)


FORGERIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a slot of a symbol": lambda f: np.negative(
        f["weights"]["symbols"][0, 0], out=f["weights"]["symbols"][0, 0]
    ),
    "a slot of the pad": lambda f: f["weights"]["pad"].__imul__(-1),
    "the start code": lambda f: f["weights"]["start"].__imul__(-1),
    "keys of other slots": lambda f: f["weights"].update(
        keys=np.roll(f["weights"]["keys"], 1, axis=0)
    ),
    "no attention": lambda f: f["weights"]["keys"].__imul__(0),
    "a weight that is no number": lambda f: f["weights"]["write.bias"].fill(np.nan),
    "an endless weight": lambda f: f["weights"]["write.bias"].fill(np.inf),
    "answers": lambda f: f["weights"]["answer.bias"].__iadd__([1e6, 0]),
    "weights of another shape": lambda f: f["weights"].update(start=np.ones(9, np.float32)),
    "weights of two types": lambda f: f["weights"].update(
        start=f["weights"]["start"].astype(np.float64)
    ),
    "another strength": lambda f: f.update(strength="discrete"),
    "elements": lambda f: f.update(elements={"codes": ["00"]}),
    "a length": lambda f: f.update(checked_length=3),
    "a repetition": lambda f: f.update(repeats=1),
    "another language": lambda f: f.update(language=parse("tomita-4")),
}


@pytest.mark.slow_for("a length", "a repetition", "another language", "elements", "no attention")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused(name: str, tmp_path: Path) -> None:
    bad = forged(FORGERIES[name])
    bad.save(tmp_path / "bad.json") if "number" not in name and "endless" not in name else None
    with pytest.raises(CertificateError):
        check(bad)


def test_what_was_saved_is_loaded_and_holds(tmp_path: Path) -> None:
    made = certify(proved("d-2"), parse("d-2"))
    made.save(tmp_path / "certificate.json")
    again = check(Certificate.load(tmp_path / "certificate.json"))
    assert again.statement == made.statement
    assert again.sureness is not None
    assert made.sureness is not None
    assert again.sureness.room == made.sureness.room


def test_a_network_with_code_of_its_own_is_refused() -> None:
    model = copy.deepcopy(proved("tomita-3"))
    model.register_forward_hook(lambda *given: given[-1])
    with pytest.raises(VerificationError, match="forward hook"):
        certify(model, parse("tomita-3"))
    with pytest.raises(VerificationError, match="strength='structural' is not for binary memory"):
        certify(last_symbol(), parse("parity"), strength="structural")
    with pytest.raises(VerificationError, match="strength='snapped' is not for slots of states"):
        certify(proved("tomita-3"), parse("tomita-3"), strength="snapped")
