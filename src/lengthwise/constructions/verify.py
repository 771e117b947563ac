"""Verification of constructions against the independent definition, word by word.

The definition of a language is its automaton, run symbol by symbol, and that of a circuit its
gates, one by one. The network is computed in several precisions. The margin of a word is the logit
of its right class minus the largest other one. It is negative where the answer is wrong; at a tie
the first class wins.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.cases import Cases, cases_for, is_wrong
from lengthwise.constructions.construction import Computed
from lengthwise.constructions.defaults import ALL_WORDS, MOST, PRECISIONS
from lengthwise.errors import VerificationError, unknown_name
from lengthwise.evaluation.predict import device_of
from lengthwise.models.causal_recogniser import PrefixRecogniser
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.precision import why_unavailable

Progress = Callable[[int, int], None]

NAN_MARGIN = -torch.finfo(torch.float64).max
"""Margin of NaN logits."""

_SHOWN = 60
"""Number of symbols shown of a wrong word."""


@dataclass(frozen=True, kw_only=True)
class PrecisionResult:
    """Results of a network on the test cases in one precision.

    Where the machine cannot compute in that precision, nothing was tested, and `skipped` says why.
    """

    claimed: bool
    claimed_to: int | None
    """Longest words of the claim; None for every length."""
    words: int
    right_to: int | None
    """Length up to which all tested words are right; None if there is none."""
    first_wrong: int | None
    """Shortest length with a wrong answer."""
    wrong_word: str | None
    """A wrong word of that length."""
    margin: Mapping[int, float]
    """Least margin at each length."""
    is_binary: bool | None
    """True if all vectors were exactly of zeros and ones; None if that is not claimed."""
    is_whole: bool | None
    """True if all vectors consisted of exact integers; None if that is not claimed."""
    holds: bool | None
    """True if the results agree with the claim; None if nothing that was tested is claimed."""
    holds_to: int | None
    """Longest tested words of the claim."""
    skipped: str | None = None
    """Why nothing was tested in this precision; None if something was."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """Test cases and results of a construction, by precision."""

    construction: str
    settings: Mapping[str, Any]
    claim: str
    range: str
    exhaustive_to: int
    """Length up to which all words were tested."""
    longest: int
    is_circuit: bool
    """True if words are inputs of a circuit, all of one length."""
    required_margin: float
    """Margin that is claimed, for words of at least one symbol, in float64 alone."""
    required_margin_in_words: str
    precisions: Mapping[str, PrecisionResult]

    @property
    def holds(self) -> bool | None:
        """True if the claim holds for everything tested; None if nothing tested is claimed."""
        verdicts = {precision.holds for precision in self.precisions.values()} - {None}
        return all(verdicts) if verdicts else None

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values for JSON."""
        return {"holds": self.holds, **asdict(self)}


