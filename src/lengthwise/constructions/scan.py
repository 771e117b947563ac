r"""Weights for any language that classify all prefixes of a word at once, in ceil(log2 T) steps.

A causal decoder of one layer, which runs ceil(log2 T) times with the same weights on a word of T
symbols (Liu et al. 2023, arXiv 2210.10749, theorem 1). RegularGPT's tree (`automata`) composes the
same state maps, for the end of the word alone.

Idea. State maps compose: the state map of uv is that of u, then that of v. Position t holds the
state map of a sub-word that ends at t, in one of the encodings of `subword_encodings`: a symbol's
embedding is the map of the symbol, and the start symbol, at position 0, the identity. In step k one
head fetches the map that is held 2^k positions before, and the feed-forward network composes it
with the own one, by the same units as in the tree.

Attention. In step k the position (`HopPosition`) adds 0 to the logit at distance 2^k and -2^14
elsewhere; the key of the start symbol adds 2^10. If there is a position 2^k before, its logit is at
least 0, and all others are at most 2^10 - 2^14; if not, the start symbol has 2^10 - 2^14, and all
others -2^14. The greatest logit is thus ahead by 2^10 or more, and exp(-1024) is 0 in float64 and
all shorter formats: one key has the weight 1, and all others exactly 0.

Exactness. After k steps position t holds the state map of the last min(2^k, t) symbols up to t.
This holds for k = 0, where position 0 holds the identity, of no symbol. In step k position t gets
the map of the min(2^k, t - 2^k) symbols up to t - 2^k if t >= 2^k, and the identity otherwise,
where its own map covers all t symbols already. Its own map covers the last 2^k, or all t, so the
product covers the last min(2^(k+1), t). After ceil(log2 T) steps every position has read its whole
prefix, and further steps change nothing. The units are exact in every format (`images`; `automata`
for zeros and ones), and so are sums with zeros: the block of the fetched map is empty before the
head writes into it, and emptied by the units. QED

The maps are those that the tree holds in the same places: what position t holds after k steps is
the node of level k at the right edge of the tree of its prefix. So encodings that know which
sub-words occur in the tree (`elements`, of a language with a domain) serve here as well, for every
prefix that is in the domain.
"""

from dataclasses import dataclass

import torch

from lengthwise.constructions.automata import SURE, smallest
from lengthwise.constructions.subword_encodings import Encoding
from lengthwise.constructions.weights import count_parameters, zero_weights
from lengthwise.languages.language import Language
from lengthwise.models.looped_recogniser import LoopedRecogniser, LoopedRecogniserConfig

CHUNK = 2
"""Number of maps that a step composes."""

_START = 32.0
"""Query of every position, and key of the start symbol: their product is 2^10."""


@dataclass(frozen=True, kw_only=True)
class ScanDesign:
    """The encoding and size of a network before it is built."""

    target: str
    encoding: Encoding
    config: LoopedRecogniserConfig
    num_parameters: int

    @property
    def summary(self) -> str:
        """The size as a line of text."""
        return (
            f"{self.target}, one layer for all steps: {self.num_parameters:,} parameters, width "
            f"{self.config.d_model}"
        )


def design_scan(language: Language, *, target: str = "auto") -> ScanDesign:
    """Choose the encoding and the size of the network that `build_scan` builds.

    `target` is a name in `ENCODINGS`, or auto for the one with the fewest parameters.

    Raises:
        ConstructionError: the network has more than `MAX_PARAMETERS` parameters, or the target is
            unknown.
    """

    def design(name: str, encoding: Encoding) -> ScanDesign:
        size = CHUNK * encoding.size
        config = LoopedRecogniserConfig(
            vocab_size=language.num_symbols,
            num_classes=language.num_classes,
            d_model=size + 1,
            head_width=1,
            value_width=encoding.size,
            d_hidden=size + encoding.num_hidden(CHUNK),
            norm="none",
            activation="relu",
        )
        return ScanDesign(
            target=name,
            encoding=encoding,
            config=config,
            num_parameters=count_parameters(LoopedRecogniser, config),
        )

    return smallest(language, target, CHUNK, design)


@torch.no_grad()
def build_scan(design: ScanDesign) -> LoopedRecogniser:
    """Build the network of a design, in float64."""
    encoding, size = design.encoding, design.encoding.size
    model = LoopedRecogniser(design.config)
    zero_weights(model)
    start, components = design.config.vocab_size, torch.arange(size)
    for symbol in range(start):
        model.embedding.weight[symbol, components] = torch.from_numpy(encoding.leaf(symbol))
    model.embedding.weight[start, components] = torch.from_numpy(encoding.pad())
    model.embedding.weight[start, -1] = 1.0
    (layer,) = model.block
    attention = layer.attention
    attention.query.bias.fill_(_START)
    attention.key.weight[0, -1] = _START
    attention.value.weight[components, components] = 1.0
    attention.output.weight[size + components, components] = 1.0
    (units,) = encoding.layers(CHUNK)
    units.write(layer)
    weights, biases = encoding.read_out()
    model.answer.weight[:, components] = SURE * torch.from_numpy(weights)
    model.answer.bias.copy_(SURE * torch.from_numpy(biases))
    return model
