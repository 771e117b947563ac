r"""RegularGPT whose nodes are slots of bits, one for each state of an automaton.

A node stands for a sub-word, that is, for the map from the state before it to the state after it.
Slot q of a node holds the code of the state to which the sub-word leads state q. Two nodes become
one by attention from slots to slots: slot q of the left node looks, with a query made of its bits,
at the slots of the right node, whose keys are learned and depend on nothing but the slot,

$$w_q = \mathrm{softmax}(K\, Q(x_q) / \sqrt d), \qquad
  y_q = \mathrm{sign}\Bigl(W \sum_r w_{qr}\, x'_r + b\Bigr),$$

with x the signs of the left node, x' those of the right one, and Q a feed-forward network. A chunk
of C nodes is composed from left to right. The pad is a node of its own, which should be the
identity. The answer is read from the code that a start code finds in the root.

Whatever the other slots hold, slot q of the result should depend on slot q of the left node and on
the one slot of the right node to which it points. `proofs.check.slot_node` bounds how far that is
so, which proves the network right for automata whose monoid is too large to enumerate.

Axes:
    node  nodes
    slot  slots of a node, one for each state
    bit   bits of a slot
    code  all values of a slot
"""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.device_copies import send
from lengthwise.layers.chunks import ChunkLevel, Tree, depth, grow, grow_prefixes
from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words
from lengthwise.models.state_slots_config import (
    StateSlotsConfig as StateSlotsConfig,  # noqa: PLC0414  re-exported
)

Nodes = Int[Tensor, "node slot"]
"""The value of each slot, whose binary digits are its bits, the first one the lowest."""
Children = Int[Tensor, "node chunk"]

_MOST_WEIGHTS = 2**24
"""Greatest number of attention weights that are held at once."""


