"""The settings of recognition: the words that are drawn, and the labels that training sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from lengthwise.models.recognisers import Supervision
from lengthwise.settings import Config, Setting, require, require_at_least

_MOST_SYMBOLS = 2**28
"""Greatest number of symbols of one batch; more would exceed any memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsConfig(Config):
    """Settings of the words that are drawn."""

    max_length: Annotated[int, Setting(unit="symbols")] = 40
    """Length of the longest words of training and validation."""
    min_length: Annotated[int, Setting(unit="symbols")] = 1
    """Length of the shortest words of training and validation."""
    curriculum: Annotated[int, Setting(unit="symbols", least=0)] = 0
    """With `supervision=final`: greatest length of the first words. It grows by a quarter whenever
    98 % of a validation's words are right, up to `max_length`. 0: words of all lengths from the
    start."""
    order: Literal["as-drawn", "operators-first"] = "as-drawn"
    """With a curriculum: which words are learned first. `operators-first`: while words grow, half
    of a step are those with the fewest different symbols among four times as many, so that the
    effect of single symbols is seen before that of many."""
    batch_size: Annotated[int, Setting(unit="words")] = 128
    """Number of words of a batch, all of one length."""
    validation_words: Annotated[int, Setting(unit="words")] = 1024
    """Number of fresh words of each validation, of mixed lengths."""
    protocol: str = "audited"
    """Protocol by which words are drawn: `published`, as the authors of RegularGPT drew them, or
    `audited`, with all classes at every length, including near misses. The default is that of the
    model."""
    p_one: float = 0.5
    """P(1) of the published words of Parity; no other language has one."""

    def __post_init__(self) -> None:
        least = dict.fromkeys(("max_length", "batch_size", "validation_words"), 1)
        require_at_least(self, {**least, "min_length": 0, "curriculum": 0})
        require(
            self.min_length <= self.max_length,
            f"min_length={self.min_length} is past max_length={self.max_length}. Lower it.",
        )
        require(
            self.order == "as-drawn" or self.curriculum > 0,
            f"order={self.order!r} is about words that grow. Set curriculum=3, say.",
        )
        for name in ("batch_size", "validation_words"):
            symbols = getattr(self, name) * self.max_length
            require(
                symbols <= _MOST_SYMBOLS,
                f"{name}={getattr(self, name)} words of max_length={self.max_length} are more than "
                f"{_MOST_SYMBOLS:,} symbols. Lower one of them.",
            )


ACTS_WITH: Mapping[str, tuple[Supervision, ...]] = {
    "code_consistency": ("composition",),
    "margin": ("composition",),
    "chunk_lengths": ("codebook",),
    "replay": ("composition", "codebook"),
}
"""The supervisions that use a setting; those that are not here are checked with their networks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SupervisionConfig(Config):
    """Settings of the labels that training sees, and of their weights."""

    supervision: Supervision = "final"
    """`final`: the class of the word. `prefix`: the class after every prefix. `node`: the class of
    every sub-word that a node of the tree covers. `transition`: also the state that each of these
    sub-words leads to from the probe states. `composition`: the labels of `transition` for nodes
    that are composed so that every product of the monoid occurs, until a proof closes. `codebook`:
    codebook supervision, which labels every chunk with its code, where codes are the coordinates of
    state maps, or of a recurrent network every step with the code of its state, until a proof
    closes. `maps`: the state map of every symbol, and that products of maps are compositions, until
    a proof closes. `states`: the state of the automaton after every prefix, which stands between
    the symbols."""
    code_consistency: float = 1.0
    """With `composition`: weight of the loss that draws the numbers of all nodes of one meaning to
    one code."""
    margin: float = 0.1
    """With `composition`: weight of the loss on numbers that are near 0."""
    chunk_lengths: Literal["training", "all"] = "training"
    """With `codebook`: the words whose chunks or steps are labelled. `training`: those of at most
    `data.max_length` symbols. `all`: those of every length, the default for new runs."""
    replay: bool = True
    """Hard-example replay, with `composition` and `codebook`: chunks or steps that validation finds
    wrong are drawn more often."""
    bits: Literal["straight-through", "soft", "quantised"] = "straight-through"
    """With `final` and binary memory: how training takes bits from numbers. `straight-through`: the
    sign, with the gradient of tanh. `soft`: tanh, so that only noise makes codes. `quantised`: the
    sign, as the nearest vector of a codebook, with a commitment loss."""
    anneal: Annotated[int, Setting(unit="batches")] = 0
    """With `final` and binary memory: number of batches over which the noise falls linearly to 0;
    0 to keep it."""
    associativity: float = 0.0
    """With `final` and a network of trees: weight of the mean squared difference between
    f(f(a, b), c) and f(a, f(b, c)), where a, b and c are nodes of the batch."""
    identity: float = 0.0
    """With `final` and a network of trees: weight of the mean squared difference between
    f(pad, x) and x, where x are nodes of the batch."""
    closure: Annotated[float, Setting(added=True)] = 0.0
    """With `final` and a network of trees: weight of the mean squared distance of upper nodes and
    of products of random nodes from the nearest nodes of the lower half of the levels, over the
    variance of these; what is above 0.3 counts as 0."""
    closure_after: Annotated[int, Setting(added=True, unit="batches")] = 0
    """With `closure`: number of batches after which it counts."""
    consensus: Annotated[float, Setting(added=True)] = 0.0
    """With `final` and a network of trees: weight of the mean squared distance of products of nodes
    from those on which associativity agrees, over the variance of nodes. It counts where nodes have
    settled near at most 256 vectors; these and their products are the network's own."""
    consensus_after: Annotated[int, Setting(added=True, unit="batches")] = 0
    """With `consensus`: number of batches after which products are compared; 64 more make the first
    table of them."""

    def __post_init__(self) -> None:
        least = (
            *("code_consistency", "margin", "anneal", "associativity", "identity"),
            *("closure", "closure_after", "consensus", "consensus_after"),
        )
        require_at_least(self, dict.fromkeys(least, 0))
