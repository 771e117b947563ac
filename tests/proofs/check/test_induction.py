"""Certificates on disk, and whether the check refuses all that does not follow."""

import base64
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.cli.certify import facts_of_certificate
from lengthwise.errors import CertificateError, ConfigError, LengthwiseError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.arrays import pack
from lengthwise.proofs.check.certificate import Certificate, Machine, WrongWord
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.margins import SnapDistances
from lengthwise.proofs.check.statement import at_least, at_most, automaton_digest
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import node_of, weights_of
from ordinary import few
from proofs.trained import ENDS_WITH_1, last_symbol, of_odd_length, random_model, train_proved

# ---- certificates of all kinds ---------------------------------------------------------------


def by_hand() -> Certificate:
    return certify(last_symbol(), ENDS_WITH_1)


def by_hand_in_threes_with_a_domain() -> Certificate:
    return certify(last_symbol(3), replace(ENDS_WITH_1, domain=of_odd_length()))


def wrong_late() -> Certificate:
    """Right on all words of fewer than five symbols."""
    other = ENDS_WITH_1 ^ parse("regex:(0|1)(0|1)(0|1)(0|1)1*0", alphabet="01")
    return certify(last_symbol(), other)


@cache
def wrong_in_threes() -> Certificate:
    language = parse("parity")
    return next(
        made
        for made in (certify(random_model(language, s, chunk_size=3), language) for s in range(50))
        if made.counterexample is not None and len(made.counterexample.word) > 1
    )


def wrong_with_a_domain() -> Certificate:
    language = parse("modular-arithmetic")
    return certify(random_model(language, 1), language)


def wrong_on_the_empty_word() -> Certificate:
    return certify(last_symbol(), ~ENDS_WITH_1)


MAKERS: list[Callable[[], Certificate]] = [
    by_hand,
    by_hand_in_threes_with_a_domain,
    wrong_late,
    wrong_in_threes,
    wrong_with_a_domain,
    wrong_on_the_empty_word,
]


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    run = train_proved(tmp_path_factory, "parity")
    return certify(run.model, run.language)


@pytest.fixture(scope="module", params=MAKERS, ids=lambda maker: maker.__name__)
def made(request: pytest.FixtureRequest) -> Certificate:
    result: Certificate = request.param()
    return result


def save_and_loaded(certificate: Certificate, folder: Path) -> Certificate:
    certificate.save(folder / "certificate.json")
    return Certificate.load(folder / "certificate.json")


# ---- what is there comes back ----------------------------------------------------------------


def test_what_was_saved_is_loaded_and_holds(made: Certificate, tmp_path: Path) -> None:
    loaded = save_and_loaded(made, tmp_path)
    assert loaded.to_bytes() == made.to_bytes()
    assert loaded.language == made.language
    assert loaded.as_checked().summary() == made.summary()
    assert loaded.model_digest == made.model_digest
    for name, weight in made.weights.items():
        assert loaded.weights[name].dtype == weight.dtype
        assert np.array_equal(loaded.weights[name], weight)
    check(loaded)
    check(made)


def test_a_file_is_named_by_a_text_or_a_path(tmp_path: Path) -> None:
    made = MAKERS[0]()
    made.save(f"{tmp_path}/certificate.json")
    assert Certificate.load(f"{tmp_path}/certificate.json").to_bytes() == made.to_bytes()
    with pytest.raises(ConfigError, match="a path"):
        made.save(3)  # type: ignore[arg-type]


def test_these_are_the_verdicts() -> None:
    verdicts = [maker().verdict for maker in MAKERS]
    assert verdicts == ["equivalent"] * 2 + ["counterexample"] * 4
    late = wrong_late().counterexample
    assert late is not None
    assert len(late.word) == 5
    assert wrong_with_a_domain().language.domain is not None


def test_a_trained_model_is_checked(proved: Certificate, tmp_path: Path) -> None:
    check(save_and_loaded(proved, tmp_path))


