"""Clusters of vectors: every number against its definition, pair by pair."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.analysis import clusters as module
from lengthwise.analysis.clusters import (
    clusters,
    elements_of,
    gap_and_spread,
    k_means,
    principal_components,
    purity,
)
from lengthwise.analysis.model_copy import block_outputs, float64_copy
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.languages.monoid import syntactic_monoid
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

WORDS = torch.tensor([[0, 1, 1, 0, 1], [1, 1, 1, 0, 0], [-1, -1, 0, 1, 0]])
LENGTHS = torch.tensor([5, 5, 3])


def make(**values: Any) -> RegularGPT:
    config = RegularGPTConfig(
        **{"vocab_size": 2, "num_classes": 2, "d_model": 8, "num_heads": 2, **values}
    )
    model = RegularGPT(config)
    model.initialise(torch.Generator().manual_seed(1))
    return model


def some_points(seed: int, count: int, width: int) -> torch.Tensor:
    return torch.randn(
        count, width, dtype=torch.double, generator=torch.Generator().manual_seed(seed)
    )


@given(st.integers(0, 99), st.integers(2, 30), st.integers(1, 6))
def test_components_are_those_of_the_singular_value_decomposition(
    seed: int, count: int, width: int
) -> None:
    points = some_points(seed, count, width)
    coordinates, shares = principal_components(points)
    centred = (points - points.mean(dim=0)).numpy()
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    rank = min(len(values), 2)
    expected = np.abs(left * values)[:, :rank]
    np.testing.assert_allclose(coordinates[:, :rank].abs().numpy(), expected, rtol=1e-6, atol=1e-6)
    expected = values**2 / (values**2).sum()
    np.testing.assert_allclose(shares[: len(values)].numpy(), expected, rtol=1e-6, atol=1e-9)
    assert coordinates.shape[1] == len(shares) == max(2, width)


def test_one_point_has_no_variance() -> None:
    coordinates, shares = principal_components(torch.ones(1, 3, dtype=torch.double))
    assert coordinates.abs().max() == 0
    assert shares.tolist() == [0, 0, 0]


@given(st.integers(0, 99), st.integers(1, 4))
def test_gap_and_spread_are_those_of_all_pairs(seed: int, kinds: int) -> None:
    points = some_points(seed, 20, 3)
    element = torch.arange(20) % kinds
    gap, spread = gap_and_spread(points, element)
    across = [
        float((points[i] - points[j]).norm())
        for i in range(20)
        for j in range(20)
        if element[i] != element[j]
    ]
    assert gap == (pytest.approx(min(across)) if across else None)
    assert spread == pytest.approx(
        max(
            float((points[i] - points[element == element[i]].mean(dim=0)).norm()) for i in range(20)
        )
    )


def test_the_gap_of_many_points_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    points, element = some_points(0, 50, 3), torch.arange(50) % 3
    whole = gap_and_spread(points, element)
    monkeypatch.setattr(module, "_ROWS", 7)
    assert gap_and_spread(points, element) == pytest.approx(whole)


def test_purity_counts_the_commonest_element_of_each_cluster() -> None:
    cluster = torch.tensor([0, 0, 0, 1, 1, 2])
    element = torch.tensor([0, 0, 1, 1, 1, 1])
    assert purity(cluster, element) == pytest.approx((2 + 2 + 1) / 6)
    assert purity(element, element) == 1


def test_k_means_finds_blobs_and_stays_where_no_point_is_nearer_to_another_centre() -> None:
    blob = torch.arange(60) % 3
    corners = torch.tensor([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], dtype=torch.double)
    points = corners[blob] + some_points(0, 60, 2)
    assert purity(k_means(points, 3), blob) == 1
    cluster = k_means(some_points(1, 80, 2), 4)
    points = some_points(1, 80, 2)
    centres = torch.stack([points[cluster == c].mean(dim=0) for c in range(4)])
    assert torch.equal(torch.cdist(points, centres).argmin(dim=1), cluster)


def test_k_means_never_sees_the_elements() -> None:
    """Two far blobs, each half of one element and half of the other: purity is a coin's."""
    points = torch.tensor([[0.0], [0.1], [9.0], [9.1]], dtype=torch.double)
    assert purity(k_means(points, 2), torch.tensor([0, 1, 0, 1])) == 0.5


@pytest.mark.parametrize("spec", ["parity", "cycle-navigation", "d-3"])
def test_every_map_finds_its_element(spec: str) -> None:
    monoid = syntactic_monoid(parse(spec))
    order = torch.randperm(monoid.size, generator=torch.Generator().manual_seed(0)).repeat(2)
    assert torch.equal(elements_of(monoid, torch.from_numpy(monoid.maps).long()[order]), order)


