"""The language that a network learns determines every output."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_strategies import draw_function, inputs_of, slow_output
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.reading import reading_of, require_named
from ordinary import few


@given(seed=st.integers(0, 10**6), right=st.integers(1, 3), outputs=st.integers(1, 3))
@settings(max_examples=few(40))
def test_outputs_follow_from_the_classes_of_prefixes_and_reversed_suffixes(
    seed: int, right: int, outputs: int
) -> None:
    function = draw_function(seed, left=3, right=right, outputs=outputs)
    reading = reading_of(function)
    for word in inputs_of(function, 5)[1:]:
        ends = range(1, len(word) + 1)
        prefixes = np.array([reading.language.classify(word[:end]) for end in ends])
        suffixes = np.array([reading.language.classify(word[end:][::-1]) for end in ends])
        written = reading.outputs(prefixes, suffixes)
        assert function.decode(written.tolist()) == slow_output(function, word)


def test_the_class_of_the_empty_prefix_costs_no_state() -> None:
    assert reading_of(addition(2)).language.num_states == 4
    assert reading_of(addition(10)).language.num_states == 20


def test_equal_functions_of_other_names_have_languages_of_these_names() -> None:
    for spec in ("add[base=2]", "", "prefixes:x"):
        assert reading_of(replace(addition(2), spec=spec)).language.spec == spec


def test_weights_of_a_bimachine_need_its_specification() -> None:
    assert require_named(addition(2)).class_names == ("0", "1")
    with pytest.raises(LanguageError, match="this bimachine has none"):
        require_named(addition(2).reverse())
