"""The snapped network: stored, loaded, streamed, and called like another."""

from pathlib import Path

import pytest
import torch

import lengthwise as lw
from lengthwise.errors import RunError, WordError
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.proofs.search.state_tables import tabulate_states
from proofs.snapped_words import PARITY, WORDS, classes, some_representatives, steps


def test_it_is_stored_and_loaded(tmp_path: Path) -> None:
    found = steps(1)
    snapped = tabulate_states(found, some_representatives(found, 5, 1), 0.25)
    file = tmp_path / "snapped.safetensors"
    snapped.save(file, model_digest="abc")
    again = SnappedStates.load(file, model_digest="abc")
    assert classes(again) == classes(snapped)
    assert torch.equal(again.snaps.representatives, snapped.snaps.representatives)
    assert again.snaps.radius == 0.25
    with pytest.raises(RunError, match="from another model"):
        SnappedStates.load(file, model_digest="abd")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(RunError, match="damaged"):
        SnappedStates.load(file)


def test_it_is_evaluated_like_another_network() -> None:
    found = steps(2)
    snapped = tabulate_states(found, some_representatives(found, 5, 1), 0.0)
    words = ["", "0110", "1" * 2_000]
    expected = [PARITY.class_names[snapped.automaton(PARITY).classify(word)] for word in words]
    assert lw.predict(snapped, words, language=PARITY) == expected
    assert lw.evaluate(snapped, language=PARITY, lengths=[7], words_per_length=8).total == 8


def test_a_stream_answers_like_the_whole_word() -> None:
    found = steps(3)
    snapped = tabulate_states(found, some_representatives(found, 6, 2), 0.0)
    stream = snapped.open_stream()
    for place, symbol in enumerate(WORDS[-3]):
        assert torch.equal(stream.answer(), snapped(torch.tensor([WORDS[-3][:place]]).long())[0])
        stream.feed([symbol])
    assert stream.num_fed == len(WORDS[-3])
    with pytest.raises(WordError, match=r"symbol 2 is not one of 0\.\.1"):
        stream.feed([0, 2])
    assert stream.num_fed == len(WORDS[-3])


def test_words_are_read_alike_one_after_another_and_side_by_side() -> None:
    found = steps(4)
    snapped = tabulate_states(found, some_representatives(found, 6, 2), 0.0)
    words = torch.randint(2, (100, 50), generator=torch.Generator().manual_seed(0))
    lengths = torch.arange(100) % 51
    together = snapped(words, lengths)
    alone = torch.cat([snapped(words[row : row + 1], lengths[row : row + 1]) for row in range(100)])
    assert torch.equal(together, alone)
