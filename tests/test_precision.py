"""Is a precision tried where it may die, and told apart what came of it?"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import lengthwise as lw
from cli.shell import Shell
from lengthwise import precision, precision_trial
from lengthwise.cli.main import main
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConfigError, VerificationError
from lengthwise.models.cost import matmul_rate
from lengthwise.precision import why_unavailable
from lengthwise.training.devices import choose_device

RIGHT = """print('{"outcome": "right", "detail": ""}')"""
DIES = "os.kill(os.getpid(), signal.SIGILL)"
DIED = "a trial of it was killed by signal 4 (illegal instruction)"
CURE = "(try ONEDNN_MAX_CPU_ISA=AVX512_CORE)"

Plant = Callable[[str], Callable[[], int]]
"""Puts a program in the place of the trial; what it returns counts how often it was run."""


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine where nothing has been tried yet."""
    monkeypatch.setattr(precision, "_known", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(precision.REMEDY, raising=False)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Plant:
    def plant(code: str) -> Callable[[], int]:
        program, log = tmp_path / "planted.py", tmp_path / "log"
        log.write_text("")
        program.write_text(
            f"import os, signal, sys, time\nwith open({str(log)!r}, 'a') as log:\n"
            f"    log.write(' '.join(sys.argv[1:]) + '\\n')\n{code}\n"
        )
        monkeypatch.setenv(precision.PLANTED, str(program))
        return lambda: len(log.read_text().splitlines())

    return plant


def find_stored(tmp_path: Path) -> Path:
    """The one file that is kept."""
    (found,) = (tmp_path / "cache" / "lengthwise").iterdir()
    return found


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process know no more than another one."""
    monkeypatch.setattr(precision, "_known", {})


# ---- what may come of a trial ------------------------------------------------------------------


def test_an_answer_counts_whatever_kills_the_process_after_it(plant: Plant) -> None:
    plant("""print('{"outcome": "right", "detail": ""}', flush=True); os.abort()""")
    assert why_unavailable("bfloat16") is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (DIES, "was killed by signal 4 (illegal instruction)"),
        ("os.abort()", "was killed by signal 6 (aborted)"),
        (
            """print('{"tries": "softmax"}', flush=True); print('no room', file=sys.stderr, """
            """flush=True); os.abort()""",
            "was killed by signal 6 (aborted; in softmax; no room)",
        ),
        (
            "print('terminate called\\n  what():  no room\\nframe #0: main', file=sys.stderr, "
            "flush=True); os.abort()",
            "was killed by signal 6 (aborted; what(): no room)",
        ),
        (
            """print('{"outcome": "raised", "detail": "no room"}', flush=True); os.abort()""",
            "raised no room",
        ),
        ("time.sleep(30)", "did not answer within 1 s"),
        (
            """print('{"outcome": "wrong", "detail": "softmax was off by 1"}')""",
            "gave wrong numbers (softmax was off by 1)",
        ),
        (
            """print('{"outcome": "raised", "detail": "RuntimeError: could not\\\\n create"}')""",
            "raised RuntimeError: could not create",
        ),
        ("sys.exit('no such module\\nas torch')", "ended with status 1 (as torch)"),
        ("print('42')", "ended with status 0"),
        ("pass", "ended with status 0"),
    ],
)
def test_each_failure_is_told_apart(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, code: str, told: str
) -> None:
    plant(code)
    if "sleep" in code:
        monkeypatch.setattr(precision, "TIME_LIMIT", 1.0)
    assert why_unavailable("bfloat16") == (
        f"bfloat16 is not available on this processor {CURE}; a trial of it {told}"
    )


def test_a_precision_that_is_right_is_available_whatever_libraries_print(plant: Plant) -> None:
    plant(f"print('a library says hello')\n{RIGHT}")
    assert why_unavailable("bfloat16") is None


@pytest.mark.slow
def test_a_real_trial_ends_with_one_of_its_outcomes() -> None:
    reason = why_unavailable("float16")
    assert reason is None or "raised" in reason or "killed" in reason or "wrong" in reason
    (kept,) = json.loads("[" + read_stored() + "]")
    assert kept["trial"]["failure"] is None or kept["trial"]["failure"] in (reason or "")


def read_stored() -> str:
    (found,) = (Path(os.environ["XDG_CACHE_HOME"]) / "lengthwise").iterdir()
    return found.read_text()


@pytest.mark.parametrize("name", ["float64", "float32"])
def test_the_functions_of_a_trial_are_right_in_single_and_double_precision(name: str) -> None:
    precision_trial.try_precision(getattr(torch, name), torch.device("cpu"))


@pytest.mark.parametrize(
    ("change", "outcome", "detail"),
    [
        (lambda found: found * 1.001, "wrong", "a matrix product was off by"),
        (lambda found: found * float("nan"), "wrong", "a matrix product was off by nan"),
        (lambda found: found / 0, "wrong", "a matrix product was off by inf"),
        (lambda found: found.no_such_thing, "raised", "AttributeError: 'Tensor' object has no"),
    ],
)
def test_a_trial_sees_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[torch.Tensor], Any],
    outcome: str,
    detail: str,
) -> None:
    plain = torch.matmul
    monkeypatch.setattr(precision_trial, "_forbid_core_files", lambda: None)
    monkeypatch.setattr(
        torch,
        "matmul",
        lambda a, b: plain(a, b) if a.dtype == torch.float64 else change(plain(a, b)),
    )
    precision_trial.main("float32", "cpu")
    *before, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert last["outcome"] == outcome
    assert last["detail"].startswith(detail)
    assert before[-1] == {"tries": "a matrix product"}


def test_a_trial_sees_a_wrong_gradient() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(context: Any, *gradients: torch.Tensor) -> torch.Tensor:
            (gradient,) = gradients
            return gradient * (1 if gradient.dtype == torch.float64 else 2)

    inputs = [torch.ones(3)]
    with pytest.raises(precision_trial.WrongError, match="a gradient of a copy was off by 1"):
        precision_trial._compare("a copy", Doubled.apply, inputs, torch.device("cpu"))


def test_where_a_second_process_cannot_reach_the_device_nothing_is_refused(
    plant: Plant, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision_trial, "_forbid_core_files", lambda: None)
    precision_trial.main("bfloat16", "cuda:77")
    said = capsys.readouterr().out.strip()
    assert json.loads(said)["outcome"] == "out of reach"
    plant(f"print({said!r})")
    assert why_unavailable("bfloat16") is None


@pytest.mark.slow
def test_a_trial_leaves_no_core_file() -> None:
    code = (
        "import resource; from lengthwise import precision_trial as t; t._forbid_core_files(); "
        "print(resource.getrlimit(resource.RLIMIT_CORE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(0, 0)\n"


# ---- what is tried, and when -------------------------------------------------------------------


def test_single_and_double_precision_are_not_tried_on_usual_devices(plant: Plant) -> None:
    runs = plant(DIES)
    for device in ("cpu", "cuda", "cuda:1"):
        assert why_unavailable("float32", device) is None
        assert why_unavailable("float64", device) is None
    assert runs() == 0


def test_on_other_devices_they_are(plant: Plant) -> None:
    plant(DIES)
    assert why_unavailable("float32", "mps") == f"float32 is not available on mps; {DIED}"


def test_the_remedy_is_not_offered_where_it_was_taken(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = plant(DIES)
    assert CURE in (why_unavailable("bfloat16") or "")
    monkeypatch.setenv(precision.REMEDY, "AVX2")
    assert "try" not in (why_unavailable("bfloat16") or "try")
    assert runs() == 2  # with fewer instructions it may work
    monkeypatch.delenv(precision.REMEDY)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "try" not in (why_unavailable("bfloat16") or "try")


def test_a_trial_is_made_once(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = plant(RIGHT)
    for _ in range(3):
        assert why_unavailable("bfloat16") is None
        forget(monkeypatch)
    assert runs() == 1
    assert why_unavailable("float16") is None
    assert runs() == 2


@pytest.mark.parametrize(
    "name", ["ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "LD_PRELOAD"]
)
def test_another_environment_is_tried_again(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    runs = plant(RIGHT)
    why_unavailable("bfloat16")
    monkeypatch.setenv(name, "")
    why_unavailable("bfloat16")
    assert runs() == 2


@pytest.mark.parametrize("fact", ["host", "system", "torch", "details"])
def test_another_machine_is_tried_again(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, fact: str
) -> None:
    runs, here = plant(RIGHT), precision._machine()
    why_unavailable("bfloat16")
    monkeypatch.setattr(precision, "_machine", lambda: {**here, fact: "another"})
    why_unavailable("bfloat16")
    assert runs() == 2


def test_a_processor_is_known_by_what_stays_the_same() -> None:
    told = precision._processor()
    assert "MHz" not in told
    assert told == precision._processor()


@pytest.mark.parametrize(
    ("code", "hours", "runs_then"),
    [
        (RIGHT, 24 * 365, 1),
        (DIES, 23, 1),
        (DIES, 25, 2),
        (DIES, -1, 2),  # a clock that was wrong
        ("os.kill(os.getpid(), signal.SIGKILL)", 0.1, 1),
        ("os.kill(os.getpid(), signal.SIGKILL)", 0.2, 2),
    ],
)
def test_failures_are_tried_again_later(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, code: str, hours: float, runs_then: int
) -> None:
    runs = plant(code)
    before, now = why_unavailable("bfloat16"), time.time()
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: now + 3600 * hours)
        assert why_unavailable("bfloat16") == before  # in this process
        assert runs() == runs_then
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: now + 7200 * hours)
        forget(patch)
        assert why_unavailable("bfloat16") == before


# ---- what is kept ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "\udcff",
        lambda text: "[" * 100_000,
        lambda text: "null",
        lambda text: "[]",
        lambda text: text.replace('"failure": null', '"failure": 3'),
        lambda text: text.replace('"made": ', '"made": "x", "other": '),
        lambda text: text.replace('"trial"', '"tiral"'),
        lambda text: text.replace('"version": 2', '"version": 0'),
        lambda text: text.replace('"bfloat16"', '"float16"'),
    ],
)
def test_a_damaged_file_counts_as_none_and_is_replaced(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Callable[[str], str]
) -> None:
    runs = plant(RIGHT)
    why_unavailable("bfloat16")
    text = find_stored(tmp_path).read_text()
    assert damage(text) != text
    find_stored(tmp_path).write_bytes(damage(text).encode(errors="surrogateescape"))
    for _ in range(2):
        forget(monkeypatch)
        assert why_unavailable("bfloat16") is None
    assert runs() == 2
    assert json.loads(find_stored(tmp_path).read_text())["trial"]["failure"] is None


def test_a_folder_that_cannot_be_written_to_does_no_harm(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file")
    runs = plant(DIES)
    for _ in range(2):
        assert DIED in (why_unavailable("bfloat16") or "")
    assert runs() == 1  # this process knows
    (tmp_path / "cache").unlink()
    (tmp_path / "cache").mkdir(mode=0o500)
    forget(monkeypatch)
    assert DIED in (why_unavailable("bfloat16") or "")


def test_a_folder_in_the_place_of_the_file_does_no_harm(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(RIGHT)
    why_unavailable("bfloat16")
    path = find_stored(tmp_path)
    path.unlink()
    path.mkdir()
    forget(monkeypatch)
    assert why_unavailable("bfloat16") is None


@pytest.mark.parametrize("chosen", [None, "", "relative/folder"])
def test_without_a_cache_folder_of_choice_it_is_that_of_the_home(
    monkeypatch: pytest.MonkeyPatch, plant: Plant, tmp_path: Path, chosen: str | None
) -> None:
    plant(RIGHT)
    monkeypatch.setenv("HOME", str(tmp_path))
    if chosen is None:
        monkeypatch.delenv("XDG_CACHE_HOME")
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", chosen)
    why_unavailable("bfloat16")
    (found,) = (tmp_path / ".cache" / "lengthwise").iterdir()
    assert found.name.startswith("bfloat16-")


def test_without_a_home_nothing_is_kept(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    plant(RIGHT)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", none)
    assert why_unavailable("bfloat16") is None


@pytest.mark.slow
def test_processes_that_ask_at_once_agree(plant: Plant, tmp_path: Path) -> None:
    runs = plant(f"time.sleep(1)\n{DIES}")
    code = "from lengthwise.precision import why_unavailable as why; print(why('bfloat16'))"
    asking = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [each.communicate()[0] for each in asking]
    assert told[0] == told[1]
    assert DIED in told[0]
    assert json.loads(find_stored(tmp_path).read_text())["trial"]["failure"] in DIED
    made = runs()
    assert why_unavailable("bfloat16") is not None
    assert runs() == made


def test_threads_that_ask_at_once_wait_for_one_trial(plant: Plant) -> None:
    runs = plant(f"time.sleep(0.3)\n{RIGHT}")
    asking = [threading.Thread(target=why_unavailable, args=("bfloat16",)) for _ in range(4)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert runs() == 1


def test_a_trial_that_cannot_be_started_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    reason = why_unavailable("bfloat16") or ""
    assert reason.endswith("could not be started (No such file or directory)")


# ---- who asks ----------------------------------------------------------------------------------


def test_verify_skips_a_precision_and_says_why(plant: Plant) -> None:
    plant(f"if sys.argv[1] == 'bfloat16':\n    {DIES}\n{RIGHT}")
    made = lw.compile("parity")
    found = verify_construction(made, longest=3, precisions=["float32", "bfloat16"]).to_dict()
    assert found["holds"] is True
    assert found["precisions"]["float32"]["skipped"] is None
    skipped = found["precisions"]["bfloat16"]
    assert skipped.pop("skipped").endswith(DIED)
    assert skipped.pop("claimed") is True
    assert (skipped.pop("words"), skipped.pop("margin")) == (0, {})
    assert set(skipped.values()) == {None}
    with pytest.raises(VerificationError, match=r"^bfloat16 is not available .* Ask for float32"):
        verify_construction(made, longest=3, precisions=["bfloat16"])


@pytest.mark.parametrize("name", ["parity", "steps2022/addition-1"])
def test_the_command_skips_it_too(plant: Plant, shell: Shell, name: str) -> None:
    plant(DIES)
    given = ("verify", name, "--longest", "4")
    more = ("--set", "bits=1") if "/" in name else ()
    status, out, _ = shell(*given, *more)
    assert status == 0
    rows = [line.split("\t") for line in out.splitlines() if "\t" in line]
    assert [row[0] for row in rows[3:]] == ["bfloat16", "float16"]
    assert {tuple(row[1:]) for row in rows[3:]} == {("skipped", *["-"] * (len(rows[0]) - 2))}
    assert f"bfloat16 was skipped: bfloat16 is not available on this processor {CURE}" in out
    found = shell.json(*given, *more)["precisions"]
    assert DIED in found["float16"]["skipped"]
    status, _, error = shell(*given, *more, "--precision", "bfloat16")
    assert (status, error.count("\n")) == (2, 1)
    assert error.startswith("lengthwise: bfloat16 is not available on this processor")


def test_commands_that_need_no_half_precision_try_none(plant: Plant, shell: Shell) -> None:
    runs = plant(DIES)
    assert shell("verify", "parity", "--longest", "3", "--precision", "float32")[0] == 0
    assert choose_device("cpu") == torch.device("cpu")
    assert runs() == 0


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text, and one with its translation."""
    folder = tmp_path_factory.mktemp("corpora")
    text = folder / "a.txt"
    text.write_text("what a transformer can express and learn\n" * 3000)
    wanted = {"text": [str(text)], "pairs": ["numbers", "--pairs", "digits,words"]}
    for name, given in wanted.items():
        out = ["--out", str(folder / name), "--set", "vocab_size=300"]
        assert main(["prepare", *given, *out]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "pairs"])
