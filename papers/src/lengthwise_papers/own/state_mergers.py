"""State merging by other people's programs: RPNI and EDSM of AALpy, and EDSM of flexfringe.

flexfringe is a program in C++, which has to be built and on the PATH.
"""

import json
import resource
import shutil
import signal
import subprocess
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from aalpy.learning_algs.deterministic_passive.RPNI import run_RPNI
from aalpy.learning_algs.general_passive.GsmAlgorithms import run_EDSM

from lengthwise.errors import MissingLibraryError
from lengthwise.files import write_text
from lengthwise.languages.language import Language

Word = tuple[int, ...]
Merger = Callable[[Language, Mapping[Word, int], int, Path], Language | None]
"""Returns an automaton that fits words of a language, or None if so many seconds of a processor
are not enough."""

_EDSM_SETTINGS = (
    "--heuristic-name=evidence_driven",
    "--data-name=edsm_data",
    "--largestblue=1",
    "--sinkson=0",
    "--lowerbound=0",
    "--extend=0",
)
"""The settings of flexfringe's `ini/edsm.ini`."""


def commonest_label(words: Mapping[Word, int]) -> int:
    """Return the label that most words have; 0 if as many have 1."""
    return max((0, 1), key=list(words.values()).count)


def merge_by_aalpy(
    run: Callable[..., Any],
    language: Language,
    words: Mapping[Word, int],
    seconds: int,
    folder: Path,
) -> Language | None:
    """Merge states by an algorithm of AALpy."""
    data = [(word, bool(label)) for word, label in words.items()]
    try:
        with _limit_time(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an automaton may lack transitions
            model = run(data, "dfa", input_completeness=None, print_info=False)
    except TimeoutError:
        return None
    numbers = {state.state_id: number for number, state in enumerate(model.states)}
    moves = {
        (numbers[state.state_id], symbol): numbers[target.state_id]
        for state in model.states
        for symbol, target in state.transitions.items()
    }
    classes = [int(state.is_accepting) for state in model.states]
    return _complete(language, moves, classes, numbers[model.initial_state.state_id])


def merge_by_flexfringe(
    language: Language, words: Mapping[Word, int], seconds: int, folder: Path
) -> Language | None:
    """Merge states by evidence with flexfringe.

    Raises:
        MissingLibraryError: there is no such program.
    """
    program = shutil.which("flexfringe")
    if program is None:
        raise MissingLibraryError(
            "flexfringe: no such program. Build https://github.com/tudelft-cda-lab/FlexFringe and "
            "put it on the PATH."
        )
    file = folder / "words.dat"
    lines = [f"{label} {len(word)} {' '.join(map(str, word))}" for word, label in words.items()]
    write_text(file, "\n".join([f"{len(words)} {language.num_symbols}", *lines, ""]))
    done = subprocess.run(
        [program, *_EDSM_SETTINGS, str(file)],
        cwd=folder,
        check=False,
        capture_output=True,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds)),
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    done.check_returncode()
    model = json.loads(Path(f"{file}.ff.final.json").read_text())
    common = commonest_label(words)
    numbers = {node["id"]: number for number, node in enumerate(model["nodes"])}
    types = [int(name) for name in model["types"]]
    classes = []
    for node in model["nodes"]:
        counts = {types[int(key)]: n for key, n in node["data"].get("final_counts", {}).items()}
        classes.append(max(counts, key=counts.__getitem__) if counts else common)
    moves = {
        (numbers[int(edge["source"])], int(edge["name"])): numbers[int(edge["target"])]
        for edge in model["edges"]
    }
    (start,) = (numbers[node["id"]] for node in model["nodes"] if node["level"] == 0)
    return _complete(language, moves, classes, start)


def _complete(
    language: Language, moves: Mapping[tuple[int, int], int], classes: list[int], start: int
) -> Language:
    """Return an automaton in which transitions that are not there lead back to their states."""
    return Language(
        alphabet=language.alphabet,
        transitions=tuple(
            tuple(moves.get((state, symbol), state) for symbol in range(language.num_symbols))
            for state in range(len(classes))
        ),
        classes=tuple(classes),
        start=start,
        class_names=language.class_names,
    ).minimise()


@contextmanager
def _limit_time(seconds: int) -> Iterator[None]:
    """Raise `TimeoutError` when so much processor time is used up."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


MERGERS: Mapping[str, Merger] = {
    "RPNI": partial(merge_by_aalpy, run_RPNI),
    "EDSM": partial(merge_by_aalpy, run_EDSM),
    "flexfringe": merge_by_flexfringe,
}
