"""Finds out whether a precision can be used on a device, before lengthwise computes in it.

Some machines advertise instructions that they do not let a process use. On such virtual machines a
product in bfloat16 ends the process with SIGILL, where float16 and float32 are right. So a
precision is first tried in a separate process (`precision_trial.py`), which may die, hang, raise,
or give wrong numbers.

The result of a trial is kept in the user's cache folder, `$XDG_CACHE_HOME/lengthwise` or
`~/.cache/lengthwise`, in a file for each precision, device, processor, system, torch, and
environment of torch's libraries. A failure is kept for a day only, since it may be repaired, and
for ten minutes where the machine may just have been busy. A damaged file counts as none, and a
folder that cannot be written to as an empty one. Single and double precision need no trial on a
processor or on CUDA.

For tests: `LENGTHWISE_PRECISION_TRIAL` names another program to run as the trial.
"""

import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import nn

from lengthwise.errors import ConfigError, LengthwiseError
from lengthwise.files import cache_folder, read_object, require_kinds, write_json

TIME_LIMIT = 60.0
"""Seconds within which a trial must answer; it needs three to ten, most of them to import torch."""

HALF = ("bfloat16", "float16")
USUAL_DEVICES = ("cpu", "cuda")
"""Devices on which single and double precision are assumed to work."""

PLANTED = "LENGTHWISE_PRECISION_TRIAL"
REMEDY = "ONEDNN_MAX_CPU_ISA"
_REMEDY_VALUE = "AVX512_CORE"

_VERSION = 2
"""Version of the trial and of the files; increase it when either changes."""

_DAY, _SOON = 24 * 3600.0, 600.0
_PASSING_SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU")
"""Signals that are sent by people, by schedulers, and by systems that are out of memory."""

_SHOWN = 200
"""Greatest number of characters that are shown of a message of torch."""

_ENVIRONMENT = (
    *("ONEDNN_", "DNNL_", "MKL_", "ATEN_", "OPENBLAS_", "GLIBC_TUNABLES", "LD_PRELOAD"),
    *("CUDA_", "PYTORCH_"),
)
"""Prefixes of the variables that choose instructions or other libraries."""

_PROCESSOR_FACTS = (
    *("vendor_id", "cpu family", "model", "model name", "stepping", "microcode", "flags"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"),
)
"""Lines of /proc/cpuinfo that are the same on each start."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The result of trying a precision."""

    failure: str | None
    """The failure, such as `was killed by signal 4 (illegal instruction; in a linear map)`; None if
    all was right."""
    kept_for: float | None
    """Seconds for which the result is valid; None if it stays valid."""
    made: float = field(default_factory=time.time)
    """Time of the trial, in seconds since 1970."""

    @property
    def counts(self) -> bool:
        """Tell whether the result is still valid: not too old, and not from the future."""
        return self.kept_for is None or 0 <= time.time() - self.made < self.kept_for


_known: dict[str, Trial] = {}
"""Results that this process has used, by the digest of their key."""
_lock = Lock()


def why_unavailable(precision: str, device: torch.device | str = "cpu") -> str | None:
    """Return why a precision cannot be used on a device, or None if it can.

    The first call for a precision takes some seconds, and later calls take none.
    """
    device = torch.device(device)
    if precision not in HALF and device.type in USUAL_DEVICES:
        return None
    failure = _trial(precision, device).failure
    if failure is None:
        return None
    machine = "this processor" if device.type == "cpu" else str(device)
    return f"{precision} is not available on {machine}{_remedy(device)}; a trial of it {failure}"


def require_precision(
    precision: str, device: torch.device | str = "cpu", *, what: str, instead: str
) -> None:
    """Refuse a precision that cannot be used on a device.

    `what` is the thing that needs the precision, such as a setting, and `instead` is a remedy.

    Raises:
        ConfigError: with the reason.
    """
    reason = why_unavailable(precision, device)
    if reason is not None:
        raise ConfigError(f"{what} cannot be used: {reason}. {instead}")


def require_usable(model: object) -> None:
    """Refuse a network whose weights have a precision that cannot be used on their device.

    Raises:
        ConfigError: with the reason.
    """
    if not isinstance(model, nn.Module):
        return
    for dtype, device in dict.fromkeys((w.dtype, w.device) for w in model.parameters()):
        if dtype in (torch.bfloat16, torch.float16):
            require_precision(
                str(dtype).removeprefix("torch."),
                device,
                what=f"a model with weights in {dtype}",
                instead="Use model.float().",
            )


def _remedy(device: torch.device) -> str:
    """Return the remedy for the machines that are known to fail: fewer instructions."""
    on_x86 = platform.machine().lower() in ("x86_64", "amd64")
    if device.type != "cpu" or not on_x86 or REMEDY in os.environ:
        return ""
    return f" (try {REMEDY}={_REMEDY_VALUE})"


def _trial(precision: str, device: torch.device) -> Trial:
    """Return the result of an earlier trial, or of a new one."""
    key = _key(precision, device)
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]
    with _lock:  # concurrent threads wait for one trial
        trial = _known.get(name)
        if trial is None or not trial.counts:
            path = cache_folder() / f"{precision}-{name}.json"
            trial = _load_stored(path, key)
            if trial is None:
                trial = _run(precision, device)
                _store(path, key, trial)
            _known[name] = trial
        return trial


