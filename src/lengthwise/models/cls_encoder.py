"""Base of encoders that classify a word at CLS, a position beside it.

The frame of Chiang & Cholak (2022, section 2.2): n = |w| + 1 positions, CLS at position 0, and only
CLS is read out. What happens between the embeddings and the read-out is the encoder's own.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  positions of a word, CLS first; positions past its end are masked
    width     numbers in a vector
    class     classes
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, only_words
from lengthwise.models.alignment import align_left
from lengthwise.models.common_settings import Norm, NumClasses, NumHeads, Width
from lengthwise.models.layer_stack import InitialName, LayerStack, LayerStackConfig, PositionName
from lengthwise.settings import Setting


@dataclass(frozen=True, kw_only=True, slots=True)
class ClsConfig(LayerStackConfig):
    """Shape of the network. The defaults are those of Chiang & Cholak's experiments (section 5.1).

    Base of the settings of encoders with CLS.
    """

    num_classes: NumClasses
    d_model: Width = 16
    num_heads: NumHeads = 2
    d_hidden: Annotated[
        int, Setting(meaning="Hidden units of the feed-forward networks.", least=1)
    ] = 64
    norm: Norm = "post"
    position: PositionName = "none"
    max_length: Annotated[
        int,
        Setting(
            meaning="Longest word, for positions that are learned or drawn from a range.", least=0
        ),
    ] = 1024
    cls: Annotated[
        Literal["first", "last"],
        Setting(
            meaning="The position of CLS. If `last`, positions count from the end of the word: CLS "
            "is at position 0, the last symbol at position 1."
        ),
    ] = "first"
    initial: InitialName = "torch"


class ClsEncoder(LayerStack):
    """Base of encoders: embeddings, positions, layers with weights of their own, and the read-out.

    With two classes the read-out is one number s, as in the paper: the logits are 0 and s, so the
    probability of class 1 is 1 / (1 + exp(-s)), and a tie means class 0.
    """

    def __init__(self, config: ClsConfig, num_layers: int) -> None:
        super().__init__(
            config,
            num_symbols=config.vocab_size + 1,  # the last is CLS
            max_positions=config.max_length + 1,
            num_layers=num_layers,
            causal=False,
            d_hidden=config.d_hidden,
            activation="relu",
        )
        self._config = config
        self.answer = nn.Linear(
            config.d_model, 1 if config.num_classes == 2 else config.num_classes
        )

    def read(self, vectors: Float[Tensor, "word width"]) -> ClassLogits:
        """Return the logits from the vectors at CLS."""
        answer = self.answer(self.final_norm(vectors))
        if self._config.num_classes != 2:
            return answer
        return torch.cat([torch.zeros_like(answer), answer], dim=1)

    def words_at_once(self, time: int) -> int | None:
        """Return the number of words in rows of `time` positions that fit at once; None for any."""
        return self.pairs_at_once(time)

    def frame(
        self, tokens: Words, lengths: Lengths | None
    ) -> tuple[
        FullWords,
        Int[Tensor, "word 1"],
        Int[Tensor, " position"],
        Bool[Tensor, "word 1 position"] | None,
    ]:
        """Return `with_cls`, the positions 0..n-1, and which of them each word has; None for all.

        Raises:
            WordError: see `with_cls`.
        """
        symbols, count = self.with_cls(tokens, lengths)
        positions = torch.arange(symbols.shape[1], device=tokens.device)
        seen = None if lengths is None else (positions < count)[:, None]
        return symbols, count, positions, seen

    def with_cls(
        self, tokens: Words, lengths: Lengths | None
    ) -> tuple[FullWords, Int[Tensor, "word 1"]]:
        """Return CLS and the symbols (any past the end), and the number of positions n.

        Raises:
            WordError: a word has a symbol that is none, or does not fit into its row; in training,
                where words come from a task, symbols are not checked.
        """
        num_symbols, checked = self._config.vocab_size, not self.training
        if self._config.cls == "first":
            symbols, lengths = align_left(tokens, lengths, num_symbols, checked=checked)
        else:
            words = only_words(tokens, lengths, num_symbols, elsewhere=0, checked=checked)
            symbols = words.flip(1)
            if lengths is None:
                lengths = tokens.new_full((len(tokens),), tokens.shape[1])
        cls = tokens.new_full((len(tokens), 1), self._config.vocab_size)
        return torch.cat([cls, symbols], dim=1), lengths[:, None] + 1
