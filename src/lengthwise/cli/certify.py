"""The command `certify`: proves a model right at every length, or finds a shortest wrong word."""

import argparse
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from lengthwise.cli.certify_steps import RULE_FILE, certify_steps, check_steps
from lengthwise.cli.output import add_json, make_integer_type, note, print_facts, print_json
from lengthwise.errors import (
    CertificateError,
    ClaimError,
    ConfigError,
    RunError,
    VerificationError,
    unknown_name,
)
from lengthwise.files import require_file_place
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.certificate import Certificate, Strength
from lengthwise.proofs.check.file import OF_RUNS, check_file
from lengthwise.proofs.check.induction import Induction, check_with_induction
from lengthwise.proofs.check.networks import OF_CODE
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.check.statement import escape_unprintable, facts_of, terms_of
from lengthwise.proofs.search.closure import MAX_CHUNKS
from lengthwise.training.run_listing import read_statement

if TYPE_CHECKING:
    from torch import nn

    from lengthwise.training.runs import RunFolder

_SECONDS_OF_SILENCE = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the run and the language, or the certificate to check, to the parser."""
    parser.add_argument(
        "run", type=Path, metavar="DIR", nargs="?", help="the folder of a trained run"
    )
    parser.add_argument(
        "--against",
        metavar="SPEC",
        help="language to prove it against (default: the one it was trained on)",
    )
    parser.add_argument(
        "--strength",
        choices=["auto", *get_args(Strength)],
        default="auto",
        help="kind of proof (default auto: the one for the model)",
    )
    parser.add_argument(
        "--precision",
        choices=get_args(Precision),
        default="weights",
        help="the arithmetic that the claim is about: that of the weights' type, or bfloat16, to "
        "which the model is cast (default: weights)",
    )
    parser.add_argument(
        "--max-chunks",
        type=make_integer_type(1),
        help="most chunks to explore at one level (default 1,000,000)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to save it (default: certificate.json in the run, or certificate-bfloat16.json "
        "with --precision bfloat16, unless --against is given)",
    )
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="check a saved certificate, or that of zoo:NAME; with DIR, also that it is about this "
        "run's model, and with --against, that it is about that language",
    )
    parser.add_argument(
        "--export",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        help="write the checked certificate for a proof assistant: rocq FILE.v has theorems about "
        "its table, and about the weights of rational networks, for the kernel of Rocq (Coq) to "
        "check; rocq-floats FILE.v also about a network with norms, softmax or tanh as it runs in "
        "floating point, which takes the kernel minutes",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Certify a run, or check a certificate, and export it if asked to."""
    if arguments.export is not None:
        _require_export(*arguments.export)
    if arguments.check is not None and arguments.check.name == RULE_FILE:
        check_steps(arguments)
    elif arguments.check is not None:
        _check(arguments)
    elif arguments.run is None:
        raise ConfigError("certify needs the folder of a run, or --check FILE.")
    else:
        _certify(arguments)


def _certify(arguments: argparse.Namespace) -> None:
    from lengthwise.languages.spec import parse
    from lengthwise.problems.capabilities import ProvingSteps, proving
    from lengthwise.problems.functions.problem import FunctionProblem
    from lengthwise.problems.runs import load_run
    from lengthwise.training.construction_files import Compiled

    if arguments.out is not None:
        require_file_place(arguments.out)
        _require_no_file_of_a_run(arguments.out, arguments.run)
    trained = load_run(arguments.run, device="cpu")
    if isinstance(trained.problem, ProvingSteps):
        certify_steps(arguments, trained)
        return
    options = {
        "against": parse(arguments.against) if arguments.against is not None else None,
        "strength": arguments.strength,
        "precision": arguments.precision,
        "max_chunks": arguments.max_chunks or MAX_CHUNKS,
        "progress": _Levels(),
    }
    try:
        certificate = proving(trained.problem).certify(trained, options)
    except VerificationError as error:
        if not isinstance(trained.plan, Compiled):
            raise
        remedy = f"What computed weights claim is tested by lengthwise verify {arguments.run}"
        raise VerificationError(f"{error} {remedy}") from None
    out, saved = _place(arguments, trained.folder, certificate)
    if out is not None:
        certificate.save(out)
    unsnapped = _classify_unsnapped(certificate, trained.model)
    statement = None
    if trained.folder is not None and arguments.against is None:
        statement = read_statement(trained.folder.path)
    if arguments.json:
        place = None if out is None else saved
        as_run = {} if unsnapped is None else {"model_as_it_runs": unsnapped}
        saved_as = {"certificate": place, "run": str(arguments.run)}
        print_json(
            {
                **_judgement(statement, in_json=True),
                **certificate.summary(),
                **as_run,
                **saved_as,
            }
        )
    else:
        lines = [*_judgement(statement).items(), *facts_of_certificate(certificate)]
        if isinstance(trained.problem, FunctionProblem):
            said = trained.problem.describe_wrong_input(trained, certificate)
            lines += [] if said is None else [("wrong input", said)]
        if unsnapped is not None:
            lines.append(("without snapping", _describe_unsnapped(certificate, unsnapped)))
        print_facts([*lines, ("certificate", saved)])
    if arguments.export is not None:
        _export(arguments.export, *check_with_induction(certificate))
    if certificate.verdict != "equivalent":
        remedy = _remedy(certificate, isinstance(trained.plan, Compiled))
        raise ClaimError(f"{_verdict_of(certificate, arguments)}{remedy}")
    _require_unrefuted(statement)


