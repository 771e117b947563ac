"""Everything that decides what a language model becomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.config import Config
from lengthwise.data.text_corpus import TRAIN, VALID, Corpus
from lengthwise.errors import RunError
from lengthwise.models.language_models import DEFAULT_LANGUAGE_MODEL, LANGUAGE_MODELS
from lengthwise.tasks.task import Task
from lengthwise.training.autocast import Autocast
from lengthwise.training.corpus_plan import (
    CorpusPlan,
    CorpusReference,
    corpus_folder,
    corpus_settings,
)
from lengthwise.training.loop import LoopConfig, Objective
from lengthwise.training.next_token import NextToken, NextTokenConfig
from lengthwise.training.processes import ALONE, Processes

PREFIX = "text:"


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguagePlan(CorpusPlan):
    """A corpus, a language model, and how it is trained."""

    models = LANGUAGE_MODELS

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

    @property
    def autocast(self) -> Autocast:
        """What matrix products of training are computed in."""
        return self.text.autocast

    def objective(self, processes: Processes = ALONE) -> Objective:
        """What is learned, divided among processes."""
        corpus = self.corpus.load(Corpus)
        parts = corpus.part(TRAIN), corpus.part(VALID)
        return NextToken(*parts, self.text, processes=processes)

    def settings(self) -> Mapping[str, Config]:
        """Those of the network, the windows and the loop."""
        return {"network": self.network, "text": self.text, "loop": self.loop}

    @classmethod
    def own_parts(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The corpus and the windows."""
        return {
            "corpus": CorpusReference(**values["corpus"]),
            "text": NextTokenConfig.from_dict(values["text"]),
        }


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
    model = model or DEFAULT_LANGUAGE_MODEL
    entry = LANGUAGE_MODELS[model]
    own = corpus_settings(entry, NextTokenConfig, preset, settings or {})
    corpus = Corpus.load(corpus_folder(spec, PREFIX))
    text = NextTokenConfig.from_dict(own[NextTokenConfig])
    network = entry.configure({**own[entry.config], "vocab_size": corpus.vocab_size})
    network = network.with_room(text.window, (settings or {}).get("max_length"))
    plan = LanguagePlan(
        corpus=CorpusReference.of(corpus),
        model=model,
        preset=preset,
        network=network,
        text=text,
        loop=LoopConfig.from_dict(own[LoopConfig]),
    )
    NextToken(corpus.part(TRAIN), corpus.part(VALID), plan.text)  # raises unless there is enough
    return plan
