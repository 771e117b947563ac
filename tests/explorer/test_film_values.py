"""What the page shows of a film: one projection for all frames, and codes that hold two classes."""

import json
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import RunError
from lengthwise.explorer.film_values import SIDE, film_values, project
from lengthwise.explorer.run_values import run_values
from lengthwise.languages.spec import parse
from lengthwise.training.film import Film, Frame

WORDS = [(0,), (1,), (0, 1), (1, 1)]
CLASSES = [0, 1, 1, 0]


def film(*frames: list[list[int]]) -> Film:
    return Film(
        torch.tensor([[0] * (2 - len(word)) + list(word) for word in WORDS]),
        torch.tensor([len(word) for word in WORDS]),
        frames=[
            Frame(number, 10 * number, number / 4 if number else float("nan"), torch.tensor(codes))
            for number, codes in enumerate(frames)
        ],
    )


@given(st.integers(0, 2**31))
def test_distances_are_kept_across_frames_where_two_axes_are_enough(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    plane = torch.linalg.qr(torch.randn(6, 2, generator=generator)).Q
    held = torch.randn(5, 7, 2, generator=generator) @ plane.T
    points, shares = project(held)
    assert float(shares[:2].sum()) == pytest.approx(1, abs=1e-5)
    assert points.min() == 0
    assert points.max() == SIDE
    far = torch.cdist(held.flatten(0, 1), held.flatten(0, 1))
    flat = points.flatten(0, 1).float()
    drawn = torch.cdist(flat, flat)
    at = far.argmax() // len(far), far.argmax() % len(far)
    torch.testing.assert_close(drawn, far * (drawn[at] / far[at]), atol=3.0, rtol=0.01)


def test_frames_say_how_many_codes_hold_several_classes() -> None:
    one_code = [[1, -1]] * 4
    by_class = [[127, -127] if each else [-127, 127] for each in CLASSES]
    apart = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    values = json.loads(json.dumps(film_values(film(one_code, by_class, apart), parse("parity"))))
    assert values["words"] == ["0", "1", "01", "11"]
    assert values["states"] == CLASSES
    figures = [
        (each["step"], each["accuracy"], each["codes"], each["mixed"]) for each in values["frames"]
    ]
    assert figures == [(0, None, 1, 1), (10, 0.25, 2, 0), (20, 0.5, 4, 0)]


def test_a_film_that_never_moves_is_shown() -> None:
    points, _ = project(torch.zeros(2, 4, 3))
    assert (points == SIDE // 2).all()


def test_a_film_of_other_symbols_is_refused() -> None:
    with pytest.raises(RunError, match="other symbols"):
        film_values(film([[1]] * 4), parse("regex:a*"))


def test_a_damaged_film_is_told_and_the_rest_is_shown(tmp_path: Path) -> None:
    model = "regular-gpt-binary"
    run = lw.train(
        "parity", model, out=tmp_path / "run", device="cpu", film=True, steps=1, d_model=8
    )
    assert len(run_values(run)["film"]["frames"]) == 2
    (tmp_path / "run" / "film.safetensors").write_bytes(b"x")
    values = run_values(run)
    assert values["film"] is None
    assert "film.safetensors cannot be read" in values["no_film"]
