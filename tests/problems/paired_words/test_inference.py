"""`lw.infer` on pairs: the function, the statement, and what is refused."""

import random
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.errors import ConfigError, TextError
from lengthwise.problems.paired_words.inference import FunctionInference


def write_pairs(path: Path, spec: str, count: int = 400, *, noise: float = 0.0) -> str:
    """Write random pairs of a function, and return them as a specification."""
    function, draw = lw.function(spec), random.Random(0)
    lines = []
    for _ in range(count):
        word = draw.choices(range(len(function.alphabet)), k=draw.randint(1, 12))
        written = [
            1 - y if draw.random() < noise else y  # two output symbols
            for y in function.run(word)
        ]
        lines.append(f"{function.reader.decode(word)}\t{function.decode(written)}\n")
    path.write_text("".join(lines))
    return f"pairs:{path}"


@pytest.mark.parametrize(
    ("spec", "noise"),
    [("gray", 0.0), ("add[base=2,first=high]", 0.0), ("prefixes:parity", 0.02)],
)
def test_the_function_of_pairs_is_found(spec: str, noise: float, tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "own.tsv", spec, 800, noise=noise)
    found = lw.infer(file, label_noise=noise)
    assert isinstance(found, FunctionInference)
    assert found.function == lw.function(spec)
    assert found.statement.refutation == ""
    assert (found.end, found.words.class_names) == ("explained", ())
    assert found.name in str(found)
    assert found.to_dict()["function"] == found.function.to_dict()


def test_outputs_in_the_place_of_labels_are_told(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "own.tsv", "gray").removeprefix("pairs:")
    for words in (file, f"words:{file}"):
        with pytest.raises(TextError, match="each as long as its word, are outputs of a function"):
            lw.infer(words)


def test_random_outputs_are_not_found(tmp_path: Path) -> None:
    draw, lines = random.Random(0), []
    for _ in range(300):
        length = draw.randint(1, 12)
        lines.append("\t".join("".join(draw.choices("01", k=length)) for _ in range(2)) + "\n")
    (tmp_path / "own.tsv").write_text("".join(lines))
    found = lw.infer(f"pairs:{tmp_path / 'own.tsv'}", label_noise=0.01, max_states=4)
    assert found.statement.verdict in ("not found", "at chance")
    assert "not found" in found.statement.refutation


def test_what_is_for_labelled_words_is_refused(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "own.tsv", "gray")
    with pytest.raises(ConfigError, match="assume='SL' is for labelled words, not for pairs"):
        lw.infer(file, assume="SL")
    with pytest.raises(ConfigError, match=r"scheduler='tcp://x' is for labelled words"):
        lw.infer(file, scheduler="tcp://x")
    with pytest.raises(TextError, match="pairs: names no file"):
        lw.infer("pairs:")
