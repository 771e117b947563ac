"""The table of verdicts: every statement of the papers, whether it holds here, and if not, why."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from lengthwise.escapes import table_in_markdown
from lengthwise_papers.experiment import Statement
from remaining import OPEN
from reproduced import Measured, measured, paper_of, papers
from wrapping import wrapped

_LONGEST = 120
"""Characters of a measurement that the table shows; the paper's page has all."""

WHY: Mapping[tuple[str, str], str] = {
    (
        "chi2023/figure3",
        "the cumulated gradient of a regular language is a slanted line (to 0.05 of its height)",
    ): (
        "Of Cycle Navigation it is. Of PARITY half of the gradient is that of the last 138 of 500 "
        "symbols, though every symbol counts."
    ),
    ("chi2023/table1", "RegularGPT C=3 reaches what is printed, best and mean"): (
        "Nine rows of 11 do. In Parity and Tomita 5 one seed of three stays at chance; on growing "
        "words both reach it. Seeds scatter, so that ten would decide more than three."
    ),
    (
        "chi2023/table1",
        "RegularGPT C=2 reaches what is printed in Modular Arithmetic, best and mean",
    ): (
        "With the paper's words and loss two seeds had 52.0 and 51.6 % after 120,000 steps (commit "
        "976a8a9)."
    ),
    (
        "chi2023/table1",
        "RegularGPT C=3 reaches what is printed in Modular Arithmetic, best and mean",
    ): "13 to 18 hours of a core for each seed.",
    (
        "chi2023/table1",
        "RegularGPT C=3 reaches what is printed in Modular Arithmetic, best and mean (trained in "
        "another way, 5,000 steps)",
    ): "It is at chance, as printed, and 1.1 and 0.6 points below.",
    ("chi2023/table1", "a larger C makes Modular Arithmetic hard to learn"): (
        "C=3 has had fewer steps and losses than C=2: the authors' settings, for both, decide."
    ),
    (
        "chi2023/table1",
        "RegularGPT substantially outperforms a vanilla Transformer (C=2, its mean by 5 points in "
        "every row)",
    ): (
        "On growing words the Transformer here is right in these rows, too; it has 0.27 million "
        "parameters, the paper's 4.3 million."
    ),
    (
        "chi2023/table2",
        "a Transformer is poor at 40 symbols, too, where P(1) = 0.9 (below 77 + 5)",
    ): "It is worst there, as in the paper, but one run of another size decides nothing.",
    **dict.fromkeys(
        (
            ("chi2023/table2", f"a Transformer is {what} (trained at P(1) = 0.5)")
            for what in (
                "far from right beyond 40 symbols, where an RNN is right",
                "poor at 40 symbols, too, where P(1) = 0.9 (below 77 + 5)",
            )
        ),
        "Its run at 0.5 is older than this reading, and was not tested elsewhere.",
    ),
    (
        "chi2023/table3",
        "with C = 256 performance deteriorates beyond the training length (1.1 times and more)",
    ): "A GPU makes it in hours.",
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from weak supervision (below 0.5)",
    ): "It does not where it was run; the paper's best of 120 has 0.2529 at n = 16.",
    (
        "steps2022/table1",
        "from n = 16 the decoder does not learn addition from medium supervision (below 0.05)",
    ): "It does not where it was run.",
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, positions trained)",
    ): "It does where it was run.",
    (
        "steps2022/table2",
        "from n = 16 on the body learns it from no other supervision (pretrained, positions "
        "trained)",
    ): "It does not where it was run.",
    ("chi2023/table3", "and explodes beyond"): (
        "With norms before the branches, as in GPT-2, the level that training never had does "
        "little harm; with norms after them, as in the authors' code for languages, the statement "
        "holds."
    ),
    ("chi2023/table3", "and explodes beyond (20,000 steps)"): (
        "Five times the training changes little; where the norms stand decides."
    ),
    ("chi2023/table3", "twice the thickness is better, at every length"): (
        "One seed of each, and another changes perplexity by 1 to 3.5 %. With norms after the "
        "branches it holds."
    ),
    (
        "chi2023/figure4",
        "nine tenths of RegularGPT's gradient are those of the last half of the tokens",
    ): (
        "Five networks of 12 have less: four of the five with norms after the branches (81.1 to "
        "88.4 %), and one with norms before (88.2 %). The paper has a curve, of which this number "
        "is our reading."
    ),
    ("chiang2022/table1", "with all lengths in training, scaling has no significant effect"): (
        "Scaled logits are 3 to 4 times as large from the first step on, and these runs end while "
        "the loss still falls; longer training was tried with short sentences alone. Other texts, "
        "too: the Bible, not IWSLT'15."
    ),
    (
        "chiang2022/table1",
        "trained on short sentences, the scaled one translates long ones better (p < 0.01)",
    ): (
        "The same: the gap is 1.33 BLEU after 1,200 steps, 0.48 after 4,800, and closed in the "
        "mean after 9,600 (+1.18, where the baseline is off, +0.28 and -0.40). With a factor that "
        "is 1 at 32 tokens no difference is significant (p at least 0.056). All three scales end "
        "translations too early (0.56 to 0.59 of the reference's words)."
    ),
    (
        "chiang2022/figure4",
        "with scaling the test accuracy is perfect for all training lengths (fixed positions)",
    ): (
        "Of 20 runs 17, 20, 19 and 17 are right on every word. Three with n = 10 learn an answer "
        "that does not carry, and the four others have not learned at all. With the learned map of "
        "an early version of the authors' code all 80 runs are right."
    ),
    ("chiang2022/figure4", "and so is the cross-entropy (fixed positions)"): "The same.",
    (
        "chiang2022/figure4",
        "without scaling the accuracy on 1000 symbols is not perfect (early positions)",
    ): "With the learned map n = 100 and 300 carry without scaling; with fixed positions it holds.",
    ("chiang2022/figure4", "scaling brings more attention to the first symbol (early positions)"): (
        "It does for n = 10, 30 and 100; with fixed positions for all four."
    ),
    (
        "steps2022/figure3",
        "the best is reached with sinusoidal positions (each kind is trained in its own way)",
    ): (
        "At n = 24 no decoder of width 128 learns it: with sinusoids it finds the gates of half "
        "the places, with learned positions more of them. Hand-coded positions do (0.9999), at "
        "width 256."
    ),
    ("steps2022/figure4", "1,000 examples suffice for the best, but for n = 40 (to 0.01)"): (
        "They do for n = 8. For n = 16 and 24 one decoder of width 128 learns less from them in "
        "6,000 steps; the paper has the best of 60 runs."
    ),
    (
        "steps2022/table2",
        "the body learns addition if it is given the carries first (pretrained, frozen)",
    ): (
        "The body here is much smaller than GPT-2. With its positions trained, as Lu et al. train "
        "them, it learns."
    ),
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as is printed (pretrained, frozen)",
    ): (
        "Larger ones, pretrained and trained for longer, do better, but none of up to 25 million "
        "parameters learns it (0.0334; own/body-sizes)."
    ),
    (
        "steps2022/table2",
        "at n = 8 weak supervision is enough, as is printed (pretrained, positions trained)",
    ): (
        "Nor one of 5 million parameters (0.0297). One of 25 million has half of the pairs right "
        "(0.4957), and with random weights 1.0000 (own/body-sizes, one seed and two)."
    ),
    (
        "steps2022/figure2",
        "most rows of the decoder resemble those of the hand-coded one (trained, learned "
        "positions)",
    ): "With hand-coded positions most do; the paper does not say which its decoder has.",
}
"""By command and statement: why it does not hold, or is open."""


