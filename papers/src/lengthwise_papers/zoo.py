"""Make the models of the zoo: what is missing is trained or computed, certified and recorded.

    python -m lengthwise_papers.zoo [NAME ...]

writes below `src/lengthwise/zoo/models`, and the board's entries. A model is made if it has no
record, or one of another recipe, so a stopped call continues with the next one. The tiny ones are
trained as `papers/results/own-smallest-proofs.json` says, which `lengthwise reproduce
own/smallest-proofs --out papers/results` measures.
"""

import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from lengthwise.board.entries import ADDERS, LANGUAGES, save_entries
from lengthwise.board.submission import depth_of_tree, judge_submission
from lengthwise.constructions.known_constructions import CONSTRUCTIONS, construct
from lengthwise.errors import ClaimError, ConfigError, VerificationError, unknown_name
from lengthwise.files import read_json, write_json, write_text
from lengthwise.languages.language import Language
from lengthwise.models.recognisers import DEFAULT_MODEL
from lengthwise.objectives.sizes import LARGE_MODEL
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.measure import RecognitionEvaluation
from lengthwise.problems.runs import load_run, train
from lengthwise.proofs.check.certificate import Certificate, digest_of
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.search.certify import certify
from lengthwise.training.construction_files import Compiled, save_compiled
from lengthwise.training.devices import commit, environment
from lengthwise.zoo.records import CARD, RECORD, card
from lengthwise.zoo_paths import ROOT
from lengthwise_papers.own.smallest_proofs import SETTINGS

REPOSITORY = Path(__file__).parents[3]

WORK = REPOSITORY / "build" / "zoo"
"""Where runs are trained, with all their files."""

MOST_CHUNKS = 200_000
"""Chunks of one level that a proof explores at most: certificates of more are too large to ship."""

SMALLEST = REPOSITORY / "papers" / "results" / "own-smallest-proofs.json"

KEPT = ("config.json", "model.safetensors", "metrics.jsonl", "certificate.json")
"""The files of a run that the package ships."""

TESTED, READ = "41,80,158,314,470,1000", "64,128,256,512,1024,2048"
"""Lengths of the words, and of the texts in tokens, on which models are tested."""

WORDS, WINDOWS = 256, 1_000
"""Words, and windows of the text, of each length."""

TEXT = "text:zoo:python-english"
"""The corpus that language models learn; the package holds its tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How a model is made: its language, text or construction, and settings that are not usual."""

    spec: str
    model: str | None = None
    """Name of the model that is trained; None for the usual one."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_trained: bool = True
    """Whether it is trained; on a language, it then has to have a proof."""

    @property
    def command(self) -> str:
        """The command that does the same."""
        verb = "train" if self.is_trained else "compile"
        model = "" if self.model is None else f" --model {self.model}"
        options = "".join(f" --set {key}={value}" for key, value in self.settings.items())
        return f"lengthwise {verb} {self.spec}{model}{options} --out DIR"


_HALF: Mapping[str, Any] = {"d_model": 32}
"""Half the usual width or less, so that the package stays small."""

_OF_LARGE = dict.fromkeys(("d-12", "modular-arithmetic", *ADDERS), LARGE_MODEL)
"""The networks for languages with too many state maps to list, and for adders, which they learn in
seconds."""


_SHAPE: Mapping[str, Any] = {"d_model": 128, "num_heads": 4, "d_hidden": 512}

_LANGUAGE_MODELS: Mapping[str, Mapping[str, Any]] = {
    "regular-gpt-lm": {**_SHAPE, "chunk_size": 16, "num_layers": 2},
    "gpt-lm": {**_SHAPE, "num_layers": 2, "position": "alibi"},
}

LARGE = ("modular-arithmetic", "A5", "Z60", "S5")
"""Languages whose exact weights are too large to ship; `compile` computes them in seconds."""


def recipes() -> dict[str, Recipe]:
    """Return how each model is made, by name."""
    by_name = {
        name.lower(): Recipe(spec=spec, model=_OF_LARGE.get(name, DEFAULT_MODEL), settings=_HALF)
        for name, spec in LANGUAGES.items()
        if name != "first"
    }
    by_name |= {f"{name.lower()}-tiny": recipe for name, recipe in _tiny().items()}
    by_name |= {
        f"{name.lower()}-exact": Recipe(spec=spec, is_trained=False)
        for name, spec in LANGUAGES.items()
        if name not in LARGE
    }
    by_name |= {
        name.removesuffix("-lm") + "-english": Recipe(spec=TEXT, model=name, settings=settings)
        for name, settings in _LANGUAGE_MODELS.items()
    }
    return by_name | {
        name.replace("chiang2022/", "chiang-"): Recipe(spec=name, is_trained=False)
        for name in ("chiang2022/parity", "chiang2022/first", "chiang2022/first-scaled")
    }


def _tiny() -> dict[str, Recipe]:
    """Return the recipe of the smallest proved network of each language."""
    if not SMALLEST.exists():
        return {}
    names = {spec: name for name, spec in LANGUAGES.items()}
    smallest: dict[str, dict[str, Any]] = {}
    for record in read_json(SMALLEST)["records"]:
        name = names[record["language"]]
        if record["verdict"] == "equivalent" and (
            name not in smallest or record["parameters"] < smallest[name]["parameters"]
        ):
            smallest[name] = record
    return {
        name: Recipe(
            spec=record["language"], model=record["model"], settings=_read_given_settings(record)
        )
        for name, record in smallest.items()
    }


def _read_given_settings(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the search gave the network of a record."""
    settings = record["settings"]
    own_settings = {"d_model": settings["network"]["d_model"], "seed": record["seed"]}
    return {**SETTINGS.get(record["model"], {}), **own_settings}


