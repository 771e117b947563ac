"""A curriculum that ends when a network with codes has settled on an automaton of its own.

The language is never asked. That a network has finitely many codes, that none of their signs could
turn over by rounding, and that its minimal automaton (`proofs.search.own_automaton`) is the same at
two validations in a row are properties of the network alone.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor, nn

from lengthwise.languages.minimise import Table
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.objectives.answers import in_precision
from lengthwise.objectives.curriculum import Curriculum, CurriculumWords
from lengthwise.objectives.learning import Learning
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.network import recurrent_node_of
from lengthwise.proofs.search.own_automaton import OUTSIDE, Neighbours, own_automaton
from lengthwise.tasks.task import Batch

_MOST_STEPS = 2**18
"""Most steps of an exploration: a code and a symbol each."""


class OwnAutomaton(Curriculum):
    """The label of the word alone, until the network's own automaton no longer changes.

    A validation is perfect if it is one of `Curriculum`, the codes close, no sign is uncertain in
    the final precision, and the minimal automaton is that of the validation before.
    """

    def __init__(
        self,
        source: CurriculumWords,
        first: int,
        *,
        learning: Learning | None = None,
        precision: Literal["single", "double"],
    ) -> None:
        super().__init__(source, first, learning)
        self._precision = precision
        self._before = _NONE

    def tensors(self) -> dict[str, Tensor]:
        """Return the state of the curriculum, and the digest of the last automaton."""
        return {**super().tensors(), "automaton": self._before}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the state from the result of `tensors`."""
        super().restore(tensors)
        self._before = tensors["automaton"]

    def _judge_validation(
        self, model: nn.Module, is_right: bool, batch: Batch
    ) -> tuple[bool, dict[str, int | None]]:
        before, self._before = self._before, _NONE
        if not is_right:
            return False, {}
        assert isinstance(model, BinaryRecurrent)
        network = in_precision(model, self._precision)
        codes = TrackedCodes(recurrent_node_of(network))
        recurrence = CodeRecurrence(codes)
        neighbours = Neighbours.of(batch.tokens.numpy(), batch.lengths.numpy(), codes.num_symbols)
        automaton = own_automaton(recurrence, neighbours, max_steps=_MOST_STEPS)
        figures: dict[str, int | None] = {"codes": len(recurrence.packed), "states": None}
        if automaton is None or not codes.is_certain:
            return False, figures
        table, classes = automaton
        self._before = _digest(table, classes)
        figures["states"] = len(classes) - (OUTSIDE in classes)
        return torch.equal(before, self._before), figures


def curriculum(
    source: CurriculumWords,
    first: int,
    network: NetworkConfig,
    *,
    learning: Learning | None = None,
    precision: Literal["single", "double"],
) -> Curriculum:
    """Return a curriculum for a network; one that keeps codes is trained until it has settled."""
    if network.is_recurrent:
        return OwnAutomaton(source, first, learning=learning, precision=precision)
    return Curriculum(source, first, learning)


_NONE = torch.zeros(32, dtype=torch.uint8)
"""In place of the digest of an automaton, where there is none."""


def _digest(table: Table, classes: tuple[int, ...]) -> Tensor:
    digest = hashlib.sha256(json.dumps([table, classes]).encode()).digest()
    return torch.tensor(list(digest), dtype=torch.uint8)
