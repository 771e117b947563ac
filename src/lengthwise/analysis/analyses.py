"""Analyses by name: how each is measured, plotted and summarised."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from lengthwise.analysis.attention import attention
from lengthwise.analysis.clusters import clusters
from lengthwise.analysis.deeper_trees import deeper_trees
from lengthwise.analysis.receptive_field import receptive_field
from lengthwise.display import Viewed
from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.registry import Catalogue
from lengthwise.tasks.task import Task

if TYPE_CHECKING:
    from lengthwise.analysis.figures import Picture

DEFAULT_LENGTH = 500
"""Default length of the words: that of section 7.3 of Chi et al. (2023)."""

LONGEST = 40
"""Length of the longest words of training, where it is not known: that of most of Table 1."""

MAX_SYMBOLS = 2**19
"""Largest number of symbols of all words together, so that time and memory are bounded."""

Record = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """An analysis of a trained model."""

    title: str
    measure: Callable[
        [nn.Module, Language, Int[Tensor, "word position"], Int[Tensor, " word"]], dict[str, Any]
    ]
    draw: Callable[[Record], "Picture"]
    numbers: Callable[[Record], list[tuple[str, str]]]
    caption: str
    """Caption of the figure."""
    meaning: Callable[[Record, "Knowledge"], str]
    """The meaning of the numbers for this model, in a few sentences."""
    is_of_training: bool = False
    """True if words have by default the greatest length of training, not `DEFAULT_LENGTH`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Knowledge:
    """The facts that are known about a model besides its analyses."""

    verdict: str | None = None
    """Verdict of its certificate or of the proof that ended its training, if there is one."""
    has_binary_memory: bool = False


def has_binary_memory(network: object) -> bool:
    """Return whether a network with these settings passes on signs only."""
    return getattr(network, "memory", None) == "binary"


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings(Viewed):
    """The result of an analysis, as `lw.interpret.analyse` returns it.

    Examples:
        >>> import lengthwise as lw
        >>> run = lw.load("zoo:parity")
        >>> found = lw.interpret.analyse(run, "receptive-field", lengths=[64], words_per_length=50)
        >>> found.numbers[0]
        ('length 64: half of the gradient', 'in the last 25 symbols')
    """

    record: Record
    known: Knowledge

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value}" for name, value in self.numbers)
        return f"Findings({self.record['figure']} of {self.record['language']}: {numbers})"

    @property
    def title(self) -> str:
        """Title of the analysis."""
        return ANALYSES[self.record["figure"]].title

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """The figures as names and values for people to read."""
        return ANALYSES[self.record["figure"]].numbers(self.record)

    @property
    def meaning(self) -> str:
        """The meaning of the numbers for this model."""
        return ANALYSES[self.record["figure"]].meaning(self.record, self.known)

    @property
    def caption(self) -> str:
        """Caption of the figure, with the definitions of the numbers."""
        return ANALYSES[self.record["figure"]].caption

    def draw(self) -> "Picture":
        """Draw the figure, by matplotlib.

        Raises:
            MissingLibraryError: matplotlib is not installed.
        """
        return ANALYSES[self.record["figure"]].draw(self.record)


def analysis_of(
    name: str,
    model: nn.Module,
    task: Task,
    *,
    lengths: Sequence[int] = (),
    words_per_length: int = 100,
    seed: int = 0,
    longest: int = LONGEST,
) -> dict[str, Any]:
    """Run one analysis on uniform words of the task's language, and return its record.

    Without `lengths`, the length is 500, or `longest`, that of training, for `deeper-trees`; where
    it has no word, it is the longest below that has one.

    Raises:
        ConfigError: there is no such analysis, or the model is not a RegularGPT.
        TaskError: a length has no word or no positions, or there are too many symbols.
        LanguageError: the language has too many elements.
        ClaimError: something is not finite.
    """
    entry = ANALYSES[name]
    usual = longest if entry.is_of_training else DEFAULT_LENGTH
    sorted_lengths = sorted(set(lengths)) or [_usual_length(task, usual)]
    if sorted_lengths[0] < 1 or words_per_length < 1:
        raise TaskError("an analysis needs one word at least, of lengths of 1 or more.")
    if sorted_lengths[-1] * words_per_length > MAX_SYMBOLS:
        raise TaskError(
            f"{words_per_length} words of {sorted_lengths[-1]} symbols are more than "
            f"{MAX_SYMBOLS:,} symbols at once. Ask for shorter or fewer words."
        )
    word_lengths = torch.tensor(sorted_lengths).repeat_interleave(words_per_length)
    tokens = task.sampler.draw_any(word_lengths, torch.Generator().manual_seed(seed))
    return {
        "figure": name,
        "language": task.language.spec or "a machine",
        "lengths": sorted_lengths,
        "words_per_length": words_per_length,
        "seed": seed,
        **entry.measure(model, task.language, tokens, word_lengths),
    }


