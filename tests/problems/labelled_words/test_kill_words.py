"""Neither preparation nor training on the words of a file loses anything when it is killed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from word_files import random_words, write_words

PREPARE = """
import os, signal
from pathlib import Path
from lengthwise.data import prepared_words, numbered_words

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

{stage} = die
prepared_words.prepare_words(Path({path!r}))
"""


UNUSED = "prepared_words.unused"


def arrays(cache: Path) -> dict[str, bytes]:
    """The files of prepared words, whose folder must be the only one."""
    (folder,) = (each for each in (cache / "lengthwise" / "words").iterdir() if each.is_dir())
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def start(cache: Path, path: Path, out: Path, *settings: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "lengthwise.cli.main", "train", f"words:{path}"),
            *("--preset", "smoke", "--device", "cpu", "--set", "patience=0", "--out", str(out)),
            *(part for setting in settings for part in ("--set", setting)),
        ],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def same_run(one: Path, two: Path) -> None:
    for name in ("model.safetensors", "config.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    assert {path.name for path in two.iterdir()} >= {"metrics.jsonl", "model.safetensors"}
    assert not (two / "checkpoint.safetensors").exists()


@pytest.mark.slow_except("numbered_words.split_word")
@pytest.mark.parametrize(
    "stage",
    [
        "numbered_words.split_word",
        *(f"prepared_words.{each}" for each in ("digest_of_file", "sync_file", "sync_folder")),
    ],
)
def test_a_killed_preparation_is_done_again(tmp_path: Path, stage: str) -> None:
    path = write_words(tmp_path / "own", random_words(500), "ab")
    for cache, planted in ((tmp_path / "whole", UNUSED), (tmp_path / "broken", stage)):
        for name in (planted, UNUSED):
            code = PREPARE.format(stage=name, path=str(path))
            environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
            done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
            assert done.returncode == (-signal.SIGKILL if name == stage else 0)
    assert arrays(tmp_path / "broken") == arrays(tmp_path / "whole")
    assert not list((tmp_path / "broken").rglob("*.tmp"))


@pytest.mark.slow
def test_a_killed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    path = write_words(tmp_path / "own", random_words(400), "ab")
    settings = ("steps=400", "validate_every=10")
    assert start(tmp_path / "cache", path, tmp_path / "whole", *settings).wait() == 0
    broken = tmp_path / "broken"
    process = start(tmp_path / "cache", path, broken, *settings)
    while not (broken / "checkpoint.safetensors").exists():
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not (broken / "model.safetensors").exists()
    assert start(tmp_path / "cache", path, broken, *settings).wait() == 0
    same_run(tmp_path / "whole", broken)


@pytest.mark.slow
def test_a_hundred_thousand_words_survive_twenty_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six kills during preparation, whose folder is watched, and fourteen at any time after it."""
    path = write_words(tmp_path / "own", random_words(100_000, "abc", longest=40), "abc")
    settings = ("steps=2000", "validate_every=20")
    begun = time.monotonic()
    assert start(tmp_path / "cache", path, tmp_path / "whole", *settings).wait() == 0
    seconds = time.monotonic() - begun
    broken, cache, draw = tmp_path / "broken", tmp_path / "other", random.Random()
    seen = []
    for kill in range(20):
        process = start(cache, path, broken, *settings)
        while kill < 6 and not list(cache.rglob("*.tmp")) and process.poll() is None:
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 1 if kill < 6 else 0.4 * seconds))
        process.kill()
        ended = process.wait()
        metrics = broken / "metrics.jsonl"
        reached = 20 * len(metrics.read_bytes().splitlines()) if metrics.exists() else 0
        seen.append("preparing" if list(cache.rglob("*.tmp")) else f"step {reached}")
        assert ended in (0, -signal.SIGKILL)
    with capsys.disabled():
        print(f"\nuninterrupted {seconds:.1f} s; killed while: {', '.join(seen)}")
    assert "preparing" in seen
    assert start(cache, path, broken, *settings).wait() == 0
    same_run(tmp_path / "whole", broken)
    assert arrays(cache) == arrays(tmp_path / "cache")
