"""Settings and catalogues: checked where they are made, with the nearest name for a slip."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from lengthwise.errors import ConfigError
from lengthwise.layers.attention import SCALES
from lengthwise.problems.reference import settings_reference
from lengthwise.problems.registry import kind_of
from lengthwise.registry import Catalogue
from lengthwise.settings import Config, Setting, sort_settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Example(Config):
    size: Annotated[int, Setting(least=2)]
    rate: Annotated[float, Setting(least=0)] = 0.5
    most: float | None = None
    kind: Literal["a", "b"] = "a"
    name: str | None = None
    fast: bool = False


def test_settings_survive_a_round_trip() -> None:
    config = Example(size=3, name="x", fast=True)
    assert Example.from_dict(config.to_dict()) == config
    assert isinstance(Example.from_dict({"size": 2, "rate": 1}).rate, float)


def test_none_and_numbers_of_numpy_are_understood() -> None:
    found = Example.from_dict({"size": np.int64(3), "rate": np.float32(0.5), "most": "none"})
    assert found == Example(size=3)
    assert (type(found.size), type(found.rate)) == (int, float)
    assert type(Example.from_dict({"size": 2, "most": np.float64(1.0)}).most) is float
    assert type(Example.from_dict({"size": 2, "most": 1}).most) is float
    assert Example.from_dict({"size": 2, "name": "none"}).name == "none", "a text stays one"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": np.float64(2.0)}, "must be an integer"),
        ({"size": 2, "rate": "none"}, "rate='none' must be a number"),
        ({}, "Example needs a value for size"),
        ({"size": 1}, "size=1 is too small. Use 2 or more"),
        ({"size": 2, "rate": float("inf")}, "rate=inf must be finite"),
        ({"size": 2, "rate": float("nan")}, "rate=nan is too small"),
        ({"size": 2.0}, "size=2.0 must be an integer"),
        ({"size": True}, "size=True must be an integer"),
        ({"size": 2, "rate": "fast"}, "rate='fast' must be a number"),
        ({"size": 2, "kind": "c"}, "kind='c' must be one of 'a', 'b'"),
        ({"size": 2, "name": 3}, "name=3 must be a string or none"),
        ({"size": 2, "fast": 1}, "fast=1 must be true or false"),
        ({"size": 2, "sise": 1}, "unknown setting 'sise'. Did you mean 'size'?"),
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


def test_the_reference_lists_the_names_that_a_setting_takes() -> None:
    found = settings_reference(
        kind_of("parity"), "chomsky-transformer", preset="smoke", spec="parity"
    )
    kinds = {each.name: each.kind for each in found}
    assert kinds["network.position"].startswith("one of 'none', 'learned', ")
    assert {repr(name) for name in SCALES} == {*kinds["network.scale"][7:].split(", ")}
    assert kinds["network.norm"] == "one of 'post', 'pre', 'none'"


def test_settings_that_differ_from_their_defaults_are_told_apart() -> None:
    assert Example(size=3).non_defaults() == {"size": 3}
    assert Example(size=3, rate=0.5, kind="b").non_defaults() == {"size": 3, "kind": "b"}


SECTIONS = {"network": {"d_model", "max_length"}, "data": {"max_length", "words"}}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"d_model": 3}, {"network": {"d_model": 3}, "data": {}}),
        ({"data.words": 3}, {"network": {}, "data": {"words": 3}}),
        (
            {"network": {"max_length": 1}, "words": 2},
            {"network": {"max_length": 1}, "data": {"words": 2}},
        ),
        ({"max_length": 4}, {"network": {}, "data": {"max_length": 4}}),
    ],
)
def test_settings_find_their_sections(given: dict[str, Any], found: dict[str, Any]) -> None:
    assert sort_settings(given, SECTIONS, derived={"network.max_length"}) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_modle": 1}, "unknown setting 'd_modle'. Did you mean 'd_model'?"),
        ({"data.d_model": 1}, "data has no setting 'd_model', but there is network.d_model. Give"),
        ({"date.words": 1}, "unknown section of settings 'date'. Did you mean 'data'?"),
        ({"data.word": 1}, "unknown setting of data 'word'. Did you mean 'words'?"),
        ({"max_length": 1}, "'max_length' could be network.max_length or data.max_length. Give"),
        ({"words": 1, "data.words": 2}, "words is also given as data.words. Give it once."),
        ({"network": {"words": 2}}, "network has no setting 'words', but there is data.words."),
    ],
)
def test_settings_at_the_wrong_level_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        sort_settings(given, SECTIONS)
    assert message in str(refusal.value)


def test_defaults_that_belong_nowhere_are_left_out_and_others_are_the_packages() -> None:
    """The argument of a network of one's own may be named like a setting of the package."""
    given = {"d_model": 3, "chunk_size": 2, "max_length": 9}
    found = sort_settings(given, SECTIONS, strict=False)
    assert found == {"network": {"d_model": 3}, "data": {"max_length": 9}}
