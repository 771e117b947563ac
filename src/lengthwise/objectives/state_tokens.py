"""The codebook of a scratchpad with sliding-window attention: the token that each step writes.

Every step of the automaton, state and symbol alike likely (`step_table`). Where the receptive field
is longer than that, the steps before it are drawn backwards, each uniformly among those that lead
to the state. The loss is the cross-entropy of what is written and of the class that is read from
it.

Axes:
    row    steps that are drawn
    token  tokens of a context
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.layers.chunks import ABSENT
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.objectives.answers import masked_cross_entropy, require_kind
from lengthwise.objectives.step_table import StepTable
from lengthwise.proofs.check.bounded import BoundedCoded
from lengthwise.proofs.check.window_node import WindowNode
from lengthwise.proofs.search.network import weights_of
from lengthwise.tasks.state_codes import StateCodes
from lengthwise.tasks.state_maps import IGNORED
from lengthwise.training.loop import Step

_FAR = 1e6
"""Bound on margins, which are infinite where there is nothing to choose from."""


class StateTokenTable(StepTable):
    """The loss on the token that every step writes, and on the class of every state."""

    def _compute_loss(
        self,
        model: nn.Module,
        rows: Int[Tensor, " row"],
        data: torch.Generator,
        noise: torch.Generator,
    ) -> Step:
        """Return the cross-entropy of digits plus that of classes, of the empty word as well."""
        network, table = window_scratchpad(model), self._table
        first = network.first_context
        after = send(contexts_of(table, network, rows, data), first.device)
        results = send(torch.cat([torch.tensor([table.start]), table.results[rows]]), first.device)
        logits = network.logits(torch.cat([first, after]))
        loss = state_token_loss(network, logits, results, table.classes)
        right = (logits.argmax(dim=2) == network.digits_of(results)).all(dim=1)
        return Step(loss, right.double().mean(), len(rows))

    def _sides(self, model: nn.Module, rows: Int[Tensor, " row"]) -> Float[Tensor, " row"]:
        network, table = window_scratchpad(model), self._table
        same = torch.Generator().manual_seed(0)  # a judgement depends on the weights alone
        contexts = contexts_of(table, network, rows, same)
        return _margins(network, contexts, table.results[rows], table.classes)

    def _start_side(self, model: nn.Module) -> Float[Tensor, "1"]:
        network, start = window_scratchpad(model), torch.tensor([self._table.start])
        return _margins(network, network.first_context, start, self._table.classes)

    def _make_node(self, model: nn.Module) -> BoundedCoded:
        return make_window_node(model)


def contexts_of(
    table: StateCodes,
    model: WindowScratchpad,
    rows: Int[Tensor, " row"],
    generator: torch.Generator,
) -> Int[Tensor, "row token"]:
    """Return contexts that end with these steps of the table, and begin as words do."""
    field, state, ended = model.config.receptive_field, table.states[rows], rows < 0
    tokens = [table.symbols[rows], model.tokens_of(state)]
    if field > len(tokens):
        edges = table.results.argsort(stable=True)
        degree = torch.bincount(table.results, minlength=len(table.classes))
        first = degree.cumsum(0) - degree
    while len(tokens) < field:
        choices = degree[state] + (state == table.start)
        choice = (torch.rand(len(rows), generator=generator) * choices).long()
        begins = choice >= degree[state]  # there is nothing before the start
        edge = edges[torch.where(begins | ended, 0, first[state] + choice)]
        symbol = torch.where(begins, model.config.vocab_size, table.symbols[edge])
        tokens.append(torch.where(ended, ABSENT, symbol))
        ended = ended | begins
        state = torch.where(ended, state, table.states[edge])
        tokens.append(torch.where(ended, ABSENT, model.tokens_of(state)))
    return torch.stack(tokens[:field][::-1], dim=1)


def state_token_loss(
    model: WindowScratchpad,
    logits: Float[Tensor, "row digit value"],
    states: Int[Tensor, " row"],
    classes: Int[Tensor, " state"],
) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of the digits of states, plus that of their classes."""
    loss = F.cross_entropy(logits.flatten(0, 1), model.digits_of(states).flatten())
    targets = send(classes, states.device)[states]
    return loss + masked_cross_entropy(model.read(model.tokens_of(states)), targets)


def _margins(
    model: WindowScratchpad,
    contexts: Int[Tensor, "row token"],
    states: Int[Tensor, " row"],
    classes: Int[Tensor, " state"],
) -> Float[Tensor, " row"]:
    """Return by how much the right digits and classes lead at least."""
    device = model.embedding.weight.device
    contexts, states = send(contexts, device), send(states, device)
    own_classes = send(classes, device)[states]
    ahead = _ahead(model.logits(contexts), model.digits_of(states)).amin(dim=1)
    lead_of_classes = _ahead(model.read(model.tokens_of(states)), own_classes.clamp(min=0))
    return torch.where(own_classes == IGNORED, ahead, torch.minimum(ahead, lead_of_classes)).clamp(
        max=_FAR
    )


def _ahead(logits: Float[Tensor, "*axes value"], right: Int[Tensor, "*axes"]) -> Tensor:
    """Return by how much the right value leads the best other one; infinite if there is none."""
    index = right[..., None]
    best_other = logits.scatter(-1, index, -torch.inf).amax(dim=-1)
    return logits.gather(-1, index)[..., 0] - best_other


def make_window_node(model: nn.Module) -> WindowNode:
    """Return a scratchpad as proofs see it."""
    return WindowNode(window_scratchpad(model).config.to_dict(), weights_of(model))


def window_scratchpad(model: nn.Module) -> WindowScratchpad:
    """Return a scratchpad with sliding-window attention; `require_kind` refuses others."""
    return require_kind(
        model,
        WindowScratchpad,
        "writes no tokens of states in a window, so it does not learn from them. Use model "
        "scratchpad-window.",
    )
