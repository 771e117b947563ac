"""No forged certificate is accepted with a statement that is false."""

import random
from collections import Counter
from pathlib import Path

import pytest

from lengthwise.errors import CertificateError
from lengthwise.verification.certificate import Certificate
from lengthwise.verification.check import check
from verification.forger import HONEST, falsehood, forged, honest, write

FEW, MANY = 60, 1_200
"""Forgeries of each honest certificate; 17 of these make more than 20,000."""


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_certificate_is_accepted_and_true(name: str, tmp_path: Path) -> None:
    made = honest(name)
    path = tmp_path / "honest.json"
    made.save(path)
    verified = check(Certificate.load(path))
    assert verified.statement == made.statement
    assert falsehood(verified) == ""


def attack(name: str, count: int, folder: Path) -> Counter[str]:
    """What became of forgeries; none is accepted with a false statement."""
    found: Counter[str] = Counter()
    before = honest(name).to_bytes()
    seeds = random.Random(name)
    known: dict[bytes, str] = {}
    while found.total() < count:
        how, content = forged(name, seeds.getrandbits(64))
        if content == before:
            continue
        try:
            verified = check(Certificate.load(write(content, folder)))
        except CertificateError as error:
            found["refused" if "\n" not in str(error) else "refused in several lines"] += 1
            continue
        said = verified.to_bytes()
        if said not in known:
            known[said] = falsehood(verified)
        assert known[said] == "", f"{how}: {verified.statement} But {known[said]}."
        found["accepted and true"] += 1
    return found


@pytest.mark.parametrize("name", HONEST)
def test_no_forgery_is_accepted_with_a_false_statement(name: str, tmp_path: Path) -> None:
    found = attack(name, FEW, tmp_path)
    assert found["refused"] > FEW / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_none_of_many_forgeries_is_accepted_with_a_false_statement(
    name: str, tmp_path: Path
) -> None:
    found = attack(name, MANY, tmp_path)
    print(f"\n{name}: {dict(found)}")
    assert found["refused"] > MANY / 2
