"""What the words that were held out say of what was inferred leads in the account of a run."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lengthwise.files import write_json
from lengthwise.problems.account import Account, Records
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.training.run_listing import STATEMENT
from lengthwise.training.runs import RunFolder


def judge_held_out(account: Account, records: Records, record: Mapping[str, Any]) -> Account:
    """Return an account with what the words that were held out say, which leads."""
    verdict, inferred = record.get("network", {}).get("verdict"), record["inferred"]
    is_proved = bool(account.values["proved"]) and verdict == "equivalent"
    proof = f"training ended {records.after} with a proof that it computes {inferred}"
    network = proof if is_proved else f"not proved {records.after}"
    against, command = record["refutation"], "report" if is_proved else "certify"
    own_names = ("judged", "support", "held_out_accuracy", "refutation")
    leading = {name: record[name] for name in ("headline", "held_out_accuracy")}
    statement = {name: value for name, value in record.items() if name not in own_names}
    refutation = f"proved equal to {inferred}; {against}" if against and is_proved else against
    return replace(
        account,
        rows=[
            (record["judged"], record["headline"]),
            ("network", network),
            *(("statement", sentence) for sentence in record["sentences"]),
        ],
        verdict=record["verdict"],
        refutation=refutation,
        values={**leading, **account.values, "statement": statement},
        advice=lambda: f"lengthwise {command} {records.name_folder()}",
    )


def write_conclusion(
    folder: RunFolder,
    certificate: Certificate,
    machine: Mapping[str, Mapping[str, Any]],
    statement: Mapping[str, Any],
    words: str,
) -> None:
    """Write a certificate, what was inferred (`machine`, by the name of its file), and the
    statement with the digests of these files and of the `words`."""
    certificate.save(folder.certificate)
    for name, values in machine.items():
        write_json(folder.path / name, values)
    digests = {
        name: hashlib.sha256((folder.path / name).read_bytes()).hexdigest()
        for name in (*machine, "certificate.json", "model.safetensors")
    }
    network = {"verdict": certificate.verdict, "strength": certificate.strength}
    record = {**statement, "digests": {"words": words, **digests}}
    write_json(folder.path / STATEMENT, {"network": network, **record})
