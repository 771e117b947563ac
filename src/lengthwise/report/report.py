"""One self-contained page about runs: settings, curves, shortcuts, published beside measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from lengthwise.analysis.analyses import ANALYSES, record_path
from lengthwise.analysis.figures import accuracy_figure, loss_figure, to_svg
from lengthwise.errors import CertificateError, RunError
from lengthwise.evaluation.scores import Score, Scores, percent
from lengthwise.experiments.chi2023.table1 import PUBLISHED
from lengthwise.experiments.published import Published
from lengthwise.files import read_object, require_kinds, write_text
from lengthwise.training.compiled import is_compiled
from lengthwise.training.loop import kept
from lengthwise.training.runs import RunFolder
from lengthwise.training.train import Plan, plan_from_dict
from lengthwise.verification.certificate import Certificate
from lengthwise.verification.check import check
from lengthwise.verification.statement import at_least, at_most


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One look inside the trained model, by `analyse`."""

    title: str
    words: str
    figure: str
    """An SVG element."""
    numbers: list[tuple[str, str]]
    caption: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """The certificate of a run as the page shows it."""

    certificate: Certificate
    """What the checker verified; what the file says, where it verified nothing."""
    path: Path
    refused: str = ""
    """Why the checker verified nothing of a claim; empty if it did, or if there is no claim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    """What the page shows of one run."""

    name: str
    config: dict[str, Any]
    metrics: list[dict[str, Any]]
    evaluation: dict[str, Any] | None
    scores: Scores
    published: Published | None
    proof: Proof | None
    looks: list[Look]

    @property
    def settings(self) -> list[tuple[str, str]]:
        """All settings, by part."""
        rows = []
        for part, values in self.config.items():
            if part == "language":
                rows.append((part, values["spec"]))
            elif isinstance(values, dict):
                rows.extend((f"{part}.{key}", str(value)) for key, value in values.items())
            else:
                rows.append((part, str(values)))
        return rows

    @property
    def kept(self) -> Mapping[str, Any]:
        """The record of the validation whose weights were kept."""
        return kept(self.metrics)

    @property
    def trained_to(self) -> int:
        """Longest training word."""
        return int(self.config["recognition"]["max_length"])

    @property
    def longest_lesson(self) -> int:
        """Symbols of the longest sub-word that exploration may have taught a part of."""
        return max((record.get("lesson_length", 0) for record in self.metrics), default=0)

    @property
    def comparable(self) -> Published | None:
        """The printed numbers, if training and test lengths are those of the paper."""
        printed, tested = self.published, self.scores.lengths
        if printed is None or self.trained_to != printed.train_length or not tested:
            return None
        first, last = printed.test_lengths
        near = first <= tested[0] <= first + 1 and last - 1 <= tested[-1] <= last
        return printed if near else None

    @property
    def some_records(self) -> list[Score]:
        """Accuracy and loss by length and class, at about a dozen lengths."""
        lengths = self.scores.lengths
        shown = {*lengths[:: max(1, len(lengths) // 11)], lengths[-1]}
        return [record for record in self.scores.records if record.length in shown]

    @property
    def curve(self) -> str | None:
        """Accuracy by length as an SVG element."""
        if self.evaluation is None:
            return None
        figure = accuracy_figure(
            {self.name: self.scores.accuracy_by_length()},
            self.trained_to,
            self.evaluation["shortcuts"],
        )
        return to_svg(figure)

    @property
    def losses(self) -> str:
        """Loss by step as an SVG element."""
        return to_svg(loss_figure(self.metrics))


def read_run(path: Path) -> RunPage:
    """The records of a run folder.

    Raises:
        RunError: it is not one, or a record is damaged.
    """
    folder = RunFolder(path)
    config = folder.config()
    if is_compiled(config):
        raise RunError(
            f"{path} holds computed weights, and a report is about training. Use verify."
        )
    if not isinstance(plan_from_dict(config), Plan):  # raises unless it is whole
        raise RunError(
            f"{path} is not about a language, and a report is about words of any length. Use "
            f"evaluate."
        )
    scores = Scores.from_records(folder.scores())
    evaluation = folder.evaluation()
    if (evaluation is None) != (not scores.records):
        raise RunError(
            f"{path} holds one half of an evaluation: scores.jsonl or evaluation.json is empty "
            f"or missing. Evaluate it again."
        )
    metrics = folder.metrics()
    if folder.is_finished and not metrics:
        raise RunError(f"{path}/metrics.jsonl is empty or missing. Train again in a new folder.")
    if evaluation is not None:
        _require_evaluation(evaluation, path)
        if scores.total != evaluation["words"]:
            raise RunError(
                f"{path}/scores.jsonl holds the scores of {scores.total} words, but "
                f"evaluation.json is about {evaluation['words']}. Evaluate again."
            )
    return RunPage(
        name=f"{config['language']['spec'] or 'a machine'}, {config['model']}",
        config=config,
        metrics=metrics,
        evaluation=evaluation,
        scores=scores,
        published=published(config),
        proof=read_proof(folder),
        looks=read_looks(path),
    )


def read_looks(path: Path) -> list[Look]:
    """What `analyse` left in a run folder, drawn.

    Raises:
        RunError: a record is damaged.
    """
    looks = []
    for name, entry in ANALYSES.items():
        file = record_path(path, name)
        if not file.exists():
            continue
        record = read_object(file, remedy="Analyse the run again.")
        try:
            lengths = ", ".join(map(str, record["lengths"]))
            look = Look(
                title=entry.title,
                words=f"{record['words_per_length']} uniform words of {lengths} symbols",
                figure=to_svg(entry.draw(record)),
                numbers=entry.numbers(record),
                caption=entry.caption,
            )
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise RunError(f"{file} is damaged ({error!r:.80}). Analyse the run again.") from None
        looks.append(look)
    return looks


def read_proof(folder: RunFolder) -> Proof | None:
    """Check the run's last certificate, if there is one.

    Raises:
        CertificateError: the file was changed, or is of other weights than the run's.
    """
    if not folder.certificate.exists():
        return None
    certificate = Certificate.load(folder.certificate)
    certificate.require_model(folder.network(), folder.arrays())
    if certificate.verdict == "not-closed":
        return Proof(certificate=certificate, path=folder.certificate)
    try:
        return Proof(certificate=check(certificate), path=folder.certificate)
    except CertificateError as error:
        return Proof(certificate=certificate, path=folder.certificate, refused=str(error))


def _require_evaluation(evaluation: Mapping[str, Any], path: Path) -> None:
    """Refuse a summary that lacks something of what the page shows.

    Raises:
        RunError: it does.
    """

    def require(values: Mapping[str, Any], kinds: Mapping[str, str], part: str = "") -> None:
        require_kinds(
            values, kinds, where=f"{path}/evaluation.json{part}", remedy="Evaluate again."
        )

    require(evaluation, _OF_EVALUATION)
    for name, kind in (("interval_95", "a number"), ("lengths", "a whole number")):
        pair = {str(index): value for index, value in enumerate(evaluation[name])}
        require(pair, {"0": kind, "1": kind}, f", {name}")
    shortcuts = evaluation["shortcuts"]
    require(shortcuts, dict.fromkeys(shortcuts or ["majority"], "a number"), ", shortcuts")


_OF_EVALUATION = {
    **dict.fromkeys(("mean_accuracy", "worst_accuracy", "mean_loss"), "a number"),
    **dict.fromkeys(("worst_length", "words", "num_lengths"), "a whole number"),
    **dict.fromkeys(("lengths_without_words", "words_per_length"), "a whole number"),
    "first_length_below_99": "a whole number or null",
    "interval_95": "a list",
    "lengths": "a list",
    "shortcuts": "an object",
    "protocol": "a text",
}


def published(config: dict[str, Any]) -> Published | None:
    """The printed number for the language and network of a run, if the paper has one."""
    column = _COLUMNS.get(config["model"])
    if "chunk" in config["network"]:
        column = f"regular-gpt C={config['network']['chunk']}"
    return PUBLISHED.get((config["language"]["spec"], column)) if column else None


_COLUMNS = {"elman": "rnn", "chomsky-transformer": "transformer"}
"""Models other than RegularGPT that have a column in Table 1 of Chi et al. (2023)."""


def render(pages: Sequence[RunPage], title: str = "lengthwise report") -> str:
    """The page as HTML, with nothing to load from elsewhere."""
    environment = Environment(
        loader=PackageLoader("lengthwise", "report"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, at_least=at_least, at_most=at_most)
    return environment.get_template("report.html").render(pages=pages, title=title)


def write_report(paths: Sequence[Path], out: Path) -> None:
    """Read the run folders and write the page.

    Raises:
        RunError: a folder is not a run.
    """
    write_text(out, render([read_run(path) for path in paths]))
