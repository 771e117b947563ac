"""Checks types and shapes of calls at a fraction of the price of jaxtyping's own decorator.

That one checks arguments twice, before a call and together with the result, whatever was accepted
before. Here a call is made first, and then checked as a whole by beartype and jaxtyping, unless
values of the same types, precisions and shapes were accepted by the same function before: nothing
else decides what is accepted. Functions with containers of tensors are checked at every call, and
functions within functions only if they are about shapes: mypy has seen their types.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ForwardRef, get_args

import jaxtyping
from beartype import BeartypeConf, beartype
from jaxtyping import AbstractArray, TypeCheckError
from numpy import ndarray
from torch import Tensor

_MOST_KNOWN = 10_000
"""Accepted calls that are remembered of one function."""

_original: Any = jaxtyping.jaxtyped

_typed: Any = beartype(conf=BeartypeConf(violation_type=TypeCheckError))
"""Refuses with the error of jaxtyping's own decorator, a `TypeError`, as a wrong call would."""


def install() -> None:
    """Let jaxtyping's import hook decorate functions with `add_checks`."""
    jaxtyping.jaxtyped = _jaxtype


def add_checks(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with checks of its arguments and result."""
    if not any(map(_has_shape, fn.__annotations__.values())):
        return _lazily(fn, _typed)
    context = _original("context")
    results: list[Any] = []
    accepted: set[Any] = set()

    @functools.wraps(fn)
    def check_and_call(*args: Any, **kwargs: Any) -> Any:
        return results.pop()

    check = _lazily(check_and_call, _typed)

    @functools.wraps(fn)
    def outer(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        kinds = [*map(_kind, args), *kwargs, *map(_kind, kwargs.values()), _kind(result)]
        key = None if None in kinds else tuple(kinds)
        if key is None or key not in accepted:
            results.append(result)
            with context:
                check(*args, **kwargs)
            if key is not None and len(accepted) < _MOST_KNOWN:
                accepted.add(key)
        return result

    return outer


def _jaxtype(fn: Any = None, *, typechecker: Any = None) -> Any:
    if fn is None:
        return functools.partial(_jaxtype, typechecker=typechecker)
    if inspect.isfunction(fn):
        hints = fn.__annotations__.values()
        if "<locals>" in fn.__qualname__ and not any(map(_has_shape, hints)):
            return fn  # it would be decorated anew whenever the function around it is called
        if any(map(_is_forward, hints)):
            return _lazily(fn, functools.partial(_original, typechecker=typechecker))
        return add_checks(fn)
    return _original(fn) if fn == "context" else _original(fn, typechecker=typechecker)


def _lazily(fn: Callable[..., Any], decorate: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is decorated when it is first called: most never are."""
    decorated: list[Any] = []

    @functools.wraps(fn)
    def outer(*args: Any, **kwargs: Any) -> Any:
        if not decorated:
            decorated.append(decorate(fn))
        return decorated[0](*args, **kwargs)

    return outer


def _kind(value: Any) -> Any:
    """Return all of a value that decides whether it is accepted; None if that is not told."""
    kind = type(value)
    is_array = _is_array.get(kind)
    if is_array is None:
        is_array = _is_array[kind] = issubclass(kind, Tensor | ndarray)
    if is_array:
        return kind, value.dtype, value.shape
    if kind is str:
        return value
    return None if kind in _CONTAINERS else kind


_CONTAINERS = frozenset((list, tuple, dict, set, frozenset))

_is_array: dict[type, bool] = {}


def _has_shape(hint: Any) -> bool:
    if inspect.isclass(hint) and issubclass(hint, AbstractArray):
        return True
    return any(map(_has_shape, get_args(hint)))


def _is_forward(hint: Any) -> bool:
    """Whether a hint names a class that there may not be; jaxtyping knows what to do with it."""
    return isinstance(hint, str | ForwardRef) or any(map(_is_forward, get_args(hint)))
