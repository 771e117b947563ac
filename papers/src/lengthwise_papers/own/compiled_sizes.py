"""Number of parameters of compiled automata: zeros and ones against integers.

The catalogue of languages, groups, 200 random automata (4 to 8 states, 2 or 3 symbols, seeds 0 to
199) and one automaton with more than 16 million elements. "Before" is the smaller network of zeros
and ones (`target=matrices` or `elements`), "now" the one that `compile --as tree` chooses, which is
verified in each precision on all short words and on drawn longer ones.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import CATALOGUE
from lengthwise.languages.spec import parse
from lengthwise.objectives.sizes import num_elements
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.constructions import zero_one_design
from lengthwise_papers.own.random_languages import uniform_automaton
from lengthwise_papers.parts import Part, PartsExperiment, group_records

LARGE = 100
"""Number of elements above which the statement is made."""

RANDOM = "random automata"

PROTOCOL = "all short words; drawn words, repeated symbols, one edit of each"


def all_maps(states: int) -> Language:
    """Return an automaton with this number of states, whose sub-words have all state maps."""
    swap = (1, 0, *range(2, states))
    cycle = (*range(1, states), 0)
    merge = (0, 0, *range(2, states))
    return Language(
        alphabet=("a", "b", "c"),
        transitions=tuple(zip(swap, cycle, merge, strict=True)),
        classes=(1, *[0] * (states - 1)),
    )


FAMILIES: Mapping[str, Callable[[str], Language]] = {
    "catalogue": parse,
    "group": lambda name: parse(f"group:{name}"),
    "all maps of n states": lambda states: all_maps(int(states)),
    RANDOM: lambda seed: uniform_automaton(int(seed)),
}
"""How the language of a name, or of a seed, is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Names, or seeds, of the languages of each family, and the words of the tests."""

    names: tuple[tuple[str, ...], ...] = (
        tuple(CATALOGUE),
        ("S3", "A4", "S4", "A5", "S5", "Z24", "Z60"),
        ("8", "12"),
        tuple(map(str, range(200))),
    )
    longest: int = 400
    words_per_length: int = 1
    all_words: int = 1 << 8


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language; `seeds` are of the words."""
    words = {key: getattr(sizes, key) for key in ("longest", "words_per_length", "all_words")}
    return [
        Part(f"{family}, {name}", {"family": family, "language": name, "seed": seed, **words})
        for seed in seeds or (0,)
        for family, names in zip(FAMILIES, sizes.names, strict=True)
        for name in names
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return the sizes of the networks of a language, and what the verification found."""
    language = FAMILIES[settings["family"]](settings["language"])
    before = None
    with suppress(ConstructionError, LanguageError):  # both are too large
        before = zero_one_design(language).num_parameters
    construction = construct(language, {"rung": "tree"})
    words = {key: settings[key] for key in ("longest", "words_per_length", "all_words", "seed")}
    verification = verify_construction(construction, **words)
    num_words = sum(precision.words for precision in verification.precisions.values())
    return [
        {
            **settings,
            "states": language.minimise().num_states,
            "symbols": language.num_symbols,
            "elements": num_elements(language),
            "before": before,
            "now": construction.num_parameters,
            "target": construction.settings["target"],
            "claim": construction.claim,
            "holds": verification.holds,
            "exhaustive_to": verification.exhaustive_to,
            "precisions": [
                name for name, precision in verification.precisions.items() if not precision.skipped
            ],
            "words_verified": num_words,
            "interval_95": list(wilson(num_words, num_words)) if verification.holds else None,
            "protocol": PROTOCOL,
        }
    ]


def _large(records: Sequence[Record]) -> list[Record]:
    """Return the records of random automata with more than `LARGE` elements."""
    random = [record for record in records if record["family"] == RANDOM]
    return [record for record in random if record["elements"] is None or record["elements"] > LARGE]


def _times(records: Sequence[Record]) -> list[float]:
    return [record["before"] / record["now"] for record in records if record["before"] is not None]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each named language, and one for each number of states of the others."""
    rows = []
    for record in records:
        if record["family"] != RANDOM:
            elements = (
                "more than 5,000" if record["elements"] is None else f"{record['elements']:,}"
            )
            before = "too large" if record["before"] is None else f"{record['before']:,}"
            times = "" if record["before"] is None else f"{record['before'] / record['now']:,.1f}"
            name = f"`{record['language']}`"
            if record["family"] != "catalogue":
                name = f"{record['family']} {name}"
            states = f"{record['states']:,}"
            rows.append(
                [name, states, elements, before, f"{record['now']:,}", record["target"], times]
            )
    random = [record for record in records if record["family"] == RANDOM]
    for (states,), of_size in sorted(group_records(random, "states").items()):
        counts = [record["elements"] for record in of_size if record["elements"] is not None]
        most = "more than 5,000" if len(counts) < len(of_size) else f"{max(counts):,}"
        before, now = (
            f"{statistics.median([r[key] for r in of_size if r[key] is not None]):,.0f}"
            for key in ("before", "now")
        )
        targets = ", ".join(sorted({record["target"] for record in of_size}))
        name = f"{len(of_size)} random automata"
        times = f"{statistics.median(_times(of_size)):,.1f}"
        rows.append([name, str(states), f"to {most}", before, now, targets, times])
    columns = ["language", "states", "elements", "parameters before", "now", "target"]
    return Table([*columns, "times fewer"], rows)


def note(records: Sequence[Record]) -> str:
    """Say what the numbers of the table are."""
    words = sum(record["words_verified"] for record in records)
    precisions = sorted({name for record in records for name in record["precisions"]})
    return (
        "“Before” is the smaller network of zeros and ones (`target=matrices` or `elements`), "
        f"“now” what `compile --as tree` chooses. Every network now was verified in "
        f"{', '.join(precisions)}: "
        f"{words:,} answers in all. The numbers of random automata are medians."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether networks are as small as they should be, and right."""
    large = _large(records)
    times = statistics.median(_times(large)) if large else 0.0
    every = _times(records)
    wrong = sum(record["holds"] is not True for record in records)
    return [
        Statement(
            "ours",
            f"random automata with more than {LARGE} elements take 20 times fewer parameters "
            f"in the median",
            times >= 20,
            f"{times:.1f} times fewer in the median of {len(large)}",
        ),
        Statement(
            "ours",
            "no network is larger than before",
            min(every) >= 1,
            f"{min(every):.2f} to {max(every):,.1f} times fewer, of {len(every)}",
        ),
        Statement(
            "ours",
            "what each network claims holds in every precision",
            not wrong,
            f"{wrong} of {len(records)} wrong",
        ),
    ]


COMPILED_SIZES = PartsExperiment(
    item="compiled sizes",
    claim="Networks of compiled automata grow with the states, and not with the monoid.",
    presets=preset_catalogue(
        smoke=Sizes(
            names=(("parity",), ("S3",), ("4",), ("0", "1")),
            longest=8,
            words_per_length=1,
            all_words=16,
        ),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
