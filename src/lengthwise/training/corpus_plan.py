"""What plans of runs on a prepared corpus have in common: which corpus it is, and its settings."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from lengthwise.config import Config, parted, require_known
from lengthwise.data.stored_corpus import StoredCorpus
from lengthwise.errors import TextError
from lengthwise.models.entry import Entry
from lengthwise.training.loop import LoopConfig
from lengthwise.training.plan import BasePlan
from lengthwise.training.presets import PRESETS

Kind = TypeVar("Kind", bound=StoredCorpus)


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusReference:
    """Where a prepared corpus is, and which it is: by what it has of tokens and tokenizer."""

    folder: str = field(compare=False)
    """A corpus that was moved is the same."""
    digest: str
    tokenizer: str
    """Its digest: equal where tokens mean the same."""

    @classmethod
    def of(cls, corpus: StoredCorpus) -> "CorpusReference":
        """That of a corpus; the folder is written in full, so that any place may read it."""
        return cls(
            folder=str(corpus.folder.resolve()),
            digest=corpus.digest,
            tokenizer=corpus.tokenizer_digest,
        )

    def load(self, kind: type[Kind]) -> Kind:
        """The corpus itself.

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


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusPlan(BasePlan):
    """A plan whose run learns from a prepared corpus."""

    corpus: CorpusReference

    def about(self) -> dict[str, Any]:
        """The corpus."""
        return {"corpus": asdict(self.corpus)}

    def chosen(self) -> dict[str, Any]:
        """What `to_dict` gives, without defaults, and without the place of the corpus."""
        return {**BasePlan.chosen(self), "corpus": self.corpus.digest}


def corpus_folder(spec: str, prefix: str) -> Path:
    """The folder that a specification such as `text:FOLDER` names.

    Raises:
        TextError: it names none.
    """
    folder = spec.removeprefix(prefix)
    if not folder:
        raise TextError(f"{spec} names no corpus. Give {prefix}FOLDER, which `prepare` made.")
    return Path(folder)


_SMOKE = {"d_model": 16, "num_heads": 2, "steps": 20, "warmup": 0, "validate_every": 10}
"""Of the preset of that name; `laptop` and `paper` take the model's own numbers."""


def corpus_settings(
    entry: Entry, reading: type[Config], preset: str, settings: Mapping[str, Any]
) -> dict[type[Config], dict[str, Any]]:
    """Settings from the model, the preset and the user, each to the part that it belongs to.

    The parts are those of the network, of how the corpus is read, and of the loop.

    Raises:
        ConfigError: a name is unknown.
    """
    PRESETS[preset]  # raises unless it is a name
    parts: dict[type[Config], set[str]] = {
        entry.config: {f.name for f in fields(entry.config)} - {"vocab_size"},
        reading: {f.name for f in fields(reading)},
        LoopConfig: {f.name for f in fields(LoopConfig)},
    }
    require_known(settings, set().union(*parts.values()))
    smoke = _SMOKE if preset == "smoke" else {}
    return parted({**entry.training, **smoke, **settings}, parts)
