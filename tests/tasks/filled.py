"""Numbers that decide for the symbols of a word."""

import numpy as np
import torch


def fill(value: int, count: int) -> torch.Tensor:
    return torch.full((count,), value)


def all_are_doubtful_that_have_begun(lengths: torch.Tensor) -> object:
    descending = lengths.sort(descending=True).values.numpy()

    def doubtful(
        to_come: np.ndarray[tuple[int], np.dtype[np.int64]], *_: object
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return descending >= to_come[-1]

    return doubtful
