"""The table of verdicts: every statement of the papers, whether it holds here, and if not, why."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lengthwise.escapes import table_in_markdown
from lengthwise_papers.experiment import Record, Statement
from reproduced import Measured, measured, paper_of, papers
from wrapping import wrapped

_LONGEST = 120
"""Characters of a measurement that the table shows; the paper's page has all."""

WHY: Mapping[tuple[str, str], str] = {
    ("chi2023/table1", "RegularGPT C=3 reaches what is printed, best and mean"): (
        "Nine rows of 12 do. In Parity and Tomita 5 one seed, or two of three, stay at chance; on "
        "words that grow both reach it. Modular Arithmetic is at chance, as in the paper, but "
        "after 5,000 or 6,000 steps, where C=2 had 60,000 and more losses, so it says nothing of C."
    ),
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
        "the body (pretrained, frozen) learns addition if it is told the carries first",
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
        "most rows of the decoder (trained, learned positions) resemble those of the hand-coded "
        "one",
    ): "With hand-coded positions most do; the paper does not say which its decoder has.",
}
"""By command and statement. Each statement that does not hold has a sentence."""


NOTES: Mapping[tuple[str, str], str] = {
    ("chi2023/table1", "RegularGPT C=2 reaches what is printed, best and mean"): (
        "In Modular Arithmetic two losses, `closure` and `consensus`, were found in sight of words "
        "of 41 to 500 symbols."
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


def failing(results: Path) -> set[tuple[str, str]]:
    """Return the statements of the papers that do not hold."""
    return {(one.command, said.says) for one, said in _statements(results) if not said.holds}


def table(results: Path) -> str:
    """Return a row for each statement of the three papers, in their order."""
    rows = [_row(one.command, said, one.result["records"]) for one, said in _statements(results)]
    columns = [
        "where",
        "what the paper says",
        "holds",
        "seeds",
        "measured; why, if it does not hold",
    ]
    return table_in_markdown(columns, rows)


def summary(results: Path) -> str:
    """Return how many statements of each paper hold, by the records of the usual preset."""
    said = []
    usual = [(one, said.holds) for one, said in _statements(results) if one.is_usual]
    for page, title in papers(results).items():
        found = [holds for one, holds in usual if paper_of(one.name) == page]
        said.append(f"{sum(found)} of {len(found)} of [{title}](reproducing/{page}.md)")
    return wrapped(f"{', '.join(said[:-1])} and {said[-1]} hold.")


def _statements(results: Path) -> list[tuple[Measured, Statement]]:
    return [
        (one, said)
        for page in papers(results)
        for one in measured(results, page)
        for said in one.experiment.check(one.result["records"])
        if said.where != "ours"
    ]


def _row(name: str, one: Statement, records: Sequence[Record]) -> list[str]:
    where = f"[{name}](reproducing/{paper_of(name)}.md), {one.where}"
    holds = "yes" if one.holds else "**no**"
    measured = _short(one.measured)
    key = (name, one.says)
    if told := NOTES.get(key, "") if one.holds else WHY[key]:
        measured += f"{'' if measured.endswith('…') else '.'} *{told}*"
    return [where, one.says, holds, _seeds(records), measured]


def _seeds(records: Sequence[Record]) -> str:
    """Return how many seeds a cell has, if anything is trained."""
    cells: dict[tuple[str | int | None, ...], set[int]] = {}
    for one in records:
        if "seed" in one:
            cell = tuple(one.get(name) for name in ("row", "column", "position", "scale", "length"))
            cells.setdefault(cell, set()).add(one["seed"])
    if not cells:
        return "1" if any("steps" in one for one in records) else "none"
    counts = [len(seeds) for seeds in cells.values()]
    return str(max(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _short(text: str) -> str:
    """Return a measurement up to its last part that fits."""
    if len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST]
    cut = max(kept.rfind("; "), kept.rfind(", "), kept.rfind(" ", 60))
    return f"{kept[:cut]} …"
