"""The table of verdicts: every statement of the papers, whether it holds here, and if not, why."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from lengthwise.escapes import table_in_markdown
from lengthwise_papers.experiment import Statement
from remaining import OPEN
from reproduced import Measured, anchor, load_measured, paper_of, papers

_LONGEST = 120
"""Characters of a measurement that the table shows; the paper's page has all."""

WHY: Mapping[tuple[str, str], str] = {
    (
        "chi2023/figure3",
        "the cumulated gradient of a regular language is a slanted line (to 0.05 of its height)",
    ): "In PARITY the last 153, 211 and 181 of 500 symbols have half of the gradient.",
    ("chi2023/table1 --preset paper", "RegularGPT C=2 reaches the printed best and mean"): (
        "Even Pairs alone was run. The best of three is 0.5 points below the printed best, and the "
        "mean 9.6 points above the printed mean."
    ),
    ("chi2023/table1", "RegularGPT C=3 reaches the printed best and mean"): (
        "Ten rows of 11 do. On Tomita 5 one seed of ten learns its training words; on Parity eight "
        "do. With growing words all are right."
    ),
    (
        "chi2023/table1",
        "RegularGPT C=2 reaches the printed best and mean in Modular Arithmetic",
    ): "After 120,000 steps two seeds had 52.0 and 51.6 %.",
    (
        "chi2023/table1",
        "RegularGPT C=3 reaches the printed best and mean in Modular Arithmetic",
    ): "A seed takes 13 to 18 hours on a core.",
    (
        "chi2023/table1",
        "RegularGPT C=3 reaches the printed best and mean in Modular Arithmetic (trained in "
        "another way, 5,000 steps)",
    ): "Both are at chance; ours is 1.1 and 0.6 points below.",
    ("chi2023/table1", "a larger C makes Modular Arithmetic hard to learn"): (
        "C=3 had fewer steps and fewer losses; the authors' settings, for both, decide."
    ),
    (
        "chi2023/table1",
        "RegularGPT substantially outperforms a vanilla Transformer (C=2, its mean by 5 points in "
        "every row)",
    ): (
        "With growing words the Transformer is right there, too. It has 0.27 million parameters, "
        "the paper's has 4.3 million."
    ),
    (
        "chi2023/table2",
        "a Transformer is poor at 40 symbols, too, where P(1) = 0.9 (below 77 + 5)",
    ): "It is worst there, as in the paper, but this is one run.",
    (
        "chi2023/table3",
        "with C = 256 performance deteriorates beyond the training length (1.1 times and more)",
    ): "A GPU takes hours.",
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from weak supervision (below 0.5)",
    ): "True in the cells that were run. The paper's best of 120 has 0.2529 at n = 16.",
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from medium supervision (below 0.05)",
    ): "True in the cells that were run.",
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, positions trained)",
    ): "True in the cells that were run.",
    (
        "steps2022/table2",
        "from n = 16 on the body learns addition from no other supervision (pretrained, positions "
        "trained)",
    ): "True in the cells that were run.",
    ("chi2023/table3", "and explodes beyond"): (
        "With norms after the branches, as in the authors' code, it holds."
    ),
    ("chi2023/table3", "and explodes beyond (20,000 steps)"): (
        "More training changes little; what matters is the place of the norms."
    ),
    ("chi2023/table3", "twice the thickness is better, at every length"): (
        "One seed each; another changes perplexity by 1 to 3.5 %. With norms after the branches it "
        "holds."
    ),
    (
        "chi2023/figure4",
        "nine tenths of RegularGPT's gradient fall on the last half of the tokens",
    ): (
        "Five networks of 12 have less, four of them with norms after the branches. The paper has "
        "a curve; nine tenths is our reading."
    ),
    ("chiang2022/table1", "with all lengths in training, scaling has no significant effect"): (
        "Scaling makes logits 3 to 4 times as large, and training ends while the loss still falls. "
        "The text is the Bible, not IWSLT'15."
    ),
    (
        "chiang2022/table1",
        "trained on short sentences, the scaled model translates long ones better (p < 0.01)",
    ): (
        "For the same reasons. The gap of 1.33 BLEU after 1,200 steps is closed after 9,600 "
        "(+1.18, +0.28, -0.40)."
    ),
    (
        "chiang2022/figure4",
        "without scaling, the lower n is, the less attention the first symbol has (fixed "
        "positions)",
    ): (
        "With n = 300 only one run of 20 attends to it at all. True up to n = 100, and with early "
        "positions."
    ),
    (
        "chiang2022/figure4",
        "with scaling the test accuracy is perfect for all training lengths (fixed positions)",
    ): (
        "17, 20, 19 and 17 of 20 runs are right. Three with n = 10 learn an answer that does not "
        "generalise; four have learned nothing."
    ),
    ("chiang2022/figure4", "and so is the cross-entropy (fixed positions)"): "For the same reason.",
    (
        "chiang2022/figure4",
        "with scaling the test accuracy is perfect for all training lengths (fixed positions, "
        "scaled by a learned multiple of log n)",
    ): "The same seed fails as without a learned factor, for n = 10, 100 and 300.",
    (
        "chiang2022/figure4",
        "and so is the cross-entropy (fixed positions, scaled by a learned multiple of log n)",
    ): "For the same reason.",
    (
        "chiang2022/figure4",
        "with scaling the test accuracy is perfect for all training lengths (fixed positions, "
        "scaled by log n, small logits at first)",
    ): "All 15 runs up to n = 100 are right; two of five with n = 300 have learned nothing.",
    (
        "chiang2022/figure4",
        "and so is the cross-entropy (fixed positions, scaled by log n, small logits at first)",
    ): "For the same reason.",
    (
        "chiang2022/figure4",
        "without scaling the accuracy on 1000 symbols is not perfect (early positions)",
    ): "With fixed positions it holds.",
    ("chiang2022/figure4", "scaling brings more attention to the first symbol (early positions)"): (
        "True for n = 10, 30 and 100; with fixed positions for all."
    ),
    (
        "steps2022/figure3",
        "the best is reached with sinusoidal positions (each kind is trained in its own way)",
    ): (
        "At n = 24 no decoder of width 128 learns addition. With hand-coded positions one of width "
        "256 does (0.9999)."
    ),
    ("steps2022/figure4", "1,000 examples suffice for the best, except at n = 40 (to 0.01)"): (
        "True for n = 8. Each other number is one run; the paper has the best of 60."
    ),
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, frozen)",
    ): "The body is much smaller than GPT-2. With trained positions it learns.",
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as printed (pretrained, frozen)",
    ): "Bodies of up to 25 million parameters do not learn it either (0.0334; own/body-sizes).",
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as printed (pretrained, positions trained)",
    ): (
        "5 million parameters: 0.0297. 25 million: 0.4957, and 1.0000 with random weights "
        "(own/body-sizes)."
    ),
    (
        "steps2022/figure2",
        "most rows of the decoder resemble those of the hand-coded one (trained, learned "
        "positions)",
    ): "With hand-coded positions most do. The paper does not say which it uses.",
}
"""By command and statement: why it does not hold, or is open."""


