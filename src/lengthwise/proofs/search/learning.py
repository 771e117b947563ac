"""Angluin's L* learns the smallest automaton of a recogniser from the classes of words.

Idea. Two words lead to the same state unless some suffix tells them apart (Myhill and Nerode).
Angluin's L* (1987) keeps a table of words (rows) by suffixes (columns) with the class of each row
followed by each column; different rows are different states. From the table it makes a hypothesis.
A counterexample, a word on which hypothesis and recogniser differ, yields one more suffix (Rivest
and Schapire, 1993), hence at least one more state; without one, the hypothesis is the result.

Exactness. With an exact search for counterexamples, the result is the smallest automaton of the
language. Rows that differ are proof in any case: a recogniser has at least as many states as the
table has different rows, which is how `max_states` is known to be exceeded.

AALpy asks word by word, which a network answers many times slower than batches. So the cells that
the table is about to need are predicted and asked together (`_Membership`).
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

from aalpy.base.Oracle import Oracle
from aalpy.base.SUL import SUL
from aalpy.learning_algs.deterministic.LStar import run_Lstar

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.moore_machine import OUTSIDE, find_unused_name
from lengthwise.proofs.search.limits import MAX_STATES

Word: TypeAlias = tuple[int, ...]
Classify: TypeAlias = Callable[[Sequence[Word]], Sequence[int]]
"""A function from a list of different words to their classes, in the same order."""


def learn(
    classify: Classify,
    alphabet: Sequence[str],
    class_names: tuple[str, ...],
    find_counterexample: Callable[[Language], Word | None],
    *,
    domain: Language | None = None,
    max_states: int = MAX_STATES,
) -> Language:
    """Learn the smallest automaton that agrees with `classify` and has no counterexample.

    `classify` is asked each word once, many at a time, and only words of the domain.
    `find_counterexample` gets each hypothesis, minimised and with the domain, and returns a word of
    the domain that `classify` puts into another class, or None. If it returns None only where there
    is no such word, the result is `Language.minimise()` of the language of `classify`.

    `max_states` bounds the states of that automaton, which tracks classes and domain.

    >>> parity = Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1))
    >>> odd = lambda words: [sum(word) % 2 for word in words]
    >>> learn(odd, "01", ("0", "1"), parity.difference) == parity
    True

    Raises:
        LanguageError: the language has more than `max_states` states; or the alphabet, the names
            and the domain do not fit together.
    """
    return learn_from_answers(
        Answers(classify),
        blank_machine(alphabet, class_names, domain),
        find_counterexample,
        max_states=max_states,
    )


def blank_machine(
    alphabet: Sequence[str], class_names: tuple[str, ...], domain: Language | None
) -> Language:
    """Return an automaton with one state of class 0, to carry alphabet, class names and domain."""
    return Language(
        alphabet=tuple(alphabet),
        transitions=((0,) * len(alphabet),),
        classes=(0,),
        class_names=class_names,
        domain=domain,
    )


class Answers:
    """A cache of the recogniser's answers: each word is asked once."""

    def __init__(self, classify: Classify) -> None:
        self.known: dict[Word, int] = {}
        self._classify = classify

    def __call__(self, words: Sequence[Word]) -> list[int]:
        """Return the classes of words; only the unknown ones are asked, in one call."""
        unknown = [word for word in dict.fromkeys(words) if word not in self.known]
        if unknown:
            answers = map(int, self._classify(unknown))
            self.known.update(zip(unknown, answers, strict=True))
        return [self.known[word] for word in words]


class TooManyStatesError(LanguageError):
    """Raised when the table proves that there are more states than allowed."""


def learn_from_answers(
    answers: Answers,
    blank: Language,
    find_counterexample: Callable[[Language], Word | None],
    *,
    max_states: int,
) -> Language:
    """Run L* on cached answers, as `learn` does; `blank` carries alphabet, names and domain.

    Raises:
        TooManyStatesError: the language has more than `max_states` states.
    """
    membership = _Membership(answers, blank, max_states)
    oracle = _Equivalence(membership, answers, blank, find_counterexample)
    run_Lstar(
        list(range(blank.num_symbols)),
        membership,
        oracle,
        automaton_type="moore",
        all_prefixes_in_obs_table=False,  # a cell is one answer: the class of the whole word
        cache_and_non_det_check=False,  # `Answers` remembers
        print_level=0,
    )
    assert oracle.accepted is not None
    return oracle.accepted


