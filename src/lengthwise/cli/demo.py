"""The command `demo`: trains, extrapolates, certifies and reports in minutes on two cores."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.output import add_json, note, print_json, print_table, say
from lengthwise.evaluation.scores import percent
from lengthwise.files import require_folder_place

if TYPE_CHECKING:
    from lengthwise.problems.base import Plan


LANGUAGES = ("parity", "even-pairs", "cycle-navigation")
TEST_LENGTHS = range(41, 501)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the runs, the model and the preset to the parser."""
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), metavar="DIR")
    parser.add_argument("--model", default="regular-gpt-binary")
    parser.add_argument("--preset", default="laptop")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the demo and print its table and the path of its report."""
    from lengthwise.problems.planning import make_plan
    from lengthwise.report.report import write_report

    require_folder_place(arguments.out)
    plans = [make_plan(spec, arguments.model, preset=arguments.preset) for spec in LANGUAGES]
    note(
        "Learning three regular languages from at most 40 symbols, asking about 41 to 500, "
        "then proving the rest."
    )
    results = {}
    for spec, summary in demo(arguments.out, plans):
        results[spec] = summary
        note(
            f"{spec}: {percent(summary['mean_accuracy'])} % on lengths 41..500, "
            f"worst length {percent(summary['worst_accuracy'])} %"
        )
        note(f"{spec}: {summary['certificate']['statement']}")
    page = arguments.out / "report.html"
    write_report([Path(summary["run"]) for summary in results.values()], page)
    if arguments.json:
        print_json({"runs": results, "report": str(page)})
        return
    print_table(
        ["language", "steps", "mean % at 41..500", "worst %", "shortcut %", "words", "proof"],
        [
            [
                spec,
                str(summary["steps"]),
                percent(summary["mean_accuracy"]),
                percent(summary["worst_accuracy"]),
                percent(max(summary["shortcuts"].values())),
                str(summary["words"]),
                f"{summary['certificate']['verdict']} ({summary['certificate']['strength']})",
            ]
            for spec, summary in results.items()
        ],
    )
    say(f"report: {page.resolve()}")


def demo(out: Path, plans: "Sequence[Plan]") -> Iterator[tuple[str, dict[str, Any]]]:
    """Train, test and certify by each plan; yield the language and the results.

    The runs are folders of `out`; a run that was trained there before is tested again, not trained
    again.
    """
    from lengthwise.problems.base import evaluate_and_store
    from lengthwise.problems.runs import train
    from lengthwise.proofs.search.certify import certify
    from lengthwise.training.progress import counting_progress, training_progress
    from lengthwise.training.runs import RunFolder

    for plan in plans:
        spec = plan.problem.name
        with training_progress(f"{spec}, {plan.model}", plan.training.steps) as progress:
            run = train(plan, out=out / spec, device="cpu", progress=progress)
        tested = evaluate_and_store(run, {"lengths": TEST_LENGTHS}, counting_progress)
        results = {**tested.values, "run": str(out / spec), "steps": run.metrics[-1]["step"]}
        certificate = certify(run.model, run.language)
        certificate.save(RunFolder(out / spec).certificate)
        yield spec, {**results, "certificate": certificate.summary()}
