"""A pretrained body as a model that writes steps: `--model gpt2`."""

from lengthwise.models.entry import Architecture
from lengthwise.models.step_models import TRAINING, StepModel
from lengthwise.text.models.gpt2 import FROM_BACKBONE, Backbone, BackboneConfig, shape_of

GPT2 = StepModel(
    summary="the body of a GPT-2, frozen except for its layer norms, input and output",
    architecture=Architecture(config=BackboneConfig, module=Backbone),
    training=TRAINING,
    presets={"smoke": {"warmup": 0}},
    fixed=FROM_BACKBONE,
    shape=shape_of,
)