def _run(precision: str, device: torch.device) -> Trial:
    """Try a precision in a separate process."""
    program = os.environ.get(PLANTED) or str(Path(__file__).with_name("precision_trial.py"))
    command = [sys.executable or "python3", "-P", program, precision, str(device)]
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except subprocess.TimeoutExpired:
        return Trial(failure=f"did not answer within {TIME_LIMIT:g} s", kept_for=_SOON)
    except OSError as error:
        return Trial(failure=f"could not be started ({error.strerror})", kept_for=_SOON)
    report = _last_object(ended.stdout)
    outcome, detail = report.get("outcome"), _short(str(report.get("detail")))
    if outcome == "right":  # whatever kills the process after that
        return Trial(failure=None, kept_for=None)
    if outcome == "wrong":
        return Trial(failure=f"gave wrong numbers ({detail})", kept_for=_DAY)
    if outcome == "raised":
        return Trial(failure=f"raised {detail}", kept_for=_DAY)
    if outcome == "out of reach":  # for a second process, which says nothing of the first
        return Trial(failure=None, kept_for=_SOON)
    last_line = _find_reason(ended.stderr)
    if ended.returncode < 0:
        return _find_killed(-ended.returncode, report.get("tries"), last_line)
    details = f" ({last_line})" if last_line else ""
    return Trial(failure=f"ended with status {ended.returncode}{details}", kept_for=_DAY)


def _find_killed(number: int, tried: object, last_line: str) -> Trial:
    """Return the trial that a signal ended, with what it tried and what it wrote."""
    name = signal.strsignal(number) if number in signal.valid_signals() else None
    facts = [f"{name[0].lower()}{name[1:]}"] if name else []
    facts += [f"in {_short(tried)}"] if isinstance(tried, str) else []
    facts += [last_line] if last_line else []
    details = f" ({'; '.join(facts)})" if facts else ""
    passing = any(number == getattr(signal, signal_name, None) for signal_name in _PASSING_SIGNALS)
    return Trial(
        failure=f"was killed by signal {number}{details}", kept_for=_SOON if passing else _DAY
    )


def _find_reason(errors: bytes) -> str:
    """Return what a program wrote about its end: the line of C++ about an exception, or the last.

    Such a line is followed by a list of calls.
    """
    lines = errors.decode(errors="replace").strip().splitlines()
    of_an_exception = [line for line in lines if "what():" in line]
    return _short((of_an_exception or lines[-1:] or [""])[0])


def _short(text: str) -> str:
    """Return a message of torch as part of one line."""
    return " ".join(text.split())[:_SHOWN]


def _last_object(output: bytes) -> Mapping[str, Any]:
    """Return the last line of a program's output if it is a JSON object, else an empty one.

    Libraries may print other lines.
    """
    try:
        report = json.loads(output.decode(errors="replace").strip().splitlines()[-1])
    except (IndexError, ValueError, RecursionError):
        return {}
    return report if isinstance(report, dict) else {}


# ---- stored trials -----------------------------------------------------------------------------


def _load_stored(path: Path, key: Mapping[str, Any]) -> Trial | None:
    """Return the trial in a file, if it is complete, made for this machine and not too old."""
    kinds = {"failure": "a string or null", "kept_for": "a number or null", "made": "a number"}
    try:
        stored = read_object(path)
        require_kinds(stored.get("trial"), kinds, where=str(path), remedy="")
    except (OSError, LengthwiseError):
        return None
    trial = Trial(**{name: stored["trial"][name] for name in kinds})
    return trial if stored.get("key") == key and trial.counts else None


def _store(path: Path, key: Mapping[str, Any], trial: Trial) -> None:
    with suppress(OSError, ValueError, LengthwiseError):  # it will be tried again
        write_json(path, {"key": key, "trial": asdict(trial)})


def _key(precision: str, device: torch.device) -> dict[str, Any]:
    """Return all that is known to decide whether a precision works."""
    names = sorted(name for name in os.environ if name.startswith((*_ENVIRONMENT, PLANTED)))
    return {
        "version": _VERSION,
        "precision": precision,
        "device": _name_of(device),
        **_machine(),
        "environment": {name: os.environ[name] for name in names},
    }


def _name_of(device: torch.device) -> str:
    """Return the kind of device, with the maker's name of an accelerator."""
    if device.type != "cuda":
        return str(device)
    return f"cuda: {torch.cuda.get_device_name(device)}"


@cache
def _machine() -> dict[str, str]:
    facts = f"{_processor()}\n{torch.__config__.show()}\n{sys.executable}"
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "torch": str(torch.__version__),
        "details": hashlib.sha256(facts.encode()).hexdigest(),
    }


def _processor() -> str:
    """Return the first processor's description without what changes, such as its clock rate."""
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")  # Linux
    except OSError:
        return platform.processor()
    lines = (line.partition(":") for line in cpuinfo.split("\n\n")[0].splitlines())
    return "\n".join(
        f"{name.strip()}: {value.strip()}"
        for name, _, value in lines
        if name.strip() in _PROCESSOR_FACTS
    )
