"""The subject of a page, a language, a run or a circuit, and what its server answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lengthwise.circuits.adders import adder_circuit
from lengthwise.circuits.circuit_files import read_circuit
from lengthwise.errors import ConfigError, LanguageError, RunError
from lengthwise.explorer.circuit_values import circuit_values
from lengthwise.explorer.language_values import stages
from lengthwise.explorer.server import Answer
from lengthwise.explorer.timed_values import Workers
from lengthwise.languages.functions.by_name import function_of
from lengthwise.languages.spec import parse
from lengthwise.zoo_paths import is_shipped

EXAMPLES = (
    "regex:(0|10*1)*",
    "parity",
    "regex:(ab)*",
    "tomita-3",
    "d-2",
    "cycle-navigation",
    "group:S3",
    "ltl:H (b -> Y a)",
    "add[base=2]",
)
"""Languages that the page offers; the first is shown if no other is asked for."""

_CIRCUIT = "circuit:"

_SECONDS = 30.0
"""Time for a language that is named on the command line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSubject:
    """The data of a page."""

    data: dict[str, Any]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Questions about this subject, by name, beside those about languages."""


def subject_of(
    name: str | None,
    alphabet: str | None,
    *,
    served: bool,
    say: Callable[[str], object] | None = None,
) -> ShownSubject:
    """Return the subject that is named: the folder of a run, `zoo:NAME`, a language, or
    `circuit:FILE`.

    A page that is not served cannot ask, so it has all examples in it. `say` gets a line about
    work that may take long, and about what such a page cannot do.

    Raises:
        LanguageError: the name is neither.
        RunError: the run cannot be read, or is about no language.
        CertificateError: the run's certificate was changed.
        CircuitError: the circuit cannot be read, or has too many gates.
    """
    circuit = circuit_values(adder_circuit(2), "addition of two numbers of two bits")
    if name is not None and name.startswith(_CIRCUIT):
        file = name.removeprefix(_CIRCUIT)
        circuit, name = circuit_values(read_circuit(file), Path(file).name), None
    subject = _subject_of(name, alphabet, served, say)
    return replace(subject, data={**subject.data, "circuit": circuit})


def _subject_of(
    name: str | None, alphabet: str | None, served: bool, say: Callable[[str], object] | None
) -> ShownSubject:
    workers = Workers(_SECONDS)
    try:
        if name is not None and (is_shipped(name) or Path(name).is_dir()):
            if alphabet is not None:
                raise ConfigError(f"{name} is a run, whose alphabet is known. Omit --alphabet.")
            return _subject_of_run(Path(name), workers, served, say)
        if name is not None and "/" in name and ":" not in name:  # names of languages have none
            raise RunError(f"{name} is not a folder. Give the folder of a run, or a language.")
        first = workers.answer_given(EXAMPLES[0] if name is None else name, alphabet)
    finally:
        workers.close()
    if "error" in first:
        raise LanguageError(first["error"])
    first_spec = first["automaton"]["spec"]
    other_specs = [] if served else [spec for spec in EXAMPLES if spec != first_spec]
    others = [parse(spec) for spec in other_specs]
    languages = [first, *(dict(stages(other, function_of(other))) for other in others)]
    return ShownSubject(data={"languages": languages, "examples": list(EXAMPLES), "run": None})


def _subject_of_run(
    folder: Path, workers: Workers, served: bool, say: Callable[[str], object] | None
) -> ShownSubject:
    from lengthwise.explorer.run_values import Network, run_values  # noqa: PLC0415  torch
    from lengthwise.problems.functions.problem import FunctionProblem  # noqa: PLC0415  torch
    from lengthwise.problems.runs import load_run  # noqa: PLC0415  torch

    run = load_run(folder, device="cpu")
    values = run_values(run, say)
    is_within = any(values[kind] is not None for kind in ("tables", "recurrent", "slots"))
    if say is not None and not (served or is_within):
        say(
            f"a page in a file cannot run {run.plan.model}: it reads words as the language does; "
            f"without --out the network reads them"
        )
    problem = run.problem
    function = problem.function if isinstance(problem, FunctionProblem) else None
    first = workers.of(run.language, function)
    first["automaton"]["spec"] = run.language.spec or run.problem.name
    return ShownSubject(
        data={"languages": [first], "examples": list(EXAMPLES), "run": values},
        answers={"word": Network(run.model, run.language).answer},
    )
