"""State slots: the maps of symbols, and products of all maps at once.

The learner is given the state map of each symbol, slot by slot, the class of each state, and that
products are compositions: a slot that holds state s looks at slot s of the other node, and takes
over what is there. The loss on products is that of the lowest side that any content of the other
slots leaves, which is what a proof bounds, so no product of the monoid is drawn.

Validation is perfect when `proofs.search.structure` proves the model right on words of every
length.
"""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.device_copies import send
from lengthwise.models.entry import Entry
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.state_slots_config import StateSlotsConfig, bits_for
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.objectives.answers import (
    in_precision,
    masked_cross_entropy,
    require_kind,
    sign_loss,
    validate_answers,
)
from lengthwise.objectives.base import Subject, WordObjective
from lengthwise.objectives.sizes import LARGE_MODEL, require_slots
from lengthwise.objectives.words import WordLengths, WordsConfig
from lengthwise.proofs.check.certificate import Machine
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.network import weights_of
from lengthwise.proofs.search.structure import Structure, structure_of
from lengthwise.tasks.state_maps import IGNORED
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation

_MOST_CASES = 2**20
"""Greatest number of pairs of states of one step."""


class MapLoss(Objective):
    """The loss on the signs of symbols and of products, on attention, and on classes of states.

    A step takes all pairs of states, or as many as `_MOST_CASES`. A proof is about the model in its
    final precision.
    """

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        *,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        self._task = task
        self._words = words
        self._precision = precision
        self._lengths = WordLengths(task, words)
        self._machine = task.language.total().minimise()
        self._states = torch.arange(self._machine.num_states)
        self._classes = torch.tensor(self._machine.classes)
        self._classes[self._classes >= task.language.num_classes] = IGNORED
        self._moves = torch.tensor(self._machine.transitions).T

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the softplus loss of signs, summed over bits, and the loss of answers."""
        model = slots(model)
        device, count = model.pad.device, len(self._states)
        codes = model.signs(send(self._states, device))
        rows = torch.arange(count, device=device)
        if count**2 > _MOST_CASES:
            order = torch.randperm(count, generator=data)
            rows = send(order[: max(1, _MOST_CASES // count)], device)
        weights = model.scores(rows).log_softmax(dim=-1)
        weights = weights[torch.arange(len(rows), device=device), rows]
        sides = _lowest_sides(model, codes, weights.exp())
        slot_weights = torch.cat([model.symbols, model.pad[None], model.start.expand(1, count, -1)])
        start = codes[self._machine.start].expand(1, count, -1)
        moves = codes[send(self._moves, device)]
        signs = slot_weights * torch.cat([moves, codes[None], start])
        loss = sign_loss(sides) + sign_loss(signs) * len(signs) - weights.mean()
        logits = model.read(send(self._states, device))
        loss = loss + masked_cross_entropy(logits, self._classes)
        right = (sides > 0).all(dim=-1).double().mean()
        return Step(loss, right, sides.shape[0] * sides.shape[1])

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if the structure holds."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        structure = self._judge(slots(model))
        figures: dict[str, Any] = {
            "chunks": structure.cases,
            "wrong": structure.wrong,
            "proved": structure.holds,
        }
        return Validation(answers.loss, answers.accuracy, structure.holds, more=figures)

    def _judge(self, model: StateSlots) -> Structure:
        weights = weights_of(in_precision(model, self._precision))
        node = SlotNode(model.config.to_dict(), weights)
        return structure_of(node, Machine.of(self._machine), self._task.language.num_classes)


def slots(model: nn.Module) -> StateSlots:
    """Return a model with a slot for each state; `require_kind` refuses others."""
    return require_kind(
        model,
        StateSlots,
        "has no slots of states, so it does not learn from objective='maps'. Use model "
        "regular-gpt-slots, or another objective.",
    )


def _lowest_sides(
    model: StateSlots, codes: Float[Tensor, "state bit"], share: Float[Tensor, " row"]
) -> Float[Tensor, "row state bit"]:
    """Return how far each number is on its side of 0 at least, whatever other slots hold.

    The formula is that of `proofs.check.slot_node`.
    """
    reached, bias = codes @ model.write.weight.t(), model.write.bias
    worst = torch.where(codes > 0, reached.amin(dim=0), -reached.amax(dim=0))
    share = share[:, None, None]
    return share * codes * reached + (1 - share) * worst + codes * bias


class Maps(WordObjective):
    """The state map of every symbol, and that products of maps are compositions."""

    told = (
        "training is given which state each symbol leads each state to, and that sub-words put "
        "together do one after the other, until a proof closes"
    )
    model = LARGE_MODEL

    def fits(self, entry: Entry) -> bool:
        """Return whether the network has slots of states."""
        return issubclass(entry.config, StateSlotsConfig)

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return a slot for each state, with as many bits as tell the states apart."""
        states = require_slots(subject.language)
        return {"num_slots": states, "num_bits": asked.get("num_bits", bits_for(states))}

    def loss(self, subject: Subject) -> Objective:
        """Return the loss of symbols, products and answers."""
        return MapLoss(subject.task, subject.words, precision=subject.precision)

    def labels(self, subject: Subject) -> str:
        """Return a few words for the maps, since no words are drawn."""
        return "maps of states, and their products"


MAPS = Maps()
