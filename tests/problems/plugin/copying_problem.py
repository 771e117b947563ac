"""A problem of another package, in one file: copy the input. See `Problem`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import torch
from torch import nn
from torch.nn import functional as F

from lengthwise.errors import TaskError, WordError
from lengthwise.models.entry import Architecture, Entry
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.results import Answer, Evaluation, Options, Predictor, Watch
from lengthwise.problems.setup import Setup
from lengthwise.registry import Catalogue
from lengthwise.settings import Config, NoSettings, Parts, Setting
from lengthwise.training.loop import Objective, Step, Validation


@dataclass(frozen=True, kw_only=True, slots=True)
class TableConfig(NetworkConfig):
    """Shape of a table."""

    vocab_size: int
    max_length: int = 8
    """Rows that the table has beside those of the symbols, which nobody reads."""


class Table(nn.Module):
    """A row of logits for each symbol."""

    def __init__(self, config: TableConfig) -> None:
        super().__init__()
        self.rows = nn.Embedding(config.vocab_size + config.max_length, config.vocab_size)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights."""
        with torch.no_grad():
            self.rows.weight.normal_(generator=generator)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits of the symbol at each position."""
        logits: torch.Tensor = self.rows(tokens)
        return logits


@dataclass(frozen=True, kw_only=True, slots=True)
class DigitsConfig(Config):
    """Which inputs are drawn."""

    max_length: Annotated[int, Setting(least=1)] = 6
    """Digits of each input."""
    batch_size: Annotated[int, Setting(least=1)] = 16
    """Inputs of a batch."""


class CopyEverything(Objective):
    """Cross-entropy of the symbol at each position."""

    def __init__(self, digits: int, data: DigitsConfig) -> None:
        self._digits, self._data = digits, data

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Judge random inputs."""
        loss, right = self._judge(model, data)
        return Step(loss, right, self._data.batch_size)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Judge other random inputs."""
        loss, right = self._judge(model, data)
        return Validation(loss=loss.item(), accuracy=right, perfect=right == 1.0)

    def _judge(self, model: nn.Module, draws: torch.Generator) -> tuple[torch.Tensor, float]:
        shape = self._data.batch_size, self._data.max_length
        words = torch.randint(self._digits, shape, generator=draws)
        logits = model(words)
        right = (logits.argmax(dim=-1) == words).all(dim=1).double().mean().item()
        return F.cross_entropy(logits.flatten(0, 1), words.flatten()), right


@dataclass(frozen=True, kw_only=True, slots=True)
class Copying(Problem):
    """Copy digits below a base: `copying:10`."""

    kind = "copying"
    prefix = "copying:"
    noun = "copiers"
    setup = Setup(
        models=Catalogue(
            "model that copies",
            {
                "table": Entry(
                    summary="a table",
                    architecture=Architecture(config=TableConfig, module=Table),
                    training={"steps": 40, "learning_rate": 0.5, "validate_every": 10},
                )
            },
        ),
        default_model="table",
        data=DigitsConfig,
        given=frozenset({"network.vocab_size"}),
        evaluate_options=frozenset({"lengths", "words", "seed"}),
    )

    digits: int

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem of `copying:DIGITS`."""
        digits = spec.removeprefix(cls.prefix)
        if not digits.isdigit() or not 2 <= int(digits) <= 10:
            raise TaskError(f"copying has 2 to 10 digits, but got {digits!r}. Try copying:10.")
        return cls(digits=int(digits))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return a stored problem."""
        return cls(digits=values["digits"])

    def to_dict(self) -> dict[str, Any]:
        """Return the number of digits."""
        return {"digits": self.digits}

    @property
    def name(self) -> str:
        """The specification."""
        return f"{self.prefix}{self.digits}"

    def configure(
        self, model: str, entry: Entry, chosen: Parts, asked: Parts
    ) -> tuple[Config, Config, Config]:
        """Return the settings of the network, which follow from the digits, and of the inputs."""
        network = entry.configure({**chosen["network"], "vocab_size": self.digits})
        return network, DigitsConfig.from_dict(chosen["data"]), NoSettings()

    def objective(self, plan: Plan) -> Objective:
        """Return what is learned."""
        return CopyEverything(self.digits, plan.data)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Return the share of inputs that are copied whole, by length."""
        draws, words = (
            torch.Generator().manual_seed(options.get("seed", 0)),
            options.get("words", 32),
        )
        found = {}
        with watch("copying") as progress, torch.no_grad():
            for length in options.get("lengths", [8, 64]):
                inputs = torch.randint(self.digits, (words, length), generator=draws)
                copied = run.model(inputs).argmax(dim=-1) == inputs
                found[length] = copied.all(dim=1).double().mean().item()
                if progress:
                    progress(len(found), words)
        return Evaluation(
            values={"copied": found, "words": words},
            facts=[("copied", f"{100 * min(found.values()):.2f} % at the worst length")],
        )

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return how a run copies."""

        def read(line: str) -> list[int]:
            if not line.isdigit() or any(int(digit) >= self.digits for digit in line):
                raise WordError(f"{line!r} is not made of digits below {self.digits}.")
            return [int(digit) for digit in line]

        def answer(inputs: Sequence[list[int]]) -> list[Answer]:
            copies = [run.model(torch.tensor([each])).argmax(dim=-1)[0].tolist() for each in inputs]
            shown = ["".join(map(str, copy)) for copy in copies]
            return [Answer(shown=each, record={"copy": each}) for each in shown]

        return Predictor(read=read, answer=answer)
