"""The files of an experiment: records as JSON, figures as SVG, and a page about them.

Records of an earlier measurement are kept: what they hold is not measured again. If only what is
done is wanted, and the folder of runs has nothing that the file lacks, the file stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.analysis.figures import to_svg
from lengthwise.errors import MissingLibraryError, NothingFinishedError, RunError, TextError
from lengthwise.files import read_json, write_json, write_text
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.cells import run_name
from lengthwise_papers.experiment import (
    Experiment,
    MeasurementOptions,
    Record,
    Unit,
    file_name,
    reproduce,
)
from lengthwise_papers.page import section


class Stored(NamedTuple):
    """Holds what a measurement left."""

    result: dict[str, Any]
    """As `reproduce` returns it."""
    files: list[str]
    num_kept: int
    """Number of records of trained runs that the file had before."""
    is_changed: bool = True
    """False if the first of the files, that of the records, was left as it was."""


def units(name: str, preset: str, options: MeasurementOptions, out: Path) -> list[Unit]:
    """Return the units of work of an experiment, done or not.

    Raises:
        RunError: the file of records is damaged, or of another experiment.
    """
    return EXPERIMENTS[name].units(name, preset, _with_earlier(name, preset, options, out))


def measure_and_store(name: str, preset: str, options: MeasurementOptions, out: Path) -> Stored:
    """Measure what is missing, and write the files of the experiment into a folder.

    Raises:
        ConfigError: there is no such preset, or the options do not fit the experiment.
        RunError: the file of records is damaged, or of another experiment.
    """
    experiment, file = EXPERIMENTS[name], out / file_name(name, preset)
    options = _with_earlier(name, preset, options, out)
    earlier = options.stored
    try:
        result = reproduce(name, experiment, preset=preset, options=options)
    except (NothingFinishedError, TextError, MissingLibraryError):
        if not (options.finished and options.earlier):
            raise
        return _as_stored(name, experiment, file)  # tables are functions of records alone
    records = result["records"]
    if options.finished and (
        len(records) < len(options.earlier) or _has_all(options.earlier, records)
    ):
        return _as_stored(name, experiment, file)  # fewer: earlier ones that do not name their part
    now = _by_digest(_records(file, name, preset))
    _add(
        result["records"],
        [record for digest, record in now.items() if earlier.get(digest) != record],
    )
    num_kept = sum({"commit", "digest"} <= one.keys() for one in result["records"])
    return Stored(result, write(name, experiment, result, file), num_kept)


def _as_stored(name: str, experiment: Experiment, file: Path) -> Stored:
    """Return what a file of records holds, and draw it."""
    result = read_json(file)
    num_kept = sum("digest" in record for record in result["records"])
    files = [str(file), *_draw(name, experiment, result, file)]
    return Stored(result, files, num_kept, is_changed=False)


def _has_all(earlier: Sequence[Record], records: Sequence[Record]) -> bool:
    """Return whether all that was found is among earlier records, whatever their settings name."""

    def measure(record: Record) -> Record:
        return {key: value for key, value in record.items() if key not in _NOT_MEASURED}

    known = [measure(record) for record in earlier]
    return all(measure(record) in known for record in records)


_NOT_MEASURED = ("settings", "commit", "part")
"""Values that a record may lack, or have in another form, though nothing was measured again."""


def write(name: str, experiment: Experiment, result: dict[str, Any], records: Path) -> list[str]:
    """Store the records, draw the figures, write a page about them, and return the paths."""
    write_json(records, result)
    return [str(records), *_draw(name, experiment, result, records)]


def _draw(name: str, experiment: Experiment, result: dict[str, Any], records: Path) -> list[str]:
    files = []
    for figure, picture in experiment.figures(result["records"]).items():
        path = records.with_name(f"{records.stem}-{figure}.svg")
        write_text(path, to_svg(picture))
        files.append(str(path))
    page = records.with_suffix(".md")
    write_text(page, f"{section(name, experiment, result, pictures=records.stem)}\n")
    return [*files, str(page)]


def _with_earlier(
    name: str, preset: str, options: MeasurementOptions, out: Path
) -> MeasurementOptions:
    earlier = _records(out / file_name(name, preset), name, preset)
    stored = _by_digest(earlier)
    if owner := getattr(EXPERIMENTS[name], "runs_of", ""):  # its file has the same runs, too
        of_owner = _by_digest(_records(out / file_name(owner, preset), owner, preset))
        stored |= of_owner | {k: record for k, record in stored.items() if "error" not in record}
    return replace(options, stored=stored, earlier=earlier)


def _records(file: Path, name: str, preset: str) -> list[Record]:
    """Return the records of a file, each with the commit that made it.

    Raises:
        RunError: the file was not written by this module, or is of another experiment or preset.
    """
    if not file.exists():
        return []
    try:
        stored = read_json(file)
        holds = f"{stored['experiment']}, preset {stored['preset']}"
        if not isinstance(stored["records"], list):
            raise TypeError
        records = [{"commit": stored["commit"], **record} for record in stored["records"]]
        for record in _by_digest(records).values():
            run_name(record)
            if "error" not in record and not (record.keys() >= _OF_RUNS and {**record["tests"]}):
                raise KeyError
    except (KeyError, TypeError):
        raise RunError(f"{file} is damaged. Move it away, or use another --out.") from None
    if holds != f"{name}, preset {preset}":
        raise RunError(
            f"{file} holds {holds}, but {name}, preset {preset}, is asked for. Move it away, or "
            f"use another --out."
        )
    return records


_OF_RUNS = {"steps", "seconds", "parameters", "flops", "supervision", "trained_on", "tests"}
"""Names that every record of a run that ended has."""


def _by_digest(records: Sequence[Record]) -> dict[str, Record]:
    """Return the records of trained runs."""
    return {record["digest"]: record for record in records if "digest" in record}


def _add(records: list[Record], new: Sequence[Record]) -> None:
    """Add records that another command has stored meanwhile; they replace those only kept."""
    places = {run_name(record): place for place, record in enumerate(records) if "digest" in record}
    for record in new:
        place = places.get(run_name(record))
        if place is None:
            records.append(record)
        elif "commit" in records[place]:
            records[place] = record
