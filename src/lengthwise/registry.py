"""Registries: the named variants of one kind, including those of other packages.

The error for a misspelt name suggests the nearest one. An entry may be written as
`module:attribute`, which is imported when it is first used.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from lengthwise.errors import ConfigError, LengthwiseError, in_a_line, unknown_name

T = TypeVar("T")


class Catalogue(Mapping[str, T], Generic[T]):
    """A read-only mapping from names to variants of one kind.

    `group` is the group of entry points by which other packages add variants, `expected` what they
    must be instances or subclasses of, and `needs` the attributes that they must have. They are
    listed after those of this package, and cannot replace them.
    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, T | str],
        *,
        group: str = "",
        expected: type | None = None,
        needs: Collection[str] = (),
    ) -> None:
        self.kind = kind
        self.group = group
        self.expected, self.needs = expected, needs
        self._entries: dict[str, T | str] = dict(entries)
        self._plugins: dict[str, EntryPoint] | None = None

    def __getitem__(self, name: str) -> T:
        if not isinstance(name, str):
            raise ConfigError(
                f"a {self.kind} is given by its name, but got {name!r:.40}. Known: "
                f"{', '.join(self) or 'none'}."
            )
        if name in self._entries:
            entry = self._entries[name]
            if not isinstance(entry, str):
                return entry
            module, _, attribute = entry.partition(":")
            loaded: T = getattr(import_module(module), attribute)
        elif name in self._load_plugins():
            loaded = self._load(self._load_plugins()[name])
        else:
            raise unknown_name(self.kind, name, self)
        self._entries[name] = loaded
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._load_plugins()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._entries, *self._load_plugins())))

    def __len__(self) -> int:
        return len(dict.fromkeys(self))

    def summary(self, name: str) -> str:
        """Return the summary of the package that adds a variant, which is not imported."""
        package = self._load_plugins()[name].dist
        if package and "Summary" in package.metadata:
            return package.metadata["Summary"]
        return f"from {package.name if package else 'another package'}"

    def _load_plugins(self) -> Mapping[str, EntryPoint]:
        """Return the variants of other packages by name."""
        if self._plugins is None:
            points = _every_plugin().select(group=self.group) if self.group else ()
            self._plugins = {
                point.name: point for point in points if point.name not in self._entries
            }
        return self._plugins

    def _load(self, plugin: EntryPoint) -> T:
        try:
            loaded: T = plugin.load()
        except (Exception, SystemExit) as error:
            why = f"cannot be imported from {plugin.value} ({in_a_line(error)})"
            raise self._refusal(plugin, why) from None
        expected = self.expected
        is_class = isinstance(loaded, type) and issubclass(loaded, expected or object)
        if expected and not (is_class or isinstance(loaded, expected)):
            raise self._refusal(plugin, f"at {plugin.value} is not a {expected.__name__}")
        for name in self.needs:
            if not hasattr(loaded, name):
                raise self._refusal(plugin, f"at {plugin.value} has no {name!r}")
        return loaded

    def _refusal(self, plugin: EntryPoint, why: str) -> ConfigError:
        owner = f" of {plugin.dist.name}" if plugin.dist else ""
        return ConfigError(
            f"{self.kind} {plugin.name!r}{owner} {why}. Fix or uninstall that package."
        )


def import_attribute(
    path: str, *, kind: str, form: str, error: type[LengthwiseError] = ConfigError
) -> Any:
    """Import what `package.module:attribute` names; modules may lie in the current folder.

    `kind` says in messages what it is, `form` how its path is written.

    Raises:
        LengthwiseError: it cannot be imported; the error is of the class `error`.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    module, _, attribute = path.partition(":")
    try:
        target: Any = import_module(module)
        for part in attribute.split("."):
            target = getattr(target, part)
    except (Exception, SystemExit) as reason:
        raise error(
            f"{kind} {path!r} cannot be imported ({in_a_line(reason)}). Give {form}, from the "
            f"folder that has it."
        ) from None
    return target


@cache
def _every_plugin() -> Any:
    """Return the entry points of all installed packages, which take a while to find."""
    return entry_points()
