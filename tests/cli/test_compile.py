"""`compile`, `verify`, and the commands that use what they wrote, as a user runs them."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import lengthwise as lw
from cli.shell import Shell
from lengthwise.errors import ConfigError, RunError

FULL_ADDER = {
    "adder.bench": (
        "INPUT(a)\nINPUT(b)\nINPUT(c)\nOUTPUT(s)\nOUTPUT(m)\n"
        "s = XOR(a, b, c)\nm = OR(x, y, z)\nx = AND(a, b)\ny = AND(a, c)\nz = AND(b, c)\n"
    ),
    "adder.blif": (
        ".model adder\n.inputs a b c\n.outputs s m\n"
        ".names a b c s\n100 1\n010 1\n001 1\n111 1\n"
        ".names a b c m\n11- 1\n1-1 1\n-11 1\n.end\n"
    ),
    "adder.aag": (
        "aag 10 3 0 2 7\n2\n4\n6\n20\n15\n"
        "8 2 4\n10 3 5\n12 9 11\n14 17 9\n16 12 6\n18 13 7\n20 17 19\n"
    ),
}
"""One function in three formats: sum and carry of three bits."""


def complaint(result: tuple[int, str, str], status: int = 2) -> str:
    found, out, error = result
    assert (found, out) == (status, ""), error
    assert error.count("\n") == 1
    assert error.startswith("lengthwise: ")
    return error


def test_without_a_name_the_constructions_are_listed(shell: Shell) -> None:
    names = shell.json("compile")["constructions"]
    assert {"chiang2022/parity", "steps2022/addition-2", "circuit:FILE", "SPEC"} <= set(names)
    status, out, _ = shell("compile")
    assert status == 0
    assert len(out.splitlines()) == len(names) + 1


@pytest.mark.parametrize(
    "setting",
    [
        "target=matrices",
        pytest.param("norm=post", marks=pytest.mark.slow),
        pytest.param("target=elements", marks=pytest.mark.slow),
    ],
)
def test_a_compiled_language_is_used_as_a_trained_one(
    shell: Shell, tmp_path: Path, setting: str
) -> None:
    folder = str(tmp_path / "exact")
    facts = shell.json("compile", "tomita-4", "--out", folder, "--set", setting)
    assert facts["architecture"] == "regular-gpt"
    assert facts["range"]["float32"] is None
    name, value = setting.split("=")
    assert str(facts["settings"][name]) == value

    words = ["", "000", "0010", "1" * 300 + "000" + "1" * 300, "01" * 500]
    status, out, _ = shell("predict", folder, stdin="\n".join(words) + "\n")
    assert status == 0
    _, label, _ = shell("label", "tomita-4", stdin="\n".join(words) + "\n")
    assert out == label
    scores = shell.json("evaluate", folder, "--lengths", "1:60:7", "--words", "8")
    assert scores["mean_accuracy"] == 1.0
    strength = "snapped" if setting == "chunk_size=3" else "robust"  # bounds of three are too loose
    proof = shell.json("certify", folder, "--strength", strength)
    assert proof["verdict"] == "equivalent"
    assert shell("snap", folder)[0] == 0
    assert shell("extract", folder)[0] == 0
    status, out, error = shell("analyse", folder, "--words", "2", "--length", "20")
    assert status == 0
    assert "attention" in out
    if setting == "target=matrices":  # its ReLUs stand at their corners, without a slope
        assert "receptive-field is left out" in error
        assert shell("analyse", folder, "--figure", "receptive-field", "--length", "20")[0] == 1
    found = shell.json("verify", folder, "--longest", "40", "--all", "64")
    assert found["holds"]
    assert json.loads((tmp_path / "exact" / "verification.json").read_text())["holds"]


@pytest.mark.slow
def test_the_shallowest_rung_is_taken_and_the_ladder_shown(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "auto")
    facts = shell.json("compile", "tomita-4", "--as", "auto", "--out", folder)
    assert facts["settings"] == {"rung": "ltl", "attention": "softmax", "longest": 1_000}
    assert [step["rung"] for step in facts["ladder"]] == [
        "tree",
        "slots",
        "scan",
        "ltl",
        "c-rasp",
        "cascade",
    ]
    assert facts["ladder"][3]["parameters"] == facts["parameters"]
    assert facts["ladder"][0]["range"]["bfloat16"] is None
    status, out, _ = shell("compile", "parity", "--as", "auto", "--out", str(tmp_path / "parity"))
    assert status == 0
    assert "rung=cascade" in out
    assert "cyclic group of order 2" in out
    assert "every length" in out
    words = ["", "000", "0010", "1" * 90 + "000" + "1" * 90]
    found = shell("predict", folder, stdin="\n".join(words) + "\n")[1]
    assert found == shell("label", "tomita-4", stdin="\n".join(words) + "\n")[1]
    assert shell.json("verify", folder, "--longest", "40", "--all", "64")["holds"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "rung", "architecture"),
    [
        ("ltl:H (b -> Y a)", "ltl", "causal-recogniser"),
        ("parity", "scan", "looped-recogniser"),
        ("abab-star", "cascade", "causal-recogniser"),
        ("d-2", "c-rasp", "causal-recogniser"),
        ("tomita-1", "tree", "regular-gpt"),
    ],
)
def test_formulas_and_scans_are_compiled_as_well(
    shell: Shell, tmp_path: Path, spec: str, rung: str, architecture: str
) -> None:
    folder = str(tmp_path / rung)
    facts = shell.json("compile", spec, "--as", rung, "--out", folder)
    assert facts["architecture"] == architecture
    assert "ladder" not in facts
    assert shell.json("verify", folder, "--longest", "20", "--all", "64")["holds"]


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (("parity", "--as", "ltl"), "a cyclic group of order 2 in its monoid"),
        (("parity", "--as", "ltk"), "Did you mean 'ltl'"),
        (("ltl:a & F b",), "column 5: F looks into the future"),
        (("ltl:a S",), "column 4: found the end instead of"),
        (("ltl[ab]:a S c",), "column 5: symbol 'c' is not in the alphabet"),
        (("tomita-4", "--as", "ltl", "--set", "longest=2000000"), "1 to 1,048,576 symbols"),
        (("tomita-4", "--as", "ltl", "--set", "attention=hard"), "softmax or rightmost"),
        (("group:A5", "--as", "cascade"), "a group of 60 elements that is not solvable"),
        (("parity", "--as", "cascade", "--set", "longest=9000"), "at most 8,193 symbols"),
        (("parity", "--as", "cascade", "--set", "amount=3"), "Leave amount out"),
        (("parity", "--as", "c-rasp"), "parity is not in C-RASP: 1, read at the start, changes"),
        (("d-2", "--as", "c-rasp", "--set", "longest=9000"), "at most 8,192 symbols"),
        (("chiang2022/parity", "--as", "auto"), "--as is for languages"),
        (("parity", "--as", "scan", "--set", "rung=tree"), "--as and --set rung are the same"),
    ],
)
def test_rungs_that_cannot_be_had_are_refused(
    shell: Shell, tmp_path: Path, given: tuple[str, ...], part: str
) -> None:
    assert part in complaint(shell("compile", *given, "--out", str(tmp_path / "none")))
    assert not (tmp_path / "none").exists()


def test_the_size_is_told_before_the_network_is_built(shell: Shell, tmp_path: Path) -> None:
    status, _, error = shell("compile", "parity", "--out", str(tmp_path / "exact"))
    assert status == 0
    assert "164 parameters, width 4" in error


@pytest.mark.slow_except("circuit:-adder.aag", "circuit:-adder.bench", "circuit:-adder.blif")
@pytest.mark.parametrize("name", sorted(FULL_ADDER))
@pytest.mark.parametrize("prefix", ["circuit:", "nor-circuit:"])
def test_a_circuit_of_any_format_adds_three_bits(
    shell: Shell, tmp_path: Path, name: str, prefix: str
) -> None:
    (tmp_path / name).write_text(FULL_ADDER[name])
    folder = str(tmp_path / "made")
    assert shell("compile", f"{prefix}{tmp_path / name}", "--out", folder)[0] == 0
    inputs = [f"{number:03b}" for number in range(8)]
    status, out, _ = shell("predict", folder, stdin="\n".join(inputs) + "\n")
    assert status == 0
    ones = [line.count("1") for line in inputs]
    assert out.split() == [f"{count % 2}{count // 2}" for count in ones]
    (tmp_path / name).unlink()  # the folder knows all that it needs
    assert shell.json("verify", folder)["holds"]


def test_numbers_are_added(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "adder")
    assert shell("compile", "steps2022/addition-2", "--set", "bits=4", "--out", folder)[0] == 0
    status, out, _ = shell("predict", folder, stdin="1100 1010\n1111 1000\n")
    assert (status, out) == (0, "0001\n0000\n")  # 3 + 5 = 8, 15 + 1 = 0, lowest bit first
    answer = shell.json("predict", folder, stdin="11001010\n")["words"][0]
    assert answer["sequence"].startswith("11001010")
    assert len(answer["sequence"]) == 7 * 4 + 1


def test_python_answers_for_computed_weights_as_the_command_does(
    shell: Shell, tmp_path: Path
) -> None:
    folder = str(tmp_path / "adder")
    assert shell("compile", "steps2022/addition-2", "--out", folder, "--set", "bits=4")[0] == 0
    printed = shell("predict", folder, stdin="11001010\n00000000\n")[1].split()
    made = lw.load(folder)
    assert lw.predict(made, ["11001010", "0000 0000"]) == printed
    assert isinstance(made, lw.Construction)
    assert made.verify(words_per_length=2).holds
    with pytest.raises(ConfigError, match=r"language is not for circuits\. Leave it out"):
        lw.predict(made, ["0"], language="parity")
    with pytest.raises(ConfigError, match=r"tokens is not for circuits\. Leave it out"):
        lw.predict(made, ["0"], tokens=3)
    for asked in (lw.evaluate, lw.certify, lw.extract):
        with pytest.raises(RunError, match=r"computes a circuit, and classifies no words"):
            asked(made)
    words = ["", "0", "0110", "111"]
    exact = lw.compile("parity")
    assert lw.predict(exact, words) == ["0", "0", "0", "1"]
    assert lw.predict(exact, inputs=words) == lw.predict(exact, words)
    assert lw.predict(exact, words, language="parity") == lw.predict(
        exact.model, words, language="parity"
    )


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_weights_that_are_no_numbers_answer_nothing(
    command: str, shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "exact"
    assert shell("compile", "parity", "--out", str(folder))[0] == 0
    weights = load_file(folder / "model.safetensors")
    weights["answer.bias"][0] = torch.nan
    save_file(weights, folder / "model.safetensors")
    options = ["--lengths", "3"] if command == "evaluate" else []
    status, out, error = shell(command, str(folder), *options, "--json", stdin="01\n")
    assert (status, out) == (2, "")
    assert "logits that are not finite for" in error


@pytest.mark.parametrize(
    ("inputs", "part"),
    [("110", "line 1: there are 4 inputs, but the line has 3"), ("11x0", "there is 'x'")],
)
def test_inputs_of_a_circuit_are_checked(
    shell: Shell, tmp_path: Path, inputs: str, part: str
) -> None:
    folder = str(tmp_path / "adder")
    assert shell("compile", "steps2022/addition-1", "--set", "bits=2", "--out", folder)[0] == 0
    assert part in complaint(shell("predict", folder, stdin=inputs + "\n"))


@pytest.mark.parametrize("command", ["evaluate", "certify", "snap", "extract", "analyse"])
def test_what_asks_about_words_refuses_a_circuit(
    shell: Shell, tmp_path: Path, command: str
) -> None:
    folder = str(tmp_path / "adder")
    assert shell("compile", "steps2022/addition-1", "--set", "bits=1", "--out", folder)[0] == 0
    assert "Use predict or verify" in complaint(shell(command, folder))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("parity",), "Add --out DIR"),
        (("parity", "--set", "chunk_sze=3"), "Did you mean 'chunk_size'"),
        (("parity", "--set", "chunk_size=1"), "chunk_size=1"),
        (("parity", "--set", "chunk_size=two"), "must be an integer"),
        (("parity", "--set", "norm=pre"), "norm='pre'"),
        (("parity", "--set", "target=matrix"), "Did you mean 'matrices'"),
        (
            ("modular-arithmetic", "--set", "chunk_size=3", "--set", "target=elements"),
            "Use chunk 2",
        ),
        (("chiang2022/paity",), "Did you mean 'chiang2022/parity'"),
        (("chiang2022/parity-norm", "--set", "epsilon=-1"), "epsilon >= 0"),
        (("chiang2022/parity-confident", "--set", "eta=0"), "eta=0"),
        (("chiang2022/first", "--alphabet", "01"), "alphabet"),
        (("steps2022/addition-1", "--set", "bits=0"), "at least 1 bit"),
        (("steps2022/addition-1", "--set", "error=1e-20"), "error=1e-20"),
        (("steps2022/addition-nor", "--set", "epsilon=0"), "unknown setting 'epsilon'"),
        (("circuit:nowhere.blif",), "nowhere.blif"),
        (("circuit:adder.v",), ".blif"),
    ],
)
def test_what_cannot_be_compiled_is_refused_in_one_line_and_leaves_nothing(
    shell: Shell, tmp_path: Path, arguments: tuple[str, ...], part: str
) -> None:
    out = tmp_path / "made"
    where = () if part == "Add --out DIR" else ("--out", str(out))
    assert part in complaint(shell("compile", *arguments, *where))
    assert not out.exists()


def test_an_unsupported_line_of_a_circuit_file_is_shown(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "memory.bench"
    file.write_text("INPUT(a)\nOUTPUT(q)\nq = DFF(a)\n")
    error = complaint(shell("compile", f"circuit:{file}", "--out", str(tmp_path / "made")))
    assert "line 3" in error
    assert "q = DFF(a)" in error
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("prefix", ["circuit:", "nor-circuit:"])
def test_a_circuit_without_gates_is_refused(shell: Shell, tmp_path: Path, prefix: str) -> None:
    file = tmp_path / "wire.bench"
    file.write_text("INPUT(a)\nOUTPUT(a)\n")
    error = complaint(shell("compile", f"{prefix}{file}", "--out", str(tmp_path / "made")))
    assert "has no gates" in error
    assert not (tmp_path / "made").exists()


def test_another_construction_is_not_put_into_the_same_folder(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "exact")
    assert shell("compile", "parity", "--out", folder)[0] == 0
    assert shell("compile", "parity", "--out", folder)[0] == 0  # the same: nothing to do
    status, out, error = shell("compile", "parity", "--set", "chunk_size=3", "--out", folder)
    assert (status, out) == (2, "")
    assert "chunk_size=2" in error
    assert "chunk_size=3" in error
    page = str(tmp_path / "page.html")
    assert "computed weights" in complaint(shell("report", folder, "--out", page))


def test_a_claim_that_fails_has_status_1(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "exact"
    assert shell("compile", "chiang2022/first", "--out", str(folder))[0] == 0
    weights = load_file(folder / "model.safetensors")
    weights["answer.weight"] = -weights["answer.weight"]
    save_file(weights, folder / "model.safetensors")
    status, out, error = shell("verify", str(folder), "--longest", "20", "--all", "64", "--json")
    assert status == 1
    assert "the claim does not hold in float64" in error
    found = json.loads(out)
    assert not found["holds"]
    assert found["precisions"]["float64"]["first_wrong"] == 1


def test_a_claim_of_some_lengths_is_checked_on_these(shell: Shell) -> None:
    found = shell.json(
        "verify", "chiang2022/first-flawed", "--set", "sharpness=2", "--longest", "30"
    )
    assert found["holds"]
    precise = found["precisions"]["float64"]
    assert (precise["right_to"], precise["first_wrong"]) == (7, 8)
    assert precise["wrong_word"] == "10000000"


def test_a_trained_run_and_settings_of_a_folder_are_refused(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "exact")
    assert shell("compile", "parity", "--out", folder)[0] == 0
    assert "--set cannot change them" in complaint(shell("verify", folder, "--set", "chunk_size=3"))
    run = str(tmp_path / "run")
    assert shell("train", "parity", "--out", run, "--preset", "smoke", "--set", "steps=2")[0] == 0
    assert "holds a trained run" in complaint(shell("verify", run))


def test_weights_that_need_double_precision_are_stored_in_it(shell: Shell, tmp_path: Path) -> None:
    for name, wanted in (("parity", torch.float32), ("chiang2022/parity", torch.float64)):
        folder = tmp_path / name.replace("/", "-")
        assert shell("compile", name, "--out", str(folder))[0] == 0
        weights = load_file(folder / "model.safetensors")
        assert {weight.dtype for weight in weights.values()} == {wanted}
