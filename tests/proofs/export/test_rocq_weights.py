"""Weights in Rocq files: exact, evaluated as networks do, and refused once they are changed."""

import random
import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from check import FLOATS, LIBRARY
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.cli.main import main
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.export.rocq_weights import network_text, reason_without_weights
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import predict_class, weights_of
from lengthwise.training.loop import round_weights
from proofs.export.test_rocq import change_data
from proofs.recurrent import automaton_of, random_recurrence
from proofs.rocq_changes import refuse, restatement, with_changed_bit
from proofs.rocq_kernel import accept, compile_library, needs_flocq, run_rocq
from proofs.rocq_networks import RationalTree, does, network_of, record_of, words_of
from proofs.rocq_reader import Exported
from proofs.rocq_shipped import SHIPPED, find_text
from proofs.trained import ENDS_WITH_1, last_symbol, random_rational

TINY = [name for name in SHIPPED if name.endswith("_tiny")]
WITH_WEIGHTS = ("parity_relu", "parity_rational", "tomita_5_rational")

seeds = st.integers(0, 2**32 - 1)


def text_of(model: Any) -> str:
    return network_text(model.config.to_dict(), weights_of(model))


def prove_recurrence() -> Certificate:
    """A certificate of a network with ReLU, about the very language that it computes."""
    model = random_recurrence(3, dtype=torch.float32, cell="relu", num_bits=2)
    return certify(model, automaton_of(model))


# ---- without Rocq --------------------------------------------------------------------------------


@settings(max_examples=8)
@given(
    seed=seeds,
    dtype=st.sampled_from([torch.float32, torch.float64]),
    shape=st.sampled_from(
        [{}, {"chunk_size": 4}, {"num_layers": 2}, {"num_heads": 1}, {"embedding_scale": None}]
    ),
)
def test_an_exported_tree_answers_as_the_model_that_runs(
    seed: int, dtype: torch.dtype, shape: dict[str, Any]
) -> None:
    model = random_rational(seed, dtype, **shape)
    network = network_of(text_of(model))
    words = [word for length in (0, 1, 2, 5) for word in words_of(2, length)][:12]
    assert [network.word_class(word) for word in words] == [predict_class(model, w) for w in words]


@settings(max_examples=8)
@given(seed=seeds, dtype=st.sampled_from([torch.float32, torch.float64]))
def test_an_exported_recurrence_answers_as_the_model_that_runs(
    seed: int, dtype: torch.dtype
) -> None:
    model = random_recurrence(seed, dtype=dtype, cell="relu", num_classes=3)
    network = network_of(text_of(model))
    words = [word for length in range(5) for word in words_of(2, length)]
    assert [network.word_class(word) for word in words] == [predict_class(model, w) for w in words]


@given(
    numbers=st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=5),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_no_weight_is_rounded(numbers: list[float], dtype: str) -> None:
    model = random_recurrence(0, cell="relu", d_model=len(numbers))
    weights = {**weights_of(model), "start": np.array(numbers, dtype=dtype)}
    record = record_of(network_text(model.config.to_dict(), weights))
    assert record["first_vector"] == [Fraction(number) for number in numbers]


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (random_rational(0, pad="absent"), "pads are absent"),
        (random_rational(0, chunk_size=3), "1 / 3, the share of a place"),
        (random_rational(0, num_heads=2), "the root of 2, the width of a head"),
        (random_rational(0, d_model=8, num_heads=2, embedding_scale=None), "the root of 8, is not"),
        (last_symbol(), "softmax, norms, tanh"),
        (random_rational(0), ""),
    ],
)
def test_weights_that_are_left_out_have_a_reason(model: Any, reason: str) -> None:
    made = replace(
        certify(last_symbol(), ENDS_WITH_1),
        settings=model.config.to_dict(),
        weights=weights_of(model),
    )
    found = reason_without_weights(made)
    assert reason in found
    assert bool(found) == bool(reason)


def test_a_weight_of_too_many_digits_is_left_out() -> None:
    made = prove_recurrence()
    start = made.weights["start"].astype(np.float64)
    start[:2] = 1e-200, 1.0
    assert "binary digits" in reason_without_weights(
        replace(made, weights={**made.weights, "start": start})
    )


def test_the_command_says_which_theorems_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "certificate.json", tmp_path / "machine.v"
    for made, said in (
        (prove_recurrence(), "about the table and the weights, with their rounding"),
        (certify(last_symbol(), ENDS_WITH_1), "about the table, not about weights (softmax"),
    ):
        made.save(file)
        assert main(["certify", "--check", str(file), "--export", "rocq", str(out)]) == 0
        assert said in capsys.readouterr().err
        assert ("Theorem float_network_right" in out.read_text()) == ("and" in said.split("(")[0])


