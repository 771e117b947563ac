"""Which language does a recogniser recognise, whatever it is inside? Learned by asking it words.

Idea. Two words lead to the same state unless some suffix tells them apart (Myhill and Nerode).
Angluin's L* (1987) keeps a table of words (rows) by suffixes (columns) with the class of each row
followed by each column; different rows are different states. From the table it makes a hypothesis.
A counterexample, a word on which hypothesis and recogniser differ, yields one more suffix (Rivest
and Schapire, 1993), hence at least one more state; without one, the hypothesis is the answer.

Exactness. With an exact search for counterexamples, the result is the smallest machine of the
language (`learn`). With tests in its place, it is one that passed them (`learn_automaton`): that is
no proof, and `Learned` says so, with the bound that the tests support. Rows that differ are proof
in any case: a recogniser has at least as many states as the table has different rows, which is how
`max_states` is known to be passed.

AALpy asks word by word, which a network answers many times slower than batches. So the words that
the table is about to need are foreseen and asked together (`_Membership`).
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn, TypeAlias

import torch
from aalpy.base.Oracle import Oracle
from aalpy.base.SUL import SUL
from aalpy.learning_algs.deterministic.LStar import run_Lstar
from torch import Tensor, nn

from lengthwise.errors import ConfigError, LanguageError, TaskError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import predict
from lengthwise.evaluation.scores import upper_limit
from lengthwise.languages.language import OUTSIDE, Language
from lengthwise.languages.validation import short
from lengthwise.tasks.audited import draw_audited, one_edit_into, other_classes
from lengthwise.tasks.sampling import UniformSampler

Word: TypeAlias = tuple[int, ...]
Classify: TypeAlias = Callable[[Sequence[Word]], Sequence[int]]
"""The classes of a list of different words, in their order."""

MAX_STATES = 500
"""Most states of a learned machine, unless the caller says otherwise."""


# ---- the core --------------------------------------------------------------------------------


def learn(
    classify: Classify,
    alphabet: Sequence[str],
    class_names: tuple[str, ...],
    find_counterexample: Callable[[Language], Word | None],
    *,
    domain: Language | None = None,
    max_states: int = MAX_STATES,
) -> Language:
    """The smallest machine of the language that `classify` tells and no counterexample denies.

    `classify` is asked each word once, many at a time, and only words of the domain.
    `find_counterexample` gets each hypothesis, minimised and with the domain, and returns a word of
    the domain that `classify` puts into another class, or None. If it returns None only where there
    is no such word, the result is `Language.minimised()` of the language that `classify` tells.

    `max_states` bounds the states of that machine, which follows classes and domain.

    >>> parity = Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1))
    >>> odd = lambda words: [sum(word) % 2 for word in words]
    >>> learn(odd, "01", ("0", "1"), parity.difference) == parity
    True

    Raises:
        LanguageError: the language has more than `max_states` states; or the alphabet, the names
            and the domain do not fit together.
    """
    return _learn(
        _Answers(classify),
        _blank(alphabet, class_names, domain),
        find_counterexample,
        max_states=max_states,
    )


def _blank(
    alphabet: Sequence[str], class_names: tuple[str, ...], domain: Language | None
) -> Language:
    """One state of class 0: what is known before the first question."""
    return Language(
        alphabet=tuple(alphabet),
        transitions=((0,) * len(alphabet),),
        classes=(0,),
        class_names=class_names,
        domain=domain,
    )


class _Answers:
    """What the recogniser said, asked once for each word."""

    def __init__(self, classify: Classify) -> None:
        self.known: dict[Word, int] = {}
        self._classify = classify

    def __call__(self, words: Sequence[Word]) -> list[int]:
        unknown = [word for word in dict.fromkeys(words) if word not in self.known]
        if unknown:
            answers = map(int, self._classify(unknown))
            self.known.update(zip(unknown, answers, strict=True))
        return [self.known[word] for word in words]


class _TooManyStatesError(LanguageError):
    """The table proves that there are more states than allowed."""


def _learn(
    answers: _Answers,
    blank: Language,
    find_counterexample: Callable[[Language], Word | None],
    *,
    max_states: int,
) -> Language:
    membership = _Membership(answers, blank, max_states)
    oracle = _Equivalence(membership, answers, blank, find_counterexample)
    run_Lstar(
        list(range(blank.num_symbols)),
        membership,
        oracle,
        automaton_type="moore",
        all_prefixes_in_obs_table=False,  # a cell is one answer: the class of the whole word
        cache_and_non_det_check=False,  # `_Answers` remembers
        print_level=0,
    )
    assert oracle.accepted is not None
    return oracle.accepted


class _Membership(SUL):
    """The recogniser as AALpy asks it: the class of a word, `outside` if outside the domain.

    The first word of a new row or column is answered together with the rest of it. What a word is
    for is guessed from its parts; a wrong guess costs questions, and never changes an answer.
    """

    def __init__(self, answers: _Answers, blank: Language, max_states: int) -> None:
        super().__init__()
        self.suffixes: Sequence[Word] = [()]
        """The columns. AALpy's own list, once there is a hypothesis, so that it grows with it."""
        self._rows = dict.fromkeys([(), *((a,) for a in range(blank.num_symbols))])
        self._columns_filled = 0
        self._cells: dict[Word, int] = {}
        self._answers = answers
        self._blank = blank
        self._max_states = max_states

    def query(self, word: Word) -> list[int]:
        """The class of the word; AALpy reads the last entry only."""
        if word not in self._cells:
            self._fill([*self._foreseen(word), word])
        return [self._cells[word]]

    def check(self, num_states: int) -> None:
        """Refuse so many states, if they are too many.

        Raises:
            LanguageError: they are.
        """
        if num_states > self._max_states:
            raise _TooManyStatesError(
                f"the recogniser has at least {num_states} states, more than "
                f"max_states={self._max_states}. Raise max_states, if the language is regular."
            )

    def pre(self) -> None:
        """Nothing to prepare."""

    def post(self) -> None:
        """Nothing to clean up."""

    def step(self, letter: Any) -> NoReturn:
        """Never asked: `query` answers for whole words."""
        raise AssertionError("a recogniser answers for words, not step by step")

    def _foreseen(self, word: Word) -> list[Word]:
        """The cells that will be needed now that this one is."""
        if len(self.suffixes) > self._columns_filled:
            new = self.suffixes[self._columns_filled :]
            self._columns_filled = len(self.suffixes)
            return [row + suffix for row in self._rows for suffix in new]
        columns = set(self.suffixes)
        for end in range(len(word), 0, -1):
            if word[end:] in columns and word[: end - 1] in self._rows:
                children = [(*word[: end - 1], a) for a in range(self._blank.num_symbols)]
                self._rows.update(dict.fromkeys(children))
                return [child + suffix for child in children for suffix in self.suffixes]
        return []

    def _fill(self, words: list[Word]) -> None:
        blank, domain = self._blank, self._blank.domain
        inside = [w for w in words if domain is None or domain.classes[domain.run(w)] == 1]
        self._cells.update(dict.fromkeys(words, blank.num_classes))
        self._cells.update(zip(inside, self._answers(inside), strict=True))
        if len(self._rows) > 1 + blank.num_symbols * self._max_states:
            filled = self.suffixes[: self._columns_filled]
            self.check(len({tuple(self._cells[r + s] for s in filled) for r in self._rows}))


