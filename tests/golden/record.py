"""Record the golden numbers: what the commands give today, for every case of `cases.py`.

    PYTHONPATH=src:tests python -m golden.record                 record all cases anew
    PYTHONPATH=src:tests python -m golden.record text/ steps/    those whose names begin so
    PYTHONPATH=src:tests python -m golden.record --check         compare, and write nothing

Only the command line is used, and the files that it leaves. Bits depend on the processor and on
torch, so both are recorded.
"""

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from golden.cases import CASES, FILES, Case
from golden.commands import inside, run
from golden.compare import differences
from golden.facts import of_folder, of_output

NUMBERS = Path(__file__).with_name("numbers.json")

_WIDTH = 110
_CPUS = Path("/proc/cpuinfo")


def machine() -> dict[str, Any]:
    """Return what bits depend on: the processor, its threads, and versions of libraries."""
    return {
        "torch": version("torch"),
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "processor": _processor(),
    }


def _processor() -> str:
    if _CPUS.exists():
        for line in _CPUS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def lacking(modules: Sequence[str]) -> list[str]:
    """Return the modules that are not installed."""
    return [name for name in modules if find_spec(name) is None]


def facts_of(case: Case, folder: Path) -> dict[str, Any]:
    """Run a case in an empty folder and return what it gave.

    The facts are the exit status and JSON object of each command, and those of each file.
    """
    found: dict[str, Any] = {}
    with inside(folder):
        for name, text in FILES.items():
            Path(name).write_text(text)
        for number, line in enumerate(case.lines, start=1):
            result = run(line)
            if result.status not in (0, 1):
                print(f"    {line}: {result.err.strip().splitlines()[-1]}", file=sys.stderr)
            facts = {"status": result.status, "json": of_output(result.out)}
            found[f"{number} {line.split()[0]}"] = facts
        for name in FILES:
            Path(name).unlink()
        found["files"] = of_folder(folder)
    return found


def load() -> dict[str, Any]:
    """Return what was recorded: `machine` and `cases`."""
    recorded: dict[str, Any] = json.loads(NUMBERS.read_text())
    return recorded


def format_json(value: Any, indent: int = 0) -> str:
    """Return JSON with sorted names and short values side by side."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if len(line) + indent <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        inner = [f"{json.dumps(k)}: {format_json(v, indent + 1)}" for k, v in sorted(value.items())]
    else:
        inner = [format_json(each, indent + 1) for each in value]
    lines = [inner[0]]
    for each in inner[1:]:
        beside = f"{lines[-1]}, {each}"
        if "\n" in beside or len(pad) + len(beside) > _WIDTH:
            lines.append(each)
        else:
            lines[-1] = beside
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = f",\n{pad}".join(lines)
    return f"{opening}\n{pad}{body}\n{' ' * indent}{closing}"


def choose(beginnings: Sequence[str]) -> Mapping[str, Case]:
    """Return the cases whose names begin with one of these; all, if none is given."""
    wanted = tuple(beginnings) or ("",)
    return {name: case for name, case in CASES.items() if name.startswith(wanted)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; the exit status is 1 if something differs."""
    parser = argparse.ArgumentParser(description="record the golden numbers")
    parser.add_argument("cases", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    old = load() if NUMBERS.exists() else {"cases": {}}
    whole = not given.cases and not given.check
    new: dict[str, Any] = {} if whole else dict(old["cases"])
    exact = old.get("machine") == machine()
    wrong = 0
    for name, case in choose(given.cases).items():
        if absent := lacking(case.needs):
            print(f"{name}: left out, as {' and '.join(absent)} is not installed")
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            new[name] = facts_of(case, Path(folder).resolve())
        found = list(differences(old["cases"].get(name, {}), new[name], exact=exact))
        wrong += len(found)
        print(f"{name}: {time.monotonic() - start:.1f} s", *found, sep="\n    ", flush=True)
    if not given.check:
        new = {name: facts for name, facts in new.items() if name in CASES}
        NUMBERS.write_text(f"{format_json({'machine': machine(), 'cases': new})}\n")
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
