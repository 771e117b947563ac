"""Export certificates of the zoo as files of Rocq, for `check.py`.

`make proofs` runs it, with lengthwise installed, before `check.py`. A file that is there already is
written again.
"""

import argparse
import sys
from pathlib import Path

from lengthwise.errors import LengthwiseError
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check_with_induction
from lengthwise.proofs.export.rocq import save_rocq
from lengthwise.zoo_paths import resolve_path

FOLDER = Path(__file__).resolve().parents[1] / "build" / "proofs"
"""Where the files are written."""

TABLE_1 = (
    *("cycle-navigation", "d-2", "d-3", "d-4", "even-pairs", "parity"),
    *("tomita-3", "tomita-4", "tomita-5", "tomita-6"),
)
TINY = (
    *("cycle-navigation-tiny", "d-12-tiny", "d-2-tiny", "d-3-tiny", "d-4-tiny", "even-pairs-tiny"),
    *("modular-arithmetic-tiny", "tomita-3-tiny", "tomita-4-tiny", "tomita-6-tiny"),
)
"""Models for languages of Table 1 whose certificates have a table; tiny ones are rational, so that
there is a theorem about their weights, too."""
SMOOTH = (
    *("parity-tiny", "s3-tiny", "tomita-5-tiny"),
    *("even-pairs", "parity", "tomita-5", "tomita-6"),
)
"""Models with norms and softmax, tanh or gates, with a theorem about them in floating point; the
kernel takes half a minute for one of the trees."""


FILES = {name.replace("-", "_"): (name, False) for name in (*TABLE_1, *TINY)} | {
    f"{name.replace('-', '_')}_floats": (name, True) for name in SMOOTH
}
"""By the name of a file: its model, and whether it has the theorem about a smooth one."""


def export(file: str, folder: Path) -> Path:
    """Check the certificate of a model of the zoo, and return the path of the file of this name.

    Raises:
        LengthwiseError: the certificate is not right, or has no table.
    """
    name, smooth = FILES[file]
    path = folder / f"{file}.v"
    certificate = Certificate.load(resolve_path(f"zoo:{name}") / "certificate.json")
    save_rocq(path, *check_with_induction(certificate), smooth=smooth)
    return path


def main(arguments: list[str] | None = None) -> int:
    """Export all of them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="default: build/proofs")
    folder = parser.parse_args(arguments).out
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            export(file, folder)
    except (LengthwiseError, OSError) as error:
        print(f"proofs: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
