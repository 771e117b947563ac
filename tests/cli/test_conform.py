"""The command `conform`: the shortest wrong sequence, or how certain it is that there is none."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cli.shell import Shell
from lengthwise.decoding.engines import ENGINES, OwnEngine
from lengthwise.text.data.tokens import learn_tokenizer


class Forgetful(OwnEngine):
    """It never continues with `c`, but at the beginning."""

    def mask(self, state: tuple[int, ...]) -> NDArray[np.bool_]:
        allowed = super().mask(state)
        allowed[2] &= not state
        return allowed


def test_an_engine_that_conforms(shell: Shell) -> None:
    assert shell("conform", "lengthwise", "(cb)+")[:2] == (
        0,
        "lengthwise generates exactly (cb)+ with these 4 tokens\n"
        "certain: if the engine has at most 4 states (the language has 3)\n",
    )
    found = shell.json("conform", "lengthwise", "(cb)+", "--more-states", "2")
    assert (found["verdict"], found["max_states"], found["wrong"]) == ("conforms", 5, None)


def test_the_shortest_wrong_sequence_is_printed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENGINES._entries, "forgetful", Forgetful)
    status, out, error = shell("conform", "forgetful", "(cb)+")
    assert status == 1
    assert out.splitlines() == [
        "lost: 'c' 'b' 'c' 'b' (end)",
        "'cbcb' is in the language, and the masks forbid this sequence",
        "certain: the sequence is wrong, and no shorter one was found",
    ]
    assert "forgetful does not generate exactly '(cb)+'." in error


def test_a_tokenizer_brings_its_own_tokens(shell: Shell, tmp_path: Path) -> None:
    file = str(tmp_path / "tokenizer.json")
    learn_tokenizer(["on 2024-05-17"] * 3, 262, ["<end>"]).save(file)
    found = shell.json(
        *("conform", "lengthwise", "20[0-9]{2}-", "--tokenizer", file, "--end", "<end>")
    )
    assert (found["verdict"], found["vocabulary"]) == ("conforms", 261)
    status, _, error = shell("conform", "lengthwise", "a", "--tokenizer", file, "--end", "</s>")
    assert status == 2
    assert "has no token '</s>'" in error
    assert "Give end" in shell("conform", "lengthwise", "a", "--tokenizer", file)[2]
    missing = str(tmp_path / "missing.json")
    status, _, error = shell("conform", "lengthwise", "a", "--tokenizer", missing)
    assert status == 2
    assert "missing.json' cannot be read" in error
    assert "huggingface" not in error
