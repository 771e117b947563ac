"""Networks of the user's own, called as those of the package are.

The package calls a network with right-aligned words and their lengths:

    forward(tokens: Int[word, position], lengths: Int[word]) -> Float[word, class]

A word takes the last positions of its row, and the positions left of it hold -1. `adapt` wraps a
network that wants another layout.
"""

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from lengthwise.errors import ConfigError, LengthwiseError, in_a_line
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, unusual
from lengthwise.memory import lacks_memory
from lengthwise.messages import format_count
from lengthwise.models.alignment import align_left
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.stepped import Stepped, has_steps, has_steps_alone

Padding: TypeAlias = Literal["left", "right", "none"]

_PROBED = ((0,), (1, 0), (0, 0, 1), (1, 0, 1, 1, 0), (0,) * 7)
"""Words on which a network is tried, where there are two symbols; otherwise all symbols are 0."""

_NEAR = 1e-3
"""Greatest difference between the logits of a word alone and in a batch; at least 8 roundings."""

_TRIED: WeakKeyDictionary[nn.Module, set[tuple[Padding, int]]] = WeakKeyDictionary()
"""Layouts with which networks were tried, and found steady."""


class CallError(ConfigError):
    """A network raised an error, which is the cause of this one."""


class Adapted(nn.Module):
    """A network behind the package's own call; `module` is the network itself."""

    def __init__(self, module: nn.Module, padding: Padding, pad_token: int | None) -> None:
        super().__init__()
        self.module = module
        self.padding = padding
        self.pad_token = -1 if pad_token is None else pad_token
        self.has_pad = pad_token is not None
        self.takes_lengths = _takes_lengths(module)

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        In training, `generator` determines the random numbers that the network draws.

        Raises:
            ConfigError: the network returns something other than logits, or fails on the words.
        """
        with _seeded(generator, tokens.device):
            if lengths is None:
                return self._answer_full(tokens, tokens.new_full((len(tokens),), tokens.shape[1]))
            return self._answers(tokens, lengths)

    @property
    def answers_everywhere(self) -> bool:
        """Whether the network has `every_position`, or is read symbol by symbol."""
        return callable(getattr(self.module, "every_position", None)) or has_steps(self.module)

    def every_prefix(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix, by `every_position(tokens)` of the network or its
        steps.

        Raises:
            ConfigError: the network returns something of another shape.
        """
        reader: Any = self.module
        if not callable(getattr(reader, "every_position", None)):
            reader = Stepped(reader)
        with _seeded(generator, tokens.device):
            logits: Tensor = reader.every_position(tokens)
        if not isinstance(logits, Tensor) or logits.shape[:-1] != tokens.shape:
            kind = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
            raise ConfigError(
                f"every_position of {self.name} must return logits [word, position, class], but "
                f"with tokens {tuple(tokens.shape)} it returned {kind}. Answer after every symbol."
            )
        return logits

    def _answers(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        time = tokens.shape[1]
        if self.padding == "left":
            before = torch.arange(time, device=tokens.device) < time - lengths[:, None]
            return self._call(tokens.masked_fill(before, self.pad_token), lengths)
        if self.padding == "right":
            moved, _ = align_left(tokens, lengths, 2**62, checked=False)
            after = torch.arange(time, device=tokens.device) >= lengths[:, None]
            return self._call(moved.masked_fill(after, self.pad_token), lengths)
        rows, logits = [], []
        for length in torch.unique(lengths).tolist():
            row = (lengths == length).nonzero()[:, 0]
            rows.append(row)
            logits.append(self._answer_full(tokens[row, time - length :], lengths[row]))
        return torch.cat(logits)[torch.cat(rows).argsort()]

    def _answer_full(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return the logits of words that fill their rows."""
        if not words.shape[1] and self.has_pad:  # many networks need a position to answer from
            words = words.new_full((len(words), 1), self.pad_token)
        return self._call(words, lengths)

    def _call(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        try:
            inputs = (tokens, lengths.clone()) if self.takes_lengths else (tokens,)
            logits = self.module(*inputs)  # which may change its lengths in place
        except LengthwiseError:
            raise
        except (Exception, SystemExit) as error:
            if lacks_memory(error):
                raise
            if (longest := int(lengths.max()) if tokens.shape[1] else 0) > 0:
                shorter = ", or give shorter words" if longest > 1 else ", and what it calls"
                raise CallError(
                    f"{self.name} fails on words of {format_count(longest, 'symbol')} "
                    f"({in_a_line(error)}). Fix its forward{shorter}."
                ) from error
            raise ConfigError(
                f"{self.name} cannot read the empty word ({in_a_line(error)}). Add a symbol to "
                f"it, and use lw.adapt(module, pad_token=that symbol)."
            ) from error
        logits = getattr(logits, "logits", logits)  # as `transformers` returns them
        if not isinstance(logits, Tensor):
            raise ConfigError(
                f"{self.name} must return a tensor of logits, but it returned a "
                f"{type(logits).__name__}. Return the logits alone."
            )
        if kind := unusual(logits, tokens):
            raise ConfigError(
                f"{self.name} must return a dense tensor of float16, bfloat16, float32 or float64, "
                f"but it returned one that is {kind}. Convert it in forward."
            )
        fits = logits.ndim == 2 and len(logits) == len(tokens) and logits.shape[1] > 0
        if not fits or not logits.is_floating_point():
            kind = str(logits.dtype).removeprefix("torch.")
            numbers = "" if logits.is_floating_point() else ", in floating-point numbers"
            raise ConfigError(
                f"{self.name} must return floating-point logits [word, class], but with tokens "
                f"{tuple(tokens.shape)} it returned {kind} {tuple(logits.shape)}. Answer once for "
                f"each word{numbers}."
            )
        return logits

    @property
    def name(self) -> str:
        """Name of the network's class."""
        return type(unwrap(self)).__name__

    def extra_repr(self) -> str:
        """Return the layout that the network wants."""
        return f"padding={self.padding!r}, pad_token={self.pad_token if self.has_pad else None}"


@contextmanager
def _seeded(generator: Generator | None, device: torch.device) -> Iterator[None]:
    """Let a generator determine the random numbers that torch draws meanwhile."""
    if generator is None:
        yield
        return
    seed = int(torch.randint(2**62, (1,), generator=generator))
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def adapt(module: object, *, padding: str | None = None, pad_token: int | None = None) -> Adapted:
    """Return a network of your own in the form that `train`, `evaluate` and other functions call.

    Args:
        module: the network; it returns logits of shape (words, classes). In place of `forward` it
            may have `start` and `step` (see `lw.examine`).
        padding: what `module.forward` wants. `"left"`: `forward(tokens, lengths)` with words at the
            right end of their rows; the default for networks that take lengths, as the package's
            own do. `"right"`: `forward(tokens, lengths)` with words at the left end. `"none"`:
            `forward(tokens)` or `forward(tokens, lengths)` with words of one length at a time, so
            that there are no pads; the default for networks that take tokens only.
            A network that takes tokens only masks its pads by itself, if at all: with any padding
            it is given words of one length at a time.
        pad_token: what the other positions hold, -1 unless it is given; an embedding needs a number
            of its own, such as the number of symbols. With `"none"` the empty word is a row of one
            pad if there is a `pad_token`, and a row without positions otherwise.

    A network with a method `every_position(tokens)`, which returns the logits after every symbol of
    words of one length (word, position, class), or with steps, can also learn from the class after
    every prefix: `objective="prefix"`.

    Examples:
        >>> import lengthwise as lw, torch
        >>> class CountOnes(torch.nn.Module):
        ...     def forward(self, tokens):
        ...         odd = tokens.sum(dim=1) % 2
        ...         return torch.nn.functional.one_hot(odd, 2).float()
        >>> lw.predict(lw.adapt(CountOnes()), ["0110", "10"], language="parity")
        ['0', '1']

    Raises:
        ConfigError: `module` is not a module, or the padding is unknown.
    """
    if isinstance(module, Adapted):
        return module
    if not isinstance(module, nn.Module):
        raise ConfigError(
            f"adapt takes a torch.nn.Module, but got a {type(module).__name__}. Give the network."
        )
    if padding not in (None, "left", "right", "none"):
        raise ConfigError(f"padding={padding!r} is unknown. Use 'left', 'right' or 'none'.")
    if pad_token is not None and (isinstance(pad_token, bool) or not isinstance(pad_token, int)):
        raise ConfigError(f"pad_token={pad_token!r} is not an integer. Use the number of symbols.")
    if has_steps_alone(module):
        module = Stepped(module)
    layout: Any = (padding or "left") if _takes_lengths(module) else "none"
    return Adapted(module, layout, pad_token)


def unwrap(model: nn.Module) -> nn.Module:
    """Return the network that was wrapped, or the network itself."""
    while isinstance(model, Adapted | Stepped):
        model = model.module
    return model


def with_lengths(module: nn.Module) -> nn.Module:
    """Return a network that is called with tokens and lengths: itself, or itself adapted."""
    if has_steps_alone(module):
        return adapt(module)
    try:
        inspect.signature(module.forward)
    except ValueError:  # it has none
        return module
    except TypeError:
        return adapt(module)
    return module if _takes_lengths(module) else adapt(module)


def _takes_lengths(module: nn.Module) -> bool:
    """Return whether `forward` has a second argument without a default, or one named `lengths`, or
    any number of arguments.
    """
    try:
        parameters = list(inspect.signature(module.forward).parameters.values())
    except (TypeError, ValueError):
        return False
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 2:
        return False
    return positional[1].default is positional[1].empty or positional[1].name == "lengths"


def require_recogniser(model: Adapted, num_symbols: int, num_classes: int) -> None:
    """Refuse a network that does not answer as a recogniser must, after trying it on a few words.

    Raises:
        ConfigError: it has no weights, raises an error, returns another shape, another number of
            classes, or logits that are NaN, or depend on chance or on the other words of a
            batch.
    """
    if not any(weight.requires_grad for weight in model.parameters()):
        raise ConfigError(f"{model.name} has no weights to train. Give a network with parameters.")
    words = [tuple(min(symbol, num_symbols - 1) for symbol in word) for word in _PROBED]
    require_steady(model, words, num_classes, read=partial(_read, model))


@torch.no_grad()
def require_steady(
    model: Adapted,
    words: Sequence[tuple[int, ...]],
    num_classes: int | None = None,
    read: Callable[[Tensor, Tensor], Tensor] | None = None,
) -> None:
    """Refuse a network whose logits for words of several lengths depend on chance or on pads.

    `read` calls the network, in place of the usual call.

    Raises:
        ConfigError: it is one, raises an error, returns another shape or, if it is given, another
            number of classes, or logits that are NaN.
    """
    read = model if read is None else read
    name = model.name
    device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
    longest = max(map(len, words))
    rows = [(-1,) * (longest - len(word)) + tuple(word) for word in words]
    tokens = torch.tensor(rows, dtype=torch.long, device=device)
    lengths = torch.tensor([len(word) for word in words], device=device)
    with in_eval_mode(model), torch.random.fork_rng(devices=[]):
        logits, again = read(tokens, lengths), read(tokens, lengths)
        alone = torch.cat(
            [
                read(tokens[place : place + 1, longest - len(word) :], lengths[place, None])
                for place, word in enumerate(words)
            ]
        )
    if num_classes is not None and logits.shape[1] != num_classes:
        raise ConfigError(
            f"{name} returned {logits.shape[1]} logits for each word, but the language has "
            f"{num_classes} classes. Build it with num_classes={num_classes}."
        )
    if not logits.amax(dim=1).isfinite().all():
        description = "no numbers (nan)" if logits.isnan().any() else "infinite"
        raise ConfigError(
            f"{name} returned logits that are {description}. Look at its masks of pads, and at its "
            f"weights: they may be damaged, or too large to start from."
        )
    if not torch.equal(logits, again):
        raise ConfigError(
            f"{name} is not deterministic: two calls on the same words differ by "
            f"{(logits - again).abs().max().item():.2g} in eval mode. Turn randomness off there."
        )
    worst = (logits - alone).nan_to_num(0.0).abs().amax(dim=1)  # of equal infinities
    size = logits[logits.isfinite()].abs().amax()
    near = max(_NEAR, 8 * torch.finfo(logits.dtype).eps)
    if not bool((worst <= near * (1 + size)).all()):
        at = int(worst.argmax())
        raise ConfigError(
            f"{name} gives a word of {format_count(len(words[at]), 'symbol')} other logits alone "
            f"than among longer words (by {worst[at].item():.2g}): its answer depends on the pads, "
            f"or on the other words. Mask them, or use lw.adapt(module, padding='none')."
        )


def require_steady_if_own(module: nn.Module, words: Iterable[Sequence[int]]) -> None:
    """Refuse a network of somebody's own that is not steady on the three shortest of these words,
    each of another length. It is tried once.

    Raises:
        ConfigError: it is refused by `require_steady`.
    """
    if not isinstance(module, Adapted) and type(module).__module__.startswith("lengthwise."):
        return
    adapted = adapt(module)
    tried_lengths, layout = (
        _TRIED.setdefault(adapted.module, set()),
        (adapted.padding, adapted.pad_token),
    )
    by_length = {len(word): tuple(word) for word in words if len(word)}
    if by_length and layout not in tried_lengths:
        require_steady(adapted, [by_length[length] for length in sorted(by_length)[:3]])
        tried_lengths.add(layout)


def _read(model: Adapted, tokens: Tensor, lengths: Tensor) -> Tensor:
    """Return the logits of words that a network is tried on before training."""
    try:
        logits: Tensor = model(tokens, lengths)
    except CallError as error:
        shortest, longest = int(lengths.min()), int(lengths.max())
        which = f"a word of {format_count(longest, 'symbol')} alone"
        if len(tokens) > 1:
            which = f"words of {shortest} to {longest} symbols"
        raise ConfigError(
            f"{model.name} cannot read {which} in tokens {tuple(tokens.shape)} "
            f"({in_a_line(error.__cause__ or error)}). See lw.adapt for its layout."
        ) from error
    return logits


def require_trainable(model: Adapted, shortest: int, longest: int) -> None:
    """Refuse a network that cannot read the shortest or the longest words of training, or whose
    logits have no gradient.

    Raises:
        ConfigError: it is one.
    """
    tokens, lengths = torch.zeros(2, longest, dtype=torch.long), torch.full((2,), longest)
    with (
        in_eval_mode(model),  # so that no running mean sees these words
        torch.random.fork_rng(devices=[]),
        torch.enable_grad(),
    ):
        model(tokens[:, longest - shortest :], torch.full((2,), shortest))
        has_gradient = model(tokens, lengths).requires_grad
        if not has_gradient:  # it may leave gradients out in eval mode alone
            has_gradient = copy.deepcopy(model).train()(tokens, lengths).requires_grad
    if not has_gradient:
        raise ConfigError(
            f"the logits of {model.name} have no gradient, so it cannot be trained. Leave out "
            f"no_grad, detach and numpy in its forward."
        )
