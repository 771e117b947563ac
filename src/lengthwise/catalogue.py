"""Named variants: one written-out dictionary per kind; a misspelt name gets the nearest one."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from lengthwise.errors import unknown_name

T = TypeVar("T")


class Catalogue(Mapping[str, T], Generic[T]):
    """A read-only mapping from names to variants of one kind."""

    def __init__(self, kind: str, entries: Mapping[str, T]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise unknown_name(self.kind, name, self._entries)
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