def note(message: str) -> None:
    """Print a line on standard error."""
    print(message, file=sys.stderr, flush=True)


def make(name: str, recipe: Recipe) -> None:
    """Make one model, and write its folder; its record and card come last.

    Raises:
        ClaimError: there is no proof where there has to be one.
    """
    work = WORK / name
    shutil.rmtree(work, ignore_errors=True)  # seconds are those of one training
    start = time.perf_counter()
    if recipe.is_trained:
        plan = make_plan(recipe.spec, recipe.model, settings=recipe.settings)
        run = train(plan, out=work, device="cpu")
    else:
        construction = construct(recipe.spec, recipe.settings)
        save_compiled(work, construction.compiled, construction.model, environment("cpu"))
        run = load_run(work, device="cpu")
    seconds = round(time.perf_counter() - start, 1)
    is_text = run.problem.kind == "language-modelling"
    certificate = None if is_text else _certificate(run, recipe, work)
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file_name in KEPT:
        if (work / file_name).exists():
            shutil.copyfile(work / file_name, folder / file_name)
    measured = _measure_text(run) if is_text else _measure_words(run)
    record = {**_record(name, recipe, run, certificate, seconds), **measured}
    write_text(folder / CARD, card(record))
    write_json(folder / RECORD, record)


def _certificate(run: Run, recipe: Recipe, work: Path) -> Certificate | None:
    try:
        certificate = certify(run.model, run.language, max_chunks=MOST_CHUNKS)
    except VerificationError as error:
        note(f"{work.name} has no certificate: {error}")
        return None
    if certificate.verdict != "equivalent":
        if recipe.is_trained:
            raise ClaimError(f"{work.name}: {certificate.statement}")
        note(f"{work.name} has no certificate: {certificate.statement}")
        return None
    certificate.save(work / "certificate.json")
    return check(Certificate.load(work / "certificate.json"))


def _record(
    name: str, recipe: Recipe, run: Run, certificate: Certificate | None, seconds: float
) -> dict[str, Any]:
    weights = {key: value.numpy() for key, value in run.model.state_dict().items()}
    entry = None if certificate is None else judge_submission(ROOT / name)
    known = CONSTRUCTIONS[recipe.spec].language if recipe.spec in CONSTRUCTIONS else recipe.spec
    plan = run.plan
    assert isinstance(plan, Plan | Compiled)
    settings = plan.network.to_dict()
    return {
        "name": name,
        "language": known,
        **_about(run, plan),
        "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
        "bits": None if entry is None else entry.bits,
        "depth": _depth(settings) if entry is None else entry.depth,
        "seconds": seconds,
        "statement": None if certificate is None else certificate.statement,
        "strength": None if certificate is None else certificate.strength,
        "certificate": None if entry is None else entry.certificate,
        "model_digest": digest_of(settings, weights),
        "settings": dict(recipe.settings),
        "command": recipe.command,
        "environment": environment("cpu"),
        "commit": commit() or "unknown",
        "date": datetime.now(UTC).date().isoformat(),
    }


def _measure_words(run: Run) -> dict[str, Any]:
    tested = evaluate_and_store(run, {"lengths": TESTED, "words": WORDS}, stored=False)
    assert isinstance(tested, RecognitionEvaluation)
    return {
        "accuracy": {str(n): share for n, share in tested.scores.accuracy_by_length().items()},
        "words_per_length": WORDS,
        "protocol": tested.values["protocol"],
        "example": _example(run.language),
    }


def _measure_text(run: Run) -> dict[str, Any]:
    tested = evaluate_and_store(run, {"lengths": READ, "words": WINDOWS}, stored=False)
    return {
        "accuracy": {},
        "perplexity": {str(n): value for n, value in tested.values["perplexity"].items()},
        "trained_to": tested.values["train_window"],
        "words_per_length": WINDOWS,
        "protocol": f"the last token of random windows, part {tested.values['part']}",
        "example": "The value of the",
    }


def _about(run: Run, plan: Plan | Compiled) -> dict[str, Any]:
    """Return what the record says of how weights came about."""
    if isinstance(plan, Plan):
        return {
            "made": "trained",
            "model": plan.model,
            "told": plan.supervision,
            "seed": plan.training.seed,
            "steps": run.metrics[-1]["step"],
            "claim": "",
        }
    return {
        "made": "constructed",
        "model": plan.model,
        "told": "the automaton",
        "seed": None,
        "steps": None,
        "claim": plan.claim["text"],
    }


def _depth(settings: Mapping[str, Any]) -> str:
    if "chunk_size" in settings:
        return depth_of_tree(settings)
    return f"{settings['num_layers']} layers"


def _example(language: Language) -> str:
    """Return a short word, as `predict` reads it."""
    *_, word = islice(language.words(max_length=5), 100)
    return language.decode(word)


def is_made(name: str, recipe: Recipe) -> bool:
    """Return whether there is a model that was made by this recipe."""
    record = ROOT / name / RECORD
    return record.exists() and read_json(record)["command"] == recipe.command


def main(names: list[str]) -> int:
    """Make what is missing of the named models, or of all; then write the board's entries."""
    if not SMALLEST.exists():
        raise ConfigError("the zoo is made in a checkout. There, run: pip install -e ./papers")
    known = recipes()
    for name in names:
        if name not in known:
            raise unknown_name("model of the zoo", name, known, ConfigError)
    for name in names or known:
        if not is_made(name, known[name]):
            note(f"making {name}: {known[name].command}")
            make(name, known[name])
    proved = [path.parent for path in sorted(ROOT.glob("*/certificate.json"))]
    save_entries([judge_submission(folder) for folder in proved])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
