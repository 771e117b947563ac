"""The search for an automaton in the words of a file, which goes on where it was stopped.

How far it is lies in the cache folder, by the digest of the words and the settings. It is written
after every attempt, and goes when an automaton is found or nothing is left to try.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lengthwise import __version__
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.errors import LengthwiseError
from lengthwise.files import cache_folder, read_object, values_of, write_json
from lengthwise.inference.portfolio import SEARCHERS, Hypothesis, Judge, SearchState, search
from lengthwise.inference.rungs.catalogue import ASSUMED
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.results import Watch
from lengthwise.wording import counted


def searched(
    words: LabelledWords, judge: Judge, config: InferenceConfig, title: str, watch: Watch
) -> SearchState:
    """Search for at most the budget, going on where an earlier search of these words ended."""
    place = _place(words, config)
    with watch(f"inferring an automaton from {title}", "seconds") as progress:
        before = _read(place, judge)
        since = 0.0 if before is None else before.seconds

        def show(state: SearchState) -> None:
            if progress is not None:
                seconds = min(int(state.seconds - since), int(config.budget))
                progress(seconds, max(int(config.budget), 1), described(state.best, judge))

        found = search(
            judge,
            max_states=config.max_states,
            searchers=SEARCHERS if config.assume is None else [ASSUMED[config.assume]()],
            budget=config.budget,
            state=before,
            keep=_keeper(place),
            show=show,
        )
    if found.end in ("explained", "exhausted"):
        place.unlink(missing_ok=True)
    return found


def described(best: Hypothesis | None, judge: Judge) -> str:
    """Return a few words for the best automaton so far."""
    if best is None:
        return ""
    count, wrong = len(judge.train) + len(judge.valid), best.wrong + best.wrong_in_validation
    states = counted(best.language.num_states, "state")
    return f"best: {states}, {wrong:,} of {counted(count, 'word')} wrong"


def _place(words: LabelledWords, config: InferenceConfig) -> Path:
    """Return the file of a search, which another budget does not change."""
    values = {name: value for name, value in config.to_dict().items() if name != "budget"}
    key = json.dumps([__version__, words.digest, values], sort_keys=True)
    return cache_folder() / "inference" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _read(place: Path, judge: Judge) -> SearchState | None:
    """Return how far a search is; None if there is none, or its file is damaged."""
    if not place.is_file():
        return None
    try:
        with values_of(place, remedy=""):
            return SearchState.from_dict(read_object(place), judge)
    except LengthwiseError:
        return None


def _keeper(place: Path) -> Callable[[SearchState], None]:
    def keep(state: SearchState) -> None:
        with suppress(OSError):  # without room, the search cannot go on later
            place.parent.mkdir(parents=True, exist_ok=True)
            write_json(place, state.to_dict())

    return keep
