"""Do several processes together what one does alone?"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.cli.main import main
from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.text.data.text_corpus import PrepareConfig, Tokens, prepare_corpus
from lengthwise.text.layers.token_loss import ReadOut
from lengthwise.text.problems.language_modelling.objective import NextToken, WindowsConfig
from lengthwise.training.distributed import ALONE, Items, Joined, Rank, join
from lengthwise.training.loop import fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig

TOKENS = Tokens([np.random.default_rng(0).integers(0, 12, 5_000)])


class Bigrams(nn.Module):
    """Logits of the next token by the last one."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(12, 12))

    def read_out(self, tokens: torch.Tensor) -> ReadOut:
        return ReadOut(nn.functional.one_hot(tokens, 12).to(self.table.dtype), self.table.t())


class Part:
    """One of several processes, which never hears of the others."""

    is_main = True

    def __init__(self, number: int, count: int) -> None:
        self.number, self.count = number, count

    def share(self, items: Items) -> Items:
        return items[self.number :: self.count]

    def all_reduce(self, *figures: float) -> tuple[float, ...]:
        return figures

    def sum_gradients(self, model: nn.Module) -> None:
        pass

    def wait(self) -> None:
        pass


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_parts_of_a_batch_add_up_to_it_whatever_remains(count: int) -> None:
    config = WindowsConfig(window=9, batch_size=7, validation_windows=50)
    whole, parts = Bigrams(), Bigrams()
    data, noise = torch.Generator().manual_seed(3), torch.Generator()
    expected = NextToken(TOKENS, TOKENS, config).step(whole, data, noise)
    expected.loss.backward()  # type: ignore[no-untyped-call]
    loss = accuracy = num_words = 0.0
    validation = np.zeros(2)
    for number in range(count):
        goal = NextToken(TOKENS, TOKENS, config, processes=Part(number, count))
        own = torch.Generator().manual_seed(3)
        step = goal.step(parts, own, noise)
        step.loss.backward()  # type: ignore[no-untyped-call]
        loss, accuracy = loss + step.loss.item(), accuracy + float(step.accuracy)
        num_words += step.num_words
        judged = goal.validate(parts, torch.Generator())
        validation += [judged.loss, judged.accuracy]
        assert torch.equal(own.get_state(), data.get_state())
    assert loss == pytest.approx(expected.loss.item(), abs=1e-6)
    assert accuracy == pytest.approx(expected.accuracy)
    assert num_words == expected.num_words
    torch.testing.assert_close(parts.table.grad, whole.table.grad)
    alone = NextToken(TOKENS, TOKENS, config).validate(whole, torch.Generator())
    assert validation.tolist() == pytest.approx([alone.loss, alone.accuracy])


def test_only_the_main_process_writes_and_tells(tmp_path: Path) -> None:
    class Other(Part):
        is_main = False

    told: list[int] = []

    class Told:
        def update(self, step: int, record: Any) -> None:
            told.append(step)

    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    goal = NextToken(TOKENS, TOKENS, WindowsConfig(window=9))
    loop = TrainingConfig(steps=4, validate_every=2)
    metrics = fit(Bigrams(), goal, loop, folder=folder, progress=Told(), processes=Other(1, 2))
    assert [record["step"] for record in metrics] == [2, 4]
    assert not told
    assert [path.name for path in folder.path.iterdir()] == ["config.json"]


def of_two(monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    names = {"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", **more}
    for name, value in names.items():
        monkeypatch.setenv(name, value)


def test_a_process_alone_is_alone_whatever_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert join("cpu") is ALONE
    of_two(monkeypatch, WORLD_SIZE="1", RANK="0")
    assert join("cpu") is ALONE
    of_two(monkeypatch)
    assert Rank.here() == Rank(1, 2)


def test_what_several_processes_cannot_do_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    of_two(monkeypatch, RANK="0")
    with pytest.raises(ConfigError, match="training on languages is not divided"):
        train(make_plan(parse("parity"), preset="smoke"))
    for spec in ("parity", "steps:addition"):
        assert main(["train", spec, "--out", str(tmp_path / "run")]) == 2
        assert capsys.readouterr().err == (
            f"lengthwise: {spec} is not divided among processes, but there are 2; only training on "
            "text:DIR is. Start one, without torchrun.\n"
        )
    assert not (tmp_path / "run").exists()
    few = WindowsConfig(batch_size=2)
    with pytest.raises(ConfigError, match="batch_size=2 leaves some of 3 processes without"):
        NextToken(TOKENS, TOKENS, few, processes=Part(0, 3))
    of_two(monkeypatch, LOCAL_RANK="")
    with pytest.raises(
        ConfigError, match=r"WORLD_SIZE='2' and LOCAL_RANK='', which is not a number"
    ):
        join("cpu")


def test_accelerators_must_suffice_and_not_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    of_two(monkeypatch)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 1)
    with pytest.raises(
        ConfigError, match=r"2 processes .* need an accelerator each, but there are"
    ):
        join("cuda")
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)
    with pytest.raises(ConfigError, match="device 'cuda:1' is one for all processes"):
        join("cuda:1")


