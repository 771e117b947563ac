"""The checker's own rules of settings are those of the networks' configurations."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import CertificateError, ConfigError
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.proofs.check.networks import (
    OF_CODE,
    RULES,
    Kind,
    base_of,
    require_network_settings,
    window_length,
)
from lengthwise.proofs.search.integrity import PROVABLE

CONFIGS: dict[Kind, Any] = {kind: PROVABLE[each] for each in PROVABLE for kind in RULES
                            if each.__name__ == kind}  # fmt: skip
NEEDED = {"num_slots": 2, "num_bits": 4, "num_states": 3, "cell": "gru"}
VALUES: list[Any] = [
    *(0, 1, 2, 3, 4, 8, 12, 13, 32, 33, 64, 4096, 4097, 2**24, 2**24 + 1, 2**62, 2**62 + 1, -1),
    *(0.0, 0.5, 1.0, -0.5, 1e300, True, False, None, "", "none", "relu", "gelu", "post", "pre"),
    *("learned", "absent", "binary", "continuous", "elman", "gru", "lstm"),
]


def is_a_configuration(kind: Kind, settings: dict[str, Any]) -> bool:
    """Whether the class of settings takes them, and writes them out as they are."""
    try:
        written = CONFIGS[kind].from_dict(settings).to_dict()
    except ConfigError:
        return False
    return json.dumps(written, sort_keys=True) == json.dumps(settings, sort_keys=True)


def is_allowed(kind: Kind, settings: dict[str, Any]) -> bool:
    try:
        require_network_settings(kind, settings)
    except CertificateError:
        return False
    return True


def usual(kind: Kind) -> dict[str, Any]:
    config = CONFIGS[kind]
    names = {field.name for field in fields(config)}
    needed = {name: value for name, value in NEEDED.items() if name in names}
    whole: dict[str, Any] = config(vocab_size=2, num_classes=2, **needed).to_dict()
    return whole


def test_every_provable_network_has_rules() -> None:
    assert set(CONFIGS) == set(RULES) - set(OF_CODE)  # of any network, which the file names
    assert {each.__name__ for each in PROVABLE} == set(CONFIGS)


@pytest.mark.parametrize("kind", CONFIGS)
def test_names_are_those_of_the_configuration(kind: Kind) -> None:
    names = {field.name for field in fields(CONFIGS[kind])}
    assert set(RULES[kind]) == names - {"initial"}  # weights are signed, and not how they began
    assert is_allowed(kind, usual(kind))
    for name in RULES[kind]:
        fewer = {each: value for each, value in usual(kind).items() if each != name}
        assert not is_allowed(kind, fewer)
    assert not is_allowed(kind, {**usual(kind), "width": 3})


@pytest.mark.parametrize("kind", CONFIGS)
def test_each_value_of_each_setting_is_judged_alike(kind: Kind) -> None:
    judged = set()
    for name in RULES[kind]:
        for value in VALUES:
            if name == "embedding_scale" and type(value) is int:
                continue  # beartype takes a float for no integer; Python and the format do
            settings = {**usual(kind), name: value}
            judged.add(allowed := is_allowed(kind, settings))
            assert allowed == is_a_configuration(kind, settings), (name, value)
    assert judged == {True, False}


@pytest.mark.parametrize("kind", CONFIGS)
@given(data=st.data())
def test_settings_together_are_judged_alike(kind: Kind, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(RULES[kind])), max_size=4))
    small = st.integers(1, 40)
    settings = usual(kind)
    settings |= {name: data.draw(small) for name in names if type(settings[name]) is int}
    assert is_allowed(kind, settings) == is_a_configuration(kind, settings)


@given(states=st.integers(1, 2**24), digits=st.integers(1, 24), layers=st.integers(1, 5))
def test_sizes_of_scratchpads_are_those_of_the_configuration(
    states: int, digits: int, layers: int
) -> None:
    digits = min(digits, states.bit_length())
    config = WindowScratchpadConfig(
        vocab_size=2, num_classes=2, num_states=states, num_digits=digits, num_layers=layers
    )
    assert base_of(config.to_dict()) == config.base
    assert window_length(config.to_dict()) == config.receptive_field
    base = base_of(config.to_dict())
    assert base**digits >= states
    assert base == 1 or (base - 1) ** digits < states


@pytest.mark.parametrize(("scale", "is_one"), [(1, True), (0, False), (-1, False), (2**63, False)])
def test_a_scale_may_be_an_integer(scale: int, is_one: bool) -> None:
    settings = {**usual("RegularGPT"), "embedding_scale": scale}
    assert is_allowed("RegularGPT", settings) == is_one


def test_a_refusal_names_the_setting_and_the_limit() -> None:
    with pytest.raises(CertificateError, match=r"num_bits=13 is too large: 12 is the most"):
        require_network_settings("StateSlots", {**usual("StateSlots"), "num_bits": 13})
