"""Networks of every rung are right on random languages of their class, and how large they are.

`scan` is asked about 200 random automata (4 to 8 states, 2 or 3 symbols), `ltl` about 100 random
formulas of past-time logic and 100 random star-free automata (3 to 6 states), with softmax, and
once more with hard attention, `cascade` about 200 random automata that have a group (2 to 4
states), and `c-rasp` about 200 random automata of its class (3 to 6 states). In float32 every
network answers all words of at most 10 symbols, and each prefix of 1,000 random words. Their
lengths grow geometrically from 11 to 1,000, which is the end of the claim of softmax (to 256 for
`scan`, which claims every length); there are at least 4 words of each length, and more of short
ones. The right answer is the class of the automaton, run symbol by symbol. Then the network is
verified in four precisions on words of at most 256 symbols, the end of the claim in bfloat16 (64
for `scan`). A language whose network would be too large is recorded with the reason.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lengthwise.constructions.construction import Computed
from lengthwise.constructions.defaults import COMPARED_AT
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.rungs import RUNGS
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.language import Language
from lengthwise.models.causal_recogniser import PrefixRecogniser
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import (
    random_c_rasp,
    random_counting,
    random_formula,
    random_star_free,
    uniform_automaton,
)
from lengthwise_papers.parts import Part, PartsExperiment, group_records

FAMILIES: Mapping[str, tuple[Callable[[int], Language], tuple[Mapping[str, str], ...]]] = {
    "automata": (uniform_automaton, ({"rung": "scan"},)),
    "formulas": (
        random_formula,
        ({"rung": "ltl"}, {"rung": "ltl", "attention": "rightmost"}),
    ),
    "star-free automata": (
        random_star_free,
        ({"rung": "ltl"}, {"rung": "ltl", "attention": "rightmost"}),
    ),
    "automata with a group": (random_counting, ({"rung": "cascade"},)),
    "automata of C-RASP": (random_c_rasp, ({"rung": "c-rasp"},)),
}
"""The function that draws the language of a seed, and the networks that it gets."""

SHORT = 10
"""Length up to which all words are asked."""

SYMBOLS_AT_ONCE = 1 << 13  # wide networks of counters are twice as fast as with 1 << 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Numbers of languages of each family, and of words."""

    languages: tuple[int, ...] = (200, 100, 100, 200, 200)
    words: int = 1_000
    longest: tuple[int, ...] = (256, 1_000, 1_000, 1_000, 1_000)
    """Longest random words of each family."""
    verified_to: tuple[int, ...] = (64, 256, 256, 256, 256)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language; `seeds` are those of the languages."""
    return [
        Part(
            f"{family}, {seed}",
            {
                "family": family,
                "seed": seed,
                "words": sizes.words,
                "longest": longest,
                "verified_to": verified_to,
            },
        )
        for family, count, longest, verified_to in zip(
            FAMILIES, sizes.languages, sizes.longest, sizes.verified_to, strict=True
        )
        for seed in seeds or range(count)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return a record for each network of a language, or why there is none."""
    draw, networks = FAMILIES[settings["family"]]
    language = draw(settings["seed"])
    tree = construct(language, {"rung": "tree"})
    records: list[Record] = []
    asked_how = {
        "protocol": "every prefix of all short words, and of 1,000 random words",
        "words_per_length": None,  # lengths grow geometrically
    }
    for network_settings in networks:
        try:
            construction = construct(language, network_settings)
        except ConstructionError as error:
            refusal = {"refused": str(error), "interval_95": None}
            records.append({**settings, **network_settings, **refusal, **asked_how})
            continue
        num_asked, wrong = _count_answers(construction, language, settings)
        verified = verify_construction(
            construction, longest=settings["verified_to"], all_words=64, words_per_length=1
        )
        rung = RUNGS[network_settings["rung"]]
        design = rung.design(language, **{k: v for k, v in network_settings.items() if k != "rung"})
        records.append(
            {
                **settings,
                **network_settings,
                "language": language.spec or None,
                "symbols": language.num_symbols,
                "states": language.minimise().num_states,
                "answers": num_asked,
                "wrong": wrong,
                "interval_95": list(wilson(num_asked - wrong, num_asked)),
                "precision": "float32",
                "holds": verified.holds,
                "precisions": [
                    name for name, precision in verified.precisions.items() if not precision.skipped
                ],
                "layers": rung.depth(design, COMPARED_AT),
                "heads": construction.model.config.num_heads,  # type: ignore[union-attr]
                "parameters": construction.num_parameters,
                "tree_layers": RUNGS["tree"].depth(_Built(tree), COMPARED_AT),
                "tree_parameters": tree.num_parameters,
                **asked_how,
            }
        )
    return records


@dataclass(frozen=True)
class _Built:
    """A network that was built, as its design."""

    made: Computed

    @property
    def config(self) -> Any:
        """Shape of the network."""
        return self.made.model.config


