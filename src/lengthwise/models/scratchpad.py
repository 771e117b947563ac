r"""A causal transformer that writes down the state of an automaton after every symbol.

The remedy before RegularGPT (Chi et al. 2023, section 2.2; Nye et al. 2022, Anil et al. 2022): the
word $\sigma_1 .. \sigma_T$ is interleaved with the states $q_t$ after each prefix,

$$\vdash \sigma_1\, q_1\, \sigma_2\, q_2 \ldots \sigma_T\, q_T$$

and the network predicts $q_t$ at the position of $\sigma_t$, and the state of the empty word at the
start symbol. A bias towards what is near (ALiBi, Press et al. 2022) keeps it from counting over the
whole word. In training the true states are on the pad; to answer, the network reads its own, one
after the other: T steps that wait for each other, where RegularGPT has
ceil(log_C T). Keys and values are kept, so that a step computes two positions: the state that the
step before has written, and the symbol after it, which is given. The paper counts a step for each
position, 2T (section 2.3), as a decoder would take that reads one position at a time.

The logit of a class is log sum exp(logit of q) over the states q of that class, so that the
probability of a class is the sum of those of its states.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  symbols of words that fill their rows
    state     states of the automaton
    class     classes
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from lengthwise.device_copies import send
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words
from lengthwise.models.alignment import align_left
from lengthwise.models.causal import CausalConfig, CausalState, CausalTransformer
from lengthwise.models.common_settings import MaxLength, NumClasses, NumHeads, NumLayers, Width
from lengthwise.models.layer_stack import PositionName
from lengthwise.settings import Setting, require


@dataclass(frozen=True, kw_only=True, slots=True)
class ScratchpadConfig(CausalConfig):
    """Shape of the network, and what it must know of the automaton."""

    num_classes: NumClasses
    state_classes: Annotated[
        tuple[int, ...],
        Setting(meaning="Class of each state; `num_classes` for a state in which no word ends."),
    ]
    d_model: Width = 64
    num_heads: NumHeads = 8
    num_layers: NumLayers = 2
    position: PositionName = "alibi"
    max_length: MaxLength = 1024

    def __post_init__(self) -> None:
        CausalConfig.__post_init__(self)
        for state_class in self.state_classes or (-1,):
            require(
                0 <= state_class <= self.num_classes,
                f"state_classes={self.state_classes} must give each state a class below "
                f"num_classes={self.num_classes}, or {self.num_classes} for none. Use others.",
            )


class Scratchpad(CausalTransformer):
    """Right-aligned words to the logits of their classes, by way of all states in between."""

    def __init__(self, config: ScratchpadConfig) -> None:
        num_states = len(config.state_classes)
        num_symbols = config.vocab_size + num_states + 1
        super().__init__(config, num_symbols=num_symbols, usual_positions=2 * config.max_length)
        self.config = config
        self.answer = nn.Linear(config.d_model, num_states)

    def state_logits(
        self, tokens: FullWords, states: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word _ state"]:
        """Return the logits of the state of the empty word, and of that after each symbol.

        `states` are the true states after each symbol, which are on the pad; the last one is not
        read. Words must fill their rows. `generator` is for positions that are drawn in
        training.

        Raises:
            WordError: positions are learned, and the words are longer than `max_length`.
        """
        pad = torch.stack([tokens, states + self.config.vocab_size], dim=2).flatten(1)[:, :-1]
        vectors = self.vectors(torch.cat([self._start(len(tokens)), pad], dim=1), generator)
        return self.answer(torch.cat([vectors[:, :1], vectors[:, 1::2]], dim=1))

    @torch.no_grad()
    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word, one state at a time.

        Nothing is drawn, so `generator` is left alone; and there are no gradients, since what is
        written down is read again as a symbol.

        Raises:
            WordError: as `align_left`, or a word is longer than a table of learned positions.
        """
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        result = self.answer.weight.new_zeros(len(symbols), len(self.config.state_classes))
        for batch in self._batches(lengths):
            longest = int(lengths[batch[0]])
            result[batch] = self._last_states(symbols[batch, :longest], lengths[batch])
        return self._classes(result)

    @staticmethod
    def steps(length: int) -> int:
        """Return the number of predictions in sequence, for a word of `length` symbols.

        The paper's count is twice that: it counts positions, and a step reads two.
        """
        return max(1, length)

    def _batches(self, lengths: Tensor) -> Iterator[Tensor]:
        """Return the words, longest first, in batches that can be read at once."""
        order = lengths.argsort(descending=True, stable=True)
        while len(order):
            size = self.words_to_read_at_once(2 * int(lengths[order[0]]))
            yield order[:size]
            order = order[size:]

    def _last_states(self, symbols: Tensor, lengths: Tensor) -> Tensor:
        """Return the logits of the states at the ends of words that are sorted, longest first."""
        num_words, longest = symbols.shape
        state = CausalState(self, num_words, max(1, 2 * longest))
        result = self.answer(state(self._start(num_words))[:, -1])
        unread = (lengths[None] > torch.arange(longest, device=lengths.device)[:, None]).sum(dim=1)
        for positions, count in enumerate(unread.tolist()):
            new = symbols[:count, positions : positions + 1]
            if positions:
                token = result[:count].argmax(dim=1, keepdim=True) + self.config.vocab_size
                new = torch.cat([token, new], dim=1)
            result[:count] = self.answer(state(new)[:, -1])
        return result

    def _classes(self, logits: Float[Tensor, "word state"]) -> ClassLogits:
        """Return the logits of the classes from those of the states."""
        of_state = send(torch.tensor(self.config.state_classes), logits.device)
        outside = of_state != torch.arange(self.config.num_classes, device=logits.device)[:, None]
        least = torch.finfo(logits.dtype).min / 2  # a class without states stays finite
        return logits[:, None].masked_fill(outside, least).logsumexp(dim=2)

    def _start(self, num_words: int) -> Tensor:
        symbol = self.embedding.num_embeddings - 1
        return torch.full((num_words, 1), symbol, device=self.embedding.weight.device)
