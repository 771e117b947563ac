"""Evaluation of a recogniser: fresh words of every length are classified and scored."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.errors import ConfigError, TaskError
from lengthwise.evaluation.scores import Score, Scores
from lengthwise.languages.language import Language
from lengthwise.layers.right_aligned import unusual
from lengthwise.messages import format_count
from lengthwise.precision import require_usable
from lengthwise.tasks.task import MOST_AT_ONE_LENGTH, Task

MOST_SYMBOLS = 1_000_000
"""Greatest number of positions of one batch, so that memory stays bounded whatever the lengths."""


class Recogniser(Protocol):
    """Maps right-aligned tokens and the lengths of the words to logits of their classes.

    A word takes the last positions of its row. The positions left of it hold `PAD` (-1) here;
    models of the package treat whatever is there as absent, and give the same logits bit for bit.
    Without `lengths` they take all words to fill their rows. They refuse a token of a word that is
    not a symbol.

    The answer is the result of `answer_of` for the logits as the model returns them, in their own
    precision.
    """

    def __call__(
        self, tokens: Int[Tensor, "word place"], lengths: Int[Tensor, " word"]
    ) -> Float[Tensor, "word class"]:
        """Return the logits."""
        ...


@runtime_checkable
class Bounded(Protocol):
    """A recogniser that can classify a limited number of words at once.

    The limit falls with the length of the words.
    """

    def words_at_once(self, time: int) -> int | None:
        """Return how many rows of `time` positions fit into one batch; None for any number."""
        ...


def answer_of(logits: Float[Tensor, "*axes class"]) -> Int[Tensor, "*axes"]:
    """Return the answers: the class of the largest logit, and the first of equal ones.

    Certificates are about this answer, so logits must stay as the model computed them:
    probabilities, or logits in fewer bits, may be equal where logits are not.
    """
    return logits.argmax(dim=-1)


@torch.no_grad()
def answers(
    model: Recogniser, tokens: Int[Tensor, "word place"], lengths: Int[Tensor, " word"]
) -> Float[Tensor, "word class"]:
    """Return the logits of a batch, computed in as many parts as the model requires.

    A model gets copies, which it may change in place.

    Raises:
        ConfigError: the model returns something other than logits, or has weights in a precision
            that cannot be used on their device.
    """
    require_usable(model)
    at_once = model.words_at_once(tokens.shape[1]) if isinstance(model, Bounded) else None
    if at_once is None or at_once >= len(tokens):
        return _require_logits(model(tokens.clone(), lengths.clone()), tokens)
    parts = zip(torch.split(tokens, at_once), torch.split(lengths, at_once), strict=True)
    return torch.cat(
        [
            _require_logits(model(part_tokens.clone(), part_lengths.clone()), part_tokens)
            for part_tokens, part_lengths in parts
        ]
    )


def _require_logits(output: Any, tokens: Tensor) -> Tensor:
    """Return the output of a model, if it can be the logits of these words."""
    if not isinstance(output, Tensor):
        description = "None" if output is None else f"a {type(output).__name__}"
    elif output.ndim != 2 or len(output) != len(tokens) or output.shape[1] < 1:
        description = f"numbers of shape {list(output.shape)}"
    elif not output.is_floating_point():
        description = f"numbers of type {str(output.dtype).removeprefix('torch.')}"
    elif kind := unusual(output, tokens):
        description = f"a tensor that is {kind}"
    else:
        return output
    raise ConfigError(
        f"the model gave {description} for a batch of {format_count(len(tokens), 'word')}; it "
        f"must give logits [word, class], a tensor of floating-point numbers."
    )


def require_numbers(logits: Float[Tensor, "word class"]) -> None:
    """Refuse logits with a NaN, or whose largest is infinite; others may be -infinity.

    Raises:
        ConfigError: those of some word are.
    """
    if len(logits) and (bad := int((~torch.isfinite(logits.amax(1))).sum())):
        raise ConfigError(
            f"the model gave logits that are not finite for {format_count(bad, 'word')} of "
            f"{len(logits):,}: its weights are damaged, or training diverged. Train or compile "
            f"again."
        )


def require_classes(logits: Float[Tensor, "word class"], language: Language, name: str) -> None:
    """Refuse logits of another number of classes than the language has, or that are not numbers.

    Raises:
        ConfigError: there is another number of classes, or see `require_numbers`.
    """
    require_numbers(logits)
    if logits.shape[1] != language.num_classes:
        raise ConfigError(
            f"the model gave logits of {logits.shape[1]} classes, but {name} has "
            f"{language.num_classes}. Give a model of that language."
        )


def evaluate_words(
    model: Recogniser,
    task: Task,
    lengths: Sequence[int],
    *,
    name: str = "model",
    words_per_length: int = 512,
    seed: int = 0,
    device: torch.device | str = "cpu",
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Return accuracy and loss by length and class, on words drawn with a separate seed.

    Lengths at which the task has no word are excluded and listed in `Scores.missing`.
    `progress(done, all)` is called with numbers of words.

    Raises:
        TaskError: none of the lengths has a word, or there would be too many symbols at once.
        ConfigError: the model returns something other than logits of the task's classes.
    """
    from lengthwise.evaluation.shortcuts import (  # noqa: PLC0415  not in training
        shortcuts_beside,
        spread_lengths,
    )

    if not lengths or words_per_length < 1:
        raise TaskError("an evaluation needs at least one length and one word of each.")
    if max(lengths) * words_per_length > MOST_AT_ONE_LENGTH:
        raise TaskError(
            f"{words_per_length} words of {max(lengths)} symbols are more than "
            f"{MOST_AT_ONE_LENGTH:,} symbols at once. Ask for shorter or fewer words."
        )
    drawable = [n for n in sorted(set(lengths)) if task.classes_at(n)]
    if not drawable:
        raise TaskError(
            f"{task.id} has no word of the lengths {min(lengths)}..{max(lengths)}. Use others."
        )
    missing = tuple(sorted(set(lengths) - set(drawable)))
    generator = torch.Generator().manual_seed(seed)
    records: list[Score] = []
    done = 0
    for group in neighbours(drawable, words_per_length):
        classes = torch.tensor(drawable[group]).repeat_interleave(words_per_length)
        batch = task.draw(classes, generator)
        logits = answers(model, send(batch.tokens, device), send(batch.lengths, device)).cpu()
        require_classes(logits, task.language, task.id)
        names = task.language.class_names
        records.extend(
            scores_of(logits, batch.lengths, batch.classes, names, task=task.id, model=name)
        )
        done += len(classes)
        if progress:
            progress(done, len(drawable) * words_per_length)
    rules = partial(shortcuts_beside, task, spread_lengths(drawable), words_per_length, seed)
    return Scores(tuple(records), missing, rules)


