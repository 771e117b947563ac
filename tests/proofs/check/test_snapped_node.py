"""Snapped recurrences: bounds against torch, certificates, and planted faults."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.proofs.check.arrays import pack, unpack
from lengthwise.proofs.check.certificate import Certificate, Machine
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.snapped_node import SnappedNode
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import weights_of
from proofs.snapped import classes_by_definition, parity_network, plain_steps, random_network

PARITY = lw.language("parity")
FAULTS = 300


@settings(deadline=None, max_examples=8)
@given(
    cell=st.sampled_from(["elman", "elman-relu", "gru", "lstm"]),
    layers=st.integers(1, 2),
    width=st.integers(1, 5),
    seed=st.integers(0, 10**6),
    is_single=st.booleans(),
)
def test_the_balls_hold_what_torch_computes(
    cell: Any, layers: int, width: int, seed: int, is_single: bool
) -> None:
    dtype = torch.float32 if is_single else torch.float64
    network = random_network(cell, layers, width, seed, dtype)
    steps = plain_steps(network)
    words = torch.randint(3, (5, 4), generator=torch.Generator().manual_seed(seed)).tolist()
    rows = torch.cat([steps.start()[1], steps.read(words)[1]])
    node = SnappedNode(network.config.of_function(), weights_of(network), rows.double().numpy())
    symbols = torch.tensor([0, 1, 2, 0, 1, 2])
    logits, after = steps.step(rows, symbols)
    state, read = node._after(node.representatives, symbols.numpy())
    off = np.linalg.norm(state.centre - after.double().numpy(), axis=1)
    assert (off <= state.radius).all()
    assert (state.radius < (1e-2 if is_single else 1e-9) * (1 + float(rows.abs().max()))).all()
    numbers, radius = node.arithmetic.numbers(read, node._answer)
    assert (np.abs(numbers - logits.double().numpy()) <= radius).all()


@pytest.fixture(scope="module")
def proved() -> Certificate:
    return certify(parity_network(), PARITY)


def is_right_by_definition(certificate: Certificate, longest: int = 9) -> bool:
    """Whether all words of the language to a length get their class."""
    return all(
        classes_by_definition(certificate, words) == [PARITY.classify(word) for word in words]
        for words in (list(product((0, 1), repeat=n)) for n in range(longest + 1))
    )


def test_a_network_with_numbers_for_a_state_is_proved_once_snapped(
    proved: Certificate, tmp_path: Path
) -> None:
    assert (proved.verdict, proved.strength, proved.kind) == ("equivalent", "snapped", "Recurrent")
    assert proved.statement == (
        "The model with its state snapped to the nearest representative after each symbol gives "
        "every word of parity its class, at every length."
    )
    file = tmp_path / "certificate.json"
    proved.save(file)
    assert lw.check(file, language="parity").statement == proved.statement
    assert proved.margins is not None
    assert proved.margins.is_certain
    assert is_right_by_definition(proved)
    assert classes_by_definition(proved, [(1,) * 31, (0,) * 30 + (1,)]) == [1, 1]


def test_against_another_language_a_shortest_wrong_word_is_proved() -> None:
    other = lw.language("count:1:3:01")
    network = parity_network(num_classes=3)
    found = certify(network, other)
    assert found.verdict == "counterexample"
    assert found.counterexample is not None
    word = other.encode(found.counterexample.word)
    assert classes_by_definition(found, [word]) != [other.classify(word)]
    assert check(found).verdict == "counterexample"


def changed(proved: Certificate, draw: random.Random) -> Certificate:
    """A certificate with one planted fault."""
    representatives = unpack(proved.elements["representatives"]).copy()
    pairs = [list(pair) for pair in proved.elements["pairs"]]
    weights = {name: w.copy() for name, w in proved.weights.items()}
    levels = [{k: [list(p) for p in v] for k, v in level.items()} for level in proved.levels]
    kind = draw.randrange(7)
    row, other = (draw.randrange(len(representatives)) for _ in range(2))
    if kind == 0:  # a state off by a representative
        representatives[row] = representatives[other]
    elif kind == 1:
        representatives[row] += draw.choice([1e-9, 0.1, 1.0, 100.0]) * draw.choice([-1, 1])
    elif kind == 2:  # a tie
        representatives[row] = 2 * representatives[other] - representatives[row]
    elif kind == 3:
        representatives[row, draw.randrange(representatives.shape[1])] = draw.choice(
            [np.nan, np.inf, 1e300]
        )
    elif kind == 4:
        pair = draw.choice(pairs)
        pair[draw.randrange(2)] = draw.randrange(-1, 4)
    elif kind == 5:
        weight = weights[draw.choice(sorted(weights))].reshape(-1)
        place = draw.randrange(len(weight))
        weight[place] = draw.choice([np.nan, 0.0, -weight[place], weight[place] + 3.0])
    else:
        edge = draw.choice(levels)["edge"]
        if edge:
            draw.choice(edge)[draw.randrange(2)] = draw.randrange(5)
    return replace(
        proved,
        elements={"representatives": pack(representatives), "pairs": pairs},
        weights=weights,
        levels=tuple(
            {k: tuple((a, b) for a, b in v) for k, v in level.items()} for level in levels
        ),
    )


def test_no_planted_fault_makes_a_wrong_proof(proved: Certificate) -> None:
    draw, accepted = random.Random(0), []
    for _ in range(FAULTS):
        fault = changed(proved, draw)
        try:
            accepted.append(check(fault))
        except CertificateError:
            continue
    assert len(accepted) < FAULTS / 2
    assert all(map(is_right_by_definition, accepted[:: max(1, len(accepted) // 8)]))


ALL = Language(
    alphabet=("a",), transitions=((0,),), classes=(0,), start=0, class_names=("no", "yes")
)


def one_number(symbol: float, answer: float, bias: float, dtype: torch.dtype) -> Certificate:
    """The claim that a network of one number, snapped to zero, says no to every word: its only
    step leads from zero to zero, with the logits of an h that is not zero."""
    config = RecurrentConfig(
        vocab_size=1, num_classes=2, cell="elman-relu", d_model=1, num_layers=1
    )
    network = Recurrent(config).to(dtype)
    weights = dict(network.named_parameters())
    with torch.no_grad():
        for weight in weights.values():
            weight.zero_()
        weights["cell.weight_ih_l0"].fill_(symbol)
        network.answer.weight[0] = answer
        network.answer.bias[0] = bias
    return Certificate(
        verdict="equivalent",
        strength="snapped",
        language=ALL,
        machine=Machine.of(ALL.minimise()),
        settings=config.of_function(),
        weights=weights_of(network),
        elements={"representatives": pack(np.zeros((1, 1))), "pairs": [[0, 0]]},
        maps=(),
        levels=({"interior": (), "edge": ((0, 0),)}, {"interior": (), "edge": ()}),
    )


@pytest.mark.parametrize(
    ("answer", "bias", "dtype"),
    [
        (-1.0, 0.7, torch.float32),  # h is 0.7: equal logits
        (-1.0, float(np.float32(0.7)) + 1e-7, torch.float32),  # rounding decides
        (-1.0, 1e-3, torch.float32),  # it is yes
        (1e308, 1.0, torch.float64),  # infinite
    ],
)
def test_logits_of_a_last_step_that_leads_to_nothing_new_must_be_certain(
    answer: float, bias: float, dtype: torch.dtype
) -> None:
    symbol = 0.7 if dtype == torch.float32 else 1e10
    check(one_number(0.7, 0.0, 1.0, dtype))
    with pytest.raises(CertificateError, match=r"every answer is certain|is named"):
        check(one_number(symbol, answer, bias, dtype))


def test_representatives_that_the_network_cannot_hold_are_refused(proved: Certificate) -> None:
    representatives = unpack(proved.elements["representatives"]).copy()
    representatives[-1] *= 1 + 1e-12
    elements = {**proved.elements, "representatives": pack(representatives)}
    with pytest.raises(CertificateError, match="numbers of the weights' type"):
        check(replace(proved, elements=elements))


@pytest.mark.parametrize("num_classes", [2, 3])
def test_where_rounding_could_decide_nothing_is_said_of_the_network_as_it_runs(
    num_classes: int,
) -> None:
    network = parity_network(num_classes=num_classes)
    weights = dict(network.named_parameters())
    with torch.no_grad():  # they add up to what was there, but rounding could lose it
        weights["cell.bias_ih_l0"].add_(2.0**19)
        weights["cell.bias_hh_l0"].sub_(2.0**19)
    found = certify(network, PARITY if num_classes == 2 else lw.language("count:1:3:01"))
    assert (found.verdict, found.counterexample) == ("not-closed", None)
    assert "Computed once in float64, the model so snapped is right" in found.statement


def test_other_strengths_and_changed_layers_are_refused() -> None:
    network = parity_network()
    with pytest.raises(VerificationError, match="is not for a state of numbers"):
        certify(network, PARITY, strength="discrete")
    network.cell._flat_weights = [weight.clone() for weight in network.cell.parameters()]
    with pytest.raises(VerificationError, match="computes with other weights"):
        certify(network, PARITY)


def test_a_first_representative_that_is_not_the_start_is_refused() -> None:
    network = parity_network()
    shape = {"settings": network.config.of_function(), "weights": weights_of(network)}
    with pytest.raises(VerificationError, match="the first representative"):
        SnappedNode(**shape, representatives=np.ones((2, 2)))
    with pytest.raises(VerificationError, match="states of 2 numbers"):
        SnappedNode(**shape, representatives=np.zeros((2, 3)))
