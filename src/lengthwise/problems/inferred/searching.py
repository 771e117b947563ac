"""The search for an automaton in the words of a file, which continues where it was stopped.

Its progress is stored in the cache folder, by the digest of the words and the settings. It is
written after every attempt, and deleted when an automaton is found or nothing is left to try.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.errors import LengthwiseError
from lengthwise.files import cache_folder, read_object, values_of, write_json
from lengthwise.inference.judge import Hypothesis, Judge
from lengthwise.inference.needed_states import NeededStates
from lengthwise.inference.portfolio import SEARCHERS, SearchState, search_automaton
from lengthwise.inference.rungs.catalogue import ASSUMED
from lengthwise.inference.working_set import Working
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.messages import format_count
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.inferred.timing import Timer


def search_words(
    words: LabelledWords, judge: Judge, config: InferenceConfig, timer: Timer
) -> SearchState:
    """Search for what is left of the time, from where an earlier search of these words ended."""
    place = _place(words, config)
    working, refuted, state = _load_progress(place, judge)

    def show(state: SearchState) -> None:
        timer.show(describe_best(state.best, working.few))

    searchers = SEARCHERS if config.assume is None else [NeededStates(), ASSUMED[config.assume]]
    while True:
        state = search_automaton(
            working.few,
            max_states=config.max_states,
            searchers=searchers,
            budget=timer.left,
            state=state,
            keep=_keeper(place, refuted),
            show=show,
        )
        assert state.best is not None
        is_impossible = state.least_states > config.max_states
        more = None if is_impossible else _more(working, state)
        if more is None:
            break
        refuted.append(state.best.language)
        best = more.few(state.best.language, state.best.searcher, state.best.size)
        working, proved = more, state.least_states
        state = SearchState(best=best, seconds=state.seconds, least_states=proved)
    if state.end in ("explained", "exhausted"):
        place.unlink(missing_ok=True)
    if not working.are_all:
        state.best = judge(state.best.language, state.best.searcher, state.best.size)
    return state


def _more(working: Working, state: SearchState) -> Working | None:
    """Return more words, if some refute the automaton with which a search ended."""
    if state.end not in ("explained", "exhausted") or state.best is None:
        return None
    try:
        return working.grow(state.best.language)
    except KeyboardInterrupt:
        state.end = "stopped"
        return None


def describe_best(best: Hypothesis | None, judge: Judge) -> str:
    """Return a few words for the best automaton so far."""
    if best is None:
        return ""
    count, wrong = len(judge.train) + len(judge.valid), best.all_wrong
    states = format_count(best.language.num_states, "state")
    return f"best: {states}, {wrong:,} of {format_count(count, 'word')} wrong"


def _place(words: LabelledWords, config: InferenceConfig) -> Path:
    """Return the file of a search, which another budget does not change."""
    values = {name: value for name, value in config.to_dict().items() if name != "budget"}
    key = json.dumps([version("lengthwise"), words.digest, values], sort_keys=True)
    return cache_folder() / "inference" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _load_progress(place: Path, judge: Judge) -> tuple[Working, list[Language], SearchState | None]:
    """Return the progress of a search: its words, the automata that others refuted, and its state.

    There is no state if it has not begun, or its file is damaged.
    """
    working = Working.of(judge)
    if not place.is_file():
        return working, [], None
    try:
        with values_of(place, remedy=""):
            values = dict(read_object(place))
            refuted = [from_dict(automaton) for automaton in values.pop("refuted")]
            for language in refuted:
                working = working.grow(language) or working
            return working, refuted, SearchState.from_dict(values, working.few)
    except LengthwiseError:
        return Working.of(judge), [], None


def _keeper(place: Path, refuted: Sequence[Language]) -> Callable[[SearchState], None]:
    def keep(state: SearchState) -> None:
        with suppress(OSError):  # without room, the search cannot go on later
            place.parent.mkdir(parents=True, exist_ok=True)
            write_json(
                place, {**state.to_dict(), "refuted": [to_dict(automaton) for automaton in refuted]}
            )

    return keep
