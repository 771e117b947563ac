"""Values of a language within two seconds: those known by then, and a line if it was stopped."""

import json
import re
import subprocess
import sys
import threading
import time
from typing import Any

from lengthwise.explorer.language_values import STAGES
from lengthwise.explorer.server import Asked
from lengthwise.explorer.worker import WorkerQuestion
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict
from lengthwise.messages import format_count

SECONDS = 1.8
"""Time after which a language is stopped, counted from the request."""

_LONGEST_MESSAGE = 2_000


class Workers:
    """Starts a process ahead of each request, so that the request does not wait for imports."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._spare: subprocess.Popen[bytes] | None = _start()

    def answer(self, asked: Asked) -> dict[str, Any]:
        """Return the same of what the page asks for: `answer_drawing`, or `spec` with an
        `alphabet`.
        """
        if "drawn" in asked:
            return self.answer_drawing(asked["drawn"])
        return self.answer_typed(asked.get("spec", ""), asked.get("alphabet"))

    def answer_typed(self, spec: str, alphabet: str | None) -> dict[str, Any]:
        """Return the finished stages of a language that the page asks for, with `error` or
        `describe_stop` if not all were finished.
        """
        return self._answer(WorkerQuestion(spec=spec, alphabet=alphabet, is_typed=True))

    def answer_given(self, spec: str, alphabet: str | None) -> dict[str, Any]:
        """Return the same of a language that the user of this machine named, files too."""
        return self._answer(WorkerQuestion(spec=spec, alphabet=alphabet, is_typed=False))

    def of(self, language: Language, function: Function | None = None) -> dict[str, Any]:
        """Return the same of a language, or of that of a function."""
        stored = None if function is None else function.to_dict()
        return self._answer(WorkerQuestion(stored=to_dict(language), function=stored))

    def answer_drawing(self, text: str) -> dict[str, Any]:
        """Return the same of an automaton that is drawn in the page, from its JSON, with `att`."""
        return self._answer(WorkerQuestion(drawn=text))

    def _answer(self, question: WorkerQuestion) -> dict[str, Any]:
        start = time.monotonic()
        with self._lock:
            process, self._spare = self._spare or _start(), None
        line = json.dumps(question).encode() + b"\n"
        try:
            output, _ = process.communicate(line, timeout=self._seconds)
            is_stopped = False
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            is_stopped = True
        with self._lock:
            if self._spare is None:
                self._spare = _start()
        stages = _read(output)
        if "error" in stages or all(stage in stages for stage in STAGES):
            return stages
        after = f"{time.monotonic() - start:.1f} s" if is_stopped else "a fault of its process"
        return {**stages, "stopped": describe_stop(stages, question.get("spec", ""), after)}

    def close(self) -> None:
        """End the process that waits."""
        with self._lock:
            process, self._spare = self._spare, None
        if process is not None:
            process.kill()
            process.communicate()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "lengthwise.explorer.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _read(output: bytes) -> dict[str, Any]:
    """Return the stages by name, from whole lines only."""
    stages: dict[str, Any] = {}
    for line in output.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            continue
        record = json.loads(line)
        if "error" in record:
            return refusal(record["error"])
        stages[record["stage"]] = record["values"]
    return stages


def refusal(message: str) -> dict[str, Any]:
    """Return an error as values: its line, and the column that it names, if it does."""
    line = " ".join(message.split())[:_LONGEST_MESSAGE]
    column = re.search(r"\bcolumn (\d+)", line)
    return {"error": line, "column": None if column is None else int(column.group(1))}


def describe_stop(values: dict[str, Any], spec: str, after: str) -> str:
    """Return a line that says how far the computation of a language came."""
    if "automaton" not in values:
        progress = f"{format_count(len(spec), 'character')} were read" if spec else "all was read"
        return (
            f"stopped after {after}: {progress}, and the automaton was not finished. Ask for less"
        )
    states = format_count(values["automaton"]["num_states"], "state")
    if "monoid" not in values:
        return f"stopped after {after}: the automaton has {states}, and its monoid was not finished"
    size = values["monoid"].get("size")
    known = f"the automaton has {states}"
    known += "" if size is None else f", its monoid {format_count(size, 'element')}"
    return f"stopped after {after}: {known}, and the ladder was not finished"
