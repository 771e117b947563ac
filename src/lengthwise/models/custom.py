"""Models that are not in the catalogue: functions and classes by import path, and given networks.

`package.module:factory` names a function or class that builds a network:

    factory(*, vocab_size, num_classes, ...) -> torch.nn.Module

Further arguments with a default that is a number, a string or a Boolean are settings of the
network. A network that is given as an object is known in this process only.
"""

import copy
import hashlib
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, make_dataclass
from typing import Any, TypeAlias

import torch
from torch import nn

from lengthwise.errors import ConfigError, in_a_line
from lengthwise.models.custom_network import Adapted, adapt, require_recogniser
from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.registry import import_attribute

Factory: TypeAlias = Callable[..., nn.Module]
OwnModel: TypeAlias = nn.Module | Factory

_FROM_LANGUAGE = ("vocab_size", "num_classes")
_PLAIN = (bool, int, float, str)
_TRAINING: Mapping[str, Any] = {"steps": 10_000, "learning_rate": 1e-3, "schedule": "cosine"}

_ENTRIES: dict[str, ModelEntry] = {}
"""Entries by name, so that a network has one class of settings in a process."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenConfig(NetworkConfig):
    """The settings of a network that is given as an object."""

    vocab_size: int
    num_classes: int
    weights: str = ""
    """Digest of the weights that it was given with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnEntry(ModelEntry):
    """A network of the user's own, whose random weights follow from the seed."""

    def draw(self, config: Any, generator: torch.Generator) -> nn.Module:
        """Build the network with torch's own random numbers, seeded by `generator`.

        Raises:
            ConfigError: it cannot be built, or is not a recogniser of the language.
        """
        seed = int(torch.randint(2**62, (1,), generator=generator))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = adapt(self.build(config))
        require_recogniser(model, config.vocab_size, config.num_classes)
        return model

    def require_moderate(self, config: Any) -> None:
        """Build nothing: its code is not made for tensors without numbers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenEntry(OwnEntry):
    """A network that was given as an object; its own weights are the initial ones."""

    given: nn.Module

    def configure(self, settings: Mapping[str, Any]) -> NetworkConfig:
        """Return the settings with the digest of the weights."""
        body = hashlib.sha256()
        for name, value in sorted(self.given.state_dict().items()):
            body.update(name.encode())
            body.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
        return GivenConfig.from_dict({**settings, "weights": body.hexdigest()[:12]})


def own_entry(name: str) -> ModelEntry:
    """Return the entry of a model that is named by an import path.

    Raises:
        ConfigError: it cannot be imported, or does not build networks.
    """
    if name not in _ENTRIES:
        target = _import_network(name)
        _ENTRIES[name] = target if isinstance(target, ModelEntry) else _of_factory(name, target)
    return _ENTRIES[name]


def own_name(model: object) -> str:
    """Return the name by which a given network, class or function is known from now on.

    Raises:
        ConfigError: it is none of these.
    """
    if isinstance(model, nn.Module):
        kind = type(model.module if isinstance(model, Adapted) else model)
        name = f"{kind.__module__}:{kind.__qualname__}()"
        keep(name, model)
    elif callable(model) and hasattr(model, "__qualname__"):
        name = f"{model.__module__}:{model.__qualname__}"
        keep(name, model)
    else:
        raise ConfigError(
            f"model is a name, such as 'regular-gpt', a torch.nn.Module or a function that builds "
            f"one, but got {model!r:.60}. Give one of these."
        )
    return name


def keep_again(name: str, model: OwnModel) -> None:
    """Record a network, or what builds it, for a stored run whose model has this name.

    Raises:
        ConfigError: the run has no such model.
    """
    if ":" not in name:
        raise ConfigError(f"the model of this run is {name}, which is known. Leave model out.")
    is_network = isinstance(model, nn.Module)
    if is_network and not name.endswith("()"):
        raise ConfigError(
            f"the model of this run was built by {name}, but got a network. Give the function, "
            f"model={name.partition(':')[2]}."
        )
    if not is_network and name.endswith("()"):
        raise ConfigError(
            f"the model of this run was given as a network, {name}, but got a function. Give a "
            f"network of the same shape."
        )
    keep(name, model)


def keep(name: str, model: OwnModel) -> None:
    """Record a network, or what builds it, under the name of its runs.

    Raises:
        ConfigError: it does not build networks for a language.
    """
    if not isinstance(model, nn.Module):
        _ENTRIES[name] = _of_factory(name, model)
        return
    _ENTRIES[name] = GivenEntry(
        summary=f"a {type(model).__name__} of your own",
        architecture=Architecture(
            config=GivenConfig, module=lambda config: adapt(copy.deepcopy(model))
        ),
        objective="final",
        audited=False,
        training=_TRAINING,
        fixed=frozenset({"weights"}),
        given=model,
    )


def _import_network(name: str) -> Any:
    if name.endswith("()"):
        raise ConfigError(
            f"model {name!r} was given as an object, which cannot be built again from its name. "
            f"Give it: lw.load(folder, model=network)."
        )
    target = import_attribute(name, kind="model", form="package.module:factory")
    if isinstance(target, nn.Module) or (
        not callable(target) and not isinstance(target, ModelEntry)
    ):
        raise ConfigError(
            f"model {name!r} is a {type(target).__name__}, which builds no network. Name a "
            f"function or a class: factory(*, vocab_size, num_classes)."
        )
    return target


def _of_factory(name: str, factory: Factory) -> ModelEntry:
    parameters: Mapping[str, inspect.Parameter] = {}
    with suppress(TypeError, ValueError):  # some that are written in C have no signature
        parameters = inspect.signature(factory).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for needed in _FROM_LANGUAGE:
        if needed not in parameters and not takes_any:
            raise ConfigError(
                f"model {name!r} must take vocab_size and num_classes, but it takes "
                f"{', '.join(parameters) or 'nothing'}. Write {factory.__name__}(*, vocab_size, "
                f"num_classes, ...)."
            )
    settings: list[Any] = [(needed, int) for needed in _FROM_LANGUAGE]
    for parameter in parameters.values():
        has_value = parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if parameter.name not in _FROM_LANGUAGE and has_value and type(parameter.default) in _PLAIN:
            settings.append(
                (parameter.name, type(parameter.default), field(default=parameter.default))
            )
    config = make_dataclass(
        f"{factory.__name__.title().replace('_', '')}Config",
        settings,
        bases=(NetworkConfig,),
        frozen=True,
        kw_only=True,
    )

    def build(config: NetworkConfig) -> nn.Module:
        try:
            built: object = factory(**config.to_dict())
        except (Exception, SystemExit) as error:
            raise ConfigError(
                f"model {name!r} could not be built ({in_a_line(error)}). Fix {factory.__name__}."
            ) from error
        if not isinstance(built, nn.Module):
            raise ConfigError(
                f"model {name!r} built a {type(built).__name__}, which is not a "
                f"torch.nn.Module. Return the network."
            )
        return adapt(built)

    summary = (inspect.getdoc(factory) or f"a network of your own, {name}").partition("\n")[0]
    return OwnEntry(
        summary=summary,
        architecture=Architecture(config=config, module=build),
        objective="final",
        audited=False,
        training=_TRAINING,
    )
