"""`lw.examine`: where a network breaks, what it computes, and what is right for ever."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from lengthwise.arguments import number, require_integer, require_text
from lengthwise.deadline import until
from lengthwise.errors import (
    ConfigError,
    LengthwiseError,
    OutOfTimeError,
    VerificationError,
    unknown_name,
)
from lengthwise.evaluation.shortcuts import shortcuts_beside
from lengthwise.examination.by_length import choose_lengths, measure_drift, score_by_length
from lengthwise.examination.record import Examination, ExaminedAutomaton
from lengthwise.examination.retraining import Retrained, retrain
from lengthwise.examination.wrong_words import (
    Asker,
    Search,
    follow,
    repeated_words,
    shorten_word,
    try_all,
    try_words,
)
from lengthwise.languages.language import Language
from lengthwise.models.custom_network import require_steady_if_own, unwrap, with_lengths
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.stepping import Steps, steps_of
from lengthwise.problems.base import Run
from lengthwise.problems.resolve import Model, fitting_language, list_lengths, module_of, run_of
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.extracted_automaton import extract_automaton
from lengthwise.proofs.search.integrity import PROVABLE
from lengthwise.proofs.search.learning_by_tests import learn_by_tests
from lengthwise.proofs.search.state_snapping import (
    VALIDATION_LENGTH,
    Choice,
    StateSnapping,
    draw_validation,
    snap_states,
)
from lengthwise.status_lines import report_silence
from lengthwise.tasks.task import Task

_LONGEST, _LONGEST_AS_A_WHOLE = 100_000, 2_000
"""Greatest length of a word, where a network is read symbol by symbol and where it is not."""

_FOLLOWED = 10_000
"""Greatest length to which states are followed."""

_ENUMERATED = 2**17
"""Most words of the search of all words."""

_SHARES = {
    "exhaustive": 0.1,
    "snapping": 0.35,
    "retraining": 0.5,
    "test": 0.8,
    "guided": 0.95,
    "shorter": 1.0,
}
"""Share of the budget that is spent when each part ends; time that a part leaves is for others."""

_LEAST = 0.25
"""Share of the budget that snapping has at least, however long the parts before it took."""


@report_silence("examining")
def examine(
    model: Model,
    language: Language | str | None = None,
    *,
    budget: float = 60.0,
    lengths: Sequence[int] | None = None,
    longest: int | None = None,
    words_per_length: int = 128,
    choose: Choice = "proof",
    rounds: int = 2,
    validation_length: int | None = None,
    seed: int = 0,
) -> Examination:
    """Find where a network breaks, the automaton it computes, and whether that is right for ever.

    Args:
        model: a run, a construction, or a network alone, whose forward takes tokens, or which has
            the methods `start` and `step` (see `lengthwise.models.stepping`).
        language: a network alone needs one.
        budget: seconds that the searches may take in all.
        lengths: lengths of the words of the test: a few short ones, 41 to 500 and then up to
            100,000 as far as the budget goes, unless they are given.
        longest: greatest length of a word of the test and of the search along states.
        words_per_length: number of words of each length; of long words fewer.
        choose: the level at which states are snapped is the first that is right on the validation
            words and whose snapped network is proved right (`proof`), or the first that is right on
            these words (`validation`).
        rounds: if the snapped network is not proved, a copy of the network is trained on the word
            on which it is wrong, and snapped again, this many times at most.
        validation_length: greatest length of validation words; that of training, or 40.
        seed: of all random words.

    Returns:
        `print` shows what was found, `.to_dict()` has the numbers, `.save("page.html")` writes a
        page, and `.snapped` is the snapped network. A network that is right on everything that was
        tried is not called right: only a certificate says that.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.examine(lw.load("zoo:parity"), budget=60, longest=50)
        >>> found.is_proved, found.search.word, found.automaton.machine.num_states
        (True, None, 2)

    Raises:
        ConfigError: the network was made for other symbols or classes, its logits are not finite,
            or an option is out of range.
        VerificationError: its step is not a function of state and symbol, its state grows, or a
            state is not finite.
        LanguageError: a network is given alone.
    """
    budget = number("budget", budget, 60.0)
    if budget <= 0:
        raise ConfigError(f"budget is a number of seconds above 0, but it is {budget}. Try 60.")
    if require_text("choose", choose, "proof") not in ("proof", "validation"):
        raise unknown_name("choice", choose, ["proof", "validation"])
    seed = require_integer("seed", seed)
    words_per_length = require_integer("words_per_length", words_per_length, 1)
    rounds = require_integer("rounds", rounds)
    chosen = fitting_language(model, language)
    recogniser = with_lengths(module_of(model))
    if validation_length is None:
        data = getattr(getattr(run_of(model), "plan", None), "data", None)
        validation_length = getattr(data, "max_length", VALIDATION_LENGTH)
    validation_length = require_integer("validation_length", validation_length, 1)
    if longest is not None:
        longest = require_integer("longest", longest, 1)
    with in_eval_mode(recogniser), torch.no_grad():
        return _Examiner(recogniser, chosen, budget, seed, run_of(model)).examine(
            lengths=None if lengths is None else list_lengths(lengths),
            longest=longest,
            words_per_length=words_per_length,
            choose=choose,
            rounds=rounds,
            validation_length=validation_length,
        )


class _Examiner:
    """The parts of one examination, which share a budget."""

    def __init__(
        self, model: nn.Module, language: Language, budget: float, seed: int, run: Run | None
    ) -> None:
        self.model, self.budget, self.seed = model, budget, seed
        self.began = time.monotonic()
        require_steady_if_own(model, [(0,), (0, min(1, language.num_symbols - 1)), (0, 0, 0)])
        self.given = language
        self.empty_word = self._ask_empty(language)
        self.language = language
        if self.empty_word in ("wrong", "unreadable"):
            self.language = _without_empty(language)
        self.asker = Asker(model, self.language)
        self.search = Search()
        module = unwrap(model)
        self.name = type(module).__name__ if run is None else run.plan.model
        self.is_provable = type(module) in PROVABLE and not isinstance(module, Recurrent)
        self.module = module
        self.steps, self.why_not = self._find_steps()

    def examine(
        self,
        *,
        lengths: Sequence[int] | None,
        longest: int | None,
        words_per_length: int,
        choose: Choice,
        rounds: int,
        validation_length: int,
    ) -> Examination:
        """Run all parts, from the cheapest to those that take what time is left."""
        if longest is None:
            longest = _LONGEST if self.steps or self.is_provable else _LONGEST_AS_A_WHOLE
        if lengths is not None and self.empty_word != "right":
            lengths = [length for length in lengths if length]
        task = Task(language=self.given)
        try_all(self.asker, self.search, end=self._end("exhaustive"), most=_ENUMERATED)
        snapping = self._snap(choose, validation_length)
        snapped = None if snapping is None else snapping.snapped
        retrained = self._retrain(snapping, rounds, choose, validation_length)
        certificate = self._certify()
        tested = score_by_length(
            self.model,
            task,
            choose_lengths(lengths, longest),
            words_per_length=words_per_length,
            seed=self.seed,
            end=self._end("test"),
            reads_symbols=self.steps is not None or self.is_provable,
            snapped=snapped,
        )
        self.search.count("sampled", tested.scores.total, max(tested.scores.lengths))
        self.search.found("sampled", tested.wrong)
        automaton = self._automaton(snapping)
        drift = []
        followed = min(longest, _FOLLOWED)
        if self.steps is not None:
            middle = (time.monotonic() + self._end("guided")) / 2
            sizes: dict[str, Any] = {"longest": followed, "seed": self.seed}
            drift = measure_drift(self.steps, snapped, task, end=middle, **sizes)
        self._search_guided(automaton, followed, is_proved=_is_proof(certificate))
        shorten_word(self.asker, self.search, end=self._end("shorter"))
        tried = [n for n in tested.scores.lengths if 41 <= n <= 500]
        return Examination(
            language=self.given,
            network=self.name,
            parameters=sum(weight.numel() for weight in self.model.parameters()),
            reads_symbols=self.steps is not None,
            why_not=self.why_not,
            empty_word=self.empty_word,
            search=self.search,
            scores=tested.scores,
            shortcuts=self._shortcuts(task, tried),
            stopped=tested.stopped,
            drift=drift,
            snapping=snapping,
            retrained=retrained,
            agreeing=tested.agreeing,
            automaton=automaton,
            certificate=certificate,
            budget=self.budget,
            seconds=time.monotonic() - self.began,
        )

    def _end(self, part: str) -> float:
        return self.began + _SHARES[part] * self.budget

    def _ask_empty(self, language: Language) -> str:
        if language.domain is not None and language.domain.classes[language.domain.start] != 1:
            return "outside"
        try:
            wrong = Asker(self.model, language).first_wrong([()])
        except LengthwiseError:
            return "unreadable"
        return "right" if wrong is None else "wrong"

    def _find_steps(self) -> tuple[Steps | None, str]:
        """Return the network symbol by symbol, or the reason why it is not read so."""
        if self.is_provable:
            return None, f"{self.name} has proofs of its own"
        sizes = {
            "num_symbols": self.language.num_symbols,
            "num_classes": self.language.num_classes,
        }
        try:
            return steps_of(self.model, **sizes, seed=self.seed), ""
        except VerificationError as error:
            if callable(getattr(self.module, "step", None)):  # it claims to be a recurrence
                raise
            return None, str(error)

    def _snap(
        self, choose: Choice, longest: int, steps: Steps | None = None
    ) -> StateSnapping | None:
        steps = steps or self.steps
        if steps is None:
            return None
        words = draw_validation(self.given, longest, seed=self.seed)
        kept = (words.lengths > 0) | (self.empty_word == "right")
        words = replace(
            words,
            tokens=words.tokens[kept],
            lengths=words.lengths[kept],
            classes=words.classes[kept],
        )
        return snap_states(
            steps,
            self.language,
            words,
            choose=choose,
            seconds=max(_LEAST * self.budget, self._end("snapping") - time.monotonic()),
            seed=self.seed,
        )

    def _retrain(
        self, snapping: StateSnapping | None, rounds: int, choose: Choice, longest: int
    ) -> Retrained | None:
        if snapping is None or snapping.verdict == "equivalent" or not rounds:
            return None

        def snap(steps: Steps) -> StateSnapping:
            found = self._snap(choose, longest, steps)
            assert found is not None
            return found

        return retrain(
            self.model,
            self.language,
            snapping,
            snap,
            rounds=rounds,
            longest=longest,
            seed=self.seed,
            end=self._end("retraining"),
        )

    def _shortcuts(self, task: Task, lengths: Sequence[int]) -> dict[str, float]:
        """Return the accuracy of shortcuts; none where the time is up."""
        if not lengths:
            return {}
        try:
            with until(self._end("shorter")):
                return shortcuts_beside(task, lengths, 64, self.seed)
        except OutOfTimeError:
            return {}

    def _certify(self) -> Certificate | None:
        if not self.is_provable:
            return None
        try:
            with until(self._end("retraining")):
                return certify(self.module, self.language)
        except OutOfTimeError:
            self.why_not = f"a proof would take longer than the budget of {self.budget:.0f} s"
            return None
        except VerificationError as error:
            self.why_not = str(error)
            return None

    def _automaton(self, snapping: StateSnapping | None) -> ExaminedAutomaton | None:
        """Return the automaton of the weights, of the snapped network, or of queries."""
        learned = None
        if snapping is not None:
            if snapping.snapped is None:
                return None
            machine, of = snapping.snapped.automaton(self.language), "the snapped network"
        elif self.is_provable:
            try:
                with until(self._end("guided")):
                    found = extract_automaton(self.module, self.language)
            except LengthwiseError as error:
                self.why_not = str(error)
                return None
            machine = found.automaton
            of = "the network itself" if found.is_exact else "the snapped network"
        else:
            most = 2 * self.language.num_states + 20
            try:
                with until(self._end("guided")):
                    learned = learn_by_tests(
                        self.model,
                        self.language.alphabet,
                        classes=self.language.class_names,
                        domain=self.language.domain,
                        max_length=20,
                        num_tests=600,
                        seed=self.seed,
                        max_states=most,
                    )
            except LengthwiseError as error:
                self.why_not = f"{self.why_not} No automaton was learned, either: {error}"
                return None
            machine, of = learned.language, f"{learned.queries:,} queries"
        difference = machine.difference(self.language)
        return ExaminedAutomaton(
            machine=machine,
            of=of,
            is_language=difference is None,
            difference=None if difference is None else self.language.decode(difference),
            learned=learned,
        )

    def _search_guided(
        self, automaton: ExaminedAutomaton | None, longest: int, *, is_proved: bool
    ) -> None:
        if is_proved or self.search.is_shortest:
            return
        if automaton is not None and automaton.difference is not None:
            word = self.language.encode(automaton.difference)
            try_words(self.asker, self.search, "guided", [word])
        if self.steps is not None:
            sizes: dict[str, Any] = {"longest": longest, "seed": self.seed}
            follow(self.steps, self.asker, self.search, end=self._end("guided"), **sizes)
            return
        for word in repeated_words(self.language.num_symbols):
            if len(word) > longest or time.monotonic() > self._end("guided"):
                break
            if self.search.word is None or len(word) < len(self.search.word):
                try_words(self.asker, self.search, "guided", [word])


def _is_proof(certificate: Certificate | None) -> bool:
    """Tell whether the network as it runs is proved right."""
    if certificate is None or certificate.is_of_snapped:
        return False
    return certificate.verdict == "equivalent"


def _without_empty(language: Language) -> Language:
    """Return the language on the words of its domain that have symbols."""
    ones = (1,) * language.num_symbols
    nonempty = Language(
        alphabet=language.alphabet, transitions=(ones, ones), classes=(0, 1), start=0
    )
    domain = nonempty if language.domain is None else language.domain & nonempty
    return replace(language, domain=domain, spec="")
