"""Networks that read symbol by symbol, from the command line: trained, proved, used and checked."""

import json
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell

pytestmark = pytest.mark.usefixtures("undrawn")

BOTH = pytest.mark.parametrize("model", ["gru-binary", "scratchpad-window"])


@pytest.mark.slow_except("gru-binary")
@BOTH
def test_a_run_is_proved_used_and_checked(shell: Shell, tmp_path: Path, model: str) -> None:
    out = str(tmp_path / "run")
    arguments = ("tomita-4", "--model", model, "--out", out, "--device", "cpu")
    status, said, notes = shell("train", *arguments)
    assert status == 0
    assert "codebook supervision, " in said
    assert "\nproof          training ended with a proof at every length\n" in said
    assert notes.splitlines()[-1] == f"next: lengthwise certify {out}"
    facts = shell.json("train", *arguments)
    assert (facts["proved"], facts["supervision"]) == (True, "codebook")

    proof = shell.json("certify", out)
    assert (proof["verdict"], proof["strength"]) == ("equivalent", "discrete")
    file = f"{out}/certificate.json"
    assert shell("certify", "--check", file)[0] == 0
    assert shell("certify", "--check", file, out)[0] == 0
    told = json.loads(Path(file).read_text())
    assert told["verdict"] == "equivalent"

    words = ["", "000", "0010", "1" * 300 + "000" + "1" * 300, "01" * 500]
    stdin = "\n".join(words) + "\n"
    assert shell("predict", out, stdin=stdin)[1] == shell("label", "tomita-4", stdin=stdin)[1]
    scores = shell.json("evaluate", out, "--lengths", "41:61:10", "--words", "16")
    assert scores["mean_accuracy"] == 1.0
    assert shell("report", out, "--out", str(tmp_path / "report.html"))[0] == 0
    page = (tmp_path / "report.html").read_text()
    assert "gives every word of tomita-4 its class, at every length" in page


@BOTH
def test_what_needs_a_tree_is_refused_in_one_line(shell: Shell, tmp_path: Path, model: str) -> None:
    out = str(tmp_path / "run")
    assert shell("train", "parity", "--model", model, "--out", out, "--device", "cpu")[0] == 0
    commands = ["analyse", "snap"]
    if model == "gru-binary":  # its codes are an automaton
        assert shell.json("extract", out)["is_language"]
    else:
        commands.append("extract")
    for command in commands:
        status, _, error = shell(command, out)
        assert (status, error.count("\n")) == (2, 1), command


@pytest.mark.slow
def test_a_scratchpad_is_proved_from_words_between_whose_symbols_states_stand() -> None:
    run = lw.train("tomita-4", "scratchpad-window", device="cpu", objective="states")
    assert run.metrics[-1]["proved"]
    assert lw.certify(run).verdict == "equivalent"
