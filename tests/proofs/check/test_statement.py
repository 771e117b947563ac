"""Every sentence about a proof is true of the file alone, of odd certificates, too."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from lengthwise.cli.certify import facts_of_certificate
from lengthwise.evaluation.scores import percent
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.problems.run_certificate import Proof
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.statement import _list_names, facts_of, name_of, quote
from lengthwise.proofs.search.certify import certify
from lengthwise.templates import template
from notebooks.test_views import Parsed
from proofs.export.test_rocq import export
from proofs.forger import body_of
from proofs.odd import Odd, odd_certificates, words_alone
from proofs.said import Said, digest_of
from proofs.second_checker import second_checker, second_says
from proofs.slots import slots_of
from proofs.trained import ENDS_WITH_1, last_symbol

FEW, MANY = 30, 5_200
OF_ROCQ, OF_CARDS = 5, 7


def judge(odd: Sequence[Odd], folder: Path) -> Counter[str]:
    """Judge everything that is said of certificates: by Python as text, JSON, cards and comments of
    Rocq, and by the second checker."""
    found: Counter[str] = Counter()
    sayings, files = [], []
    for number, one in enumerate(odd):
        says = one.made
        if not one.made.is_checked:  # renamed, as a file from elsewhere
            path = folder / "odd.json"
            path.write_bytes(one.made.to_bytes())  # sooner than a safe write
            loaded = Certificate.load(path)
            before = Said(loaded, of=loaded, answers=one.answers)
            assert loaded.statement.startswith("Claimed, not checked: ")
            before.statement(loaded.statement)
            for name, text in facts_of_certificate(loaded)[1:]:
                before.fact(name, text)
            says = check(loaded)
            assert says.language.spec in ("", one.made.language.spec)
        said = Said(says, of=says, answers=one.answers)
        for name, text in facts_of_certificate(says):
            said.fact(name, text)
            found["sentences"] += 1
        said.summary(json.loads(json.dumps(says.summary())))
        found.update(["certificates", f"{says.strength} {says.verdict}"])
        if number % OF_CARDS == 0:
            assert_pages_say(says)
        if says.verdict == "not-closed" or says.reason:
            continue
        if number % OF_ROCQ == 0 and says.strength != "structural":
            assert_rocq_says(says)
        files.append(folder / f"{number}.json")
        files[-1].write_bytes(says.to_bytes())
        sayings.append((said, one))
    for (said, one), second in zip(sayings, second_says(second_checker(), files), strict=True):
        if not second.accepted:
            assert second.is_of_rounding or second.is_of_another_kind, (one.how, second)
            found["without a bound" if second.is_of_rounding else "not handled"] += 1
            continue
        said.statement(second.why, named=False)
        language = replace(said.made.language, spec="")
        nameless = replace(said.made, language=language).as_checked()
        assert second.why == nameless.statement
    return found


def assert_pages_say(made: Certificate) -> None:
    """Cards of notebooks and the report say the statement and the facts as they are."""
    proof = Proof(certificate=made, path=Path("certificate.json"))
    page = template("lengthwise.problems.recognition", "section.html", percent=percent)
    report = page.render(
        proof=proof, figures=facts_of(made), evaluation=None, looks=[], check="FILE"
    )
    for html in (made._repr_html_(), report):
        seen = " ".join(Parsed(f"<div>{html}</div>").text.split())
        for text in (made.statement, *(text for _, text in facts_of(made))):
            if len(text) < 300:
                assert " ".join(text.split()) in seen


def assert_rocq_says(made: Certificate) -> None:
    comment = export(made).partition("*)")[0]
    language = body_of(made)["language"]
    said = Said(made, of=made, answers={})
    assert ("domain: only" in comment) == said.has_domain
    if said.has_domain:
        line = next(line for line in comment.splitlines() if "domain: only" in line)
        said.domain_fact(f"{line.strip().removeprefix('domain: ')}; others have no class")
    if not made.language.spec:
        assert f"language: the automaton {digest_of(language)}\n" in comment


def test_every_sentence_about_odd_certificates_is_true(tmp_path: Path) -> None:
    found = judge(list(islice(odd_certificates(1, dressed=9), FEW)), tmp_path)
    assert found["sentences"] > 8 * FEW


@pytest.mark.slow
def test_every_sentence_about_many_odd_certificates_is_true(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(2, 2 + MANY // 200):
        found += judge(list(islice(odd_certificates(seed), 200)), tmp_path)
    print(f"\n{dict(found)}")
    assert found["certificates"] >= MANY
    assert found["without a bound"] < MANY / 50


def test_a_domain_of_one_word_is_said(tmp_path: Path) -> None:
    """A network that ends with a is right about what ends with b, on the empty word alone."""
    domain = words_alone([()], ("a", "b"))
    asked = replace(parse("regex:(a|b)*b"), domain=domain, spec="")
    made = certify(slots_of(parse("regex:(a|b)*a")), asked)
    assert made.verdict == "equivalent"
    made.save(tmp_path / "made.json")
    verified = check(Certificate.load(tmp_path / "made.json"))
    told = "(domain: 1 of the 511 words of at most 8 symbols, 2 states, digest "
    second = second_says(second_checker(), [tmp_path / "made.json"])[0]
    for statement in (made.statement, verified.statement, second.why):
        assert "gives every word in the domain of the automaton" in statement
        assert told in statement
    assert verified.summary()["domain"]["words"] == 1
    assert dict(facts_of_certificate(verified))["domain"].startswith("only 1 of the 511 words")


@pytest.mark.parametrize("spec", ["att:gone.att", "py[states=3,alphabet=01]:gone:gone"])
def test_the_name_of_a_file_is_a_claim(spec: str) -> None:
    made = certify(last_symbol(), replace(ENDS_WITH_1, spec=spec))
    assert made.statement.startswith("The model as it runs gives every word of the automaton ")
    assert f" (claimed name: {quote(spec)}) " in made.statement
    assert "claimed name" in dict(facts_of_certificate(made))
    assert (made.summary()["language"], made.summary()["claimed_name"]) == ("", spec)


def test_a_file_that_nobody_checked_names_no_language(tmp_path: Path) -> None:
    made = certify(last_symbol(), ENDS_WITH_1)
    assert name_of(made) == ENDS_WITH_1.spec == made.summary()["language"]
    made.save(tmp_path / "made.json")
    loaded = Certificate.load(tmp_path / "made.json")
    assert loaded.statement.startswith("Claimed, not checked: ")
    assert f"(claimed name: {ENDS_WITH_1.spec})" in loaded.statement
    assert not {"arithmetic", "explored"} & dict(facts_of_certificate(loaded)).keys()
    assert check(loaded).statement == made.statement


def test_large_counts_are_not_written_out() -> None:
    symbols = tuple(chr(0x4E00 + n) for n in range(2_000))
    domain = Language(alphabet=symbols, transitions=((1,) * 2_000, (1,) * 2_000), classes=(0, 1))
    language = Language(alphabet=symbols, transitions=((0,) * 2_000,), classes=(0,), domain=domain)
    made = certify(slots_of(replace(language, domain=None)), language)
    assert "domain: more than 10^18 of the more than 10^18 words of" in made.statement


def test_names_too_long_for_a_line_are_counted() -> None:
    assert _list_names(["a" * 500, "b"]) == "long names, 2 in all"
    assert _list_names(["b", "a" * 500]) == "b and so on, 2 in all"
