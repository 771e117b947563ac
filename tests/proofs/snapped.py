"""Recurrences with a state of numbers, and what they answer once it is snapped."""

from typing import Any
from unittest import mock

import torch
from torch import Tensor

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.recurrent import Recurrent, RecurrentConfig
from lengthwise.models.stepping import CellSteps, Steps
from lengthwise.proofs.check.arrays import unpack
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.state_snapping import StateSnapping
from lengthwise.proofs.search.state_tables import Domain, tabulate_states


def parity_network(num_classes: int = 2, gain: float = 4.0) -> Recurrent:
    """Elman's network for parity: of p + x, one unit is the OR, the other the AND."""
    config = RecurrentConfig(vocab_size=2, num_classes=num_classes, cell="elman", d_model=2)
    network = Recurrent(config)
    parity = torch.tensor([0.5, -0.5])
    with torch.no_grad():
        for weight in network.parameters():
            weight.zero_()
        weights = dict(network.named_parameters())
        weights["cell.weight_hh_l0"].copy_(gain * torch.stack([parity, parity]))
        weights["cell.weight_ih_l0"][:, 1] = gain
        weights["cell.bias_ih_l0"].copy_(gain * torch.tensor([-0.5, -1.5]))
        network.answer.weight[:2].copy_(torch.stack([-parity, parity]))
        network.answer.bias[:2].copy_(torch.tensor([0.5, -0.5]))
        network.answer.bias[2:] = -10.0
    return network.eval()


def random_network(
    cell: Any, layers: int, width: int, seed: int, dtype: torch.dtype, *, num_symbols: int = 3
) -> Recurrent:
    config = RecurrentConfig(
        vocab_size=num_symbols, num_classes=2, cell=cell, d_model=width, num_layers=layers
    )
    network = Recurrent(config).to(dtype)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            weight.normal_(0.0, 1.0, generator=generator)
    return network.eval()


def plain_steps(network: Recurrent) -> Steps:
    sizes: dict[str, Any] = {
        "num_symbols": network.config.vocab_size,
        "num_classes": network.config.num_classes,
    }
    return Steps(CellSteps(network, [network.cell]), **sizes, name="Recurrent")


def classes_by_definition(certificate: Certificate, words: list[tuple[int, ...]]) -> list[int]:
    """The classes of words of one length: torch's own network, snapped after every symbol."""
    config = RecurrentConfig.from_dict(certificate.settings)
    network = Recurrent(config).double()
    network.load_state_dict({n: torch.tensor(w).double() for n, w in certificate.weights.items()})
    steps = plain_steps(network.eval())
    representatives = torch.from_numpy(unpack(certificate.elements["representatives"]))
    logits, state = steps.start()
    logits, state = logits.repeat(len(words), 1), state.repeat(len(words), 1)
    for column in torch.tensor(words, dtype=torch.long).unbind(dim=1):
        logits, state = steps.step(state, column)
        state = representatives[torch.cdist(state, representatives).argmin(dim=1)]
    answers: list[int] = logits.argmax(dim=1).tolist()
    return answers


def certify_states(network: Recurrent, representatives: Tensor, language: Language) -> Certificate:
    """A certificate of a network that is snapped to given representatives."""
    table = tabulate_states(plain_steps(network), representatives, 0.0, Domain.of(language))
    snapping = StateSnapping(
        snapped=table,
        verdict="not-closed",
        wrong=None,
        chosen_by="validation",
        tried=(),
        validation_words=0,
        validation_right=0,
    )
    with mock.patch("lengthwise.proofs.search.certify.snap_recurrence", return_value=snapping):
        return certify(network, language)


def parity_states(spec: str) -> Certificate:
    """A certificate of `parity_network` with states of 0, 1 and -1, which no machine rounds."""
    states = torch.tensor([[0.0, 0.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]])
    return certify_states(parity_network(), states, parse(spec))


def automaton_of_states(
    cell: Any, seed: int, *, layers: int = 1, dtype: torch.dtype = torch.float64
) -> tuple[Recurrent, Tensor, Language]:
    """A random network over two symbols, representatives, and the automaton of both."""
    network = random_network(cell, layers, 4, seed, dtype, num_symbols=2)
    steps = plain_steps(network)
    words = torch.randint(2, (7, 6), generator=torch.Generator().manual_seed(seed)).tolist()
    representatives = torch.cat([steps.start()[1], steps.read(words)[1]])
    blank = Language(alphabet=("a", "b"), transitions=((1, 0), (0, 1)), classes=(0, 1), start=0)
    return network, representatives, tabulate_states(steps, representatives, 0.0).automaton(blank)
