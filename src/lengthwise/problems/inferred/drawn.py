"""Words that are drawn from a language, of which a learner is told the labels alone."""

from dataclasses import dataclass

import torch

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.errors import TaskError, TextError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.problems.inferred.settings import DrawnWordsConfig
from lengthwise.tasks.task import Task


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnWords:
    """Labelled words of a language, drawn from a seed, with the digest that they must have."""

    spec: str
    """Specification of the language, which draws and labels the words and says nothing else."""
    config: DrawnWordsConfig
    digest: str
    alphabet: tuple[str, ...]
    class_names: tuple[str, ...]

    @classmethod
    def of(cls, spec: str, config: DrawnWordsConfig) -> "DrawnWords":
        """Return the reference to the words that a language gives."""
        words = drawn(parse(spec), config)
        return cls(
            spec=spec,
            config=config,
            digest=words.digest,
            alphabet=words.alphabet,
            class_names=words.class_names,
        )

    @property
    def shown(self) -> str:
        """The language and the number of words."""
        return self.spec

    def load(self, moved: object = None) -> LabelledWords:
        """Draw the words again.

        Raises:
            TextError: they are others, since the language or the generator has changed.
        """
        words = drawn(parse(self.spec), self.config)
        if words.digest != self.digest:
            raise TextError(
                f"{self.spec} gives other words now than when the run was made. Train again in a "
                f"new folder."
            )
        return words


def drawn(language: Language, config: DrawnWordsConfig) -> LabelledWords:
    """Return words of uniform lengths, the empty word among them if the protocol has it.

    Raises:
        TaskError: the language has no words of these lengths, or all have one class.
    """
    task = Task(language=language, protocol=config.protocol)
    first = 0 if config.protocol == "audited" else 1
    lengths = torch.tensor(task.lengths(first, max(first, config.max_length)))
    if not len(lengths):
        raise TaskError(
            f"{language.spec} has no words of at most {config.max_length} symbols. Raise "
            f"max_length."
        )
    generator = torch.Generator().manual_seed(config.words_seed)
    chosen = lengths[torch.randint(len(lengths), (config.num_words,), generator=generator)]
    batch = task.draw(chosen, generator)
    classes = batch.classes.tolist()
    if len(set(classes)) < 2:
        raise TaskError(
            f"all {config.num_words} words of {language.spec} have one class, so there is nothing "
            f"to learn. Raise num_words."
        )
    words = [
        row[len(row) - length :]
        for row, length in zip(batch.tokens.tolist(), batch.lengths.tolist(), strict=True)
    ]
    return LabelledWords.of(words, classes, language.alphabet, language.class_names)
