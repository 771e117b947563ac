"""Everything that decides what a language model becomes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from lengthwise.config import Config, parted, require, require_known
from lengthwise.errors import RunError, TextError
from lengthwise.models.gpt_lm import GPTLMConfig
from lengthwise.models.language_models import DEFAULT_LANGUAGE_MODEL, LANGUAGE_MODELS
from lengthwise.tasks.task import Task
from lengthwise.text.prepared import TRAIN, VALID, Corpus
from lengthwise.training.loop import LoopConfig, Objective
from lengthwise.training.next_token import NextToken, NextTokenConfig
from lengthwise.training.plan import BasePlan
from lengthwise.training.presets import PRESETS
from lengthwise.training.processes import ALONE, Processes

PREFIX = "text:"


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusReference:
    """Where a prepared corpus is, and which it is: by what it has of tokens and tokenizer."""

    folder: str = field(compare=False)
    """A corpus that was moved is the same."""
    digest: str
    tokenizer: str
    """Its digest: equal where tokens mean the same."""

    @classmethod
    def of(cls, corpus: Corpus) -> "CorpusReference":
        """That of a corpus; the folder is written in full, so that any place may read it."""
        return cls(
            folder=str(corpus.folder.resolve()),
            digest=corpus.digest,
            tokenizer=corpus.tokenizer_digest,
        )

    def load(self) -> Corpus:
        """The corpus itself.

        Raises:
            TextError: it is not there, not whole, or another one by now.
        """
        try:
            corpus = Corpus.load(self.folder)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguagePlan(BasePlan):
    """A corpus, a language model, and how it is trained."""

    models = LANGUAGE_MODELS

    corpus: CorpusReference
    text: NextTokenConfig

    @property
    def task(self) -> Task:
        """The words that it classifies.

        Raises:
            RunError: it goes on with texts instead.
        """
        raise RunError(
            "this run is a language model, and classifies no words of a formal language. "
            "Use evaluate or predict."
        )

    @property
    def supervision(self) -> str:
        """What is told in training."""
        return "next token"

    @property
    def words(self) -> str:
        """Which words it is trained on."""
        return f"windows of {self.text.window:,} tokens"

    def objective(self, processes: Processes = ALONE) -> Objective:
        """What is learned, divided among processes."""
        corpus = self.corpus.load()
        parts = corpus.part(TRAIN), corpus.part(VALID)
        return NextToken(*parts, self.text, processes=processes)

    def settings(self) -> Mapping[str, Config]:
        """Those of the network, the windows and the loop."""
        return {"network": self.network, "text": self.text, "loop": self.loop}

    def about(self) -> dict[str, Any]:
        """The corpus."""
        return {"corpus": asdict(self.corpus)}

    def chosen(self) -> dict[str, Any]:
        """What `to_dict` gives, without defaults, and without the place of the corpus."""
        return {**BasePlan.chosen(self), "corpus": self.corpus.digest}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "LanguagePlan":
        """The plan of a stored run.

        Raises:
            RunError: something is missing, or of the wrong kind.
        """
        try:
            return cls(
                corpus=CorpusReference(**values["corpus"]),
                model=values["model"],
                preset=values["preset"],
                network=LANGUAGE_MODELS[values["model"]].config.from_dict(values["network"]),
                text=NextTokenConfig.from_dict(values["text"]),
                loop=LoopConfig.from_dict(values["loop"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError(
                f"config.json is damaged ({error!r}). Train again in a new folder."
            ) from None


_SMOKE = {"d_model": 16, "num_heads": 2, "steps": 20, "warmup": 0, "validate_every": 10}
"""Of the preset of that name; `laptop` and `paper` take the model's own numbers."""


def is_text_spec(spec: str) -> bool:
    """Whether a specification names a prepared corpus."""
    return spec.startswith(PREFIX)


def make_language_plan(
    spec: str,
    model: str | None = None,
    *,
    preset: str = "laptop",
    settings: Mapping[str, Any] | None = None,
) -> LanguagePlan:
    """Settings from the model, the preset and the user; `spec` is `text:FOLDER` of a corpus.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
        TextError: there is no such corpus, or it is too short for the window.
    """
    PRESETS[preset]  # raises unless it is a name
    model = model or DEFAULT_LANGUAGE_MODEL
    entry = LANGUAGE_MODELS[model]
    parts: dict[type[Config], set[str]] = {
        entry.config: {f.name for f in fields(entry.config)} - {"vocab_size"},
        NextTokenConfig: {f.name for f in fields(NextTokenConfig)},
        LoopConfig: {f.name for f in fields(LoopConfig)},
    }
    require_known(settings or {}, set().union(*parts.values()))
    smoke = _SMOKE if preset == "smoke" else {}
    own = parted({**entry.training, **smoke, **(settings or {})}, parts)
    corpus = Corpus.load(Path(spec.removeprefix(PREFIX)))
    plan = LanguagePlan(
        corpus=CorpusReference.of(corpus),
        model=model,
        preset=preset,
        network=entry.configure({**own[entry.config], "vocab_size": corpus.vocab_size}),
        text=NextTokenConfig.from_dict(own[NextTokenConfig]),
        loop=LoopConfig.from_dict(own[LoopConfig]),
    )
    NextToken(corpus.part(TRAIN), corpus.part(VALID), plan.text)  # raises unless there is enough
    if isinstance(plan.network, GPTLMConfig) and plan.network.position == "learned":
        require(
            plan.text.window <= plan.network.max_length,
            f"window={plan.text.window} is longer than max_length={plan.network.max_length}, for "
            f"which positions are learned. Raise max_length.",
        )
    return plan
