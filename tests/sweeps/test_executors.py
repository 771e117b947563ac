"""Wherever jobs run, what comes of them is the same, bit for bit; workers may die meanwhile."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, Timer

import pytest
import torch

from lengthwise.errors import ConfigError, RunError
from lengthwise.files import read_json
from lengthwise.sweeps import sweep
from lengthwise.sweeps.cluster import DaskExecutor
from lengthwise.sweeps.executors import Executor, InProcess, executor_for
from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Outcome
from lengthwise.sweeps.processes import LocalProcesses
from lengthwise.sweeps.run import run_job
from lengthwise.sweeps.sweep import run_sweep
from sweep_jobs import figures, long_job, outcomes, small_jobs

NAME = "chi2023/table1"


def weights(jobs: list[Job], folder: Path) -> list[bytes]:
    runs = [JobFolder.of(job, folder).run for job in jobs]
    return [(run / "model.safetensors").read_bytes() for run in runs]


def assert_same_as_in_process(jobs: list[Job], executor: Executor, folder: Path) -> None:
    """With weights as they are on disk."""
    here = run_sweep(NAME, jobs, folder / "here", InProcess(), device="cpu")
    there = run_sweep(NAME, jobs, folder / "there", executor, device="cpu")
    assert figures(there) == figures(here)
    assert weights(jobs, folder / "there") == weights(jobs, folder / "here")


@contextmanager
def dask(folder: Path, workers: int) -> Iterator[str]:
    """A scheduler and its workers, each a process of its own; its address."""
    file = folder / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> None:
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(file)]
        started.append(
            subprocess.Popen(
                command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for _ in range(workers):
            start("worker", "--nthreads", "1", "--no-dashboard")
        while not file.exists():
            assert started[0].poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        yield str(read_json(file)["address"])
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def kill_whoever_is_at(job: Job, folder: Path) -> None:
    """After the first checkpoint."""
    place = JobFolder.of(job, folder)
    while not (place.run / "checkpoint.safetensors").exists():
        time.sleep(0.02)
    process = int((place.path / "lock").read_text().split()[-1])
    assert process != os.getpid()
    os.kill(process, signal.SIGKILL)


def assert_survives_a_kill(executor: Executor, folder: Path) -> None:
    """The job of a worker that is killed goes on elsewhere, and ends with the same weights."""
    job = long_job()
    killer = Thread(target=kill_whoever_is_at, args=(job, folder / "killed"), daemon=True)
    killer.start()
    (outcome,) = run_sweep(NAME, [job], folder / "killed", executor, device="cpu")
    killer.join(timeout=1)

    assert isinstance(outcome, Outcome), outcome
    assert outcome.attempts == 2
    alone = run_job(job, folder / "alone", device="cpu")
    assert alone.attempts == 1
    assert figures([outcome]) == figures([alone])
    assert weights([job], folder / "killed") == weights([job], folder / "alone")


@pytest.fixture(scope="module")
def processes() -> Iterator[LocalProcesses]:
    with LocalProcesses(2) as executor:
        yield executor


@pytest.mark.slow
def test_local_processes_give_the_same(processes: LocalProcesses, tmp_path: Path) -> None:
    assert_same_as_in_process(small_jobs(3), processes, tmp_path)


@pytest.mark.slow
def test_a_killed_local_process_is_made_anew(processes: LocalProcesses, tmp_path: Path) -> None:
    assert_survives_a_kill(processes, tmp_path)


@pytest.mark.slow
def test_processes_share_the_threads_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    with LocalProcesses(2) as executor:
        assert executor.submit(torch.get_num_threads).result() == 3


@pytest.mark.slow
def test_a_process_that_died_idle_is_replaced_without_a_word(processes: LocalProcesses) -> None:
    first = processes.submit(os.getpid).result()
    os.kill(first, signal.SIGKILL)
    while Path(f"/proc/{first}").exists():
        time.sleep(0.01)
    time.sleep(0.2)  # the pool looks after its dead in a thread of its own
    assert processes.submit(os.getpid).result() != first


def test_stopped_processes_are_gone_though_they_were_at_work() -> None:
    executor = LocalProcesses(1)
    process = executor.submit(os.getpid).result()
    call = executor.submit(time.sleep, 600)
    executor.stop()
    assert call.done()
    assert not Path(f"/proc/{process}").exists()


@pytest.mark.slow
def test_processes_end_with_the_one_that_made_them(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from lengthwise.sweeps.processes import LocalProcesses\n"
        "if __name__ == '__main__':\n"
        "    executor = LocalProcesses(1)\n"
        "    print(executor.submit(os.getpid).result(), flush=True)\n"
        "    executor.submit(time.sleep, 600)\n"
        "    time.sleep(0.2)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=False)
    process = Path(f"/proc/{int(done.stdout)}")
    for _ in range(100):
        if not process.exists():
            break
        time.sleep(0.05)
    assert not process.exists()


def test_dask_gives_the_same(tmp_path: Path) -> None:
    """Its scheduler and worker are threads of this process, which talk over TCP."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tcp",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        DaskExecutor(cluster.scheduler_address) as executor,
    ):
        assert_same_as_in_process(small_jobs(3), executor, tmp_path)


