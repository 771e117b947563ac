r"""A transformer that reads a sentence and writes its translation.

The encoder sees the whole source from everywhere; the decoder sees what it has written so far, and
the source. Sub-layers are pre-norm by default, as in the translation experiment of Chiang and
Cholak (2022, section 5.4), positions are encoded by sinusoids, and the read-out is the embedding.

Each of the three attentions has a scale of its own (`SCALES`). With `log-length`, equation 2 of the
paper, logits are multiplied with log n, where n is

    encoder   the number of tokens of the source
    decoder   the number of tokens so far, the one that begins a translation among them
    cross     the number of tokens of the source

Sentences of a batch are padded on the right with `PAD`. A source ends with `END`, and so does a
translation, which begins with `BEGIN`.

Axes:
    pair      sentences of a batch, or pairs of them
    source    positions of a source
    target    positions of a translation
    position  positions of either
    beam      translations of one source that are written side by side
    width     numbers in a vector
    symbol    the vocabulary
"""

from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.attention import SCALES, Attention
from lengthwise.layers.dropout import Drop, dropout, keep_all
from lengthwise.layers.encodings import sinusoids
from lengthwise.layers.norms import EPSILON, NORMS
from lengthwise.models.causal import causal_mask
from lengthwise.models.common_settings import (
    Dropout,
    HiddenWidth,
    NumHeads,
    NumLayers,
    TextNorm,
    VocabSize,
    Width,
)
from lengthwise.models.initialisation import draw_xavier
from lengthwise.models.layer_stack import ScaleName
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.models.transformer_layer import ResidualLayer
from lengthwise.registry import Catalogue
from lengthwise.settings import Setting
from lengthwise.text.data.parallel_corpus import PAD
from lengthwise.text.layers.token_loss import ReadOut

Source = Int[Tensor, "pair source"]
Target = Int[Tensor, "pair target"]
SourceVectors = Float[Tensor, "pair source width"]
TargetVectors = Float[Tensor, "pair target width"]
SourceMask = Bool[Tensor, "pair 1 source"]
"""Marks the positions of a source that hold tokens."""

