"""The table of `proof_assistant.md`, from the figures that `make proofs` wrote."""

import json
from pathlib import Path

from lengthwise.escapes import table_in_markdown


def table(figures: Path) -> str:
    """Return a row for the library and for each certificate, in the order of their checking."""
    rows = [
        [
            row["file"],
            f"{row['bytes'] / 1000:.0f}" if "bytes" in row else "",
            f"{row['coqc_seconds']:.1f}",
            str(row["coqc_megabytes"]),
            f"{row['coqchk_seconds']:.1f}" if "coqchk_seconds" in row else "",
            str(row.get("coqchk_megabytes", "")),
        ]
        for row in json.loads(figures.read_text(encoding="utf-8"))
    ]
    return table_in_markdown(["file", "kilobytes", "coqc, s", "MB", "coqchk, s", "MB"], rows)
