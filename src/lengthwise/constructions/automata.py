r"""RegularGPT weights for any language, right at every length (Chi et al. 2023, Lemma 1).

Idea. State maps of sub-words compose: the state map of uv is that of u, then that of v. A node of
the tree holds the state map of its sub-word in one of the encodings of `ENCODINGS`: the images of
all states as integers, the matrix of the state map, or the one-hot vector of its element in
the transition monoid. A symbol's embedding encodes the state map of the symbol; the pad is the
identity, so it changes nothing before a word. One head for each offset but 0 copies that child into
a block of its own (its bias is 0 at its offset, and so low elsewhere that exp gives 0); the
residual connection keeps the last child in its block. Then the feed-forward network multiplies.
Images are multiplied two by two, in C - 1 layers; `constructions.images` has the proof. Matrices
and elements are of zeros and ones: Lemma 1 multiplies matrices by the sum over k of
relu(A_ik + B_kj - 1). For elements it is relu(a_x + b_y - 1), added at the coordinate of xy. In
general a unit looks at one coordinate of each of the C children, and answers whether all of them
are 1.

Exactness of zeros and ones. We take two units for each of Lemma 1's: with z the sum of the C
coordinates,

    relu(4z - 4C + 3) - relu(4z - 4C + 2) = [z = C]   for z = 0, 1, ..., C,

and this is flat around each of these z: an error below 1/4 in z vanishes altogether, instead of
doubling at every level. The previous content of the blocks is subtracted by -relu(x + 1) + 1 = -x
for x >= -1. At most one of the products that add up to one coordinate is 1, as exactly one k
follows each i. So all sums are small integers, and attention weights are 0 or 1: without layer
norm every vector between blocks is exactly of zeros and ones in every floating-point format, at
every length. By induction over the tree the root holds the state map of the word, and the read-out
gives the class of the state that the start state goes to. QED

With layer norm (`norm="post"`) the vectors have always the same number of ones: w after the network
(w states, or one element), C w after attention. So mean m and variance m (1 - m) are constants, and
a norm with weight sqrt(m (1 - m) + eps) and bias m is the identity, up to rounding, which the flat
units remove at every level. `lengthwise certify --strength robust` proves from the weights, with
bounds on rounding, that it does.

Coordinates of matrices that no word can set (j cannot be reached from i) are left out.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor

from lengthwise.constructions.subword_encodings import ENCODINGS, Encoding
from lengthwise.constructions.weights import zero_weights
from lengthwise.errors import ConstructionError, LanguageError, unknown_name
from lengthwise.languages.language import Language
from lengthwise.layers.norms import EPSILON, PostNorm
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

MAX_PARAMETERS = 100_000_000
"""Largest number of parameters that are built: 800 MB in float64."""

MAX_CHUNK = 16
"""Larger chunks need too many products for all but the smallest languages; at 64 bfloat16 would
round.
"""

SURE = 16.0
"""Logit of the right class; the other classes have logit 0."""

FAR = -1e4
"""Bias of positions that a head does not attend to; exp of it is 0 in every format."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """The size and encoding of a network before it is built."""

    target: str
    machine: Language
    """The minimised automaton."""
    encoding: Encoding
    config: RegularGPTConfig
    num_hidden: int
    """Number of hidden units of a layer that multiply."""
    num_parameters: int

    @property
    def summary(self) -> str:
        """The size as a line of text."""
        return (
            f"{self.target}, chunk {self.config.chunk_size}: {self.num_parameters:,} parameters, "
            f"width {self.config.d_model}, {self.num_hidden:,} units that multiply"
        )


def design_automaton(
    language: Language, *, chunk_size: int = 2, norm: str = "none", target: str = "auto"
) -> Design:
    """Choose the encoding and the size of the network that `build` makes.

    `norm` is none or post, which networks with integers cannot have; `target` is a name in
    `ENCODINGS`, or auto for the one with the fewest parameters.

    Raises:
        ConstructionError: the network has more than `MAX_PARAMETERS` parameters, or a setting is
            unknown.
    """
    require_chunk(chunk_size)
    if norm not in ("none", "post"):
        raise ConstructionError(f"norm is none or post here, but norm={norm!r}. Choose one.")
    if norm == "post" and target == "images":
        raise ConstructionError(
            "norm=post keeps zeros and ones, but target=images has integers. Use norm=none, "
            "or target=matrices."
        )
    machine = language.minimise()
    return smallest(
        language,
        target,
        chunk_size,
        lambda name, encoding: _design(name, encoding, machine, chunk_size, norm),
    )


def require_chunk(chunk_size: int) -> None:
    """Refuse a chunk out of range.

    Raises:
        ConstructionError: it is.
    """
    if not 2 <= chunk_size <= MAX_CHUNK:
        raise ConstructionError(
            f"a chunk has 2 to {MAX_CHUNK} places, but chunk_size={chunk_size}. Use 2 or 3."
        )


@runtime_checkable
class Sized(Protocol):
    """A network before it is built."""

    @property
    def num_parameters(self) -> int:
        """Number of parameters."""
        ...

    @property
    def summary(self) -> str:
        """The size as a line of text."""
        ...


AnyDesign = TypeVar("AnyDesign", bound=Sized)


def smallest(
    language: Language, target: str, chunk_size: int, design: Callable[[str, Encoding], AnyDesign]
) -> AnyDesign:
    """Return the design with the fewest parameters of all encodings, or that of one `target`.

    Raises:
        ConstructionError: the network has more than `MAX_PARAMETERS` parameters, or the target is
            unknown.
    """
    if target != "auto" and target not in ENCODINGS:
        raise unknown_name("target", target, ["auto", *ENCODINGS], ConstructionError)
    names = tuple(ENCODINGS) if target == "auto" else (target,)
    designs: list[AnyDesign] = []
    refused: list[str] = []
    for name in names:
        most = min([MAX_PARAMETERS, *(design.num_parameters for design in designs)])
        try:
            designs.append(design(name, ENCODINGS[name](language, chunk_size, most)))
        except LanguageError as error:  # such as a monoid that is too large
            refused.append(f"{name}: {str(error).rstrip('.')}")
    designs.sort(key=lambda design: design.num_parameters)
    if designs and designs[0].num_parameters <= MAX_PARAMETERS:
        return designs[0]
    sizes = [design.summary for design in designs] + refused
    raise ConstructionError(
        f"at most {MAX_PARAMETERS:,} parameters are built, but {language.spec or 'the language'}, "
        f"with {language.minimise().num_states} states when minimised, needs {'; '.join(sizes)}. "
        f"Use "
        + ("chunk 2, or " if chunk_size > 2 else "")
        + ("another target, or " if target != "auto" else "")
        + "another rung, such as slots."
    )


@torch.no_grad()
def build(design: Design) -> RegularGPT:
    """Build the network of a design."""
    config, encoding = design.config, design.encoding
    model = RegularGPT(config)
    zero_weights(model)
    components = torch.arange(encoding.size)
    for symbol in range(config.vocab_size):
        model.embedding.weight[symbol, components] = torch.from_numpy(encoding.leaf(symbol))
    model.pad[components] = torch.from_numpy(encoding.pad())
    first, *_ = model.block
    attention = first.attention
    attention.bias.fill_(FAR)
    head_width = config.d_model // config.num_heads
    for head in range(config.num_heads):
        offset = head + 1
        attention.bias[head, offset] = 0.0
        slots = head * head_width + components
        attention.key_value.weight[config.d_model + slots, components] = 1.0
        attention.output.weight[offset * encoding.size + components, slots] = 1.0
    for layer, units in zip(model.block, encoding.layers(config.chunk_size), strict=True):
        units.write(layer)
    if config.norm == "post":
        assert encoding.ones is not None
        _keep(first.attention_norm, config.chunk_size * encoding.ones / config.d_model)
        _keep(first.feed_forward_norm, encoding.ones / config.d_model)
    weights, biases = encoding.read_out()
    model.answer.weight[:, components] = SURE * torch.from_numpy(weights)
    model.answer.bias.copy_(SURE * torch.from_numpy(biases))
    return model


def _design(name: str, encoding: Encoding, machine: Language, chunk_size: int, norm: str) -> Design:
    if norm == "post" and encoding.ones is None:
        raise LanguageError("norm=post keeps zeros and ones only")
    heads = chunk_size - 1
    width = math.ceil(chunk_size * encoding.size / heads) * heads
    units = encoding.num_hidden(chunk_size)
    factor = math.ceil((width + units) / width)
    hidden = factor * width
    layer = (
        4 * width**2  # attention
        + heads * chunk_size
        + 2 * width * hidden  # feed-forward network
        + hidden
        + width
        + (4 * width if norm == "post" else 0)
    )
    size = (
        (machine.num_symbols + 1) * width  # embeddings and pad
        + encoding.count_layers(chunk_size) * layer
        + machine.num_classes * (width + 1)
    )
    return Design(
        target=name,
        machine=machine,
        encoding=encoding,
        config=RegularGPTConfig.from_dict(
            {
                "vocab_size": machine.num_symbols,
                "num_classes": machine.num_classes,
                "chunk_size": chunk_size,
                "num_layers": encoding.count_layers(chunk_size),
                "d_model": width,
                "num_heads": heads,
                "ff_factor": factor,
                "norm": norm,
                "embedding_scale": 1.0,
            }
        ),
        num_hidden=units,
        num_parameters=size,
    )


def _keep(norm: object, mean: float) -> None:
    """Make layer norm the identity on vectors of zeros and ones with this mean."""
    assert isinstance(norm, PostNorm)
    weight: Tensor = norm.norm.weight
    weight.fill_(math.sqrt(mean * (1 - mean) + EPSILON))
    norm.norm.bias.fill_(mean)
