"""Cases of the benchmark: a question, its true answer, and how that is known."""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import nn

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.proofs.check.certificate import Certificate, Machine
from lengthwise.proofs.search.integrity import Provable
from lengthwise.proofs.search.network import weights_of

Answer = Literal["holds", "fails", "undecided"]
"""What a verifier says of a question: `holds` is the answer that must never be wrong."""

Truth = Literal["holds", "fails", "order"]
"""`fails` of one word at least; `order`: of one word in one order of additions at least."""

Word = tuple[int, ...]

KINDS: Mapping[str, str] = {
    "one length": "wrong at one length alone, above 1,000",
    "powers": "wrong at lengths 2^k + 1 alone, above 1,000",
    "one pad": "wrong where one pad stands beside one sub-word",
    "domain corner": "wrong in one corner of the domain",
    "margin": "a margin below what rounding does",
    "cancellation": "weights of 1e8 that cancel",
    "overflow": "sums that overflow",
    "forged file": "certificates that were changed and signed again",
    "sound": "nothing is wrong",
}
"""Kinds of plants. All but the last have the true answer `fails` or `order`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a verifier is asked: does the network give every word of the language its class?

    Answers are the class with the largest logit, at every length and for sums in any order of
    additions, in the type of the weights. Of a `certificate` it is asked whether what the file
    states is true; the network and the language are those of the file, ready to run.
    """

    model: Provable
    language: Language
    certificate: Certificate | None = None

    def to_bytes(self) -> bytes:
        """Return the question as a file: the certificate, or one that claims nothing yet.

        The format is that of docs/certificate.md. A network is in `settings` and `weights` of a
        file whose verdict is `not-closed`.
        """
        if self.certificate is not None:
            return self.certificate.to_bytes()
        weights = weights_of(self.model)
        return Certificate(
            verdict="not-closed",
            strength="discrete",
            language=self.language,
            machine=Machine.of(self.language.total().minimise()),
            settings=self.model.config.to_dict(),
            weights=weights,
            elements={},
            maps=(),
            levels=(),
            reason="nobody has tried yet",
        ).to_bytes()


@dataclass(frozen=True, kw_only=True, slots=True)
class Sum:
    """One sum that the network computes for the planted word, whose order of additions decides.

    The bit is on where the sum is 0 or more. The network's own additions are those of `summands`,
    and of zeros, in whatever order.
    """

    summands: tuple[float, ...]
    dtype: Literal["float32", "float64"]
    order: tuple[int, ...]
    """An order of additions, from left to right, that turns the bit over."""
    weight: tuple[str, int, int]
    """A weight that is one of the summands: parameter, row and column."""

    def exact(self) -> Fraction:
        """Return the sum of real arithmetic."""
        return sum(map(Fraction, self.summands), Fraction(0))

    def in_order(self) -> float:
        """Return the sum in the order that turns the bit over."""
        return add_in_order([self.summands[i] for i in self.order], self.dtype)

    @property
    def turns(self) -> bool:
        """Whether that order gives the bit another value than real arithmetic does."""
        return (self.in_order() >= 0) != (self.exact() >= 0)


@np.errstate(over="ignore", invalid="ignore")
def add_in_order(numbers: Sequence[float], dtype: str) -> float:
    """Return a sum of floats from left to right, each addition rounded to the type."""
    kind = np.dtype(dtype).type
    total = kind(0)
    for number in numbers:
        total = kind(total + kind(number))
    return float(total)


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A question with its true answer."""

    name: str
    kind: str
    """A name in `KINDS`."""
    question: Question = field(repr=False)
    truth: Truth
    known_by: str
    """How the truth is known."""
    word: Word = field(default=(), repr=False)
    """A word on which the question fails: of the domain, with another class than the network's."""
    sum: Sum | None = field(default=None, repr=False)
    """The sum that decides, if the truth is `order`."""

    @property
    def digest(self) -> str:
        """Digest of the question's file."""
        return hashlib.sha256(self.question.to_bytes()).hexdigest()

    def save(self, folder: Path) -> Path:
        """Write the question's file, for a verifier that is another program; return its path."""
        path = folder / f"{self.name.replace(' ', '-')}.json"
        path.write_bytes(self.question.to_bytes())
        return path


def runs_as(model: nn.Module, word: Word) -> int | None:
    """Return the class that a network gives to a word as it runs; None if its logits are none."""
    with torch.inference_mode():
        logits = model(torch.tensor([word], dtype=torch.int64))
    return int(answer_of(logits)[0]) if bool(torch.isfinite(logits).all()) else None


def is_confirmed(case: Case) -> bool:
    """Return whether the truth of a case is seen where it is planted, without a verifier.

    A word that fails is run through the network. A sum whose order decides is added up, in
    fractions and in the order that turns it over; the network with its bit off gives the word its
    class, and with its bit on another. A sound network answers words of up to seven symbols and
    some long ones.
    """
    question = case.question
    model, language = question.model, question.language
    domain = language.domain
    claimed = None if question.certificate is None else question.certificate.counterexample
    if case.truth == "order":
        assert case.sum is not None
        on, off = (_classify_with_bias(model, case.sum, case.word, by) for by in (4.0, -4.0))
        true = language.classify(case.word)
        return case.sum.turns and {on == true, off == true} == {True, False}
    if case.truth == "fails":
        inside = domain is None or domain.classify(case.word) == 1
        right = runs_as(model, case.word) == language.classes[language.run(case.word)]
        if claimed is not None and language.encode(claimed.word) == case.word:
            return right or not inside  # the file says that this word is wrong
        return inside and not right
    words = [*language.words(max_length=7), *long_words(language)]
    if claimed is not None:
        wrong = language.encode(claimed.word)
        shorter = [word for word in words if len(word) < len(wrong)]
        return runs_as(model, wrong) != language.classify(wrong) and answers_rightly(
            model, language, shorter
        )
    return answers_rightly(model, language, words)


def _classify_with_bias(model: Provable, planted: Sum, word: Word, by: float) -> int | None:
    """Return the class of a word from the same network with one sum that is clear, by a bias."""
    name, row, _ = planted.weight
    layer = name.removesuffix(".weight")
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.get_parameter(f"{layer}.weight")[row] = 0.0
        other.get_parameter(f"{layer}.bias")[row] = by
    return runs_as(other, word)


def long_words(language: Language) -> list[Word]:
    """Return a few random words of the domain of up to 70 symbols."""
    draw = np.random.default_rng(0)
    words_drawn = (
        tuple(draw.integers(0, language.num_symbols, size=length).tolist())
        for length in range(8, 72)
    )
    domain = language.domain
    return [word for word in words_drawn if domain is None or domain.classify(word) == 1]


def answers_rightly(model: nn.Module, language: Language, words: Sequence[Word]) -> bool:
    """Return whether a network as it runs gives all words of a list their class."""
    by_length: dict[int, list[Word]] = {}
    for word in words:
        by_length.setdefault(len(word), []).append(word)
    with torch.inference_mode():
        for same in by_length.values():
            rows = torch.tensor(same, dtype=torch.int64).view(len(same), -1)
            if answer_of(model(rows)).tolist() != [language.classify(word) for word in same]:
                return False
    return True