@pytest.mark.slow
def test_a_killed_dask_worker_is_replaced(tmp_path: Path) -> None:
    """A real scheduler and two workers, of which one is killed while it trains."""
    with dask(tmp_path, workers=2) as address, DaskExecutor(address) as executor:
        assert_same_as_in_process(small_jobs(3), executor, tmp_path)
        assert_survives_a_kill(executor, tmp_path)


@pytest.mark.slow
def test_a_scheduler_that_goes_ends_the_sweep_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "_PATIENCE", 0.2)
    with dask(tmp_path, workers=0) as address, DaskExecutor(address, timeout=1.0) as executor:
        scheduler = executor._client.run_on_scheduler(os.getpid)
        Timer(0.5, os.kill, (scheduler, signal.SIGKILL)).start()
        with pytest.raises(RunError, match=r"has gone\. Start one, and run the sweep again"):
            run_sweep(NAME, small_jobs(1), tmp_path / "sweep", executor)


def test_executors_are_named_by_what_the_command_says() -> None:
    assert isinstance(executor_for(1), InProcess)
    several = executor_for(2)
    assert isinstance(several, LocalProcesses)
    assert several.slots == 2
    with pytest.raises(ConfigError, match="workers=0 would do nothing"):
        executor_for(0)


@pytest.mark.parametrize("address", ["127.0.0.1:none", "htp://here:1", "here", "tcp://here", ""])
def test_what_is_no_address_is_refused_before_anybody_is_asked(address: str) -> None:
    with pytest.raises(ConfigError, match=r"is not an address\. Write it as tcp://HOST:PORT"):
        DaskExecutor(address)


@pytest.mark.slow_except("tls://", "ucx://")
@pytest.mark.parametrize("protocol", ["", "tcp://", "tls://", "ucx://", "ws://", "wss://"])
def test_a_scheduler_that_cannot_be_reached_is_named(protocol: str) -> None:
    pytest.importorskip("distributed")
    address = f"{protocol}127.0.0.1:1"
    with pytest.raises(ConfigError) as caught:
        DaskExecutor(address, timeout=0.3)
    assert str(caught.value).startswith(f"no Dask scheduler answers at {address!r} (")
    assert "Start one with `dask scheduler`" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_protocol_that_is_not_set_up_costs_one_line() -> None:
    """Nothing of the client is left, which would complain when the command ends."""
    pytest.importorskip("distributed")
    code = (
        "from lengthwise.errors import ConfigError\n"
        "from lengthwise.sweeps.cluster import DaskExecutor\n"
        "try:\n"
        "    DaskExecutor('tls://127.0.0.1:1', timeout=0.3)\n"
        "except ConfigError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("no Dask scheduler answers at 'tls://127.0.0.1:1' (TLS expects")
    assert done.stderr == ""


def test_without_dask_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install 'lengthwise\[sweep\]'"):
        executor_for(1, "tcp://127.0.0.1:8786")


@pytest.mark.slow
def test_ctrl_c_stops_a_sweep_and_its_processes(tmp_path: Path) -> None:
    """As a shell sends it: to the command and to its workers; what is finished is kept."""
    script = tmp_path / "script.py"
    script.write_text(
        "import signal\n"
        "import sys\n"
        "from pathlib import Path\n"
        "from sweep_jobs import long_job, small_jobs\n"
        "from lengthwise.sweeps.processes import LocalProcesses\n"
        "from lengthwise.sweeps.sweep import run_sweep\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)  # of a job in background\n"
        "    try:\n"
        "        with LocalProcesses(2) as executor:\n"
        "            jobs = [*small_jobs(1), long_job()]\n"
        "            run_sweep('chi2023/table1', jobs, sys.argv[1], executor, device='cpu')\n"
        "    except KeyboardInterrupt:\n"
        "        print('stopped')\n"
    )
    tests = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "sweep")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, tests])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    short = JobFolder.of(small_jobs(1)[0], tmp_path / "sweep")
    long = JobFolder.of(long_job(), tmp_path / "sweep")
    while short.outcome() is None or not (long.run / "checkpoint.safetensors").exists():
        assert process.poll() is None
        time.sleep(0.05)
    worker = int((long.path / "lock").read_text().split()[-1])
    os.killpg(process.pid, signal.SIGINT)

    said, complained = process.communicate(timeout=10)

    assert (process.returncode, said, complained) == (0, "stopped\n", "")
    assert not Path(f"/proc/{worker}").exists()
    assert long.outcome() is None
    (kept,) = outcomes(run_sweep(NAME, small_jobs(1), tmp_path / "sweep", InProcess()))
    assert kept.attempts == 1
