r"""A transformer decoder that writes the state after every symbol, and sees a few tokens back.

As in `scratchpad`, the word is interleaved with states that the network writes itself,

$$\vdash q_0\, \sigma_1\, q_1\, \sigma_2\, q_2 \ldots \sigma_T\, q_T ,$$

greedily: $q_t$ is the token with the largest logit at the position of $\sigma_t$, and is read
again as a token ($q_0$ at that of $\vdash$). Attention is over a sliding window of w tokens
(Beltagy et al. 2020) with a learned bias for each head and offset, and no other positions. So with
L layers a token depends on the L (w - 1) + 1 tokens before it alone. There are finitely many of
such contexts, and the decoder is a finite automaton over them. By default L = 1 and w = 2: a step
sees the state that was written, and the symbol.

States are tokens with embeddings of their own. Where there are many, the softmax is factorised
(Goodman 2001): the number of a state has `num_digits` digits, each with a softmax of its own. The
class of a word is read from the embedding of its last state by a linear map.

Axes:
    word      words of a batch
    position  positions of words that fill their rows
    row       contexts; each leads to a token
    token     tokens of a context, the last one on the right; `ABSENT` before the start
    width     numbers in a vector
    digit     digits of a state, the lowest first
    value     values of a digit
    class     classes
"""

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from lengthwise.layers.chunks import ABSENT
from lengthwise.layers.norms import NORMS
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, longest_of
from lengthwise.models.alignment import align_left
from lengthwise.models.regular_gpt import Layer
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig

Contexts = Int[Tensor, "row token"]


class WindowScratchpad(nn.Module):
    """Right-aligned words to the logits of their classes, by way of all states in between.

    Tokens are numbered: first the symbols, then the start, then the states.
    """

    def __init__(self, config: WindowScratchpadConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        self.embedding = nn.Embedding(config.vocab_size + 1 + config.num_state_tokens, width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_layers))
        self.final_norm = NORMS[config.norm].final(width)
        self.write = nn.Linear(width, config.num_digits * config.base)
        self.answer = nn.Linear(width, config.num_classes)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 0.02^2) for embeddings as in GPT-2, Xavier uniform for matrices.

        Small embeddings are learned in a third of the steps that those of N(0, 1) take.
        """
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "embedding.weight":
                    parameter.normal_(0.0, 0.02, generator=generator)
                elif name.endswith("norm.weight"):
                    parameter.fill_(1.0)
                elif parameter.ndim < 2 or name.endswith("attention.bias"):
                    parameter.zero_()
                else:
                    nn.init.xavier_uniform_(parameter, generator=generator)

    # ---- the functions that everything else is made of -----------------------------------------

    @property
    def first_context(self) -> Contexts:
        """The context of the empty word: the start symbol, with nothing before it."""
        context = torch.full((1, self.config.receptive_field), ABSENT)
        context[:, -1] = self.config.vocab_size
        return context.to(self.embedding.weight.device)

    def tokens_of(self, states: Int[Tensor, "*axes"]) -> Int[Tensor, "*axes"]:
        """Return the tokens of states."""
        return states + self.config.vocab_size + 1

    def logits(self, contexts: Contexts) -> Float[Tensor, "row digit value"]:
        """Return the logits of the digits of the state that is written after each context.

        A context has the tokens of the receptive field, or `ABSENT` where the word has no more.
        """
        present = contexts != ABSENT
        x = self.embedding(contexts.clamp(min=0))
        for layer in self.layers:
            assert isinstance(layer, Layer)
            x, present = self._slide(layer, x, present)
        logits = self.write(self.final_norm(x[:, -1]))
        return logits.view(len(contexts), self.config.num_digits, self.config.base)

    def predict_token(self, contexts: Contexts) -> Int[Tensor, " row"]:
        """Return the token that is written after each context."""
        digits = self.logits(contexts).argmax(dim=2)
        places = self.config.base ** torch.arange(self.config.num_digits, device=digits.device)
        return self.tokens_of((digits * places).sum(dim=1))

    def read(self, tokens: Int[Tensor, "*axes"]) -> Float[Tensor, "*axes class"]:
        """Return the logits of the classes of words that lead to states, given as tokens."""
        return self.answer(self.embedding(tokens))

    def digits_of(self, states: Int[Tensor, "*axes"]) -> Int[Tensor, "*axes digit"]:
        """Return the digits of states."""
        places = self.config.base ** torch.arange(self.config.num_digits, device=states.device)
        return states[..., None] // places % self.config.base

    def _slide(
        self,
        layer: Layer,
        x: Float[Tensor, "row token width"],
        present: Bool[Tensor, "row token"],
    ) -> tuple[Float[Tensor, "row later width"], Bool[Tensor, "row later"]]:
        """Apply a layer at all positions that have their whole window."""
        window = self.config.window
        seen = present.unfold(1, window, 1).reshape(-1, window).clone()
        seen[:, -1] = True  # what is computed where no token is, no token sees
        windows = x.unfold(1, window, 1).transpose(2, 3).reshape(-1, window, x.shape[2])
        later = present[:, window - 1 :]
        return layer(windows, seen, None).view(*later.shape, x.shape[2]), later

    # ---- words -----------------------------------------------------------------------------------

    def contexts(
        self, tokens: FullWords, states: Int[Tensor, "word _"]
    ) -> Int[Tensor, "word _ token"]:
        """Return the contexts of the empty word and after each symbol, with these states in them.

        `states[:, t]` is the state after t symbols; the last one is not read.
        """
        start = self.first_context.expand(len(tokens), -1)
        pairs = torch.stack([self.tokens_of(states[:, :-1]), tokens], dim=2).flatten(1)
        field = self.config.receptive_field
        return torch.cat([start, pairs], dim=1).unfold(1, field, 2)

    @torch.no_grad()
    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word, one state at a time.

        Nothing is drawn, so `generator` is left alone; and there are no gradients, since what is
        written is read again as a token.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        longest = longest_of(tokens, None if self.training else lengths)
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        last = symbols.new_zeros(len(symbols))
        for position, state in enumerate(self._states(symbols[:, :longest])):
            last = torch.where(lengths >= position, state, last)
        return self.read(last)

    @staticmethod
    def steps(length: int) -> int:
        """Return the number of tokens written in sequence after the first, for `length` symbols."""
        return max(1, length)

    def _states(self, symbols: FullWords) -> Iterator[Int[Tensor, " word"]]:
        """Yield the tokens that are written for the empty word and after each symbol."""
        contexts = self.first_context.expand(len(symbols), -1)
        state = self.predict_token(contexts)
        yield state
        for column in symbols.unbind(dim=1):
            contexts = torch.cat([contexts[:, 2:], state[:, None], column[:, None]], dim=1)
            state = self.predict_token(contexts)
            yield state
