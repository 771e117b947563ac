"""The language that a network learns determines every output."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_strategies import draw_function, inputs_of, slow_output
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.reading import reading_of
from ordinary import few
from proofs.rocq_kernel import compile_library, needs_rocq, run_rocq


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


@given(seed=st.integers(0, 10**6), right=st.integers(1, 3))
@settings(max_examples=few(30))
def test_the_class_of_the_empty_prefix_is_free(seed: int, right: int) -> None:
    """It is the one that is asked for, if it has the half of the empty suffix; others stay."""
    function = draw_function(seed, left=3, right=right)
    usual = reading_of(function)
    empty = usual.language.classes[usual.language.start]
    words = inputs_of(function, 5)[1:]
    for asked in range(len(usual.language.class_names)):
        made = reading_of(function, empty=asked)
        if (first := made.language.classes[made.language.start]) != asked:
            assert first == empty
        assert (made.answers, made.language.class_names) == (
            usual.answers,
            usual.language.class_names,
        )
        for word in words:
            assert made.language.classify(word) == usual.language.classify(word)
    if function.is_sequential:
        assert {reading_of(function, empty=c).language.classify(()) for c in (0, 1)} == {0, 1}


def test_equal_functions_of_other_names_have_languages_of_these_names() -> None:
    for spec in ("add[base=2]", "", "prefixes:x"):
        assert reading_of(replace(addition(2), spec=spec)).language.spec == spec


@pytest.mark.slow
@needs_rocq
def test_the_language_is_the_one_of_the_theorem(tmp_path: Path) -> None:
    """Rocq's classes of words are those of the language, and its outputs those of the function."""
    function = addition(2).reverse()
    reading = reading_of(function)
    assert reading.answers is not None
    words = inputs_of(function, 3)
    kinds = len(reading.answers[0]) // len({*reading.answers})
    lists = f"[{'; '.join('[' + '; '.join(map(str, word)) + ']' for word in words)}]"
    text = f"""From Coq Require Import List.
Import ListNotations.
From Lengthwise Require Import Functions.
Definition at2 (rows : list (list nat)) (i j : nat) := nth j (nth i rows []) 0.
Definition left := at2 {_written(function.left)}.
Definition right := at2 {_written(function.right)}.
Definition cells (x q : nat) := at2 {_written(function.table[0])} x q.
(* The row of a symbol, by its first and second output. *)
Definition row (p x : nat) := 2 * cells x 0 + cells x 1.
Definition words : list (list nat) := {lists}.
Compute map (class_of nat nat nat nat nat left 0 right 0 row 99 (fun q => q)) words.
Compute map (fun w => map (fun t => output_at nat nat nat nat left 0 right 0
  (fun p x q => cells x q) (firstn t w) (nth t w 0) (skipn (S t) w)) (seq 0 (length w))) words.
"""
    shown = " ".join(
        run_rocq(text, compile_library(["Functions"], tmp_path), tmp_path).stdout.split()
    )
    classes, outputs = shown.split(": list (nat * nat)")
    found = [tuple(map(int, pair)) for pair in re.findall(r"\(\s*(\d+),\s*(\d+)\)", classes)]
    names: dict[tuple[int, ...], int] = {}
    for word, pair in zip(words[1:], found[1:], strict=True):
        own_class = reading.language.classify(word)
        assert names.setdefault(pair, own_class) == own_class
    assert len({*names.values()}) == len(names) > kinds
    written = [
        [int(n) for n in re.findall(r"\d+", part)]
        for part in re.findall(r"\[([\d; ]*)\]", outputs.split("= ")[1].removeprefix("["))
    ]
    assert written == [function.run(word) for word in words]


def _written(table: tuple[tuple[int, ...], ...]) -> str:
    """Write a table as a list of lists."""
    return f"[{'; '.join('[' + '; '.join(map(str, row)) + ']' for row in table)}]"