class _Equivalence(Oracle):
    """The search for counterexamples as AALpy asks for it.

    The domain is known, so where a hypothesis is wrong about it needs no question.
    """

    def __init__(
        self,
        membership: _Membership,
        answers: _Answers,
        blank: Language,
        find_counterexample: Callable[[Language], Word | None],
    ) -> None:
        super().__init__(list(range(blank.num_symbols)), membership)
        self.accepted: Language | None = None
        self._membership = membership
        self._answers = answers
        self._blank = blank
        self._find = find_counterexample

    def find_cex(self, hypothesis: Any) -> Any:
        """A word that the hypothesis, a Moore machine of AALpy's, gets wrong; None if none is."""
        self._membership.suffixes = hypothesis.characterization_set
        self._membership.check(len(hypothesis.states))
        machine = self._machine(hypothesis)
        domain, outside = self._blank.domain, self._blank.num_classes
        if domain is not None:
            astray = machine.combined(domain, lambda c, i: int((c == outside) == (i == 1)))
            word = astray.shortest(1)
            if word is not None:
                return word
        language = Language(
            alphabet=machine.alphabet,
            transitions=machine.transitions,
            classes=tuple(0 if c == outside else c for c in machine.classes),
            start=machine.start,
            class_names=self._blank.class_names,
            domain=domain,
        ).minimised()
        counterexample = self._find(language)
        if counterexample is None:
            self.accepted = language
        else:
            # AALpy would go on for ever with a word that is none.
            assert language.classify(counterexample) != self._answers([counterexample])[0], (
                f"{language.decode(counterexample)!r} is no counterexample"
            )
        return counterexample

    def _machine(self, hypothesis: Any) -> Language:
        """AALpy's machine, with the class `outside` for words outside the domain."""
        number = {state.state_id: i for i, state in enumerate(hypothesis.states)}
        names = self._blank.class_names
        return Language(
            alphabet=self._blank.alphabet,
            transitions=tuple(
                tuple(number[state.transitions[a].state_id] for a in self.alphabet)
                for state in hypothesis.states
            ),
            classes=tuple(state.output for state in hypothesis.states),
            start=number[hypothesis.initial_state.state_id],
            class_names=names if self._blank.domain is None else (*names, OUTSIDE),
        )


