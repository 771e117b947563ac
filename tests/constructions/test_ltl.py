"""Formulas and star-free automata become programs that give every prefix its class."""

from itertools import product

import pytest
from hypothesis import given, settings

from lengthwise.constructions.ltl import design_ltl, ltl_program, star_free_program
from lengthwise.errors import ConstructionError
from lengthwise.languages.language import Language
from lengthwise.languages.ltl_parser import parse_formula
from lengthwise.languages.spec import formula_of, parse
from ltl_strategies import Tree, formulas, holds, in_text
from strategies import all_words, machines, machines_with_domain, texts


@settings(max_examples=60)
@given(tree=formulas())
def test_the_program_is_the_definition(tree: Tree) -> None:
    formula = parse_formula(in_text(tree))
    program = ltl_program(formula, ("a", "b"))
    assert program.num_layers <= max(1, formula.depth())
    for word in texts("ab", 5):
        found = program.run(["ab".index(symbol) for symbol in word])
        assert found == [int(holds(tree, word, i)) for i in range(len(word) + 1)], in_text(tree)


def test_since_is_one_lookup_and_depth_is_nesting() -> None:
    for text, lookups, layers in (
        ("a S b", 1, 1),
        ("Y (a S b)", 1, 1),
        ("H (b -> Y a)", 2, 2),
        ("O (b & O (a & O b))", 3, 3),
        ("a | !a & b", 0, 1),
    ):
        program = ltl_program(parse_formula(text), ("a", "b"))
        assert (len(program.memories), program.num_layers) == (lookups, layers), text


def test_the_formula_and_the_automaton_are_compared() -> None:
    """The automaton of this one needs no lookup at all."""
    roundabout = "(Y Y a | !Y Y a) & b"
    assert ltl_program(parse_formula(roundabout), ("a", "b")).num_layers == 1
    formula = "H (b -> Y a) & O b | !O b"
    language = parse(f"ltl:{formula}")
    depth = ltl_program(parse_formula(formula), ("a", "b")).num_layers
    assert design_ltl(language).config.num_layers <= depth
    assert formula_of(language.spec) == parse_formula(formula)
    assert formula_of("parity") is None


def test_a_formula_whose_automaton_is_too_large_has_its_own_program() -> None:
    text = " & ".join(f"O ({'Y ' * n}a)" for n in range(6))
    assert design_ltl(parse(f"ltl:{text}", "ab")).config.num_layers <= 7


def test_what_is_not_star_free_is_refused() -> None:
    for spec in ("parity", "regex:(aa)*", "group:S3", "tomita-5"):
        with pytest.raises(ConstructionError, match=r"not star-free.*a cyclic group of order"):
            design_ltl(parse(spec))


# ---- automata ------------------------------------------------------------------------------------


@given(language=machines(max_states=5))
def test_the_program_is_the_automaton_or_there_is_a_group(language: Language) -> None:
    try:
        program = star_free_program(language)
    except ConstructionError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert "is not star-free" in refused
        assert "\n" not in refused
        return
    for word in product(range(language.num_symbols), repeat=6):
        found = [language.classes[language.run(word[:n])] for n in range(7)]
        assert program.run(word) == found


@given(language=machines_with_domain())
def test_words_of_the_domain_get_their_class(language: Language) -> None:
    try:
        program = star_free_program(language)
    except ConstructionError:
        return
    domain = language.domain
    assert domain is not None
    for word in all_words(language, 5):
        if domain.classify(word) == 1:
            assert program.run(word)[-1] == language.classify(word)


@pytest.mark.parametrize(
    ("spec", "layers"),
    [("regex:(ab)*", 2), ("tomita-4", 3), ("first", 2), ("d-2", 3), ("tomita-1", 1)],
)
def test_known_languages_have_known_depths(spec: str, layers: int) -> None:
    assert star_free_program(parse(spec)).num_layers == layers


def test_groups_are_named() -> None:
    with pytest.raises(ConstructionError, match="'1' leads through 2 states in a circle") as caught:
        star_free_program(parse("parity"))
    assert str(caught.value).endswith("Use another rung, such as scan.")