@torch.no_grad()
def verify_construction(
    construction: Computed,
    *,
    longest: int = 1_000,
    all_words: int = ALL_WORDS,
    words_per_length: int = 32,
    precisions: Sequence[str] = PRECISIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Verification:
    """Test a construction on words of at most `longest` symbols, or on a circuit's inputs.

    A precision in which this machine cannot compute is skipped, with the reason.

    Lengths beyond the exhaustive ones grow by a quarter each; where a precision fails between two
    of them, the first wrong length is found by bisection.

    Raises:
        VerificationError: a precision is unknown, or there is none, or none that this machine can
            compute in; a number is out of range; or there is no word of at most that length.
    """
    least = {"longest": 0, "all_words": 1, "words_per_length": 1, "precisions": 1, "seed": 0}
    arguments = (longest, all_words, words_per_length, len(precisions), seed)
    for (name, bound), value in zip(least.items(), arguments, strict=True):
        if value < bound:
            raise VerificationError(f"{name}: {value} is too small. Give {bound} or more.")
        if value > (most := MOST.get(name, value)):
            raise VerificationError(f"{name}: {value} is too large. Give {most} or less.")
    for name in precisions:
        if name not in PRECISIONS:
            raise unknown_name("precision", name, PRECISIONS, VerificationError)
    cases = cases_for(
        construction.about, all_words=all_words, words_per_length=words_per_length, seed=seed
    )
    lengths = cases.lengths(longest)
    if not lengths:
        raise VerificationError(
            f"{construction.name} has no word of at most {longest} symbols. Ask about longer ones."
        )
    ends = {n for n in construction.range.values() if n is not None and n <= longest}
    lengths = sorted({*lengths, *ends})  # a claim is asked about to its very end
    device = device_of(construction.model)
    skipped = {name: reason for name in precisions if (reason := why_unavailable(name, device))}
    if len(skipped) == len(set(precisions)):
        raise VerificationError(f"{'; '.join(skipped.values())}. Ask for float32.")
    results = {}
    for index, name in enumerate(precisions):
        if name in skipped:
            results[name] = _make_skipped(construction, name, skipped[name])
            continue
        model = copy.deepcopy(construction.model).to(getattr(torch, name)).eval()
        trial = _Asked(cases, model)
        binary = VectorMonitor(model, is_binary) if construction.is_binary else None
        vectors = VectorMonitor(model, is_whole) if construction.is_whole else None
        for done, length in enumerate(lengths):
            trial.ask(length)
            if progress:
                progress(index * len(lengths) + done + 1, len(precisions) * len(lengths))
        trial.narrow()
        results[name] = _judge(construction, name, trial, binary, vectors)
    return Verification(
        construction=construction.name,
        settings=construction.settings,
        claim=construction.claim,
        range=construction.range_in_words(),
        exhaustive_to=min(cases.exhaustive_to, lengths[-1]),
        longest=lengths[-1],
        is_circuit=isinstance(construction.about, GateSequence),
        required_margin=construction.required_margin,
        required_margin_in_words=construction.margin_in_words(),
        precisions=results,
    )


class _Asked:
    """Results of one network, length by length."""

    def __init__(self, cases: Cases, model: nn.Module) -> None:
        self._cases, self._model = cases, model
        self.margin: dict[int, float] = {}
        self.wrong: dict[int, str] = {}
        self.words = 0

    def ask(self, length: int) -> bool:
        """Test a length, and return whether it has cases."""
        words = self._cases.at(length)
        if len(words) == 0:
            return False
        margins = self._cases.margins(self._model, words)
        self.words += len(words)
        self.margin[length] = float(margins.min())
        wrong = is_wrong(margins).nonzero()[:, 0]
        if len(wrong):
            text = self._cases.write(tuple(words[wrong[0]].tolist()))
            self.wrong[length] = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        return True

    def narrow(self) -> None:
        """Bisect between the last right length and the first wrong one."""
        while self.wrong:
            first = min(self.wrong)
            last = max((n for n in self.margin if n < first), default=first)
            if first - last <= 1:
                return
            middle = (first + last) // 2
            between = sorted(range(last + 1, first), key=lambda n: abs(n - middle))
            if not any(self.ask(n) for n in between):  # up to the first that has words
                return


class VectorMonitor:
    """Monitor of a network's vectors: whether all that were computed are `such`.

    They are the embeddings, and what each layer returns; of a RegularGPT what its block does.
    """

    def __init__(self, model: nn.Module, such: Callable[[Tensor], bool]) -> None:
        self._such = such
        layers: Sequence[nn.Module]
        if isinstance(model, RegularGPT):
            symbols = torch.arange(model.config.vocab_size, device=model.pad.device)
            self.holds = such(model.leaf(symbols)) and such(model.pad)
            layers = model.block[-1:]
        else:
            assert isinstance(model, PrefixRecogniser)
            self.holds = such(model.embedding.weight)
            layers = model.block
        for layer in layers:
            layer.register_forward_hook(self._look)

    def _look(self, layer: nn.Module, inputs: object, vectors: Tensor) -> None:
        self.holds = self.holds and self._such(vectors)


def is_binary(values: Tensor) -> bool:
    """Return whether all numbers are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def is_whole(values: Tensor) -> bool:
    """Return whether all numbers are finite and whole."""
    return bool((values.isfinite() & (values == values.round())).all())


def _judge(
    construction: Computed,
    precision: str,
    trial: _Asked,
    binary: VectorMonitor | None,
    vectors: VectorMonitor | None,
) -> PrecisionResult:
    claimed = precision in construction.range
    claimed_to = construction.range.get(precision)
    first = min(trial.wrong, default=None)
    right = [n for n in trial.margin if first is None or n < first]
    inside = [n for n in trial.margin if claimed_to is None or n <= claimed_to]
    monitors = [monitor for monitor in (binary, vectors) if monitor is not None]
    holds = not any(n in trial.wrong for n in inside) and all(monitor.holds for monitor in monitors)
    if precision == "float64":
        needed = construction.required_margin * (1 - 1e-9)
        holds = holds and all(trial.margin[n] >= needed for n in inside if n > 0)
    return PrecisionResult(
        claimed=claimed,
        claimed_to=claimed_to,
        words=trial.words,
        right_to=max(right, default=None),
        first_wrong=first,
        wrong_word=None if first is None else trial.wrong[first],
        margin={n: _number(trial.margin[n]) for n in sorted(trial.margin)},
        is_binary=None if binary is None else binary.holds,
        is_whole=None if vectors is None else vectors.holds,
        holds=holds if claimed and inside else None,
        holds_to=max(inside) if claimed and inside else None,
    )


def _make_skipped(construction: Computed, precision: str, reason: str) -> PrecisionResult:
    return PrecisionResult(
        claimed=precision in construction.range,
        claimed_to=construction.range.get(precision),
        words=0,
        right_to=None,
        first_wrong=None,
        wrong_word=None,
        margin={},
        is_binary=None,
        is_whole=None,
        holds=None,
        holds_to=None,
        skipped=reason,
    )


def _number(margin: float) -> float:
    """Return the margin, or the least float for NaN logits, since JSON has no infinity.

    The margin is infinite if there is only one class.
    """
    if math.isfinite(margin):
        return margin
    return -NAN_MARGIN if margin > 0 else NAN_MARGIN
