"""Small run folders of every kind of problem, and copies of them.

binary-proved  continuous  encoder     trained on a language
compiled                               computed weights
steps  text  pairs                     trained on the other problems, on the corpora beside them
"""

import shutil
from pathlib import Path

RUNS = Path(__file__).parent
CORPORA = ("text", "pairs")

_MOVED = "/moved/corpus"


def copy(name: str, folder: Path) -> None:
    """Copy a run and the corpora to a folder, as `run`, `text` and `pairs`."""
    shutil.copytree(RUNS / name, folder / "run")
    for corpus in CORPORA:
        shutil.copytree(RUNS / "corpora" / corpus, folder / corpus)
    config = folder / "run" / "config.json"
    corpus = "pairs" if name == "pairs" else "text"
    config.write_text(config.read_text().replace(_MOVED, str(folder / corpus)))
