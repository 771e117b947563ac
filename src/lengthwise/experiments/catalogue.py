"""Read this file to see what of the papers is reproduced by `lengthwise reproduce`."""

from typing import Any

from lengthwise.catalogue import Catalogue
from lengthwise.experiments.chiang2022.figure2 import FIGURE_2
from lengthwise.experiments.chiang2022.figure3 import FIGURE_3
from lengthwise.experiments.experiment import Experiment
from lengthwise.experiments.steps2022.figure1 import FIGURE_1

EXPERIMENTS: Catalogue[Experiment[Any]] = Catalogue(
    "experiment",
    {
        "chiang2022/figure2": FIGURE_2,
        "chiang2022/figure3": FIGURE_3,
        "steps2022/figure1": FIGURE_1,
    },
)
