"""The statement: how sure we may be that a function is the one that pairs of words mean.

It is that of labelled words (`inference.statement`), with these differences. A pair is held out as
a whole, and is right if all its output symbols are. The bound is about different inputs. Wrong
outputs are wrong symbols, each independently: the function is refuted if more symbols disagree,
among those held out or among all, than have a probability of a half of 1 - `CONFIDENCE`. It is
better than a shortcut if it writes more right symbols than that in clearly more pairs than it
writes fewer in (a sign test).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lengthwise.inference.distinguish import find_distinguished
from lengthwise.inference.limits import chance_of_at_least, limit_of_different, round_up
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.shortcuts import learn_rules, right_by_rule
from lengthwise.inference.pairs.sides import ask_symbols, question_sample
from lengthwise.inference.pairs.support import FunctionSupport
from lengthwise.inference.statement import (
    CLEARLY,
    CONFIDENCE,
    DOUBTFUL,
    Verdict,
    WordStatement,
)
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.tables import shortest_pairs
from lengthwise.languages.validation import short
from lengthwise.messages import format_count

_TESTS = 2
"""Number of tests; each may refute."""

_HELPS = "Give shorter words too, more pairs, or a larger budget or max_states."


@dataclass(frozen=True, kw_only=True, slots=True)
class PairAgreement:
    """Counts the pairs of a part, and those that the function does not give."""

    words: int
    wrong: int
    symbols: int
    wrong_symbols: int
    shortest_wrong: str
    """The shortest input whose output it does not give."""

    @classmethod
    def of(cls, function: Function, pairs: Paired) -> "PairAgreement":
        """Compare a function with pairs."""
        wrong = pairs.wrong(function)
        rows = np.flatnonzero(wrong.any(axis=1))
        first = rows[pairs.lengths[rows].argmin()] if len(rows) else None
        return cls(
            words=len(pairs),
            wrong=len(rows),
            symbols=int(pairs.lengths.sum()),
            wrong_symbols=int(wrong.sum()),
            shortest_wrong=""
            if first is None
            else function.reader.decode(pairs.inputs[first, : pairs.lengths[first]].tolist()),
        )

    @property
    def right_symbols(self) -> int:
        """Number of output symbols that it gives."""
        return self.symbols - self.wrong_symbols


@dataclass(frozen=True, kw_only=True, slots=True)
class PairStatement(WordStatement):
    """Holds what pairs say of a function; `sentences` writes it."""

    inferred: ClassVar[str] = "F"
    evidence: ClassVar[str] = "pairs"

    size: str
    """Kind and size of the function."""
    label_noise: float
    undecided: int
    """Inputs that are left out, as no output of theirs has the most lines."""
    training: PairAgreement
    validation: PairAgreement
    held_out: PairAgreement
    shortcut: str
    """The shortcut that writes most of the symbols held out, learnt from pairs of training."""
    shortcut_right: int
    """Pairs held out on which it is right."""
    shortcut_right_symbols: int
    beats_shortcut: bool
    """Says whether the function is clearly better on the pairs held out."""
    confidence: float
    wrong_share_below: float
    """With this confidence, the share of different inputs like those held out, each counted once,
    whose output the function does not give."""
    is_constant: bool
    """Says whether it writes one symbol alone."""
    forced: bool | None
    """Says whether no other sequential function of at most as many states gives all outputs; None
    if outputs may be wrong, or it is a bimachine or does not give all of them."""
    unseen: int
    """Parts of the function that no pair of training and validation passes."""

    @property
    def _chance(self) -> float:
        """The least probability that wrong outputs alone make as many symbols disagree."""
        parts = (self.training, self.validation, self.held_out)
        return min(
            chance_of_at_least(
                sum(part.wrong_symbols for part in some),
                sum(part.symbols for part in some),
                self.label_noise,
            )
            for some in (parts[2:], parts)
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict of the pairs about the function."""
        if self.is_constant:
            return "at chance"
        if self._chance < DOUBTFUL and not self.beats_shortcut:
            return "not found"
        if _TESTS * self._chance < 1 - self.confidence:
            return "refuted"
        return "in doubt" if self._chance < DOUBTFUL else ""

    @property
    def headline(self) -> str:
        """The result on the pairs held out, in a few words that lead wherever a run is shown."""
        held, verdict = self.held_out, self.verdict
        right = (
            f"right on {held.words - held.wrong:,} of {format_count(held.words, 'pair')} held out, "
            f"{held.right_symbols:,} of {format_count(held.symbols, 'symbol')} (the best shortcut: "
            f"{self.shortcut_right:,} and {self.shortcut_right_symbols:,})"
        )
        return f"{verdict}: {right}" if verdict else right

    def sentences(self) -> list[str]:
        """Return the statement in sentences; what speaks against the function comes first."""
        held, known = self.held_out, self.training.words + self.validation.words
        agreed = known - self.training.wrong - self.validation.wrong
        lines = [
            *self._against(),
            f"F, a function ({self.size}), agrees with {held.words - held.wrong:,} of "
            f"{format_count(held.words, 'pair')} held out, and with {agreed:,} of the {known:,} "
            f"that it was inferred from and chosen by. Of those held out, the shortcut "
            f"{self.shortcut!r} is right on {self.shortcut_right:,}.",
            f"With confidence {100 * self.confidence:g} %, less than "
            f"{round_up(100 * self.wrong_share_below)} % of different inputs like those held out, "
            f"each counted once however often it is drawn, have another output than F gives "
            f"them{', wrong outputs included' if self.label_noise else ''}; this needs pairs that "
            f"come independently of one another.",
        ]
        if self.undecided:
            lines.append(
                f"{format_count(self.undecided, 'input')} with several outputs and no majority "
                f"{'is' if self.undecided == 1 else 'are'} left out."
            )
        lines += self._describe_forced()
        if self.unseen:
            rest = "is a guess" if self.unseen == 1 else "are guesses"
            lines.append(
                f"No pair passes {format_count(self.unseen, 'part')} of F (a transition or an "
                f"output), which {rest}."
            )
        return lines

    def _against(self) -> list[str]:
        """Return the sentence that refutes the function or doubts it, if there is one."""
        held, verdict = self.held_out, self.verdict
        if not verdict:
            return []
        if verdict == "at chance":
            return [
                f"The function is not found: F writes the same symbol everywhere, so it does not "
                f"say more than which one is the commonest. {_HELPS}"
            ]
        if verdict == "not found":
            return [
                f"The function is not found: F writes {held.right_symbols:,} of "
                f"{format_count(held.symbols, 'symbol')} held out, and the shortcut "
                f"{self.shortcut!r} {self.shortcut_right_symbols:,}. {_HELPS}"
            ]
        wrong = self.training.wrong_symbols + self.validation.wrong_symbols + held.wrong_symbols
        symbols = self.training.symbols + self.validation.symbols + held.symbols
        are = f"{wrong:,} of {format_count(symbols, 'output symbol')} in all are others"
        if not self.label_noise:
            parts = (held, self.training, self.validation)
            word = next(part.shortest_wrong for part in parts if part.wrong)
            return [
                f"F is not the function, or outputs are wrong: {are}, such as in that of "
                f"{short(word)}. Give more pairs, or say how many output symbols may be wrong, "
                f"such as label_noise=0.01."
            ]
        why = f"{are}, where wrong outputs ({100 * self.label_noise:g} %) explain about "
        why += f"{self.label_noise * symbols:,.0f}"
        if verdict == "refuted":
            return [f"F is not the function, or more outputs are wrong than was said: {why}."]
        return [
            f"F may not be the function: {why}; by chance this happens with probability "
            f"{round_up(self._chance)}."
        ]

    def _describe_forced(self) -> list[str]:
        if self.label_noise:
            return ["Since outputs may be wrong, the pairs force no function."]
        if self.training.wrong + self.validation.wrong:
            return []
        if self.forced is None:
            return ["Whether a smaller function gives all these outputs is not known."]
        if self.forced:
            return [
                "The pairs force F: no other sequential function with so few states gives all "
                "outputs of training and validation."
            ]
        return ["The pairs do not force F: another sequential function with so few states may fit."]