def _judgement(statement: Mapping[str, Any] | None, *, in_json: bool = False) -> dict[str, str]:
    """Return how good what was inferred is by the words held out, under its name; nothing if the
    run infers nothing."""
    if statement is None:
        return {}
    name = f"judged_by_{statement['evidence']}" if in_json else statement["judged"]
    return {name: statement["headline"]}


def _require_unrefuted(statement: Mapping[str, Any] | None) -> None:
    """Refuse to end well where words refute the automaton that the network is equal to."""
    if statement is not None and statement["refutation"]:
        raise ClaimError(f"proved equal to {statement['inferred']}; {statement['refutation']}")


def _remedy(certificate: Certificate, is_compiled: bool) -> str:
    """Return the way to a proof where none was found."""
    if certificate.verdict != "not-closed":
        return ""
    if is_compiled:
        return " Compile it with --as slots, which is proved for any automaton."
    if certificate.is_of_snapped or certificate.strength == "robust":
        return " Train longer, or train a model that is proved as it runs: regular-gpt-slots."
    return " Train longer, or give a greater --max-chunks if that is the reason."


def _classify_unsnapped(certificate: Certificate, model: "nn.Module") -> str | None:
    """Return the class that the model as it runs gives a word on which the snapped one is wrong.

    None if the claim is about the model as it runs, or its logits are not numbers.
    """
    from lengthwise.proofs.search.network import predict_class

    if not certificate.is_of_snapped or certificate.counterexample is None:
        return None
    number = predict_class(model, certificate.language.encode(certificate.counterexample.word))
    return None if number is None else certificate.language.class_names[number]


def _describe_unsnapped(certificate: Certificate, name: str) -> str:
    assert certificate.counterexample is not None
    if name == certificate.counterexample.language:
        return (
            f"the model as it runs gives this word the class {escape_unprintable(name)}, "
            "which is right"
        )
    return (
        f"the model as it runs gives this word the class {escape_unprintable(name)}, "
        "which is wrong, too"
    )


def _require_no_file_of_a_run(out: Path, run: Path | str) -> None:
    """Refuse to overwrite a file of a run, or the certificate of another run."""
    from lengthwise.training.runs import RunFolder

    is_own = out.parent.resolve() == Path(run).resolve()
    if out.name not in OF_RUNS and (is_own or not out.name.startswith("certificate")):
        return
    try:
        RunFolder(out.parent).config()
    except RunError:
        return
    raise ConfigError(
        f"{out.parent} is the folder of a run, which keeps a file of its own as {out.name}. Give "
        f"another name or folder."
    )


def _place(
    arguments: argparse.Namespace, folder: "RunFolder | None", certificate: Certificate
) -> tuple[Path | None, str]:
    """Return where a certificate is saved, if it is, and the same in words."""
    if arguments.out is not None:
        return arguments.out, str(arguments.out)
    if arguments.against is not None or folder is None:
        return None, "not saved; give --out FILE"
    if folder.is_read_only:
        why = "the run comes with the package" if folder.is_shipped else "DIR cannot be written to"
        return None, f"not saved, since {why}; give --out FILE"
    out = folder.certificate
    if arguments.precision != "weights":
        out = out.with_stem(f"{out.stem}-{arguments.precision}")
    if certificate.verdict == "not-closed" and out.exists():
        return None, "not saved, since the run has one; give --out FILE"
    return out, str(out)


