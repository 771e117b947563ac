import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.languages.describe import describe
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import all_words, machines, machines_with_domain


def test_parity() -> None:
    description = describe(parse("parity"))
    more = {"ladder", "ladder_witnesses", "ladder_numbers", "network"}
    assert {key: value for key, value in description.items() if key not in more} == {
        "spec": "parity",
        "alphabet": ["0", "1"],
        "num_states": 2,
        "classes": ["0", "1"],
        "domain": False,
        "monoid_size": 2,
        "star_free": False,
        "group": True,
        "solvable": True,
        "samples": {"0": ["", "0", "00", "11"], "1": ["1", "01", "10", "001"]},
        "counts": {"0": [1, 0]} | {str(n): [2 ** (n - 1)] * 2 for n in range(1, 9)},
    }


@pytest.mark.parametrize(
    "spec", ["modular-arithmetic", "d-12", "group:S5", "count:1:100", "regex[ab]:", "aaaa-star"]
)
def test_descriptions_are_ready_for_json(spec: str) -> None:
    description = describe(parse(spec))
    assert json.loads(json.dumps(description)) == description


def test_a_monoid_past_its_bound_is_said_to_be_unknown() -> None:
    description = describe(parse("d-12"), max_elements=100)
    for key in ["monoid_size", "star_free", "solvable"]:
        assert description[key] is None
    assert description["group"] is False  # the automaton alone says so
    assert "at most 100 elements" in description["monoid_note"]


def test_large_groups_show_their_first_classes_only() -> None:
    description = describe(parse("group:S4"))
    assert len(description["classes"]) == 24
    assert len(description["samples"]) == len(description["counts"]["3"]) == 12


@given(st.one_of(machines(max_states=4), machines_with_domain()))
def test_samples_are_the_first_words_of_their_class(language: Language) -> None:
    description = describe(language)
    words: dict[str, list[str]] = {name: [] for name in language.class_names}
    for word in all_words(language, 5):
        try:
            words[language.class_names[language.classify(word)]].append(language.decode(word))
        except WordError:
            continue
    for name, samples in description["samples"].items():
        shown = [sample for sample in samples if len(sample) <= 5]
        assert shown == words[name][: len(shown)]
        assert samples or not words[name]