def test_training_in_half_precision_is_refused_in_one_line(
    plant: Plant, shell: Shell, corpora: Path, tmp_path: Path, kind: str
) -> None:
    runs = plant(DIES)
    out = tmp_path / "run"
    given = ("train", f"{kind}:{corpora / kind}", "--out", str(out), "--preset", "smoke")
    status, _, error = shell(*given, "--device", "cpu", "--set", "autocast=bfloat16")
    assert status == 2
    assert error.splitlines()[-1] == (
        "lengthwise: autocast=bfloat16 cannot be used: bfloat16 is not available on this processor "
        f"{CURE}; {DIED}. Use autocast=none, or another device."
    )
    assert error.count("\n") == 1
    assert not out.exists()
    assert runs() == 1
    assert shell(*given, "--device", "cpu", "--set", "steps=1", "--json")[0] == 0
    assert runs() == 1


def test_a_model_with_such_weights_is_refused(plant: Plant) -> None:
    plant(DIES)
    model = lw.compile("parity").model.bfloat16()
    for ask in (
        lambda: lw.evaluate(model, language="parity", lengths=[4]),
        lambda: lw.predict(model, ["01"], language="parity"),
        lambda: lw.interpret.learn_automaton(model, "01"),
    ):
        with pytest.raises(ConfigError, match=r"^a model with weights in torch\.bfloat16 cannot"):
            ask()
    precision.require_usable(model.float())
    precision.require_usable(nn.Identity())
    precision.require_usable(len)


