"""A shell in this process, for the tests of commands."""

import io
import json
import sys
from typing import Any

import pytest

from extras import skip_if_refused
from lengthwise.cli.main import main


class Shell:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._patch = patch

    def __call__(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        self._patch.setattr(sys, "stdin", io.StringIO(stdin))
        status = main(arguments)
        captured = self._capsys.readouterr()
        skip_if_refused(status, captured.err)
        return status, captured.out, captured.err

    def json(self, *arguments: str, stdin: str = "") -> Any:
        """The one JSON object that a command prints."""
        status, out, error = self(*arguments, "--json", stdin=stdin)
        assert status == 0, error
        assert out.count("\n") == 1
        return json.loads(out)
