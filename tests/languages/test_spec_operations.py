"""Specifications of languages made of others."""

import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.explorer.language_values import require_harmless
from lengthwise.languages.operations import concatenation, left_quotient, reverse, right_quotient
from lengthwise.languages.spec import OPERATIONS, may_change, parse
from lengthwise.languages.spec_operations import split_operands
from strategies import expressions

ONE, TWO = parse("regex:(01)*"), parse("tomita-4")
MADE = {
    "union:{regex:(01)*}{tomita-4}": ONE | TWO,
    "intersection:{regex:(01)*}{tomita-4}{parity}": ONE & TWO & parse("parity"),
    "difference:{regex:(01)*}{tomita-4}": ONE - TWO,
    "complement:regex:(01)*": ~ONE,
    "reverse:tomita-4": reverse(TWO),
    "concatenation:{regex:(01)*}{tomita-4}": concatenation(ONE, TWO),
    "left-quotient:{regex:(01)*}{tomita-4}": left_quotient(ONE, TWO),
    "right-quotient:{regex:(01)*}{tomita-4}": right_quotient(ONE, TWO),
    "union:{reverse:regex:(01){2,3}}{complement:difference:{parity}{first}}": reverse(
        parse("regex:(01){2,3}")
    )
    | ~(parse("parity") - parse("first")),
}


@pytest.mark.parametrize("spec", MADE)
def test_a_line_makes_what_the_operation_makes(spec: str) -> None:
    language = parse(spec)
    assert language == MADE[spec].minimise()
    assert language.spec == spec
    assert may_change(spec)
    with pytest.raises(LanguageError, match="the page takes"):
        require_harmless(spec)


def test_every_operation_is_tried() -> None:
    assert {spec.partition(":")[0] for spec in MADE} == {*OPERATIONS}


def test_an_alphabet_is_that_of_all_parts() -> None:
    language = parse("union:{regex:a*}{ltlf:F b}", "abc")
    assert language.spec == "union:{regex[abc]:a*}{ltlf[abc]:F b}"
    assert parse(language.spec) == language
    assert parse("reverse:regex:a*b", "a-c").spec == "reverse:regex[abc]:a*b"


@given(expressions(), expressions())
def test_expressions_with_repetitions_are_split_where_they_end(one: str, two: str) -> None:
    assert split_operands("union", f"{{regex:{one}}}{{regex:{two}}}") == [
        f"regex:{one}",
        f"regex:{two}",
    ]


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("union:{parity}", "union takes two or more languages in braces, as in union:{parity}"),
        ("union:parity", "but this is union:parity"),
        ("union:{parity} {first}", "in braces"),
        ("union:{parity}{first", "in braces"),
        ("union:{parity}}{first}", "in braces"),
        ("difference:{parity}{first}{first}", "difference takes two languages in braces"),
        ("union:{regex:a*}{regex:b*}", "have 'a' and 'b'. Give both the same"),
        ("union:{parity}{count:1:3}", "classes 0 and 1, but this language has 3"),
        ("complement:count:1:3", "classes 0 and 1, but this language has 3"),
        ("union:{parity}{partiy}", "unknown language 'partiy'"),
        ("union:{parity}{}", "unknown language ''"),
        ("union[ab]:{parity}{first}", "union[ab]"),
        ("left-quotent:{parity}{first}", "Did you mean 'left-quotient'?"),
        ("reverse:" * 51 + "parity", "has at most 50 operations"),
        ("union:{regex[z}|{]:z}{regex[z}|{]:z}", "in braces"),
        ("union:{regex[z{|}]:z}{regex[z{|}]:z}", "in braces"),
        ("union:{regex[{|}~]:~}{regex[z{|}]:z}{parity}", "has a brace alone in an alphabet"),
    ],
)
def test_slips_are_refused_in_one_line(spec: str, part: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(spec)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fifty_operations_are_taken() -> None:
    assert parse("reverse:" * 50 + "tomita-4") == parse("tomita-4")
