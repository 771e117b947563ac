"""Networks with a slot for each state that are trained, drawn or changed."""

import copy
import random
from collections.abc import Callable
from functools import lru_cache

import torch

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.check.slot_node import SlotNode
from lengthwise.proofs.search.network import weights_of
from strategies import all_words

SPECS = ("tomita-3", "regex:(0|1)*1(0|1){2}", "cycle-navigation", "d-2")


@lru_cache
def train_structured(spec: str | Language, chunk_size: int = 2) -> StateSlots:
    """Return a network that is trained until its structure is proved."""
    language = parse(spec) if isinstance(spec, str) else spec
    run = train(make_plan(language, "regular-gpt-slots", settings={"chunk_size": chunk_size}))
    assert run.metrics[-1]["proved"]
    assert isinstance(run.model, StateSlots)
    return run.model


def node_of(model: StateSlots) -> SlotNode:
    return SlotNode(model.config.to_dict(), weights_of(model))


def wrong_on(model: StateSlots, language: Language, words: list[tuple[int, ...]]) -> int:
    given_classes = answer_of(logits_of(model, words)).tolist()
    return sum(c != language.classify(w) for c, w in zip(given_classes, words, strict=True))


def some_words(language: Language, longest: int = 7) -> list[tuple[int, ...]]:
    """Return all short words of the domain, and random ones of odd lengths."""
    draw = random.Random(0)
    symbols = range(language.num_symbols)
    words = all_words(language, longest if language.num_symbols < 4 else 4)
    words += [tuple(draw.choices(symbols, k=k)) for k in (33, 65, 129, 257, 999, 2001)]
    domain = language.domain
    return [w for w in words if domain is None or domain.classify(w) == 1]


def draw(seed: int, slots: int = 3, size: float = 1.0) -> StateSlots:
    config = StateSlotsConfig(
        vocab_size=2, num_classes=2, num_slots=slots, num_bits=2, d_model=4, d_hidden=4
    )
    model = StateSlots(config)
    model.initialise(torch.Generator().manual_seed(seed))
    with torch.no_grad():
        model.keys.mul_(size)
    return model.eval()


def with_weights(
    model: StateSlots, name: str, change: Callable[[torch.Tensor], torch.Tensor]
) -> StateSlots:
    changed = copy.deepcopy(model)
    with torch.no_grad():
        parameter = changed.get_parameter(name)
        parameter.copy_(change(parameter.clone()))
    return changed
