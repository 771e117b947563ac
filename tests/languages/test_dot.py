"""Do pictures show all of an automaton?"""

import doctest

from lengthwise.languages import dot
from lengthwise.languages.dot import to_dot
from lengthwise.languages.language import Language


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(dot).failed == 0


def test_pictures_show_classes_domains_and_odd_symbols() -> None:
    domain = Language(
        alphabet=('"', "\\"), transitions=((1, 1), (0, 0)), classes=(1, 0), class_names=("0", "1")
    )
    language = Language(
        alphabet=domain.alphabet,
        transitions=((0, 1), (1, 0)),
        classes=(0, 2),
        class_names=("a", "b", "c"),
        domain=domain,
    )
    text = to_dot(language)
    assert text.count("style=dashed") == 2
    assert '[label="a"]' in text
    assert '[label="c"]' in text
    assert r'label="\""' in text
    assert r'label="\\"' in text
    assert "doublecircle" not in text