def state_pairs(
    function: Function,
    train: Paired,
    valid: Paired,
    held_out: Paired,
    *,
    noise: float = 0.0,
    undecided: int = 0,
) -> PairStatement:
    """Return what pairs say of a function; those held out must have had no influence on it."""
    parts = [PairAgreement.of(function, pairs) for pairs in (train, valid, held_out)]
    rules = learn_rules([train], function.alphabet, function.outputs)
    right = right_by_rule(rules, held_out)
    shortcut = max(right, key=lambda name: int(right[name].sum()))
    by_rule = right[shortcut].sum(axis=1)
    own = held_out.lengths - held_out.wrong(function).sum(axis=1)
    more, fewer = int((own > by_rule).sum()), int((own < by_rule).sum())
    is_exact = noise == 0 and parts[0].wrong + parts[1].wrong == 0
    known = train.join(valid)
    return PairStatement(
        size=function.size,
        label_noise=noise,
        undecided=undecided,
        training=parts[0],
        validation=parts[1],
        held_out=parts[2],
        shortcut=shortcut,
        shortcut_right=int((by_rule == held_out.lengths).sum()),
        shortcut_right_symbols=int(by_rule.sum()),
        beats_shortcut=chance_of_at_least(more, more + fewer, 0.5) < CLEARLY,
        confidence=CONFIDENCE,
        wrong_share_below=limit_of_different(parts[2].wrong, parts[2].words, 1 - CONFIDENCE),
        is_constant=len({y for rows in function.table for row in rows for y in row}) == 1,
        forced=is_forced(function, known) if is_exact and function.is_sequential else None,
        unseen=FunctionSupport.of(function, known).unseen,
    )


def is_forced(function: Function, pairs: Paired) -> bool:
    """Return whether pairs that a sequential function gives force it among those of its size.

    Two beginnings are distinguished by pairs if after both the same symbols follow and the outputs
    of the last one differ; no sequential function that gives these outputs then reads both into one
    state. With that, the condition and the proof are those of `inference.distinguish`: the shortest
    words to the states are pairwise distinguished, each of them with one more symbol is
    distinguished from all but the one that it leads to, and each output is seen.
    """
    sample, _ = question_sample(pairs, ask_symbols(pairs))
    words = [*shortest_pairs(function.left, function.left).values()]  # in the order of states
    count, symbols = len(words), len(function.alphabet)
    longer = [(*word, symbol) for word in words for symbol in range(symbols)]
    apart = find_distinguished(sample, words, [*words, *longer])
    states = np.arange(count)
    same = np.concatenate([states, np.array(function.left).ravel()]) == states[:, None]
    is_seen = np.array(FunctionSupport.of(function, pairs).cells).all()
    return bool((apart | same).all() and is_seen)
