"""Verifiers to be scored: ours, and some that are unsound on purpose, to show what each kind finds.

A verifier is any function from a `Question` to an `Answer`.
"""

import random
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from lengthwise.errors import CertificateError, VerificationError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.certificate import Certificate, Verdict
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.algebra import Algebra
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.network import node_of, recurrent_node_of
from lengthwise_papers.soundness.case import Answer, Question, Word
from lengthwise_papers.soundness.score import Verifier

_ANSWERS: Mapping[Verdict, Answer] = {
    "equivalent": "holds",
    "counterexample": "fails",
    "not-closed": "undecided",
}


def ours(question: Question) -> Answer:
    """Answer by `certify`, or, about a file, by `certify --check`: a file fails if refused."""
    if question.certificate is None:
        try:
            return _ANSWERS[certify(question.model, question.language).verdict]
        except VerificationError:
            return "undecided"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        path.write_bytes(question.to_bytes())
        try:
            check(Certificate.load(path))
        except CertificateError:
            return "fails"
    return "holds"


def believer(question: Question) -> Answer:
    """Say that everything holds."""
    return "holds"


def short_words(question: Question) -> Answer:
    """Try all words of up to 8 symbols and 100 random ones of up to 1,000; believe files."""
    if question.certificate is not None:
        return "holds"
    draw = random.Random(0)
    language = question.language
    words = [*language.words(max_length=8)]
    words += [_draw_word(language, draw.randrange(9, 1_001), draw) for _ in range(100)]
    return _test_words(question, words)


def whole_trees(question: Question) -> Answer:
    """Try words that fill their chunks, so that no pad is ever seen: C^l symbols; believe files."""
    if question.certificate is not None:
        return "holds"
    draw = random.Random(0)
    chunk = getattr(question.model.config, "chunk_size", 2)
    lengths = [chunk**level for level in range(1, 11) if chunk**level <= 1_024]
    words = [_draw_word(question.language, length, draw) for length in lengths for _ in range(40)]
    return _test_words(question, words)


def no_bounds(question: Question) -> Answer:
    """Explore the network in float64 and ask for no margins; believe files."""
    if question.certificate is not None:
        return "holds"
    model = question.model
    assert isinstance(model, RegularGPT | BinaryRecurrent)
    algebra: Algebra
    if isinstance(model, RegularGPT):
        algebra = BinaryAlgebra(node_of(model))
    else:
        algebra = CodeRecurrence(TrackedCodes(recurrent_node_of(model)))
    exploration = decide(algebra, question.language)
    return (
        "fails"
        if exploration.wrong is not None
        else "holds"
        if exploration.is_closed
        else "undecided"
    )


VERIFIERS: Mapping[str, Verifier] = {
    "lengthwise": ours,
    "believes everything": believer,
    "tries short words": short_words,
    "ignores pads": whole_trees,
    "ignores rounding": no_bounds,
}
"""Ours, and unsound ones."""


def _draw_word(language: Language, length: int, draw: random.Random) -> Word:
    return tuple(draw.choices(range(language.num_symbols), k=length))


def _test_words(question: Question, words: list[Word]) -> Answer:
    """Return `holds` if the network gives all those of the words that are in the domain their
    class."""
    language, domain = question.language, question.language.domain
    words = [word for word in words if domain is None or domain.classify(word) == 1]
    longest = max(map(len, words), default=0)
    tokens = torch.zeros(len(words), longest, dtype=torch.int64)
    for row, word in zip(tokens, words, strict=True):
        row[longest - len(word) :] = torch.tensor(word, dtype=torch.int64)
    lengths = torch.tensor([len(word) for word in words], dtype=torch.int64)
    with torch.inference_mode():
        answers = answer_of(question.model(tokens, lengths)).tolist()
    true = [language.classes[language.run(word)] for word in words]
    return "holds" if answers == true else "fails"