class _Membership(SUL):
    """Membership queries of AALpy: the class of a word, `outside` if it is outside the domain.

    The first word of a new row or column is answered together with the rest of it. The row or
    column is guessed from the word; a wrong guess costs queries, and never changes an answer.
    """

    def __init__(self, answers: Answers, blank: Language, max_states: int) -> None:
        super().__init__()
        self.suffixes: Sequence[Word] = [()]
        """The columns: AALpy's own list once there is a hypothesis, so that both grow together."""
        self._rows = dict.fromkeys([(), *((a,) for a in range(blank.num_symbols))])
        self._columns_filled = 0
        self._cells: dict[Word, int] = {}
        self._answers = answers
        self._blank = blank
        self._max_states = max_states

    def query(self, word: Word) -> list[int]:
        """Return the class of the word; AALpy reads the last entry only."""
        if word not in self._cells:
            self._fill([*self._predict(word), word])
        return [self._cells[word]]

    def check(self, num_states: int) -> None:
        """Refuse a number of states above `max_states`.

        Raises:
            TooManyStatesError: there are more.
        """
        if num_states > self._max_states:
            raise TooManyStatesError(
                f"the recogniser has at least {num_states} states, more than "
                f"max_states={self._max_states}. Raise max_states, if the language is regular."
            )

    def pre(self) -> None:
        """Do nothing; AALpy requires the method."""

    def post(self) -> None:
        """Do nothing; AALpy requires the method."""

    def step(self, letter: Any) -> NoReturn:
        """Raise: `query` answers for whole words, so AALpy never calls this."""
        raise AssertionError("a recogniser answers for words, not step by step")

    def _predict(self, word: Word) -> list[Word]:
        """Return the cells that will be needed after this one: the rest of its row or column."""
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
    """Equivalence queries of AALpy, answered by the search for counterexamples.

    The domain is known, so a hypothesis that is wrong about it is refuted without a query.
    """

    def __init__(
        self,
        membership: _Membership,
        answers: Answers,
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
        """Return a word that the hypothesis, a Moore machine of AALpy, gets wrong, or None."""
        self._membership.suffixes = hypothesis.characterization_set
        self._membership.check(len(hypothesis.states))
        domain, outside = self._blank.domain, self._blank.num_classes
        names = self._blank.class_names
        if domain is not None:
            names = (*names, find_unused_name(OUTSIDE, names))
        machine = from_moore(hypothesis, self._blank.alphabet, names)
        if domain is not None:
            misjudged = machine.combine(domain, lambda c, i: int((c == outside) == (i == 1)))
            word = misjudged.shortest(1)
            if word is not None:
                return word
        language = Language(
            alphabet=machine.alphabet,
            transitions=machine.transitions,
            classes=tuple(0 if c == outside else c for c in machine.classes),
            start=machine.start,
            class_names=self._blank.class_names,
            domain=domain,
        ).minimise()
        counterexample = self._find(language)
        if counterexample is None:
            self.accepted = language
        else:
            # AALpy would never end with a word that is not a counterexample.
            assert language.classify(counterexample) != self._answers([counterexample])[0], (
                f"{language.decode(counterexample)!r} is not a counterexample"
            )
        return counterexample


def from_moore(machine: Any, alphabet: Sequence[str], class_names: tuple[str, ...]) -> Language:
    """Return the language of a Moore machine of AALpy over the numbers of symbols and classes.

    What a machine that was merged from words leaves open is filled in: a missing transition stays
    in its state, and a state without output has class 0.
    """
    number = {state.state_id: i for i, state in enumerate(machine.states)}
    return Language(
        alphabet=tuple(alphabet),
        transitions=tuple(
            tuple(
                number[state.transitions.get(symbol, state).state_id]
                for symbol in range(len(alphabet))
            )
            for state in machine.states
        ),
        classes=tuple(state.output or 0 for state in machine.states),
        start=number[machine.initial_state.state_id],
        class_names=class_names,
    )
