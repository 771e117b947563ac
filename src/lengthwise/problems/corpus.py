"""Prepared corpora that problems learn from: which corpus it is, and where."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lengthwise.data.stored_corpus import StoredCorpus
from lengthwise.errors import TextError

Kind = TypeVar("Kind", bound=StoredCorpus)

SMOKE = {"d_model": 16, "num_heads": 2, "steps": 20, "warmup": 0, "validate_every": 10}
"""Numbers of the preset of that name; `laptop` and `paper` take those of the model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusReference:
    """Where a prepared corpus is, and which it is: by the digests of its tokens and tokenizer."""

    folder: str = field(compare=False)
    """A corpus that was moved is the same."""
    digest: str
    tokenizer: str
    """Its digest: equal where tokens mean the same."""

    @classmethod
    def of(cls, corpus: StoredCorpus) -> "CorpusReference":
        """Return the reference to a corpus, with its folder written in full."""
        return cls(
            folder=str(corpus.folder.resolve()),
            digest=corpus.digest,
            tokenizer=corpus.tokenizer_digest,
        )

    @property
    def shown(self) -> str:
        """The folder as a person would write it: relative to where they are, if it is below."""
        folder = Path(self.folder)
        here = Path.cwd()
        return str(folder.relative_to(here)) if folder.is_relative_to(here) else self.folder

    def to_dict(self) -> dict[str, Any]:
        """Return the reference as plain values."""
        return asdict(self)

    def load(self, kind: type[Kind]) -> Kind:
        """Load the corpus itself.

        Raises:
            TextError: it is not there, not whole, or another one by now.
        """
        try:
            corpus = kind.load(self.folder)
        except TextError as error:
            raise TextError(
                f"the corpus of this run cannot be read: {error} If it was moved, name it with "
                f"--text."
            ) from None
        if corpus.digest != self.digest:
            raise TextError(
                f"{self.folder} holds another corpus than the one that this run was made with. "
                f"Prepare that one again, or name a corpus with --text."
            )
        return corpus

    def load_or(self, kind: type[Kind], other: Path | str | Kind | None) -> Kind:
        """Load the corpus itself, or take another one whose tokens mean the same.

        Raises:
            TextError: the tokens of the other one mean something else, or one cannot be read.
        """
        if other is None:
            return self.load(kind)
        corpus = kind.load(other) if isinstance(other, Path | str) else other
        self.require_same_tokens(corpus)
        return corpus

    def require_same_tokens(self, corpus: StoredCorpus) -> None:
        """Refuse a corpus whose tokens a run on this one does not know.

        Raises:
            TextError: they mean something else.
        """
        if corpus.tokenizer_digest != self.tokenizer:
            raise TextError(
                f"the tokens of {corpus.folder} mean something else than those that this run "
                f"knows. Prepare it with --tokenizer {self.folder}."
            )


def corpus_folder(spec: str, prefix: str) -> Path:
    """Return the folder that a specification such as `text:FOLDER` names.

    Raises:
        TextError: it names none.
    """
    folder = spec.removeprefix(prefix)
    if not folder:
        raise TextError(f"{spec} names no corpus. Give {prefix}FOLDER, which `prepare` made.")
    return Path(folder)
