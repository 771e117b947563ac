"""A section says what its runs were made with."""

import copy
from typing import Any

from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.page import section
from smoke_runs import results as results  # noqa: PLC0414  a fixture
from smoke_runs import smoke


def test_a_section_says_which_runs_an_accelerator_trained(
    results: dict[str, dict[str, Any]],
) -> None:
    name, machine = "own/constructions", {"processor": "one", "torch": "2", "device": "cpu"}
    there = {**machine, "device": "cuda", "accelerator": "NVIDIA H200"}
    smoke(results, name)
    result = copy.deepcopy(results[name])
    for place, one in enumerate(result["records"]):
        one |= {"digest": str(place), "environment": machine if place else there}
    written = section(name, EXPERIMENTS[name], result, "picture")
    assert f", 1 of {len(result['records'])} runs on NVIDIA H200." in " ".join(written.split())
