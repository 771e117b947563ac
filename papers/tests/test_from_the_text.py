"""What the package computes is what plain code says that is written from the papers' text alone.

Nothing of the package is used before a comparison. The networks below follow the papers' numbering
of sections and equations; departures from the print are those of docs/errata.md.

Axes:
    place     symbols of a word, with CLS before them where there is one
    position  symbols of a sequence of inputs and gates
    width     numbers in a vector
"""

import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lengthwise.circuits.adders import adder, adder_circuit
from lengthwise.constructions.first import compile_confident_first
from lengthwise.constructions.nor_circuits import compile_nor
from lengthwise.constructions.parity import compile_confident_parity, compile_parity
from lengthwise.layers.chunks import depth
from lengthwise.models.encoder import Encoder
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.problems.planning import make_plan

Array = NDArray[np.float64]

RESULTS = Path(__file__).parent.parent / "results"


def recorded(name: str) -> list[dict[str, Any]]:
    """Return the records of an experiment."""
    records: list[dict[str, Any]] = json.loads((RESULTS / name).read_text("utf-8"))["records"]
    return records


# ---- Chiang and Cholak (2022) --------------------------------------------------------------------


class Head(NamedTuple):
    """Matrices of a head. Without query and key the attention is uniform."""

    value: Array
    query: Array | None = None
    key: Array | None = None


class EncoderLayer(NamedTuple):
    """Heads, and the two matrices of the feed-forward network, which has no biases."""

    heads: tuple[Head, ...]
    first: Array
    second: Array


Network = tuple[list[EncoderLayer], Array]
"""Layers, and the row of the output layer."""


def matrix(rows: int, columns: int, entries: dict[tuple[int, int], float]) -> Array:
    """Return a matrix of zeros with these entries; rows and columns count from 1, as in print."""
    result = np.zeros((rows, columns))
    for (row, column), value in entries.items():
        result[row - 1, column - 1] = value
    return result


def parity_network(c: float = 1.0) -> Network:
    """Return the network of section 3.2, with d = 9."""
    d = 9
    count = Head(matrix(d, d, {(6, 2): 1.0, (7, 3): 1.0}))
    steps = {(row, column): slope for row in (1, 2, 3) for column, slope in ((4, -1.0), (6, 1.0))}
    first = matrix(3, d, {**steps, (1, 7): -1.0, (3, 7): 1.0})
    second = matrix(d, 3, {(8, 1): 1.0, (8, 2): -2.0, (8, 3): 1.0})
    query = matrix(d, d, {(1, 3): c * math.sqrt(d)})
    odd = Head(matrix(d, d, {(9, 8): 1.0}), query, matrix(d, d, {(1, 5): -1.0}))
    even = Head(matrix(d, d, {(9, 8): -1.0}), query, matrix(d, d, {(1, 5): 1.0}))
    nothing = np.zeros((1, d)), np.zeros((d, 1))
    layers = [EncoderLayer((count,), first, second), EncoderLayer((odd, even), *nothing)]
    return layers, matrix(1, d, {(1, 9): 1.0})[0]


def first_network(c: float = 1.0, tie: float = 0.0) -> Network:
    """Return the network of section 3.3, with d = 6.

    `tie` is what CLS takes off for its own mark, which the paper does not have.
    """
    d = 6
    first = matrix(1, d, {(1, 1): -1.0, (1, 3): -1.0, (1, 4): 1.0})
    second = matrix(d, 1, {(5, 1): 1.0})
    query, key = matrix(d, d, {(1, 3): c * math.sqrt(d)}), matrix(d, d, {(1, 4): 1.0})
    seek = Head(matrix(d, d, {(6, 3): -tie, (6, 4): -0.5, (6, 5): 1.0}), query, key)
    nothing = np.zeros((1, d)), np.zeros((d, 1))
    layers = [EncoderLayer((), first, second), EncoderLayer((seek,), *nothing)]
    return layers, matrix(1, d, {(1, 6): 1.0})[0]


