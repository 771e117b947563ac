"""The tables of PARITY and FIRST hold what their meanings say, computed from the word alone."""

import math

import pytest
import torch

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.constructions.encoder_programs import MEANING, StreamReading, is_parity
from lengthwise.constructions.known_constructions import CONSTRUCTIONS
from lengthwise.errors import RunError

ENCODERS = [name for name in CONSTRUCTIONS if name.startswith("chiang2022/")]
WORDS = ["", "0", "1", "0110", "10101", "0000000", "1" * 9]


def held(name: str, word: str, position: int) -> float:
    """The number of a meaning other than s, by its definition."""
    n, k, symbol = len(word) + 1, word.count("1"), word[position - 1 : position]
    values = {
        "is_zero": position > 0 and symbol == "0",
        "is_one": position > 0 and symbol == "1",
        "is_cls": position == 0,
        "place": position / n,
        "sign": math.cos(position * math.pi),
        "ones": k / n,
        "inverse": 1 / n,
        "first": position == 1,
    }
    return float(values[name])


def matched(language: str, word: str, position: int) -> float:
    if language == "parity":
        return (position == word.count("1")) / (len(word) + 1)
    return float(position == 1 and word.startswith("1"))


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("word", WORDS)
def test_positions_hold_what_is_said(name: str, word: str) -> None:
    made = lw.compile(name)
    told = made.explain(word)
    reading = told.reading
    assert isinstance(reading, StreamReading)
    assert len(reading.layers) == len(told.layers) + 1
    language = "parity" if is_parity(name) else "first"
    assert dict(reading.meaning) == MEANING[language]
    (answer,) = lw.predict(made, [word])
    assert reading.answer == answer
    s = reading.layers[-1]["answer"][0]
    assert answer == ("1" if s > 0 else "0")
    if len(reading.layers) == 2:  # the flawed network has one layer
        return
    for i in range(len(word) + 1):
        row = {each: values[i] for each, values in reading.layers[1].items()}
        factor = max(row["is_zero"], row["is_one"], row["is_cls"])  # by which norms multiply
        assert factor == pytest.approx(1.0) or "norm" in name or "confident" in name
        assert row["match"] / factor == pytest.approx(matched(language, word, i), abs=1e-9)
        for each in row.keys() - {"match", "answer"}:
            assert row[each] / factor == pytest.approx(held(each, word, i), abs=1e-9)


def test_the_tables_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    folder = f"{tmp_path}/made"
    assert main(["compile", "chiang2022/parity", "--out", folder]) == 0
    capsys.readouterr()
    assert main(["explain", folder, "--word", "0110"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[lines.index("after layer 1") + 1 :]
    assert "match = [i = k]/n" in table[0]
    assert [line.split()[-1] for line in table[1:6]] == ["0", "0", "0.2", "0", "0"]
    assert lines[-1] == "class 0"


def test_weights_and_the_attention_of_cls_are_those_of_the_network() -> None:
    made = lw.compile("chiang2022/parity", sharpness=2.0)
    plain = made.explain("011").to_dict()["word"]
    first_layer, second = plain["attention"]
    assert first_layer[0] == pytest.approx([0.25] * 4)
    odd, even = second
    assert odd[1] / odd[0] == pytest.approx(math.exp(4.0)), "c cos(i pi) is from -c to c"
    assert even == pytest.approx([odd[1], odd[0], odd[3], odd[2]])
    assert "count_weight multiplies" not in str(made.explain())
    assert "count_weight multiplies ones by 2" in str(
        lw.compile("chiang2022/parity", count_weight=2.0).explain()
    )
    with torch.no_grad():
        next(made.model.parameters())[0, 0] += 1.0
    with pytest.raises(RunError, match="the weights are not those of chiang2022/parity"):
        made.explain()
