"""The command `predict`: classes are those of the largest logits, and shares are for display."""

import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import lengthwise as lw
from cli.shell import Shell
from proofs.trained import train_proved


@pytest.mark.parametrize("size", [1.0, 1e-12])
def test_the_class_is_that_of_the_largest_logit_and_its_share_is_shown(
    shell: Shell, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, size: float
) -> None:
    run = train_proved(tmp_path_factory, "parity")
    assert run.folder is not None
    folder = tmp_path / "run"
    shutil.copytree(run.folder.path, folder)
    weights = load_file(folder / "model.safetensors")
    for name in ("answer.weight", "answer.bias"):
        weights[name] = weights[name] * size
    save_file(weights, folder / "model.safetensors")
    words = ["", "1", "10", "0111", "1" * 300]
    expected = ["0", "1", "1", "1", "0"]
    stdin = "\n".join(words) + "\n"
    found = shell.json("predict", str(folder), stdin=stdin)["words"]
    assert [each["word"] for each in found] == words
    assert [each["class"] for each in found] == expected
    assert all(set(each) == {"word", "class", "probability"} for each in found)
    assert all(0.5 <= each["probability"] <= 1 for each in found)
    assert shell("predict", str(folder), stdin=stdin)[1].split() == expected
    assert lw.predict(lw.load(folder).model, words, language="parity") == expected
    assert shell.json("predict", str(folder), stdin="") == {"words": []}


def test_words_beyond_the_claim_of_computed_weights_are_told(shell: Shell, tmp_path: Path) -> None:
    folder, words = str(tmp_path / "cut"), f"{'1' * 25}\n11\n"
    shell("compile", "parity", "--as", "cascade", "--set", "longest=20", "--out", folder)
    status, out, error = shell("predict", folder, stdin=words)
    assert (status, len(out.split())) == (0, 2)
    assert error.startswith("1 answer may be wrong: the weights are claimed to be right to 20 symb")
    assert "the longest of these words has 25" in error
    assert shell("predict", folder, stdin="11\n")[2] == ""
    shell("compile", "parity", "--out", str(tmp_path / "any"))
    assert shell("predict", str(tmp_path / "any"), stdin=words)[1:] == ("1\n0\n", "")


def test_a_byte_order_mark_before_the_first_word_is_none(shell: Shell) -> None:
    assert shell("label", "parity", stdin="\ufeff01\n1\n")[1].splitlines() == ["1", "1"]
    status, _, error = shell("label", "parity", stdin="01\n\ufeff1\n")
    assert status == 2
    assert "line 2, column 1" in error