NOTES: Mapping[tuple[str, str], str] = {
    (
        "chi2023/table1",
        "RegularGPT C=2 reaches what is printed in Modular Arithmetic, best and mean (trained in "
        "another way, 60,000 steps)",
    ): (
        "With Muon, growing words and three losses of ours. Two, `closure` and `consensus`, were "
        "found in sight of words of 41 to 500 symbols."
    ),
    ("chi2023/table1", "RNN reaches what is printed, best and mean"): (
        "In Modular Arithmetic its 40,000 steps were chosen after 20,000 had shown 97.8 %."
    ),
    ("steps2022/table1", "strong supervision reaches what is printed, to 0.001"): (
        "The best of 3 to 15 runs, where the paper has the best of 120: with n = 24, 32 and 40 one "
        "run does, with n = 48 two of five."
    ),
    ("chi2023/table3", "and explodes beyond (norms after the branches)"): (
        "Printed: 25 and 38 times; here it counts from twice."
    ),
    (
        "chi2023/table1",
        "a Transformer is far from right on rows where the paper's is at chance or near it, and an "
        "RNN is right, from the same data",
    ): (
        "On the seven other rows its mean is above what is printed, but in Even Pairs: in D_2, "
        "Tomita 3 and 4 every seed is right on every word."
    ),
    ("chi2023/table3", "neither the smallest nor the largest chunk carries best"): (
        "One seed; another changes perplexity by 1 to 3.5 %, and C = 64 and 96 differ by 3.6 %."
    ),
}
"""Of statements that hold: what else a reader must know."""


