r"""Weights for any language whose proof asks about pairs of states alone, whatever the monoid is.

Idea. A node of the tree (`models.state_slots`) has a slot for each state q of the minimal
automaton, which holds the code of the state that its sub-word leads q to: the binary digits of the
number of the state, as signs. A slot of the left node looks at the one slot of the right node whose
number it holds, and copies its content, so two nodes become the composition of their maps.

Weights. Let c(q) be the signs of state q, m their number, and d the width of keys, a power of 4.
Slot q of a symbol a is c(δ(q, a)), that of the pad c(q), and the start code is that of the start
state. The key of slot r is c(r). The query of a code x is 16 sqrt(d) x, through units relu(x_i) and
relu(-x_i), so that the logit of slot r is

    16 x·c(r) = 16 (m - 2 h),     with h the number of signs in which x and c(r) differ.

`write` is the identity. The answer has a unit for each state, relu(x·c(q) - m + 1), which is 1
where x = c(q) and else 0, since x·c(q) is then m - 2 or less; it adds 16 to the class of q.

Exactness. Slots that differ in h signs are behind by 32 h, so all others have together at most
(1 + exp(-32))^m - 1 < 2e-13 of the weight, for m <= 12. What is written is within 4e-13 of the
signs of the one slot, and 4 units of rounding, so it has their signs. Logits are multiples of 16 of
at most 192, and sums of the answer are integers of at most 25, or 16: exact in every floating-point
format. So nodes are exactly those of the automaton, at every length, and the margin is 16. QED

`certify` proves it from the weights (`proofs.search.structure`): n^2 pairs of states stand for all
nodes. The proof of a tree of integers (`automata`) enumerates what sub-words do, which are up
to n^n things.
"""

from dataclasses import dataclass

import torch

from lengthwise.constructions.automata import MAX_PARAMETERS, SURE, require_chunk
from lengthwise.constructions.weights import count_parameters, zero_weights
from lengthwise.errors import ConstructionError
from lengthwise.languages.language import Language
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.state_slots_config import MOST_BITS, StateSlotsConfig, bits_for

_AHEAD = 16.0
"""Half the distance of logits for each sign."""


@dataclass(frozen=True, kw_only=True)
class SlotsDesign:
    """The size of a network before it is built."""

    machine: Language
    """The minimal automaton over all words."""
    config: StateSlotsConfig
    num_parameters: int

    @property
    def summary(self) -> str:
        """The size as a line of text."""
        config = self.config
        return (
            f"a slot of {config.num_bits} bits for each of {config.num_slots:,} states, chunk "
            f"{config.chunk_size}: {self.num_parameters:,} parameters"
        )


def design_slots(language: Language, *, chunk_size: int = 2) -> SlotsDesign:
    """Compute the size of the network that `build_slots` builds.

    Raises:
        ConstructionError: the automaton has too many states, the network more than
            `MAX_PARAMETERS`, or the chunk is out of range.
    """
    require_chunk(chunk_size)
    machine = language.total().minimise()
    bits = bits_for(machine.num_states)
    if bits > MOST_BITS:
        raise ConstructionError(
            f"slots hold the numbers of at most {2**MOST_BITS:,} states, but "
            f"{language.spec or 'the language'} has {machine.num_states:,} when minimised. Use a "
            f"smaller language."
        )
    config = StateSlotsConfig(
        vocab_size=machine.num_symbols,
        num_classes=language.num_classes,
        num_slots=machine.num_states,
        num_bits=bits,
        chunk_size=chunk_size,
        d_model=4 if bits <= 4 else 16,
        d_hidden=max(2 * bits, machine.num_states),
    )
    design = SlotsDesign(
        machine=machine, config=config, num_parameters=count_parameters(StateSlots, config)
    )
    if design.num_parameters > MAX_PARAMETERS:
        raise ConstructionError(
            f"at most {MAX_PARAMETERS:,} parameters are built, but this needs {design.summary}. "
            f"Use a smaller language."
        )
    return design


@torch.no_grad()
def build_slots(design: SlotsDesign) -> StateSlots:
    """Build the network of a design, in float64."""
    machine, config = design.machine, design.config
    model = StateSlots(config)
    zero_weights(model)
    bits, states = torch.arange(config.num_bits), torch.arange(config.num_slots)
    codes = model.signs(states)
    model.symbols.copy_(codes[torch.tensor(machine.transitions).T])
    model.pad.copy_(codes)
    model.start.copy_(codes[machine.start])
    model.expand.weight[bits, bits] = 1.0
    model.expand.weight[config.num_bits + bits, bits] = -1.0
    sharpness = _AHEAD * config.d_model**0.5
    model.query.weight[bits, bits] = sharpness
    model.query.weight[bits, config.num_bits + bits] = -sharpness
    model.keys[:, bits] = codes
    model.write.weight[bits, bits] = 1.0
    model.inner.weight[states] = codes
    model.inner.bias[states] = 1.0 - config.num_bits
    for state, number in enumerate(machine.classes):
        if number < config.num_classes:  # the others are outside the domain
            model.answer.weight[number, state] = SURE
    return model