def test_checking_does_not_wait_for_torch(proved: Certificate, tmp_path: Path) -> None:
    proved.save(tmp_path / "a.json")
    code = (
        "import sys; from lengthwise.cli.main import main;"
        "status = main(['certify', '--check', sys.argv[1]]);"
        "sys.exit(10 if 'torch' in sys.modules else status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "equivalent" in done.stdout


# ---- every byte counts -----------------------------------------------------------------------


def change_bytes(content: bytes, count: int, seed: int) -> list[bytes]:
    """The file with one byte changed, taken out, doubled or put in; everywhere, evenly."""
    chooser = random.Random(seed)
    found = []
    for part in range(count):
        place = (len(content) * part + chooser.randrange(len(content))) // count
        kind = chooser.randrange(8)
        if kind == 0:
            changed = content[:place] + content[place + 1 :]
        elif kind == 1:
            changed = content[:place] + chooser.choice([b" ", b"\n", b"0", b"]"]) + content[place:]
        elif kind == 2:
            changed = content[:place] + bytes([content[place] ^ 1 << chooser.randrange(8)])
            changed += content[place + 1 :]
        else:
            other = chooser.choice(
                [c for c in b' 0123456789aZ+/=-.,:"[]{}enN' if c != content[place]]
            )
            changed = content[:place] + bytes([other]) + content[place + 1 :]
        if changed != content:
            found.append(changed)
    return found


def refuse_all(contents: list[bytes], path: Path) -> None:
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(CertificateError) as caught:
            check(Certificate.load(path))
        assert "\n" not in str(caught.value)


@pytest.mark.slow_except("by_hand", "by_hand_in_threes_with_a_domain", "wrong_on_the_empty_word")
def test_no_byte_can_be_changed(made: Certificate, tmp_path: Path) -> None:
    refuse_all(change_bytes(made.to_bytes(), 200, 0), tmp_path / "a.json")


def test_no_byte_of_a_name_or_number_can_be_changed(tmp_path: Path) -> None:
    """Where a parser might be asked what it does not expect: types, shapes, codes, levels."""
    content = by_hand().to_bytes()
    changed = []
    for part in (b'"type":"float32"', b'"shape":[2,2]', b'"codes":["00"', b'"interior":[[0,0],'):
        start = content.index(part) + part.index(b":") + 1
        for place in range(start, start + len(part) - part.index(b":") - 1):
            for other in b"(),;:'\"{}[]<>=?|!@#~*&-+.0 xOV":
                if content[place] != other:
                    changed.append(content[:place] + bytes([other]) + content[place + 1 :])
    refuse_all(changed, tmp_path / "a.json")


def test_no_byte_of_a_large_file_can_be_changed(proved: Certificate, tmp_path: Path) -> None:
    refuse_all(change_bytes(proved.to_bytes(), 150, 1), tmp_path / "a.json")


@pytest.mark.slow
@pytest.mark.parametrize("other", [b" ", b"0", b"9", b'"', b",", b"]", b"-", b"a", b"(", b"{"])
def test_no_byte_at_all(other: bytes, tmp_path: Path) -> None:
    content = by_hand_in_threes_with_a_domain().to_bytes()
    changed = [content[:i] + other + content[i + 1 :] for i in range(len(content))]
    refuse_all([c for c in changed if c != content], tmp_path / "a.json")


def test_ends_and_joins_are_refused(made: Certificate, tmp_path: Path) -> None:
    content = made.to_bytes()
    text = json.dumps(json.loads(content), indent=1).encode()
    refuse_all(
        [
            *(content[:-1], content + b"\n", content + content, b"", b"null\n", b"[]\n", b"{}\n"),
            *(
                b"\xff\xfe" + content,
                content.replace(b",", b", ", 1),
                text,
                content[: len(content) // 2],
            ),
            content.replace(b'{"format":2', b'{"format":2,"format":2'),
        ],
        tmp_path / "a.json",
    )


def test_the_digest_is_that_of_the_rest(made: Certificate, tmp_path: Path) -> None:
    """Whoever wants to check it without us can."""
    body = json.loads(made.to_bytes())
    digest = body.pop("digest")
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False) + "\n"
    assert hashlib.sha256(text.encode()).hexdigest() == digest


# ---- forged content with a new digest --------------------------------------------------------

Forge = Callable[[Certificate], Certificate]


def refuse(forged: Certificate, path: Path) -> None:
    """The file is what it says, so only the check can refuse it; and it does, in one line."""
    forged.save(path)
    with pytest.raises(CertificateError) as caught:
        check(Certificate.load(path))
    assert "\n" not in str(caught.value)


def with_level(made: Certificate, number: int, **kinds: Any) -> Certificate:
    levels = list(made.levels)
    levels[number] = {**levels[number], **kinds}
    return replace(made, levels=tuple(levels))


@pytest.mark.parametrize("maker", [by_hand, by_hand_in_threes_with_a_domain])
def test_no_pair_can_be_left_out(maker: Callable[[], Certificate], tmp_path: Path) -> None:
    made = maker()
    for number, level in enumerate(made.levels):
        for kind, pairs in level.items():
            for place in range(len(pairs)):
                fewer = (*pairs[:place], *pairs[place + 1 :])
                refuse(with_level(made, number, **{kind: fewer}), tmp_path / "a.json")


def test_no_pair_of_a_trained_model_can_be_left_out(proved: Certificate, tmp_path: Path) -> None:
    for number, level in enumerate(proved.levels):
        for kind, pairs in level.items():
            place = number % len(pairs)
            fewer = (*pairs[:place], *pairs[place + 1 :])
            refuse(with_level(proved, number, **{kind: fewer}), tmp_path / "a.json")
            both = {kind: fewer for kind, pairs in level.items() for fewer in [pairs[1:]]}
            refuse(with_level(proved, number, **both), tmp_path / "a.json")


def test_pairs_that_do_not_follow_are_refused_or_do_no_harm(tmp_path: Path) -> None:
    """More than what occurs proves no less; but nonsense has to be refused, not to fail."""
    made = by_hand()
    extra = [(0, 0), (0, 1), (1, 0), (1, 1), (5, 0), (0, 5), (-1, 0), (-2, 0), (0, -1), (0, -9)]
    refusals = 0
    for number, level in enumerate(made.levels):
        for kind, pairs in level.items():
            for pair in extra:
                if pair not in pairs:
                    forged = with_level(made, number, **{kind: (*pairs, pair)})
                    forged.save(tmp_path / "a.json")
                    try:
                        check(Certificate.load(tmp_path / "a.json"))
                    except CertificateError:
                        refusals += 1
    assert refusals > 30


def test_a_level_or_all_levels_cannot_be_left_out(tmp_path: Path) -> None:
    made = by_hand()
    for number in range(len(made.levels)):
        fewer = made.levels[:number] + made.levels[number + 1 :]
        refuse(replace(made, levels=fewer), tmp_path / "a.json")
    for levels in ((), made.levels[:1], made.levels[-1:]):
        refuse(replace(made, levels=levels), tmp_path / "a.json")


def test_a_repetition_that_is_none_is_refused(tmp_path: Path) -> None:
    made = by_hand()
    last = len(made.levels) - 1
    assert made.repeats is not None
    for repeats in (*range(-3, last + 3), None):
        if repeats is not None and 1 <= repeats < last:
            assert repeats == made.repeats
            continue
        refuse(replace(made, repeats=repeats), tmp_path / "a.json")
    early = certify(last_symbol(), unroll_ends_with_1())
    assert early.repeats is not None
    for repeats in range(1, len(early.levels) - 1):
        if repeats != early.repeats:
            refuse(replace(early, repeats=repeats), tmp_path / "a.json")


def unroll_ends_with_1() -> Language:
    """The same words up to a length; after nine symbols all words are in it."""
    states = 10
    return Language(
        alphabet=("0", "1"),
        transitions=tuple(
            (min(2 * (s // 2) + 2, 2 * states), min(2 * (s // 2) + 3, 2 * states + 1))
            for s in range(2 * states + 2)
        ),
        classes=tuple(s % 2 for s in range(2 * states + 2)),
        domain=parse("regex:(0|1)(0|1)(0|1)(0|1)(0|1)?(0|1)?(0|1)?", alphabet="01"),
    )


def test_levels_that_differ_are_no_repetition(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The evidence cut short, with every repetition that it could then claim, or with some."""
    run = train_proved(tmp_path_factory, "tomita-5")
    cuts = [
        replace(made, levels=made.levels[: last + 1], repeats=first)
        for made in (certify(run.model, run.language), by_hand_in_threes_with_a_domain())
        for last in range(2, len(made.levels))
        for first in range(1, last)
        if made.levels[first] != made.levels[last]
    ]
    assert len(cuts) > 1
    for cut in random.Random(0).sample(cuts, min(len(cuts), few(12))):
        refuse(cut, tmp_path / "a.json")


def test_no_code_can_be_left_out_or_turned(proved: Certificate, tmp_path: Path) -> None:
    for made in (by_hand(), by_hand_in_threes_with_a_domain(), proved):
        codes = list(made.elements["codes"])
        for place in range(len(codes)):
            fewer = [*codes[:place], *codes[place + 1 :]]
            refuse(replace(made, elements={"codes": fewer}), tmp_path / "a.json")
        refuse(replace(made, elements={"codes": codes[::-1]}), tmp_path / "a.json")
        turned = [f"{int(codes[0], 16) ^ 128 << 8 * (len(codes[0]) // 2 - 1):0{len(codes[0])}x}"]
        refuse(replace(made, elements={"codes": turned + codes[1:]}), tmp_path / "a.json")
        nonsense: list[dict[str, Any]] = [{"codes": []}, {}, {"codes": ["zz"] * 2}, {"codes": "80"}]
        for elements in nonsense:
            refuse(replace(made, elements=elements), tmp_path / "a.json")


def test_a_counterexample_cannot_be_relabelled(tmp_path: Path) -> None:
    for maker in MAKERS[2:]:
        made = maker()
        for repeats in (None, 1, *range(2, len(made.levels) - 1)):
            changed = replace(
                made,
                verdict="equivalent",
                repeats=repeats,
                counterexample=None,
                checked_length=None,
            )
            refuse(changed, tmp_path / "a.json")
            refuse(replace(changed, counterexample=made.counterexample), tmp_path / "a.json")
    longer = wrong_late()
    more = replace(
        longer,
        verdict="equivalent",
        counterexample=None,
        checked_length=None,
        levels=(*longer.levels, longer.levels[-1]),
        repeats=len(longer.levels) - 1,
    )
    refuse(more, tmp_path / "a.json")


@pytest.mark.parametrize("what", ["sign", "answer"])
def test_what_is_not_certain_cannot_be_relabelled(what: str, tmp_path: Path) -> None:
    """Float64 says that all is right; a bit of nothing, or a draw, could be otherwise."""
    model = last_symbol(dead_bits=int(what == "sign"))
    language = ENDS_WITH_1
    if what == "answer":
        model.answer.weight.data.zero_()
        language = ~parse("regex:(0|1)*", alphabet="01")
    made = certify(model, language)
    assert made.verdict == "not-closed"
    assert what in made.reason
    assert made.repeats is not None
    forged = replace(made, verdict="equivalent", reason="", checked_length=None)
    refuse(forged, tmp_path / "a.json")
    better = by_hand().margins
    refuse(replace(forged, margins=better), tmp_path / "a.json")


def test_no_wrong_word_can_be_made_up(tmp_path: Path) -> None:
    """A longer one, one that is right, other classes, or one where all is right."""
    made = wrong_late()
    assert made.counterexample is not None
    true = made.counterexample
    longer = next(
        WrongWord(word=word, model=true.model, language=true.language)
        for word in ("000010", "0000110", "111110", "0101110")
        if certify_class(made, word) == (true.model, true.language)
    )
    empty = replace(true, word="")
    others = [
        *(longer, empty, replace(true, model=true.language), replace(true, language=true.model)),
        replace(true, model=true.language, language=true.model),
        replace(true, word=true.word[1:]),
        *(replace(true, word="11111", model=c, language=c) for c in "01"),  # as long, and right
        replace(true, model="7"),
    ]
    for other in others:
        refuse(replace(made, counterexample=other), tmp_path / "a.json")
    refuse(replace(made, counterexample=None), tmp_path / "a.json")
    several = wrong_with_a_domain()
    assert several.counterexample is not None
    told = {several.counterexample.model, several.counterexample.language}
    third = next(name for name in several.language.class_names if name not in told)
    for other in (
        replace(several.counterexample, language=third),
        replace(several.counterexample, model=third),
    ):
        refuse(replace(several, counterexample=other), tmp_path / "a.json")
    right = by_hand()
    for word in ("", "1", "00001"):
        claim = WrongWord(word=word, model="1", language="0")
        for text in (claim, replace(claim, model="0", language="1")):
            wrong = replace(right, verdict="counterexample", counterexample=text, repeats=None)
            refuse(wrong, tmp_path / "a.json")


def test_a_longer_wrong_word_is_not_the_shortest(tmp_path: Path) -> None:
    """Also if the file says that all words below its length were checked."""
    made = wrong_late()
    assert made.counterexample is not None
    true = made.counterexample
    words = ("000010", "0000110", "111110", "0101110", "00000100")
    found = [w for w in words if certify_class(made, w) == (true.model, true.language)]
    for word in found:
        forged = replace(
            made, counterexample=replace(true, word=word), checked_length=len(word) - 1
        )
        refuse(forged, tmp_path / "a.json")
    assert found


def certify_class(made: Certificate, word: str) -> tuple[str, str]:
    """What the model made by hand, and the language, say of a word."""
    return str(int(word.endswith("1"))), made.language.class_names[made.language.classify(word)]


def test_no_class_and_no_transition_of_the_language_can_be_changed(
    proved: Certificate, tmp_path: Path
) -> None:
    for made in (by_hand(), proved, wrong_late(), wrong_on_the_empty_word()):
        language = made.language.minimise()
        for state in range(language.num_states):
            classes = list(language.classes)
            classes[state] = 1 - classes[state]
            other = replace(language, classes=tuple(classes))
            rows = list(language.transitions)
            rows[state] = rows[state][::-1]
            turned = replace(language, transitions=tuple(rows))
            for changed in (other, turned):
                if changed.difference(language) is not None:
                    still = made.counterexample
                    forged = replace(made, language=changed)
                    if still is not None and len(still.word) == len(
                        changed.difference(ENDS_WITH_1) or ()
                    ):
                        continue  # another language on which that is a shortest wrong word
                    refuse(forged, tmp_path / "a.json")


def test_a_language_under_another_name_is_refused(tmp_path: Path) -> None:
    """The statement names it, so the name must be true."""
    made = by_hand()
    for spec in ("parity", "tomita-3", "regex:(0|1)*0"):
        refuse(replace(made, language=replace(made.language, spec=spec)), tmp_path / "a.json")


def test_a_domain_cannot_be_narrowed_or_widened(tmp_path: Path) -> None:
    made = by_hand_in_threes_with_a_domain()
    inside = made.language
    for domain in (None, parse("regex:(0|1)*", alphabet="01"), ~of_odd_length()):
        refuse(replace(made, language=replace(inside, domain=domain)), tmp_path / "a.json")
    wrong = wrong_with_a_domain()
    assert wrong.counterexample is not None
    without = replace(wrong.language, domain=None)
    refuse(replace(wrong, language=without), tmp_path / "a.json")


def test_no_weight_can_be_changed_so_that_it_matters(proved: Certificate, tmp_path: Path) -> None:
    for made in (by_hand(), by_hand_in_threes_with_a_domain(), proved):
        names = ["answer.weight", "memory.write.weight", "memory.read.weight"]
        if made.language.domain is None:  # otherwise the empty word, which alone has pads, is out
            names.append("pad")
        for name in names:
            weight = made.weights[name]
            changed = {**made.weights, name: -weight}
            refuse_or_of_another_model(made, changed, tmp_path)
            changed = {**made.weights, name: np.zeros_like(weight)}
            refuse(replace(made, weights=changed), tmp_path / "a.json")
            for value in (np.nan, np.inf):
                broken = np.array(weight, dtype=np.float32)
                broken.flat[0] = value
                with np.errstate(invalid="ignore"):
                    refuse(
                        replace(made, weights={**made.weights, name: broken}), tmp_path / "a.json"
                    )


def refuse_or_of_another_model(made: Certificate, weights: Any, folder: Path) -> None:
    forged = replace(made, weights=weights)
    assert forged.model_digest != made.model_digest
    with pytest.raises(CertificateError, match="another model"):
        forged.require_model(made.settings, made.weights)
    refuse(forged, folder / "a.json")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chunk_size", 3),
        ("norm", "post"),
        ("memory", "continuous"),
        ("num_bits", 2),
        ("num_heads", 7),
        ("num_layers", 2),
        ("chunk_size", "x"),
        ("chunk_size", 0),
    ],
)
def test_settings_of_another_network_are_refused(name: str, value: Any, tmp_path: Path) -> None:
    made = by_hand()
    forged = replace(made, settings={**made.settings, name: value})
    assert forged.model_digest != made.model_digest
    refuse(forged, tmp_path / "a.json")


@pytest.mark.parametrize("name", ["chunk_size", "vocab_size", "memory", "norm", "num_bits"])
def test_settings_that_are_missing_are_refused(name: str, tmp_path: Path) -> None:
    made = by_hand()
    fewer = {key: value for key, value in made.settings.items() if key != name}
    refuse(replace(made, settings=fewer), tmp_path / "a.json")
    some = {key: value for key, value in made.weights.items() if "memory" not in key}
    refuse(replace(made, weights=some), tmp_path / "a.json")


def test_state_maps_cannot_be_exchanged(tmp_path: Path) -> None:
    for made in (by_hand(), by_hand_in_threes_with_a_domain()):
        for maps in (
            *((), made.maps[::-1], made.maps[:1], made.maps[:1] * len(made.maps)),
            tuple(map_[::-1] for map_ in made.maps),
            tuple((0,) * len(map_) for map_ in made.maps),
        ):
            if maps != made.maps:
                refuse(replace(made, maps=maps), tmp_path / "a.json")


@pytest.mark.parametrize("verdict", ["not-closed", "proved", ""])
def test_only_two_verdicts_can_be_checked(verdict: Any, tmp_path: Path) -> None:
    refuse(replace(by_hand(), verdict=verdict), tmp_path / "a.json")


@pytest.mark.parametrize("strength", ["snapped", "robust"])
def test_a_strength_that_was_not_shown_is_refused(strength: Any, tmp_path: Path) -> None:
    refuse(replace(by_hand(), strength=strength), tmp_path / "a.json")


def test_figures_and_notes_of_the_maker_are_not_believed(tmp_path: Path) -> None:
    """The check returns figures of its own, whatever the file says, and no words of the maker."""
    made = by_hand()
    assert made.margins is not None
    better = replace(made.margins, sign_distance=1e6, sign_radius=0.0, measured=0.0)
    notes: dict[str, Any] = {"reason": "all is well", "made_with": {"torch": "99"}}
    forged = replace(made, margins=better, moved=SnapDistances(spread=0.0, gap=1e9), **notes)
    verified = check(save_and_loaded(forged, tmp_path))
    own = check(made)
    assert verified.summary() == own.summary()
    assert (own.reason, own.made_with, own.moved) == ("", {}, None)
    assert own.margins is not None
    assert own.margins.sign_distance == pytest.approx(made.margins.sign_distance)
    assert own.margins.answer_distance == pytest.approx(made.margins.answer_distance)
    assert own.margins.measured is None


def test_lengths_that_were_not_checked_are_refused(tmp_path: Path) -> None:
    refuse(replace(wrong_late(), checked_length=10**6), tmp_path / "a.json")
    refuse(replace(by_hand(), checked_length=3), tmp_path / "a.json")


def test_weights_of_several_types_do_not_make_rounding_smaller(tmp_path: Path) -> None:
    """The first weight is said to be float64; the others round as float32 do."""
    made = certify(random_model(ENDS_WITH_1, 0), ENDS_WITH_1)
    assert made.margins is not None
    first = next(iter(made.weights))
    for name in (first, min(made.weights)):
        mixed = {**made.weights, name: made.weights[name].astype(np.float64)}
        refuse(replace(made, weights=mixed), tmp_path / "a.json")


def test_a_certificate_of_another_format_is_refused(tmp_path: Path) -> None:
    body = json.loads(by_hand().to_bytes())
    body.pop("digest")
    body["format"] = 99
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    whole = {**body, "digest": digest}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(whole, separators=(",", ":"), ensure_ascii=False) + "\n")
    with pytest.raises(CertificateError, match="format 99"):
        Certificate.load(path)


def test_weights_are_stored_bit_for_bit(tmp_path: Path) -> None:
    made = by_hand()
    strange = np.array([0.1, -0.0, 1e-45, 3.4e38, np.nan], dtype=np.float32)
    forged = replace(made, weights={**made.weights, "strange": strange})
    loaded = save_and_loaded(forged, tmp_path).weights["strange"]
    assert loaded.tobytes() == strange.tobytes()
    body = json.loads(forged.to_bytes())
    assert base64.b64decode(body["weights"]["strange"]["base64"]) == strange.tobytes()


def recurring(repeat: int, levels: int) -> Certificate:
    """The exact network of 0*10* "is" parity, by one table of symbols that is used at every level.

    The even words' vectors, of no 1 and of two, are both half way from a made-up one.
    """
    model = lw.compile("regex:0*10*").model
    assert isinstance(model, RegularGPT)
    node, parity = node_of(model), parse("parity")
    kinds = {}
    for kind, pads in (("interior", ()), ("edge", ((-1, 0), (-1, 1)))):
        children = np.array([*product((0, 1), repeat=2), *pads])
        images = node.gather(node.leaves(), children).centre
        odd = children.clip(min=0).sum(axis=1) % 2
        halves = [np.unique(images[odd == p].round(9), axis=0).mean(axis=0) for p in (0, 1)]
        kinds[kind] = {
            "representatives": pack(np.stack(halves)),
            "children": pack(children),
            "elements": pack(odd),
        }
    pairs = {"interior": ((0, 0), (1, 1)), "edge": ((0, 0), (1, 1))}
    return Certificate(
        verdict="equivalent",
        strength="snapped",
        language=parity,
        machine=Machine(transitions=((0, 1), (1, 0)), classes=(0, 1), start=0),
        settings=model.config.to_dict(),
        weights=weights_of(model),
        elements={"levels": [kinds] * levels, "repeat": repeat},
        maps=((0, 1), (1, 0)),
        levels=(pairs,) * 3,
        repeats=1,
    )


@pytest.mark.parametrize(("repeat", "levels"), [(0, 1), (-1, 1), (1, 1), (0, 2), (1, 2), (2, 2)])
def test_tables_of_symbols_cannot_recur(repeat: int, levels: int, tmp_path: Path) -> None:
    """`repeat=0` with one level was once accepted."""
    refuse(recurring(repeat, levels), tmp_path / "a.json")


@pytest.mark.parametrize("spec", ["parity", "regex:(0|1)*1"])
def test_chunks_of_one_prove_nothing(spec: str, tmp_path: Path) -> None:
    """With chunks of one symbol only single symbols are looked at; it was once accepted."""
    made, language = by_hand(), parse(spec)
    machine = language.minimise()
    maps = tuple(tuple(row[symbol] for row in machine.transitions) for symbol in range(2))
    named = tuple(dict.fromkeys(maps))
    level = {
        "interior": tuple((symbol, named.index(maps[symbol])) for symbol in range(2)),
        "edge": tuple((symbol, maps[symbol][machine.start]) for symbol in range(2)),
    }
    bias = "layers.0.attention.bias"
    forged = replace(
        made,
        language=language,
        machine=Machine(
            transitions=machine.transitions, classes=machine.classes, start=machine.start
        ),
        settings={**made.settings, "chunk_size": 1},
        weights={**made.weights, bias: made.weights[bias][:, :1].copy()},
        elements={"codes": ["00", "80"]},
        maps=named,
        levels=(level,) * 3,
        repeats=1,
    )
    refuse(forged, tmp_path / "a.json")


def test_more_layers_than_weights_are_refused_at_once(tmp_path: Path) -> None:
    made = by_hand()
    forged = replace(made, settings={**made.settings, "num_layers": 2**60})
    refuse(forged, tmp_path / "a.json")


@pytest.mark.parametrize(
    "spec",
    [
        "att:my.att",
        "parity its class, at every length",
        "\x1b[2K\rThe model as it runs gives every word of parity its class, at every length.",
        "regex:(0|1)*1\u202e",
        "py:module:function",
    ],
)
def test_no_name_is_printed_that_was_not_compared(spec: str, tmp_path: Path) -> None:
    """A name that says nothing by itself is dropped; one that is another language's is refused."""
    made = by_hand()
    forged = replace(made, language=replace(made.language, spec=spec))
    forged.save(tmp_path / "a.json")
    loaded = Certificate.load(tmp_path / "a.json")
    assert loaded.statement.isprintable()
    if spec.startswith("regex:"):
        with pytest.raises(CertificateError) as caught:
            check(loaded)
        assert str(caught.value).isprintable()
        return
    verified = check(loaded)
    assert verified.language.spec == ""
    assert automaton_digest(made.language) in verified.statement


def test_exchanged_names_of_classes_are_another_automaton(tmp_path: Path) -> None:
    """With no specification to compare, the printed digest tells the two apart."""
    made = by_hand()
    names = made.language.class_names
    own = replace(made, language=replace(made.language, spec=""))
    turned = replace(own, language=replace(own.language, class_names=names[::-1]))
    statements = {check(save_and_loaded(each, tmp_path)).statement for each in (own, turned)}
    assert len(statements) == 2
    refuse(replace(turned, language=replace(turned.language, spec="tomita-1")), tmp_path / "a.json")


@pytest.mark.parametrize(("scale", "size"), [(1e39, 1e-37), (1e300, 0.0), (1e-60, 1e38)])
def test_a_scale_that_floats_cannot_hold_proves_nothing(
    scale: float, size: float, tmp_path: Path
) -> None:
    """It is infinite or 0 in float32, whatever its product with an embedding is in float64."""
    made = by_hand()
    weights = dict(made.weights)
    for name in ("embedding.weight", "pad"):
        weights[name] = made.weights[name] * np.float32(size)
    if size > 1:
        weights["memory.write.weight"] = made.weights["memory.write.weight"] * np.float32(1e25)
    settings = {**made.settings, "embedding_scale": scale}
    refuse(replace(made, settings=settings, weights=weights), tmp_path / "a.json")


def test_a_name_is_printed_as_it_is_read(tmp_path: Path) -> None:
    """`d-0000000012` was read as d-1, whose nine digits it begins with, and printed as it stood."""
    language = parse("d-1")
    made = certify(random_model(language, 0), language)
    assert made.counterexample is not None
    for spec in ("d-0000000012", "d-1000000000"):
        refuse(replace(made, language=replace(language, spec=spec)), tmp_path / "a.json")
    zeros = replace(made, language=replace(language, spec="d-01"))
    assert check(save_and_loaded(zeros, tmp_path)).language.spec == "d-1"


def test_a_wrong_word_is_printed_as_words_are(tmp_path: Path) -> None:
    """In quotation marks if it could be taken for something else, and with no spaces to spare."""
    symbols = ("the", "empty", "word")
    ends = Language(
        alphabet=symbols,
        transitions=((1, 0, 0), (1, 2, 0), (1, 0, 3), (1, 0, 0)),
        classes=(0, 0, 0, 1),
    )
    never = Language(alphabet=symbols, transitions=((0, 0, 0),), classes=(0,))
    model = lw.compile(never, target="elements").model
    made = certify(model, ends, strength="robust")
    assert made.counterexample is not None
    assert made.counterexample.word == "the empty word"
    assert dict(facts_of_certificate(made))["wrong word"] == '"the empty word"'
    for word in ("the empty word ", " the empty word", "the  empty word"):
        forged = replace(made, counterexample=replace(made.counterexample, word=word))
        refuse(forged, tmp_path / "a.json")


def test_figures_are_rounded_to_the_safe_side() -> None:
    for number in (1.99999, 9.924e-06, 1.2369, 123456.0, 0.09999, 5e-324, 1.7e308):
        assert Decimal(at_least(number)) <= Decimal(number) <= Decimal(at_most(number))
        assert Decimal(at_most(number)) <= Decimal(number) * Decimal("1.011")


def test_large_chunks_and_many_of_them_are_refused_at_once(tmp_path: Path) -> None:
    one = Language(alphabet=("a",), transitions=((0,),), classes=(0,))
    made = certify(random_model(one, 0, chunk_size=3), one)
    for made_of, chunk in ((made, 800), (by_hand(), 26)):
        bias = made_of.weights["layers.0.attention.bias"]
        weights = {
            **made_of.weights,
            "layers.0.attention.bias": np.zeros((len(bias), chunk), dtype=bias.dtype),
        }
        settings = {**made_of.settings, "chunk_size": chunk}
        refuse(replace(made_of, settings=settings, weights=weights), tmp_path / "a.json")


def test_state_maps_of_other_lengths_are_refused(tmp_path: Path) -> None:
    made = by_hand()
    for maps in (((0,), (1,), (0,), (1,)), ((0, 1, 0, 1),), ((0, 1), (0,), (1,))):
        refuse(replace(made, maps=maps), tmp_path / "a.json")


def test_what_certify_says_is_what_the_checker_says() -> None:
    """Figures too: they are the checker's, but for what was measured on the model."""
    for seed in range(12):
        model = random_model(ENDS_WITH_1, seed)
        made = certify(model, lw.language("regex:(0|1)*1") if seed % 2 else parse("parity"))
        if made.verdict != "not-closed" and not made.reason:
            verified = check(made)
            assert made.margins is not None
            assert verified.margins == replace(made.margins, measured=None)
            assert verified.statement == made.statement


@pytest.mark.parametrize("spec", ["PARITY", "Parity", "no such language", "py:a:b"])
def test_certify_prints_no_name_that_nobody_reads(spec: str) -> None:
    made = certify(last_symbol(), replace(ENDS_WITH_1, spec=spec))
    assert made.verdict == "equivalent"
    assert spec not in made.statement


def test_languages_that_cannot_be_walked_are_refused(tmp_path: Path) -> None:
    """Cycles of 503 and 509 states meet in a quarter of a million, with a third one in millions."""

    def cycle(size: int) -> tuple[tuple[int, ...], ...]:
        return tuple(((state + 1) % size,) * 2 for state in range(size))

    domain = Language(
        alphabet=("0", "1"), transitions=cycle(503), classes=(1,) * 503, class_names=("0", "1")
    )
    language = Language(
        alphabet=("0", "1"), transitions=cycle(509), classes=(0,) * 509, domain=domain
    )
    machine = Machine(transitions=cycle(521), classes=(1,) + (0,) * 520, start=1)
    forged = replace(by_hand(), language=language, machine=machine)
    refuse(forged, tmp_path / "a.json")


@pytest.mark.parametrize("where", ["certificate.json.loads", "induction.check_machine"])
def test_what_is_larger_than_memory_is_not_called_wrong(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError

    by_hand().save(tmp_path / "certificate.json")
    monkeypatch.setattr(f"lengthwise.proofs.check.{where}", out_of_memory)
    with pytest.raises(CertificateError, match="more memory than there is, so it was not"):
        check(Certificate.load(tmp_path / "certificate.json"))


def test_errors_are_of_this_package() -> None:
    assert issubclass(CertificateError, LengthwiseError)
