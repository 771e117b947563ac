"""Networks of slots in the page: their values, and what its program computes of them."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

import lengthwise as lw
from lengthwise import explorer
from lengthwise.errors import VerificationError
from lengthwise.explorer import slot_values as module
from lengthwise.explorer.slot_values import slot_values
from lengthwise.models.state_slots import StateSlots, StateSlotsConfig

PROGRAM = ("algebra.js", "tables.js", "recurrent.js", "slots.js")

ASKED = """
const { values, words } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const algebra = new SlotAlgebra(values, {});
console.log(JSON.stringify(words.map((word) => grow(algebra, word).answer)));
"""


def network(chunk_size: int) -> StateSlots:
    """A network of random weights, whose slots look at single slots."""
    config = StateSlotsConfig(
        vocab_size=2, num_classes=3, num_slots=5, num_bits=3, chunk_size=chunk_size
    )
    model = StateSlots(config)
    model.initialise(torch.Generator().manual_seed(4))
    with torch.no_grad():
        model.keys.mul_(30.0)
        model.write.weight.copy_(torch.eye(3))
    return model.eval()


@pytest.mark.parametrize("chunk_size", [2, 3])
def test_the_page_answers_as_the_network_does(chunk_size: int) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("there is no node on this machine")
    model = network(chunk_size)
    words = [list(word) for n in range(8) for word in itertools.product(range(2), repeat=n)]
    folder = Path(explorer.__path__[0])
    program = "\n".join((folder / name).read_text(encoding="utf-8") for name in PROGRAM)
    asked = json.dumps({"values": slot_values(model), "words": words})
    done = subprocess.run(
        [node, "-e", program + ASKED], input=asked, capture_output=True, text=True, check=True
    )
    expected = [
        int(model(torch.tensor([word], dtype=torch.long).reshape(1, -1)).argmax()) for word in words
    ]
    assert json.loads(done.stdout) == expected
    assert set(expected) == {0, 1, 2}


def test_other_networks_and_large_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VerificationError, match="RegularGPT has no slots"):
        slot_values(lw.load("zoo:parity").model)
    monkeypatch.setattr(module, "MOST_WEIGHTS", 10)
    with pytest.raises(VerificationError, match="room for 10 weights"):
        slot_values(network(2))
