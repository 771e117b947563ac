"""A run that is killed without warning, again and again, ends with the same weights."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [
    *(sys.executable, "-m", "lengthwise.cli.main", "train", "tomita-5", "--preset", "smoke"),
    *("--device", "cpu", "--set", "steps=600", "--set", "validate_every=10", "--set", "patience=0"),
]


def start(out: Path, model: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*COMMAND, "--model", model, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # a job in the background of a shell would pass on that Ctrl-C is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sign", "model"),
    [
        (signal.SIGKILL, "lstm"),
        pytest.param(signal.SIGKILL, "regular-gpt-binary", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, "regular-gpt-binary", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, "regular-gpt-binary", marks=pytest.mark.slow),
    ],
)
def test_killed_run_ends_with_the_same_bytes(
    tmp_path: Path, sign: signal.Signals, model: str
) -> None:
    assert start(tmp_path / "whole", model).wait() == 0
    broken = tmp_path / "broken"
    kills = 0
    for extra in (0.05, 0.3):
        process = start(broken, model)
        while not (broken / "config.json").exists() and process.poll() is None:
            time.sleep(0.01)
        if kills:
            time.sleep(2.0)  # what torch takes to be imported
        time.sleep(extra)
        process.send_signal(sign)
        kills += process.wait() != 0
    assert kills
    assert start(broken, model).wait() == 0

    for name in ("model.safetensors", "config.json"):
        assert (broken / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    files = {path.name for path in broken.iterdir() if not path.name.endswith(".tmp")}
    assert files == {"config.json", "metrics.jsonl", "model.safetensors"}
