"""The table of `proof_assistant.md`, from the figures that `make proofs` wrote."""

import json
from pathlib import Path

from lengthwise.escapes import table_in_markdown


def table(figures: Path) -> str:
    """Return a row for the library and for each certificate, in the order of their checking.

    Without coqchk (`check.py --quick`), there are no columns of it.
    """
    found = json.loads(figures.read_text(encoding="utf-8"))
    programs = [name for name in ("coqc", "coqchk") if any(f"{name}_seconds" in r for r in found)]
    rows = [
        [
            row["file"],
            f"{row['bytes'] / 1000:.0f}" if "bytes" in row else "",
            *(
                cell
                for name in programs
                for cell in (
                    f"{row[f'{name}_seconds']:.1f}" if f"{name}_seconds" in row else "",
                    str(row.get(f"{name}_megabytes", "")),
                )
            ),
        ]
        for row in found
    ]
    heads = [cell for name in programs for cell in (f"{name}, s", "MB")]
    return table_in_markdown(["file", "kilobytes", *heads], rows)