def test_the_rate_of_such_products_is_not_measured(plant: Plant) -> None:
    plant(DIES)
    with pytest.raises(ConfigError, match="the rate of products in bfloat16 cannot be used"):
        matmul_rate(torch.device("cpu"), torch.bfloat16)


def test_an_accelerator_that_gives_wrong_numbers_is_not_taken(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant("""print('{"outcome": "wrong", "detail": "softmax was off by 1"}')""")
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("mps"))
    assert choose_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch, "zeros", lambda *_, device: nn.Parameter(torch.ones(1)))
    with pytest.raises(ConfigError, match=r"^device 'mps' cannot be used: float32 is not avail"):
        choose_device("mps")


# ---- the tests themselves ----------------------------------------------------------------------


@pytest.mark.slow_except("False")
@pytest.mark.parametrize("asks", [True, False])
def test_on_such_a_machine_tests_that_ask_are_skipped_and_others_die(
    tmp_path: Path, asks: bool
) -> None:
    file, tests = tmp_path / "test_one.py", Path(__file__).parent
    marked = "@pytest.mark.needs_precision('bfloat16')\n" if asks else ""
    file.write_text(
        "import pytest, torch\n"
        "@pytest.mark.parametrize('dtype', [torch.float32, torch.bfloat16])\n"
        "def test_parameter(dtype):\n    x = torch.ones(2, 2, dtype=dtype)\n    x @ x\n"
        f"{marked}def test_marked():\n    x = torch.ones(2, 2).bfloat16()\n    x @ x\n"
    )
    options = ["-q", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist", "--bfloat16-dies"]
    config = ["-c", str(tests.parent / "pyproject.toml"), "--confcutdir", str(tests)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *config, "-p", "conftest", *options, str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), *filter(None, sys.path)])},
    )
    if asks:
        assert "1 passed, 2 skipped" in done.stdout
        assert DIED in done.stdout
    else:
        assert done.returncode == -signal.SIGILL
