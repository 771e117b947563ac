"""Certificates of networks with code of their own: tables, and whose they are."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.proofs.check.arrays import pack, unpack
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check, check_with_induction
from lengthwise.proofs.export.rocq import rocq_file
from lengthwise.proofs.search.certify_table import certify_code, name_network, recompute
from models.recurrences import CountedParity
from proofs.snapped import parity_network

PARITY = lw.language("parity")


class Turn(nn.Module):
    """A point on a circle, which each 1 turns by a little less than half a turn."""

    def __init__(self, angle: float = 3.1) -> None:
        super().__init__()
        self.angle = nn.Parameter(torch.tensor(angle))

    def start(self) -> tuple[Tensor, Tensor]:
        state = torch.tensor([[1.0, 0.0]])
        return self.read(state), state

    def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
        angle = self.angle * symbols
        turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], dim=1)
        after = torch.einsum("wij,wj->wi", turn.view(-1, 2, 2), state)
        return self.read(after), after

    def read(self, state: Tensor) -> Tensor:
        return torch.stack([state[:, 0], -state[:, 0]], dim=1)


@pytest.fixture(scope="module")
def proved() -> Certificate:
    return certify_code(Turn(), PARITY, "tabulated")


def test_the_statement_is_about_the_table(proved: Certificate, tmp_path: Path) -> None:
    assert (proved.verdict, proved.strength, proved.kind) == ("equivalent", "tabulated", "Table")
    assert proved.is_of_snapped
    assert proved.statement == (
        f"The table in this file, said to be that of {name_network(Turn())} with its state "
        f"snapped, gives every word of parity its class, at every length."
    )
    assert "runs the network in DIR" in " ".join(proved.summary()["terms"])
    proved.save(tmp_path / "certificate.json")
    assert lw.check(tmp_path / "certificate.json", language="parity").statement == proved.statement


def test_the_api_certifies_a_network_with_code_of_its_own() -> None:
    found = lw.certify(Turn(), language="parity", strength="tabulated")
    assert found.strength == "tabulated"
    with pytest.raises(VerificationError, match="is not a model of the package that is proved"):
        lw.certify(Turn(), language="parity", precision="bfloat16")
    with pytest.raises(VerificationError, match="strength='tabulated' is not for"):
        lw.certify(parity_network(), language="parity", strength="tabulated")


def test_a_network_keeps_nothing_but_tensors() -> None:
    class Extra(Turn):
        def get_extra_state(self) -> dict[str, int]:
            return {"turns": 1}

    with pytest.raises(VerificationError, match="'_extra_state' in the network's state dictionary"):
        certify_code(Extra(), PARITY)


def test_running_the_network_again_tells_whose_table_it_is(proved: Certificate) -> None:
    recompute(proved, Turn())
    with pytest.raises(CertificateError, match="a network with other weights"):
        recompute(proved, Turn(3.0))

    class Other(Turn):
        """The same weights and other code."""

        def step(self, state: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
            return super().step(state, 1 - symbols)

    with pytest.raises(CertificateError, match=r"the table is not that of .*Other"):
        recompute(proved, Other())


def test_a_wrong_table_gives_a_shortest_wrong_word() -> None:
    class Always(CountedParity):
        def read(self, state: Tensor) -> Tensor:
            return torch.stack([state[:, 0] * 0 + 1, state[:, 0] * 0], dim=1)

    found = certify_code(Always(unit=0.0), PARITY, "tabulated")
    assert found.counterexample is not None
    assert (found.verdict, found.counterexample.word) == ("counterexample", "1")
    assert check(found).statement.startswith("The table in this file, said to be that of")


def is_right(claim: Certificate) -> bool:
    """Whether the table gives all words to ten symbols their class."""
    table, pairs = claim.elements["transitions"], claim.elements["pairs"]
    for length in range(11):
        for word in product((0, 1), repeat=length):
            element = 0
            for symbol in word:
                element = table[element][symbol]
            if pairs[element][1] != PARITY.classify(word):
                return False
    return True


def test_no_changed_table_makes_a_wrong_proof(proved: Certificate) -> None:
    draw, accepted = random.Random(0), 0
    for _ in range(200):
        elements = {name: [list(row) for row in proved.elements[name]] for name in ("pairs",)}
        elements["transitions"] = [list(row) for row in proved.elements["transitions"]]
        rows = elements[draw.choice(["pairs", "transitions"])]
        row = draw.choice(rows)
        row[draw.randrange(2)] = draw.randrange(-2, 4)
        fault = replace(proved, elements={**proved.elements, **elements})
        try:
            check(fault)
        except CertificateError:
            continue
        accepted += 1
        assert is_right(fault)
    assert 0 < accepted < 150


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"network": "a b: right at every length"}, "is not a name of at most 200 letters"),
        ({"weights": "00"}, "has not 64 characters"),
    ],
)
def test_odd_settings_are_refused(proved: Certificate, change: dict[str, str], why: str) -> None:
    with pytest.raises(CertificateError, match=why):
        check(replace(proved, settings={**proved.settings, **change}))


def test_states_that_are_no_numbers_are_refused(proved: Certificate) -> None:
    states = unpack(proved.elements["representatives"]).copy()
    states[-1, 0] = float("nan")
    with pytest.raises(CertificateError, match="representatives are numbers"):
        check(replace(proved, elements={**proved.elements, "representatives": pack(states)}))


def test_the_table_is_exported_for_rocq(proved: Certificate) -> None:
    text = rocq_file(*check_with_induction(proved))
    assert "it says nothing about weights" in text
    assert "certify --check FILE DIR, which runs the network" in text
