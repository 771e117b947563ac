"""The command `snap`: snaps vectors or states of a run to representatives, and stores tables."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.output import (
    add_json,
    make_integer_type,
    note,
    print_facts,
    print_json,
    print_table,
)
from lengthwise.errors import ConfigError, VerificationError
from lengthwise.messages import format_count
from lengthwise.proofs.search.limits import MAX_ELEMENTS

if TYPE_CHECKING:
    from lengthwise.problems.base import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run, the limit of elements and the rounds to the parser."""

    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--max-elements",
        type=make_integer_type(1),
        help=f"classes of vectors of one level of a tree at most, where memory is continuous "
        f"(default {MAX_ELEMENTS})",
    )
    parser.add_argument(
        "--rounds",
        type=make_integer_type(0),
        default=0,
        help="if the snapped recurrence is not proved, train a copy on the word on which it is "
        "wrong, and snap it again, this many times at most; needs --out (default 0)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to store the run of a retrained copy"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Make the tables, save them beside the model, and print how much was merged."""
    from lengthwise.models.stepping import may_be_stepped
    from lengthwise.problems.runs import load_run
    from lengthwise.proofs.search.network import require_regular_gpt
    from lengthwise.training.runs import RunFolder

    RunFolder(arguments.run).require_writable()
    if bool(arguments.rounds) != (arguments.out is not None):
        raise ConfigError(
            "a retrained copy becomes a run of its own, so --rounds and --out DIR go together. "
            "Give both, or neither."
        )
    trained = load_run(arguments.run, device="cpu")
    if not may_be_stepped(trained.model):
        require_regular_gpt(trained.model)
        if arguments.rounds:
            raise ConfigError("--rounds is for recurrences, and this run is a tree. Leave it out.")
        _snap_vectors(trained, arguments)
        return
    if arguments.max_elements is not None:
        raise ConfigError(
            "--max-elements is for trees, and this run is a recurrence. Leave it out."
        )
    _snap_states(trained, arguments)


def _snap_vectors(trained: "Run", arguments: argparse.Namespace) -> None:
    from lengthwise.problems.recognition.measure import SNAPPED_FILE
    from lengthwise.proofs.search.extraction import extract_algebra
    from lengthwise.proofs.search.snapped_file import save_snapped

    extraction = extract_algebra(
        trained.model,
        trained.language.domain,
        max_elements=arguments.max_elements or MAX_ELEMENTS,
    )
    path = arguments.run / SNAPPED_FILE
    save_snapped(path, extraction, trained.model)
    summary = extraction.summary()
    if arguments.json:
        print_json({"run": str(arguments.run), "file": str(path), **summary})
        return
    print_facts(
        [
            ("file", str(path)),
            ("is the model", extraction.fidelity),
            ("levels", f"{len(extraction.levels)}, then from {extraction.algebra.repeat} again"),
            ("largest spread", f"{extraction.spread:.3g}"),
            ("smallest gap", f"{extraction.gap:.3g}"),
        ]
    )
    print_table(
        ["level", "place", "images", "elements", "spread", "gap"],
        [
            [
                str(number),
                place,
                str(len(snaps.elements)),
                str(len(snaps.representatives)),
                f"{snaps.spread:.3g}",
                f"{snaps.gap:.3g}",
            ]
            for number, level in enumerate(extraction.levels, start=1)
            for place, snaps in (("interior", level.interior), ("edge", level.edge))
        ],
    )


def _snap_states(trained: "Run", arguments: argparse.Namespace) -> None:
    """Snap a recurrence; with rounds, retrain a copy where the snapped network is not proved."""
    from lengthwise.problems.recognition.measure import SNAPPED_FILE
    from lengthwise.proofs.search.snapped_file import digest_of_states
    from lengthwise.proofs.search.state_snapping import (
        draw_validation,
        snap_recurrence,
        snap_states,
    )

    folder, model, language = arguments.run, trained.model, trained.language
    snapping, rounds = snap_recurrence(model, language), 0
    if arguments.rounds and snapping.verdict != "equivalent":
        from lengthwise.examination.retraining import require_free, retrain, store_run
        from lengthwise.training.construction_files import Compiled
        from lengthwise.training.runs import RunFolder

        require_free(RunFolder(arguments.out))
        if isinstance(trained.plan, Compiled):
            raise ConfigError("computed weights are not trained. Leave --rounds out.")
        note("the snapped network is not proved; training a copy")
        retrained = retrain(
            model,
            language,
            snapping,
            lambda steps: snap_states(steps, language, draw_validation(language)),
            rounds=arguments.rounds,
            longest=getattr(trained.plan.data, "max_length", 40),
            seed=trained.plan.training.seed,
        )
        if retrained.rounds:
            model, snapping, rounds = retrained.model, retrained.snapping, len(retrained.rounds)
            folder = store_run(trained, retrained, arguments.out).path
        else:
            note(f"no copy was trained: {retrained.reason}")
    elif arguments.rounds:
        note("the snapped network is proved as it is, so no copy is trained")
    if snapping.snapped is None:
        raise VerificationError(
            f"no automaton is near this model: {snapping.reason}. Train longer, or give --rounds 3 "
            f"and --out DIR."
        )
    path = folder / SNAPPED_FILE
    snapping.snapped.save(path, model_digest=digest_of_states(model))
    summary = snapping.summary()
    if arguments.json:
        print_json({"run": str(folder), "file": str(path), "rounds": rounds, **summary})
        return
    facts = [
        ("file", str(path)),
        ("is the model", "no, another function near it: states move to representatives"),
        ("snapped", snapping.describe(language)),
        ("largest move", f"{summary['largest_move']:.3g}"),
    ]
    if rounds:
        said = f"in {format_count(rounds, 'round')}; the copy is the run {folder}"
        facts.insert(0, ("retrained", said))
    print_facts(facts)
