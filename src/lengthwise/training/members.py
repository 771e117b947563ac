"""How does one network answer with the weights of many? All members of a stack in one computation.

Each member has words of its own, all of one length; lengths differ between members. Members with
like lengths are computed together: their weights stand along an axis of their own, and what a
member lacks to the longest of them is filled up and never looked at.

Axes:
    member  networks with the same shape and their own weights
    word    words of a batch
    time    places of a row; words fill their rows
    node    nodes of a level of a tree
    chunk   children of a node
    class   classes
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional as F

from lengthwise.errors import ConfigError
from lengthwise.layers.chunks import ABSENT, grow
from lengthwise.models.encoder import Encoder
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.regular_gpt import RegularGPT

ALIKE = 0.7
"""Members are computed together if the shortest words are at least this share of the longest."""

Weights = Mapping[str, Tensor]
"""The parameters of all members by name, `[member, ...]`."""


class Members(Protocol):
    """The logits `[member, word, class]` of words `[word, time]`, the longest first.

    Words have at least one symbol, as all have that are trained on.
    """

    def __call__(self, weights: Weights, words: Sequence[Tensor]) -> Tensor:
        """The answers of each member to its own words."""
        ...


def members_of(model: nn.Module) -> Members:
    """What answers for networks of this shape.

    Raises:
        ConfigError: they cannot be computed together.
    """
    if isinstance(model, RegularGPT):
        if model.config.memory != "continuous" or model.config.dropout > 0:
            raise ConfigError(
                "a stack draws no noise, but binary memory and dropout need it. Train these runs "
                "one by one, or use memory='continuous' and dropout=0."
            )
        return _RegularGPTs(model)
    if isinstance(model, Recurrent):
        return partial(_recurrent, model)
    if isinstance(model, Encoder):
        if model.config.position in _NOT_STACKED:
            raise ConfigError(
                f"position={model.config.position!r} cannot be computed in a stack. Train these "
                f"runs one by one, or use another position."
            )
        return partial(_encoder, model)
    raise ConfigError(
        f"{type(model).__name__} cannot be trained in a stack. Train these runs one by one; "
        f"regular-gpt, recurrent networks and encoders can."
    )


_NOT_STACKED = ("learned", "randomised-sinusoidal", "randomised-learned")
"""Positions that draw, or that look at their numbers to refuse long words."""


def together(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Indices of the members, the longest words first, in groups of like lengths of at most so
    many."""
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        has_room = groups and len(groups[-1]) < most
        if has_room and lengths[index] >= ALIKE * lengths[groups[-1][0]]:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


class _Method(nn.Module):
    """A method of a model in the place of `forward`, which `functional_call` calls."""

    def __init__(self, model: nn.Module, name: str) -> None:
        super().__init__()
        self.model = model
        self._name = name

    def forward(self, *arguments: Tensor) -> Tensor:
        result: Tensor = getattr(self.model, self._name)(*arguments)
        return result


def _stacked(model: nn.Module, name: str) -> Callable[..., Tensor]:
    """A method of the model, of weights and arguments with an axis of members."""
    method = _Method(model, name)

    def call(weights: Weights, *arguments: Tensor) -> Tensor:
        own = {f"model.{key}": weight for key, weight in weights.items()}
        result: Tensor = functional_call(method, own, arguments)
        return result

    return vmap(call)


class _RegularGPTs:
    """Trees apart, in which equal sub-words share a node; then all of a level together."""

    def __init__(self, model: RegularGPT) -> None:
        self._config = model.config
        self._compose = _stacked(model, "compose")
        self._read = _stacked(model, "read")

    def __call__(self, weights: Weights, words: Sequence[Tensor]) -> Tensor:
        chunk, device = self._config.chunk, weights["pad"].device
        trees = [grow(tokens.cpu(), None, self._config.vocab_size, chunk) for tokens in words]
        below = weights["embedding.weight"] * self._config.scale
        roots: dict[int, Tensor] = {}
        for height in range(len(trees[0].levels)):
            levels = [tree.levels[height].children for tree in trees if len(tree.levels) > height]
            most = max(len(children) for children in levels)
            filled = [F.pad(c, (0, 0, 0, most - len(c)), value=ABSENT) for c in levels]
            alive = {name: weight[: len(levels)] for name, weight in weights.items()}
            below = self._compose(alive, below[: len(levels)], torch.stack(filled).to(device))
            for member, tree in enumerate(trees[: len(levels)]):
                if len(tree.levels) == height + 1:
                    roots[member] = below[member][tree.root.to(device)]
        return self._read(weights, torch.stack([roots[member] for member in range(len(trees))]))


