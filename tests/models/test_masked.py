"""The tree computes what its masked form does."""

import pytest
import torch

from lengthwise.models.masked import masked_logits
from models.drawn_trees import draw, make


@pytest.mark.slow_except("3")
@pytest.mark.parametrize("chunk", [2, 3, 4, 5])
def test_tree_equals_masks_below_at_and_past_the_powers_of_the_chunk(chunk: int) -> None:
    near = {chunk**power + off for power in range(8) for off in (-1, 0, 1)}
    lengths = sorted(length for length in near | {7, 11, 130} if 0 < length <= 130)
    for thickness, pad in ((1, "learned"), (1, "absent"), (2, "learned"), (2, "absent")):
        model = make(chunk=chunk, thickness=thickness, pad=pad)
        with torch.no_grad():
            for length in lengths:
                tokens = draw(3, length, seed=length)
                masked = masked_logits(model, tokens)
                torch.testing.assert_close(model(tokens), masked, rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("pad", ["learned", "absent"])
@pytest.mark.parametrize("thickness", [1, 2])
@pytest.mark.parametrize("chunk", [2, 3, 4, 5])
def test_tree_equals_masks_at_all_of_1_to_130(chunk: int, thickness: int, pad: str) -> None:
    for norm in ("post", "pre", "none"):
        model = make(chunk=chunk, thickness=thickness, pad=pad, norm=norm)
        with torch.no_grad():
            for length in range(1, 131):
                tokens = draw(3, length, seed=length)
                masked = masked_logits(model, tokens)
                rtol = 1e-10 if norm == "none" else 0  # without norms numbers grow with depth
                torch.testing.assert_close(model(tokens), masked, rtol=rtol, atol=1e-10)
