"""Training by the classes of sub-words: what a validation calls perfect."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.objectives.node import NodeLoss
from lengthwise.objectives.words import WordsConfig
from lengthwise.tasks.state_maps import state_maps
from lengthwise.tasks.task import Batch, Task


@pytest.mark.parametrize("nodes_are_right", [False, True])
@pytest.mark.parametrize("words_are_right", [False, True])
def test_a_validation_is_perfect_if_all_nodes_and_all_words_are_right(
    monkeypatch: pytest.MonkeyPatch, nodes_are_right: bool, words_are_right: bool
) -> None:
    language = parse("parity")
    objective = NodeLoss(Task(language=language), WordsConfig(), state_maps(language))
    model = RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2))

    def judge(model: RegularGPT, batch: Batch, *rest: object) -> tuple[Tensor, Tensor, Tensor]:
        answers = batch.classes if words_are_right else 1 - batch.classes
        return torch.tensor(0.5), one_hot(answers, 2).float(), torch.tensor(nodes_are_right)

    monkeypatch.setattr(objective, "_judge", judge)
    found = objective.validate(model, torch.Generator().manual_seed(0))
    assert found.accuracy == float(words_are_right)
    assert found.perfect == (nodes_are_right and words_are_right)
