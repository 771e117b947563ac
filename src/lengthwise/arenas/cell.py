"""The test of one cell of the arena: a trained network is examined, and asked words by their kind.

The kinds of words are those of MLRegTest (van der Poel et al. 2024): *random* words are uniform
among those of a class; *adversarial* words come in pairs of two classes that one edit tells apart.
*Short* words are of lengths of training, and *long* ones up to twice as long.
"""

import time
from typing import Any, NamedTuple, cast

import torch
from torch import Generator, Tensor

from lengthwise.errors import TaskError
from lengthwise.evaluation.evaluate import answer_of, answers
from lengthwise.evaluation.predict import device_of
from lengthwise.examination.examine import examine
from lengthwise.examination.record import Examination
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short
from lengthwise.problems.base import Run
from lengthwise.problems.capabilities import Proving
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.tasks.audited_draws import one_edit_into, other_classes
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.balance import draw_balanced_classes
from lengthwise.tasks.task import Task

LONG = 10_000
"""Length of the words far beyond training; where a language has none, it is one of the next."""

_NEXT = 6
"""Number of lengths from `LONG` on, one of which has words."""

_OF_A_KIND = 256
"""Words of each kind."""

_FAR, _FAR_AS_A_WHOLE = 16, 4
"""Words of the length `LONG`, where a network reads symbol by symbol and where it does not."""


def examine_run(run: Run, test: Test, *, budget: float) -> TestResult:
    """Examine the network of a run, and return what the arena keeps.

    `budget` is in seconds of the processor: where other programs take it, the examination lasts
    longer, as words are asked before it slower than the processor's own time says.

    Raises:
        LengthwiseError: the network cannot be examined.
    """
    plan = run.require_plan()
    most = plan.network.reads_at_most
    began, used = time.perf_counter(), time.thread_time()
    kinds = _ask_kinds(run, most, test.seed)
    shared = (time.perf_counter() - began) / max(time.thread_time() - used, 1e-3)
    found = examine(
        run,
        budget=budget * max(1.0, shared),
        lengths=[length for length in test.lengths if most is None or length <= most],
        longest=most,
        words_per_length=test.words_per_length,
        rounds=0,  # the network as it was trained
        seed=test.seed,
    )
    far = None
    if most is None or most >= LONG:
        far = _ask_far(run, test.seed, reads_symbols=found.reads_symbols)
    summary = _summary(found)
    lengths = (summary["wrong_length"], *(asked.wrong for asked in kinds.values()))
    wrong = [length for length in lengths if length is not None]
    more = {
        "wrong_length": min(wrong, default=None),
        "kinds": {kind: [asked.right, asked.total] for kind, asked in kinds.items()},
        "far": None if far is None else [LONG, far.right, far.total],
        "seconds": round(time.thread_time() - used, 1),
    }
    return TestResult.of_scores(test, found.scores, {**summary, **more})


def _symbols_of(run: Run) -> Language:
    return cast("Proving", run.require_plan().problem).symbols


class Tally(NamedTuple):
    """The result of asking a network some words."""

    right: int
    total: int
    wrong: int | None
    """Length of the shortest word that is wrong."""


def _ask_kinds(run: Run, most: int | None, seed: int) -> dict[str, Tally]:
    """Ask the network words of each kind, of lengths that it reads."""
    trained = run.require_plan().data.max_length
    ranges = {"short": (1, trained), "long": (trained + 1, 2 * trained)}
    return {
        f"{name} {'adversarial' if is_adversarial else 'random'}": _ask_kind(
            run, first, last, is_adversarial, seed
        )
        for name, (first, last) in ranges.items()
        if most is None or last <= most
        for is_adversarial in (False, True)
    }


def _summary(found: Examination) -> dict[str, Any]:
    """Return what is kept of an examination beside its scores."""
    search, snapping = found.search, found.snapping
    word = None if search.word is None else found.language.decode(search.word)
    return {
        "protocol": "audited",
        "raw": found.raw,
        "is_proved": found.is_proved,
        "wrong_length": None if search.word is None else len(search.word),
        "wrong_word": None if word is None else short(word),
        "is_shortest": search.is_shortest,
        "all_words_right_to": search.right_to,
        "reads_symbols": found.reads_symbols,
        "verdict": None if snapping is None else snapping.verdict,
        "snapped": found.verdict,
        "representatives": None if snapping is None else snapping.representatives,
        "agreement": None if found.agreeing is None else found.agreeing / found.total,
        "snapped_wrong_length": None
        if snapping is None or snapping.wrong is None
        else len(snapping.wrong),
        "shortcuts": found.shortcuts,
        "not_tested": found.stopped,
    }


def _ask_far(run: Run, seed: int, *, reads_symbols: bool) -> Tally | None:
    """Ask the network words of a length near `LONG`.

    Where the audited words of the language are too many to count, they are uniform. None: the
    language has no such word.
    """
    task = Task(language=_symbols_of(run))
    length = next((n for n in range(LONG, LONG + _NEXT) if task.classes_at(n)), None)
    if length is None:
        return None
    count = _FAR if reads_symbols else _FAR_AS_A_WHOLE
    generator = torch.Generator().manual_seed(seed)
    try:
        batch = task.draw(torch.full((count,), length), generator)
    except TaskError:
        batch = task.draw_uniform(count, length, generator)
    # networks that are not recurrences may need memory as the square of the length
    return _ask(run, batch.tokens, batch.lengths, batch.classes, count if reads_symbols else 1)


def _ask_kind(run: Run, first: int, last: int, is_adversarial: bool, seed: int) -> Tally:
    """Ask the network words of one kind, if the language has any."""
    task = Task(language=_symbols_of(run))
    lengths = task.lengths(first, last)
    if not lengths:
        return Tally(0, 0, None)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.tensor(lengths)[torch.randint(len(lengths), (_OF_A_KIND,), generator=generator)]
    tokens, classes = draw_kind(task, drawn, is_adversarial=is_adversarial, generator=generator)
    if not len(tokens):
        return Tally(0, 0, None)
    return _ask(run, tokens, (tokens != PAD).sum(dim=1), classes, len(classes))


def _ask(run: Run, tokens: Tensor, lengths: Tensor, classes: Tensor, at_once: int) -> Tally:
    """Ask the network words, some at once."""
    device = device_of(run.model)
    parts = zip(torch.split(tokens, at_once), torch.split(lengths, at_once), strict=True)
    given = [answer_of(answers(run.model, t.to(device), n.to(device))).cpu() for t, n in parts]
    is_right = torch.cat(given) == classes
    wrong = lengths[~is_right]
    return Tally(int(is_right.sum()), len(classes), int(wrong.min()) if len(wrong) else None)


def draw_kind(
    task: Task, lengths: Tensor, *, is_adversarial: bool, generator: Generator
) -> tuple[Tensor, Tensor]:
    """Draw words of the given lengths and return them with their classes, equally often.

    Adversarial ones are the words that one edit brings into another class, and those they came
    from, as many as there are.
    """
    sampler = task.sampler
    classes = draw_balanced_classes(sampler, lengths, generator)
    tokens = sampler.draw(classes, lengths, generator)
    if not is_adversarial:
        return tokens, classes
    others = other_classes(sampler, classes, lengths, generator)
    edited, is_edited = one_edit_into(sampler.automaton, tokens, others, generator)
    is_pair = is_edited & (others != classes)
    return (
        torch.cat([tokens[is_pair], edited[is_pair]]),
        torch.cat([classes[is_pair], others[is_pair]]),
    )
