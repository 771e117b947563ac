"""Devices: the choice of a torch device, and a record of the hardware and versions of a result."""

import platform
import re
import subprocess
from pathlib import Path

import torch

from lengthwise.errors import ConfigError
from lengthwise.precision import require_precision, why_unavailable


def choose_device(name: str) -> torch.device:
    """Return a device; `auto` is an accelerator if one computes correctly, else the processor.

    Raises:
        ConfigError: torch does not know the device, it is not there, or it gives wrong numbers.
    """
    if not isinstance(name, str):
        raise ConfigError(f"a device is a name, but got {name!r:.40}. Use auto, cpu, mps or cuda.")
    if name == "auto":
        accelerator = torch.accelerator.current_accelerator()
        usable = accelerator is not None and torch.accelerator.is_available()
        if not usable or accelerator is None or why_unavailable("float32", accelerator):
            return torch.device("cpu")
        return accelerator
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(
            f"torch has no device {name!r}. Use auto, cpu, mps, or cuda (with a number, cuda:1)."
        ) from None
    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ConfigError(
            f"device {name!r} cannot be used ({str(error).splitlines()[0]}). Use auto or cpu."
        ) from None
    require_precision("float32", device, what=f"device {name!r}", instead="Use auto or cpu.")
    return device


def environment(device: str) -> dict[str, str]:
    """Return the versions, the processor and the device that a result is computed with, and the
    name of an accelerator."""
    selected = choose_device(device)
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "processor": processor(),
        "device": str(selected),
        **({} if selected.type == "cpu" else {"accelerator": accelerator_name(selected)}),
    }


def accelerator_name(device: torch.device) -> str:
    """Return the maker's name of an accelerator, such as `NVIDIA H200`, or else its kind."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def processor() -> str:
    """Return the name of the processor, such as `AMD EPYC 7B13`, or else its architecture."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")  # Linux
    except OSError:
        facts = ""
    name = re.search(r"^model name\s*: (.+)$", facts, re.MULTILINE)
    return name[1].strip() if name else platform.machine()


def commit() -> str | None:
    """Return the version of the code, if it runs from its repository.

    It ends with `-dirty` if the package, or what it is built from, has changes that are not
    committed. Other files, such as records, may have some.
    """
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
        return done.stdout.strip()

    try:
        changes = git("status", "--porcelain", "--untracked-files=all", "--", *_CODE)
        return git("describe", "--always") + ("-dirty" if changes else "")
    except (OSError, subprocess.CalledProcessError):  # no git, or it refuses the folder
        return None


_CODE = ("src", "*/src/*", "pyproject.toml", "*/pyproject.toml")
"""Places in the repository that hold the code a result depends on, that of other packages too."""
