"""Weights for 1* (Tomita 1): CLS looks for a 0.

Idea. CLS attends to a 0 with logit c > 0 and to all else with logit 0, and gathers 1/2 from a 0 and
-1/2 from all else. With k zeros among n positions, CLS included,

    s = (k exp(c) - (n - k)) / (2 (k exp(c) + n - k)),

and class 1 has the logit -s.

Exactness. Without a zero s = -1/2. With a zero s > 0 if exp(c) > n - 1, since k exp(c) - (n - k)
increases in k; so it is right on all words shorter than exp(c). QED
"""

import torch

from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.weights import require_sharpness, set_head, zero_encoder
from lengthwise.models.encoder import Encoder


def compile_no_zeros(*, sharpness: float = 5.0) -> Encoder:
    """Build the network, right on words shorter than exp(sharpness). `sharpness` is c.

    Raises:
        ConstructionError: the sharpness is out of range.
    """
    require_sharpness(sharpness)
    stream = Coordinates(["is_zero", "is_one", "is_cls", "answer"])
    model = zero_encoder(stream, num_heads=1, num_layers=1, norm="none", position="none")
    set_head(
        model.block[0].attention,
        0,
        ask=stream.row({"is_cls": sharpness}),
        offer=stream.row({"is_zero": 1.0}),
        moves=[
            (
                stream.row({"is_zero": 0.5, "is_one": -0.5, "is_cls": -0.5}),
                stream.column({"answer": 1.0}),
            )
        ],
    )
    with torch.no_grad():
        for symbol, name in enumerate(("is_zero", "is_one", "is_cls")):
            model.embedding.weight[symbol] = stream.column({name: 1.0})
        model.answer.weight[0] = stream.row({"answer": -1.0})
    return model
