"""Structural proofs: what is proved is right, and planted faults are not proved away."""

import copy
import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.proofs.check.certificate import Machine
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.deviations import measure_products
from lengthwise.proofs.search.structure import own_machine, structure_of
from ordinary import few
from proofs.slots import slots_of
from proofs.structured import SPECS, node_of, some_words, train_structured, with_weights, wrong_on
from proofs.trained import last_symbol
from strategies import all_words, recognisers


@pytest.mark.parametrize("spec", SPECS)
def test_the_automaton_of_slots_made_by_hand_is_read_off_their_weights(spec: str) -> None:
    language = parse(spec).total().minimise()
    node, machine = node_of(slots_of(language)), Machine.of(language)
    assert own_machine(node) == machine
    assert structure_of(node, machine, language.num_classes).holds


@pytest.mark.slow_except("2-d-2", "2-tomita-3")
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_what_is_proved_is_right_on_short_and_long_words(spec: str, chunk_size: int) -> None:
    model, language = train_structured(spec, chunk_size), parse(spec)
    made = certify(model, language)
    assert (made.verdict, made.strength) == ("equivalent", "structural")
    assert made.margins is not None
    assert made.margins.is_certain
    assert wrong_on(model, language, some_words(language)) == 0


@settings(max_examples=few(2, 12))
@given(language=recognisers(max_states=5))
def test_a_random_automaton_is_proved_and_no_other_is(language: Language) -> None:
    model = train_structured(language.minimise())
    assert certify(model, language).verdict == "equivalent"
    other = replace(language, classes=tuple(1 - c for c in language.classes))
    made = certify(model, other)
    assert made.verdict == "counterexample"
    assert made.counterexample is not None
    assert (made.counterexample.word, made.checked_length) == ("", -1)


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
    assert measure_products(model, node) == np.inf
    assert certify(model, long).verdict == "not-closed"


@pytest.mark.parametrize(
    "count", [12, *(pytest.param(many, marks=pytest.mark.slow) for many in (40, 1_000))]
)
def test_no_planted_fault_is_proved_where_a_word_is_wrong(count: int) -> None:
    """A weight, a sign or a whole row changes, a little or much; whatever is proved is right."""
    draw = random.Random(count)
    spec = "tomita-3"
    language, model = parse(spec), train_structured(spec)
    words = some_words(language)
    names = [name for name, _ in model.named_parameters()]
    still, refused, wrong = 0, 0, 0
    for _ in range(count):
        name, place = draw.choice(names), draw.random()
        kind = draw.choice(["sign", "scale", "zero", "add", "row"])

        def plant(weight: torch.Tensor, kind: str = kind, place: float = place) -> torch.Tensor:
            flat = weight.view(-1)
            index = int(place * len(flat))
            if kind == "row":
                return weight.roll(1, dims=0)
            changes = {"sign": -flat[index], "scale": flat[index] * draw.choice([1e-3, 30.0])}
            changes |= {"zero": torch.tensor(0.0), "add": flat[index] + draw.gauss(0, 3)}
            flat[index] = changes[kind]
            return weight

        changed = with_weights(model, name, plant)
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
    language, model = parse(spec).total().minimise(), train_structured(spec)
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


def shortest_wrong(model: StateSlots, language: Language, longest: int) -> str | None:
    """Return the first shortest word that the model itself gets wrong, by trying all."""
    domain = language.domain
    words = [w for w in all_words(language, longest) if domain is None or domain.classify(w) == 1]
    given_classes = answer_of(logits_of(model, words)).tolist() if words else []
    for word, given_class in zip(words, given_classes, strict=True):
        if given_class != language.classify(word):
            return language.decode(word)
    return None


@st.composite
def with_domains(draw: st.DrawFn) -> tuple[Language, Language]:
    """A language with a domain, and an automaton that is right, or wrong, on that domain."""
    domain = draw(recognisers(max_states=3))
    own = draw(recognisers(max_states=3))
    language = replace(own, domain=domain if domain.shortest(1) is not None else None)
    free = language.total().minimise()
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
    model = train_structured(automaton.minimise())
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


def test_a_network_with_code_of_its_own_is_refused() -> None:
    model = copy.deepcopy(train_structured("tomita-3"))
    model.register_forward_hook(lambda *given: given[-1])
    with pytest.raises(VerificationError, match="forward hook"):
        certify(model, parse("tomita-3"))
    with pytest.raises(VerificationError, match="strength='structural' is not for binary memory"):
        certify(last_symbol(), parse("parity"), strength="structural")
    with pytest.raises(VerificationError, match="strength='snapped' is not for slots of states"):
        certify(train_structured("tomita-3"), parse("tomita-3"), strength="snapped")