METHOD: Mapping[str, str] = {
    "chi2023/table1": "ours: fewer steps, settings by row; the paper's words and supervision",
    "chi2023/table1 --preset paper": "the authors' settings; seeds and rows as the table says",
    "chi2023/table2": "ours: fewer steps, Muon; tested at the P(1) of training, or trained at 0.5",
    "chi2023/table3": "ours: smaller networks and texts, windows of 128",
    "chi2023/figure3": "ours: networks of our own training, one for each language",
    "chi2023/figure4": "ours: the networks of Table 3",
    "chi2023/scratchpad": "ours: the paper has an argument, and no measurement",
    "chiang2022/table1": "ours: smaller networks, another text",
    "chiang2022/ffnn": "as printed: exact weights",
    "chiang2022/figure2": "as printed: exact weights",
    "chiang2022/figure3": "as printed: exact weights",
    "chiang2022/figure4": "as printed; 50 test words after every fifth epoch",
    "chiang2022/parity": "as printed, with 32 words at a step and no shared initial layer",
    "steps2022/table1": "ours: the best of 1 to 15 runs, not of 120",
    "steps2022/table2": "ours: a body of 0.86 million parameters, not GPT-2",
    "steps2022/figure1": "as printed: exact weights",
    "steps2022/figure2": "ours: 8 bits, one run",
    "steps2022/figure3": "ours: the runs of Table 1",
    "steps2022/figure4": "ours: the runs of Table 1",
}
"""How each command measures, beside how the paper does; supervision is always as printed."""


def undecided(results: Path) -> set[tuple[str, str]]:
    """Return the statements of the papers that do not hold, or are open."""
    return {(one.command, said.text) for one, said in _statements(results) if not said.holds}


def open_statements(results: Path) -> set[tuple[str, str]]:
    """Return the statements of the papers that are open."""
    return {
        (one.command, said.text) for one, said in _statements(results) if said.verdict == "open"
    }


def table(results: Path) -> str:
    """Return a row for each statement of the three papers, in their order, variants below."""
    rows = [_row(one.command, said) for one, said in _statements(results)]
    columns = ["where", "what the paper says", "holds", "runs of a cell", "method", "measured; why"]
    return table_in_markdown(columns, rows)


def summary(results: Path) -> str:
    """Return how many statements of each paper hold, fail or are open, by the usual preset.

    A statement counts once: by its first variant, which is the paper's own.
    """
    said = []
    for page, title in papers(results).items():
        counts = Counter(verdict for of, verdict in _counted(results) if of == page)
        said.append(
            f"[{title}](reproducing/{page}.md) makes {counts.total()} statements: {counts['yes']} "
            f"hold, {counts['no']} do not, {counts['open']} are open."
        )
    return wrapped(" ".join(said))


def _counted(results: Path) -> list[tuple[str, str]]:
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
        for one in measured(results, page)
        for said in one.experiment.check(one.result["records"])
        if said.where != "ours"
    ]


def _row(command: str, one: Statement) -> list[str]:
    where = f"[{command}](reproducing/{paper_of(command)}.md), {one.where}"
    measured = _short(one.measured)
    key = (command, one.text)
    note = NOTES.get(key, "") if one.holds else WHY[key]
    if one.verdict == "open":
        note += f" {OPEN[key].text}"
    if note:
        measured += f"{'' if measured.endswith('…') else '.'} *{note}*"
    return [where, one.text, one.shown, str(one.runs or "none"), METHOD[command], measured]


def _short(text: str) -> str:
    """Return a measurement up to its last part that fits."""
    if len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST]
    cut = max(kept.rfind("; "), kept.rfind(", "), kept.rfind(" ", 60))
    return f"{kept[:cut]} …"
