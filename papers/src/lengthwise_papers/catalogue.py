"""All experiments of `lengthwise reproduce`: those of the papers, and our own."""

from lengthwise.errors import ConfigError, unknown_name
from lengthwise.registry import Catalogue
from lengthwise_papers.chi2023 import chunk_size as chi_chunk_size
from lengthwise_papers.chi2023 import figure3 as chi_figure3
from lengthwise_papers.chi2023 import figure4 as chi_figure4
from lengthwise_papers.chi2023 import scratchpad as chi_scratchpad
from lengthwise_papers.chi2023 import table1 as chi_table1
from lengthwise_papers.chi2023 import table2 as chi_table2
from lengthwise_papers.chi2023 import table3 as chi_table3
from lengthwise_papers.chiang2022 import ffnn as chiang_ffnn
from lengthwise_papers.chiang2022 import figure2 as chiang_figure2
from lengthwise_papers.chiang2022 import figure3 as chiang_figure3
from lengthwise_papers.chiang2022 import figure4 as chiang_figure4
from lengthwise_papers.chiang2022 import parity as chiang_parity
from lengthwise_papers.chiang2022 import table1 as chiang_table1
from lengthwise_papers.experiment import Experiment
from lengthwise_papers.own import (
    arithmetic,
    body_sizes,
    certificates,
    compiled_sizes,
    constructions,
    default_proofs,
    drawn_functions,
    every_kind,
    gradient_alone,
    hidden_functions,
    labels_alone,
    ladder,
    long_words,
    longer_sums,
    main_job,
    many_words,
    prefixes,
    random_words,
    ranges,
    rungs,
    smallest_adders,
    smallest_proofs,
    soundness,
    symbol_by_symbol,
    word_statements,
    words_needed,
)
from lengthwise_papers.steps2022 import figure1 as steps_figure1
from lengthwise_papers.steps2022 import figure2 as steps_figure2
from lengthwise_papers.steps2022 import table1 as steps_table1
from lengthwise_papers.steps2022 import table2 as steps_table2
from lengthwise_papers.steps2022 import tasks as steps_tasks

EXPERIMENTS: Catalogue[Experiment] = Catalogue(
    "experiment",
    {
        "chi2023/table1": chi_table1.TABLE_1,
        "chi2023/table1-audited": chi_table1.TABLE_1_AUDITED,
        "chi2023/table1-groups": chi_table1.GROUPS,
        "chi2023/table2": chi_table2.TABLE_2,
        "chi2023/table3": chi_table3.TABLE_3,
        "chi2023/figure3": chi_figure3.FIGURE_3,
        "chi2023/figure4": chi_figure4.FIGURE_4,
        "chi2023/scratchpad": chi_scratchpad.SCRATCHPAD,
        "chi2023/chunk-size": chi_chunk_size.CHUNK_SIZE,
        "chiang2022/table1": chiang_table1.TABLE_1,
        "chiang2022/ffnn": chiang_ffnn.FFNN,
        "chiang2022/figure2": chiang_figure2.FIGURE_2,
        "chiang2022/figure3": chiang_figure3.FIGURE_3,
        "chiang2022/figure4": chiang_figure4.FIGURE_4,
        "chiang2022/parity": chiang_parity.PARITY,
        "steps2022/table1": steps_table1.TABLE_1,
        "steps2022/table2": steps_table2.TABLE_2,
        "steps2022/other-tasks": steps_tasks.OTHER_TASKS,
        "steps2022/figure1": steps_figure1.FIGURE_1,
        "steps2022/figure2": steps_figure2.FIGURE_2,
        "steps2022/figure3": steps_table1.FIGURE_3,
        "steps2022/figure4": steps_table1.FIGURE_4,
        "own/gradient-alone": gradient_alone.GRADIENT_ALONE,
        "own/main-job": main_job.MAIN_JOB,
        "own/certificates": certificates.CERTIFICATES,
        "own/default-proofs": default_proofs.DEFAULT_PROOFS,
        "own/drawn-functions": drawn_functions.DRAWN_FUNCTIONS,
        "own/every-kind": every_kind.EVERY_KIND,
        "own/body-sizes": body_sizes.BODY_SIZES,
        "own/ladder": ladder.LADDER,
        "own/labels-alone": labels_alone.LABELS_ALONE,
        "own/long-words": long_words.LONG_WORDS,
        "own/many-words": many_words.MANY_WORDS,
        "own/longer-sums": longer_sums.LONGER_SUMS,
        "own/random-words": random_words.RANDOM_WORDS,
        "own/words-needed": words_needed.WORDS_NEEDED,
        "own/hidden-functions": hidden_functions.HIDDEN_FUNCTIONS,
        "own/prefixes": prefixes.PREFIXES,
        "own/constructions": constructions.CONSTRUCTIONS,
        "own/compiled-sizes": compiled_sizes.COMPILED_SIZES,
        "own/rungs": rungs.RUNG_SIZES,
        "own/symbol-by-symbol": symbol_by_symbol.SYMBOL_BY_SYMBOL,
        "own/ranges": ranges.RANGES,
        "own/smallest-adders": smallest_adders.SMALLEST_ADDERS,
        "own/smallest-proofs": smallest_proofs.SMALLEST_PROOFS,
        "own/arithmetic": arithmetic.ARITHMETIC,
        "own/soundness": soundness.SOUNDNESS,
        "own/word-statements": word_statements.WORD_STATEMENTS,
    },
    group="lengthwise.experiments",
)


def full_name(name: str) -> str:
    """Return the name of an experiment, which may be given without its paper: `ladder`.

    Raises:
        ConfigError: no experiment has the name, or several papers have one.
    """
    if name in EXPERIMENTS:
        return name
    matches = [full for full in EXPERIMENTS if full.rpartition("/")[2] == name]
    if of_paper := [full for full in EXPERIMENTS if full.partition("/")[0] == name.rstrip("/")]:
        raise ConfigError(f"{name!r:.60} is not one experiment. Give {' or '.join(of_paper)}.")
    if not matches:
        raise unknown_name("experiment", name, EXPERIMENTS)
    if len(matches) > 1:
        names = " or ".join(matches)
        raise ConfigError(f"{len(matches)} experiments are called {name!r:.60}. Give {names}.")
    return matches[0]