@pytest.mark.slow_for("parity_relu")
@pytest.mark.parametrize("name", [*WITH_WEIGHTS, *TINY])
def test_shipped_networks_answer_as_their_languages(name: str) -> None:
    text = find_text(name)
    network, plain = network_of(text), Exported(text, tables="places" in text)
    for length in range(5 if plain.num_symbols == 2 else 4):
        for word in words_of(plain.num_symbols, length):
            if plain.domain.class_of(word) == 1:
                assert network.word_class(word) == plain.answers.class_of(word)


# ---- with Rocq -----------------------------------------------------------------------------------


@pytest.mark.slow
@needs_flocq
def test_rocq_evaluates_networks_as_fractions_do(tmp_path: Path) -> None:
    library = compile_library(("Words", "Data", "Networks", "Fractions", "QuickSums"), tmp_path)
    models: list[Any] = [
        *(random_rational(1), random_rational(2, chunk_size=4), random_rational(3, num_layers=2)),
        *(random_recurrence(seed, cell="relu") for seed in range(2)),
    ]
    for model in models:
        round_weights(model, 5)
    words = [word for length in range(4) for word in words_of(2, length)]
    written = "; ".join("[" + "; ".join(map(str, word)) + "]" for word in words)
    text = (
        "From Coq Require Import List NArith QArith.\n"
        "From Lengthwise Require Import Words Data Networks Fractions QuickSums.\n"
        "Import ListNotations.\nLocal Open Scope N_scope.\nLocal Open Scope text_scope.\n"
        f"Definition words : list word := [{written}].\n"
    )
    for model in models:
        how = "recurrent_class_with" if hasattr(model, "cell") else "network_class_with"
        asked = f"{how} quick_plus quick_times ({text_of(model)})"
        text += f"Eval vm_compute in map ({asked}) words.\n"
    shown = run_rocq(text, library, tmp_path)
    assert shown.returncode == 0, shown.stderr
    found = re.findall(r"= \[(.*?)\]\s*: list", shown.stdout, re.S)
    for model, line in zip(models, found, strict=True):
        classes = [None if "None" in each else int(each.split()[-1]) for each in line.split(";")]
        network = network_of(text_of(model))
        assert classes == [network.word_class(word) for word in words]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library((*LIBRARY, *FLOATS), tmp_path_factory.mktemp("library"))


@needs_flocq
@pytest.mark.slow
def test_the_kernel_accepts_an_exported_network(library: Path, tmp_path: Path) -> None:
    made, out = prove_recurrence(), tmp_path / "exported.v"
    made.save(tmp_path / "certificate.json")
    command = ["certify", "--check", str(tmp_path / "certificate.json")]
    assert main([*command, "--export", "rocq", str(out)]) == 0
    assert accept(out.read_text(), library, tmp_path)


def change_weight(text: str, choose: random.Random) -> str:
    """A text with one bit changed in one weight."""
    return with_changed_bit(text, "Definition weights", "Definition codes", choose)


@needs_flocq
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_the_kernel_refuses_weights_that_do_something_else(
    name: str, library: Path, tmp_path: Path
) -> None:
    """Ten changed bits of each network after which it does something else, and, to see that it is
    the change that is refused, two after which it does the same."""
    text = find_text(name)
    assert accept(text, library, tmp_path)
    usual, choose = does(network_of(text), 2), random.Random(0)
    refused = kept = 0
    while refused < 10:
        mutant = change_weight(text, choose)
        if does(network_of(mutant), 2) != usual:
            assert not accept(mutant, library, tmp_path), mutant
            refused += 1
        elif kept < 2:
            assert accept(mutant, library, tmp_path), mutant
            kept += 1


def change_claim(text: str, choose: random.Random) -> tuple[str, bool]:
    """A text whose theorem about the network says something else, and whether that is false."""
    change = restatement(choose, "weights", 4)
    start = text.index("Theorem network_right")
    end = text.index("Proof.", start)
    network, plain = network_of(text), Exported(text, tables="places" in text)
    is_false = any(
        network.word_class(change.asked(word))
        != plain.answers.class_of(change.true(word)) ^ change.flip
        for length in range(6)
        for word in words_of(2, length)
    )
    return text[:start] + text[start:end].replace(change.old, change.new) + text[end:], is_false


@needs_flocq
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_the_kernel_refuses_other_claims_about_the_network(
    name: str, library: Path, tmp_path: Path
) -> None:
    text = find_text(name)
    refuse(partial(change_claim, text), 10, library, tmp_path)


@needs_flocq
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WITH_WEIGHTS if name.endswith("rational")])
@pytest.mark.parametrize("part", ["table", "automaton"])
def test_the_kernel_refuses_changed_tables_and_automata(
    name: str, part: str, library: Path, tmp_path: Path
) -> None:
    text = find_text(name)
    assert isinstance(network_of(text), RationalTree)
    refuse(partial(change_data, text, part), 15, library, tmp_path)
