"""Does Table 3 show and judge what was measured?"""

import math
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import TextError
from lengthwise.layers.chunks import depth
from lengthwise_papers.chi2023 import table3
from lengthwise_papers.chi2023.figure4 import FIGURE_4, check_fields
from lengthwise_papers.chi2023.table3 import (
    TABLE_3,
    Sizes,
    intervals_table,
    levels_table,
    list_printed,
    table,
)
from lengthwise_papers.chi2023.table3_columns import LAST, PUBLISHED, split_column
from lengthwise_papers.chi2023.table3_statements import check
from lengthwise_papers.experiment import MeasurementOptions, Record


def record(column: str, perplexities: dict[int, float], seed: int = 0) -> Record:
    nats = {str(n): math.log(value) for n, value in perplexities.items()}
    test = {
        "nats_by_length": nats,
        "interval_95_by_length": {n: (math.exp(v) - 1, math.exp(v) + 1) for n, v in nats.items()},
        "ratio_95_by_length": dict.fromkeys(nats, (0.99, 1.25)),
        "seconds_by_length": dict.fromkeys(nats, 2.0),
        "words_per_length": 1000,
    }
    field: dict[str, Any] = {"length": 4, "half": 2, "cumulated": [0.4, 0.85, 0.95, 1.0]}
    tests = {"last token": test, "receptive field": {"field": field}}
    return {"row": "text", "column": column, "seed": seed, "tests": tests}


def print(columns: list[str]) -> list[Record]:
    """Records as if the paper's numbers had been measured."""
    return [
        record(column, {n: v for (c, n), v in PUBLISHED.items() if c == column})
        for column in columns
    ]


REGULAR = ["32 / 6", "64 / 6", "128 / 6", "128 / 12", "256 / 6"]


def test_the_papers_own_numbers_are_judged_as_the_paper_says() -> None:
    statements = check(print(["KERPLE", "T5", "ALiBi", *REGULAR]))
    assert [one.says.split(",")[0].split(" up to")[0] for one in statements] == [
        "perplexity stays about the same as at the training length",
        "and explodes beyond",
        "twice the thickness is better",
        "neither the smallest nor the largest chunk generalises best",
        "the chunk that is best at the training length is best at the greatest",
        "with T5's positions perplexity grows with the length (1.5 times and more)",
        "the best RegularGPT is near the best of these (within 15 %; printed: 7.6 %)",
        "with C = 256 performance deteriorates beyond the training length (1.1 times and more)",
    ]
    assert [one.says for one in statements if not one.holds] == [statements[4].says]
    assert statements[4].where == "ours"
    assert statements[4].measured == "C = 256 at 512 tokens, C = 128 at 8,192"
    assert statements[6].measured == "128 / 12 has 1.076 times its perplexity at 512 tokens"
    assert check(print(["KERPLE", "128 / 12"]))[-1].verdict == "open"
    assert "1.27 (256 / 6)" in statements[0].measured
    assert "C = 128 at 8,192 tokens" in statements[3].measured


def test_a_level_too_many_that_does_no_harm_is_told() -> None:
    flat = [record("8 / 1", {64: 30.0, 128: 31.0}), record("16 / 1", {64: 30.0, 128: 30.0})]
    says = {one.says: one.holds for one in check(flat)}
    assert says["and explodes beyond"] is False
    assert check([]) == []
    assert check(print(["T5"])) == []


def test_thickness_is_judged_among_those_that_were_trained_alike() -> None:
    curves = {"64 / 2": 40.0, "64 / 4": 41.0, "64 / 2, 9 steps": 30.0, "64 / 4, 9 steps": 29.0}
    found = check([record(column, {64: value}) for column, value in curves.items()])
    says = {one.text: one.holds for one in found if "thickness" in one.says}
    every = "twice the thickness is better, at every length"
    assert says == {every: False, f"{every} (9 steps)": True}


def test_what_is_trained_otherwise_is_judged_by_its_reach_but_not_beside_the_others() -> None:
    longer = "8 / 1, 20,000 steps"
    alone = check([record(longer, {64: 30.0, 128: 90.0})])
    assert [(one.holds, one.measured) for one in alone[:-1]] == [
        (True, f"highest ratio: 1 ({longer})"),
        (True, f"lowest ratio: 3 ({longer})"),
    ]
    others = [record(f"{chunk} / 1", {64: 30.0, 128: 31.0}) for chunk in (8, 16, 32)]
    beside = check([*others, record(longer, {64: 3.0, 128: 9.0})])
    assert beside[-1] == check(others)[-1]
    explodes = {one.text: one.holds for one in beside if "explodes" in one.says}
    assert explodes == {
        "and explodes beyond": False,
        "and explodes beyond (20,000 steps)": True,
    }


