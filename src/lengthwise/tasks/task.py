"""Recognition tasks: the words of a language, and the class of each.

A task is a language together with a way to draw its words:

- `published`: as the authors of RegularGPT drew them, to reproduce their numbers;
- `audited`: all classes at every length, near misses among them, so that shortcuts pay less.

Axes:
    word  words of a batch
    time  places of a batch; words are at the right end, with `PAD` left of them
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.errors import TaskError, unknown_name
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import machine_name
from lengthwise.languages.spec import may_change
from lengthwise.messages import format_count, shorten
from lengthwise.tasks.audited_draws import draw_audited
from lengthwise.tasks.sampling import UniformSampler

if TYPE_CHECKING:
    from lengthwise.tasks.published_draws import Draw

PROTOCOLS = ("published", "audited")

MOST_AT_ONE_LENGTH = 2**29
"""Greatest number of symbols of the words of one length; more would exceed any memory."""

_LONGEST = 100
"""Characters of a specification that a title shows."""

VERSION = 1
"""Rises when a task's name comes to mean other words or other classes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Words, right-aligned, with their lengths and classes."""

    tokens: Int[Tensor, "word time"]
    lengths: Int[Tensor, " word"]
    classes: Int[Tensor, " word"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A language, and how its words are drawn.

    `p_one` is P(1) of the published words of Parity; no other task has one.

    Raises:
        TaskError: the protocol is unknown, or has no words of this language; or `p_one` does not
            fit.
    """

    language: Language
    protocol: str = "audited"
    """One of `PROTOCOLS`."""

    p_one: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.language, Language):
            raise TaskError(
                f"a task is about a Language, but got {self.language!r:.40}. Use lw.language(...)."
            )
        if self.protocol not in PROTOCOLS:
            raise unknown_name("protocol", self.protocol, PROTOCOLS, TaskError)
        if not 0 < self.p_one < 1:
            raise TaskError(f"p_one={self.p_one} is a probability. Use one between 0 and 1.")
        if self.p_one != 0.5 and (self.protocol, self.language.spec) != ("published", "parity"):
            raise TaskError(
                f"p_one={self.p_one}, but only the published words of parity have a P(1). "
                f"Leave it at 0.5."
            )
        if self.protocol == "published":
            _find_draw(self.language)

    @property
    def id(self) -> str:
        """A name that never changes meaning, such as `parity@1`.

        A language without a line, or whose line names a file or a module, which may change, is
        named by its machine: `machine-` and twelve hex digits.
        """
        name = self.language.spec
        if not name or may_change(name):
            name = machine_name(self.language)
        return f"{name}@{VERSION}"

    @property
    def title(self) -> str:
        """The name for people: that of a machine with the line of its language, or its size.

        >>> Task(language=Language(alphabet=("a",), transitions=((0,),), classes=(1,))).title
        'machine-9a70c87df9a1@1 (1 state over a)'
        """
        language = self.language
        if self.id == f"{language.spec}@{VERSION}":
            return f"{shorten(language.spec, _LONGEST)}@{VERSION}"
        states = format_count(language.num_states, "state")
        size = f"{states} over {list_symbols(language.alphabet, 8)}"
        return f"{self.id} ({shorten(language.spec, _LONGEST) or size})"

    @cached_property
    def sampler(self) -> UniformSampler:
        """Uniform words of the language; its tables grow with use."""
        return UniformSampler(self.language)

    def lengths(self, first: int, last: int) -> tuple[int, ...]:
        """Return the lengths from `first` to `last` that have words."""
        return self._lengths_where(first, last, bool)

    def missing(self, first: int, last: int) -> tuple[int, ...]:
        """Return the lengths from `first` to `last` without any word."""
        return self._lengths_where(first, last, lambda classes: not classes)

    def classes_at(self, length: int) -> tuple[int, ...]:
        """Return the classes that have a word of this length."""
        return self.sampler.classes_at(length)

    def require_room(self, length: int) -> None:
        """Refuse a longest length whose words need too much memory to draw.

        Cheap, so that it can be called before anything is written.

        Raises:
            TaskError: the words need too many counts; see `UniformSampler.require_room`.
        """
        if self.protocol == "audited" or _is_counted(self._published):
            self.sampler.require_room(length)

    def draw(self, lengths: Int[Tensor, " word"], generator: torch.Generator) -> Batch:
        """Draw one word for each length.

        Raises:
            TaskError: there is no word of a length, or there are too many counts to keep.
        """
        self.sampler.require_words(lengths)
        if self.protocol == "audited":
            tokens, classes = draw_audited(self.sampler, lengths, generator)
        else:
            tokens = self._published(self.sampler, lengths, generator)
            classes = self.sampler.automaton.classify(tokens)
        return Batch(tokens=tokens, lengths=lengths, classes=classes)

    def draw_uniform(
        self, count: int, length: int, generator: torch.Generator, c: int | None = None
    ) -> Batch:
        """Draw words of one length, uniform among those of class `c`, or among all.

        Raises:
            TaskError: there is no such word, or there are too many counts to keep.
        """
        _require_few(count, length)
        lengths = torch.full((count,), length)
        if c is None:
            tokens = self.sampler.draw_any(lengths, generator)
            classes = self.sampler.automaton.classify(tokens)
        else:
            classes = torch.full((count,), c)
            tokens = self.sampler.draw(classes, lengths, generator)
        return Batch(tokens=tokens, lengths=lengths, classes=classes)

    def draw_mixed(self, count: int, longest: int, generator: torch.Generator) -> Batch:
        """Draw words whose lengths are uniform among those up to `longest` that have words.

        Raises:
            TaskError: there is no such word, or there are too many counts to keep.
        """
        _require_few(count, longest)
        lengths = torch.tensor(self.lengths(0, longest))
        if not len(lengths):
            raise TaskError(
                f"{self.title} has no words of at most {longest} symbols. Ask for longer ones."
            )
        return self.draw(
            lengths[torch.randint(len(lengths), (count,), generator=generator)], generator
        )

    @cached_property
    def _published(self) -> "Draw":
        return _find_draw(self.language, self.p_one)

    def _lengths_where(
        self, first: int, last: int, fits: Callable[[tuple[int, ...]], bool]
    ) -> tuple[int, ...]:
        if not 0 <= first <= last:
            raise TaskError(f"lengths {first}..{last} are not a range. Use 0 <= first <= last.")
        return tuple(n for n in range(first, last + 1) if fits(self.classes_at(n)))


def _require_few(count: int, length: int) -> None:
    if count * max(length, 1) > MOST_AT_ONE_LENGTH:
        raise TaskError(
            f"{count} words of {length} symbols are more than {MOST_AT_ONE_LENGTH:,} symbols at "
            f"once. Ask for shorter or fewer words."
        )


def _find_draw(language: Language, p_one: float = 0.5) -> "Draw":
    from lengthwise.tasks.published_draws import find_published_draw  # noqa: PLC0415  of that protocol alone

    return find_published_draw(language, p_one)


def _is_counted(draw: "Draw") -> bool:
    from lengthwise.tasks.published_draws import is_counted  # noqa: PLC0415  of that protocol alone

    return is_counted(draw)


def default_protocol(language: Language, *, binary: bool) -> str:
    """Return `audited` for models with binary memory; else the paper's words, if it has any."""
    if binary:
        return "audited"
    from lengthwise.tasks.published_draws import has_published  # noqa: PLC0415  of that protocol alone

    return "published" if has_published(language) else "audited"
