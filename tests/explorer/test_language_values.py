"""What the page is told of a language, against the definitions of Green's relations by ideals."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from function_strategies import draw_function, inputs_of
from lengthwise.errors import LanguageError
from lengthwise.explorer.language_values import (
    MOST_BOXED,
    STAGES,
    automaton_values,
    function_values,
    require_harmless,
    stages,
)
from lengthwise.languages.describe import describe
from lengthwise.languages.functions.by_name import function_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import syntactic_monoid
from lengthwise.languages.spec import parse
from strategies import machines, machines_with_domain


def values_of(language: Language) -> dict[str, Any]:
    found = dict(stages(language, function_of(language)))
    assert tuple(found) == STAGES
    parsed: dict[str, Any] = json.loads(json.dumps(found))
    return parsed


def ideals(language: Language) -> tuple[list[frozenset[int]], ...]:
    """The right, left and two-sided ideal of each element, by the product table."""
    table = syntactic_monoid(language).table
    right = [frozenset(row) for row in table.tolist()]
    left = [frozenset(column) for column in table.T.tolist()]
    both = [frozenset(int(z) for y in ideal for z in table[:, y]) for ideal in right]
    return right, left, both


def check_boxes(language: Language, monoid: dict[str, Any]) -> None:
    right, left, both = ideals(language)
    table = syntactic_monoid(language).table
    box_of: dict[int, int] = {}
    for number, box in enumerate(monoid["boxes"]):
        elements = [each for row in box["cells"] for cell in row for each in cell]
        box_of |= dict.fromkeys(elements, number)
        assert len(elements) == box["elements"]
        assert {len(cell) for row in box["cells"] for cell in row} == {box["per_cell"]}
        assert len({both[each] for each in elements}) == 1
        for row in box["cells"]:
            assert len({right[each] for cell in row for each in cell}) == 1
        for column in zip(*box["cells"], strict=True):
            assert len({left[each] for cell in column for each in cell}) == 1
        assert (box["rows"], box["columns"]) == (len(box["cells"]), len(box["cells"][0]))
        assert len({right[each] for each in elements}) == box["rows"]
        assert len({left[each] for each in elements}) == box["columns"]
        stars = [each for each in elements if table[each, each] == each]
        assert len(stars) == box["idempotents"]
        assert box["is_group"] == (bool(stars) and box["per_cell"] > 1)
    assert sorted(box_of) == list(range(monoid["size"]))
    assert len({both[each] for each in box_of}) == len(monoid["boxes"]) == monoid["num_boxes"]
    for x, row in enumerate(table.tolist()):
        assert all(box_of[xy] >= max(box_of[x], box_of[y]) for y, xy in enumerate(row))
    squares = np.diagonal(table)
    assert monoid["idempotent"] == np.flatnonzero(squares == np.arange(len(table))).tolist()


@given(machines(max_states=4) | machines_with_domain())
def test_boxes_are_those_of_the_ideals(language: Language) -> None:
    found = values_of(language)
    if found["monoid"]["size"] <= MOST_BOXED and found["monoid"]["num_boxes"] <= 60:
        check_boxes(language, found["monoid"])


@given(machines() | machines_with_domain())
def test_the_automaton_classifies_as_the_language(language: Language) -> None:
    automaton = values_of(language)["automaton"]
    machine = language.total()
    own = Language(
        alphabet=tuple(automaton["alphabet"]),
        transitions=tuple(map(tuple, automaton["transitions"])),
        classes=tuple(automaton["classes"]),
        start=automaton["start"],
        class_names=tuple(automaton["class_names"]),
    )
    assert own.difference(machine) is None
    assert automaton["num_classes"] == language.num_classes


def test_the_ladder_is_that_of_describe() -> None:
    for spec in ("parity", "d-2", "regex:(ab)*", "group:S3"):
        language = parse(spec)
        ladder, described = values_of(language)["ladder"], describe(language)
        assert ladder["rung"] == described["network"]["rung"]
        assert {each["key"]: each["holds"] for each in ladder["verdicts"]} == described["ladder"]


def test_a_large_monoid_has_sizes_only() -> None:
    monoid = values_of(parse("modular-arithmetic"))["monoid"]
    assert monoid["size"] == 568 > MOST_BOXED
    assert monoid["words"] is None
    assert "cells" not in monoid["boxes"][0]
    assert sum(box["elements"] for box in monoid["boxes"]) <= 568


@pytest.mark.parametrize(
    "spec",
    [
        *("att:/etc/passwd", "att[0=epsilon]:x", "py[states=2,alphabet=01]:os:system"),
        *("mealy:/etc/passwd", "gray | mealy:/etc/passwd", "prefixes:prefixes:att:x"),
        "gray | function[states=2,alphabet=01]:os:system",
    ],
)
def test_the_page_can_read_no_files_and_run_no_code(spec: str) -> None:
    with pytest.raises(LanguageError, match="read no files and run no code"):
        require_harmless(spec)


def test_harmless_specifications_pass() -> None:
    for spec in (
        "parity",
        "regex:(a|b)*",
        "regex[abc]:a",
        "ltl:O a",
        "group:S3",
        "count:a:3",
        "gray | gray",
    ):
        require_harmless(spec)


@pytest.mark.parametrize("right", [1, 3])
def test_a_function_has_its_automata_and_its_table(right: int) -> None:
    made = draw_function(3, right=right, symbols=3)
    values = function_values(made)
    assert values is not None
    assert (values["right"] is None) == (right == 1)
    left = values["left"]["transitions"]
    other = [[0] * 3] if values["right"] is None else values["right"]["transitions"]
    for word in inputs_of(made, 4):
        written = []
        for place, symbol in enumerate(word):
            before = after = 0
            for x in word[:place]:
                before = left[before][x]
            for x in reversed(word[place + 1 :]):
                after = other[after][x]
            written.append(values["table"][before][symbol][after])
        assert written == made.run(word)
    assert made(values["first"])


def test_only_functions_have_values_of_functions() -> None:
    assert values_of(parse("parity"))["automaton"]["function"] is None
    found = values_of(parse("add[base=2]"))["automaton"]["function"]
    assert (found["sign"], found["first"].count("+")) == ("+", 1)
    assert next(each["text"] for each in found["left"]["drawing"]["arrows"]) == (
        "0+0/0, 0+1/1, 1+0/1"
    )
    large = Function(
        alphabet=tuple(map(str, range(300))),
        outputs=("0", "1"),
        left=tuple(((s + 1) % 200,) * 300 for s in range(200)),
        right=((0,) * 300,),
        table=tuple(((int(s == 0),),) * 300 for s in range(200)),
    )
    assert function_values(large) is None


def test_a_language_has_the_shapes_of_its_states_and_arrows_unless_they_are_too_many() -> None:
    drawing = automaton_values(parse("tomita-5"))["drawing"]
    assert sorted(each["state"] for each in drawing["states"]) == [0, 1, 2, 3]
    assert len(drawing["arrows"]) == 8
    left, top, right, bottom = drawing["box"]
    for each in (*drawing["states"], *drawing["arrows"]):
        assert left < each["x"] < right
        assert top < each["y"] < bottom
    assert automaton_values(parse("group:S5"))["drawing"] is None


@given(language=machines() | machines_with_domain())
def test_drawn_states_are_those_of_the_minimal_automaton(language: Language) -> None:
    values = automaton_values(language)
    if values["drawing"] is None:
        return
    drawn = {each["state"]: each for each in values["drawing"]["states"]}
    assert sorted(drawn) == list(range(values["num_states"]))
    for state, kind in enumerate(values["classes"]):
        assert drawn[state]["is_dashed"] == (kind >= values["num_classes"])
        assert drawn[state]["text"] == values["class_names"][kind]
