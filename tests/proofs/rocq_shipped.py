"""The files that `make proofs` checks: those of `proofs/certificates`, and exports of the zoo."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from export_zoo import FILES, export

from proofs.rocq_kernel import PROOFS

WRITTEN = tuple(sorted(path.stem for path in (PROOFS / "certificates").glob("*.v")))
"""Those that are there; parity is one that the zoo exports, too, for people to read."""

EXPORTED = tuple(FILES)
"""Those of models of the zoo."""

SHIPPED = tuple(sorted({*WRITTEN, *EXPORTED}))


@cache
def export_text(name: str) -> str:
    """The file that the zoo's model exports now."""
    with TemporaryDirectory() as folder:
        return export(name, Path(folder)).read_text(encoding="utf-8")


def find_text(name: str) -> str:
    """A file of this name, exported now if it is one of the zoo."""
    if name in EXPORTED:
        return export_text(name)
    return (PROOFS / "certificates" / f"{name}.v").read_text(encoding="utf-8")
