"""Codes of chunks, and how much room a sign has."""

import numpy as np
import pytest
import torch

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra, MarginTracker
from lengthwise.proofs.search.network import node_of
from proofs.trained import random_model


def test_codes_are_those_of_each_chunk_alone() -> None:
    language = parse("cycle-navigation")
    model = random_model(language, 3, num_bits=7, chunk_size=3)
    algebra = BinaryAlgebra(node_of(model))
    memory = model.memory
    random = np.random.default_rng(0)
    for level, count in ((0, 3), (1, None), (2, None), (1, None)):
        below = len(algebra.codes) if count is None else count
        children = random.integers(-1, below, size=(40, 3))
        children = np.where(np.minimum.accumulate(children[:, ::-1], axis=1)[:, ::-1] < 0, -1, 0)
        children = np.where(children < 0, -1, random.integers(0, below, size=(40, 3)))
        codes = algebra.codes.copy()
        elements_ = algebra.compose(level, children, edge=True)
        assert (algebra.codes[: len(codes)] == codes).all()
        signs = torch.where(torch.from_numpy(codes), 1.0, -1.0)
        with torch.no_grad():
            vectors = memory.norm(memory.read(signs)) if level else model.leaf(torch.arange(3))  # type: ignore[operator]
            for row, element in zip(children, elements_, strict=True):
                gathered = model.gather(vectors, torch.from_numpy(row[None]))
                code = memory.code(gathered)[0].numpy()  # type: ignore[operator]
                assert (algebra.codes[element] == code).all()
    assert len(np.unique(algebra.codes, axis=0)) == len(algebra.codes) > 5
    read = algebra.read(1, np.arange(len(algebra.codes)))
    with torch.no_grad():
        signs = torch.where(torch.from_numpy(algebra.codes), 1.0, -1.0)
        logits = model.read(memory.norm(memory.read(signs)))  # type: ignore[operator]
    assert (read == logits.argmax(dim=1).numpy()).all()


def test_symbols_that_chunks_cannot_tell_apart_are_refused() -> None:
    """With chunks of 16 a chunk of 12 symbols does not fit into 62 bits at three bits each."""
    language = Language(
        alphabet=tuple("abcdefghijkl"), transitions=((0,) * 12,), classes=(0,), start=0
    )
    algebra = BinaryAlgebra(node_of(random_model(language, 0, chunk_size=16, num_bits=2)))
    algebra.compose(0, np.array([[-1] * 15 + [6]]), edge=True)
    with pytest.raises(VerificationError, match="at most 7 symbols or codes, but there are 8"):
        algebra.compose(0, np.array([[-1] * 15 + [7]]), edge=True)


def test_doubt_is_the_smallest_room_of_all_that_was_seen() -> None:
    doubt = MarginTracker()
    doubt.see(np.array([3.0, 5.0]), np.array([1.0, 4.5]))
    assert (doubt.distance, doubt.radius, doubt.room) == (3.0, 4.5, 0.5)
    doubt.see(np.array([]), np.array([]))
    doubt.see(np.array([9.0]), np.array([9.5]))
    assert doubt.room == -0.5
    for bad in (np.nan, np.inf):
        doubt = MarginTracker()
        doubt.see(np.array([1.0, 1.0]), np.array([0.0, bad]))
        doubt.see(np.array([1.0]), np.array([0.0]))
        assert not doubt.room > 0
        doubt = MarginTracker()
        doubt.see(np.array([1.0, np.nan]), np.array([0.0, 0.0]))
        assert not doubt.room > 0
