"""The class of every sub-word of a tree, and the states that it leads to from the probe states."""

from collections.abc import Mapping
from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.objectives.base import Subject
from lengthwise.objectives.node import TreeLoss, TreeObjective, answers_at_nodes, transition_size
from lengthwise.tasks.state_maps import state_maps
from lengthwise.training.loop import Objective


class TransitionLoss(TreeLoss):
    """The class of every sub-word, and the state that it leads to from each probe state."""

    def _loss(
        self, model: RegularGPT, vectors: Float[Tensor, "node width"], maps: Int[Tensor, "node s"]
    ) -> tuple[Float[Tensor, ""], Bool[Tensor, ""]]:
        loss, right = self._classes(model, vectors, maps)
        targets = self._maps.transitions(maps)
        logits = model.read_transition(vectors).view(*targets.shape, -1)
        more, also = answers_at_nodes(logits.flatten(0, 1), targets.flatten())
        return loss + more, right & also


class Transition(TreeObjective):
    """The class of every sub-word, and where it leads."""

    told = (
        "training is given the class of every sub-word of the model's tree, and the state that it "
        "leads to from some states"
    )

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the size of the second read-out."""
        return {"transition_size": transition_size(state_maps(subject.language))}

    def loss(self, subject: Subject) -> Objective:
        """Return the cross-entropy of classes and of states, averaged over all distinct nodes."""
        return TransitionLoss(subject.task, subject.words, state_maps(subject.language))


TRANSITION = Transition()
