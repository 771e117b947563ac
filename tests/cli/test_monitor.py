"""The command `monitor`: streams, files that grow, and a state that outlives a kill."""

import itertools
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.languages import ltlf
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.spec import parse

RULE = "ltlf[abc]:G (a -> F b) & G !c"


def test_changes_are_printed_and_counted(shell: Shell, tmp_path: Path) -> None:
    log = tmp_path / "events.tsv"
    log.write_text("x\ta\ny\tb\nx\tb\ny\tc\n")
    status, out, error = shell("monitor", RULE, str(log))
    assert (status, out.splitlines()) == (
        0,
        [
            "x\t1\ta\trejected\tb",
            "x\t2\tb\taccepted\ta",
            "y\t2\tc\trejected, whatever comes",
        ],
    )
    assert "4 events: 1 accepted; 1 rejected, whatever comes" in error
    assert len(shell("monitor", RULE, str(log), "--every")[1].splitlines()) == 4
    lines = shell("monitor", RULE, str(log), "--json")[1].splitlines()
    assert json.loads(lines[-1]) == {
        **{"key": "y", "count": 2, "event": "c"},
        **{"verdict": "rejected", "final": True, "to_change": []},
    }


def test_one_sequence_needs_no_key(shell: Shell, tmp_path: Path) -> None:
    log = tmp_path / "events"
    log.write_text("a\r\nb\nc")
    assert shell("monitor", RULE, str(log))[1].splitlines() == [
        "1\ta\trejected\tb",
        "2\tb\taccepted\ta",
        "3\tc\trejected, whatever comes",
    ]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"x\ta\nx\td\n", "line 2: the event 'd' is not among the 3 symbols"),
        (b"x\ta\nb\n", "line 2: a line is KEY<TAB>EVENT, as the first, but this is 'b'"),
        (b"x\ta\tb\n", "line 1: a line is KEY<TAB>EVENT"),
        (b"a\n\xff\n", "line 2 is not UTF-8"),
    ],
)
def test_a_wrong_line_is_named_and_those_before_are_read(
    shell: Shell, tmp_path: Path, content: bytes, part: str
) -> None:
    log, state = tmp_path / "events", tmp_path / "state.json"
    log.write_bytes(content)
    status, out, error = shell("monitor", RULE, str(log), "--state", str(state))
    assert status == 2
    assert part in error.splitlines()[-1]
    before = int(part.split("line ")[1][0]) - 1
    assert out.count("\n") == before == json.loads(state.read_text())["lines"]


def test_slips(shell: Shell, tmp_path: Path) -> None:
    log, state = tmp_path / "events", tmp_path / "state.json"
    log.write_text("a\nb\n")
    shell("monitor", RULE, str(log), "--state", str(state))
    for arguments, part in (
        ((RULE, "--follow"), "--follow is for a FILE"),
        ((RULE, str(tmp_path / "none")), "No such file"),
        ((RULE, str(log), "--state", str(tmp_path / "state")), "must end in .json"),
        (("parity", str(log), "--state", str(state)), "belongs to another automaton"),
        (("ltlf:a U", str(log)), "found the end"),
    ):
        status, out, error = shell("monitor", *arguments)
        assert (status, out) == (2, ""), arguments
        assert part in error.splitlines()[-1]
    log.write_text("a\n")
    status, _, error = shell("monitor", RULE, str(log), "--state", str(state))
    assert status == 2
    assert "was kept after 4 bytes of" in error


def test_a_formula_that_is_too_large_is_one_line(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ltlf, "MAX_COMPARISONS", 300_000)
    large = "ltlf:" + " & ".join(f"F (e{i} | X X f{i})" for i in range(30))
    for given in (
        ("monitor", large),
        ("describe", large),
        ("export", large),
        ("diff", "parity", large),
    ):
        file = ["--out", str(tmp_path / "m.svg")] if given[0] == "export" else []
        status, out, error = shell(*given, *file)
        assert (status, out) == (2, "")
        assert error == (
            "lengthwise: the formula has 90 temporal operators and needs more than 300,000 "
            "steps of the search for its states, the most that are made. Use a smaller formula.\n"
        )
    assert not [*tmp_path.iterdir()]


def test_a_state_goes_on_where_it_ended(shell: Shell, tmp_path: Path) -> None:
    log, state = tmp_path / "events", tmp_path / "state.json"
    log.write_text("x\ta\n")
    shell("monitor", RULE, str(log), "--state", str(state))
    with log.open("a") as file:
        file.write("x\tb\n")
    out = shell("monitor", RULE, str(log), "--state", str(state))[1]
    assert out == "x\t2\tb\taccepted\ta\n"
    assert shell("monitor", RULE, str(log), "--state", str(state))[1] == ""