def neighbours(lengths: Sequence[int], words_each: int = 1) -> Iterator[slice]:
    """Yield slices of increasing lengths that fit into one batch together; at least one each."""
    first = 0
    for index, length in enumerate(lengths):
        if index > first and (index - first + 1) * words_each * length > MOST_SYMBOLS:
            yield slice(first, index)
            first = index
    if lengths:
        yield slice(first, len(lengths))


def scores_of(
    logits: Float[Tensor, "word class"],
    word_lengths: Int[Tensor, " word"],
    classes: Int[Tensor, " word"],
    class_names: Sequence[str],
    *,
    task: str,
    model: str,
) -> Iterator[Score]:
    """Yield the score of the words of each length and class; `task` and `model` name them."""
    num_classes = len(class_names)
    right = (answer_of(logits) == classes).double()
    loss = F.cross_entropy(logits.double(), classes, reduction="none")
    lengths, row = torch.unique(word_lengths, return_inverse=True)
    cell = row * num_classes + classes

    def add_up(values: Tensor) -> list[list[float]]:
        sums = torch.zeros(len(lengths) * num_classes, dtype=torch.double)
        rows: list[list[float]] = sums.index_add(0, cell, values).view(-1, num_classes).tolist()
        return rows

    totals, correct, losses = add_up(torch.ones_like(right)), add_up(right), add_up(loss)
    for index, length in enumerate(lengths.tolist()):
        for c in range(num_classes):
            total = int(totals[index][c])
            if total:
                yield Score(
                    task=task,
                    model=model,
                    length=length,
                    label=class_names[c],
                    correct=int(correct[index][c]),
                    total=total,
                    loss=losses[index][c] / total,
                )
