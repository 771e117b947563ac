"""Whatever is in the catalogue can be made, keeps its claim, and refuses other settings."""

import inspect
import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions.construction import Computed
from lengthwise.constructions.defaults import PRECISIONS
from lengthwise.constructions.known_constructions import (
    ADDITIONS,
    CONSTRUCTIONS,
    MAX_MEASURED,
    claim_of,
    construct,
    is_construction,
    names,
)
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConfigError, ConstructionError, LengthwiseError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.recognisers import ARCHITECTURES

AUTOMATA = ("parity", "tomita-2", "group:S3", "modular-arithmetic-left-to-right", "regex:(0|10*1)*")
RUNGS_OF: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "tomita-2 as slots": ("tomita-2", {"rung": "slots"}),
    "tomita-2 as scan": ("tomita-2", {"rung": "scan"}),
    "tomita-4 as ltl": ("tomita-4", {"rung": "ltl"}),
    "d-2 as c-rasp": ("d-2", {"rung": "c-rasp", "longest": 20}),
    "tomita-6 as cascade": ("tomita-6", {"rung": "cascade", "longest": 20}),
    "ltl:Y (a S b)": ("ltl:Y (a S b)", {"rung": "ltl", "attention": "rightmost"}),
}
"""Languages on other rungs than the usual one."""

ALL = (*CONSTRUCTIONS, *ADDITIONS, *AUTOMATA, *RUNGS_OF)


def small(name: str, **settings: Any) -> Computed:
    if name in RUNGS_OF:
        spec, own = RUNGS_OF[name]
        return construct(spec, {**own, **settings})
    return construct(name, {"bits": 2, **settings} if name in ADDITIONS else settings)


def on_its_rung(made: Computed) -> dict[str, Any]:
    return {key: value for key, value in made.settings.items() if key == "rung"}


@pytest.fixture(params=ALL, scope="module")
def construction(request: pytest.FixtureRequest) -> Computed:
    return small(request.param)


@pytest.mark.slow_except(
    "chiang2022/first",
    "chiang2022/first-flawed",
    "chiang2022/first-flawed-scaled",
    "chiang2022/first-norm",
    "chiang2022/first-scaled",
    "chiang2022/first-scaled-norm",
    "ltl:Y (a S b)",
    "modular-arithmetic-left-to-right",
    "steps2022/addition-1",
    "steps2022/addition-2",
)
def test_its_claim_holds(construction: Computed) -> None:
    found = verify_construction(construction, longest=14, all_words=64, words_per_length=4)
    assert found.holds, found
    assert all(found.precisions[name].claimed for name in construction.range)


def test_it_says_what_it_is(construction: Computed) -> None:
    assert construction.claim
    assert construction.source
    assert set(construction.range) <= set(PRECISIONS)
    assert "float64" in construction.range
    assert all(name in construction.range_in_words() for name in construction.range)
    assert construction.num_parameters == sum(p.numel() for p in construction.model.parameters())
    architecture = ARCHITECTURES[construction.architecture]
    assert isinstance(construction.model.config, architecture.config)
    assert {p.dtype for p in construction.model.parameters()} == {torch.float64}
    assert not construction.model.training


@pytest.mark.slow_for("chiang2022/parity", "group:S3", "regex:(0|10*1)*")
def test_it_is_made_from_its_own_settings_again(construction: Computed) -> None:
    again = construct(construction.name, construction.settings)
    assert again.settings == construction.settings
    assert again.range == construction.range
    ours, theirs = construction.model.state_dict(), again.model.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_it_is_an_ordinary_model(construction: Computed) -> None:
    """`predict` and a plain run of the definition agree."""
    about = construction.about
    if isinstance(about, GateSequence):
        prefix = torch.tensor([[1, 0, 1, 1]])
        found = construction.model.complete(prefix, about.length - 4)  # type: ignore[operator]
        assert tuple(found[0].tolist()) == about.complete((1, 0, 1, 1))
        return
    some = [word for word, _ in zip(about.words(max_length=8), range(60), strict=False)]
    logits = logits_of(construction.model, some)
    assert answer_of(logits).tolist() == [about.classify(word) for word in some]


def test_unknown_settings_are_refused(construction: Computed) -> None:
    for name in construction.settings:
        with pytest.raises(LengthwiseError) as caught:
            construct(construction.name, {**on_its_rung(construction), f"{name}x": 1})
        assert f"unknown setting '{name}x'. Did you mean '{name}'? Known: " in str(caught.value)
        assert all(known in str(caught.value) for known in construction.settings)
        assert "\n" not in str(caught.value)


def test_values_of_settings_are_accepted_or_refused_in_one_line(construction: Computed) -> None:
    values: list[object] = [None, True, [1], {}, "much", 10**400, math.nan, math.inf, -1, 0]
    for value, (name, default) in product(values, construction.settings.items()):
        message = ""
        try:
            made = construct(construction.name, {**on_its_rung(construction), name: value})
        except LengthwiseError as error:
            message = str(error)
        if message:
            assert "\n" not in message
            assert name in message or "bit" in message
        else:
            assert type(made.settings[name]) is type(default)
            assert isinstance(value, int | float)
            assert math.isfinite(value)


