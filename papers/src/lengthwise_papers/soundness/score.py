"""The cases of the benchmark, and the score of a verifier."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lengthwise.errors import ConfigError, unknown_name
from lengthwise_papers.soundness.case import KINDS, Answer, Case, Question
from lengthwise_papers.soundness.forgeries import draw_forgery, honest_file
from lengthwise_papers.soundness.numeric import NUMERIC, twin
from lengthwise_papers.soundness.plants import PLANTS, case_of

EACH = 125
"""Cases of each kind: eight kinds of plants make 1,000, and as many of a ninth are sound."""

Verifier = Callable[[Question], Answer]


def cases(seed: int = 0, *, each: int = EACH, kinds: Iterable[str] = KINDS) -> Iterator[Case]:
    """Yield the cases, kind by kind, drawn from a seed; a case does not depend on the others.

    With the defaults these are 1,000 plants and 125 sound cases, among which are twins of every
    kind.

    Raises:
        ConfigError: there is no such kind, or the number is below 0.
    """
    if each < 0:
        raise ConfigError(f"each={each} is not a number of cases. Use 0 or more.")
    for kind in kinds:
        if kind not in KINDS:
            raise unknown_name("kind of case", kind, KINDS)
        for number in range(each):
            yield _case(kind, number, random.Random(f"soundness {seed} {kind} {number}"))


def _case(kind: str, number: int, draw: random.Random) -> Case:
    name = f"{kind} {number}"
    if kind in PLANTS:
        return case_of(kind, name, PLANTS[kind](draw, fault=True), fault=True)
    if kind in NUMERIC:
        return NUMERIC[kind](name, draw)
    if kind == "forged file":
        return draw_forgery(name, number, draw)
    kinds = [name for name in KINDS if name != "sound"]
    planted = kinds[number % len(kinds)]
    if planted in PLANTS:
        return case_of(planted, name, PLANTS[planted](draw, fault=False), fault=False)
    return twin(name, planted, draw) if planted in NUMERIC else honest_file(name, draw)


@dataclass(kw_only=True, slots=True)
class Tally:
    """What a verifier said of the cases of one kind."""

    cases: int = 0
    wrongly_holds: int = 0
    """Cases that it said hold, and do not. One is too many."""
    wrongly_fails: int = 0
    """Cases that it said fail, and do not."""
    right: int = 0
    undecided: int = 0

    def add(self, case: Case, answer: Answer) -> None:
        """Count the answer to a case."""
        self.cases += 1
        if answer == "undecided":
            self.undecided += 1
        elif (answer == "holds") == (case.truth == "holds"):
            self.right += 1
        elif answer == "holds":
            self.wrongly_holds += 1
        else:
            self.wrongly_fails += 1


def run(
    verifier: Verifier,
    asked: Iterable[Case] | None = None,
    *,
    watch: Callable[[Case, Answer], None] = lambda case, answer: None,
) -> Mapping[str, Tally]:
    """Ask a verifier about cases (all of them by default), and return its tallies by kind.

    `watch` is called with each case and answer. What the verifier raises is passed on.

    Raises:
        ConfigError: it answers something else than `holds`, `fails` or `undecided`.
    """
    tallies: dict[str, Tally] = {}
    for case in cases() if asked is None else asked:
        answer = verifier(case.question)
        if answer not in ("holds", "fails", "undecided"):
            raise ConfigError(
                f"a verifier answers 'holds', 'fails' or 'undecided', but to {case.name!r} it "
                f"answered {answer!r:.40}. Return one of these."
            )
        tallies.setdefault(case.kind, Tally()).add(case, answer)
        watch(case, answer)
    return tallies
