"""Star-free automata become programs that give every prefix its class."""

from itertools import product

import pytest
from hypothesis import given

from lengthwise.constructions.star_free import star_free_program
from lengthwise.errors import ConstructionError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import all_words, machines, machines_with_domain


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