@pytest.mark.parametrize("settings", [{}, {"memory": "binary"}, {"num_layers": 2, "chunk_size": 3}])
def test_record_is_that_of_distinct_sub_words_computed_one_by_one(
    settings: dict[str, Any],
) -> None:
    """Each sub-word, cut by hand from its word, as a word of its own; also those at left edges."""
    model = make(**settings)
    language = parse("parity")
    record = clusters(model, language, WORDS, LENGTHS)
    chunk = model.config.chunk_size
    sub_words: list[set[str]] = []
    for row, length in zip(WORDS.tolist(), LENGTHS.tolist(), strict=True):
        word, stride, level = "".join(map(str, row[-length:])), chunk, 0
        while True:
            parts = {word[max(0, end - stride) : end] for end in range(length, 0, -stride)}
            sub_words += [set()] * (level + 1 - len(sub_words))
            sub_words[level] = sub_words[level] | parts
            if stride >= length:
                break
            stride, level = stride * chunk, level + 1
    nodes = [(level + 1, part) for level, parts in enumerate(sub_words) for part in parts]
    assert record["nodes"] == record["points"] == len(nodes)
    kinds = {element["word"]: element["points"] for element in record["elements"]}
    odd = sum(part.count("1") % 2 for _, part in nodes)
    assert kinds == {"": len(nodes) - odd, "1": odd}
    drawn = record["drawn"]
    assert sorted(zip(drawn["level"], drawn["element"], strict=True)) == sorted(
        (level, part.count("1") % 2) for level, part in nodes
    )
    assert sum(record["explained"]) == pytest.approx(1)
    model = float64_copy(model)
    vectors = torch.cat([output(model, part, level) for level, part in nodes])
    element = torch.tensor([part.count("1") % 2 for _, part in nodes])
    gap, spread = gap_and_spread(vectors, element)
    assert gap is not None
    assert [record[name] for name in ("gap", "spread", "gap_to_spread")] == pytest.approx(
        [gap, spread, gap / spread]
    )
    assert record["purity"] == purity(k_means(vectors, 2), element) < 1


def output(model: RegularGPT, part: str, level: int) -> torch.Tensor:
    """The block output of a sub-word at a level, from those of its pieces, one by one."""
    chunk = model.config.chunk_size
    stride = chunk ** (level - 1)
    pieces = [part[max(0, end - stride) : end] for end in range(len(part), 0, -stride)][::-1]
    if level == 1:
        below = model.leaf(torch.tensor(list(map(int, pieces))))
    else:
        below = torch.cat([model.memory(output(model, piece, level - 1)) for piece in pieces])
    children = [-1] * (chunk - len(pieces)) + list(range(len(pieces)))
    return model.gather(below, torch.tensor([children]))


def test_a_block_output_is_taken_before_memory_and_read_after_it() -> None:
    model = float64_copy(make(memory="binary"))
    children, above = torch.tensor([[0, 1], [-1, 1]]), torch.tensor([[0, 1]])
    first, second = block_outputs(model, [children, above])
    symbols = model.leaf(torch.arange(2))
    assert torch.equal(first, model.gather(symbols, children))
    assert torch.equal(second, model.gather(model.compose(symbols, children), above))
    assert not torch.equal(second, model.gather(first, above))


def test_few_of_many_sub_words_are_measured_and_fewer_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MEASURED_PER_LEVEL", 3)
    monkeypatch.setattr(module, "DRAWN_PER_LEVEL", 2)
    record = clusters(make(), parse("parity"), WORDS, LENGTHS)
    levels = record["drawn"]["level"]
    assert record["points"] < record["nodes"]
    assert all(levels.count(level) <= 2 for level in levels)
    assert len(record["drawn"]["x"]) == len(levels) < record["points"]


def test_a_language_of_one_element_has_no_gap() -> None:
    record = clusters(make(), parse("regex:(0|1)*"), WORDS, LENGTHS)
    assert (record["gap"], record["gap_to_spread"], record["purity"]) == (None, None, 1)


def test_another_model_is_refused_in_one_line() -> None:
    with pytest.raises(
        ConfigError, match=r"only a RegularGPT .* the model is of the class Linear. Give"
    ):
        clusters(torch.nn.Linear(2, 2), parse("parity"), WORDS, LENGTHS)


def test_vectors_that_are_no_numbers_form_no_clusters() -> None:
    model = make()
    model.get_parameter("pad").data[0] = torch.nan
    with pytest.raises(ClaimError, match="vectors of sub-words are not finite"):
        clusters(model, parse("parity"), WORDS, LENGTHS)
