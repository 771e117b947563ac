"""Certificates of step tasks, for `certify`: they are in `rule.json`, and need no language."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.output import note, print_facts, print_json
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.proofs.check.rule_certificate import RuleCertificate, check_rule

if TYPE_CHECKING:
    from lengthwise.problems.base import Run

RULE_FILE = "rule.json"
"""Name of such a certificate in the folder of its run; `--check` knows it by this name."""


def certify_steps(arguments: argparse.Namespace, trained: "Run") -> None:
    """Certify a run on a step task, and save the certificate beside it.

    Raises:
        ClaimError: the run is not proved right.
    """
    from lengthwise.problems.capabilities import ProvingSteps

    _require_plain(arguments)
    if arguments.out is not None and arguments.out.name != RULE_FILE:
        raise ConfigError(f"such a certificate is called {RULE_FILE}. Give --out DIR/{RULE_FILE}.")
    assert isinstance(trained.problem, ProvingSteps)
    certificate = trained.problem.certify_steps(trained)
    place = arguments.out
    if place is None and trained.folder is not None and not trained.folder.is_read_only:
        place = trained.folder.path / RULE_FILE
    if place is not None:
        certificate.save(place)
    _show(certificate, arguments, "not saved; give --out FILE" if place is None else str(place))


def check_steps(arguments: argparse.Namespace) -> None:
    """Check a saved certificate of a step task, and that it is about the run beside it.

    Raises:
        CertificateError: something in it does not follow, or the run has other weights.
        ClaimError: it holds, and says that the network is not right.
    """
    _require_plain(arguments)
    if arguments.out is not None:
        raise ConfigError("--check takes a file, and perhaps a run. Leave --out out.")
    certificate = check_rule(RuleCertificate.load(arguments.check))
    folder: Path = arguments.run or arguments.check.parent
    if arguments.run is not None or (folder / "config.json").exists():
        certificate.require_run(folder)
    if not arguments.json:
        note("checked: every row of the table follows from the weights in the file.")
    _show(certificate, arguments, str(arguments.check))


def _require_plain(arguments: argparse.Namespace) -> None:
    given = (arguments.against, arguments.max_chunks, arguments.export)
    if given != (None, None, None) or arguments.strength != "auto":
        raise ConfigError(
            "a step task has one kind of proof. Leave out --against, --strength, --max-chunks and "
            "--export."
        )
    if arguments.precision != "weights":
        raise ConfigError("there is no proof of steps in bfloat16. Leave --precision out.")


def _show(certificate: RuleCertificate, arguments: argparse.Namespace, place: str) -> None:
    values = certificate.summary()
    if arguments.json:
        print_json({**values, "certificate": place})
    else:
        margin = "none" if values["margin"] is None else f"{values['margin']:.3g}"
        print_facts(
            [
                ("verdict", values["verdict"]),
                ("statement", values["statement"]),
                ("rows", f"{values['certain_rows']} of {values['rows']} are certain"),
                ("least margin", margin),
                ("certificate", place),
            ]
        )
    if certificate.verdict != "equivalent":
        remedy = " Train longer." if certificate.verdict == "not-closed" else ""
        raise ClaimError(f"{certificate.verdict}: {certificate.statement}{remedy}")
