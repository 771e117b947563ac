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

from lengthwise.errors import ConfigError, LengthwiseError
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
        name, count = type(self.module).__name__, len(symbols)
        first, state = two_things(name, "start", stepping.start(), ConfigError)
        if first.ndim != 2 or any(leaf.shape[:1] != (1,) for leaf in leaves(state)):
            raise ConfigError(
                f"{name}.start has to return logits [1, class] and a state [1, ...], of one word, "
                f"but the shapes are {_shapes((first, state))}. Add that axis."
            )
        yield first.expand(count, -1)
        state = rebuild(state, (_expanded(leaf, count) for leaf in leaves(state)))
        for place, column in enumerate(symbols.unbind(dim=1)):
            returned = stepping.step(state, column)
            if not place:
                logits, _ = two_things(name, "step", returned, ConfigError)
                if logits.shape != (count, first.shape[1]):
                    raise ConfigError(
                        f"{name}.step has to return logits {[count, first.shape[1]]}, as many for "
                        f"each word as start, but they are {list(logits.shape)}. Return logits and "
                        f"state, in this order."
                    )
            logits, state = returned
            yield logits


def two_things(
    name: str, method: str, returned: Any, error: type[LengthwiseError]
) -> tuple[Tensor, State]:
    """Return what a method returned, if it is logits and a state.

    Raises:
        LengthwiseError: it is something else; the error is of the given kind.
    """
    is_pair = isinstance(returned, tuple) and len(returned) == 2
    if not is_pair or not isinstance(returned[0], Tensor) or not list(leaves(returned[1])):
        kind = f"a {type(returned).__name__}"
        if isinstance(returned, tuple):
            kind = f"{len(returned)} things"
        raise error(
            f"{name}.{method} has to return two things, logits [word, class] and a state of "
            f"tensors, but it returned {kind}. Return both."
        )
    return returned[0], returned[1]


def _shapes(parts: State) -> list[list[int]]:
    return [list(leaf.shape) for leaf in leaves(parts)]


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
