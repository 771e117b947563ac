"""What would decide each statement that is open: a command, and about how long it takes."""

from collections.abc import Mapping
from typing import NamedTuple


class Remaining(NamedTuple):
    """The runs that are missing."""

    arguments: str
    """Those of `lengthwise reproduce`."""
    hours: float
    """A rough number, as machines differ."""
    of: str = "core"
    """What is used for so long."""

    @property
    def text(self) -> str:
        """Say what to run."""
        return f"To decide it: `lengthwise reproduce {self.arguments}`, {self.time}."

    @property
    def time(self) -> str:
        """Return the hours in words."""
        if self.hours < 1:
            return f"about {60 * self.hours:.0f} minutes of a {self.of}"
        return f"about {self.hours:,g} hour{'s' * (self.hours != 1)} of a {self.of}"


_HARD = "chi2023/table1 --preset paper --only modular-arithmetic --only"
_TEXT = "chi2023/table3 --only books --seeds 1,2"
_GPT_2 = "steps2022/table2 --preset paper --only"

OPEN: Mapping[tuple[str, str], Remaining] = {
    (
        "chi2023/table1",
        "RegularGPT C=2 reaches the printed best and mean in Modular Arithmetic",
    ): Remaining(f'{_HARD} "C=2, seed"', 45),
    (
        "chi2023/table1",
        "RegularGPT C=3 reaches the printed best and mean in Modular Arithmetic",
    ): Remaining(f'{_HARD} "C=3, seed"', 45),
    ("chi2023/table1", "a larger C makes Modular Arithmetic hard to learn"): Remaining(
        f'{_HARD} "C=3, seed"', 45
    ),
    (
        "chi2023/table2",
        "a Transformer is poor at 40 symbols, too, where P(1) = 0.9 (below 77 + 5)",
    ): Remaining('chi2023/table2 --only transformer --only "P(1) = 0.9" --seeds 1,2', 1.2),
    ("chi2023/table3", "and explodes beyond"): Remaining(_TEXT, 18),
    ("chi2023/table3", "and explodes beyond (20,000 steps)"): Remaining(
        'chi2023/table3 --only "16 / 2, 20,000 steps" --seeds 1,2', 4
    ),
    ("chi2023/table3", "twice the thickness is better, at every length"): Remaining(_TEXT, 18),
    (
        "chi2023/table3",
        "with C = 256 performance deteriorates beyond the training length (1.1 times and more)",
    ): Remaining('chi2023/table3 --preset paper --only "256 / 6"', 12, "GPU"),
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from weak supervision (below 0.5)",
    ): Remaining("steps2022/table1 --preset paper --only weak", 500),
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from medium supervision (below 0.05)",
    ): Remaining("steps2022/table1 --preset paper --only medium", 1000),
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, frozen)",
    ): Remaining(f'{_GPT_2} strong --only "pretrained, frozen"', 40, "GPU"),
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as printed (pretrained, frozen)",
    ): Remaining(f'{_GPT_2} "weak, n = 8, pretrained, frozen"', 1.5, "GPU"),
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, positions trained)",
    ): Remaining(f'{_GPT_2} strong --only "positions trained"', 40, "GPU"),
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as printed (pretrained, positions trained)",
    ): Remaining(f'{_GPT_2} "weak, n = 8, pretrained, positions trained"', 1.5, "GPU"),
    (
        "steps2022/table2",
        "from n = 16 on the body learns addition from no other supervision (pretrained, positions "
        "trained)",
    ): Remaining(f'{_GPT_2} "positions trained"', 120, "GPU"),
    (
        "steps2022/figure3",
        "the best is reached with sinusoidal positions (each kind is trained in its own way)",
    ): Remaining('steps2022/figure3 --only "strong, n = 24" --seeds 1,2', 2.5),
    ("steps2022/figure4", "1,000 examples suffice for the best, except at n = 40 (to 0.01)"): (
        Remaining('steps2022/figure4 --only strong --only "1,000 examples" --seeds 1,2', 0.7)
    ),
}
"""By command and statement, as the table of verdicts has them."""
