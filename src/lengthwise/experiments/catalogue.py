"""Read this file to see what of the papers is reproduced by `lengthwise reproduce`."""

from lengthwise.catalogue import Catalogue
from lengthwise.experiments.chi2023.table1 import GROUPS, TABLE_1, TABLE_1_AUDITED
from lengthwise.experiments.chi2023.table2 import TABLE_2
from lengthwise.experiments.chiang2022.figure2 import FIGURE_2
from lengthwise.experiments.chiang2022.figure3 import FIGURE_3
from lengthwise.experiments.chiang2022.figure4 import FIGURE_4
from lengthwise.experiments.chiang2022.parity import PARITY
from lengthwise.experiments.experiment import Collected
from lengthwise.experiments.steps2022.figure1 import FIGURE_1

EXPERIMENTS: Catalogue[Collected] = Catalogue(
    "experiment",
    {
        "chi2023/table1": TABLE_1,
        "chi2023/table1-audited": TABLE_1_AUDITED,
        "chi2023/table1-groups": GROUPS,
        "chi2023/table2": TABLE_2,
        "chiang2022/figure2": FIGURE_2,
        "chiang2022/figure3": FIGURE_3,
        "chiang2022/figure4": FIGURE_4,
        "chiang2022/parity": PARITY,
        "steps2022/figure1": FIGURE_1,
    },
)
