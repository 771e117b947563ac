"""Codebook supervision of recurrent networks: proofs by default, and what is told."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.codebook import CODEBOOK
from lengthwise.objectives.state_codes import recurrent
from lengthwise.problems.account import Records
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.outcome import advice_of
from lengthwise.proofs.search.certify import certify
from lengthwise.tasks.state_codes import make_state_codes
from lengthwise.training.runs import RunFolder

BOTH = pytest.mark.parametrize("model", ["gru-binary", "elman-binary"])


def automaton(states: int, symbols: int, seed: int) -> Language:
    """A random minimal automaton of uniform transitions."""
    draw = random.Random(seed)
    while True:
        machine = Language(
            alphabet=tuple("abcde"[:symbols]),
            transitions=tuple(
                tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)
            ),
            classes=tuple(draw.randrange(2) for _ in range(states)),
        )
        if machine.minimise().num_states == states:
            return machine


@pytest.mark.slow_except("15-3-elman-binary")
@BOTH
@pytest.mark.parametrize(("states", "symbols"), [(5, 2), (15, 3)])
def test_default_training_ends_with_a_proof(model: str, states: int, symbols: int) -> None:
    language = automaton(states, symbols, states)
    run = lw.train(language, model, device="cpu")
    assert run.metrics[-1]["proved"]
    assert run.metrics[-1]["step"] < 200
    made = certify(run.model, language)
    assert made.verdict == "equivalent"
    assert made.summary()["elements"] == states


def test_a_language_with_a_domain_is_proved_on_its_words() -> None:
    odd = Language(alphabet=("a", "b"), transitions=((1, 1), (0, 0)), classes=(0, 1))
    language = replace(automaton(4, 2, 1), domain=odd)
    run = lw.train(language, "gru-binary", device="cpu")
    assert lw.certify(run).verdict == "equivalent"


def test_steps_of_short_words_alone_can_be_told() -> None:
    ring = Language(
        alphabet=("a",),
        transitions=tuple(((state + 1) % 9,) for state in range(9)),
        classes=tuple(int(state == 0) for state in range(9)),
    )
    plan = make_plan(
        ring, "gru-binary", settings={"chunk_lengths": "training", "max_length": 5, "steps": 50}
    )
    assert plan.network.num_bits == make_state_codes(ring, 5).num_bits
    assert len(make_state_codes(ring, 5).states) == 5
    assert "words of lengths 1..5" in plan.trained_on
    assert "every length" in make_plan(ring, "gru-binary").trained_on


def test_other_models_are_refused_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r"^Linear keeps no code .* Use model gru-binary or elm"):
        recurrent(torch.nn.Linear(1, 1))


@pytest.mark.parametrize(
    ("size", "width", "batch"), [(3, 64, 256), (200, 128, 400), (2_000, 256, 4_000)]
)
def test_more_states_get_a_wider_network_and_one_batch(size: int, width: int, batch: int) -> None:
    ring = Language(
        alphabet=("a", "b"),
        transitions=tuple(((state + 1) % size, state) for state in range(size)),
        classes=tuple(int(state == 0) for state in range(size)),
    )
    found = CODEBOOK.defaults(ring, "laptop", BinaryRecurrentConfig, is_named=False)
    chosen = found.values
    assert (chosen["d_model"], chosen["batch_size"]) == (width, batch)
    assert found.size == f"{size:,} states"


def test_where_the_monoid_is_too_large_the_next_command_names_a_recurrent_network(
    tmp_path: Path,
) -> None:
    language = replace(automaton(9, 3, 2), spec="att:m.att")
    plan = make_plan(language, "regular-gpt-binary", preset="smoke")
    folder = RunFolder(tmp_path)
    found = advice_of(language, Records(plan=plan, folder=folder), {"proved": None}, "1:9")
    assert found == f"lengthwise train att:m.att --model gru-binary --out {tmp_path}-gru"
    other = Records(plan=make_plan(language, "gru-binary", preset="smoke"), folder=folder)
    found = advice_of(language, other, {"proved": False}, "1:9")
    assert found == f"lengthwise certify {tmp_path}"
    with pytest.raises(ConfigError, match="or gru-binary, or objective='transition'"):
        make_plan(language, "regular-gpt-binary", settings={"objective": "codebook"})
    assert {"gru-binary", "elman-binary"} <= set(MODELS)