def test_it_is_told_if_another_process_has_stopped() -> None:
    class Broken:
        num_processes, is_main_process = 2, True

        def wait_for_everyone(self) -> None:
            raise RuntimeError("Connection closed by peer\nmore")

    with pytest.raises(RunError, match=r"another process has stopped \(Connection .* peer\)\. See"):
        Joined(Broken()).wait()


# ---- two processes, as a user starts them --------------------------------------------------------

SETTINGS = [
    *("--preset", "smoke", "--device", "cpu", "--set", "window=16", "--set", "chunk_size=4"),
    *("--set", "batch_size=5", "--set", "validate_every=1", "--set", "accumulate=2"),
]

KILLED = """
import sys
from lengthwise.problems.planning import make_plan
from lengthwise.training.distributed import Rank
from lengthwise.problems.runs import train

class Kill:
    def update(self, step, record):
        if step == 15:
            sys.exit(7)

settings = {"window": 16, "chunk_size": 4, "batch_size": 5, "validate_every": 1, "accumulate": 2}
plan = make_plan(sys.argv[1], preset="smoke", settings=settings)
train(plan, out=sys.argv[2], device="cpu", progress=Kill())
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("corpus")
    words = np.random.default_rng(0).integers(0, 30, 3_000)
    (folder / "text.txt").write_text(" ".join(f"word{word}" for word in words))
    source = {"train": [str(folder / "text.txt")]}
    prepare_corpus(folder / "corpus", source, PrepareConfig(vocab_size=257))
    return f"text:{folder / 'corpus'}"


def together(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return subprocess.run(
        [sys.executable, *start, *command],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def train_together(corpus: str, out: Path) -> str:
    command = ["-m", "lengthwise.cli.main", "train", corpus, "--out", str(out), *SETTINGS]
    done = together(command)
    assert done.returncode == 0, done.stderr
    return done.stdout


def losses(out: Path) -> list[float]:
    names = ("loss", "accuracy", "validation_loss", "validation_accuracy")
    return [record[name] for record in RunFolder(out).metrics() for name in names]


@pytest.mark.slow
def test_two_processes_learn_what_one_learns_and_go_on_after_an_end(
    corpus: str, tmp_path: Path
) -> None:
    one, two, resumed = tmp_path / "one", tmp_path / "two", tmp_path / "resumed"
    assert main(["train", corpus, "--out", str(one), *SETTINGS]) == 0
    said = train_together(corpus, two)
    assert said.count("perplexity") == 1
    assert len(losses(one)) == 80
    assert losses(two) == pytest.approx(losses(one), abs=1e-5)
    assert RunFolder(two).config()["environment"]["processes"] == "2"

    (tmp_path / "killed.py").write_text(KILLED)
    killed = together([str(tmp_path / "killed.py"), corpus, str(resumed)])
    assert "exitcode  : 7" in killed.stderr
    assert len(losses(resumed)) == 15 * 4
    assert not RunFolder(resumed).is_finished
    train_together(corpus, resumed)
    assert losses(resumed) == losses(two)
    weights = [(out / "model.safetensors").read_bytes() for out in (two, resumed)]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_one_process_does_without_accelerate(corpus: str, tmp_path: Path) -> None:
    command = ["train", corpus, "--out", str(tmp_path / "run"), *SETTINGS]
    code = (
        f"import sys; sys.modules['accelerate'] = None; from lengthwise.cli.main import main;"
        f"sys.exit(main({command!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
