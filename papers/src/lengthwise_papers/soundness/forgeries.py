"""Certificates that state what is false: honest ones, changed and signed again.

An honest certificate is made by `certify`; that its forgery is false is known without it, since the
word that refutes the statement is known from the plant and is run through the network of the file.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate, Machine, WrongWord
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.integrity import PROVABLE, Provable
from lengthwise.proofs.search.network import weights_of
from lengthwise_papers.soundness.case import Case, Question, Word
from lengthwise_papers.soundness.plants import (
    SPECS,
    Planted,
    domain_corner,
    one_pad,
    powers,
)

_Forged = tuple[Certificate, Word, str] | None
"""The changed certificate, the word that refutes it, and what was done; None if it does not fit."""

_SOUND = (powers, one_pad, domain_corner)


def running(certificate: Certificate) -> Provable:
    """Return the network of a certificate."""
    kind = next(
        network_class for network_class in PROVABLE if network_class.__name__ == certificate.kind
    )
    make: Callable[..., Provable] = kind  # type: ignore[assignment]
    model = make(PROVABLE[kind].from_dict(certificate.settings))
    weights = {name: torch.from_numpy(w.copy()) for name, w in certificate.weights.items()}
    model.to(next(iter(weights.values())).dtype).load_state_dict(weights)
    return model.eval()


def _both(make: Callable[..., Planted], draw: random.Random) -> tuple[Planted, Planted]:
    """Draw a network and the same one without its fault."""
    state = draw.getstate()
    wrong = make(draw, fault=True)
    after = draw.getstate()
    draw.setstate(state)
    sound = make(draw, fault=False)
    draw.setstate(after)
    return wrong, sound


def _honest(draw: random.Random) -> Certificate:
    planted = draw.choice(_SOUND)(draw, fault=False)
    return certify(planted.model, planted.language)


def other_weights(draw: random.Random) -> _Forged:
    """Put the network with the fault in place of the sound one whose evidence it is."""
    wrong, sound = _both(draw.choice((powers, one_pad)), draw)
    if wrong.language != sound.language or wrong.model.config != sound.model.config:
        return None  # the fault takes a bit or a unit of its own
    certificate = certify(sound.model, sound.language)
    dtype = next(iter(certificate.weights.values())).dtype
    weights = {name: w.astype(dtype) for name, w in weights_of(wrong.model).items()}
    return (
        replace(certificate, weights=weights),
        wrong.word,
        "weights with a fault, evidence without",
    )


def other_answers(draw: random.Random) -> _Forged:
    """Exchange the two classes in the layer that reads answers."""
    certificate = _honest(draw)
    weights = dict(certificate.weights)
    for name in ("answer.weight", "answer.bias"):
        weights[name] = weights[name][::-1].copy()
    word = _some_word(certificate.language, draw)
    return replace(certificate, weights=weights), word, "answers of the network exchanged"


def other_language(draw: random.Random) -> _Forged:
    """State it of another automaton: one class changed, and its machine made anew."""
    certificate = _honest(draw)
    classes = list(certificate.language.classes)
    state = draw.randrange(len(classes))
    classes[state] = 1 - classes[state]
    language = replace(certificate.language, classes=tuple(classes), spec="")
    word = certificate.language.difference(language)
    if word is None:
        return None
    machine = Machine.of(language.total().minimise())
    return (
        replace(certificate, language=language, machine=machine),
        word,
        "another class in the language",
    )


def other_name(draw: random.Random) -> _Forged:
    """State it of a language by a name that is not its own."""
    certificate = _honest(draw)
    other, original = parse(draw.choice(SPECS)), certificate.language
    if original.domain is not None or other.difference(original) is None:
        return None
    word = other.difference(original) or ()
    language = replace(original, spec=other.spec)
    return replace(certificate, language=language), word, f"the language is called {other.spec}"


def other_domain(draw: random.Random) -> _Forged:
    """State it of a larger domain, where the network is wrong."""
    planted = domain_corner(draw, fault=False)
    certificate = certify(planted.model, planted.language)
    language = replace(certificate.language, domain=None, spec="")
    inside = planted.language.domain
    for _ in range(1_000):
        word = tuple(draw.choices(range(2), k=draw.randrange(1, 30)))
        true = language.classify(word)
        if inside is not None and inside.classify(word) == 0 and true == 1:
            machine = Machine.of(language.total().minimise())
            return (
                replace(certificate, language=language, machine=machine),
                word,
                "without its domain",
            )
    return None


def early_end(draw: random.Random) -> _Forged:
    """Turn the certificate of a wrong word into a proof: cut its last levels, name a repetition."""
    wrong = draw.choice((powers, one_pad, domain_corner))(draw, fault=True)
    certificate = certify(wrong.model, wrong.language)
    levels = list(certificate.levels[: draw.randrange(2, max(3, len(certificate.levels)))])
    repeats: int | None = draw.randrange(1, max(2, len(levels) - 1))
    if certificate.is_recurrent:
        repeats = None
        levels[-1] = {"interior": (), "edge": ()}
    elif draw.random() < 0.5:
        levels.append(levels[repeats or 1])
    changed = replace(
        certificate,
        verdict="equivalent",
        counterexample=None,
        checked_length=None,
        levels=tuple(levels),
        repeats=repeats,
    )
    return changed, wrong.word, "levels cut before the wrong word, and a repetition named"


def false_counterexample(draw: random.Random) -> _Forged:
    """Call a word wrong on which the network is right."""
    certificate = _honest(draw)
    word = _some_word(certificate.language, draw)
    true = certificate.language.classify(word)
    names = certificate.language.class_names
    claimed = WrongWord(
        word=certificate.language.decode(word), model=names[1 - true], language=names[true]
    )
    changed = replace(
        certificate,
        verdict="counterexample",
        counterexample=claimed,
        checked_length=len(word) - 1,
        repeats=None,
    )
    return changed, word, "a word on which the network is right is called wrong"


def later_counterexample(draw: random.Random) -> _Forged:
    """Name a longer wrong word, as if all shorter words were right."""
    wrong = one_pad(draw, fault=True)
    certificate = certify(wrong.model, wrong.language)
    shortest = certificate.counterexample
    if shortest is None or len(certificate.language.encode(shortest.word)) >= len(wrong.word):
        return None
    names = certificate.language.class_names
    claimed = WrongWord(
        word=certificate.language.decode(wrong.word), model=names[0], language=names[1]
    )
    changed = replace(certificate, counterexample=claimed, checked_length=len(wrong.word) - 1)
    return (
        changed,
        certificate.language.encode(shortest.word),
        "a longer wrong word, right up to it",
    )


FORGERIES: Sequence[Callable[[random.Random], _Forged]] = (
    other_weights,
    other_answers,
    other_language,
    other_name,
    other_domain,
    early_end,
    false_counterexample,
    later_counterexample,
)


def draw_forgery(name: str, number: int, draw: random.Random) -> Case:
    """Draw a forged certificate; the ways of forging take turns."""
    how = FORGERIES[number % len(FORGERIES)]
    while True:
        forgery = how(draw)
        if forgery is None:
            continue
        certificate, word, explanation = forgery
        spec = certificate.language.spec
        question = Question(
            model=running(certificate),
            language=parse(spec) if spec else certificate.language,
            certificate=certificate,
        )
        return Case(
            name=name,
            kind="forged file",
            question=question,
            truth="fails",
            known_by=explanation,
            word=word,
        )


def honest_file(name: str, draw: random.Random) -> Case:
    """Draw a certificate as `certify` made it, of a sound network or of one with a fault."""
    planted = draw.choice(_SOUND)(draw, fault=draw.random() < 0.3)
    certificate = certify(planted.model, planted.language)
    return Case(
        name=name,
        kind="sound",
        question=Question(
            model=running(certificate), language=certificate.language, certificate=certificate
        ),
        truth="holds",
        known_by="a certificate that was not changed",
    )


def _some_word(language: Language, draw: random.Random) -> Word:
    """Draw a word of the domain."""
    while True:
        word = tuple(draw.choices(range(language.num_symbols), k=draw.randrange(1, 20)))
        if language.domain is None or language.domain.classify(word) == 1:
            return word
