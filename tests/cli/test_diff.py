"""The command `diff`: languages that are equal, and words on which others differ."""

import json
from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.languages.att import to_att
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.spec import parse


def test_equal_languages(shell: Shell) -> None:
    same = "complement:regex:0*(10*10*)*10*"
    status, out, error = shell("diff", "regex:0*(10*10*)*", same)
    assert (status, error) == (0, "")
    assert out.splitlines()[-1] == "equal  yes, on every word"
    values = shell.json("diff", "regex:0*(10*10*)*", same)
    assert values["equal"] is True
    assert values["A"] == {"subject": "regex:0*(10*10*)*", "num_states": 2}
    assert values["counts"] == []


def test_functions_are_compared_by_their_outputs(shell: Shell) -> None:
    rules = [f"rule[abcd]:a -> {symbol} / _ d" for symbol in "bc"]
    status, out, error = shell("diff", *rules)
    assert (status, error) == (1, "lengthwise: A and B differ, first on ad.\n")
    assert out.splitlines()[-1] == "differ on  ad: position 1 is b in A, c in B"
    status, out, _ = shell("diff", "add[base=2]", "add[base=2,first=high]", "--json")
    expected = {"input": "0+0 1+1", "position": 1, "A": "0", "B": "1"}
    assert (status, json.loads(out)["difference"]) == (1, expected)
    assert shell.json("diff", "gray", "gray")["equal"] is True
    status, out, error = shell("diff", "gray", "add[base=2]")
    assert (status, out, error.count("\n")) == (2, "", 1)


def test_the_shortest_word_each_way(shell: Shell) -> None:
    status, out, error = shell("diff", "regex:(ab)*", "regex:a(b|a)*")
    assert status == 1
    assert error == "lengthwise: A and B differ, first on the empty word.\n"
    assert out.splitlines() == [
        "A          regex:(ab)*, 3 states",
        "B          regex:a(b|a)*, 3 states",
        "only in A  (empty word)",
        "only in B  a",
        "length\twords\tonly in A\tonly in B",
        *(f"{n}\t{2**n}\t{int(n == 0)}\t{2**n // 2 - (n in (2, 4, 6, 8, 10))}" for n in range(11)),
    ]
    status, out, _ = shell("diff", "regex:(ab)*", "regex:(ab)*a?", "--json")
    assert status == 1
    values = json.loads(out)
    assert (values["only_in_A"], values["only_in_B"]) == (None, "a")
    assert values["difference"] == {"word": "a", "A": "0", "B": "1"}
    assert values["counts"][3] == {
        **{"length": 3, "words": 8, "only_in_A": 0, "only_in_B": 1, "differ": 1}
    }


def test_classes_with_names(shell: Shell) -> None:
    status, out, _ = shell("diff", "count:a:3", "count:a:6")
    assert status == 1
    assert "differ on  aaa: class 0 in A, 3 in B" in out
    assert "\n4\t16\t5\n" in out


def test_alphabets_that_differ_are_said(shell: Shell) -> None:
    status, _, error = shell("diff", "ltlf:G (a -> F b)", "ltlf[abc]:G (a -> F b)")
    assert status == 1
    assert error.splitlines() == [
        "The alphabets differ (c only in B): a word with a symbol that A lacks is not in it. If a "
        "language has all symbols, give --alphabet.",
        "lengthwise: A and B differ, first on c.",
    ]
    assert shell("diff", "regex:a*b", "regex[abc]:a*b", "--alphabet", "abc")[0] == 0
    _, out, error = shell("diff", "cycle-navigation", "parity")
    assert "2: class 4 in A, 0 in B" in out
    assert "(2 only in A): a word with a symbol that B lacks is not in it." in error
    _, out, error = shell("diff", "parity", "cycle-navigation")
    assert "that A lacks is not in it." in error
    assert "another order" in shell("diff", "regex[ab]:a*", "regex[ba]:a*")[2]


def test_files_and_runs(shell: Shell, tmp_path: Path) -> None:
    machine, inferred = tmp_path / "m.att", tmp_path / "m.json"
    machine.write_text(to_att(parse("parity")))
    inferred.write_text(json.dumps({"language": to_dict(parse("parity"))}))
    for first, second in (
        (str(machine), str(inferred)),
        (f"att:{machine}", f"inferred:{inferred}"),
        ("zoo:parity-tiny", "parity"),
    ):
        assert shell("diff", first, second)[0] == 0, first


@pytest.mark.parametrize("command", ["diff", "export", "monitor"])
def test_a_file_that_is_not_there(command: str, shell: Shell) -> None:
    more = {"diff": ["parity"], "export": ["--out", "m.c"], "monitor": []}[command]
    status, out, error = shell(command, "missing.json", *more)
    assert (status, out, error) == (2, "", "lengthwise: missing.json does not exist.\n")


def test_slips(shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    for arguments, part in (
        (("parity", "partiy"), "unknown language 'partiy'"),
        (("parity", str(other)), "other.json is damaged (KeyError('language'))"),
        (("parity", "inferred:none.json"), "none.json"),
        (("parity", "none.att"), "If it is a file of an automaton, write att:none.att"),
        (("parity",), "the following arguments are required: B"),
    ):
        status, out, error = shell("diff", *arguments)
        assert (status, out) == (2, "")
        assert part in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["recurrent-stopped", "continuous"])
def test_a_run_without_a_proof_is_refused(shell: Shell, name: str) -> None:
    folder = Path(__file__).parents[1] / "stored_runs" / name
    status, out, error = shell("diff", str(folder), "parity")
    assert (status, out) == (2, "")
    assert error.count("\n") == 1