def record_path(folder: Path, name: str) -> Path:
    """Return the path of the record of an analysis in a run folder."""
    return folder / "analysis" / f"{name}.json"


def _usual_length(task: Task, most: int) -> int:
    lengths = task.lengths(1, most)
    return lengths[-1] if lengths else most  # drawing will say that there is no word


def _cluster_numbers(record: Record) -> list[tuple[str, str]]:
    gap, ratio = record["gap"], record["gap_to_spread"]
    first, second = record["explained"][:2]
    return [
        ("vectors", f"{record['points']} of {record['nodes']} distinct sub-words"),
        ("elements seen", str(len(record["elements"]))),
        ("purity", f"{100 * record['purity']:.2f} %"),
        ("gap", "none: one element only" if gap is None else f"{gap:.3f}"),
        ("spread", f"{record['spread']:.3f}"),
        ("gap to spread", "none" if ratio is None else f"{ratio:.2f}"),
        ("explained variance", f"{100 * first:.1f} % and {100 * second:.1f} %"),
    ]


def _field_numbers(record: Record) -> list[tuple[str, str]]:
    numbers = []
    for curve in record["curves"]:
        at = f"length {curve['length']}: "
        numbers += [
            (f"{at}half of the gradient", f"in the last {curve['half']} symbols"),
            (f"{at}farthest from straight", f"{curve['deviation']:.3f}"),
            (f"{at}least share of a position", f"{curve['least']:.3f} / {curve['length']}"),
        ]
    return numbers


def _attention_numbers(record: Record) -> list[tuple[str, str]]:
    return [
        (f"head {head + 1}", f"{focus:.3f} of its weight on child {favourite + 1}")
        for head, (focus, favourite) in enumerate(
            zip(record["focus"], record["favourite"], strict=True)
        )
    ]


def _tree_numbers(record: Record) -> list[tuple[str, str]]:
    return [
        (
            f"length {curve['length']}, {point['levels']} levels",
            f"{100 * point['accuracy']:.2f} % right, {100 * point['kept']:.2f} % as before",
        )
        for curve in record["curves"]
        for point in curve["points"]
    ]


def _cluster_meaning(record: Record, known: Knowledge) -> str:
    purity, ratio = record["purity"], record["gap_to_spread"]
    elements = len(record["elements"])
    if elements == 1:
        return "All these sub-words do the same, so there is nothing that vectors could confuse."
    if ratio is not None and ratio > 2:
        sentence = (
            f"The {elements} elements lie apart (gap to spread {ratio:.2f}, above 2), so the "
            f"vector of one of these sub-words alone tells what it does."
        )
    elif record["gap"] == 0:
        sentence = "Some sub-words that do different things have the same vector."
    else:
        sentence = (
            f"The {elements} elements do not form one compact cluster each (gap to spread "
            f"{'none' if ratio is None else f'{ratio:.2f}'}, not above 2)."
        )
    if known.verdict == "counterexample":
        return f"{sentence} The model is known to be wrong on a word; see its certificate."
    if known.verdict != "equivalent":
        return f"{sentence} Whether the model is right at every length, only certify can tell."
    if purity < 1:
        sentence += (
            f" The model is nevertheless proved right at every length, with a purity of "
            f"{100 * purity:.2f} %: k-means groups vectors by distance, and one element may have "
            f"several vectors far from each other, so that a cluster holds parts of several."
        )
        if known.has_binary_memory:
            sentence += (
                " The model passes on only signs computed from these vectors, which the proof "
                "follows one by one; how far they are from each other does not matter to it."
            )
        return sentence
    return f"{sentence} The model is proved right at every length."


