"""The protocol: one set of settings for all networks, and what each learns from."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lengthwise.arenas.protocol import SIZES, choose_objective, make_plans, make_test
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse
from lengthwise.models.custom import own_name
from lengthwise.models.recognisers import MODELS
from lengthwise.problems.plan import Plan


class Everywhere(nn.Module):
    """Answers at every position."""

    def __init__(self, vocab_size: int, num_classes: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(vocab_size, num_classes))

    def every_position(self, tokens: Tensor, generator: Any = None) -> Tensor:
        return self.scores[tokens].cumsum(dim=1)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores[tokens].sum(dim=1)


class AtTheEnd(Everywhere):
    every_position = None  # type: ignore[assignment]


def plans(networks: list[str], languages: list[str], **settings: Any) -> list[Plan]:
    return make_plans(networks, languages, suite="regular", preset="laptop", settings=settings)


def test_all_networks_have_the_same_words_budget_and_selection() -> None:
    made = plans(["gru", "decoder", "encoder-cls", "regular-gpt-binary"], ["parity", "d-2"])
    assert len(made) == 8
    assert len({str(plan.data) for plan in made}) == 1
    assert len({str(plan.training) for plan in made}) == 1
    assert {plan.network.d_model for plan in made} == {32}
    assert made[0].training.steps == SIZES["laptop"].settings["steps"]
    assert made[0].data.protocol == "audited"


@pytest.mark.parametrize(
    ("network", "language", "given"),
    [
        ("gru", "parity", "prefix"),
        ("encoder-cls", "parity", "final"),
        ("gru", "modular-arithmetic", "final"),
        ("scratchpad", "parity", "states"),
    ],
)
def test_a_network_learns_from_every_prefix_if_both_can(
    network: str, language: str, given: str
) -> None:
    assert choose_objective(MODELS[network], parse(language)) == given
    assert plans([network], [language])[0].objective.name == given


@pytest.mark.parametrize(("network", "given"), [(Everywhere, "prefix"), (AtTheEnd, "final")])
def test_so_does_one_of_a_user(network: type[nn.Module], given: str) -> None:
    (plan,) = plans([own_name(network)], ["parity"])
    assert plan.objective.name == given


def test_a_caller_may_choose_what_is_given() -> None:
    assert [plan.objective.name for plan in plans(["gru"], ["parity"], objective="final")] == [
        "final"
    ]


def test_every_network_reads_long_words_unless_positions_are_chosen() -> None:
    assert plans(["decoder"], ["parity"])[0].network.reads_at_most is None
    assert plans(["decoder"], ["parity"], position="learned")[0].network.reads_at_most == 40


def test_a_setting_is_for_those_that_have_it_and_some_must() -> None:
    gru, decoder = plans(["gru", "decoder"], ["parity"], num_heads=4, steps=7)
    assert decoder.network.num_heads == 4
    assert gru.training.steps == decoder.training.steps == 7
    with pytest.raises(ConfigError, match="'num_heads' is not a setting of gru"):
        plans(["gru"], ["parity"], num_heads=4)
    with pytest.raises(ConfigError, match=r"'tasks' is not .* languages=\[...\], or --only, gives"):
        plans(["gru"], ["parity"], tasks=["parity"])
    with pytest.raises(ConfigError, match=r"'step' is not .* Did you mean 'steps'\?"):
        plans(["gru"], ["parity"], step=3)


def test_languages_are_examined_and_other_tasks_have_the_test_of_their_problem() -> None:
    language, outputs = plans(["gru"], ["parity", "chomsky:reverse-string"])
    examined, scored = (make_test(plan, 5, 3.0) for plan in (language, outputs))
    assert dict(examined.measure or {})["budget"] == 3.0
    assert scored.measure is None
    assert examined.words_per_length == scored.words_per_length == 5
    assert examined.lengths == scored.lengths
    assert outputs.data.max_length == language.data.max_length
    assert outputs.network.d_model == language.network.d_model