# ---- learning by tests -----------------------------------------------------------------------


ALPHA = 0.05
"""Chance that the bound on the wrong share does not hold; 1 - ALPHA is its confidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """A language learned by questions and tests, and what the tests say about it.

    `print(learned)` says it in words.
    """

    language: Language
    """With `agrees_with_tests`, the hypothesis that passed a round of tests; otherwise, of all
    hypotheses, the one that disagreed least with the recogniser (on words other than the fresh)."""
    agrees_with_tests: bool
    """Whether a round of tests found no disagreement. If not, `max_states` was passed before. On
    words that were not tested the recogniser may still differ, and may not be regular at all."""
    tested: int
    """Number of different words in that round; 0 if there was none."""
    fresh: int
    """Number of words drawn afterwards, independently of each other and of all that was learned."""
    fresh_wrong: int
    """How many of these draws the recogniser puts into another class."""
    lengths: tuple[int, int]
    """Shortest and longest length that the fresh words are drawn from."""
    drawn: str
    """How the fresh words are drawn, in words."""
    disagreements: tuple[str, ...]
    """The different words among the wrong ones, shortest first."""
    counterexample: str | None
    """If it does not agree, a word on which language and recogniser are known to differ."""
    queries: int
    """Number of words that the recogniser was asked; none was asked twice."""

    @property
    def wrong_share_below(self) -> float:
        """The share of words drawn like the fresh ones that is wrong is below this: 95 % sure.

        It is the upper limit of Clopper and Pearson (1934), 1 - 0.05^(1/N) if none of N words is
        wrong. The N words are drawn once, after the language was chosen, so that it does not matter
        how many rounds of tests came before.
        """
        return upper_limit(self.fresh_wrong, self.fresh, ALPHA)

    def __str__(self) -> str:
        """What was found, as a test and not as a proof."""
        states = self.language.num_states
        machine = f"A machine of {states} state{'' if states == 1 else 's'}"
        if self.agrees_with_tests:
            head = (
                f"{machine} agrees with the recogniser on all {self.tested:,} words of a last round"
            )
        else:
            head = (
                f"{machine} is not the recogniser: it differs on {self.counterexample!r}, and "
                f"max_states was passed before any machine agreed on all tests"
            )
        found = "no disagreement"
        if self.fresh_wrong:
            found = f"{self.fresh_wrong:,} disagree, the shortest is {self.disagreements[0]!r}"
        first, last = self.lengths
        share = _rounded_up(100 * self.wrong_share_below)
        return (
            f"{head}. Tested on {self.fresh:,} fresh words of lengths {first}..{last}: {found}; "
            f"with {100 * (1 - ALPHA):.0f} % confidence it is wrong on less than {share} % of "
            f"words drawn like these ({self.drawn}). Nothing is claimed of other words. "
            f"{self.queries:,} words were asked."
        )


def _rounded_up(value: float) -> str:
    """Two digits that are not all 0, and no less than the value."""
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{math.ceil(value * 10**digits - 1e-9) / 10**digits:.{digits}f}"


def learn_automaton(
    recogniser: nn.Module | Callable[[list[str]], Sequence[Any]],
    alphabet: Sequence[str],
    *,
    classes: Sequence[str] | None = None,
    domain: Language | None = None,
    max_length: int = 40,
    num_tests: int = 10_000,
    seed: int = 0,
    max_states: int = MAX_STATES,
    batch_size: int = 1024,
) -> Learned:
    """Learn an automaton from any recogniser by asking it words; `.language` is the automaton.

    `recogniser` is a model (right-aligned tokens and lengths to logits), or any function from a
    list of written words to their classes: names out of `classes`, or truth values, or numbers of
    classes. Without `classes`, they are those of the model's configuration, or 0 and 1. With a
    `domain`, only its words are asked.

    A hypothesis is accepted when it agrees with all answers so far and on `num_tests` words (less
    those drawn twice). A third are all the shortest words; a third lead to a state of the
    hypothesis, then go on at random, then along a suffix that tells its states apart; a third are
    audited words of the hypothesis of 0 to `max_length` symbols: all its classes alike, and near
    misses. Then `num_tests` fresh words are drawn, independently of each other and of all before,
    and `Learned.wrong_share_below` is what they support: with 95 % confidence the automaton is
    wrong on a smaller share of the words drawn like them. Each has a uniform length of 0 to
    `max_length`, then a uniform class of the automaton, and is a uniform word of that length and
    class; half of the words (of two classes: of the non-members) are near misses, one edit away
    from a uniform word of another class. Of other words nothing is claimed: a difference that shows
    only on long words, or on one word, is not found. The first answer to a word counts, and words
    that the table needs may be longer than `max_length`.

    >>> even = learn_automaton(lambda words: [w.count("1") % 2 == 0 for w in words], "01")
    >>> even.language.num_states, even.agrees_with_tests, even.disagreements
    (2, True, ())
    >>> round(even.wrong_share_below, 5)
    0.0003

    If the recogniser turns out to need more than `max_states` states (it is not regular, or makes
    scattered mistakes), the best hypothesis so far comes back with `agrees_with_tests=False`, one
    word on which it is wrong, and the measured disagreement: a small machine that is right nearly
    always tells more than none.

    Raises:
        ConfigError: a number is out of range, the model has other numbers of symbols or classes, or
            the recogniser answers with something else than one of the classes for each word.
        LanguageError: the alphabet, the classes and the domain do not fit together, or even the
            first hypothesis has more than `max_states` states.
    """
    for name, value, least in (
        ("max_length", max_length, 0),
        ("num_tests", num_tests, 1),
        ("max_states", max_states, 1),
        ("batch_size", batch_size, 1),
    ):
        if value < least:
            raise ConfigError(f"{name} is at least {least}, but it is {value}.")
    blank = _blank(alphabet, _class_names(recogniser, classes), domain)
    if next(blank.words(max_length=max_length), None) is None:
        raise ConfigError(
            f"the domain has no word of at most max_length={max_length} symbols. Raise max_length."
        )
    answers = _Answers(_asking(recogniser, blank, batch_size))
    draws = _Draws(blank, max_length, seed)
    tried: list[tuple[Language, Word]] = []
    tested = 0

    def find_counterexample(hypothesis: Language) -> Word | None:
        nonlocal tested
        word = _shortest_difference(hypothesis, answers, list(answers.known))
        if word is None:
            words = draws.tests(hypothesis, num_tests)
            tested = len(words)
            for first in range(0, len(words), batch_size):
                batch = words[first : first + batch_size]
                word = _shortest_difference(hypothesis, answers, batch)
                if word is not None:
                    break
        if word is not None:
            tried.append((hypothesis, word))
        return word

    counterexample: Word | None = None
    try:
        language = _learn(answers, blank, find_counterexample, max_states=max_states)
    except _TooManyStatesError:
        if not tried:
            raise
        tested = 0
        # Among words of the table, a later hypothesis is right by making.
        words = draws.unasked(tried[-1][0], num_tests, answers)
        language, counterexample = min(
            tried, key=lambda pair: len(_differences(pair[0], answers, words))
        )
    fresh, lengths, drawn = draws.independent(language, num_tests)
    wrong = _differences(language, answers, fresh)
    return Learned(
        language=language,
        agrees_with_tests=counterexample is None,
        tested=tested,
        fresh=len(fresh),
        fresh_wrong=len(wrong),
        lengths=lengths,
        drawn=drawn,
        disagreements=tuple(map(language.decode, sorted(set(wrong), key=lambda w: (len(w), w)))),
        counterexample=None if counterexample is None else language.decode(counterexample),
        queries=len(answers.known),
    )


def _differences(language: Language, answers: _Answers, words: Sequence[Word]) -> list[Word]:
    """The words of a list that the recogniser puts into other classes."""
    pairs = zip(words, answers(words), strict=True)
    return [word for word, c in pairs if language.classes[language.run(word)] != c]


def _shortest_difference(
    language: Language, answers: _Answers, words: Sequence[Word]
) -> Word | None:
    return min(_differences(language, answers, words), key=len, default=None)


# ---- asking ----------------------------------------------------------------------------------


def _class_names(recogniser: object, classes: Sequence[str] | None) -> tuple[str, ...]:
    if classes is not None:
        return tuple(classes)
    number = getattr(getattr(recogniser, "config", None), "num_classes", 2)
    return tuple(map(str, range(number)))


def _asking(
    recogniser: nn.Module | Callable[[list[str]], Sequence[Any]], blank: Language, batch_size: int
) -> Classify:
    """The recogniser as a function of encoded words, asked at most `batch_size` at once."""
    ask = (
        _asking_model(recogniser, blank)
        if isinstance(recogniser, nn.Module)
        else _asking_function(recogniser, blank)
    )

    def classify(words: Sequence[Word]) -> list[int]:
        parts = range(0, len(words), batch_size)
        return [c for first in parts for c in ask(words[first : first + batch_size])]

    return classify


def _asking_model(model: nn.Module, blank: Language) -> Callable[[Sequence[Word]], list[int]]:
    made_for = getattr(getattr(model, "config", None), "vocab_size", blank.num_symbols)
    if made_for != blank.num_symbols:
        raise ConfigError(
            f"the model was made for {made_for} symbols, but the alphabet has "
            f"{blank.num_symbols}. Give the alphabet of its language."
        )
    model.eval()
    parameter = next(model.parameters(), None)
    device = torch.device("cpu") if parameter is None else parameter.device

    def ask(words: Sequence[Word]) -> list[int]:
        logits = predict(model, words, device=device)
        if logits.shape[1] != blank.num_classes:
            raise ConfigError(
                f"the model tells {logits.shape[1]} classes apart, but there are "
                f"{blank.num_classes} ({', '.join(blank.class_names[:8])}). Name all in `classes`."
            )
        answers: list[int] = answer_of(logits).tolist()
        return answers

    return ask


def _asking_function(
    function: Callable[[list[str]], Sequence[Any]], blank: Language
) -> Callable[[Sequence[Word]], list[int]]:
    index = {name: c for c, name in enumerate(blank.class_names)}

    def ask(words: Sequence[Word]) -> list[int]:
        given = function([blank.decode(word) for word in words])
        answers = given.tolist() if hasattr(given, "tolist") else given  # arrays, tensors
        if not isinstance(answers, Iterable) or isinstance(answers, str | bytes | Mapping):
            raise ConfigError(
                f"the recogniser gave {short(given)} for a list of {len(words)} words; it must "
                f"give a list with one class for each word."
            )
        answers = list(answers)
        if len(answers) != len(words):
            raise ConfigError(
                f"the recogniser gives one class for each word, but for {len(words)} words it "
                f"gave {len(answers)}."
            )
        return [number(answer) for answer in answers]

    def number(answer: object) -> int:
        if isinstance(answer, str) and answer in index:
            return index[answer]
        if isinstance(answer, int) and 0 <= answer < blank.num_classes:
            return int(answer)
        raise ConfigError(
            f"the recogniser gives one of the classes {', '.join(blank.class_names[:8])} (or its "
            f"number, or a truth value), but it gave {short(answer)}."
        )

    return ask


# ---- words to ask ----------------------------------------------------------------------------


class _Draws:
    """Random words for tests, all different; the same for the same seed and hypotheses."""

    def __init__(self, blank: Language, max_length: int, seed: int) -> None:
        self._blank = blank
        self._max_length = max_length
        self._random = random.Random(seed)
        self._generator = torch.Generator().manual_seed(seed)

    def tests(self, hypothesis: Language, number: int) -> list[Word]:
        """At most `number` words: the shortest, those through states, the audited ones."""
        third = number // 3
        shortest = islice(self._blank.words(max_length=self._max_length), third)
        walks = self._walks(hypothesis.total(), hypothesis.num_classes, third)
        audited = self.audited(hypothesis, number - 2 * third)
        return list(dict.fromkeys([*shortest, *walks, *audited]))

    def audited(self, hypothesis: Language, number: int) -> list[Word]:
        """At most `number` words of the domain, of uniform lengths and all classes alike."""
        sampler = UniformSampler(hypothesis)
        chosen, _ = self._lengths(sampler, number)
        try:
            tokens, _ = draw_audited(sampler, chosen, self._generator)
        except TaskError:  # too many classes and states to count the words of each
            tokens = sampler.draw_any(chosen, self._generator)
        return list(dict.fromkeys(_words(tokens, chosen)))

    def independent(
        self, hypothesis: Language, number: int
    ) -> tuple[list[Word], tuple[int, int], str]:
        """So many words drawn like audited ones, but each independently: some may come twice.

        `audited` balances classes and near misses over a batch, so its words depend on each other.
        Also the shortest and the longest of their lengths, and how they are drawn.
        """
        sampler, generator = UniformSampler(hypothesis), self._generator
        lengths, ends = self._lengths(sampler, number)
        try:
            classes = torch.tensor(
                [self._random.choice(sampler.classes_at(n)) for n in lengths.tolist()]
            )
            sources = other_classes(sampler, classes, lengths, generator)
            near = (sources != classes) & torch.randint(2, (number,), generator=generator).bool()
            if hypothesis.num_classes == 2:
                near &= classes == 0
            tokens = sampler.draw(classes, lengths, generator)
            starts = sampler.draw(torch.where(near, sources, classes), lengths, generator)
            edited, found = one_edit_into(sampler.automaton, starts, classes, generator)
            tokens = torch.where((near & found)[:, None], edited, tokens)
        except TaskError:  # too many classes and states to count the words of each
            tokens = sampler.draw_any(lengths, generator)
            return _words(tokens, lengths), ends, "uniform lengths and words"
        return _words(tokens, lengths), ends, "uniform lengths and classes, half near misses"

    def _lengths(self, sampler: UniformSampler, number: int) -> tuple[Tensor, tuple[int, int]]:
        """So many uniform lengths of those that have words, and the shortest and longest."""
        lengths = [n for n in range(self._max_length + 1) if sampler.classes_at(n)]
        picked = torch.randint(len(lengths), (number,), generator=self._generator)
        return torch.tensor(lengths)[picked], (lengths[0], lengths[-1])

    def unasked(self, hypothesis: Language, number: int, answers: _Answers) -> list[Word]:
        """Those of so many audited words that were never asked."""
        return [w for w in self.audited(hypothesis, number) if w not in answers.known]

    def _walks(self, machine: Language, outside: int, number: int) -> Iterator[Word]:
        """To a random state, at random from there, and along a suffix that tells states apart.

        The walk stays where words of the domain can still follow, and the suffix ends in one.
        """
        alive = machine.reaching(lambda c: c != outside)
        access = _access_words(machine, alive)
        states = list(access)
        steps = {
            state: [a for a, target in enumerate(machine.transitions[state]) if target in alive]
            for state in states
        }
        suffixes = distinguishing_suffixes(machine)
        ends = {
            state: [w for w in suffixes if machine.classes[machine.run(w, state)] != outside]
            for state in states
        }
        for _ in range(number):
            state = self._random.choice(states)
            word = [*access[state]]
            for _ in range(self._random.randint(0, self._max_length // 2)):
                if not steps[state]:
                    break
                word.append(self._random.choice(steps[state]))
                state = machine.transitions[state][word[-1]]
            if ends[state]:
                yield (*word, *self._random.choice(ends[state]))


def _words(tokens: Tensor, lengths: Tensor) -> list[Word]:
    """The words at the right end of rows."""
    rows = zip(tokens.tolist(), lengths.tolist(), strict=True)
    return [tuple(row[len(row) - length :]) for row, length in rows]


def _access_words(machine: Language, allowed: frozenset[int]) -> dict[int, Word]:
    """A shortest word to each state of those allowed."""
    words: dict[int, Word] = {machine.start: ()}
    for state in (queue := [machine.start]):
        for symbol, target in enumerate(machine.transitions[state]):
            if target in allowed and target not in words:
                words[target] = (*words[state], symbol)
                queue.append(target)
    return words


def distinguishing_suffixes(machine: Language) -> list[Word]:
    """Suffixes of which some tells any two states apart that any word tells apart; few, not fewest.

    The domain is not looked at. A suffix w is kept if it splits a block of states that the kept
    ones before it leave together, and then every aw is tried. At the end no aw splits a block, so
    states of a block move into the same block, and no longer word can split it either.
    """
    suffixes: list[Word] = [()]
    answers = [machine.classes]
    blocks: list[Any] = list(machine.classes)
    for suffix, after in zip(suffixes, answers, strict=False):  # both grow on the way
        for symbol in range(machine.num_symbols):
            values = tuple(after[row[symbol]] for row in machine.transitions)
            number: dict[tuple[int, int], int] = {}
            finer = [number.setdefault(p, len(number)) for p in zip(blocks, values, strict=True)]
            if len(number) > len(set(blocks)):
                blocks = finer
                suffixes.append((symbol, *suffix))
                answers.append(values)
    return suffixes