def test_a_last_line_without_its_end_is_not_read_twice(shell: Shell, tmp_path: Path) -> None:
    log, state = tmp_path / "events", tmp_path / "state.json"
    given = ("monitor", RULE, str(log), "--state", str(state))
    log.write_text("x\ta\nx\tb")
    assert shell(*given)[1].splitlines() == ["x\t1\ta\trejected\tb", "x\t2\tb\taccepted\ta"]
    assert shell(*given)[:2] == (0, "")
    log.write_text("x\ta\nx\tb\nx\tc\n")
    assert shell(*given)[:2] == (0, "x\t3\tc\trejected, whatever comes\n")
    state.unlink()
    log.write_text("x\ta\nx\tb")
    shell(*given)
    kept = state.read_text()
    log.write_text("x\ta\nx\tbc\n")
    status, out, error = shell(*given)
    assert (status, out, state.read_text()) == (2, "", kept)
    assert f"line 2 of {log} had no end when it was read, and goes on now. Remove" in error


def test_an_inferred_automaton_needs_its_file_alone(shell: Shell, tmp_path: Path) -> None:
    log, inferred = tmp_path / "events", tmp_path / "inferred.json"
    log.write_text("1\n0\n1\n")
    inferred.write_text(json.dumps({"language": to_dict(parse("parity")), "words": "not here"}))
    expected = shell("monitor", "parity", str(log))[1]
    for subject in (str(inferred), f"inferred:{inferred}"):
        assert shell("monitor", subject, str(log))[1] == expected != ""


def test_a_run_is_monitored_by_its_language(shell: Shell, tmp_path: Path) -> None:
    log = tmp_path / "events"
    log.write_text("1\n0\n1\n")
    out = shell("monitor", "zoo:parity-tiny", str(log))[1]
    assert out == shell("monitor", "parity", str(log))[1] != ""


def test_answers_come_before_the_input_ends() -> None:
    command = [sys.executable, "-m", "lengthwise", "monitor", RULE]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("x\tc\n")
        process.stdin.flush()
        assert process.stdout.readline() == "x\t1\tc\trejected, whatever comes\n"
        process.stdin.close()
        process.wait(20)


def test_a_state_is_kept_while_no_event_comes(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "lengthwise", "monitor", RULE, "--state", str(state)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        for number in (1, 2):
            process.stdin.write(b"x\ta\n")
            process.stdin.flush()
            while _lines_kept(state) < number:
                time.sleep(0.05)
        process.kill()
    assert json.loads(state.read_text())["sequences"]["x"][1] == 2


@pytest.mark.slow
def test_nothing_is_lost_by_kills(shell: Shell, tmp_path: Path) -> None:
    """A file grows while the command that follows it is killed at random moments."""
    draw = random.Random(0)
    log, state = tmp_path / "events", tmp_path / "state.json"
    lines = [f"{draw.randrange(10_000)}\t{draw.choice('abbb')}\n" for _ in range(200_000)]
    log.touch()
    command = [sys.executable, "-m", "lengthwise", "monitor", RULE, str(log), "--follow"]
    for number in range(10):
        rest = iter(lines[20_000 * number :][:20_000])
        before = _lines_kept(state)
        with subprocess.Popen(
            [*command, "--state", str(state)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _append(log, rest, 10_000)
            while _lines_kept(state) == before:
                time.sleep(0.05)
            for _ in range(20):
                _append(log, rest, 500)
                time.sleep(draw.random() / 5)
            process.send_signal(signal.SIGKILL)
        assert before < _lines_kept(state) <= 20_000 * (number + 1)
    shell("monitor", RULE, str(log), "--state", str(state))
    alone = tmp_path / "alone.json"
    shell("monitor", RULE, str(log), "--state", str(alone))
    kept = json.loads(state.read_text())
    assert kept == json.loads(alone.read_text())
    assert len(kept["sequences"]) == len({line.partition("\t")[0] for line in lines}) == 10_000


def _lines_kept(state: Path) -> int:
    return int(json.loads(state.read_text())["lines"]) if state.exists() else 0


def _append(log: Path, lines: Iterator[str], number: int) -> None:
    with log.open("a") as file:
        file.writelines(itertools.islice(lines, number))