NOTES: Mapping[tuple[str, str], str] = {
    (
        "chi2023/table1",
        "RegularGPT C=2 reaches the printed best and mean in Modular Arithmetic (trained in "
        "another way, 60,000 steps)",
    ): (
        "With Muon, growing words and three losses of ours. We found `closure` and `consensus` "
        "after tests on 41 to 500 symbols."
    ),
    ("chi2023/table1", "RNN reaches the printed best and mean"): (
        "In Modular Arithmetic 40,000 steps were chosen after 20,000 had 97.8 %."
    ),
    ("steps2022/table1", "strong supervision reaches the printed numbers, to 0.001"): (
        "At n = 24, 32 and 40 one run does, at n = 48 two of five."
    ),
    ("chi2023/table3", "and explodes beyond (norms after the branches)"): (
        "Printed: 25 and 38 times. Here twice is enough."
    ),
    (
        "chi2023/table1",
        "a Transformer is far from right on rows where the paper's is at chance or near it, and an "
        "RNN is right, from the same data",
    ): "On the seven other rows its mean is above the printed one, except in Even Pairs.",
    ("chi2023/table3", "neither the smallest nor the largest chunk generalises best"): (
        "One seed; another changes perplexity by 1 to 3.5 %. C = 64 and 96 differ by 3.6 %."
    ),
}
"""Of statements that hold: what else a reader must know."""