def _field_meaning(record: Record, known: Knowledge) -> str:
    del known
    longest = max(record["curves"], key=lambda curve: curve["length"])
    length, half, least = longest["length"], longest["half"], longest["least"]
    reads = (
        "every position has some share of the gradient, so the answer can depend on all of them"
        if least > 0
        else "some position has no share of the gradient, so a small change there changes nothing"
    )
    even = abs(half - length / 2) <= length / 10
    place = (
        "the halves of the word count about alike"
        if even
        else f"the last {half} of {length} symbols hold half of the gradient"
    )
    return (
        f"At length {length} {reads}; {place}. A gradient says what a small change would do, and "
        f"not whether the answer is right."
    )


def _attention_meaning(record: Record, known: Knowledge) -> str:
    del known
    favourites = {child + 1 for child in record["favourite"]}
    if len(favourites) > 1:
        preference = f"Heads prefer different children ({', '.join(map(str, sorted(favourites)))})"
    else:
        preference = f"All heads prefer child {min(favourites)}"
    sharp = sum(focus > 0.9 for focus in record["focus"])
    return (
        f"{preference}; {sharp} of {len(record['focus'])} put over 90 % of their weight on one. "
        f"Heads that mix the children in different shares can together still tell them apart."
    )


def _tree_meaning(record: Record, known: Knowledge) -> str:
    longest = max(record["curves"], key=lambda curve: curve["length"])
    usual_tree, *deeper = longest["points"]
    least = min(deeper, key=lambda point: point["kept"])
    if least["kept"] == 1:
        sentence = "No answer changes: what a node holds means the same at further levels."
    else:
        sentence = (
            f"Of the answers to words of {longest['length']} symbols, which have "
            f"{usual_tree['levels']} levels, {100 * least['kept']:.2f} % stay with "
            f"{least['levels']}: what a node holds changes its meaning from level to level."
        )
    if known.verdict == "equivalent":
        return f"{sentence} In their own trees words of every length are proved right."
    return f"{sentence} Longer words have further levels, too, but the pad beside no inner node."


def _figures() -> ModuleType:
    """Return the module that draws; only drawing needs matplotlib."""
    from lengthwise.analysis import figures  # noqa: PLC0415

    return figures


ANALYSES: Catalogue[Analysis] = Catalogue(
    "figure",
    {
        "clusters": Analysis(
            title="Vectors of sub-words",
            measure=clusters,
            draw=lambda record: _figures().clusters_figure([record]),
            numbers=_cluster_numbers,
            meaning=_cluster_meaning,
            caption="Each point is the feed-forward output of one distinct sub-word, at any level, "
            "on its two principal components; the colour is what the sub-word does to the "
            "machine, named by the shortest word that does it. Purity is the share of vectors that "
            "are of the commonest colour of their cluster, in k-means that knows the number of "
            "colours and no colour. Gap is the smallest distance between two colours, spread the "
            "largest of a vector from the mean of its own, both before the projection: past a "
            "ratio of 2, no two vectors of one colour are as far apart as any two of different "
            "colours.",
        ),
        "receptive-field": Analysis(
            title="Receptive field",
            measure=receptive_field,
            draw=lambda record: _figures().receptive_field_figure([record]),
            numbers=_field_numbers,
            meaning=_field_meaning,
            caption="The share of the gradient of the largest logit that the most recent symbols "
            "hold, added up from the end of the word (right) to its start (left); mean over words. "
            "On the grey line all positions count alike; a flat piece would not count at all.",
        ),
        "attention": Analysis(
            title="Attention",
            measure=attention,
            draw=lambda record: _figures().attention_figure(record),
            numbers=_attention_numbers,
            meaning=_attention_meaning,
            caption="Mean attention weights of each head (one panel each) on the children of a "
            "chunk, in the order of the word, at each level of the tree; level 1 reads symbols. A "
            "dark cell takes all of the weight. Heads of different children put them side by side "
            "for the feed-forward network.",
        ),
        "deeper-trees": Analysis(
            title="Deeper trees",
            measure=deeper_trees,
            draw=lambda record: _figures().deeper_trees_figure(record),
            numbers=_tree_numbers,
            meaning=_tree_meaning,
            is_of_training=True,
            caption="Accuracy on the same words where every node above the symbols passes further "
            "levels once it is composed, each a chunk of it alone beside the pad. The pad stands "
            "for the empty word, so the answer should stay the same.",
        ),
    },
)
