"""Explanations say what a network computes: read again, they give its answers."""

import dataclasses
import re
from itertools import product

import pytest
import torch
from hypothesis import given, settings

import lengthwise as lw
from lengthwise.constructions.explain import MAX_WORD, Explanation, Reading, explain_weights
from lengthwise.constructions.known_constructions import construct
from lengthwise.errors import ConfigError, RunError, WordError
from lengthwise.languages.language import Language
from lengthwise.models.causal_recogniser import PrefixRecogniser
from strategies import machines

PROGRAMS = [("tomita-4", "ltl"), ("abab-star", "cascade"), ("regex:(ab)*", "c-rasp")]


def match(pattern: str, text: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, text)
    assert found, text
    return found.groups()


def is_true(condition: str, seen: dict[str, str]) -> bool:
    """Evaluate a condition as it is written, such as `(symbol is 'a' and m1 is none of 0, 2)`."""
    if condition in ("always", "never"):
        return condition == "always"

    def term(text: str) -> bool:
        name, sign, values = match(r"(\w+) (is not|is none of|is one of|is) (.*)", text)
        return (seen[name] in values.split(", ")) == (sign in ("is", "is one of"))

    paths = re.findall(r"\(([^()]*)\)", condition) or [condition]
    return any(all(term(each) for each in path.split(" and ")) for path in paths)


def value(what: str, earlier: list[dict[str, str]]) -> str:
    """The value of a memory as it is told, from the variables of earlier positions."""
    if what.startswith("at the nearest"):
        head, _, rest = what.partition(": ")
        blocked = re.search(r"has not \((.*)\)$", head)
        free = [row for row in earlier if not (blocked and is_true(blocked[1], row))]
        for part in rest.split("; ")[:-1]:
            one, condition = part.split(" if ")
            if free and is_true(condition, free[-1]):
                return one
        return "0"
    *amounts, last = what.removeprefix("the sum over all earlier positions of ").split("; ")
    terms = [amount.split(" where ") for amount in amounts if amount != "nothing"]
    total = sum(int(one) for row in earlier for one, condition in terms if is_true(condition, row))
    (known,) = match(r"(?:modulo|one of) ([-\d, ]+) \(known in layer \d+\)", last)
    if last.startswith("modulo"):
        return str(total % int(known))
    return str(min(map(int, known.split(", ")), key=lambda one: abs(one - total)))


def reread(told: Explanation, word: str) -> list[str]:
    """The class of every prefix, by the text of the explanation and looking back alone."""
    lines = [line for does in told.layers for line in does if line.startswith("head")]
    memories = [match(r"head \d+: (m\d+) = (.*)", line) for line in lines]
    rows = [{"symbol": "start", **{name: "0" for name, _ in memories}}]
    for symbol in word:
        earlier = rows[1:]
        found = {name: value(what, earlier) for name, what in memories}
        rows.append({"symbol": repr(symbol), **found})
    answer = [line.split(" if ", 1) for line in told.answer]
    return [next(c for c, condition in answer if is_true(condition, row)) for row in rows]


def classes(language: Language, word: str) -> list[str]:
    """The names of the classes of every prefix."""
    every = [language.encode(word[:n]) for n in range(len(word) + 1)]
    return [language.class_names[language.classes[language.run(prefix)]] for prefix in every]


@pytest.mark.parametrize(("spec", "rung"), PROGRAMS)
def test_the_text_is_the_program(spec: str, rung: str) -> None:
    made = construct(spec, {"rung": rung, "longest": 20})
    language = made.about
    assert isinstance(language, Language)
    told = explain_weights(made)
    for symbols in product(language.alphabet, repeat=4):
        word = "".join(symbols) * 2
        assert reread(told, word) == classes(language, word)


@settings(max_examples=8)
@given(language=machines(max_states=3))
def test_cascades_are_told_as_they_are(language: Language) -> None:
    made = construct(language, {"rung": "cascade", "longest": 9})
    told = explain_weights(made)
    for word in ("abbabaab", "bbbbaaaa"):
        assert reread(told, word) == classes(language, word)


@pytest.mark.parametrize(("spec", "rung"), [*PROGRAMS, ("parity", "scan")])
def test_a_reading_has_the_answers_and_the_attention_of_the_network(spec: str, rung: str) -> None:
    made = construct(spec, {"rung": rung})
    language = made.about
    assert isinstance(language, Language)
    word = (language.alphabet[0] * 2 + language.alphabet[1]) * 3
    found = explain_weights(made, word).reading
    assert isinstance(found, Reading)
    assert list(found.classes) == classes(language, word)
    assert list(found.word) == list(word)
    for head in found.heads:
        for i, row in enumerate(head.weights):
            assert sum(row) == pytest.approx(1.0, abs=1e-4)
            assert not any(row[i + 1 :])
            if rung == "c-rasp" and i:
                assert row[:i] == pytest.approx([1 / i] * i, abs=1e-5)
            if rung == "scan":
                assert row[max(0, i - 2 ** (head.layer - 1))] == 1.0
    assert isinstance(made.model, PrefixRecogniser)
    assert not any(layer.attention._forward_hooks for layer in made.model.block)


def test_it_is_printed_and_plain() -> None:
    made = lw.compile("parity", rung="cascade", longest=20)
    told = made.explain("011")
    text = str(told)
    assert "head 1: m1 = the sum over all earlier positions of +1 where symbol is '1'" in text
    assert "  3 attends to 0 to 2 alike" in text.splitlines()
    plain = told.to_dict()
    assert plain["word"]["memories"] == {"m1": [0, 0, 0, 1]}
    assert plain["word"]["classes"] == ["0", "0", "1", "0"]
    assert made.explain().to_dict()["word"] is None
    assert dataclasses.replace(made, model=made.model.float()).explain().layers == told.layers
    assert "1 moves the states 0 to 1, 1 to 0" in str(lw.compile("parity").explain())


def test_what_cannot_be_explained_is_refused() -> None:
    made = lw.compile("parity", rung="scan")
    for given_, word, error, part in (
        (lw.compile("steps2022/addition-1", bits=2), None, ConfigError, "is a circuit"),
        (lw.compile("chiang2022/first"), "0" * (MAX_WORD + 1), ConfigError, "at most 200 symbols"),
        (lw.compile("parity"), "01", ConfigError, "a tree has no positions"),
        (made, "0" * (MAX_WORD + 1), ConfigError, f"at most {MAX_WORD} symbols"),
        (made, "01x", WordError, "column 3: symbol 'x'"),
    ):
        with pytest.raises(error, match=part) as caught:
            explain_weights(given_, word)
        assert "\n" not in str(caught.value)
    assert isinstance(made.model, PrefixRecogniser)
    with torch.no_grad():
        made.model.answer.bias[0] += 1.0
    with pytest.raises(RunError, match="the weights are not those of parity"):
        explain_weights(made)