METHOD: Mapping[str, str] = {
    "chi2023/table1": "fewer steps, settings by row; the paper's words",
    "chi2023/table1 --preset paper": "the authors' settings",
    "chi2023/table2": "fewer steps, Muon; trained at the P(1) of the test, or at 0.5",
    "chi2023/table3": "smaller networks and texts, windows of 128",
    "chi2023/figure3": "our networks",
    "chi2023/figure4": "the networks of Table 3",
    "chi2023/scratchpad": "measured; the paper only argues",
    "chi2023/chunk-size": "ours: the paper only asks",
    "chiang2022/table1": "smaller networks, another text",
    "chiang2022/ffnn": "as printed: exact weights",
    "chiang2022/figure2": "exact weights as printed, except for an eighth at CLS in FIRST",
    "chiang2022/figure3": "as printed: exact weights",
    "chiang2022/figure4": "as printed; 50 words, every fifth epoch",
    "chiang2022/parity": "as printed; 32 words a step, no shared initial layer",
    "steps2022/table1": "best of 1 to 15 runs, not of 120",
    "steps2022/table2": "0.86 million parameters, not GPT-2",
    "steps2022/figure1": "exact weights of our own: one layer and head",
    "steps2022/figure2": "8 bits, as printed",
    "steps2022/figure3": "the runs of Table 1",
    "steps2022/figure4": "the runs of Table 1",
}
"""How each command measures, beside how the paper does; supervision is always as printed."""


def list_undecided(results: Path) -> set[tuple[str, str]]:
    """Return the statements of the papers that do not hold, or are open."""
    return {(one.command, said.text) for one, said in _statements(results) if not said.holds}


def open_statements(results: Path) -> set[tuple[str, str]]:
    """Return the statements of the papers that are open."""
    return {
        (one.command, said.text) for one, said in _statements(results) if said.verdict == "open"
    }


def table(results: Path) -> str:
    """Return a row for each statement of the three papers, in their order, variants below."""
    rows = [_row(one, said) for one, said in _statements(results)]
    columns = ["where", "what the paper says", "holds", "runs", "method", "measured; why"]
    return table_in_markdown(columns, rows)


def summary(results: Path) -> str:
    """Return how many statements of each paper hold, fail or are open, by the usual preset.

    A statement counts once: by its first variant, which is the paper's own.
    """
    rows = []
    for page, title in papers(results).items():
        counts = Counter(verdict for of, verdict in _collect_verdicts(results) if of == page)
        sums = [counts.total(), *(counts[verdict] for verdict in ("yes", "no", "open"))]
        rows.append([f"[{title}](reproducing/{page}.md)", *map(str, sums)])
    return table_in_markdown(["paper", "statements", "hold", "do not hold", "open"], rows)


def _collect_verdicts(results: Path) -> list[tuple[str, str]]:
    """Return the paper and the verdict of each statement, once."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for one, said in _statements(results):
        if one.is_usual:
            first.setdefault((one.name, said.says), (paper_of(one.name), said.verdict))
    return list(first.values())


def _statements(results: Path) -> list[tuple[Measured, Statement]]:
    return [
        (one, said)
        for page in papers(results)
        for one in load_measured(results, page)
        for said in one.experiment.check(one.result["records"])
        if said.where != "ours"
    ]


def _row(one: Measured, said: Statement) -> list[str]:
    where = f"[{one.command}](reproducing/{anchor(one)})"
    where += "" if said.where == one.experiment.item else f", {said.where}"
    measured = _short(said.measured)
    key = (one.command, said.text)
    note = NOTES.get(key, "") if said.holds else WHY[key]
    if said.verdict == "open":
        note += f" {OPEN[key].text}"
    if note:
        measured += f"{'' if measured.endswith('…') else '.'} *{note}*"
    return [where, said.text, said.shown, str(said.runs or "none"), METHOD[one.command], measured]


def _short(text: str) -> str:
    """Return a measurement up to its last part that fits."""
    if len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST]
    cut = max(kept.rfind("; "), kept.rfind(", "), kept.rfind(" ", 60))
    return f"{kept[:cut]} …"
