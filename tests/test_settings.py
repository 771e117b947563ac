"""Settings and catalogues: checked where they are made, with the nearest name for a slip."""

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from lengthwise.errors import ConfigError
from lengthwise.registry import Catalogue
from lengthwise.settings import Config, require_at_least, require_options


@dataclass(frozen=True, kw_only=True, slots=True)
class Example(Config):
    size: int
    rate: float = 0.5
    kind: Literal["a", "b"] = "a"
    name: str | None = None
    fast: bool = False

    def __post_init__(self) -> None:
        require_at_least(self, {"size": 2, "rate": 0})
        require_options(self)


def test_settings_survive_a_round_trip() -> None:
    config = Example(size=3, name="x", fast=True)
    assert Example.from_dict(config.to_dict()) == config
    assert isinstance(Example.from_dict({"size": 2, "rate": 1}).rate, float)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "Example needs a value for size"),
        ({"size": 1}, "size=1 is too small. Use 2 or more"),
        ({"size": 2, "rate": float("inf")}, "rate=inf must be finite"),
        ({"size": 2, "rate": float("nan")}, "rate=nan is too small"),
        ({"size": 2.0}, "size=2.0 must be a whole number"),
        ({"size": True}, "size=True must be a whole number"),
        ({"size": 2, "rate": "fast"}, "rate='fast' must be a number"),
        ({"size": 2, "kind": "c"}, "kind='c' must be one of 'a', 'b'"),
        ({"size": 2, "name": 3}, "name=3 must be a text or none"),
        ({"size": 2, "fast": 1}, "fast=1 must be true or false"),
        ({"size": 2, "sise": 1}, "unknown Example setting 'sise'. Did you mean 'size'?"),
    ],
)
def test_what_does_not_fit_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Example.from_dict(values)


def test_options_are_checked_wherever_settings_are_made() -> None:
    wrong: Any = "c"
    with pytest.raises(ConfigError, match=r"kind='c' is not an option\. Use one of 'a', 'b'\."):
        Example(size=2, kind=wrong)


def test_a_catalogue_lists_its_names_and_guesses_at_others() -> None:
    kinds = Catalogue("kind", {"alpha": 1, "beta": 2})
    assert list(kinds) == ["alpha", "beta"]
    assert (kinds["beta"], len(kinds), "alpha" in kinds) == (2, 2, True)
    with pytest.raises(ConfigError, match=r"unknown kind 'beto'. Did you mean 'beta'\? Known: al"):
        _ = kinds["beto"]


def test_settings_that_differ_from_their_defaults_are_told_apart() -> None:
    assert Example(size=3).non_defaults() == {"size": 3}
    assert Example(size=3, rate=0.5, kind="b").non_defaults() == {"size": 3, "kind": "b"}
