"""`lengthwise explore`: one page, written or served."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cli.shell import Shell


def test_a_page_is_written(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    found = shell.json("explore", "regex:(ab)*", "--out", str(out))
    assert found == {"page": str(out), "bytes": out.stat().st_size}
    assert 50_000 < found["bytes"] < 3_000_000
    text = out.read_text(encoding="utf-8")
    assert "regex:(ab)*" in text
    assert "tomita-3" in text, "there are examples in it, since it cannot ask"


@pytest.mark.parametrize("model", ["encoder-cls", "gru", "regular-gpt-slots", "zoo:parity-tiny"])
def test_a_file_that_cannot_run_a_network_is_written_with_a_word_about_it(
    model: str, shell: Shell, tmp_path: Path
) -> None:
    run = model if model.startswith("zoo:") else str(tmp_path / "run")
    if run != model:
        small = ("--preset", "smoke", "--set", "steps=1")
        assert shell("train", "parity", "--model", model, *small, "--out", run)[0] == 0
    status, _, error = shell("explore", run, "--out", str(tmp_path / "page.html"))
    assert status == 0
    assert ("a page in a file cannot run encoder-cls" in error) == (model == "encoder-cls")
    assert ("cannot run" in error) == (model == "encoder-cls")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("paritty", "--out", "x.html"), "Did you mean 'parity'?"),
        (("regex:(a|", "--out", "x.html"), "column 1: '(' is not closed"),
        (("--port", "65536"), "is not an integer of 0 or more, up to 65535"),
        (("--out", "x.html", "--port", "1"), "--out writes a page and serves nothing"),
        (("--out", "."), "is a folder"),
    ],
)
def test_bad_input_is_one_line(
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, error = shell("explore", *arguments)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert says in error
    assert not list(tmp_path.iterdir())


def test_a_port_in_use_is_one_line(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, out, error = shell("explore", "parity", "--no-browser", "--port", str(port))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert f"port {port} of 127.0.0.1 cannot be opened (is in use)" in error


@pytest.mark.slow
def test_a_served_page_answers_until_it_is_stopped() -> None:
    command = [sys.executable, "-m", "lengthwise.cli.main", "explore", "parity", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        url = json.loads(process.stdout.readline())["url"]
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{url}api/language?spec=d-2") as response:
            assert json.load(response)["monoid"]["size"] == 15
    finally:
        process.send_signal(signal.SIGTERM)  # a background job of a script ignores SIGINT
        out, error = process.communicate()
    assert (process.returncode, out) == (143, ""), error
