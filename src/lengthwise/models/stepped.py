"""Networks that give two methods, `start` and `step`, in place of `forward`.

`lengthwise.models.stepping` says what the methods return.

Axes:
    word      words of a batch
    position  positions of a row; a word takes the last ones
    class     classes
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words
from lengthwise.models.alignment import align_left

State: TypeAlias = Any
"""A tensor, or a tuple, list or dictionary of tensors, with the word as their first axis."""


class Steppable(nn.Module, ABC):
    """Base of networks of this package that have the two methods, and `forward`, too."""

    @abstractmethod
    def start(self) -> tuple[Tensor, State]:
        """Return the logits of the empty word, and the state before the first symbol."""

    @abstractmethod
    def step(self, state: State, symbols: Tensor) -> tuple[Tensor, State]:
        """Return the logits and the states after one more symbol of each word."""


class Stepped(nn.Module):
    """A recurrence that is called with words, for networks that have `start` and `step` alone."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, tokens: Words, lengths: Lengths | None = None) -> ClassLogits:
        """Return the logits of the class of each right-aligned word."""
        symbols, lengths = align_left(tokens, lengths, 2**62, checked=False)
        prefixes = self._prefixes(symbols.clamp(min=0))
        result = next(prefixes)
        for length, logits in enumerate(prefixes, start=1):
            result = torch.where((lengths == length)[:, None], logits, result)
        return result

    def every_position(self, tokens: FullWords) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix of words that fill their rows."""
        _, *prefixes = self._prefixes(tokens)
        return torch.stack(prefixes, dim=1)

    def _prefixes(self, symbols: FullWords) -> Iterator[ClassLogits]:
        """Yield the logits of the empty word, and after each symbol."""
        stepping: Any = self.module
        first, state = stepping.start()
        yield first.expand(len(symbols), -1)
        state = rebuild(state, (_expanded(leaf, len(symbols)) for leaf in leaves(state)))
        for column in symbols.unbind(dim=1):
            logits, state = stepping.step(state, column)
            yield logits


def _expanded(leaf: Tensor, count: int) -> Tensor:
    return leaf.expand(count, *leaf.shape[1:]).clone()


def has_steps(module: nn.Module) -> bool:
    """Return whether a network of somebody's own, or a `Steppable`, has the two methods."""
    if type(module).__module__.startswith("lengthwise."):
        return isinstance(module, Steppable)
    return all(callable(getattr(module, name, None)) for name in ("start", "step"))


def has_steps_alone(module: nn.Module) -> bool:
    """Return whether it has them, and no `forward`."""
    return has_steps(module) and type(module).forward is nn.Module.forward


def leaves(state: State) -> Iterator[Tensor]:
    """Yield the tensors of a state."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, tuple | list):
        for part in state:
            yield from leaves(part)
    elif isinstance(state, dict):
        for part in state.values():
            yield from leaves(part)


def is_of_tensors(state: State) -> bool:
    """Return whether a state has nothing but tensors in its tuples, lists and dictionaries."""
    if isinstance(state, tuple | list):
        return all(map(is_of_tensors, state))
    if isinstance(state, dict):
        return all(map(is_of_tensors, state.values()))
    return isinstance(state, Tensor) or state is None


def rebuild(template: State, parts: Iterator[Tensor]) -> State:
    """Return a state of the form of another, with these tensors."""
    if isinstance(template, Tensor):
        return next(parts)
    if isinstance(template, dict):
        return {name: rebuild(part, parts) for name, part in template.items()}
    if isinstance(template, tuple | list):
        built = [rebuild(part, parts) for part in template]
        return built if isinstance(template, list) else tuple(built)
    return template
