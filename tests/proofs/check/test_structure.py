"""Structural certificates: weights, claims and files that are false are refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate, WrongWord
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from proofs.structured import train_structured


@pytest.mark.slow_except(
    "parity-expand.weight",
    "parity-query.weight",
    "parity-write.weight",
    "regex:(0|1)*-write.weight",
)
@pytest.mark.parametrize("name", ["keys", "query.weight", "expand.weight", "write.weight"])
@pytest.mark.parametrize("spec", ["regex:(0|1)*", "parity"])
def test_weights_that_overflow_are_refused(spec: str, name: str) -> None:
    """With one state no content matters, but a softmax of infinities is no number."""
    made = certify(train_structured(spec), parse(spec))
    assert check(made).verdict == "equivalent"
    huge = {**made.weights, name: np.full_like(made.weights[name], 3e38)}
    with pytest.raises(CertificateError):
        check(replace(made, weights=huge))


def test_a_file_without_weights_or_with_endless_chunks_is_refused() -> None:
    made = certify(train_structured("tomita-3"), parse("tomita-3"))
    assert replace(made, weights={}).summary()["elements"] == 5
    for bad in (
        replace(made, weights={}),
        replace(made, settings={**made.settings, "chunk_size": 33}),
        replace(made, settings={**made.settings, "chunk_size": 2**61}),
    ):
        with pytest.raises(CertificateError):
            check(bad)


def make_merged_outside() -> tuple[Language, Language]:
    """Words of D_2 with all others as members of some class, and D_2 on well-formed words only."""
    whole = parse("d-2")
    return whole, replace(whole, domain=parse("regex:(01|0011|0101)*", alphabet="01"), spec="")


def test_an_automaton_with_other_states_is_proved_on_the_domain() -> None:
    automaton, language = make_merged_outside()
    assert language.total().minimise().num_states != automaton.minimise().num_states
    made = certify(train_structured("d-2"), language)
    assert made.verdict == "equivalent"
    assert made.summary()["elements"] == automaton.num_states
    assert len(made.machine.classes) != automaton.num_states
    assert check(made).verdict == "equivalent"


def wrong_claim(change: Callable[[WrongWord], dict[str, Any]]) -> Certificate:
    made = certify(train_structured("tomita-3"), parse("tomita-4"))
    assert (made.verdict, made.checked_length) == ("counterexample", 1)
    assert check(made).counterexample == made.counterexample
    assert made.counterexample is not None
    return replace(made, **change(made.counterexample))


CLAIMS: dict[str, Callable[[WrongWord], dict[str, Any]]] = {
    "equivalent": lambda word: {
        "verdict": "equivalent",
        "counterexample": None,
        "checked_length": None,
    },
    "a longer word": lambda word: {
        "counterexample": replace(word, word="1011"),
        "checked_length": 3,
    },
    "a longer word after all shorter ones": lambda word: {
        "counterexample": replace(word, word="1011")
    },
    "a right word": lambda word: {"counterexample": replace(word, word="11")},
    "other classes": lambda word: {"counterexample": replace(word, model="1", language="0")},
    "another length": lambda word: {"checked_length": 0},
    "no word": lambda word: {"counterexample": None},
}


@pytest.mark.slow_for("equivalent")
@pytest.mark.parametrize("name", CLAIMS)
def test_a_false_claim_about_another_language_is_refused(name: str) -> None:
    with pytest.raises(CertificateError):
        check(wrong_claim(CLAIMS[name]))


def forge(change: Callable[[dict[str, Any]], Any]) -> Certificate:
    """Return a certificate with changed fields, signed again by whoever changed it."""
    made = certify(train_structured("tomita-3"), parse("tomita-3"))
    fields: dict[str, Any] = {"weights": {name: w.copy() for name, w in made.weights.items()}}
    change(fields)
    return replace(made, **fields)


FORGERIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a slot of a symbol": lambda f: np.negative(
        f["weights"]["symbols"][0, 0], out=f["weights"]["symbols"][0, 0]
    ),
    "a slot of the pad": lambda f: f["weights"]["pad"].__imul__(-1),
    "the start code": lambda f: f["weights"]["start"].__imul__(-1),
    "keys of other slots": lambda f: f["weights"].update(
        keys=np.roll(f["weights"]["keys"], 1, axis=0)
    ),
    "no attention": lambda f: f["weights"]["keys"].__imul__(0),
    "a weight that is no number": lambda f: f["weights"]["write.bias"].fill(np.nan),
    "an endless weight": lambda f: f["weights"]["write.bias"].fill(np.inf),
    "answers": lambda f: f["weights"]["answer.bias"].__iadd__([1e6, 0]),
    "weights of another shape": lambda f: f["weights"].update(start=np.ones(9, np.float32)),
    "weights of two types": lambda f: f["weights"].update(
        start=f["weights"]["start"].astype(np.float64)
    ),
    "another strength": lambda f: f.update(strength="discrete"),
    "elements": lambda f: f.update(elements={"codes": ["00"]}),
    "a length": lambda f: f.update(checked_length=3),
    "a repetition": lambda f: f.update(repeats=1),
    "another language": lambda f: f.update(language=parse("tomita-4")),
}


@pytest.mark.slow_for("a length", "a repetition", "another language", "elements", "no attention")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused(name: str, tmp_path: Path) -> None:
    bad = forge(FORGERIES[name])
    bad.save(tmp_path / "bad.json") if "number" not in name and "endless" not in name else None
    with pytest.raises(CertificateError):
        check(bad)


def test_what_was_saved_is_loaded_and_holds(tmp_path: Path) -> None:
    made = certify(train_structured("d-2"), parse("d-2"))
    made.save(tmp_path / "certificate.json")
    again = check(Certificate.load(tmp_path / "certificate.json"))
    assert again.statement == made.statement
    assert again.margins is not None
    assert made.margins is not None
    assert again.margins.room == made.margins.room
