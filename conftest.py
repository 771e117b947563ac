"""Settings of all tests."""

import gc
import os
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import HealthCheck, settings

from dying import simulate
from extras import skip_report, skipping
from ordinary import THOROUGH, mark_slow_cases
from precisions import skip_if_it_needs_another_machine
from shapes import install

if TYPE_CHECKING:
    from cli.shell import Shell

install()  # nothing of the packages that are checked was imported yet
gc.disable()  # until all tests are collected: they stay, so looking for garbage among them is lost

settings.register_profile(
    "check",
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(THOROUGH, settings.get_profile("check"), max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

# The tests run side by side, one process per core; so do the commands that they start.
torch.set_num_threads(1)
os.environ["OMP_NUM_THREADS"] = "1"


@pytest.fixture(scope="session", autouse=True)
def _nothing_waits_for_the_disk() -> Iterator[None]:
    """Leave out `fsync`: a killed process loses nothing by that, and no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _a_slow_machine_says_nothing_of_its_own() -> Iterator[None]:
    """Tell of no silent work in this process, except in tests of that."""
    from lengthwise import status_lines  # noqa: PLC0415  after `install`

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(status_lines, "SECONDS", 1e6)
        yield


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> "Shell":
    """Runs commands in this process."""
    from cli.shell import Shell  # noqa: PLC0415  it loads lengthwise, after `install`

    return Shell(capsys, monkeypatch)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave every figure of a page empty, for tests of what stands around them: drawing is slow."""
    if find_spec("matplotlib") is None:
        return

    def save(figure: object, to: Any, style: object = None, **more: object) -> None:
        to.write(b"%PDF" if more["format"] == "pdf" else "<svg></svg>")

    monkeypatch.setattr("lengthwise.analysis.figures._save", save)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bfloat16-dies",
        action="store_true",
        help="simulate a machine on which products in bfloat16 kill the process",
    )

    parser.addoption(
        "--accelerator",
        help="device of tests that need an accelerator: with cpu, they are tried without one",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--bfloat16-dies"):
        config.add_cleanup(simulate())


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_slow_cases(items, whole=not any("[" in chosen for chosen in config.args))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    skip_report(report, collector.path)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    yield from skipping()


def pytest_collection_finish() -> None:
    gc.freeze()  # what was collected: no look for garbage goes through it again
    gc.set_threshold(10_000, 20)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    skip_if_it_needs_another_machine(item)
    yield from skipping()
