"""Stacks of sequence layers, which classify a word, and each of its prefixes, by its last symbol.

One block for every layer of `layers.mixers`: the layer, then a feed-forward network of twice the
width with GELU, both with a residual connection and layer normalisation first, as in GPT-2. A start
symbol is read first, and the network answers for the empty word there.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  symbols of words that fill their rows
    part      positions of a stretch
    width     numbers in a vector
    class     classes
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, cast

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.layers.mixers.mixer import Mixer
from lengthwise.layers.norms import EPSILON, PreNorm
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, longest_of
from lengthwise.models.alignment import align_left, gather_ends
from lengthwise.models.common_settings import NumClasses, NumHeads, NumLayers, VocabSize, Width
from lengthwise.models.stepped import Steppable
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.models.transformer_layer import ResidualLayer
from lengthwise.settings import Setting

VECTORS_AT_ONCE = 2**15
"""About how many positions are computed in one go, so that long words need little memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MixerStackConfig(TransformerConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    num_classes: NumClasses
    mixer: Annotated[str, Setting(meaning="Kind of sequence layer.", options=MIXERS)]
    d_model: Width = 64
    num_heads: NumHeads = 4
    num_layers: NumLayers = 1

    def of_mixer(self) -> dict[str, Any]:
        """Return the settings that its layers have beside width and heads."""
        return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeltaProductConfig(MixerStackConfig):
    """Shape of a network of DeltaProduct layers."""

    num_factors: Annotated[
        int, Setting(meaning="Corrections of the memory at each position.", letter="n", least=1)
    ] = 2

    def of_mixer(self) -> dict[str, Any]:
        """Return the number of factors."""
        return {"num_factors": self.num_factors}


class MixerBlock(ResidualLayer):
    """The block of a sequence layer, which is in the place of attention."""

    attention: Mixer
    attention_norm: PreNorm
    feed_forward_norm: PreNorm

    def __init__(self, mixer: Mixer, width: int) -> None:
        super().__init__(
            mixer,
            d_model=width,
            d_hidden=2 * width,
            norm="pre",
            epsilon=EPSILON,
            activation="gelu",
        )


class MixerStack(Steppable):
    """Right-aligned words to the logits of their classes, by sequence layers."""

    def __init__(self, config: MixerStackConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        self.embedding = nn.Embedding(config.vocab_size + 1, width)
        self.layers = nn.ModuleList(
            MixerBlock(
                MIXERS[config.mixer](width, num_heads=config.num_heads, **config.of_mixer()), width
            )
            for _ in range(config.num_layers)
        )
        self.final_norm = PreNorm.final(width)
        self.answer = nn.Linear(width, config.num_classes)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1) for symbols, N(0, 1/inputs) for matrices; biases are 0.

        The sequence layers draw their own.
        """
        with torch.no_grad():
            self.embedding.weight.normal_(generator=generator)
            for layer in self._blocks():
                layer.attention.draw(generator)
                nn.init.ones_(layer.attention_norm.norm.weight)
                nn.init.ones_(layer.feed_forward_norm.norm.weight)
                for linear in (layer.expand, layer.contract):
                    _draw(linear, generator)
            _draw(self.answer, generator)

    def _blocks(self) -> Iterable[MixerBlock]:
        return cast("Iterable[MixerBlock]", self.layers)

    # ---- symbol by symbol ------------------------------------------------------------------------

    def start(self) -> tuple[Tensor, Any]:
        """Return the logits of the empty word, and the state before the first symbol."""
        state = tuple(layer.attention.start(1) for layer in self._blocks())
        device = self.answer.weight.device
        return self.step(state, torch.full((1,), self.config.vocab_size, device=device))

    def step(self, state: Any, symbols: Tensor) -> tuple[Tensor, Any]:
        """Return the logits and the states after one more symbol of each word."""
        x = self.embedding(symbols)[:, None]
        after = []
        for layer, before in zip(self._blocks(), state, strict=True):
            mixed, new = layer.attention.step(layer.attention_norm.before(x)[:, 0], before)
            x = layer.finish(x, mixed[:, None])
            after.append(new)
        return self.answer(self.final_norm(x[:, 0])), tuple(after)

    # ---- words -----------------------------------------------------------------------------------

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        Nothing is random here, so `generator` is left alone.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        longest = longest_of(tokens, None if self.training else lengths)
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        return self.answer(gather_ends(self._vectors(symbols[:, :longest]), lengths))

    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`.

        Nothing is random here, so `generator` is left alone.
        """
        return self.answer(torch.cat(list(self._vectors(tokens)), dim=1)[:, 1:])

    def _vectors(self, symbols: FullWords) -> Iterator[Float[Tensor, "word part width"]]:
        """Yield the last vectors at the start symbol and each symbol, in stretches."""
        start = symbols.new_full((len(symbols), 1), self.config.vocab_size)
        at_once = max(1, VECTORS_AT_ONCE // max(1, len(symbols)))
        states: list[Any] = [None] * len(self.layers)
        for part in torch.split(torch.cat([start, symbols], dim=1), at_once, dim=1):
            x = self.embedding(part)
            for number, layer in enumerate(self._blocks()):
                mixed, states[number] = layer.attention(
                    layer.attention_norm.before(x), states[number]
                )
                x = layer.finish(x, mixed)
            yield self.final_norm(x)


def _draw(linear: nn.Linear, generator: Generator) -> None:
    linear.weight.normal_(0.0, linear.in_features**-0.5, generator=generator)
    linear.bias.zero_()
