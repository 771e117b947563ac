"""Checks that a network computes exactly what its settings and weights say.

A proof follows settings and weights, not code. So the model is compared with a fresh one of its
settings, module by module, and torch must round products as the weights' type does. The code of
classes is that of the installed packages: what a program replaces in them is outside the terms of a
claim, as SECURITY.md argues. torch's own functions are trusted, and so are processors and drivers.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as of_modules

from lengthwise.errors import ConfigError, VerificationError
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.meta_networks import undrawn
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig

Provable = RegularGPT | BinaryRecurrent | Recurrent | StateSlots | WindowScratchpad
"""Networks that can be proved: their steps are known in float64 with bounds."""

PROVABLE: Mapping[type[nn.Module], type[NetworkConfig]] = {
    RegularGPT: RegularGPTConfig,
    RationalGPT: RationalGPTConfig,
    BinaryRecurrent: BinaryRecurrentConfig,
    Recurrent: RecurrentConfig,
    StateSlots: StateSlotsConfig,
    WindowScratchpad: WindowScratchpadConfig,
}
"""Their classes, and those of their settings."""

_HOOKS = {
    "_forward_hooks": "a forward hook",
    "_forward_pre_hooks": "a forward pre-hook",
    "_backward_hooks": "a backward hook",
    "_backward_pre_hooks": "a backward hook",
    "_state_dict_hooks": "a hook on its state dictionary",
    "_state_dict_pre_hooks": "a hook on its state dictionary",
}
_GLOBAL_HOOKS = {
    "_global_forward_hooks": "forward hook",
    "_global_forward_pre_hooks": "forward pre-hook",
    "_global_backward_hooks": "backward hook",
    "_global_backward_pre_hooks": "backward hook",
}
_COMPARED_APART = frozenset(
    {
        *_HOOKS,
        "_parameters",
        "_buffers",
        "_modules",
        "_load_state_dict_pre_hooks",  # the weights are there
        "_load_state_dict_post_hooks",
        "_is_full_backward_hook",  # stays when a hook is gone
        "_flat_weights",  # of torch's recurrent layers; see `_require_own_weights`
        "_flat_weight_refs",
        "training",
    }
)
_FRESH = "Load its state_dict() into a fresh network of its config, and use that"


def require_plain(model: Provable) -> None:
    """Refuse a model that may answer otherwise than a fresh one of its settings and weights.

    Raises:
        VerificationError: a module has hooks, parametrisations, attributes, parameters or a class
            that a fresh model's has not.
    """
    for name, kind in _GLOBAL_HOOKS.items():
        if getattr(of_modules, name, None):
            raise VerificationError(
                f"torch has a global {kind}, which runs in every module, so that the answers may "
                f"not follow from the weights. Remove it."
            )
    _compare(model, _fresh(model), "")


def require_plain_arithmetic(model: nn.Module) -> None:
    """Refuse settings of torch under which products may be rounded more than bounds allow for.

    Raises:
        VerificationError: autocast is on, or products of float32 may be computed in fewer bits.
    """
    weight = next(model.parameters())
    for device in sorted({"cpu", weight.device.type}):
        if torch.is_autocast_enabled(device):
            raise VerificationError(
                f"autocast is on for {device}, so that products are computed in fewer bits than "
                f"the weights have, which bounds do not cover. Leave it, or disable it."
            )
    if weight.dtype != torch.float32:
        return
    for setting, value, plain in _find_low_precision():
        raise VerificationError(
            f"{setting} is {value!r}, so that products of float32 may be computed in fewer bits, "
            f"which bounds do not cover. Set it to {plain!r}, or use model.double()."
        )


def _find_low_precision() -> Iterator[tuple[str, Any, Any]]:
    """Yield settings that give products of float32 fewer bits: name, value, and the safe value.

    Settings that this version of torch does not have are skipped. The newer settings are complete,
    and the older ones cannot be read if both were used.
    """
    for backend in ("mkldnn", "cuda"):
        matmul = getattr(getattr(torch.backends, backend, None), "matmul", None)
        value = getattr(matmul, "fp32_precision", None)
        if value not in (None, "none", "ieee"):
            yield f"torch.backends.{backend}.matmul.fp32_precision", value, "ieee"
        if value is None and getattr(matmul, "allow_tf32", False):
            yield f"torch.backends.{backend}.matmul.allow_tf32", True, False
    try:
        value = torch.get_float32_matmul_precision()
    except RuntimeError:
        value = "highest"
    if value != "highest":
        yield "torch.get_float32_matmul_precision()", value, "highest"
    for name in ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"):
        value = os.environ.get(name, "")
        if value.upper() not in ("", "STRICT"):
            yield f"the environment's {name}", value, "STRICT"


# ---- beside a fresh model --------------------------------------------------------------------


def _fresh(model: Provable) -> nn.Module:
    """Build a model of the same settings without memory for weights."""
    kind: Callable[[Any], nn.Module] = type(model)
    config = PROVABLE[type(model)]
    if type(model.config) is not config:
        raise _refusal("config", f"is a {type(model.config).__name__}, not a {config.__name__}")
    for name, value in model.config.to_dict().items():
        if type(value).__module__ not in ("builtins", "numpy"):  # it may calculate as it likes
            raise _refusal(f"config.{name}", f"is a {_name(type(value))}")
    try:
        rebuilt = config.from_dict(model.config.to_dict())
    except ConfigError as error:
        raise VerificationError(f"the model's settings were changed: {error}") from None
    with undrawn():
        return kind(rebuilt)


def _compare(own_module: nn.Module, fresh: nn.Module, path: str) -> None:
    """Raise `VerificationError` where a module differs from that of a fresh model."""
    for name, description in _HOOKS.items():
        if getattr(own_module, name, None):
            raise _refusal(path, f"has {description}", "Remove it")
    if hasattr(type(own_module), "parametrizations") or "parametrizations" in own_module._modules:
        remedy = "Use torch.nn.utils.parametrize.remove_parametrizations"
        raise _refusal(path, "has a parametrised weight", remedy)
    if type(own_module) is not type(fresh):
        raise _refusal(path, f"is a {_name(type(own_module))}, not a {_name(type(fresh))}")
    for kind in ("_parameters", "_buffers", "_modules"):
        if type(getattr(own_module, kind)) is not type(getattr(fresh, kind)):
            raise _refusal(
                path, f"keeps its {kind[1:]} in a {_name(type(getattr(own_module, kind)))}"
            )
        of_mine, of_fresh = list(getattr(own_module, kind)), list(getattr(fresh, kind))
        ordered = of_mine == of_fresh if kind == "_modules" else set(of_mine) == set(of_fresh)
        if not ordered:
            raise _refusal(path, f"has the {kind[1:]} {of_mine}, not {of_fresh}")
    _compare_attributes(own_module, fresh, path)
    _require_own_weights(own_module, path)
    for name, parameter in fresh._parameters.items():
        _compare_parameters(own_module._parameters[name], parameter, _join_path(path, name))
    for name, module in fresh._modules.items():
        other = own_module._modules[name]
        if module is None or other is None:
            if module is not other:
                raise _refusal(_join_path(path, name), f"is {other}, not {module}")
            continue
        _compare(other, module, _join_path(path, name))


def _require_own_weights(module: nn.Module, path: str) -> None:
    """Refuse a recurrent layer of torch that computes with other weights than its parameters."""
    if isinstance(module, nn.RNNBase):
        used, own = module._flat_weights, [getattr(module, n) for n in module._flat_weights_names]
        if len(used) != len(own) or any(a is not b for a, b in zip(used, own, strict=True)):
            raise _refusal(path, "computes with other weights than its parameters")


def _compare_attributes(module: nn.Module, fresh: nn.Module, path: str) -> None:
    """Compare attributes, but parameters and modules; names unknown to the class are ignored."""
    attributes, expected = vars(module), vars(fresh)
    for name in attributes.keys() - expected.keys() - _COMPARED_APART:
        if hasattr(type(module), name):
            raise _refusal(
                path, f"has {name!r} of its own in place of its class's", f"Delete {name!r}"
            )
    for name, value in expected.items():
        if name in _COMPARED_APART:
            continue
        if name not in attributes:
            raise _refusal(path, f"has no {name!r}")
        if type(attributes[name]) is not type(value) or not (
            attributes[name] is value or attributes[name] == value
        ):
            raise _refusal(
                path, f"has {name}={_format_value(attributes[name])}, not {_format_value(value)}"
            )


def _compare_parameters(parameter: Tensor | None, fresh: Tensor | None, path: str) -> None:
    if parameter is None or fresh is None:
        if parameter is not fresh:
            raise _refusal(path, "is missing, or more than there should be")
        return
    if type(parameter) is not nn.Parameter:
        raise _refusal(path, f"is a {_name(type(parameter))}, not a plain parameter")
    if parameter.shape != fresh.shape:
        raise _refusal(path, f"has the shape {tuple(parameter.shape)}, not {tuple(fresh.shape)}")
    if parameter.layout is not torch.strided or parameter.is_meta:
        raise _refusal(path, "has no plain array of numbers")
    shadowing = [name for name in vars(parameter) if hasattr(nn.Parameter, name)]
    if shadowing:
        raise _refusal(path, f"has {shadowing[0]!r} of its own in place of its class's")


def _refusal(path: str, fault: str, remedy: str = _FRESH) -> VerificationError:
    return VerificationError(
        f"the model{'.' if path else ''}{path} {fault}, so that its answers may not follow from "
        f"its settings and weights. {remedy}."
    )


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _format_value(value: object) -> str:
    """Format a value on one line of at most 60 characters."""
    return " ".join(getattr(value, "__qualname__", repr(value)).split())[:60]
