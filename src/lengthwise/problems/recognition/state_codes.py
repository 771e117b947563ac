"""Codebook supervision of recurrent networks: the table of an automaton's steps in given codes.

A step of the network is a function of a code and a symbol. Every state of the language's minimal
automaton has its code (`make_state_codes`), so the network learns one table, with the loss on the
signs of the results, and no word is ever drawn. Steps that a validation finds wrong or unsure are
drawn more often until the next one.

Validation is perfect when exploration (`verification.exploration`) proves the model right on words
of every length.
"""

from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.problems.classification import in_precision, validate_answers
from lengthwise.problems.recognition.codebook import SURE, sign_loss
from lengthwise.problems.recognition.objectives import WordLengths, masked_cross_entropy
from lengthwise.problems.recognition.settings import SupervisionConfig, WordsConfig
from lengthwise.tasks.state_codes import MAX_STEPS, make_state_codes
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation
from lengthwise.verification.codes import CodeRecurrence, RecurrentCodes
from lengthwise.verification.exploration import explore
from lengthwise.verification.network import weights_of
from lengthwise.verification.recurrent_node import RecurrentNode

_SHARE = 2
"""One of this many steps is drawn from those that were found wrong or unsure."""

_TOGETHER = 4096
"""Number of steps that are computed at once."""


class StateCodeSupervision(Objective):
    """The loss on the signs of the code after every step, and on the class of every state.

    `batch_size` steps of the automaton are drawn, or all of them if there are no more. A proof is
    about the model in its final precision.
    """

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        settings: SupervisionConfig,
        *,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        self._task = task
        self._words = words
        self._settings = settings
        self._precision = precision
        self._lengths = WordLengths(task, words)
        longest = None if settings.chunk_lengths == "all" else words.max_length
        self._table = make_state_codes(task.language, longest)
        self._replay: Int[Tensor, " step"] | None = None

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the softplus loss of signs, summed over bits, plus the loss of classes."""
        network = recurrent(model)
        if self._replay is None:  # depends on the weights only, so a resumed run has the same
            self._replay = self._judge(network)[1]
        count, size = len(self._table.states), self._words.batch_size
        rows = torch.arange(count)
        if count > size:
            rows = torch.randint(count, (size,), generator=data)
            if len(self._replay):
                again = torch.randint(len(self._replay), (size // _SHARE,), generator=data)
                rows[: size // _SHARE] = self._replay[again]
        sides, logits, classes = self._sides(network, rows, noise)
        start = self._start_sides(network, noise)
        loss = sign_loss(torch.cat([sides, start]))
        loss = loss + masked_cross_entropy(logits, classes)
        right = (sides > 0).all(dim=1).double().mean().item()
        return Step(loss, right, len(sides))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if exploration closes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        network = recurrent(model)
        figures, self._replay = self._judge(network)
        figures["proved"] = not figures["wrong"] and self._is_proved(network)
        return Validation(answers.loss, answers.accuracy, figures["proved"], more=figures)

    @torch.no_grad()
    def _judge(self, model: BinaryRecurrent) -> tuple[dict[str, Any], Int[Tensor, " step"]]:
        """Return the errors in the whole table, and the steps that are to be drawn more often."""
        nearest = [
            self._sides(model, rows, None)[0].amin(dim=1).cpu()
            for rows in torch.split(torch.arange(len(self._table.states)), _TOGETHER)
        ]
        sides = torch.cat([self._start_sides(model, None).amin(dim=1).cpu(), *nearest])
        figures = {
            "chunks": len(sides),
            "wrong": int((sides <= 0).sum()),
            "room": round(sides.min().item(), 4),
        }
        replayed = (sides[1:] < SURE).nonzero()[:, 0]
        return figures, replayed if self._settings.replay else replayed[:0]

    def _is_proved(self, model: BinaryRecurrent) -> bool:
        kept = in_precision(model, self._precision)
        codes = RecurrentCodes(RecurrentNode(kept.config.to_dict(), weights_of(kept)))
        closure = explore(CodeRecurrence(codes), self._task.language, max_chunks=4 * MAX_STEPS)
        return closure.is_closed and codes.is_certain

    def _sides(
        self, model: BinaryRecurrent, rows: Int[Tensor, " row"], noise: torch.Generator | None
    ) -> tuple[Float[Tensor, "row bit"], Float[Tensor, "state class"], Int[Tensor, " state"]]:
        """Return how far each number is from 0 on the right side, and the logits of the states
        before the steps with their classes."""
        table, device = self._table, model.start.device
        states, row = torch.unique(table.states[rows], return_inverse=True)
        vectors = model.memory.recall(table.codes[states].to(device))
        after = model.cell(vectors[row.to(device)], table.symbols[rows].to(device))
        wanted = table.codes[table.results[rows]].to(device)
        numbers = _on_side(model, after, wanted, noise)
        ends, own = torch.unique(table.results[rows]), table.classes
        read = torch.cat([vectors, model.memory.recall(table.codes[ends].to(device))])
        return numbers, model.read(read), torch.cat([own[states], own[ends]])

    def _start_sides(
        self, model: BinaryRecurrent, noise: torch.Generator | None
    ) -> Float[Tensor, "1 bit"]:
        start = self._table.codes[self._table.start][None].to(model.start.device)
        return _on_side(model, model.start[None], start, noise)


def _on_side(
    model: BinaryRecurrent,
    vectors: Float[Tensor, "row width"],
    codes: Bool[Tensor, "row bit"],
    noise: torch.Generator | None,
) -> Float[Tensor, "row bit"]:
    numbers = model.memory.numbers(vectors)
    if noise is not None and model.memory.noise:
        drawn = torch.randn(numbers.shape, generator=noise, device=numbers.device)
        numbers = numbers + model.memory.noise * drawn
    return torch.where(codes, numbers, -numbers)


def recurrent(model: nn.Module) -> BinaryRecurrent:
    """Return a recurrent network with binary memory.

    Raises:
        ConfigError: the model is another.
    """
    if not isinstance(model, BinaryRecurrent):
        raise ConfigError(
            f"{type(model).__name__} keeps no code after each symbol, so it does not learn from "
            f"codes of states. Use model gru-binary or elman-binary."
        )
    return model