_OwnScale = Annotated[
    str,
    Setting(
        meaning="Scale of one of the attentions; nothing for `scale`.",
        options=Catalogue("attention scale", {"": None, **SCALES}),
    ),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderDecoderConfig(TransformerConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    d_model: Width = 128
    num_heads: NumHeads = 4
    num_layers: NumLayers = 3
    """Layers of the encoder, and as many of the decoder."""
    d_hidden: HiddenWidth = 0
    norm: TextNorm = "pre"
    dropout: Dropout = 0.1
    """Applied to embeddings, and to what branches add (Vaswani et al. 2017, section 5.4)."""
    scale: ScaleName = "standard"
    """The scale of all three attentions, except for those that have one of their own."""
    encoder_scale: _OwnScale = ""
    decoder_scale: _OwnScale = ""
    cross_scale: _OwnScale = ""
    shared_embeddings: Annotated[
        bool, Setting(meaning="Whether source and target have the same vectors for equal tokens.")
    ] = True

    def scale_of(self, attention: str) -> str:
        """Return the scale of `encoder`, `decoder` or `cross`."""
        scale: str = getattr(self, f"{attention}_scale")
        return scale or self.scale


class CodingLayer(ResidualLayer):
    """A layer of the encoder, and what a layer of the decoder begins and ends with."""

    attention: Attention

    def __init__(self, config: EncoderDecoderConfig, scale: str) -> None:
        super().__init__(
            _attention(config, scale),
            d_model=config.d_model,
            d_hidden=config.d_hidden or 4 * config.d_model,
            norm=config.norm,
            epsilon=EPSILON,
            activation="relu",
        )

    def forward(self, x: SourceVectors, seen: SourceMask, drop: Drop) -> SourceVectors:
        """Return the new vectors of positions that all see the same."""
        before = self.attention_norm.before(x)
        return self.finish(x, self.attention(before, before, seen), drop)


class DecoderLayer(nn.Module):
    """A layer of the decoder: self-attention, cross-attention, and a feed-forward network."""

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.own = CodingLayer(config, config.scale_of("decoder"))
        self.cross = _attention(config, config.scale_of("cross"))
        self.cross_norm = NORMS[config.norm](config.d_model, EPSILON)

    def forward(
        self,
        x: TargetVectors,
        memory: SourceVectors,
        written: Bool[Tensor, "1 target target"],
        seen: SourceMask,
        drop: Drop,
    ) -> TargetVectors:
        """Return the new vectors of a translation, from those of the source."""
        before = self.own.attention_norm.before(x)
        h = self.own.attention_norm.after(x + drop(self.own.attention(before, before, written)))
        attended = self.cross(self.cross_norm.before(h), memory, seen)
        return self.own.feed_forward(self.cross_norm.after(h + drop(attended)), drop)


class EncoderDecoder(nn.Module):
    """Sentences and what is written of their translations to the logits of the next token."""

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.target_embedding = nn.Embedding(config.vocab_size, config.d_model)
        if not config.shared_embeddings:
            self.source_embedding = nn.Embedding(config.vocab_size, config.d_model)
        scale, layers = config.scale_of("encoder"), range(config.num_layers)
        self.encoder = nn.ModuleList(CodingLayer(config, scale) for _ in layers)
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in layers)
        final = NORMS[config.norm].final
        self.memory_norm, self.final_norm = final(config.d_model), final(config.d_model)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1/width) for embeddings, Xavier uniform for matrices."""
        draw_xavier(self, generator, self.config.d_model)

    def forward(
        self, source: Source, target: Target, generator: Generator | None = None
    ) -> Float[Tensor, "pair target symbol"]:
        """Return the logits of the token after each position of the translations.

        `generator` decides what dropout leaves out in training.
        """
        return self.read(self.vectors(source, target, generator))

    def read_for_cost(self, tokens: Source) -> Float[Tensor, "pair source symbol"]:
        """Read a source and a translation of its length."""
        return self(tokens, tokens)

    def vectors(
        self, source: Source, target: Target, generator: Generator | None = None
    ) -> TargetVectors:
        """Return the last layer's vectors at every position of the translations."""
        drop = self._drop(generator)
        memory, seen = self.encode(source, drop)
        x = drop(self.embed(target))
        causal = causal_mask(x)
        for layer in self.decoder:
            x = layer(x, memory, causal, seen, drop)
        return self.final_norm(x)

    def encode(self, source: Source, drop: Drop = keep_all) -> tuple[SourceVectors, SourceMask]:
        """Return the vectors of sources, and which of their positions hold tokens."""
        seen = (source != PAD)[:, None]
        embedding = (
            self.target_embedding if self.config.shared_embeddings else self.source_embedding
        )
        x = drop(self._place(embedding(source), 0))
        for layer in self.encoder:
            x = layer(x, seen, drop)
        return self.memory_norm(x), seen

    def embed(
        self, target: Int[Tensor, "pair position"], start: int = 0
    ) -> Float[Tensor, "pair position width"]:
        """Return the vectors of tokens of a translation, from position `start` on."""
        return self._place(self.target_embedding(target), start)

    def read_out(
        self, source: Source, target: Target, generator: Generator | None = None
    ) -> ReadOut:
        """Return vectors and matrix of the logits, for a loss that does not hold all logits."""
        return ReadOut(self.vectors(source, target, generator), self.target_embedding.weight)

    def read(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes symbol"]:
        """Return the logits of the next token."""
        return F.linear(x, self.target_embedding.weight)

    def begin(self, source: Source, beams: int) -> "TranslationState":
        """Begin `beams` translations of each source."""
        return TranslationState(self, source, beams)

    def _place(self, vectors: Tensor, start: int) -> Tensor:
        positions = torch.arange(start, start + vectors.shape[1], device=vectors.device)
        width = self.config.d_model
        return vectors * width**0.5 + sinusoids(positions, width).to(vectors.dtype)

    def _drop(self, generator: Generator | None) -> Drop:
        return dropout(self.config.dropout, generator) if self.training else keep_all


class TranslationState:
    """Translations that are written a token at a time: keys and values of all positions are kept.

    The keys and values of a source are kept once, for all its beams.
    """

    def __init__(self, model: EncoderDecoder, source: Source, beams: int) -> None:
        self._model, self._beams, self._written = model, beams, 0
        memory, self._seen = model.encode(source)
        self._layers = [_Kept(layer, memory, beams) for layer in model.decoder]

    def __call__(self, tokens: Int[Tensor, "pair beam"]) -> Float[Tensor, "pair beam symbol"]:
        """Return the logits of the token that comes after these, one for each translation."""
        x = self._model.embed(tokens.reshape(-1, 1), self._written)
        self._written += 1
        for layer in self._layers:
            x = layer(x, self._seen)
        return self._model.read(self._model.final_norm(x)).view(*tokens.shape, -1)

    def keep(self, pairs: Int[Tensor, " kept"], beams: Int[Tensor, "kept beam"]) -> None:
        """Continue with these sources alone, and in each with these translations, in this order."""
        self._seen = self._seen[pairs]
        rows = (pairs[:, None] * self._beams + beams).flatten()
        for layer in self._layers:
            layer.keep(pairs, rows)


class _Kept:
    """A layer of the decoder, with the keys and values of the source and of what was written."""

    def __init__(self, layer: nn.Module, memory: Tensor, beams: int) -> None:
        assert isinstance(layer, DecoderLayer)
        self._layer = layer
        self._source = layer.cross.rotate_keys(memory), layer.cross.value(memory)
        nothing = memory.new_empty(len(memory) * beams, 0, memory.shape[2])
        self._own = nothing, nothing

    def __call__(self, x: Tensor, seen: Tensor) -> Tensor:
        """Return the new vectors of the positions that come next."""
        layer, cross = self._layer.own, self._layer.cross
        before = layer.attention_norm.before(x)
        new = layer.attention.rotate_keys(before), layer.attention.value(before)
        key, value = (torch.cat(pair, dim=1) for pair in zip(self._own, new, strict=True))
        self._own = key, value
        every = torch.ones(1, 1, key.shape[1], dtype=torch.bool, device=key.device)
        attended = layer.attention.gather(layer.attention.query(before), key, value, every)
        h = layer.attention_norm.after(x + attended)
        asking = cross.query(self._layer.cross_norm.before(h)).view(len(seen), -1, h.shape[2])
        attended_source = cross.gather(asking, *self._source, seen)
        return layer.feed_forward(
            self._layer.cross_norm.after(h + attended_source.reshape(h.shape))
        )

    def keep(self, pairs: Tensor, rows: Tensor) -> None:
        """Continue with these sources and translations alone."""
        (key, value), (own_key, own_value) = self._source, self._own
        if len(pairs) < len(key):
            self._source = key[pairs], value[pairs]
        self._own = own_key[rows], own_value[rows]


def _attention(config: EncoderDecoderConfig, scale: str) -> Attention:
    return Attention(config.d_model, config.num_heads, config.d_model // config.num_heads, scale)
