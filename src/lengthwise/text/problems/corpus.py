"""The common part of problems that learn from a prepared corpus: the reference to the corpus."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from lengthwise.arguments import path_of
from lengthwise.errors import TextError
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Problem
from lengthwise.problems.results import Options
from lengthwise.text.data.stored_corpus import StoredCorpus
from lengthwise.text.evaluation.perplexity import perplexity_of
from lengthwise.zoo_paths import CORPORA, spell_path

Kind = TypeVar("Kind", bound=StoredCorpus)

SMOKE = {"d_model": 16, "num_heads": 2, "steps": 20, "warmup": 0, "validate_every": 10}
"""Numbers of the preset `smoke`; `laptop` and `paper` take those of the model."""

FROM_CORPUS = frozenset({"network.vocab_size"})
"""Settings that follow from the corpus."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusReference:
    """The folder of a prepared corpus, with the digests of tokens and tokenizer as identity."""

    folder: str = field(compare=False)
    """Folder of the corpus, or `zoo:NAME`; not compared, as a corpus that was moved is the same."""
    digest: str
    tokenizer: str
    """Digest of the tokenizer: equal where tokens mean the same."""

    @classmethod
    def of(cls, corpus: StoredCorpus) -> "CorpusReference":
        """Return the reference to a corpus, by its name or the absolute path of its folder."""
        folder = corpus.folder
        return cls(
            folder=spell_path(folder if folder.parent == CORPORA else folder.resolve()),
            digest=corpus.digest,
            tokenizer=corpus.tokenizer_digest,
        )

    @property
    def shown(self) -> str:
        """The folder, relative to the working folder if it is below it."""
        folder = Path(self.folder)
        cwd = Path.cwd()
        return str(folder.relative_to(cwd)) if folder.is_relative_to(cwd) else self.folder

    def to_dict(self) -> dict[str, Any]:
        """Return the reference as plain values."""
        return asdict(self)

    def load(self, kind: type[Kind]) -> Kind:
        """Load the corpus itself.

        Raises:
            TextError: it does not exist, is incomplete, or was replaced by another one.
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
        """Load the corpus itself, or another one whose tokens mean the same.

        Raises:
            TextError: the tokens of the other one mean something else, or one cannot be read.
            ConfigError: the other one is neither a corpus nor a path.
        """
        if other is None:
            return self.load(kind)
        corpus = (
            other if isinstance(other, kind) else kind.load(path_of("text", other, "runs/text"))
        )
        self.require_same_tokens(corpus)
        return corpus

    def require_same_tokens(self, corpus: StoredCorpus) -> None:
        """Refuse a corpus whose tokens differ from those of this one.

        Raises:
            TextError: they mean something else.
        """
        if corpus.tokenizer_digest != self.tokenizer:
            raise TextError(
                f"the tokens of {corpus.folder} mean something else than those that this run "
                f"knows. Prepare it with --tokenizer {self.folder}."
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusProblem(Problem, Generic[Kind]):
    """A prepared corpus that a model learns from."""

    corpus_kind: ClassVar[type[StoredCorpus]]
    """Class of its corpora."""

    corpus: CorpusReference

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem of the corpus in the folder that a specification names.

        Raises:
            TextError: it names none, or there is no such corpus.
        """
        return cls(corpus=cls.reference(spec))

    @classmethod
    def reference(cls, spec: str) -> CorpusReference:
        """Return the reference to the corpus in the folder that a specification names."""
        folder = spec.removeprefix(cls.prefix)
        if not folder:
            raise TextError(
                f"{spec} names no corpus. Give {cls.prefix}FOLDER, which `prepare` made."
            )
        return CorpusReference.of(cls.corpus_kind.open(Path(folder)))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the problem of a stored reference to a corpus."""
        return cls(corpus=CorpusReference(**values["corpus"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the reference to the corpus."""
        return {"corpus": self.corpus.to_dict()}

    def identity(self) -> dict[str, Any]:
        """Return the digest of the corpus, without its folder, since it may be moved."""
        return {"corpus": self.corpus.digest}

    @property
    def name(self) -> str:
        """The folder of the corpus, as a specification."""
        return f"{self.prefix}{self.corpus.shown}"

    def load(self, other: Path | str | Kind | None = None) -> Kind:
        """Load the corpus, or another one whose tokens mean the same.

        Raises:
            TextError: it does not exist, is incomplete, or was replaced by another one; or the
                tokens of the other one mean something else.
        """
        kind: Any = self.corpus_kind
        loaded: Kind = self.corpus.load_or(kind, other)
        return loaded

    def load_checked(self) -> Kind:
        """Load the corpus for a new run, once all its files were found whole.

        Raises:
            TextError: it does not exist, or is not whole.
        """
        kind: Any = self.corpus_kind
        loaded: Kind = kind.load(self.corpus.folder)
        return loaded

    def account(self, records: Records) -> Account:
        """Return the account of a run: the perplexity in validation, and the speed."""
        plain, best = Problem.account(self, records), records.best
        if not best:
            return plain
        perplexity, speed = perplexity_of(best["validation_loss"]), best.get("words_per_second")
        own_values = {"corpus": self.corpus.folder, "validation_perplexity": perplexity}
        return replace(
            plain,
            rows=[
                records.make_validation_row("on tokens set apart", f"perplexity {perplexity:.2f}"),
                *([("speed", f"{speed:,.0f} tokens per second")] if speed else []),
            ],
            values={**plain.values, **own_values},
        )