def embedded(language: str, word: Sequence[int]) -> Array:
    """Return the vectors a^{0,i} of CLS and the symbols."""
    places = np.arange(len(word) + 1)
    rows = np.zeros((len(places), {"parity": 9, "first": 6}[language]))
    rows[0, 2] = 1.0
    rows[places[1:], list(word)] = 1.0
    if language == "parity":
        rows[:, 3], rows[:, 4] = places / len(places), np.where(places % 2 == 0, 1.0, -1.0)
    else:
        rows[1, 3] = 1.0
    return rows


def doubled(network: Network) -> Network:
    """Return the network that computes x and -x, so that layer norm has no mean (section 4.1).

    The factor sqrt(d) in a query undoes that of the attention, so it grows with the width.
    """
    layers, row = network

    def wide(weights: Array) -> Array:
        return np.hstack([weights, 0 * weights])

    def both(weights: Array) -> Array:
        return np.vstack([weights, -weights])

    def padded(weights: Array | None, scale: float) -> Array | None:
        return None if weights is None else scale * wide(weights)

    return [
        EncoderLayer(
            tuple(
                Head(both(wide(head.value)), padded(head.query, 2**0.5), padded(head.key, 1.0))
                for head in layer.heads
            ),
            wide(layer.first),
            both(layer.second),
        )
        for layer in layers
    ], wide(row[None])[0]


def with_new_layer(network: Network, eta: float) -> Network:
    """Add the layer of Proposition 2, after which only the logit s and -s are left."""
    layers, row = network
    d = len(row)
    unit = np.eye(d)
    second = np.hstack([-unit, unit])
    second[0] += np.hstack([row, -row])
    second[1] += np.hstack([-row, row])
    c = -math.log(math.expm1(eta)) / math.sqrt(d / 2)
    return [*layers, EncoderLayer((), np.vstack([unit, -unit]), second)], c * unit[0]


def normalised(x: Array, epsilon: float | None) -> Array:
    """Return LN(x) with gamma = 1 and beta = 0; None stands for no layer norm.

    With epsilon = 0 the new layer divides 0 by 0 at places other than CLS, which nobody reads.
    """
    if epsilon is None:
        return x
    centred = x - x.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        result: Array = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return result


def attended(asking: Array, x: Array, head: Head) -> Array:
    """Return scaled dot-product attention of the asking places to all (section 2.2.2)."""
    values = x @ head.value.T
    if head.query is None or head.key is None:
        return np.broadcast_to(values.mean(axis=0), asking.shape)
    logits = (asking @ head.query.T) @ (x @ head.key.T).T / math.sqrt(x.shape[1])
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Array = weights @ values / weights.sum(axis=1, keepdims=True)
    return result


def logit(network: Network, x: Array, epsilon: float | None = None) -> float:
    """Return what the output layer makes of CLS.

    From the second layer on only CLS is computed: the third, if there is one, has no heads.
    """
    layers, row = network
    for number, layer in enumerate(layers, start=1):
        asking = x[:1] if number > 1 else x
        total = sum((attended(asking, x, head) for head in layer.heads), start=asking)
        c = normalised(total, epsilon)
        x = normalised(np.maximum(c @ layer.first.T, 0) @ layer.second.T + c, epsilon)
    return float(x[0] @ row)


CONFIDENT: dict[str, Callable[..., Encoder]] = {
    "parity": compile_confident_parity,
    "first": compile_confident_first,
}

TIE = 0.125
"""With layer norm the package lets CLS take off an eighth of its own mark, in FIRST; the paper does
not, and leaves the empty word undecided.
"""


def plain_network(language: str, *, c: float = 1.0, tie: float = 0.0) -> Network:
    """Return the network of sections 3.2 or 3.3."""
    return parity_network(c) if language == "parity" else first_network(c, tie)


def plain_logit(
    language: str, word: Sequence[int], epsilon: float | None, *, eta: float = 1e-3, tie: float = 0
) -> float:
    """Return the logit of a word; None stands for the network without layer norm."""
    network, x = plain_network(language, tie=tie), embedded(language, word)
    if epsilon is None:
        return logit(network, x)
    return logit(with_new_layer(doubled(network), eta), np.hstack([x, -x]), epsilon)


