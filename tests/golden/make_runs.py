"""Make the run folders of `runs/` anew, or record what the present ones give.

    PYTHONPATH=src:tests python -m golden.make_runs            record `runs.json` from the folders
    PYTHONPATH=src:tests python -m golden.make_runs --anew     make the folders, then record
    PYTHONPATH=src:tests python -m golden.make_runs --anew text    that folder alone, then record

The folders are of an old layout, so to make them anew is a decision: it takes a checkout of the
version whose layout they are to have.
"""

import argparse
import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch

from golden.cases import FILES, PREPARE_PAIRS, PREPARE_TEXT
from golden.commands import inside, run
from golden.facts import of_folder, of_output, of_weights
from golden.old_runs import OLD_RUNS, OldRun
from golden.record import machine, written

RUNS = Path(__file__).with_name("runs")
RECORDED = RUNS.with_suffix(".json")
CORPORA = {"text": PREPARE_TEXT, "pairs": PREPARE_PAIRS}

_MOVED = "/moved/corpus"
_SECONDS_OF_TRAINING = 120
_OF_TRAINING = ("metrics.jsonl", "checkpoint.safetensors")


def corpus_folder(name: str) -> Path:
    """Return where a prepared corpus is kept."""
    return RUNS / "corpora" / name


def copied(name: str, folder: Path) -> None:
    """Copy a run and the corpora to a folder, as `run`, `text` and `pairs`."""
    shutil.copytree(RUNS / name, folder / "run")
    for corpus in CORPORA:
        shutil.copytree(corpus_folder(corpus), folder / corpus)
    config = folder / "run" / "config.json"
    corpus = "pairs" if name == "pairs" else "text"
    config.write_text(config.read_text().replace(_MOVED, str(folder / corpus)))


def facts_of(old: OldRun, folder: Path) -> dict[str, Any]:
    """Ask all that is asked of a copied run and return what it gave."""
    found: dict[str, Any] = {}
    with inside(folder):
        for number, line in enumerate(old.asked, start=1):
            result = run(line)
            if result.status not in (0, 1):
                print(f"    {line}: {result.err.strip().splitlines()[-1]}", file=sys.stderr)
            facts = {"status": result.status, "json": of_output(result.out)}
            found[f"{number} {line.split()[0]}"] = facts
        for corpus in CORPORA:
            shutil.rmtree(corpus)
        found["files"] = of_folder(folder)
    return found


def load() -> dict[str, Any]:
    """Return what was recorded: `machine` and `runs`."""
    recorded: dict[str, Any] = json.loads(RECORDED.read_text())
    return recorded


def stopped(line: str, folder: Path) -> None:
    """Train, and stop training in the middle with Ctrl-C."""
    command = [sys.executable, "-m", "lengthwise.cli.main", *shlex.split(line)]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    end = time.monotonic() + _SECONDS_OF_TRAINING
    metrics, checkpoint = (folder / "run" / name for name in _OF_TRAINING)
    while not checkpoint.exists() or metrics.read_text().count("\n") < 3:
        assert process.poll() is None, f"{line} ended"
        assert time.monotonic() < end, f"{line} leaves no checkpoint"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130, f"{line} was not stopped"
    assert checkpoint.exists()
    (folder / "run" / "previous.safetensors").unlink(missing_ok=True)


def make(names: Collection[str]) -> None:
    """Make the corpora and these runs."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        with inside(folder):
            for name, text in FILES.items():
                Path(name).write_text(text)
            for name, line in CORPORA.items():
                assert run(line.replace("--out corpus", f"--out {name}")).status == 0
                shutil.rmtree(corpus_folder(name), ignore_errors=True)
                shutil.copytree(name, corpus_folder(name))
            for name in names:
                old = OLD_RUNS[name]
                for line in old.made:
                    if old.stopped:
                        stopped(line, folder)
                        continue
                    result = run(line)
                    assert result.status == 0, result.err
                for file in Path("run").glob("*.json"):
                    text = file.read_text()
                    for corpus in CORPORA:
                        text = text.replace(str(folder / corpus), _MOVED)
                    file.write_text(text)
                shutil.rmtree(RUNS / name, ignore_errors=True)
                shutil.move("run", RUNS / name)


def main() -> int:
    """Make what is asked for and record what it gives."""
    parser = argparse.ArgumentParser(description="record what old run folders give")
    parser.add_argument("--anew", action="store_true", help="make the folders, too")
    parser.add_argument("runs", nargs="*", help="with --anew: which")
    torch.set_num_threads(1)
    given = parser.parse_args()
    if given.anew:
        make(given.runs or list(OLD_RUNS))
    found: dict[str, Any] = {}
    for name, old in OLD_RUNS.items():
        with tempfile.TemporaryDirectory() as copy:
            folder = Path(copy).resolve()
            copied(name, folder)
            found[name] = facts_of(old, folder)
        stored = RUNS / name / "model.safetensors"
        if stored.exists():
            assert found[name]["files"]["run/model.safetensors"] == of_weights(stored)
        print(name, flush=True)
    RECORDED.write_text(f"{written({'machine': machine(), 'runs': found})}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
