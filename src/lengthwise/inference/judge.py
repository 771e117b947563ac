"""Judging automata: how many labels they misjudge, and whether they explain them in few bits.

An automaton is better than another if it is the shorter description of the labels: the bits of the
automaton, or of the rule that it was made of, and those of the labels that it misjudges, in
training and validation. Without noise, one that misjudges no word goes before all others. Where
labels may be wrong, each line of a repeated word has a label of its own.
"""

import math
from dataclasses import dataclass
from typing import Any

from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import count_wrong, log_choices, size_in_bits
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict

_COMPRESSED = 0.5
"""Share of the bits that an automaton saves of the labels, below which it explains them."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """An automaton, judged by the words of training and validation."""

    language: Language
    searcher: str
    wrong: int
    """Words of training that it misjudges; of repeated words, lines with other labels."""
    wrong_in_validation: int
    size: float
    """Bits that describe the automaton, or the rule that it was made of."""
    bits: float
    """The same with those of the labels."""

    def rank(self, noise: float) -> tuple[float, ...]:
        """Return what makes one better than another, if it is less."""
        misjudges = noise == 0 and self.wrong + self.wrong_in_validation > 0
        return (misjudges, self.bits)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "language": to_dict(self.language),
            "searcher": self.searcher,
            "size": self.size,
        }


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges automata by the words of training and validation."""

    train: Sample
    valid: Sample
    noise: float = 0.0

    def __call__(self, language: Language, searcher: str, size: float = math.inf) -> Hypothesis:
        """Judge an automaton; `size` is that of the rule it was made of, if any, in bits."""
        wrong, wrong_in_validation = (
            count_wrong(language, sample) for sample in (self.train, self.valid)
        )
        count = self.train.num_lines + self.valid.num_lines
        size = min(size, size_in_bits(language))
        bits = size + label_bits(
            wrong + wrong_in_validation, count, len(language.class_names), self.noise
        )
        return Hypothesis(language, searcher, wrong, wrong_in_validation, size, bits)

    def is_likely(self, hypothesis: Hypothesis) -> bool:
        """Return whether an automaton misjudges no more words than wrong labels make it."""
        errors = (hypothesis.wrong, self.train), (hypothesis.wrong_in_validation, self.valid)
        return all(
            wrong <= bound_wrong_labels(self.noise, words.num_lines) for wrong, words in errors
        )

    def excess(self, hypothesis: Hypothesis) -> float:
        """Return how many standard deviations more wrong labels than on average that needs."""
        count = self.train.num_lines + self.valid.num_lines
        deviation = math.sqrt(self.noise * (1 - self.noise) * count)
        wrong = hypothesis.wrong + hypothesis.wrong_in_validation
        return (wrong - self.noise * count) / deviation

    def fits_all(self, hypothesis: Hypothesis) -> bool:
        """Return whether no label may be wrong and an automaton is right on all words."""
        return self.noise == 0 and hypothesis.wrong + hypothesis.wrong_in_validation == 0

    def explains(self, hypothesis: Hypothesis) -> bool:
        """Return whether an automaton misjudges no more words than wrong labels make it, and is
        much shorter than what it says of the labels."""
        return self.is_likely(hypothesis) and self.share(hypothesis) < _COMPRESSED

    def share(self, hypothesis: Hypothesis) -> float:
        """Return the bits of an automaton as a share of those that it saves of the labels, each
        different word counted once."""
        count = self.train.num_lines + self.valid.num_lines
        wrong = hypothesis.wrong + hypothesis.wrong_in_validation
        bits = max(self.train.entropy, self.noise) * count
        bits -= label_bits(wrong, count, self.train.num_classes, self.noise)
        different = (len(self.train) + len(self.valid)) / count
        return hypothesis.size / (different * bits) if bits > 0 else math.inf


def label_bits(wrong: int, count: int, num_classes: int, noise: float) -> float:
    """Return the bits that say which labels an automaton misjudges, and what they are.

    With noise, it is the code for labels with that share of errors; without, the number of
    misjudged words, which of the words they are, and their classes.
    """
    label_choices = wrong * math.log2(max(num_classes - 1, 1))
    if noise > 0:
        return label_choices - wrong * math.log2(noise) - (count - wrong) * math.log2(1 - noise)
    return label_choices + math.log2(count + 1) + log_choices(count, wrong)
