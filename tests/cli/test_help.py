"""Help and slips of all commands load no torch, and what help names is what there is."""

import subprocess
import sys

import pytest

from lengthwise.analysis.analyses import ANALYSES
from lengthwise.cli import catalogue_names
from lengthwise.constructions.rungs import RUNGS
from lengthwise.objectives.catalogue import OBJECTIVES
from lengthwise.problems.registry import PROBLEMS
from own_commands import OWN_COMMANDS

_ASK = """
import contextlib, io, sys
from lengthwise.__main__ import main
for name in sys.argv[1:]:
    for given in (["--help"], ["--no-such-option"], ["a", "b", "c", "d", "--seed", "x", "--k"]):
        sys.argv = ["lengthwise", name, *given]
        heard = io.StringIO()
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            try:
                status = main()
            except SystemExit as stop:
                status = stop.code
        loaded = {"torch", "matplotlib", "rich"} & sys.modules.keys()
        print(name, *given[:1], status, *loaded, sep=",")
"""


def test_help_and_slips_of_every_command_load_no_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ASK, *OWN_COMMANDS], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    expected = [
        f"{name},{given},{status}"
        for name in OWN_COMMANDS
        for given, status in (("--help", 0), ("--no-such-option", 2), ("a", 2))
    ]
    assert done.stdout.splitlines() == expected


def test_slips_that_names_show_load_no_torch() -> None:
    """One after the other in one process, which none of them makes load it."""
    slips = (
        *("predict nowhere", "certify nowhere", "evaluate nowhere", "report nowhere"),
        *("extract nowhere", "compare nowhere elsewhere", "analyse nowhere"),
        *("train parity", "train parity --out new --preset huge"),
        *("describe regex:(a", "label regex:(a", "sample regex:(a --length 3"),
    )
    code = (
        "import sys; from lengthwise.cli.main import main\n"
        f"for given in {slips}: print(given, main(given.split()), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{given} 2 False" for given in slips], done.stderr
    assert done.stderr.count("\n") == len(slips)


@pytest.mark.parametrize(
    ("shown", "there_is"),
    [
        (
            catalogue_names.MODELS,
            {
                kind.noun: (tuple(kind.setup.models), kind.setup.default_model)
                for kind in PROBLEMS.values()
            },
        ),
        (catalogue_names.PREFIXES, tuple(kind.prefix for kind in PROBLEMS.values() if kind.prefix)),
        (catalogue_names.OBJECTIVES, tuple(OBJECTIVES)),
        (catalogue_names.RUNGS, tuple(RUNGS)),
        (catalogue_names.ANALYSES, tuple(ANALYSES)),
    ],
)
def test_help_names_what_there_is(shown: object, there_is: object) -> None:
    assert shown == there_is
