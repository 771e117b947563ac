"""What a network with binary memory holds for words while it is trained, as frames of a film.

It is the tangent of the numbers before the sign, at the root of a tree or after the last symbol: a
code in the making, whose signs are the code.

Axes:
    word   words of the film
    time   positions of a row; a word takes the last ones
    bit    bits of a code
    width  numbers in a vector
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.layers.chunks import grow
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.alignment import align_left
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.regular_gpt import RegularGPT, roots
from lengthwise.objectives.words import WordLengths
from lengthwise.problems.capabilities import Formal
from lengthwise.problems.plan import Plan
from lengthwise.training.film import MOST_NUMBERS, Film

_MOST_WORDS = 120


def film_of(plan: Plan) -> Film | None:
    """Return an empty film of training by a plan, or None if its network has no binary memory."""
    if not isinstance(plan.problem, Formal) or not _is_filmed(plan.build()):
        return None
    task = plan.task
    lengths = WordLengths(task, plan.data).lengths
    count = max(1, min(_MOST_WORDS, MOST_NUMBERS // plan.network.num_bits))
    some_lengths = lengths[torch.linspace(0, len(lengths) - 1, count).round().long()]
    words = task.draw(some_lengths, torch.Generator().manual_seed(0))

    def look(model: nn.Module) -> Float[Tensor, "word bit"]:
        return codes_in_the_making(model, words.tokens, words.lengths)

    return Film(words.tokens, words.lengths, look)


def _is_filmed(model: nn.Module) -> bool:
    is_tree = isinstance(model, RegularGPT) and isinstance(model.memory, BinaryMemory)
    return is_tree or isinstance(model, BinaryRecurrent)


def codes_in_the_making(
    model: nn.Module, tokens: Int[Tensor, "word time"], lengths: Int[Tensor, " word"]
) -> Float[Tensor, "word bit"]:
    """Return the tangent of the numbers whose signs are the codes of right-aligned words.

    Raises:
        ConfigError: the network has no binary memory.
    """
    device = next(model.parameters()).device
    if isinstance(model, BinaryRecurrent):
        symbols, lengths = align_left(tokens, lengths, model.config.vocab_size, checked=True)
        return _after_last(model, symbols.to(device), lengths.to(device)).tanh()
    if not isinstance(model, RegularGPT) or not isinstance(model.memory, BinaryMemory):
        raise ConfigError(
            "a film shows the codes of a network with binary memory, and this is not one."
        )
    tree = grow(tokens, lengths, model.config.vocab_size, model.config.chunk_size)
    below = model.leaf(torch.arange(model.config.vocab_size, device=device))
    numbers = []
    for level in tree.levels:
        outputs = model.gather(below, level.children.to(device))
        numbers.append(model.memory.numbers(outputs))
        below = model.memory(outputs)
    return roots(tree, numbers).tanh()


def _after_last(
    model: BinaryRecurrent, symbols: Int[Tensor, "word time"], lengths: Int[Tensor, " word"]
) -> Float[Tensor, "word bit"]:
    vectors = model.first().expand(len(symbols), -1)
    held = model.memory.numbers(model.start[None]).expand(len(symbols), -1)
    for place, column in enumerate(symbols.unbind(dim=1)):
        after = model.cell(vectors, column)
        is_inside = (lengths > place)[:, None]
        held = torch.where(is_inside, model.memory.numbers(after), held)
        vectors = model.memory(after)
    return held