class StateSlots(nn.Module):
    """Right-aligned words to the logits of their classes, by a tree of maps of states."""

    def __init__(self, config: StateSlotsConfig) -> None:
        super().__init__()
        self.config = config
        slots, bits, width = config.num_slots, config.num_bits, config.d_model
        self.symbols = nn.Parameter(torch.empty(config.vocab_size, slots, bits))
        self.pad = nn.Parameter(torch.empty(slots, bits))
        self.start = nn.Parameter(torch.empty(bits))
        self.expand = nn.Linear(bits, config.hidden)
        self.query = nn.Linear(config.hidden, width)
        self.keys = nn.Parameter(torch.empty(slots, width))
        self.write = nn.Linear(bits, bits)
        self.inner = nn.Linear(bits, config.hidden)
        self.answer = nn.Linear(config.hidden, config.num_classes)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1) for keys and numbers of symbols, Xavier uniform elsewhere."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if "." not in name:
                    parameter.normal_(generator=generator)
                elif parameter.ndim < 2:
                    parameter.zero_()
                else:
                    nn.init.xavier_uniform_(parameter, generator=generator)

    # ---- the functions that everything else is made of -----------------------------------------

    def signs(self, values: Int[Tensor, "*axes"]) -> Float[Tensor, "*axes bit"]:
        """Return the bits of values of slots, as 1 and -1."""
        places = torch.arange(self.config.num_bits, device=values.device)
        ones = values[..., None].long() >> places & 1
        return torch.where(ones == 1, 1.0, -1.0).to(self.keys.dtype)

    def scores(self, values: Int[Tensor, " code"]) -> Float[Tensor, "code slot"]:
        """Return the attention logits with which slots of these values look at other slots."""
        queries = self.query(self.expand(self.signs(values)).relu()) * self.config.d_model**-0.5
        return queries @ self.keys.t()

    def weights(self, values: Int[Tensor, " code"]) -> Float[Tensor, "code slot"]:
        """Return the attention weights of slots of these values."""
        return self.scores(values).softmax(dim=-1)

    def numbers(
        self, weights: Float[Tensor, "node row slot"], right: Float[Tensor, "node slot bit"]
    ) -> Float[Tensor, "node row bit"]:
        """Return the numbers whose signs are the bits, for rows of weights over slots of nodes."""
        return self.write(weights @ right)

    def leaves(self) -> Nodes:
        """Return the nodes of the symbols, and the pad after them."""
        return _values(torch.cat([self.symbols, self.pad[None]]))

    def read(self, states: Int[Tensor, " word"]) -> ClassLogits:
        """Return the logits of the classes of states, given by the values of their codes."""
        return self.answer(self.inner(self.signs(states)).relu())

    # ---- words -----------------------------------------------------------------------------------

    @torch.no_grad()
    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        Nothing is random here, so `generator` is left alone. Signs have no gradient: training
        looks at single compositions (`objectives.maps`).

        Raises:
            WordError: a word has a symbol that is none, or does not fit into its row.
        """
        table = self.weights(torch.arange(2**self.config.num_bits, device=tokens.device))
        *symbols, pad = self.leaves()
        below = torch.stack(symbols)
        levels: list[Nodes] = []

        def visit(level: ChunkLevel) -> Tensor:
            nonlocal below
            nodes = self._compose(table, torch.cat([pad[None], below])[level.children + 1])
            levels.append(nodes)
            below, number = torch.unique(nodes, dim=0, return_inverse=True)
            return number

        config = self.config
        tree = grow(tokens, lengths, config.vocab_size, config.chunk_size, merge=visit)
        roots = self.signs(_roots(tree, levels))
        start = table[_values(self.start).long()].expand(len(roots), 1, -1)
        return self.read(_values(self.numbers(start, roots))[:, 0])

    @torch.no_grad()
    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`.

        Nothing is random here, so `generator` is left alone.
        """
        config = self.config
        table = self.weights(torch.arange(2**config.num_bits, device=tokens.device))
        *symbols, pad = self.leaves()
        below = torch.stack(symbols)
        start = table[_values(self.start).long()]

        def merge(children: Children) -> Tensor:
            nonlocal below
            nodes = self._compose(table, torch.cat([pad[None], below])[children + 1])
            below, number = torch.unique(nodes, dim=0, return_inverse=True)
            return number

        result = self.keys.new_zeros(*tokens.shape, config.num_classes)
        if not tokens.numel():
            return result
        levels = grow_prefixes(tokens, config.vocab_size, config.chunk_size, merge)
        for nodes, ends in levels:
            numbers = self.numbers(start.expand(len(below), 1, -1), self.signs(below))
            logits = self.read(_values(numbers)[:, 0])
            result[:, ends] = logits[nodes[:, ends]]
        return result

    def read_for_cost(self, tokens: FullWords) -> ClassLogits:
        """Answer words of one length, as `forward` does."""
        return self(tokens)

    def steps(self, length: int) -> int:
        """Return the number of levels in sequence: max(1, ceil(log_C T)) for T symbols."""
        return depth(length, self.config.chunk_size)

    def _compose(
        self, table: Float[Tensor, "code slot"], chunks: Int[Tensor, "node chunk slot"]
    ) -> Nodes:
        """Return the nodes of chunks, whose parts are composed from left to right."""
        together = max(1, _MOST_WEIGHTS // self.config.num_slots**2)
        done = []
        for part in torch.split(chunks, together):
            left, *rest = part.unbind(dim=1)
            for right in rest:
                left = _values(self.numbers(table[left.long()], self.signs(right)))
            done.append(left)
        return torch.cat(done)


def _values(numbers: Float[Tensor, "*axes bit"]) -> Int[Tensor, "*axes"]:
    """Return the values of slots whose bits are the signs of these numbers."""
    places = torch.arange(numbers.shape[-1], device=numbers.device)
    return ((numbers >= 0).long() << places).sum(dim=-1).to(torch.int16)


def _roots(tree: Tree, nodes: list[Int[Tensor, "_ slot"]]) -> Int[Tensor, "word slot"]:
    sizes = torch.tensor([0, *(len(level) for level in nodes[:-1])])
    first = send(sizes.cumsum(0), tree.root.device)
    return torch.cat(nodes)[first[tree.root_level] + tree.root]
