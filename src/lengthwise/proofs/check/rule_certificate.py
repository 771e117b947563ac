"""A certificate that a decoder adds numbers of every length, because it follows a finite rule.

On disk it is one JSON file of a closed form, whose last entry is a digest of the rest. It has the
weights, the table of rows, and the verdict. `check_rule` computes the table again from the weights
(`local_rule.py`) and believes nothing else. That whoever follows the table adds is proved once, in
Rocq (`proofs/theories/Adder.v`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from lengthwise.arguments import path_of
from lengthwise.errors import CertificateError
from lengthwise.files import write_bytes
from lengthwise.messages import format_count
from lengthwise.proofs.check import schema
from lengthwise.proofs.check.arrays import pack, unpack
from lengthwise.proofs.check.form import ARRAY
from lengthwise.proofs.check.local_rule import (
    BLANK,
    LETTERS,
    PRECISIONS,
    Row,
    addition_table,
    exact_numbers,
    first_wrong,
    judge_rows,
)
from lengthwise.proofs.check.statement import escape_unprintable

_FORMAT = "addition by a local rule, 1"
_WHO = "The pointer-decoder with these weights, for steps:addition with order=carries,"
_KINDS = Literal["equivalent", "counterexample", "not-closed"]

_FORM = {
    "format": _FORMAT,
    "verdict": schema.Choice(("equivalent", "counterexample", "not-closed")),
    "weights": schema.Named(ARRAY),
    "table": [{"writes": str, "reads": [int], "bit": int}],
    "wrong": schema.Maybe(schema.Pair([int])),
    "margin": schema.Maybe(float),
    "digest": str,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleCertificate:
    """What is proved of a decoder that adds, with the evidence.

    `lw.steps.certify` makes it, and `save` writes it to a file.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.train("steps:addition", "pointer-decoder", preset="smoke", order="carries")
        >>> len(lw.steps.certify(run).table) <= 112  # the rows whose bit is certain
        True
    """

    verdict: _KINDS
    weights: Mapping[str, NDArray[Any]]
    table: Mapping[Row, int]
    """The rows whose bit is certain, with the bit that the network writes."""
    wrong: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """The shortest numbers, as bits, for which a cell is surely wrong, if there are some."""
    margin: float | None = None
    """By how much the right bit's logit is ahead in every row, at least; None without a proof."""

    @property
    def precision(self) -> str:
        """The type of the weights."""
        return self.weights["read"].dtype.name

    @property
    def statement(self) -> str:
        """The claim in a sentence."""
        if self.verdict == "equivalent":
            finer = PRECISIONS[PRECISIONS.index(self.precision) :]
            ranges = ", ".join(f"in {p} to {exact_numbers(p) - 1:,}" for p in finer)
            return (
                f"{_WHO} writes the carries and the sum modulo 2^n of every two n-bit numbers: in "
                f"real arithmetic for every n, {ranges} bits."
            )
        if self.wrong is not None:
            a, b = (sum(bit << i for i, bit in enumerate(bits)) for bits in self.wrong)
            size = format_count(len(self.wrong[0]), "bit")
            return f"{_WHO} writes a wrong carry or a wrong sum for {a} + {b}, numbers of {size}."
        certain, rows = len(self.table), len(addition_table())
        return f"Nothing is proved: what the decoder writes is certain in {certain} of {rows} rows."

    def summary(self) -> dict[str, Any]:
        """Return the result without the evidence, as plain values."""
        wrong = None if self.wrong is None else ["".join(map(str, bits)) for bits in self.wrong]
        return {
            "verdict": self.verdict,
            "statement": self.statement,
            "precision": self.precision,
            "rows": len(addition_table()),
            "certain_rows": len(self.table),
            "margin": self.margin,
            "wrong": wrong,
            "parameters": sum(weight.size for weight in self.weights.values()),
        }

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        body = {
            "format": _FORMAT,
            "verdict": self.verdict,
            "weights": {name: pack(weight) for name, weight in sorted(self.weights.items())},
            "table": [
                {"writes": letter, "reads": list(read), "bit": bit}
                for (letter, read), bit in sorted(self.table.items())
            ],
            "wrong": None if self.wrong is None else [list(bits) for bits in self.wrong],
            "margin": self.margin,
        }
        return _canonical({**body, "digest": hashlib.sha256(_canonical(body)).hexdigest()})

    def save(self, path: Path | str) -> None:
        """Write the file `path`."""
        write_bytes(path_of("a certificate", path), self.to_bytes())

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read the file `path`, and verify that every byte is as it was written.

        Raises:
            CertificateError: the file cannot be read, is not such a certificate, or was changed.
        """
        path = path_of("a certificate", path)
        try:
            content = path.read_bytes()
        except OSError as error:
            why = error.strerror or "unknown"
            raise CertificateError(f"{path} cannot be read ({why}). Name the file.") from None
        try:
            body = json.loads(content)
            schema.require_form(body, _FORM)
            certificate = cls(
                verdict=body["verdict"],
                weights={name: unpack(packed) for name, packed in body["weights"].items()},
                table={(r["writes"], tuple(r["reads"])): r["bit"] for r in body["table"]},
                wrong=body["wrong"] and tuple(map(tuple, body["wrong"])),
                margin=body["margin"],
            )
            same = certificate.to_bytes() == content
        except Exception as error:  # the bytes can be anything
            raise CertificateError(
                f"{path} is not a certificate of an addition, or it was changed "
                f"({escape_unprintable(str(error) or repr(error))[:100]}). Certify the model again."
            ) from None
        if not same:
            raise CertificateError(
                f"{path} was changed: it is not byte for byte as it was written. Certify the model "
                f"again."
            )
        return certificate

    def require_run(self, folder: Path) -> None:
        """Refuse a certificate of other weights, or of another task, than the run in a folder.

        Raises:
            CertificateError: they differ, or cannot be read.
        """
        file = folder / "model.safetensors"
        try:
            weights = load(file.read_bytes())
            config = json.loads((folder / "config.json").read_bytes())
            order, supervision = config["problem"]["steps"]["order"], config["objective"]
            is_strong = supervision["supervision"] != "weak"
        except (OSError, ValueError, LookupError, TypeError, SafetensorError) as error:
            said = escape_unprintable(str(error) or repr(error))[:100]
            raise CertificateError(f"{folder} cannot be read ({said}). Name a run.") from None
        bits = range(1, len(order) // 2 + 1)
        if not is_strong or order != [*(f"c{i + 1}" for i in bits), *(f"e{i}" for i in bits)]:
            raise CertificateError(
                f"the certificate is about order=carries, but the run in {folder} writes another "
                f"order. Certify a run of that order."
            )
        if replace(self, weights=weights).to_bytes() != self.to_bytes():
            raise CertificateError(
                f"the certificate holds for its own weights, but {file} DIFFERS. Certify that run."
            )


def prove_rule(weights: Mapping[str, NDArray[Any]]) -> RuleCertificate:
    """Return what follows from weights alone.

    Raises:
        CertificateError: they are not those of a decoder with pointers for addition.
    """
    _require_shapes(weights)
    right = addition_table()
    rows = list(right)
    with np.errstate(all="ignore"):
        bits, margins = judge_rows(rows, weights)
    table = {
        row: int(bit) for row, bit, margin in zip(rows, bits, margins, strict=True) if margin > 0
    }
    if table == right:
        margin = float(margins.min())
        return RuleCertificate(verdict="equivalent", weights=weights, table=table, margin=margin)
    known: dict[Row, int | None] = {row: table.get(row) for row in right}

    def rule(row: Row) -> int | None:
        """Return the bit that is written in any row, also in one that only errors lead to."""
        if row not in known:
            with np.errstate(all="ignore"):
                (bit,), (margin,) = judge_rows([row], weights)
            known[row] = int(bit) if margin > 0 else None
        return known[row]

    wrong = first_wrong(rule)
    verdict: _KINDS = "not-closed" if wrong is None else "counterexample"
    return RuleCertificate(verdict=verdict, weights=weights, table=table, wrong=wrong)


def check_rule(claimed: RuleCertificate) -> RuleCertificate:
    """Return the certificate that follows from the weights, if it is the one that is claimed.

    Raises:
        CertificateError: something in it does not follow from the weights.
    """
    proved = prove_rule(claimed.weights)
    for part in ("verdict", "table", "wrong"):
        schema.require(
            getattr(proved, part) == getattr(claimed, part), f"the {part} follows from the weights"
        )
    return proved


def _require_shapes(weights: Mapping[str, NDArray[Any]]) -> None:
    width = weights["answer.weight"].shape[-1] if "answer.weight" in weights else 0
    shapes = {
        "read": (len(LETTERS), 2, BLANK + 1, width),
        "written": (len(LETTERS), width),
        "answer.weight": (BLANK, width),
        "answer.bias": (BLANK,),
    }
    found = {name: weight.shape for name, weight in weights.items()}
    types = {weight.dtype.name for weight in weights.values()}
    schema.require(
        found == shapes and width > 0 and len(types) == 1 and types <= set(PRECISIONS),
        "the weights are those of a pointer-decoder for steps:addition, with order=carries",
    )


def _canonical(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, separators=(",", ":"), allow_nan=False) + "\n").encode()
