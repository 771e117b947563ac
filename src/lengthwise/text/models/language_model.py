"""Base of language models, which predict the token after each token of a text.

    forward   the logits at every position
    read_out  what they are made of, for training
    last      the logits after the last position only, for perplexity with a full context
    reading   a few tokens at a time, for generation

All are transformers like GPT-2: a norm before each branch (`norm="post"`: after it, as
in GPT-1), GELU, biases, and the embeddings as read-out. So they differ in their attention alone.

Axes:
    word      texts of a batch, all of one length
    position  positions of a text, from the left
    width     numbers in a vector
    symbol    the vocabulary
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import WordError
from lengthwise.layers.norms import EPSILON, NORMS
from lengthwise.models.common_settings import HiddenWidth, NumHeads, TextNorm, VocabSize, Width
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.models.transformer_layer import ResidualLayer
from lengthwise.text.layers.token_loss import ReadOut


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageModelConfig(TransformerConfig):
    """Shape of the network. Base of the settings of language models."""

    vocab_size: VocabSize
    d_model: Width = 128
    num_heads: NumHeads = 4
    d_hidden: HiddenWidth = 0
    norm: TextNorm = "pre"


class TextLayer(ResidualLayer):
    """A layer of a language model: attention, then a feed-forward network with GELU."""

    def __init__(self, config: LanguageModelConfig, attention: nn.Module) -> None:
        super().__init__(
            attention,
            d_model=config.d_model,
            d_hidden=config.d_hidden or 4 * config.d_model,
            norm=config.norm,
            epsilon=EPSILON,
            activation="gelu",
        )


@runtime_checkable
class TextState(Protocol):
    """A text that is read a few tokens at a time."""

    def __call__(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the vector of the last position, once these tokens were read."""
        ...


class LanguageModel(nn.Module):
    """Base of language models. Each of them adds how vectors come from vectors."""

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.final_norm = NORMS[config.norm].final(config.d_model)

    @property
    def num_layers(self) -> int:
        """Half the number of residual branches on the way of a vector: L of GPT-2."""
        raise NotImplementedError

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights as GPT-2's are (Radford et al. 2019).

        Matrices N(0, 0.02^2), divided by sqrt(2 L) where a branch ends; biases 0; norms 1.
        """
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.endswith("norm.weight"):
                    parameter.fill_(1.0)
                elif parameter.ndim < 2 or name.endswith("attention.bias"):
                    parameter.zero_()
                else:
                    ends = name.endswith(("attention.output.weight", "contract.weight"))
                    deviation = 0.02 / (2 * self.num_layers if ends else 1) ** 0.5
                    parameter.normal_(0.0, deviation, generator=generator)

    @property
    def max_positions(self) -> int | None:
        """The longest text that it reads; None for any."""
        return None

    def require_length(self, length: int) -> None:
        """Refuse texts that are too long.

        Raises:
            WordError: the model does not read that number of tokens.
        """
        if self.max_positions is not None and length > self.max_positions:
            raise WordError(
                f"this model reads at most {self.max_positions:,} tokens, but {length:,} are asked "
                f"for. Ask for fewer, or train one without learned positions."
            )

    def vectors(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word position width"]:
        """Return the last layer's vectors at every position."""
        raise NotImplementedError

    def last_vector(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the last layer's vector at the last position."""
        return self.vectors(tokens)[:, -1]

    def new_state(self, num_words: int, num_positions: int) -> TextState:
        """Begin to read `num_words` texts of at most `num_positions` positions."""
        raise NotImplementedError

    def read_out(self, tokens: Int[Tensor, "word position"]) -> ReadOut:
        """Return vectors and matrix of the logits, for a loss that does not hold all logits."""
        return ReadOut(self.final_norm(self.vectors(tokens)), self.embedding.weight)

    def read(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes symbol"]:
        """Return the logits of the next token."""
        return F.linear(self.final_norm(x), self.embedding.weight)

    def forward(
        self, tokens: Int[Tensor, "word position"]
    ) -> Float[Tensor, "word position symbol"]:
        """Return the logits of the token at position i + 1, for every position i."""
        return self.read(self.vectors(tokens))

    def last(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word symbol"]:
        """Return the logits after the last position: `forward(tokens)[:, -1]`, often cheaper."""
        return self.read(self.last_vector(tokens))

    @torch.no_grad()
    def complete(
        self,
        prefix: Int[Tensor, "word position"],
        steps: int,
        *,
        temperature: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "word longer"]:
        """Return the texts with `steps` more tokens: the likeliest ones, or drawn at a temperature.

        Raises:
            WordError: the prefix is empty, or would grow longer than texts may be.
        """
        self.require_length(prefix.shape[1] + steps - 1)
        if prefix.shape[1] == 0:
            raise WordError("a language model continues at least one token. Give some text.")
        new_state = self.new_state(len(prefix), prefix.shape[1] + steps)
        words, new = prefix, prefix
        for _ in range(steps):
            logits = self.read(new_state(new))
            if temperature > 0:
                below = logits.double() - logits.double().amax(dim=1, keepdim=True)
                shares = (below / temperature).softmax(dim=1)
                new = torch.multinomial(shares, 1, generator=generator)
            else:
                new = logits.argmax(dim=1, keepdim=True)
            words = torch.cat([words, new], dim=1)
        return words