class _Levels:
    """Prints the sizes of the levels, if exploring them takes long."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, level: int, interior: int, edge: int) -> None:
        if time.monotonic() - self._start > _SECONDS_OF_SILENCE:
            note(f"level {level}: {interior:,} interior and {edge:,} edge pairs")


def _check(arguments: argparse.Namespace) -> None:
    values = (arguments.out, arguments.max_chunks, arguments.strength, arguments.precision)
    if values != (None, None, "auto", "weights"):
        raise ConfigError(
            "--check takes a file, and perhaps a run and --against; leave out the others."
        )
    checked_file = check_file(
        arguments.check,
        language=arguments.against,
        require_own=None if arguments.run is None else partial(_require_own, arguments.run),
    )
    verified, beside = checked_file.certificate, checked_file.beside
    if arguments.export is not None:
        _export(arguments.export, verified, checked_file.induction)
    run = None if arguments.run is None else str(arguments.run)
    is_of_run = beside is None or beside.is_same
    statement = read_statement(arguments.run or checked_file.path.parent) if is_of_run else None
    if arguments.json:
        compared = {"checked": True, "run": run, "against": arguments.against}
        is_same = None if beside is None else beside.is_same
        facts_of_file = {**verified.summary(), **compared, "matches_model_beside": is_same}
        print_json({**_judgement(statement, in_json=True), **facts_of_file})
    else:
        note(
            "checked: the statement follows from the table in the file."
            if verified.kind == "Table"
            else "checked: every step follows, from the weights in the file to the statement."
        )
        lines = [*_judgement(statement).items(), *facts_of_certificate(verified)]
        if run is not None:
            cast = "" if verified.precision == "weights" else f" cast to {verified.precision}"
            lines.append(
                ("the model is", f"that of {run}{cast}: the same settings, weights and symbols")
            )
        if beside is not None:
            lines.append(("compared with", beside.said))
        if arguments.against is not None:
            lines.append(("the language is", arguments.against))
        print_facts(lines)
    checked_file.require_same()
    if verified.verdict != "equivalent":
        raise ClaimError(_verdict_of(verified, arguments))
    _require_unrefuted(statement)


def _require_own(run: Path, certificate: Certificate) -> None:
    """Refuse a certificate that is not of the run in a folder."""
    from lengthwise.problems.runs import require_own_certificate
    from lengthwise.training.runs import RunFolder

    require_own_certificate(certificate, RunFolder(run))
    if certificate.kind in OF_CODE:
        from lengthwise.problems.runs import load_run
        from lengthwise.proofs.search.certify_table import recompute

        recompute(certificate, load_run(run, device="cpu").model)
        what = "table" if certificate.kind == "Table" else "program"
        note(f"computed again: the network in the folder takes every step as the {what} says.")


def _verdict_of(certificate: Certificate, arguments: argparse.Namespace) -> str:
    """Return the verdict, with the statement where no line above has it."""
    checked_too = "" if arguments.check is None else ", checked"
    statement = f": {certificate.statement}" if arguments.json else ", as the statement above says."
    return f"{certificate.verdict}{checked_too}{statement}"


def _require_export(form: str, file: str) -> None:
    """Refuse a format that there is not, and a file that cannot be written, before any work."""
    from lengthwise.proofs.export.rocq import require_rocq_name

    if form not in _EXPORTS:
        raise unknown_name("format of --export", form, _EXPORTS)
    require_rocq_name(Path(file))
    require_file_place(Path(file))


_EXPORTS = ("rocq", "rocq-floats")
_TABLES = {
    "snapped": "the table of the snapped model",
    "robust": "the table of classes of vectors",
    "tabulated": "the table in the certificate",
}


def _export(
    export: tuple[str, str], verified: Certificate, induction: Induction | PrefixInduction | None
) -> None:
    from lengthwise.proofs.export.rocq import save_rocq
    from lengthwise.proofs.export.rocq_smooth import estimate_minutes, reason_without_smooth
    from lengthwise.proofs.export.rocq_weights import type_of

    form, file = export
    smooth = form == "rocq-floats"
    if smooth and (reason := reason_without_smooth(verified)):
        raise CertificateError(f"there is no theorem about this network as it runs: {reason}.")
    try:
        save_rocq(Path(file), verified, induction, smooth=smooth)
    except MemoryError:
        raise CertificateError(
            f"writing {file} needs more memory than there is. Export it on a larger machine."
        ) from None
    if smooth:
        assert induction is not None  # exported
        minutes = estimate_minutes(verified, induction)
        about = f"the table and the network in {type_of(verified)}, in any order of additions"
        note(f"wrote {file}, about {about}: python3 proofs/check.py {file} takes {minutes:.1f} min")
        return
    note(
        f"wrote {file}, about {_theorems(verified)}: coqc -Q proofs/theories Lengthwise {file} "
        "checks it"
    )


def _theorems(verified: Certificate) -> str:
    """Return what the theorems of an export are about."""
    from lengthwise.proofs.export.rocq_weights import (
        reason_without_floats,
        reason_without_weights,
    )

    without = reason_without_weights(verified)
    table = _TABLES.get(verified.strength, "the table")
    if without:
        return f"{table}, not about weights ({without})"
    inexact = reason_without_floats(verified)
    rounding = f", not about rounding ({inexact})" if inexact else ", with their rounding"
    return f"{table} and the weights{rounding}"


def _in_precision(certificate: Certificate) -> str:
    return "" if certificate.precision == "weights" else f", {certificate.precision}"


def facts_of_certificate(certificate: Certificate) -> list[tuple[str, str]]:
    """Describe a certificate as names and values."""
    lines = [
        ("verdict", f"{certificate.verdict} ({certificate.strength}{_in_precision(certificate)})"),
        ("statement", certificate.statement),
        *facts_of(certificate),
        ("model", certificate.model_digest),
    ]
    first, *others = terms_of(certificate)
    return [*lines, ("provided that", first), *(("", term) for term in others)]
