"""The class of the word, with smoothed labels."""

from dataclasses import dataclass
from typing import Annotated

import torch
from torch import nn
from torch.nn import functional as F

from lengthwise.models.entry import Entry
from lengthwise.objectives.answers import accuracy_of, on_device, words_for
from lengthwise.objectives.base import ObjectiveConfig, Subject, WordObjective
from lengthwise.objectives.final import FINAL, FinalLoss
from lengthwise.settings import Setting
from lengthwise.training.loop import Objective, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class SmoothedConfig(ObjectiveConfig):
    """Settings of the labels."""

    name: str = "smoothed"
    smoothing: Annotated[float, Setting(least=0, below=1)] = 0.1
    """Share of each label that is spread over all classes."""


class SmoothedLoss(FinalLoss):
    """Fresh words of all lengths, as `final` has them."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject.task, subject.words)
        self._smoothing = subject.settings.smoothing

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy with the smoothed labels."""
        batch = self.draw(data)
        (tokens,), (classes,) = words_for(model, batch.tokens), on_device(model, batch.classes)
        logits = model(tokens, generator=noise)
        loss = F.cross_entropy(logits, classes, label_smoothing=self._smoothing)
        return Step(loss, accuracy_of(logits, classes), len(logits))


class Smoothed(WordObjective):
    """The class of the word, with smoothed labels."""

    settings = SmoothedConfig
    told = "training is given the class of the whole word, with some doubt"

    def fits(self, entry: Entry) -> bool:
        """Return whether the network learns from `final`."""
        return FINAL.fits(entry)

    def loss(self, subject: Subject) -> Objective:
        """Return the loss with its labels."""
        return SmoothedLoss(subject)


SMOOTHED = Smoothed()