def test_a_whole_number_will_do_for_a_number() -> None:
    made = construct("chiang2022/parity", {"sharpness": 2})
    assert type(made.settings["sharpness"]) is float


@pytest.mark.parametrize(
    ("spec", "settings", "part"),
    [
        ("chiang2022/paritty", {}, "Did you mean 'chiang2022/parity'"),
        ("steps2022/addition-3", {}, "Did you mean 'steps2022/addition-"),
        ("steps2022/addition-1", {"bits": 10**9}, "bits=1000000000|1,000,000,000"),
        ("steps2022/addition-1", {"bits": 0}, "bit"),
        ("steps2022/addition-1", {"bits": 2.0}, "an integer"),
        ("circuit:", {}, "circuit"),
        ("circuit:nowhere.bench", {}, "nowhere.bench"),
        ("nor-circuit:nowhere.bench", {"epsilon": 0.0}, "unknown setting 'epsilon'"),
        ("parityy", {}, "Did you mean 'parity'"),
        ("parity", {"chunk_size": 10**7}, "chunk_size=10000000"),
        ("regex:(", {}, "regex|expression"),
    ],
)
def test_what_is_not_there_is_refused(spec: str, settings: dict[str, Any], part: str) -> None:
    with pytest.raises((LengthwiseError, OSError), match=part) as caught:
        construct(spec, settings)
    assert "\n" not in str(caught.value)


def test_only_languages_have_an_alphabet() -> None:
    made = construct("regex:a*", alphabet="ab")
    assert isinstance(made.about, Language)
    assert made.about.alphabet == ("a", "b")
    with pytest.raises(LengthwiseError, match="only languages have an alphabet"):
        construct("chiang2022/parity", alphabet="01")


def test_all_names_are_listed_with_a_claim() -> None:
    listed = names()
    assert {*CONSTRUCTIONS, *ADDITIONS} <= set(listed)
    assert all(listed.values())
    assert all(is_construction(name) for name in [*CONSTRUCTIONS, *ADDITIONS, "circuit:x.blif"])
    assert not any(is_construction(name) for name in AUTOMATA)


def test_settings_have_defaults_of_their_type() -> None:
    for name, entry in CONSTRUCTIONS.items():
        for parameter in inspect.signature(entry.compile).parameters.values():
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY, name
            assert type(parameter.default) in (int, float, str), name
        parse(entry.language)


def test_the_size_is_heard_before_it_is_built() -> None:
    heard: list[str] = []
    made = construct("group:S3", report_size=heard.append)
    assert len(heard) == 1
    assert f"{made.num_parameters:,} parameters" in heard[0]


def test_circuits_come_from_files(tmp_path: Path) -> None:
    file = tmp_path / "small.bench"
    file.write_text("INPUT(a)\nINPUT(b)\nOUTPUT(y)\ny = NAND(a, b)\n")
    for prefix in ("circuit:", "nor-circuit:"):
        made = construct(f"{prefix}{file}", {"error": 1e-3})
        assert made.required_margin == pytest.approx(math.log(999))
        assert verify_construction(made).holds


def test_a_margin_is_claimed_where_it_is_certain() -> None:
    for name, entry in CONSTRUCTIONS.items():
        made = small(name)
        eta = made.settings.get("eta")
        if eta is None:
            assert made.required_margin == 0
        elif entry.margin(made.settings):
            assert made.required_margin == pytest.approx(-math.log(math.expm1(eta)))
    assert small("chiang2022/parity-confident", epsilon=1e-5).required_margin == 0
    assert small("chiang2022/parity-confident", epsilon=0.0, eta=1e-3).required_margin > 6


@pytest.mark.slow
def test_its_claim_holds_of_longer_words(construction: Computed) -> None:
    found = verify_construction(construction, longest=300, all_words=1_024, words_per_length=16)
    assert found.holds, found


@pytest.mark.parametrize("sharpness", [9.0, 64.0, 1e4])
def test_nothing_is_claimed_of_words_longer_than_any_that_was_measured(sharpness: float) -> None:
    claim = claim_of("chiang2022/first-flawed", {"sharpness": sharpness})
    assert claim["range"] == {"float64": min(MAX_MEASURED, int(math.exp(min(sharpness, 99.0))))}


@pytest.mark.parametrize("name", ["steps2022/addition-1", "steps2022/addition-nor"])
def test_a_circuit_that_is_too_large_is_refused_before_it_is_built(name: str) -> None:
    heard: list[str] = []
    construct(name, {"bits": 2}, report_size=heard.append)
    assert len(heard) == 1
    assert f"{construct(name, {'bits': 2}).num_parameters:,} parameters" in heard[0]
    with pytest.raises(ConstructionError, match=r"parameters, but 250,000,000 is the most"):
        construct("steps2022/addition-nor", {"bits": 250}, report_size=heard.append)
    assert len(heard) == 1


def test_the_file_of_a_circuit_is_not_taken_for_a_language() -> None:
    with pytest.raises(ConfigError, match=r"Give circuit:half\.blif"):
        construct("half.blif")
