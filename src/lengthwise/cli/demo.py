"""The main job in a minute or two on two cores: train, extrapolate, certify, report."""

import argparse
from pathlib import Path

from lengthwise.cli.output import add_json, note, print_json, print_table
from lengthwise.cli.progress import counting_progress, training_progress
from lengthwise.evaluation.scores import percent
from lengthwise.experiments.demo import demo
from lengthwise.report.report import write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to put the runs, and which model to show."""
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), metavar="DIR")
    parser.add_argument("--model", default="regular-gpt-binary")
    parser.add_argument("--preset", default="laptop")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the demo and print its table and the path of its report."""
    note(
        "Learning three regular languages from at most 40 symbols, asking about 41 to 500, "
        "then proving the rest."
    )
    results = {}
    for spec, summary in demo(
        arguments.out,
        model=arguments.model,
        preset=arguments.preset,
        watch=training_progress,
        count=counting_progress,
    ):
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
    print(f"report: {page.resolve()}")
