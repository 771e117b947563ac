"""Answers of a RegularGPT whose vectors are all of zeros and ones, exactly.

Chunks with equal vectors are computed once over all words, which changes nothing.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.layers.chunks import depth
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.tasks.automaton import PAD

_MOST_HIDDEN = 1 << 24
"""Numbers of a hidden layer that are computed together."""


class SharedAnswers:
    """The answers of a network to words, which are at the right of their rows."""

    def __init__(self, model: RegularGPT) -> None:
        self._model, self._config = model, model.config
        self._hidden = self._config.ff_factor * self._config.d_model
        self._number: dict[bytes, int] = {}
        self._bits: list[bytes] = []
        self._products: dict[int, int] = {}
        self._symbols = self._intern(model.leaf(torch.arange(self._config.vocab_size)))

    @property
    def computed(self) -> int:
        """Number of chunks that were computed."""
        return len(self._products)

    def __call__(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return the class of each word."""
        chunk = self._config.chunk_size
        nodes = np.append(self._symbols, PAD)[tokens.numpy()]
        levels = np.array([depth(n, chunk) for n in range(int(lengths.max()) + 1)])[lengths]
        roots = np.full(len(nodes), PAD)
        for level in range(1, int(levels.max()) + 1):
            nodes = np.pad(nodes, ((0, 0), (-nodes.shape[1] % chunk, 0)), constant_values=PAD)
            nodes = self._compose(nodes.reshape(len(nodes), -1, chunk))
            roots[levels == level] = nodes[levels == level, -1]
        assert (roots >= 0).all()
        vectors, which = np.unique(roots, return_inverse=True)
        return self._model.read(self._vectors(vectors)).argmax(dim=1)[torch.from_numpy(which)]

    def _compose(self, children: NDArray[np.int64]) -> NDArray[np.int64]:
        base = 1 << 20  # more than there are vectors
        keys = np.zeros(children.shape[:-1], dtype=np.int64)
        for column in np.moveaxis(children, -1, 0):
            keys = keys * base + (column + 1)
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        rows = children.reshape(-1, children.shape[-1])[first]
        new = [i for i, key in enumerate(distinct.tolist()) if key and key not in self._products]
        for start in range(0, len(new), size := max(1, _MOST_HIDDEN // self._hidden)):
            part = new[start : start + size]
            used, local = np.unique(rows[part], return_inverse=True)
            absent = int(used[0] == PAD)
            vectors = self._model.compose(
                self._vectors(used[absent:]),
                torch.from_numpy(local.reshape(-1, children.shape[-1]) - absent),
            )
            self._products.update(zip(distinct[part].tolist(), self._intern(vectors), strict=True))
        numbers = [self._products[key] if key else PAD for key in distinct.tolist()]
        assert len(self._bits) < base - 1
        return np.array(numbers)[inverse].reshape(keys.shape)

    def _intern(self, vectors: Tensor) -> list[int]:
        assert ((vectors == 0) | (vectors == 1)).all(), "a vector is not of zeros and ones"
        numbers = []
        for row in np.packbits(vectors.numpy().astype(bool), axis=1):
            key = row.tobytes()
            if key not in self._number:
                self._number[key] = len(self._bits)
                self._bits.append(key)
            numbers.append(self._number[key])
        return numbers

    def _vectors(self, numbers: NDArray[np.int64]) -> Tensor:
        packed = np.frombuffer(b"".join(self._bits[i] for i in numbers), dtype=np.uint8)
        bits = np.unpackbits(packed.reshape(len(numbers), -1), axis=1, count=self._config.d_model)
        return torch.from_numpy(bits.astype(np.float32))