def _encoder(model: Encoder, weights: Weights, words: Sequence[Tensor]) -> Tensor:
    longest = words[0].shape[1]
    tokens = torch.stack([F.pad(own, (longest - own.shape[1], 0)) for own in words])
    lengths = torch.stack([own.new_full((len(own),), own.shape[1]) for own in words])
    return _stacked(model, "forward")(weights, tokens, lengths)


def _recurrent(model: Recurrent, weights: Weights, words: Sequence[Tensor]) -> Tensor:
    """Written with an axis of members, in as few operations as can be: there are some for each
    place, and starting them is what takes the time."""
    longest = words[0].shape[1]
    symbols = torch.stack([F.pad(own.t(), (0, 0, 0, longest - own.shape[1])) for own in words])
    last = torch.tensor([own.shape[1] - 1 for own in words], device=symbols.device)
    states = F.one_hot(symbols, model.config.vocab_size).to(weights["answer.weight"].dtype)
    for layer in range(model.config.num_layers):
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        own = (weights[f"cell.{kind}_l{layer}"] for kind in kinds)
        states = _LAYERS[model.config.cell](states, *own)
    read = states[torch.arange(len(words), device=symbols.device), last]
    return _linear(read, weights["answer.weight"], weights["answer.bias"])


def _linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Each member's `F.linear`, of `[member, row, input]`."""
    return torch.baddbmm(bias[:, None], x, weight.mT)


def _read(inputs: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    """What the inputs `[member, time, word, input]` add at each place, `[member, word, output]`."""
    members, places, words, _ = inputs.shape
    read = _linear(inputs.flatten(1, 2), w, b)
    return read.view(members, places, words, -1).unbind(1)


def _elman(inputs: Tensor, w: Tensor, u: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """h' = tanh(W x + b + U h + c)."""
    state, states = _start(inputs, u), []
    for x in _read(inputs, w, b + c):
        state = torch.baddbmm(x, state, u.mT).tanh()
        states.append(state)
    return torch.stack(states, dim=1)


def _gru(inputs: Tensor, w: Tensor, u: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """h' = (1 - z) n + z h, with n = tanh(x_n + r h_n), r and z sigmoids of sums."""
    width = u.shape[2]
    state, states = _start(inputs, u), []
    for x in _read(inputs, w, b):
        x_rz, x_n = torch.split(x, [2 * width, width], dim=-1)
        h_rz, h_n = torch.split(_linear(state, u, c), [2 * width, width], dim=-1)
        reset, update = (x_rz + h_rz).sigmoid().chunk(2, dim=-1)
        state = torch.lerp(torch.addcmul(x_n, reset, h_n).tanh(), state, update)
        states.append(state)
    return torch.stack(states, dim=1)


def _lstm(inputs: Tensor, w: Tensor, u: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """h' = o tanh(k'), with k' = f k + i g; i, f and o are sigmoids, g is a tanh."""
    width = u.shape[2]
    state, states = _start(inputs, u), []
    kept = state
    for x in _read(inputs, w, b + c):
        gates = torch.baddbmm(x, state, u.mT)
        i_f, g, o = torch.split(gates, [2 * width, width, width], dim=-1)
        i, f = i_f.sigmoid().chunk(2, dim=-1)
        kept = f * kept + i * g.tanh()
        state = o.sigmoid() * kept.tanh()
        states.append(state)
    return torch.stack(states, dim=1)


def _start(inputs: Tensor, u: Tensor) -> Tensor:
    """The state before the first symbol, `[member, word, state]`."""
    members, _, words, _ = inputs.shape
    return inputs.new_zeros(members, words, u.shape[2])


_LAYERS: dict[str, Callable[..., Tensor]] = {"elman": _elman, "gru": _gru, "lstm": _lstm}
"""The states `[member, time, word, state]` of torch's cells, from `[member, time, word, input]`
and weights."""
