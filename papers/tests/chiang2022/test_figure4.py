"""Figure 4: curves, tables, and kinds of positions."""

from pathlib import Path

import pytest

from lengthwise_papers.chiang2022 import figure4
from lengthwise_papers.experiment import Record

SLOW = pytest.mark.slow


def of_figure_4(position: str, scale: str, length: int, seed: int, **end: float) -> Record:
    """A run that is at chance after the first tested epoch, and comes to `end` after the second."""
    begin = {"accuracy": 0.5, "bits": 9.0, "attention": 0.0}
    return {
        **{"position": position, "scale": scale, "length": length, "seed": seed},
        **{"test_words": 8, "test_length": 100, "epochs": [5, 10]},
        **{what: [begin[what], value] for what, value in end.items()},
    }


FIGURE_4_ENDS = {
    ("standard", 10): {"accuracy": 0.5, "bits": 1.0, "attention": 0.2},
    ("standard", 30): {"accuracy": 0.9, "bits": 0.5, "attention": 0.3},
    ("log-length", 10): {"accuracy": 1.0, "bits": 0.01, "attention": 0.9},
    ("log-length", 30): {"accuracy": 1.0, "bits": 0.01, "attention": 0.9},
}


def test_figure_4_is_judged_by_the_end_of_its_curves() -> None:
    def check(key: tuple[str, int] = ("standard", 10), **other: float) -> list[bool | None]:
        found = {**FIGURE_4_ENDS, key: {**FIGURE_4_ENDS[key], **other}}
        runs = [
            of_figure_4("first", scale, n, seed, **(end if seed else FIGURE_4_ENDS[scale, n]))
            for (scale, n), end in found.items()
            for seed in range(2)
        ]
        return [one.holds for one in figure4.check(runs)]

    worse = [
        check(("standard", 30), accuracy=1.1),
        check(accuracy=0.9),
        check(("standard", 30), attention=0.1),
        check(("log-length", 30), accuracy=0.998),
        check(("log-length", 30), bits=0.1),
        check(("log-length", 10), attention=-0.6),
    ]
    for number, holds in enumerate(worse):
        assert holds == [place != number for place in range(6)]
    assert check() == [True] * 6


def test_figure_4_is_judged_for_each_kind_of_positions() -> None:
    both = [
        of_figure_4(position, scale, n, 0, **{**end, **worse})
        for position, worse in (("first", {"bits": 0.1}), ("first-early", {}))
        for (scale, n), end in FIGURE_4_ENDS.items()
    ]
    assert [one.holds for one in figure4.check(both)] == [*([True] * 4), False, *([True] * 7)]
    assert len(figure4.curves(both)) == 8
    assert len(figure4.check(both[:6])) == 6  # early positions lack their scaled curves yet
    assert len(figure4.check(both[:7])) == 12


def test_other_ways_to_scale_are_variants_with_fixed_positions() -> None:
    runs = [of_figure_4("first", scale, n, 0, **end) for (scale, n), end in FIGURE_4_ENDS.items()]
    end = FIGURE_4_ENDS["log-length", 10]
    runs.append(of_figure_4("first", "learned-log", 10, 0, **end))
    *_, accuracy, bits = figure4.check(runs)
    variant = "fixed positions, scaled by a learned multiple of log n"
    assert (accuracy.variant, accuracy.verdict) == (variant, "open")
    assert accuracy.measured == "n = 10: 100.0 %; not run: n = 30"
    assert bits.measured == "n = 10: 0.0100 bits; not run: n = 30"
    runs.append(of_figure_4("first", "learned-log", 30, 0, **end))
    assert [one.verdict for one in figure4.check(runs)[-2:]] == ["yes", "yes"]
    assert len(figure4.check(runs)) == 8


def test_small_logits_begin_about_as_large_as_unscaled_ones() -> None:
    by_way = {part.settings["scale"]: part for part in figure4.parts(figure4.Sizes(seeds=(0,)), ())}
    assert by_way.keys() == figure4.WAYS.keys()
    networks = {key: part.settings["plan"]["network"] for key, part in by_way.items()}
    shown = {key: (one["scale"], one["initial"]) for key, one in networks.items()}
    assert shown["log-length, small"] == ("log-length", "torch-copies-small")
    assert shown["learned-log"] == ("learned-log", "torch-copies")
    names = {part.name.rpartition(", n")[0] for part in figure4.parts(figure4.Sizes(), ())}
    assert len(names) == 6
    assert not any("early" in name and "small" in name for name in names)


def test_the_table_of_figure_4_counts_runs_without_an_error() -> None:
    end = FIGURE_4_ENDS["standard", 30]
    runs = [of_figure_4("first", "standard", 30, 0, **{**end, "accuracy": 1.0})]
    runs += [of_figure_4("first", "standard", 30, seed, **end) for seed in (1, 2, 3)]
    columns, [row] = figure4.table(runs)
    cells = dict(zip(columns, row, strict=True))
    assert cells["accuracy %"] == "92.5"
    assert (cells["runs without an error"], cells["worst run %"]) == ("1 of 4", "90.0")
    assert (cells["bits"], cells["epochs"]) == ("0.5000", "10")


@SLOW
def test_figure_4_is_reached_with_the_positions_of_the_early_code_alone(tmp_path: Path) -> None:
    """With n = 10 and scaling: some of 20 runs fail with the fixed positions of section 5.1."""
    sizes = figure4.Sizes(lengths=(10,), epochs=20, epochs_between_tests=20, test_words=50)
    runs = [
        found
        for part in figure4.parts(sizes, ())
        if part.settings["scale"] == "log-length"
        for found in figure4.measure(part.settings, tmp_path)
    ]
    ends = {key[0]: curve.ends("accuracy") for key, curve in figure4.curves(runs).items()}
    assert {name: len(right) for name, right in ends.items()} == {"first": 20, "first-early": 20}
    assert min(ends["first"]) < 0.8
    assert min(ends["first-early"]) == 1.0
