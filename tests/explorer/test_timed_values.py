"""Languages that the page asks for: bounded in time, and refused in one line."""

import json
import re
from dataclasses import replace

from lengthwise.explorer.language_values import stages
from lengthwise.explorer.timed_values import Workers, describe_stop, refusal
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.reading import reading_of
from lengthwise.languages.spec import parse


def test_a_language_has_all_its_stages(workers: Workers) -> None:
    expected = json.loads(json.dumps(dict(stages(parse("d-2")))))
    assert workers.answer_typed("d-2", None) == expected
    assert workers.answer_given("d-2", "") == expected


def test_a_stored_language_needs_no_name(workers: Workers) -> None:
    found = workers.of(~parse("parity"))
    assert found["automaton"]["spec"] == ""
    assert found["automaton"]["classes"] == [1, 0]


def test_the_name_of_a_stored_function_runs_no_code(workers: Workers) -> None:
    gray = function("gray")
    language = replace(reading_of(gray).language, spec="function[states=2,alphabet=01]:this:c")
    assert workers.of(language)["automaton"]["function"] is None
    found = workers.of(language, gray)["automaton"]["function"]
    assert found["table"] == [[[0], [1]], [[1], [0]]]
    assert workers.answer_given("gray", None)["automaton"]["function"] == found


def test_what_is_malformed_is_one_line_with_its_column(workers: Workers) -> None:
    found = workers.answer_typed("regex:(0|1", None)
    assert found == refusal("expression '(0|1', column 1: '(' is not closed. Add ')'.")
    assert found["column"] == 1
    assert workers.answer_typed("paritty", None)["column"] is None


def test_a_page_cannot_make_it_import_code(workers: Workers) -> None:
    assert "run no code" in workers.answer_typed("py[states=2,alphabet=01]:this:c", None)["error"]


def test_hostile_names_come_back_as_they_are(workers: Workers) -> None:
    name = "<script>alert('1')</script>\u202e" + "x" * 10_000
    found = workers.answer_typed(name, None)
    assert "\n" not in found["error"]
    assert len(found["error"]) <= 2_000
    found = workers.answer_typed("regex:(<|>|'|\\\"|\u202e)*", None)
    assert found["automaton"]["alphabet"] == sorted("<>'\"\u202e")


def test_an_explosion_is_refused_with_numbers(workers: Workers) -> None:
    found = workers.answer_typed("regex:(a|b)*a(a|b){20}", None)
    assert "at most 200,000 states" in found["error"]


def test_what_takes_long_is_stopped_with_what_was_found() -> None:
    workers = Workers(0.8)
    try:
        found = workers.answer_typed("regex:(a|b)*a(a|b){11}", None)
        assert re.match(r"stopped after \d\.\d s: (the automaton|\d+ char)", found["stopped"])
        assert "ladder" not in found
    finally:
        workers.close()


def test_what_is_stopped_says_how_far_it_came() -> None:
    automaton = {"automaton": {"num_states": 4_096}}
    monoid = {"monoid": {"size": 8_191}}
    said = "3 characters were read, and the automaton was not finished"
    assert said in describe_stop({}, "abc", "2 s")
    assert "has 4,096 states, and its monoid was not finished" in describe_stop(
        automaton, "", "2 s"
    )
    said = "has 4,096 states, its monoid 8,191 elements, and the ladder was not finished"
    assert said in describe_stop(automaton | monoid, "", "2 s")
    refused = {"monoid": {"refusal": "too many"}}
    assert "4,096 states, and the ladder" in describe_stop(automaton | refused, "", "2 s")
