"""Drawings that a notebook shows and a file keeps."""

from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.display import Drawing
from lengthwise.drawing.svg import automaton_svg
from lengthwise.errors import ConfigError


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> lw.Inference:
    """The automaton of words with an even number of a."""
    file = tmp_path_factory.mktemp("words") / "own.tsv"
    words = {f"{number:b}"[1:].replace("0", "a").replace("1", "b") for number in range(1, 500)}
    file.write_text("".join(f"{each}\t{1 - each.count('a') % 2}\n" for each in sorted(words)))
    found = lw.infer(file)
    assert isinstance(found, lw.Inference)
    return found


def test_an_inference_draws_its_automaton(inference: lw.Inference, tmp_path: Path) -> None:
    drawing = inference.draw()
    assert drawing._repr_svg_() == drawing.svg == automaton_svg(inference.language)
    drawing.save(tmp_path / "own.svg")
    assert (tmp_path / "own.svg").read_text(encoding="utf-8") == drawing.svg
    assert "\n" not in repr(drawing)
    assert "<svg" not in repr(drawing)


@pytest.mark.parametrize("name", ["own.png", "own", 3])
def test_a_drawing_is_saved_as_svg(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"end in \.svg|is a path"):
        Drawing("<svg/>").save(tmp_path / name if isinstance(name, str) else name)
    assert not list(tmp_path.iterdir())
