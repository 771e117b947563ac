"""Certificates of networks with code of their own that the checker computes from the weights."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import lengthwise as lw
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.models.custom_network import adapt
from lengthwise.proofs.check.arrays import pack, unpack
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify_table import certify_code, name_network, recompute
from lengthwise.proofs.search.network import weights_of
from models.recurrences import CountedParity
from proofs.search.test_certify_table import Turn

PARITY = lw.language("parity")


@pytest.fixture(scope="module")
def proved() -> Certificate:
    return certify_code(Turn(), PARITY)


def test_the_statement_is_about_the_program(proved: Certificate, tmp_path: Path) -> None:
    assert (proved.verdict, proved.strength, proved.kind) == ("equivalent", "snapped", "Program")
    assert proved.is_of_snapped
    assert proved.statement == (
        f"The program in this file, said to be a step of {name_network(Turn())}, with its state "
        f"snapped, gives every word of parity its class, at every length."
    )
    assert "compares it with the program" in " ".join(proved.summary()["terms"])
    proved.save(tmp_path / "certificate.json")
    again = lw.check(tmp_path / "certificate.json", language="parity")
    assert again.statement == proved.statement
    assert again.margins == proved.margins
    assert proved.margins is not None
    assert proved.margins.is_certain


def test_the_checker_computes_from_the_weights(proved: Certificate) -> None:
    """An angle at which the network leads elsewhere is refused, whatever the file says."""
    for angle, holds in ((3.11, True), (1.0, False), (0.0, False)):
        weights = {**proved.weights, "angle": np.array(angle, dtype=np.float32)}
        claim = replace(proved, weights=weights)
        if holds:
            check(claim)
        else:
            with pytest.raises(CertificateError):
                check(claim)


def test_a_changed_program_is_refused_or_still_right(proved: Certificate) -> None:
    draw, text, accepted = random.Random(0), proved.settings["program"], 0
    lines = text.split("\n")
    for _ in range(100):
        changed = list(lines)
        place = draw.randrange(len(lines))
        words = changed[place].split()
        words[draw.randrange(len(words))] = draw.choice([*text.split(), "0", "-1.0", "neg", "sub"])
        changed[place] = " ".join(words)
        if changed == lines:
            continue
        claim = replace(proved, settings={**proved.settings, "program": "\n".join(changed)})
        try:
            check(claim)
        except CertificateError:
            continue
        accepted += 1
    # a line that nothing uses, or one that computes the same
    assert accepted < 15


def test_running_the_network_tells_whose_program_it_is(proved: Certificate) -> None:
    recompute(proved, Turn())
    with pytest.raises(CertificateError, match="a network with other weights"):
        recompute(proved, Turn(3.0))

    class Other(Turn):
        """The same weights and other code."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            return super().step(state, 1 - symbols)

    with pytest.raises(CertificateError, match=r"the table is not that of .*Other"):
        recompute(proved, Other())


def test_a_run_of_the_network_has_the_same_weights(tmp_path: Path) -> None:
    """Whatever a network is wrapped in, its weights have the names of the certificate."""
    wrapped = adapt(Turn())
    found = certify_code(wrapped, PARITY, "snapped")
    assert found.kind == "Program"
    recompute(found, wrapped)
    recompute(found, Turn())
    found.require_model({}, weights_of(wrapped))
    assert set(weights_of(wrapped)) == {"module.module.angle"}


def test_states_between_two_representatives_are_refused(proved: Certificate) -> None:
    """A representative that is as near as another one leaves a choice to rounding."""
    states = unpack(proved.elements["representatives"])
    twice = np.concatenate([states, states[-1:]])
    with pytest.raises(CertificateError, match="every sign is certain"):
        check(replace(proved, elements={**proved.elements, "representatives": pack(twice)}))


def test_a_wrong_network_has_a_shortest_wrong_word() -> None:
    class Always(CountedParity):
        def __init__(self) -> None:
            super().__init__(unit=0.0)
            self.one = torch.nn.Parameter(torch.ones(1))

        def read(self, state: Tensor) -> Tensor:
            return torch.stack([state[:, 0] * 0 + self.one, state[:, 0] * 0], dim=1)

    found = certify_code(Always(), PARITY)
    assert (found.kind, found.verdict) == ("Program", "counterexample")
    assert found.counterexample is not None
    assert found.counterexample.word == "1"


def test_without_a_program_there_is_the_table() -> None:
    class Branching(Turn):
        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            if bool((state[:, 0] > 5).any()):
                raise RuntimeError
            return super().step(state, symbols)

    assert certify_code(Branching(), PARITY).kind == "Table"
    with pytest.raises(VerificationError, match=r"Branching\.step has no program: torch\.export"):
        certify_code(Branching(), PARITY, "snapped")


def test_a_constant_of_the_program_is_no_weight_of_the_network(proved: Certificate) -> None:
    more = replace(proved, weights={**proved.weights, ".9": np.zeros(1, dtype=np.float32)})
    assert more.model_digest == proved.model_digest
    other = replace(proved, weights={**proved.weights, "b": np.zeros(1, dtype=np.float32)})
    assert other.model_digest != proved.model_digest
