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

    @property
    def all_wrong(self) -> int:
        """Return how many words of training and validation it misjudges, counted as in each."""
        return self.wrong + self.wrong_in_validation

    def rank(self, noise: float) -> tuple[float, ...]:
        """Return what makes one better than another, if it is less."""
        return (noise == 0 and self.all_wrong > 0, self.bits)

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

    @property
    def num_lines(self) -> int:
        """Return how often the words were seen."""
        return self.train.num_lines + self.valid.num_lines

    def __call__(self, language: Language, searcher: str, size: float = math.inf) -> Hypothesis:
        """Judge an automaton; `size` is that of the rule it was made of, if any, in bits."""
        wrong, wrong_in_validation = (
            count_wrong(language, sample) for sample in (self.train, self.valid)
        )
        size, all_wrong = min(size, size_in_bits(language)), wrong + wrong_in_validation
        bits = size + label_bits(all_wrong, self.num_lines, len(language.class_names), self.noise)
        return Hypothesis(language, searcher, wrong, wrong_in_validation, size, bits)

    def is_likely(self, hypothesis: Hypothesis) -> bool:
        """Return whether an automaton misjudges no more words than wrong labels make it."""
        errors = (hypothesis.wrong, self.train), (hypothesis.wrong_in_validation, self.valid)
        return all(
            wrong <= bound_wrong_labels(self.noise, words.num_lines) for wrong, words in errors
        )

    def excess(self, hypothesis: Hypothesis) -> float:
        """Return by how many standard deviations an automaton misjudges more words than labels are
        wrong on average; labels may be wrong."""
        deviation = math.sqrt(self.noise * (1 - self.noise) * self.num_lines)
        return (hypothesis.all_wrong - self.noise * self.num_lines) / deviation

    def fits_all(self, hypothesis: Hypothesis) -> bool:
        """Return whether no label may be wrong and an automaton is right on all words."""
        return self.noise == 0 and hypothesis.all_wrong == 0

    def explains(self, hypothesis: Hypothesis) -> bool:
        """Return whether an automaton misjudges no more words than wrong labels make it, and takes
        far fewer bits than it saves of the labels."""
        return self.is_likely(hypothesis) and self.share(hypothesis) < _COMPRESSED

    def share(self, hypothesis: Hypothesis) -> float:
        """Return the bits of an automaton as a share of those that it saves of the labels, each
        different word counted once."""
        bits = self.train.entropy * self.num_lines
        bits -= label_bits(hypothesis.all_wrong, self.num_lines, self.train.num_classes, self.noise)
        different = (len(self.train) + len(self.valid)) / self.num_lines
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
