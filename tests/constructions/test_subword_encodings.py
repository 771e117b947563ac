"""What sub-words do, as zeros and ones: followed by sets of coordinates, without a network."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from lengthwise.constructions.automata import MAX_PARAMETERS
from lengthwise.constructions.subword_encodings import (
    ENCODINGS,
    ElementEncoding,
    Encoding,
    MatrixEncoding,
    ZeroOneEncoding,
)
from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse
from ordinary import few
from strategies import expressions, machines, machines_with_domain

ENOUGH = 30_000
"""Parameters that random languages may need at most; larger ones are passed over."""

ZERO_ONE = {"matrices": MatrixEncoding, "elements": ElementEncoding}
"""The encodings as zeros and ones; images have a file of their own."""


class Followed:
    """The coordinates that are 1 at each node, from the listed units and nothing else."""

    def __init__(self, form: ZeroOneEncoding, chunk_size: int) -> None:
        self.form, self.chunk_size = form, chunk_size
        children, results = form.units(chunk_size)
        assert children.shape == (form.count_units(chunk_size), chunk_size)
        assert len(children) == len(results)
        self.units = dict(zip(map(tuple, children.tolist()), results.tolist(), strict=True))
        assert len(self.units) == len(children), "a chunk has two results"
        used = {*results.tolist(), *children.flatten().tolist()}
        assert used <= set(range(form.size))
        self.classes = form.classes().tolist()
        self.identity = frozenset(form.identity().tolist())
        self.known: dict[tuple[frozenset[int], ...], frozenset[int]] = {}

    def coordinates(self, word: tuple[int, ...]) -> frozenset[int]:
        nodes = [frozenset(self.form.symbol(symbol).tolist()) for symbol in word]
        first = True
        while first or len(nodes) > 1:
            first = False
            missing = 1 if not nodes else -len(nodes) % self.chunk_size
            nodes = [self.identity] * missing + nodes
            nodes = [self.identity] * (-len(nodes) % self.chunk_size) + nodes
            nodes = [
                self.compose(tuple(nodes[i : i + self.chunk_size]))
                for i in range(0, len(nodes), self.chunk_size)
            ]
        return nodes[0]

    def compose(self, children: tuple[frozenset[int], ...]) -> frozenset[int]:
        if children not in self.known:
            found = [self.units[chosen] for chosen in product(*children) if chosen in self.units]
            assert len(set(found)) == len(found), "a sum of products is more than 1"
            self.known[children] = frozenset(found)
        return self.known[children]

    def decide(self, word: tuple[int, ...]) -> list[int]:
        return [c for x in self.coordinates(word) if (c := self.classes[x]) >= 0]


def small(target: str, language: Language, chunk_size: int) -> ZeroOneEncoding:
    """The form of a random language, unless it is large."""
    try:
        return ZERO_ONE[target](language, chunk_size, ENOUGH)
    except LanguageError:
        reject()


def agrees(form: ZeroOneEncoding, language: Language, chunk_size: int, max_length: int) -> int:
    """All words of the domain get their class and no other; the number of them."""
    followed = Followed(form, chunk_size)
    words = list(language.words(max_length=max_length))
    for word in words:
        assert followed.decide(word) == [language.classes[language.run(word)]], word
        if isinstance(form, ElementEncoding) or language.domain is None:
            assert len(followed.coordinates(word)) == form.ones
    return len(words)


@given(language=machines(max_states=4), chunk_size=st.integers(2, 4))
@pytest.mark.parametrize("target", sorted(ZERO_ONE))
def test_products_give_every_word_its_class(
    target: str, language: Language, chunk_size: int
) -> None:
    form = small(target, language, chunk_size)
    agrees(form, language, chunk_size, max_length=6 if chunk_size == 2 else 7)


@settings(max_examples=few(6))
@given(language=machines_with_domain(), chunk_size=st.integers(2, 3))
def test_elements_serve_the_words_of_a_domain(language: Language, chunk_size: int) -> None:
    agrees(small("elements", language, chunk_size), language, chunk_size, max_length=9)


@given(language=machines_with_domain(), chunk_size=st.integers(2, 3))
def test_matrices_serve_the_words_of_a_domain(language: Language, chunk_size: int) -> None:
    agrees(small("matrices", language, chunk_size), language, chunk_size, max_length=6)


@given(
    machine=machines(max_states=4),
    chunk_size=st.integers(2, 4),
    period=st.integers(1, 9),
    data=st.data(),
)
def test_elements_serve_domains_of_periodic_lengths(
    machine: Language, chunk_size: int, period: int, data: st.DataObject
) -> None:
    lengths = data.draw(st.sets(st.integers(0, period - 1), min_size=1, max_size=2))
    asked = with_lengths(machine, period, lengths)
    assert agrees(small("elements", asked, chunk_size), asked, chunk_size, max_length=9) > 0


@given(
    machine=machines(max_states=4),
    words=st.sets(st.text("ab", max_size=9), min_size=1, max_size=3),
    chunk_size=st.integers(2, 4),
)
def test_elements_serve_finite_domains(machine: Language, words: set[str], chunk_size: int) -> None:
    domain = from_regex("|".join(f"({word})" for word in sorted(words)), ("a", "b"))
    asked = with_domain(machine, domain)
    assert agrees(small("elements", asked, chunk_size), asked, chunk_size, max_length=9) == len(
        words
    )


@given(
    machine=machines(alphabet="abc", max_states=2),
    expression=expressions("abc"),
    chunk_size=st.integers(2, 3),
)
def test_elements_serve_the_words_of_an_expression(
    machine: Language, expression: str, chunk_size: int
) -> None:
    """Most such domains have dead ends, so that most is undefined."""
    asked = with_domain(machine, from_regex(expression, ("a", "b", "c")))
    agrees(small("elements", asked, chunk_size), asked, chunk_size, max_length=6)


@pytest.mark.parametrize("chunk_size", [2, 3])
@pytest.mark.parametrize(
    "domain", ["c*(ac*bc*)*", "c(ab|bac)*", "(abc)*", "(c|ab|ba)*", "a(b|ca)*c", "(a|bb|ccc)*"]
)
def test_what_is_undefined_is_taken_for_what_agrees_and_nothing_else(
    domain: str, chunk_size: int
) -> None:
    for members in (".*", ".*b", "(c|b|a(c|b)*a)*", "(..)*"):
        machine = from_regex(members, ("a", "b", "c"))
        asked = with_domain(machine, from_regex(domain, ("a", "b", "c")))
        form = ElementEncoding(asked, chunk_size, MAX_PARAMETERS)
        assert agrees(form, asked, chunk_size, max_length=8) > 2


@pytest.mark.parametrize("chunk_size", [2, 3])
@pytest.mark.parametrize("target", sorted(ZERO_ONE))
def test_a_language_of_one_state_has_one_coordinate(target: str, chunk_size: int) -> None:
    for symbols in ("a", "ab"):
        language = Language(
            alphabet=tuple(symbols), transitions=((0,) * len(symbols),), classes=(1,)
        )
        form = ZERO_ONE[target](language, chunk_size, ENOUGH)
        assert (form.size, form.ones, form.count_units(chunk_size)) == (1, 1, 1)
        agrees(form, language, chunk_size, max_length=8)


@pytest.mark.parametrize("chunk_size", [2, 3, 4])
def test_a_symbol_that_no_word_of_the_domain_has_is_nothing(chunk_size: int) -> None:
    parity = parse("count:b:2:abc")
    asked = with_domain(parity, from_regex("(a|b)*", ("a", "b", "c")))
    form = ElementEncoding(asked, chunk_size, ENOUGH)
    assert [len(form.symbol(symbol)) for symbol in range(3)] == [1, 1, 0]
    agrees(form, asked, chunk_size, max_length=7)


@pytest.mark.parametrize("spec", ["modular-arithmetic", "modular-arithmetic-left-to-right"])
def test_elements_serve_arithmetic(spec: str) -> None:
    language = parse(spec)
    form = ElementEncoding(language, 2, MAX_PARAMETERS)
    assert agrees(form, language, 2, max_length=6) == 5 + 75 + 1125


def test_a_domain_saves_elements() -> None:
    """What no word of the domain asks for is left out."""
    with_it = parse("modular-arithmetic-left-to-right")
    assert ElementEncoding(with_it, 2, MAX_PARAMETERS).size == 42
    without = replace(with_it, domain=None, spec="")
    with pytest.raises(LanguageError, match="more than 1,000,000 parameters"):
        ElementEncoding(without, 2, 1_000_000)


def test_matrices_leave_out_pairs_that_no_word_connects() -> None:
    assert (
        MatrixEncoding(parse("tomita-4"), 2, ENOUGH).size == 13
    )  # 16 but for leaving the dead state
    assert MatrixEncoding(parse("group:Z3"), 2, ENOUGH).size == 9


@given(language=machines(max_states=4), chunk_size=st.integers(2, 4))
def test_paths_are_counted_as_they_are_listed(language: Language, chunk_size: int) -> None:
    form = MatrixEncoding(language, chunk_size, ENOUGH)
    children, _ = form.units(chunk_size)
    assert form.count_units(chunk_size) == len(children)


def test_too_many_elements_or_chunks_are_refused() -> None:
    with pytest.raises(LanguageError, match=r"level has 25,411,681 chunks, more than 10,000,000"):
        ElementEncoding(parse("group:Z71"), 4, 10**15)
    with pytest.raises(LanguageError, match="elements need more than 1,000 parameters"):
        ElementEncoding(parse("group:S3"), 2, 1_000)


@pytest.mark.parametrize("target", sorted(ZERO_ONE))
def test_an_oracle_that_is_wrong_is_noticed(target: str) -> None:
    """The check of this file, on products with one result changed."""
    language = parse("even-pairs")
    form = ZERO_ONE[target](language, 2, ENOUGH)
    children, results = form.units(2)
    followed = Followed(form, 2)
    caught = 0
    for key, result in zip(map(tuple, children.tolist()), results.tolist(), strict=True):
        followed.units[key] = (result + 1) % form.size
        caught += not _all_right(followed, language)
        followed.units[key] = result
    assert caught > len(children) // 2
    assert _all_right(followed, language)


def _all_right(followed: Followed, language: Language) -> bool:
    followed.known.clear()
    try:
        return all(
            followed.decide(word) == [language.classify(word)]
            for word in language.words(max_length=7)
        )
    except AssertionError:
        return False


def with_domain(machine: Language, domain: Language) -> Language:
    values: dict[str, Any] = {
        "alphabet": machine.alphabet,
        "transitions": machine.transitions,
        "classes": machine.classes,
        "start": machine.start,
        "class_names": machine.class_names,
    }
    return Language(**values, domain=domain)


def with_lengths(machine: Language, period: int, lengths: set[int]) -> Language:
    """The machine on words whose length has one of these remainders."""
    domain = Language(
        alphabet=machine.alphabet,
        transitions=tuple(((i + 1) % period,) * machine.num_symbols for i in range(period)),
        classes=tuple(int(i in lengths) for i in range(period)),
    )
    return with_domain(machine, domain)


LARGE_MONOID = Language(
    alphabet=("a", "b"), transitions=((2, 3), (0, 0), (0, 1), (1, 0)), classes=(0, 0, 0, 1)
)
"""Products of three of its elements need more parameters than are allowed."""


@settings(max_examples=few(6))
@given(language=machines(max_states=4), chunk_size=st.integers(2, 3))
@example(language=LARGE_MONOID, chunk_size=3)
def test_every_target_keeps_the_contract(language: Language, chunk_size: int) -> None:
    for make in ENCODINGS.values():
        try:
            form = make(language, chunk_size, MAX_PARAMETERS)
        except LanguageError:
            if (language.num_states, chunk_size) != (4, 3):  # too few elements to be too large
                raise
            continue
        assert isinstance(form, Encoding)
        layers = list(form.layers(chunk_size))
        assert len(layers) == form.count_layers(chunk_size)
        assert all(units.count == form.num_hidden(chunk_size) for units in layers)
        weights, biases = form.read_out()
        assert weights.shape == (language.num_classes, form.size)
        assert biases.shape == (language.num_classes,)
        vectors = [form.pad(), *(form.leaf(symbol) for symbol in range(language.num_symbols))]
        assert all(vector.shape == (form.size,) for vector in vectors)