def _count_answers(
    construction: Computed, language: Language, settings: Mapping[str, Any]
) -> tuple[int, int]:
    """Return the number of prefixes that a network was asked about, and of wrong answers."""
    model = construction.model.float()
    assert isinstance(model, PrefixRecogniser)
    num_asked = wrong = 0
    with torch.no_grad():
        empty = torch.zeros(1, 0, dtype=torch.int64)
        wrong += int(model(empty).argmax()) != language.classify(())
        for words in _words(language, settings):
            for part in torch.split(words, max(1, SYMBOLS_AT_ONCE // words.shape[1])):
                answers = model.every_position(part).argmax(dim=-1)
                right = _prefix_classes(language, part)
                num_asked += right.numel()
                wrong += int((answers != right).sum())
    construction.model.double()
    return num_asked + 1, wrong


def _words(language: Language, settings: Mapping[str, Any]) -> Iterator[Tensor]:
    """Yield all words of one short length, and random words of longer ones."""
    count, short = language.num_symbols, SHORT
    powers = count ** torch.arange(short - 1, -1, -1)
    yield torch.arange(count**short)[:, None] // powers % count
    generator = torch.Generator().manual_seed(settings["seed"])
    steps = 20
    ratio = (settings["longest"] / 11) ** (1 / (steps - 1))
    lengths = [min(settings["longest"], round(11 * ratio**k)) for k in range(steps)]
    share = settings["words"] / math.fsum(1 / length for length in lengths)
    left = settings["words"]
    for length in reversed(lengths):  # the shortest get what is left
        number = left if length == lengths[0] else min(left, max(4, int(share / length)))
        left -= number
        if number:
            yield torch.randint(count, (number, length), generator=generator)


def _prefix_classes(language: Language, words: Tensor) -> Tensor:
    """Return the class of every prefix, by the automaton alone, symbol by symbol."""
    steps, classes = torch.tensor(language.transitions), torch.tensor(language.classes)
    state = torch.full((len(words),), language.start)
    of_prefixes = []
    for symbol in words.T:
        state = steps[state, symbol]
        of_prefixes.append(classes[state])
    return torch.stack(of_prefixes, dim=1)


_ATTENTION = {
    "scan": "softmax over hops",
    "ltl": "softmax",
    "cascade": "softmax that counts",
    "c-rasp": "uniform",
}
"""The attention of a network, by its rung."""


def _group_by_attention(records: Sequence[Record]) -> dict[tuple[str, str, str], list[Record]]:
    with_attention = [
        {**record, "attention": record.get("attention", _ATTENTION[record["rung"]])}
        for record in records
    ]
    return group_records(with_attention, "family", "rung", "attention")


def _select_built(records: Sequence[Record]) -> list[Record]:
    """Return the records of networks, without those of languages that were refused."""
    return [record for record in records if "refused" not in record]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each family and network."""
    rows = []
    for (family, rung, attention), of_family in _group_by_attention(records).items():
        built = _select_built(of_family)
        layers, parameters, before = (
            [record[key] for record in built] for key in ("layers", "parameters", "tree_parameters")
        )
        refused = len(of_family) - len(built)
        rows.append(
            [
                f"{len(of_family)} random {family}{f', {refused} refused' if refused else ''}",
                f"`{rung}`, {attention}",
                f"{statistics.median(record['states'] for record in built):.0f}",
                f"{statistics.median(layers):.0f} (to {max(layers)})",
                f"{statistics.median(record['tree_layers'] for record in built):.0f}",
                f"{statistics.median(parameters):,.0f}",
                f"{statistics.median(before):,.0f}",
                f"{sum(record['answers'] for record in built):,}",
                str(sum(record["wrong"] for record in built)),
                f"{sum(record['holds'] is True for record in built)} of {len(built)}",
            ]
        )
    columns = ["languages", "network", "states", "layers at 1,000 symbols", "of the tree"]
    more = ["parameters", "of the tree", "answers in float32", "wrong", "verified"]
    return Table([*columns, *more], rows)


def note(records: Sequence[Record]) -> str:
    """Say what the numbers of the table are, and what was refused."""
    precisions = sorted(
        {name for record in _select_built(records) for name in record["precisions"]}
    )
    refused = [record for record in records if "refused" in record]
    return (
        "States, layers and parameters are medians. An answer is that of a prefix of a word: all "
        "words of at most 10 symbols, and 1,000 random words of up to 1,000 "
        f"symbols (256 for `scan`) for each network. “Verified” is in {', '.join(precisions)}, to "
        "256 symbols (64)."
        + "".join(
            f" Of {record['family']} that of seed {record['seed']} is refused: {record['refused']}"
            for record in refused
        )
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all networks are right."""
    records = _select_built(records)
    wrong, num_asked = (sum(record[key] for record in records) for key in ("wrong", "answers"))
    failed = sum(record["holds"] is not True for record in records)
    shallow = [record for record in records if record["rung"] == "ltl"]
    fewer = sum(record["layers"] < record["tree_layers"] for record in shallow)
    return [
        Statement(
            "ours", "no network gives a wrong answer", wrong == 0, f"{wrong} of {num_asked:,} wrong"
        ),
        Statement(
            "ours",
            "what each network claims holds in every precision",
            failed == 0,
            f"{failed} of {len(records)} do not",
        ),
        Statement(
            "ours",
            "nine of ten networks of lookups have fewer layers than the tree",
            fewer >= 0.9 * len(shallow),
            f"{fewer} of {len(shallow)}",
        ),
    ]


RUNG_SIZES = PartsExperiment(
    item="rungs",
    claim="Networks of every rung are right, and star-free languages need few layers.",
    presets=preset_catalogue(
        smoke=Sizes(languages=(1, 2, 1, 1, 1), words=100, longest=(20,) * 5, verified_to=(6,) * 5),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