def plain_bits(language: str, word: Sequence[int], epsilon: float | None, tie: float = 0) -> float:
    """Return the cross-entropy of a word in bits."""
    s = plain_logit(language, word, epsilon, tie=tie)
    member = sum(word) % 2 == 1 if language == "parity" else word[0] == 1
    return float(np.logaddexp(0, -s if member else s)) / math.log(2)


@cache
def words_of_figure_2(asked: str, lengths: tuple[int, ...]) -> dict[int, list[list[int]]]:
    """Return the words that the record is about, by length, drawn as its seed draws them."""
    generator = torch.Generator().manual_seed(0)
    found: dict[tuple[str, int], list[list[int]]] = {}
    drawn = {record["length"]: record["words"] for record in recorded("chiang2022-figure2.json")}
    for language in ("parity", "first"):
        for length, number in sorted(drawn.items()):
            at_once = max(1, 2**16 // length)
            sizes = [min(at_once, number - first) for first in range(0, number, at_once)]
            parts = [torch.randint(2, (size, length), generator=generator) for size in sizes]
            if length in lengths:
                found[language, length] = torch.cat(parts).tolist()
    return {length: found[asked, length] for length in lengths}


@pytest.mark.parametrize("language", ["parity", "first"])
def test_the_record_of_figure_2_is_the_cross_entropy_of_plain_networks(language: str) -> None:
    lengths = (1, 10, 100, 1_000)
    words = words_of_figure_2(language, lengths)
    compared = 0
    for record in recorded("chiang2022-figure2.json"):
        length, epsilon = record["length"], record["epsilon"]
        if record["language"] == language and length in lengths:
            tie = TIE if epsilon is not None else 0
            bits = [plain_bits(language, word, epsilon, tie) for word in words[length]]
            assert np.mean(bits) == pytest.approx(record["bits"], abs=1e-9)
            compared += 1
    assert compared == 6 * len(lengths)


def test_the_eighth_that_cls_takes_off_changes_no_answer_and_few_bits() -> None:
    for epsilon in (0.1, 1e-3, 1e-5, 1e-7):
        for length, words in words_of_figure_2("first", (1, 100, 1_000)).items():
            for word in words[:10]:
                as_printed = plain_bits("first", word, epsilon)
                ours = plain_bits("first", word, epsilon, TIE)
                assert as_printed < 1, length
                assert ours == pytest.approx(as_printed, rel=0.1)


@pytest.mark.parametrize("n", [2, 7, 1_000, 1_001])
def test_logits_of_parity_are_the_closed_forms_of_appendix_a(n: int) -> None:
    """With sinh for the cosh of an odd k and an odd n."""
    packaged = compile_parity()
    for k in {0, 1, n // 2, n // 2 + 1, n - 1} & set(range(n)):
        if n % 2 == 0:
            s = (-1) ** (k + 1) * 2 * math.tanh(1) / n**2
        else:
            more, less = (n + 1) / 2, (n - 1) / 2
            z_1, z_2 = less * math.e + more / math.e, more * math.e + less / math.e
            s = (-2 * less if k % 2 == 0 else 2 * more) * math.sinh(2) / (n * z_1 * z_2)
        word = [1] * k + [0] * (n - 1 - k)
        assert plain_logit("parity", word, None) == pytest.approx(s, rel=1e-7)
        assert difference(packaged, word) == pytest.approx(s, rel=1e-7)


@pytest.mark.parametrize("language", ["parity", "first"])
@pytest.mark.parametrize("eta", [0.5, 1e-3, 1e-9])
def test_without_epsilon_every_word_has_the_cross_entropy_of_proposition_2(
    language: str, eta: float
) -> None:
    """Its c sqrt(d/2) is -log(exp(eta) - 1), the logit of a cross-entropy of eta nats."""
    packaged = CONFIDENT[language](eta=eta, epsilon=0.0)
    for words in words_of_figure_2(language, (1, 10, 1_000)).values():
        for word in words[:4]:
            member = sum(word) % 2 == 1 if language == "parity" else word[0] == 1
            expected = -math.log(math.expm1(eta)) * (1 if member else -1)
            plain = plain_logit(language, word, 0.0, eta=eta)
            assert plain == pytest.approx(expected, rel=1e-9)
            assert difference(packaged, word) == pytest.approx(expected, rel=1e-9)


def difference(model: Encoder, word: Sequence[int]) -> float:
    """Return by how much the package's logit of a member is above the other."""
    with torch.no_grad():
        other, member = model(torch.tensor([list(word)]))[0].tolist()
    return float(member - other)


# ---- Guiding transformers to process in steps (2022) ---------------------------------------------

Gate = tuple[str, ...]
"""The kind of a gate, and the names of its sources."""


def addition(n: int) -> dict[str, Gate]:
    """Return the gates of section 4 by name, in the order of representation 1 (with g_1 for g_2).

    Representation 2 has the same in another order.
    """
    gates: dict[str, Gate] = {"c1": ("CONST0",)}
    for i in range(1, n + 1):
        gates[f"d{i}"] = ("XOR", f"a{i}", f"b{i}")
        gates[f"e{i}"] = ("XOR", f"c{i}", f"d{i}")
        gates[f"f{i}"] = ("AND", f"a{i}", f"b{i}")
        gates[f"g{i}"] = ("AND", f"c{i}", f"d{i}")
        gates[f"c{i + 1}"] = ("XOR", f"f{i}", f"g{i}")
    return gates


def symbols(n: int, representation: int) -> list[str]:
    """Return the names of all symbols, the inputs first."""
    digits = range(1, n + 1)
    gates = list(addition(n))
    if representation == 2:
        free = [f"{letter}{i}" for letter in "df" for i in digits]
        carries = ["c1", *(name for i in digits for name in (f"g{i}", f"c{i + 1}"))]
        gates = [*free, *carries, *(f"e{i}" for i in digits)]
    return [*(f"{letter}{i}" for letter in "ab" for i in digits), *gates]


@pytest.mark.parametrize("representation", [1, 2])
@pytest.mark.parametrize("n", [3, 8])
def test_the_adder_has_the_gates_of_section_4(representation: int, n: int) -> None:
    sequence, names, gates = adder(n, representation), symbols(n, representation), addition(n)
    assert list(sequence.names) == names
    assert len(sequence.steps) == 4 * n + 1 + n  # l = 4n + 1 intermediates and n bits of the sum
    for name, step in zip(names[2 * n :], sequence.steps, strict=True):
        found = (step.kind, *(names[source] for source in step.sources))
        assert found == gates[name]


@pytest.mark.parametrize("representation", [1, 2])
def test_figure_1_records_one_softmax_of_two_sources_in_each_row(representation: int) -> None:
    """Appendix A has one logit at the sources and 0 at the others. The record has fixed it: it is
    read off one row, and all rows, their mean and their least follow.
    """
    record = recorded("steps2022-figure1.json")[representation - 1]
    names, gates = symbols(8, representation), addition(8)
    matrix_of_record = np.array(record["weights"])
    assert record["gates"] == names[16:]
    assert matrix_of_record.shape == (41, 56)
    # The row before gate i sees the inputs and the gates before it.
    rows = {i: [names.index(s) for s in gates[names[16 + i]][1:]] for i in range(41)}
    rows = {i: sources for i, sources in rows.items() if sources}
    assert len(rows) == 40
    row, sources = next(iter(rows.items()))
    odds = matrix_of_record[row, sources].sum() / (1 - matrix_of_record[row, sources].sum())
    ratio = odds * (16 + row - 2) / 2
    shares = []
    for i, sources in rows.items():
        expected = np.zeros(56)
        expected[: 16 + i] = 1.0
        expected[sources] = ratio
        expected /= expected.sum()
        assert np.abs(matrix_of_record[i] - expected).max() < 1e-5
        shares.append(expected[sources].sum())
    assert np.mean(shares) == pytest.approx(record["on_sources"], abs=1e-5)
    assert min(shares) == pytest.approx(0.9689, abs=1e-4)  # docs/reproducing/steps2022.md
    assert min(shares) / 2 == pytest.approx(0.4844, abs=1e-4)


def nor_log_odds(pairs: Sequence[tuple[int, int]], tokens: Sequence[int], error: float) -> Array:
    """Return log P(1)/P(0) of the symbol after each place, by equations 1 to 35.

    `pairs` are the sources of each gate, from 0. Corrected as docs/errata.md says: both residual
    branches begin before the norm, and places have coordinates from 10 on.
    """
    num_inputs = len(tokens) + 1 - len(pairs)
    b = len(tokens)
    d = 9 + b
    eps, root = 1 / (5 + 2 * d**2), math.sqrt(d / 4)
    delta = 1 - 4 * eps - 2 * d**2 * eps
    c_1 = 2 * math.ceil(math.log(b * (1 - 2 * eps) / (2 * eps)))
    c_2 = math.ceil(math.log((1 - error) / error))
    places = range(1, b + 1)

    values = [(1, 1, -1.0), (1, 2, 1.0), (1, 3, -1.0), (2, 1, 1.0), (2, 2, -1.0), (2, 3, -1.0)]
    embedding = matrix(2, d, {(row, column): value for row, column, value in values})  # (17)
    position = matrix(b, d, {(i, 9 + i): 1.0 for i in places})  # (18)
    query = np.zeros((d, d))  # (21)
    for gate, sources in enumerate(pairs):
        query[9 + num_inputs + gate - 1, list(sources)] = c_1 / root
    key = matrix(d, d, {(9 + i, i): 1.0 for i in places})  # (23)
    value = matrix(d, d, {(1, 4): 1 / root, (2, 5): 1 / root})  # (25)
    first = matrix(d, 4 * d, {(4, 6): -root, (4, 7): root})  # (29)
    bias = matrix(1, 4 * d, {(1, 6): -2 * d**2 * eps, (1, 7): 1 - 4 * eps})  # (30)
    second = matrix(4 * d, d, {(6, 6): 1.0, (7, 7): 1.0, (6, 8): -1.0, (7, 9): -1.0})  # (31)
    scale = d**2 * c_2 / delta
    answer = matrix(d, 2, {(7, 1): scale, (6, 2): scale})  # (35)

    embedded_tokens = embedding[list(tokens)] + position
    h = normalised(embedded_tokens, 0.0)
    logits = (h @ query) @ (h @ key).T / math.sqrt(d)
    logits[np.triu_indices(b, 1)] = -math.inf
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    h_1 = weights @ (h @ value) + embedded_tokens
    h_2 = np.maximum(normalised(h_1, 0.0) @ first + bias, 0) @ second + h_1
    z = normalised(h_2, 0.0) @ answer
    result: Array = z[:, 1] - z[:, 0]
    return result


def test_the_nor_network_has_the_parameters_of_appendix_a_and_a_matrix_after_attention() -> None:
    sequence = adder_circuit(8).as_nor().sequence()
    assert len(sequence.steps) == 137
    b = 16 + 137 - 1
    d = 9 + b
    embeddings, norms, attention_of_print = 2 * d + b * d, 6 * d, 3 * (d**2 + d)
    as_printed = embeddings + norms + attention_of_print + (8 * d**2 + 5 * d) + 2 * d
    assert as_printed == 312_501
    count = sum(each.numel() for each in compile_nor(sequence).parameters())
    assert count == as_printed + d**2 + d == 338_583  # docs/reproducing/exact_weights.md


def test_the_nor_network_has_the_logits_of_appendix_a() -> None:
    sequence = adder_circuit(8).as_nor().sequence()
    pairs = [(step.sources[0], step.sources[-1]) for step in sequence.steps]
    model = compile_nor(sequence, error=1e-6)
    generator = np.random.default_rng(5)
    for _ in range(4):
        numbers = generator.integers(256, size=2).tolist()
        word = [number >> i & 1 for number in numbers for i in range(8)]
        for left, right in pairs:
            word.append(int(not (word[left] or word[right])))
        total = sum(word[output] << i for i, output in enumerate(sequence.outputs))
        assert total == sum(numbers) % 256
        plain = nor_log_odds(pairs, word[:-1], error=1e-6)[15:]
        assert [int(each > 0) for each in plain] == word[16:]
        with torch.no_grad():
            z = model(torch.tensor([word[:-1]]))[0, 15:].numpy()
        np.testing.assert_allclose(z[:, 1] - z[:, 0], plain, rtol=1e-6)


# ---- Chi et al. (2023) ---------------------------------------------------------------------------


def levels(length: int, chunk_size: int) -> int:
    """Return the least number of levels whose sub-words cover the word, but at least 1."""
    number = 1
    while chunk_size**number < length:
        number += 1
    return number


def mask(scalars: Tensor, length: int, level: int) -> Tensor:
    """Return the matrix M of equation (1), for the scalars r of a head."""
    chunk = len(scalars)
    result = torch.full((length, length), -math.inf, dtype=scalars.dtype)
    for m in range(length):
        for i in range(chunk):
            if m - i * chunk**level >= 0:
                result[m, m - i * chunk**level] = scalars[i]
    return result


@pytest.mark.parametrize("chunk_size", [2, 3])
def test_the_levels_reach_the_whole_word_and_one_fewer_do_not(chunk_size: int) -> None:
    assert depth(500, chunk_size) == levels(500, chunk_size) == {2: 9, 3: 6}[chunk_size]
    seen = torch.eye(500)
    reached = []
    for level in range(levels(500, chunk_size)):
        seen = ((mask(torch.zeros(chunk_size), 500, level) == 0).float() @ seen > 0).float()
        reached.append(int(seen[-1].sum()))
    assert reached == [min(chunk_size ** (level + 1), 500) for level in range(len(reached))]


class Weights(NamedTuple):
    """Matrices [out, in] of one layer; the projections of the attention have no biases."""

    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor
    scalars: Tensor
    expand: tuple[Tensor, Tensor]
    contract: tuple[Tensor, Tensor]
    norms: tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]


def layer_norm(x: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
    """Return layer normalisation with the epsilon of GPT-2."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return (
        centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() * weights[0]
        + weights[1]
    )


def attention(x: Tensor, weights: Weights, level: int) -> Tensor:
    """Return Sliding-Dilated-Attention at every position (section 3.1)."""
    parts = []
    for scalars, query, key, value in zip(
        weights.scalars,
        *((x @ w.T).chunk(len(weights.scalars), dim=1) for w in weights[:3]),
        strict=True,
    ):
        logits = query @ key.T / math.sqrt(query.shape[1]) + mask(scalars, len(x), level)
        parts.append(logits.softmax(dim=1) @ value)
    return torch.cat(parts, dim=1) @ weights.output.T


def feed_forward(x: Tensor, weights: Weights) -> Tensor:
    """Return the feed-forward network with ReLU, as Lemma 1 has it."""
    hidden = (x @ weights.expand[0].T + weights.expand[1]).clamp(min=0)
    return hidden @ weights.contract[0].T + weights.contract[1]


def regular_gpt(x: Tensor, weights: Weights, chunk_size: int, *, before: bool) -> Tensor:
    """Return the vector at the last position; norms are before the branches or after them."""
    attended, fed = weights.norms
    for level in range(levels(len(x), chunk_size)):
        if before:
            x = x + attention(layer_norm(x, attended), weights, level)
            x = x + feed_forward(layer_norm(x, fed), weights)
        else:
            x = layer_norm(x + attention(x, weights, level), attended)
            x = layer_norm(x + feed_forward(x, weights), fed)
    return x[-1]


def own_weights(width: int, heads: int, chunk_size: int, generator: torch.Generator) -> Weights:
    """Draw weights of standard deviation one over the square root of the inputs."""

    def drawn(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64) / shape[-1] ** 0.5

    def norm() -> tuple[Tensor, Tensor]:
        return 1 + drawn(width), drawn(width)

    return Weights(
        query=drawn(width, width),
        key=drawn(width, width),
        value=drawn(width, width),
        output=drawn(width, width),
        scalars=drawn(heads, chunk_size),
        expand=(drawn(4 * width, width), drawn(4 * width)),
        contract=(drawn(width, 4 * width), drawn(width)),
        norms=(norm(), norm()),
    )


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_the_tree_computes_equation_1_on_the_same_weights(chunk_size: int, before: bool) -> None:
    generator = torch.Generator().manual_seed(3)
    width, heads, num_symbols, num_classes = 16, 4, 3, 5
    weights = own_weights(width, heads, chunk_size, generator)
    table = torch.randn(num_symbols, width, generator=generator, dtype=torch.float64)
    answer = torch.randn(num_classes, width, generator=generator, dtype=torch.float64)
    config = RegularGPTConfig(
        vocab_size=num_symbols,
        num_classes=num_classes,
        chunk_size=chunk_size,
        d_model=width,
        num_heads=heads,
        norm="pre" if before else "post",
        pad="absent",
        embedding_scale=1.0,
    )
    model = RegularGPT(config).double().eval()
    final = torch.ones(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)
    give(model, weights, table, answer)
    for length in (1, 2, 3, 4, 8, 9, 10, 27, 40, 65):
        word = torch.randint(num_symbols, (1, length), generator=generator)
        vector = regular_gpt(table[word[0]], weights, chunk_size, before=before)
        expected = answer @ (layer_norm(vector, final) if before else vector)
        with torch.no_grad():
            found = model(word)[0]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)


def give(model: RegularGPT, weights: Weights, table: Tensor, answer: Tensor) -> None:
    """Write weights into the package's network."""
    (layer,) = model.block
    values = {
        "query.weight": weights.query,
        "key_value.weight": torch.cat([weights.key, weights.value]),
        "output.weight": weights.output,
        "bias": weights.scalars,
    }
    parameters = dict(layer.attention.named_parameters())
    assert values.keys() == parameters.keys()
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(values[name])
        for linear, (matrix_of_linear, bias) in (
            (layer.expand, weights.expand),
            (layer.contract, weights.contract),
        ):
            linear.weight.copy_(matrix_of_linear)
            linear.bias.copy_(bias)
        norms = (layer.attention_norm, layer.feed_forward_norm)
        for placed, (gamma, beta) in zip(norms, weights.norms, strict=True):
            (norm,) = (each for each in placed.modules() if isinstance(each, nn.LayerNorm))
            norm.weight.copy_(gamma)
            norm.bias.copy_(beta)
        model.embedding.weight.copy_(table)
        model.answer.weight.copy_(answer)
        model.answer.bias.zero_()


def test_table_4_prints_the_size_of_five_layers_of_transformer_xl() -> None:
    """RegularGPT of the same width has one shared layer, and less than a fifth of the weights."""
    d, heads, chunk = 256, 8, 2
    branch = 8 * d**2 + 5 * d + 4 * d  # feed-forward network with biases, two norms
    one_layer = 4 * d**2 + branch + heads * chunk
    symbols_and_pad, read_out = 3 * d, 2 * d + 2
    model = make_plan("even-pairs", "regular-gpt", preset="paper").build()
    count = sum(each.numel() for each in model.parameters())
    assert count == one_layer + symbols_and_pad + read_out
    assert round(count / 1e6, 2) == 0.79  # docs/errata.md; the paper prints 4.3

    # Dai et al. (2019): query, key, value, output, relative positions; the vectors u and v.
    layers = 5 * (5 * d**2 + 2 * d + branch)
    baseline = make_plan("even-pairs", "chomsky-transformer", preset="paper").build()
    count = sum(each.numel() for each in baseline.parameters())
    assert count == pytest.approx(layers, rel=2e-3)
    assert round(layers / 1e6, 1) == round(count / 1e6, 1) == 4.3