@pytest.mark.parametrize("preset", ["smoke", "laptop", "paper"])
def test_the_names_of_columns_say_what_is_trained(preset: str) -> None:
    columns = table3._networks(TABLE_3.presets[preset])
    regular = {name: settings for name, (_, settings) in columns.items() if " / " in name}
    assert regular
    for name, settings in regular.items():
        chunk, num_layers, variant = split_column(name)
        assert (chunk, num_layers) == (settings["chunk_size"], settings["num_layers"])
        said = ["norms after the branches"] if settings.get("norm") == "post" else []
        said += [f"{settings['steps']:,} steps"] if "steps" in settings else []
        assert variant == ", ".join(said)


def test_a_cell_is_the_mean_over_seeds_with_the_least_and_the_greatest() -> None:
    columns, rows = table([record("T5", {64: 20.0}), record("T5", {64: 40.0}, seed=1)])
    assert columns == ["length", "T5"]
    assert rows == [["64", "30.00 (20.00 to 40.00)"]]
    _, rows = table([record("T5", {64: 2e5})])
    assert rows == [["64", "2.0e+05"]]


def test_what_is_printed_stands_beside_it() -> None:
    columns, rows = list_printed([])
    assert columns[4] == "32 / 6"
    assert rows[2][4] == "791.74"


@pytest.mark.parametrize("preset", ["laptop", "paper"])
def test_some_chunks_end_within_the_tested_lengths_and_some_do_not(preset: str) -> None:
    sizes: Sizes = TABLE_3.presets[preset]
    reaches = [chunk ** depth(sizes.window, chunk) for chunk, _ in sizes.chunks]
    assert sum(sizes.window < reach < max(sizes.lengths) for reach in reaches) >= 2
    assert sum(reach >= max(sizes.lengths) for reach in reaches) >= 2


def test_the_laptops_chunks_reach_as_far_as_the_papers() -> None:
    def reaches(sizes: Sizes) -> list[float]:
        """In units of the training length, but for the largest chunk."""
        chunks = sorted({chunk for chunk, _ in sizes.chunks})[:-1]
        return [chunk ** depth(sizes.window, chunk) / sizes.window for chunk in chunks]

    assert reaches(TABLE_3.presets["laptop"]) == reaches(TABLE_3.presets["paper"]) == [2, 8, 32]


def test_intervals_are_told_of_ratios_on_the_same_tokens() -> None:
    columns, rows = intervals_table([record("T5", {64: 20.0, 128: 40.0})])
    assert rows == [["text", "T5", "19.00 to 21.00", "128: 0.990 to 1.250", "2 at 128"]]
    assert len(columns) == len(rows[0])


def test_more_levels_stand_beside_the_levels_of_training() -> None:
    with_levels = record("16 / 1", {64: 20.0, 512: 50.0})
    fixed = record("16 / 1", {64: 20.0, 512: 21.0})["tests"][LAST]
    with_levels["tests"]["levels as trained"] = fixed
    columns, rows = levels_table([record("T5", {64: 9.0}), with_levels])
    assert columns == ["column", "levels", "64", "512"]
    assert rows == [
        ["16 / 1", "ceil(log_C T)", "1.000", "2.500"],
        ["16 / 1", "as in training", "1.000", "1.050"],
    ]
    assert levels_table([]).rows == []


@pytest.mark.parametrize(("last_half", "holds"), [(0.95, True), (0.8, False)])
def test_a_wide_field_is_told_whichever_seed_has_it(last_half: float, holds: bool) -> None:
    other = record("32 / 1", {64: 2.0}, seed=1)
    other["tests"]["receptive field"]["field"]["cumulated"] = [0.4, last_half, 0.97, 1.0]
    wide = record("T5", {64: 2.0})
    wide["tests"]["receptive field"]["field"]["cumulated"] = [0.1, 0.2, 0.3, 1.0]
    first = record("32 / 1", {64: 2.0})
    first["tests"]["receptive field"]["field"]["cumulated"] = [0.5, 0.99, 0.99, 1.0]
    (statement,) = check_fields([wide, first, other])
    assert statement.holds == holds
    assert statement.measured == f"at least {100 * last_half:.1f} % (text, 32 / 1, seed 1)"
    assert check_fields([wide]) == []


def test_figure_4_tells_where_the_gradient_is() -> None:
    columns, rows = FIGURE_4.table(print(["32 / 6"]))
    assert rows == [["text", "32 / 6", "4", "2", "3"]]
    assert len(columns) == len(rows[0])
    assert set(FIGURE_4.figures(print(["32 / 6"]))) == {"receptive-field"}
    assert FIGURE_4.figures([]) == {}
    assert set(TABLE_3.figures(print(REGULAR))) == {"perplexity"}


def test_nothing_is_fetched_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = MeasurementOptions(progress=lambda done, steps: None)
    with pytest.raises(TextError, match="Make one: `lengthwise prepare hf:Skylion007/openwebtext "):
        TABLE_3.collect("chi2023/table3", "paper", options)
    assert list(tmp_path.iterdir()) == []
