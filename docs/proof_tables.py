"""The table of `proof_assistant.md`, from the figures that `make proofs` wrote."""

import json
from pathlib import Path


def table(figures: Path) -> str:
    """Return a row for the library and for each certificate, in the order of their checking."""
    lines = [
        "| file | kilobytes | coqc, s | MB | coqchk, s | MB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in json.loads(figures.read_text(encoding="utf-8")):
        size = f"{row['bytes'] / 1000:.0f}" if "bytes" in row else ""
        cells = [
            row["file"],
            size,
            f"{row['coqc_seconds']:.1f}",
            str(row["coqc_megabytes"]),
            f"{row['coqchk_seconds']:.1f}",
            str(row["coqchk_megabytes"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
