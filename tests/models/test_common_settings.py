"""Each setting of a network is declared once, and certificates can be checked without torch."""

import subprocess
import sys
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_args

import pytest

from lengthwise.errors import ConfigError
from lengthwise.layers.norms import NORMS
from lengthwise.models.common_settings import CausalNorm
from lengthwise.models.entry import Entry
from lengthwise.models.recognisers import MODELS
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.models.step_models import STEP_MODELS
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting, check_settings, declarations
from lengthwise.text.models.language_models import LANGUAGE_MODELS
from lengthwise.text.models.translation_models import TRANSLATION_MODELS


def entries() -> dict[str, Entry]:
    return {**MODELS, **STEP_MODELS, **LANGUAGE_MODELS, **TRANSLATION_MODELS}


def test_norms_have_one_vocabulary() -> None:
    assert set(get_args(get_args(CausalNorm)[0])) == set(NORMS)


def test_every_setting_of_every_network_has_a_meaning() -> None:
    for name, entry in entries().items():
        kind: Any = entry.config
        declared = declarations(kind)
        for field in fields(kind):
            assert declared[field.name].meaning.endswith("."), (name, field.name)


def test_the_order_of_the_settings_that_certificates_sign_stays() -> None:
    assert [*RegularGPTConfig(vocab_size=2, num_classes=2).of_function()] == [
        *("vocab_size", "num_classes", "transition_size", "chunk_size", "num_layers", "d_model"),
        *("num_heads", "ff_factor", "norm", "activation", "pad", "memory", "num_bits", "noise"),
        *("dropout", "embedding_scale"),
    ]


def test_settings_load_without_torch() -> None:
    check = "import sys, lengthwise.models.regular_gpt_config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Limited(NetworkConfig):
    size: Annotated[int, Setting(meaning="A number.", least=2, most=5)] = 2
    part: Annotated[float, Setting(meaning="A share.", least=0, below=1)] = 0.5
    kind: Annotated[str, Setting(meaning="A name.", options=NORMS)] = "pre"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 1}, "size=1 is too small. Use 2 or more."),
        ({"size": 6}, "size=6 is too large. Use 5 or less."),
        ({"part": -0.5}, "part=-0.5 is too small. Use 0 or more."),
        ({"part": 1.0}, "part=1.0 is too large. Use a number below 1."),
        ({"kind": "prae"}, "unknown norm 'prae'. Did you mean 'pre'?"),
    ],
)
def test_limits_are_checked(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        Limited.from_dict(values)
    assert message in str(error.value)


def test_what_is_within_its_limits_is_accepted() -> None:
    for size in (2, 5):
        check_settings(Limited(size=size, part=0.0, kind="post"))
