"""How certain a proof is: distances from a change, and bounds on rounding, for certificates."""

import math
from dataclasses import dataclass
from typing import Protocol, Self


class Extremes(Protocol):
    """The smallest margins over all numbers of one kind that were computed."""

    distance: float
    """Smallest distance of a number from its threshold."""
    radius: float
    """Largest distance by which rounding could move one."""
    room: float
    """Smallest distance minus its own radius."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundingMargins:
    """Distances of signs and answers from a change, and bounds on rounding.

    Where tokens are written, a sign is the choice of one: the largest logit against another. None
    stands for a number that is not finite, such as an infinite bound.
    """

    sign_distance: float | None
    """Smallest distance from 0 of a number before the sign, over all reachable chunks."""
    sign_radius: float | None
    """Largest bound on the effect of rounding on such a number, for any order of additions."""
    answer_distance: float | None
    """Smallest distance of the largest logit from the next."""
    answer_radius: float | None
    """Largest bound on the effect of rounding on such a distance."""
    measured: float | None
    """Largest measured difference between the model as it runs and float64, over batches of several
    sizes and numbers of threads; None if the model was not run.
    """
    room: float | None
    """Smallest distance from 0 of a number before the sign minus its own bound; above 0, all signs
    are certain."""
    is_certain: bool
    """Whether every distance is larger than its own radius."""

    @classmethod
    def of(cls, signs: Extremes, answers: Extremes, measured: float | None = None) -> Self:
        """Return the margins of signs and answers that were computed."""
        return cls(
            sign_distance=finite(signs.distance),
            sign_radius=finite(signs.radius),
            answer_distance=finite(answers.distance),
            answer_radius=finite(answers.radius),
            measured=None if measured is None else finite(measured),
            room=finite(signs.room),
            is_certain=signs.room > 0 and answers.room > 0,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SnapDistances:
    """How well the classes of snapped vectors are separated."""

    spread: float
    """Largest distance of a vector from the representative that it is snapped to."""
    gap: float | None
    """Smallest distance of a vector from any other representative; None if there is no other."""


def finite(number: float) -> float | None:
    """Return a number, or None for one that is not finite, as margins have it."""
    return number if math.isfinite(number) else None
