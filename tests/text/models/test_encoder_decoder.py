"""The translator: against a reading of the formulas, padding, caches, and what it refuses."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.layers.attention import Attention
from lengthwise.layers.encodings import sinusoids
from lengthwise.text.data.parallel_corpus import BEGIN, END, PAD
from lengthwise.text.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from ordinary import few

SYMBOLS = 9


def _model(seed: int = 0, **settings: Any) -> EncoderDecoder:
    shape = {"vocab_size": SYMBOLS, "d_model": 8, "num_heads": 2, "num_layers": 2}
    model = EncoderDecoder(EncoderDecoderConfig(**{**shape, **settings}))
    model.initialise(torch.Generator().manual_seed(seed))
    with torch.no_grad():  # so that biases and norms count
        for parameter in model.parameters():
            generator = torch.Generator().manual_seed(seed + 1)
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.1)
    return model.double().eval()


sentences = st.lists(st.integers(3, SYMBOLS - 1), max_size=6)


def _pad(rows: list[list[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


# ---- the formulas, one place and one head at a time --------------------------------------------


def _attend(attention: Attention, asking: Tensor, keys: list[Tensor], factor: float) -> Tensor:
    size, heads = attention.head_width, []
    for head in range(attention.num_heads):
        part = slice(head * size, (head + 1) * size)
        query = attention.query(asking)[part]
        logits = [
            factor * float(query @ attention.key(key)[part]) / math.sqrt(size) for key in keys
        ]
        weights = [math.exp(logit - max(logits)) for logit in logits]
        values = [attention.value(key)[part] * w for key, w in zip(keys, weights, strict=True)]
        heads.append(torch.stack(values).sum(dim=0) / sum(weights))
    return attention.output(torch.cat(heads))


def _feed(layer: Any, x: Tensor) -> Tensor:
    inner = layer.feed_forward_norm.norm(x)
    return x + layer.contract(torch.relu(layer.expand(inner)))


def _factor(scale: str, seen: int) -> float:
    return math.log(seen) if scale == "log-length" else 1.0


def _plain(model: EncoderDecoder, source: list[int], target: list[int]) -> Tensor:
    """The logits at every place of `target`, for one pair without padding."""
    config = model.config
    width = config.d_model

    def embed(embedding: nn.Embedding, tokens: list[int]) -> list[Tensor]:
        return [
            embedding.weight[token] * math.sqrt(width) + sinusoids(torch.tensor(place), width)
            for place, token in enumerate(tokens)
        ]

    own = model.target_embedding if config.shared_embeddings else model.source_embedding
    x = embed(own, source)
    layer: Any
    for layer in model.encoder:
        normed = [layer.attention_norm.norm(v) for v in x]
        factor = _factor(config.scale_of("encoder"), len(source))
        x = [
            v + _attend(layer.attention, n, normed, factor) for v, n in zip(x, normed, strict=True)
        ]
        x = [_feed(layer, v) for v in x]
    memory = [model.memory_norm(v) for v in x]
    y = embed(model.target_embedding, target)
    for layer in model.decoder:
        normed = [layer.own.attention_norm.norm(v) for v in y]
        h = []
        for place, v in enumerate(y):
            factor = _factor(config.scale_of("decoder"), place + 1)
            seen = normed[: place + 1]
            h.append(v + _attend(layer.own.attention, normed[place], seen, factor))
        factor = _factor(config.scale_of("cross"), len(source))
        h = [v + _attend(layer.cross, layer.cross_norm.norm(v), memory, factor) for v in h]
        y = [_feed(layer.own, v) for v in h]
    return torch.stack([model.target_embedding.weight @ model.final_norm(v) for v in y])


@given(
    source=sentences,
    target=sentences,
    scales=st.tuples(*[st.sampled_from(["", "standard", "log-length"])] * 3),
    scale=st.sampled_from(["standard", "log-length"]),
    shared=st.booleans(),
)
def test_it_computes_what_the_formulas_say(
    source: list[int], target: list[int], scales: tuple[str, str, str], scale: str, shared: bool
) -> None:
    names = ("encoder_scale", "decoder_scale", "cross_scale")
    own: dict[str, Any] = dict(zip(names, scales, strict=True))
    model = _model(scale=scale, shared_embeddings=shared, **own)
    read, written = [*source, END], [BEGIN, *target]
    with torch.no_grad():
        found = model(torch.tensor([read]), torch.tensor([written]))[0]
        torch.testing.assert_close(found, _plain(model, read, written), rtol=0, atol=1e-10)


@given(
    pairs=st.lists(st.tuples(sentences, sentences), min_size=2, max_size=5),
    scale=st.sampled_from(["standard", "log-length", "learned-log"]),
    norm=st.sampled_from(["pre", "post"]),
)
def test_pads_and_other_sentences_change_nothing(
    pairs: list[tuple[list[int], list[int]]], scale: str, norm: str
) -> None:
    model = _model(scale=scale, norm=norm)
    sources = [[*source, END] for source, _ in pairs]
    targets = [[BEGIN, *target] for _, target in pairs]
    with torch.no_grad():
        together = model(_pad(sources), _pad(targets))
        for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
            alone = model(torch.tensor([source]), torch.tensor([target]))[0]
            torch.testing.assert_close(together[row, : len(target)], alone, rtol=0, atol=1e-10)


@settings(max_examples=few(8))
@given(sources=st.lists(sentences, min_size=1, max_size=4), data=st.data())
def test_writing_with_a_cache_equals_reading_all_again(
    sources: list[list[int]], data: st.DataObject
) -> None:
    model = _model(scale="log-length")
    rows = _pad([[*source, END] for source in sources])
    beams = data.draw(st.integers(1, 3))
    written = torch.full((len(sources), beams, 1), BEGIN)
    with torch.no_grad():
        writing = model.begin(rows, beams)
        for _ in range(4):
            found = writing(written[:, :, -1])
            for pair in range(len(rows)):
                again = model(rows[pair][None].expand(beams, -1), written[pair])[:, -1]
                torch.testing.assert_close(found[pair], again, rtol=0, atol=1e-10)
            kept = data.draw(
                st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True).map(sorted)
            )
            order = data.draw(
                st.lists(
                    st.lists(st.integers(0, beams - 1), min_size=beams, max_size=beams),
                    min_size=len(kept),
                    max_size=len(kept),
                )
            )
            chosen, of = torch.tensor(kept), torch.tensor(order)
            writing.keep(chosen, of)
            rows = rows[chosen]
            written = written[chosen[:, None], of]
            new = torch.randint(3, SYMBOLS, (len(kept), beams, 1))
            written = torch.cat([written, new], dim=2)


def test_dropout_acts_in_training_alone_and_by_the_generator() -> None:
    model = _model(dropout=0.5)
    source, target = torch.tensor([[3, 4, END]]), torch.tensor([[BEGIN, 5]])

    def find(seed: int) -> Tensor:
        return model(source, target, torch.Generator().manual_seed(seed))

    assert torch.equal(find(0), find(1))
    model.train()
    assert torch.equal(find(0), find(0))
    assert not torch.equal(find(0), find(1))


def test_a_scale_of_its_own_changes_that_attention_alone() -> None:
    config = EncoderDecoderConfig(vocab_size=5, scale="log-length", cross_scale="standard")
    model = EncoderDecoder(config)
    kinds = {
        name: type(module.scale).__name__
        for name, module in model.named_modules()
        if isinstance(module, Attention)
    }
    assert kinds == {
        f"{side}.{layer}.{name}": "StandardScale" if name == "cross" else "LogLengthScale"
        for side, names in (("encoder", ["attention"]), ("decoder", ["own.attention", "cross"]))
        for layer in range(3)
        for name in names
    }


def test_embeddings_are_shared_unless_told_otherwise() -> None:
    sizes = {
        shared: sum(p.numel() for p in _model(shared_embeddings=shared).parameters())
        for shared in (True, False)
    }
    assert sizes[False] - sizes[True] == SYMBOLS * 8


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"d_model": 9}, "cannot be split over num_heads=2"),
        ({"dropout": 1.0}, "dropout=1.0 is too large. Use a number below 1"),
        ({"cross_scale": "log"}, "unknown attention scale 'log'"),
        ({"num_layers": 0}, "num_layers"),
    ],
)
def test_shapes_that_cannot_be_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        _model(**settings)
