"""Columns: where a table of words has its words and labels, or its events, and in what format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from lengthwise.errors import ConfigError, unknown_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """The names of the columns of a file, and its format where the file's name does not tell it.

    Either a row is a word and its label, or, with `case` and `event`, one event: the events of one
    case make up its word, in the order of the rows or of the column `time`, and the label may be in
    any row of the case.

    Without a label, `label=`, each word belongs to the language.
    """

    word: str = "word"
    label: str = "label"
    case: str = ""
    event: str = ""
    time: str = ""
    format: str = ""
    """A name in `formats.catalogue.FORMATS`; empty if the name of the file tells it."""

    @classmethod
    def parse(cls, written: "str | Mapping[str, str] | Columns | None") -> "Columns":
        """Read `word=text,label=class` or `case=id,event=action,label=outcome`, or a mapping.

        >>> Columns.parse("word=text").word, Columns.parse(None).label
        ('text', 'label')

        Raises:
            ConfigError: a name is unknown or given twice, or the names do not go together.
        """
        if isinstance(written, Columns):
            return written
        columns_by_name: dict[str, str] = {}
        pairs = (
            [part.partition("=")[::2] for part in written.split(",") if part.strip()]
            if isinstance(written, str)
            else list((written or {}).items())
        )
        known = [field.name for field in fields(cls)]
        for name, column in ((name.strip(), column.strip()) for name, column in pairs):
            if name not in known:
                raise unknown_name("part of columns", name, known)
            if (not column and name != "label") or name in columns_by_name:
                fault = "has no column" if not column else "is given twice"
                raise ConfigError(f"columns: {name} {fault}. Write {name}=COLUMN once.")
            columns_by_name[name] = column
        columns = cls(**columns_by_name)
        columns.require_fit("word" in columns_by_name)
        return columns

    def require_fit(self, has_word: bool) -> None:
        """Refuse names that do not go together.

        Raises:
            ConfigError: they do not.
        """
        if self.case and not self.event:
            raise ConfigError(
                f"columns name case={self.case}, but no event. Give both where each row is an "
                f"event, such as case=id,event=action,label=outcome."
            )
        if self.case and has_word:
            raise ConfigError(
                "columns name word and case, but a row is a word or an event. Leave one out."
            )
        if self.time and not self.event:
            raise ConfigError("columns name time, but no event, which it orders. Give both.")

    def require_case(self) -> None:
        """Refuse events without cases, in a table.

        Raises:
            ConfigError: `event` is named, but not `case`.
        """
        if self.event and not self.case:
            raise ConfigError(
                f"columns name event={self.event}, but no case. Give the column that says to which "
                f"word an event belongs, such as case=id."
            )

    @property
    def are_named(self) -> bool:
        """True if the user named a column."""
        return (self.word, self.label or "label", self.case) != ("word", "label", "")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read: word and label, or case, event, label and perhaps time."""
        label = [self.label] if self.label else []
        if not self.case:
            return (self.word, *label)
        return (self.case, self.event, *label, *([self.time] if self.time else []))

    def label_row(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the values of a row with its label: `1` where there is no column of labels."""
        if self.label:
            return tuple(values)
        at = 2 if self.case else 1
        return (*values[:at], "1", *values[at:])

    def to_dict(self) -> dict[str, str]:
        """Return the names that are not the default."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}
