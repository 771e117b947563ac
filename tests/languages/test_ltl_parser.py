"""Formulas as they are written and read."""

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.ltl import Formula, automaton
from lengthwise.languages.ltl_parser import FUTURE, PAST, parse_formula
from lengthwise.languages.spec import parse
from ltl_strategies import Tree, formulas, in_text, temporal_depth


def ltl(formula: str, alphabet: str | None = None) -> Language:
    return parse(f"ltl:{formula}", alphabet)


def format_formula(formula: Formula) -> str:
    """A formula in the syntax that `parse_formula` reads."""
    texts: list[str] = []
    for node in formula.nodes:
        operands = [texts[index] for index in node.of]
        match node.kind:
            case "symbol":
                text = f"'{node.symbol}'"
            case "true":
                text = "true"
            case "not":
                text = f"!{operands[0]}"
            case "yesterday":
                text = f"Y {operands[0]}"
            case _:
                sign = {"and": "&", "or": "|", "since": "S"}[node.kind]
                text = f"({operands[0]} {sign} {operands[1]})"
        texts.append(text)
    return texts[-1]


@given(tree=formulas())
def test_a_formula_is_written_as_it_is_read(tree: Tree) -> None:
    formula = parse_formula(in_text(tree))
    assert format_formula(parse_formula(format_formula(formula))) == format_formula(formula)
    assert automaton(parse_formula(format_formula(formula)), "ab") == automaton(formula, "ab")


@given(tree=formulas())
def test_depth_is_the_nesting_of_temporal_operators(tree: Tree) -> None:
    """Negations that cancel and `Y (f S g)` can only make it less."""
    assert parse_formula(in_text(tree)).depth() <= temporal_depth(tree)


def test_depth_by_hand() -> None:
    depths = {"a": 0, "Y a": 1, "a S b": 1, "Y (a S b)": 1, "Y Y a": 2, "O (a & Y b)": 2}
    assert {text: parse_formula(text).depth() for text in depths} == depths


@pytest.mark.parametrize(
    ("formula", "column", "part"),
    [
        ("a S", 4, "found the end instead of a symbol"),
        ("a b", 3, "found 'b' instead of an operator or the end"),
        ("(a & b", 7, "instead of an operator or ')'"),
        ("a)", 2, "found ')'"),
        ("a & + b", 5, "'+' begins no symbol or operator"),
        ("a & 'b", 5, "begins no symbol"),
        ("a & c", 5, "symbol 'c' is not in the alphabet"),
        ("a & 'cd'", 5, "symbol 'cd' is not"),
        ("", 1, "found the end"),
        ("  ", 1, "found the end"),
        ("!" * 200 + "a", 102, "at most 100 deep"),
        ("a <-> " * 200 + "a", 607, "at most 100 deep"),
        *((f"a & {word} b", 5, f"{word} looks into the future") for word in PAST.remedies),
    ],
)
def test_what_is_no_formula_is_refused_with_its_column(
    formula: str, column: int, part: str
) -> None:
    with pytest.raises(LanguageError) as caught:
        ltl(formula, "ab")
    assert str(caught.value).startswith(f"column {column}: ")
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_operators_as_symbols_are_quoted() -> None:
    for word in (*PAST.words, *PAST.remedies, "+", "->"):
        language = ltl(f"O '{word}'", f"{word} b ")
        assert language.alphabet == (word, "b")
        assert f"b {word} b" in language if language.spaced else word in language


@pytest.mark.parametrize("word", FUTURE.remedies)
def test_the_past_is_refused_in_a_formula_about_the_future(word: str) -> None:
    with pytest.raises(LanguageError, match=f"column 5: {word} looks into the past"):
        parse(f"ltlf:a & {word} b")
    assert parse(f"ltlf:F '{word}'").alphabet == (word,)
