"""A file of labelled words as a run refers to it: by its digest, wherever the file is."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from lengthwise.data.columns import Columns
from lengthwise.data.counted_words import CountingWorkers
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.prepared_words import prepare_words
from lengthwise.errors import TextError


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsReference:
    """A file of labelled words, with its symbols and classes, and the digest of its words."""

    file: str = field(compare=False)
    """Absolute path. It is not compared: a file that was moved is the same."""
    digest: str
    """Digest of words and labels; the order of the lines does not matter."""
    alphabet: tuple[str, ...]
    class_names: tuple[str, ...]
    is_stated: bool
    """True if the user gave the alphabet; otherwise it has the symbols of the file."""
    by_majority: bool = False
    """True if a word with several labels gets that of most of its lines."""

    columns: Columns = field(default_factory=Columns, compare=False)
    """The columns of the words and labels in the file."""

    @classmethod
    def of(
        cls,
        file: Path,
        alphabet: tuple[str, ...] | None,
        *,
        by_majority: bool = False,
        columns: Columns | None = None,
        needs_labels: bool = True,
        workers: CountingWorkers | None = None,
    ) -> "WordsReference":
        """Return the reference to a file, which is read.

        Raises:
            TextError: it cannot be read; or it `needs_labels`, and all words have one.
        """
        columns = columns or Columns()
        words = prepare_words(
            file, alphabet, by_majority=by_majority, columns=columns, workers=workers
        )
        if needs_labels:
            require_labels(words, f"words:{file}")
        return cls(
            file=str(file.resolve()),
            digest=words.digest,
            alphabet=words.alphabet,
            class_names=words.class_names,
            is_stated=alphabet is not None,
            by_majority=by_majority,
            columns=columns,
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what `to_dict` stored."""
        texts = {name: tuple(values[name]) for name in ("alphabet", "class_names")}
        return cls(**{**values, **texts, "columns": Columns(**values.get("columns", {}))})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the columns only where they are not the default."""
        columns = self.columns.to_dict()
        values = {name: value for name, value in asdict(self).items() if name != "columns"}
        return {**values, **({"columns": columns} if columns else {})}

    @property
    def shown(self) -> str:
        """The path, relative to the working folder if it is below it."""
        file, folder = Path(self.file), Path.cwd()
        return str(file.relative_to(folder)) if file.is_relative_to(folder) else self.file

    def load(self, moved: Path | str | None = None) -> LabelledWords:
        """Return the words, from the file or the place to which it was moved.

        Raises:
            TextError: it cannot be read, or holds other words.
        """
        file = Path(self.file if moved is None else moved)
        try:
            alphabet = self.alphabet if self.is_stated else None
            words = prepare_words(
                file, alphabet, by_majority=self.by_majority, columns=self.columns
            )
        except TextError as error:
            raise TextError(
                f"the words of this run cannot be read: {error} If the file was moved, name it "
                f"with --text."
            ) from None
        if words.digest != self.digest:
            raise TextError(
                f"{file} holds other words or labels than those that this run was made with. Give "
                f"the same words with --text, or train again in a new folder."
            )
        return words


def require_labels(words: LabelledWords, name: str) -> None:
    """Refuse words of one label, which do not show what is outside their language.

    Raises:
        TextError: they are such words.
    """
    if words.have_one_label:
        raise TextError(
            f"{name}: all words have one label, so none shows what to reject. Give words of two "
            f"labels, or infer a language, `lengthwise infer FILE --out A.att`, and train on it, "
            f"`lengthwise train att:A.att`."
        )
