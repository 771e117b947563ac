"""Everything that decides what a translator becomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.config import Config
from lengthwise.data.parallel_corpus import ParallelCorpus
from lengthwise.data.text_corpus import TRAIN, VALID
from lengthwise.errors import RunError
from lengthwise.models.translation_models import DEFAULT_TRANSLATION_MODEL, TRANSLATION_MODELS
from lengthwise.tasks.task import Task
from lengthwise.training.autocast import Autocast
from lengthwise.training.corpus_plan import (
    CorpusPlan,
    CorpusReference,
    corpus_folder,
    corpus_settings,
)
from lengthwise.training.loop import LoopConfig, Objective
from lengthwise.training.translation import Translation, TranslationConfig

PREFIX = "pairs:"


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslationPlan(CorpusPlan):
    """A parallel corpus, a model that translates, and how it is trained."""

    models = TRANSLATION_MODELS

    translation: TranslationConfig

    @property
    def task(self) -> Task:
        """The words that it classifies.

        Raises:
            RunError: it translates sentences instead.
        """
        raise RunError(
            "this run translates, and classifies no words of a formal language. Use evaluate or "
            "translate."
        )

    @property
    def supervision(self) -> str:
        """What is told in training."""
        return "translations"

    @property
    def words(self) -> str:
        """Which pairs it is trained on."""
        return {
            "train-all-test-all": "pairs of all lengths",
            "train-short-test-long": "pairs up to the median length",
        }[self.translation.protocol]

    @property
    def autocast(self) -> Autocast:
        """What matrix products of training are computed in."""
        return self.translation.autocast

    def load_corpus(self) -> ParallelCorpus:
        """Its parallel corpus.

        Raises:
            TextError: it is not there, not whole, or another one by now.
        """
        return self.corpus.load(ParallelCorpus)

    def objective(self) -> Objective:
        """What is learned."""
        corpus = self.load_corpus()
        return Translation(corpus.part(TRAIN), corpus.part(VALID), self.translation)

    def settings(self) -> Mapping[str, Config]:
        """Those of the network, the pairs and the loop."""
        return {"network": self.network, "translation": self.translation, "loop": self.loop}

    @classmethod
    def own_parts(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The corpus and the pairs."""
        return {
            "corpus": CorpusReference(**values["corpus"]),
            "translation": TranslationConfig.from_dict(values["translation"]),
        }


def is_pairs_spec(spec: str) -> bool:
    """Whether a specification names a parallel corpus."""
    return spec.startswith(PREFIX)


def make_translation_plan(
    spec: str,
    model: str | None = None,
    *,
    preset: str = "laptop",
    settings: Mapping[str, Any] | None = None,
) -> TranslationPlan:
    """Settings from the model, the preset and the user; `spec` is `pairs:FOLDER` of a corpus.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
        TextError: there is no such corpus, or nothing in it can be trained on.
    """
    model = model or DEFAULT_TRANSLATION_MODEL
    entry = TRANSLATION_MODELS[model]
    own = corpus_settings(entry, TranslationConfig, preset, settings or {})
    corpus = ParallelCorpus.load(corpus_folder(spec, PREFIX))
    plan = TranslationPlan(
        corpus=CorpusReference.of(corpus),
        model=model,
        preset=preset,
        network=entry.configure({**own[entry.config], "vocab_size": corpus.vocab_size}),
        translation=TranslationConfig.from_dict(own[TranslationConfig]),
        loop=LoopConfig.from_dict(own[LoopConfig]),
    )
    Translation(corpus.part(TRAIN), corpus.part(VALID), plan.translation)  # raises if it cannot
    return plan
