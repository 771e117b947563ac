"""No forged certificate is accepted with a statement that is false."""

import base64
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from function_strategies import draw_function
from lengthwise.errors import CertificateError
from lengthwise.languages.functions.reading import reading_of
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from proofs.forger import (
    FUNCTIONS,
    HONEST,
    body_of,
    false_output,
    falsehood,
    forge,
    honest,
    sign,
    write,
)
from proofs.trained import ENDS_WITH_1, last_symbol

FEW, MANY, OF_FUNCTIONS = 40, 1_200, 720
"""Forgeries of each honest certificate; 21 of these make more than 25,000, and 9 of functions more
than 6,000."""


def attack(name: str, count: int, folder: Path) -> Counter[str]:
    """What became of forgeries; none is accepted with a false statement, and the honest one is."""
    found: Counter[str] = Counter()
    made = honest(name)
    before = made.to_bytes()
    made.save(folder / "honest.json")
    accepted = check(Certificate.load(folder / "honest.json"))
    assert accepted.statement == made.statement
    seeds = random.Random(name)
    known = {accepted.to_bytes(): falsehood(accepted)}
    assert set(known.values()) == {""}
    assert not false_output(accepted)
    while found.total() < count:
        how, content = forge(name, seeds.getrandbits(64))
        if content == before:
            continue
        try:
            verified = check(Certificate.load(write(content, folder)))
        except CertificateError as error:
            found["refused" if "\n" not in str(error) else "refused in several lines"] += 1
            continue
        said = verified.to_bytes()
        if said not in known:
            known[said] = falsehood(verified) or false_output(verified)
        assert known[said] == "", f"{how}: {verified.statement} But {known[said]}."
        found["accepted and true"] += 1
    return found


@pytest.mark.slow_except("discrete, wrong, domain", "snapped, 0*10*", "snapped, wrong")
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_certificate_is_accepted_and_no_forgery_with_a_false_statement(
    name: str, tmp_path: Path
) -> None:
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


@pytest.mark.slow_except("increment[base=2,first=high]")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_forgery_about_a_function_is_accepted_with_a_false_statement(
    name: str, tmp_path: Path
) -> None:
    found = attack(name, FEW, tmp_path)
    assert found["refused"] > FEW / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_none_of_many_forgeries_about_functions_is_accepted_with_a_false_statement(
    name: str, tmp_path: Path
) -> None:
    found = attack(name, OF_FUNCTIONS, tmp_path)
    print(f"\n{name}: {dict(found)}")
    assert found["refused"] > OF_FUNCTIONS / 2


@pytest.mark.parametrize("right", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_network_with_a_planted_fault_is_not_proved(right: bool) -> None:
    """One output of a function is changed, and the network of the changed one is asked about."""
    refuted = 0
    for seed in range(100 if right else 4):
        function = draw_function(seed, left=3, right=1 + right)
        draw = random.Random(seed)
        table = [[list(cells) for cells in rows] for rows in function.table]
        row = draw.choice(draw.choice(table))
        place = draw.randrange(len(row))
        row[place] = 1 - row[place]
        changed = replace(function, table=tuple(tuple(map(tuple, rows)) for rows in table))
        true, faulty = (reading_of(each).language for each in (function, changed))
        if true.class_names != faulty.class_names or true.difference(faulty) is None:
            continue
        found = certify(lw.compile(replace(faulty, spec="")).model, true)
        assert found.verdict == "counterexample"
        assert found.counterexample is not None
        word = true.encode(found.counterexample.word)
        shortest = true.difference(faulty)
        assert shortest is not None
        assert len(word) == len(shortest)
        assert true.classify(word) != faulty.classify(word)
        refuted += 1
    assert refuted > seed / 2


@pytest.mark.parametrize("name", ["snapped, leak", "robust, C=2"])
def test_the_last_level_has_the_vectors_of_the_one_that_recurs(name: str, tmp_path: Path) -> None:
    """Even a small step from these is refused, since the tables that recur are not theirs."""
    body = body_of(honest(name))
    for place in ("interior", "edge"):
        packed = body["elements"]["levels"][-1][place]["representatives"]
        vectors = np.frombuffer(base64.b64decode(packed["base64"])) + 1e-12
        packed["base64"] = base64.b64encode(vectors.tobytes()).decode()
    with pytest.raises(CertificateError, match="has the representatives of the one that recurs"):
        check(Certificate.load(write(sign(body), tmp_path)))


def test_representatives_beside_the_vectors_are_refused(tmp_path: Path) -> None:
    """They are the nearest ones still, and as close; but no chunk has them as its vector."""
    body = body_of(honest("snapped, leak"))
    for level in body["elements"]["levels"]:
        for merge in level.values():
            packed = merge["representatives"]
            vectors = np.frombuffer(base64.b64decode(packed["base64"])) + 1e-3
            packed["base64"] = base64.b64encode(vectors.tobytes()).decode()
    with pytest.raises(CertificateError, match="every representative is a vector of the network"):
        check(Certificate.load(write(sign(body), tmp_path)))


def test_balls_of_the_last_level_cannot_be_larger_than_those_that_recur(tmp_path: Path) -> None:
    """They hold their images, but not for ever."""
    body = body_of(honest("robust, C=2"))
    for merge in body["elements"]["levels"][-1].values():
        packed = merge["radius"]
        radii = np.frombuffer(base64.b64decode(packed["base64"])) * 1.5 + 1e-9
        packed["base64"] = base64.b64encode(radii.tobytes()).decode()
    with pytest.raises(CertificateError, match="balls lie within those of the one that recurs"):
        check(Certificate.load(write(sign(body), tmp_path)))


def test_a_repetition_is_one_of_the_tables_too(tmp_path: Path) -> None:
    """Two tables that take turns: the pairs of a level are those of the one before, too early."""
    made = honest("snapped, C=2")
    assert len(made.elements["levels"]) == 2
    assert made.elements["repeat"] == 1
    body = body_of(made)
    body["elements"]["levels"].append(body["elements"]["levels"][-1])
    pairs = body["levels"][1]
    assert body["levels"] == [body["levels"][0], pairs, pairs]
    with pytest.raises(CertificateError, match="does at level 2 what it does at 1"):
        check(Certificate.load(write(sign(body), tmp_path)))
    body["levels"].append(pairs)
    assert check(Certificate.load(write(sign(body), tmp_path))).verdict == "equivalent"


def test_a_longer_wrong_word_of_the_same_level_is_no_counterexample() -> None:
    """Two words are wrong, of 3 and of 4 symbols, and both end at level 2."""
    target = ENDS_WITH_1 ^ parse("regex:000|1111", alphabet="01")
    made = certify(last_symbol(), target)
    assert made.counterexample is not None
    assert (made.counterexample.word, check(made).verdict) == ("000", "counterexample")
    longer = replace(made.counterexample, word="1111", model="1", language="0")
    with pytest.raises(CertificateError, match="no shorter word is wrong"):
        check(replace(made, counterexample=longer, checked_length=3))
