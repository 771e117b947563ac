"""Recurrences, one symbol at a time: two methods, or the cells of torch in any network.

A network is a recurrence if its answer follows from a *state* that each symbol changes:

    start() -> logits[1, class], state
    step(state, symbols[word]) -> logits[word, class], state

A state is a tensor, real or complex, or a tuple, list or dictionary of them, and its first axis is
the word. Both methods return the logits of the word that has been read so far. A network without
these methods that keeps its state in `nn.RNN`, `nn.GRU`, `nn.LSTM` or their cells is stepped by
`CellSteps`. `Steps` asks either of them, with copies, and refuses what is not a recurrence.

Axes:
    word    words of a batch
    width   numbers of a state, in a row
    symbol  symbols of the alphabet
    class   classes
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, TypeAlias, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.errors import LengthwiseError, VerificationError, in_a_line
from lengthwise.memory import lacks_memory
from lengthwise.messages import format_count
from lengthwise.models.custom_network import unwrap
from lengthwise.models.stepped import State, has_steps, is_of_tensors, leaves, rebuild, two_things

Rows: TypeAlias = Float[Tensor, "word width"]
Logits: TypeAlias = Float[Tensor, "word class"]
_NEAR = 1e-3
"""Greatest difference of a number that rounding may explain, relative to 1 + the largest."""

_SINGLE = (torch.float32, torch.float16, torch.complex64)
"""Types of states that float32 holds."""

_TRIED, _LONGEST = 24, 24
"""Number and greatest length of random words by which a recurrence is tried."""


@runtime_checkable
class Stepping(Protocol):
    """A network that reads words from left to right and keeps a state between symbols."""

    def start(self) -> tuple[Tensor, State]:
        """Return the logits of the empty word, and the state before the first symbol."""
        ...

    def step(self, state: State, symbols: Tensor) -> tuple[Tensor, State]:
        """Return the logits and the states after one more symbol of each word."""
        ...


class StateError(VerificationError):
    """A state or logits that are not finite; `row` is the word of the batch."""

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.row = row


class Steps:
    """A recurrence whose states are rows of numbers.

    It gets copies, which it may change in place. What it returns is checked each time.

    Raises:
        VerificationError: a method fails, or returns something other than logits and a state.
    """

    def __init__(
        self,
        stepping: Stepping,
        *,
        num_symbols: int,
        num_classes: int,
        name: str,
        device: torch.device | str = "cpu",
    ) -> None:
        self.num_symbols, self.num_classes, self.name = num_symbols, num_classes, name
        self.device = torch.device(device)
        self.stepping = stepping
        _, self.template = self._ask("start")
        first = list(leaves(self.template))
        if wrong := [list(leaf.shape) for leaf in first if leaf.shape[:1] != (1,)]:
            raise VerificationError(
                f"{name}.start has to return the state of one word, with words as the first axis, "
                f"[1, ...], but it has the shape {wrong[0]}. Add that axis."
            )
        self._shapes = [leaf.shape[1:] for leaf in first]
        self._dtypes = [leaf.dtype for leaf in first]
        is_single = all(dtype in _SINGLE for dtype in self._dtypes)
        self._dtype = torch.float32 if is_single else torch.float64

    def start(self) -> tuple[Logits, Rows]:
        """Return the logits of the empty word, and the state before the first symbol, as a row."""
        logits, state = self._ask("start")
        return self._checked("start", logits, state, 1)

    @torch.no_grad()
    def step(self, rows: Rows, symbols: Int[Tensor, " word"]) -> tuple[Logits, Rows]:
        """Return logits and states after symbols, from the states before them.

        Raises:
            StateError: a state or logits after a symbol are not finite.
            VerificationError: the network fails, or its state changes its shape.
        """
        state = self._unflatten(rows)
        logits, after = self._ask("step", state, symbols.clone().to(self.device))
        return self._checked("step", logits, after, len(rows))

    def step_to_learn(self, rows: Rows, symbols: Int[Tensor, " word"]) -> tuple[Logits, Rows]:
        """Return what `step` returns, with gradients and unchecked."""
        stepping: Any = self.stepping
        logits, after = stepping.step(self._unflatten(rows), symbols.clone().to(self.device))
        return logits.cpu(), self._flatten(leaves(after), len(rows)).cpu()

    def read(self, words: Sequence[Sequence[int]]) -> tuple[Logits, Rows]:
        """Return logits and states after words of one length."""
        logits, rows = self.start()
        logits, rows = logits.expand(len(words), -1), rows.expand(len(words), -1)
        for column in torch.tensor(list(words), dtype=torch.long).unbind(dim=1):
            logits, rows = self.step(rows, column)
        return logits, rows

    @torch.no_grad()
    def _ask(self, method: str, *arguments: Any) -> tuple[Tensor, State]:
        try:
            returned = getattr(self.stepping, method)(*arguments)
        except LengthwiseError:
            raise
        except Exception as error:
            if lacks_memory(error):
                raise
            raise VerificationError(
                f"{self.name}.{method} fails ({in_a_line(error)}). It takes "
                f"{'nothing' if method == 'start' else 'states and symbols, one of each word'}."
            ) from error
        two_things(self.name, method, returned, VerificationError)
        if not is_of_tensors(returned[1]):
            raise VerificationError(
                f"the state that {self.name}.{method} returned has something other than tensors, "
                f"which would not be followed. Make it a tensor [word, ...]."
            )
        return returned

    def _checked(self, method: str, logits: Tensor, state: State, count: int) -> tuple[Any, Any]:
        """Return logits, and the state as rows."""
        if logits.shape != (count, self.num_classes):
            raise VerificationError(
                f"{self.name}.{method} has to return logits [{count}, {self.num_classes}], one for "
                f"each class, but they are {list(logits.shape)}. Build it for these classes."
            )
        parts = list(leaves(state))
        if [part.shape for part in parts] != [(count, *shape) for shape in self._shapes]:
            before = sum(shape.numel() for shape in self._shapes)
            raise VerificationError(
                f"the state of {self.name} has {before:,} numbers at the start and "
                f"{sum(part.numel() for part in parts) // count:,} after a symbol. A state that "
                f"grows with the word is not that of a finite automaton: nothing can be proved."
            )
        rows = self._flatten(parts, count).detach().cpu()
        logits = logits.detach().clone().cpu()
        bad = ~(rows.isfinite().all(dim=1) & logits.amax(dim=1).isfinite())
        if bool(bad.any()):
            raise StateError(
                f"the state or the logits of {self.name} are not finite", int(bad.nonzero()[0])
            )
        return logits, rows

    def _flatten(self, parts: Iterable[Tensor], count: int) -> Rows:
        """Return the parts of a state as rows; a complex number is two numbers."""
        numbers = (torch.view_as_real(part) if part.is_complex() else part for part in parts)
        return torch.cat([part.reshape(count, -1).to(self._dtype) for part in numbers], dim=1)

    def _unflatten(self, rows: Tensor) -> State:
        kinds = list(zip(self._shapes, self._dtypes, strict=True))
        sizes = [shape.numel() * (2 if dtype.is_complex else 1) for shape, dtype in kinds]
        parts = torch.split(rows.to(self.device), sizes, dim=1)
        tensors = (
            torch.complex(*part.reshape(len(rows), *shape, 2).unbind(-1)).to(dtype)
            if dtype.is_complex
            else part.reshape(len(rows), *shape).to(dtype).clone()
            for part, (shape, dtype) in zip(parts, kinds, strict=True)
        )
        return rebuild(self.template, iter(tensors))


# ---- cells of torch ------------------------------------------------------------------------------

_CELLS = (nn.RNNCell, nn.GRUCell, nn.LSTMCell)
_LAYERS = (nn.RNN, nn.GRU, nn.LSTM)


class CellSteps:
    """Steps a network that keeps its state in cells of torch: in each call it reads one symbol.

    The cells start from the states that are given, not from those that the network gives them.
    """

    def __init__(self, model: nn.Module, cells: Sequence[nn.Module]) -> None:
        self._model, self._cells = model, cells
        self._device = next((weight.device for weight in model.parameters()), torch.device("cpu"))

    def start(self) -> tuple[Tensor, State]:
        """Return the logits of the empty word, and the first state.

        Of a network that cannot read the empty word they are those of the first class.
        """
        symbol = torch.zeros(1, dtype=torch.long, device=self._device)
        logits, before, _ = self._read(symbol, None)
        try:
            empty = self._model(symbol[:, None][:, :0])
        except LengthwiseError:
            empty = torch.eye(1, logits.shape[1], dtype=logits.dtype, device=logits.device)
        return empty, before

    def step(self, state: State, symbols: Tensor) -> tuple[Tensor, State]:
        """Return the logits and the states after one more symbol of each word."""
        logits, _, after = self._read(symbols, state)
        return logits, after

    def _read(self, symbols: Tensor, state: State) -> tuple[Tensor, State, State]:
        before: list[Any] = [None] * len(self._cells)
        after: list[Any] = [None] * len(self._cells)
        with ExitStack() as stack:
            for place, cell in enumerate(self._cells):
                given = None if state is None else state[place]
                replaced = _replacement(cell, given, before, after, place)
                stack.enter_context(_with_forward(cell, replaced))
            logits = self._model(symbols[:, None])
        if any(part is None for part in after):
            raise VerificationError("a cell of the network is not used for every symbol.")
        return logits, before, after


def _replacement(
    cell: nn.Module, given: Any, before: list[Any], after: list[Any], place: int
) -> Callable[..., Any]:
    """Return a `forward` of a cell that starts from a given state, and records its states."""
    run: Callable[..., Any] = type(cell).forward
    has_layers = isinstance(cell, nn.RNNBase)

    def forward(inputs: Any, hx: Any = None) -> Any:
        if after[place] is not None:
            raise VerificationError("a cell of the network is used more than once for a symbol.")
        if has_layers and isinstance(inputs, Tensor) and inputs.ndim == 3:
            time = 1 if cell.batch_first else 0
            if inputs.shape[time] > 1:  # something is read before each word, such as a first token
                if given is None:
                    _, hx = run(cell, inputs.narrow(time, 0, inputs.shape[time] - 1), hx)
                inputs = inputs.narrow(time, inputs.shape[time] - 1, 1)
        used = hx if given is None else _moved(given, has_layers)
        returned = run(cell, inputs, used)
        new = returned[1] if has_layers else returned
        after[place] = _moved(new, has_layers)
        before[place] = (
            rebuild(after[place], (torch.zeros_like(part) for part in leaves(after[place])))
            if used is None
            else _moved(used, has_layers)
        )
        return returned

    return forward


def _moved(state: Any, has_layers: bool) -> Any:
    """Exchange the axes of layers and words."""
    if not has_layers:
        return state
    return rebuild(state, (part.transpose(0, 1).contiguous() for part in leaves(state)))


@contextmanager
def _with_forward(cell: nn.Module, forward: Callable[..., Any]) -> Iterator[None]:
    cell.forward = forward
    try:
        yield
    finally:
        del cell.forward


# ---- which networks are recurrences ----------------------------------------------------------


def steps_of(model: nn.Module, num_symbols: int, num_classes: int, *, seed: int = 0) -> Steps:
    """Return the recurrence that a network is; `model` is called with words and their lengths.

    Raises:
        VerificationError: it is not a recurrence, as far as can be seen; the message says why.
    """
    module = unwrap(model)
    device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
    name = type(module).__name__
    stepping: Any = module
    if not has_steps(module):
        cells = find_cells(module)
        if not cells:
            raise VerificationError(
                f"{name} is not read symbol by symbol here: it has neither the methods start and "
                f"step nor a cell of torch.nn."
            )
        if any(getattr(cell, "bidirectional", False) for cell in cells):
            raise VerificationError(f"{name} reads words from both ends, so it has no state.")
        stepping = CellSteps(model, cells)
    sizes = {"num_symbols": num_symbols, "num_classes": num_classes}
    steps = Steps(stepping, **sizes, name=name, device=device)
    _require_recurrence(steps, model, torch.Generator().manual_seed(seed))
    return steps


def find_cells(module: nn.Module) -> list[nn.Module]:
    """Return the cells and recurrent layers of torch in a network."""
    return [part for part in module.modules() if isinstance(part, _CELLS + _LAYERS)]


def may_be_stepped(model: nn.Module) -> bool:
    """Return whether a network has the two methods, or a cell of torch."""
    module = unwrap(model)
    return has_steps(module) or bool(find_cells(module))


@torch.no_grad()
def _require_recurrence(steps: Steps, model: nn.Module, generator: torch.Generator) -> None:
    """Refuse steps that depend on anything but state and symbol, or answer unlike the network."""
    name, word = steps.name, []
    symbols = torch.randint(steps.num_symbols, (_LONGEST, _TRIED), generator=generator)
    logits, rows = steps.start()
    _require_equal(steps.start()[1], rows, name, "start")
    logits, rows = logits.expand(_TRIED, -1), rows.expand(_TRIED, -1)
    for place, column in enumerate(symbols):
        logits, after = _tried(steps, rows, column, symbols[: place + 1])
        again = _tried(steps, rows, column, symbols[: place + 1])
        _require_equal(torch.cat([logits, after], 1), torch.cat(again, 1), name, "step")
        one = torch.cat(steps.step(rows[-1:], column[-1:]), 1)
        off = _distance(one, torch.cat([logits, after], 1)[-1:])
        if off > 0:
            raise VerificationError(
                f"{name}.step depends on the other words of a batch, or rounding decides a choice "
                f"in it: alone a word's numbers differ by {off:.2g}. Let each word's state follow "
                f"from its own state and symbol, and no choice be nearly tied."
            )
        rows = after
        word.append(column)
        if place in (0, 1, 2, 6, 12, _LONGEST - 1):
            tokens = torch.stack(word, dim=1).to(steps.device)
            read = model(tokens, torch.full((_TRIED,), place + 1, device=steps.device)).cpu()
            off = _distance(read, logits)
            if off > 0:
                raise VerificationError(
                    f"{name} is not read symbol by symbol: its logits for words of "
                    f"{format_count(place + 1, 'symbol')} differ by {off:.2g} from those of its "
                    f"state and last symbol. Make forward and step agree, or remove start and step."
                )


def _tried(steps: Steps, rows: Rows, column: Tensor, words: Tensor) -> tuple[Logits, Rows]:
    try:
        return steps.step(rows, column)
    except StateError as error:
        word = words[:, error.row].tolist()
        raise VerificationError(f"{error} after the symbols {word}. Look at its weights.") from None


def _require_equal(first: Tensor, second: Tensor, name: str, method: str) -> None:
    if not torch.equal(first, second):
        off = float((first - second).abs().max())
        raise VerificationError(
            f"{name}.{method} answers differently when it is asked again (by {off:.2g}). Keep "
            f"positions and all else that changes in the state, and turn randomness off."
        )


def _distance(first: Tensor, second: Tensor) -> float:
    """Return the greatest difference, or 0 where rounding explains it."""
    first, second = first.double().nan_to_num(0.0), second.double().nan_to_num(0.0)
    off = float((first - second).abs().max())
    return off if off > _NEAR * (1 + float(second.abs().max())) else 0.0
