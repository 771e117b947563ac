"""What the table of labels alone says of its records."""

from lengthwise_papers.experiment import Record
from lengthwise_papers.own.labels_alone import LABELS_ALONE


def record(words: int, seed: int, found: bool, **more: bool) -> Record:
    return {
        **{"language": "parity", "words": words, "seed": seed, "true_states": 2, "states": 2},
        **{"found": found, "proved": "equivalent", "statement": {"forced": True, **more}},
        "against_truth": "equivalent" if found else "not asked",
        **{"seconds_to_infer": 2.0 + seed, "processor_seconds": 5.0 + seed},
    }


def test_a_row_tells_what_was_found_forced_and_how_long_it_took() -> None:
    few = [record(100, seed, found=False) for seed in (0, 1)]
    most = [record(1_000, 0, found=True), record(1_000, 1, found=True, forced=False)]
    header, (row,) = LABELS_ALONE.table([*few, *most])
    shown = dict(zip(header, row, strict=True))
    assert (shown["100 words"], shown["1,000 words"]) == ("0 of 2", "2 of 2")
    assert (shown["enough"], shown["states found"]) == ("1,000", "2")
    assert shown["forced by most"] == "1 of 2"
    assert (shown["seconds to infer from most"], shown["to train"]) == ("3", "6")


def test_a_network_that_is_not_proved_against_the_language_does_not_count() -> None:
    other = {**record(100, 0, found=True), "against_truth": "not-closed"}
    header, (row,) = LABELS_ALONE.table([record(100, 1, found=True), other])
    assert dict(zip(header, row, strict=True))["100 words"] == "1 of 2"


def test_without_an_automaton_nothing_was_forced_or_trained() -> None:
    refused: Record = {"language": "parity", "words": 100, "seed": 0, "true_states": 2}
    header, (row,) = LABELS_ALONE.table([{**refused, "found": False, "seconds_to_infer": 9.0}])
    shown = dict(zip(header, row, strict=True))
    assert (shown["forced by most"], shown["to train"]) == ("0 of 1", "0")
    assert (shown["enough"], shown["states found"]) == ("", "")
