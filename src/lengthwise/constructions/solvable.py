"""Weights of constant depth for every language whose groups are solvable: `--as cascade`.

The automaton is decomposed into a cascade of resets and permutations (`languages.cascade`), the
cascade becomes a program of lookups and counters (`cascades`), and the program becomes weights
(`lookups`, `counters`). Depth follows from the cascade alone, whatever the length of the word: a
lookup takes a layer, and a counter five. Only the width grows with the longest word, by the square
root, as a counter reads its count in two digits.

The range. Lookups with a sharp slope are exact for words of n = `longest` symbols in float32 and
float64, and up to 256 in bfloat16 and float16. A counter whose positions add at most V is exact as
far as V (n - 1) is at most 31 in bfloat16, 255 in float16, and 8,192 in float32 and float64
(`counters`). All words are thus answered rightly at every prefix up to

    min(n, 1 + 31 // V, 256) in bfloat16,    min(n, 1 + 255 // V, 256) in float16,    n otherwise,

and n beyond 1 + 8,192 // V is refused. V is 1 for one symbol that turns a cycle, as in parity, and
at most half of the modulus.
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.constructions.automata import SURE
from lengthwise.constructions.cascades import decompose
from lengthwise.constructions.construction import Claim
from lengthwise.constructions.counters import COUNTS, MAX_COUNT
from lengthwise.constructions.defaults import PRECISIONS
from lengthwise.constructions.lookups import SHARP, SHARP_TO, LookupDesign, design_lookups
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.cascade import permuting_cascade
from lengthwise.languages.language import Language


def design_cascade(language: Language, *, longest: int = 1_000, amount: int = 0) -> LookupDesign:
    """Choose the program of a language with solvable groups, and compute the size of its network.

    The network is right on words of at most `longest` symbols. `amount` is V, the most that a
    position adds to a counter, which the language decides: 0 stands for it.

    Raises:
        ConstructionError: a group of the language is not solvable, and the message names it; or the
            language is too large, or a setting is out of range.
    """
    name = language.spec or "the language"
    try:
        program = decompose(language, permuting_cascade)
    except LanguageError as error:
        raise ConstructionError(
            f"{name} has no network of counters: {error} Use another rung, such as scan."
        ) from None
    needed = program.most_amount
    if amount not in (0, needed):
        raise ConstructionError(
            f"a position adds at most {needed} to a counter of {name}, but amount={amount}. Leave "
            f"amount out."
        )
    if needed and longest > (furthest := 1 + MAX_COUNT // needed):
        raise ConstructionError(
            f"counters of {name} are exact for words of at most {furthest:,} symbols, but "
            f"longest={longest}. Use a length up to there."
        )
    return design_lookups(program, attention=SHARP, longest=longest)


def claim_of_cascade(settings: Mapping[str, Any]) -> Claim:
    """Return the claim of networks with these settings, `longest` and `amount`."""
    return Claim(
        claim="right at every prefix of a word",
        source="ours, after Krohn and Rhodes (1965) and Liu et al. (2023), theorem 2",
        range={name: _longest(settings, name) for name in PRECISIONS},
        required_margin=SURE / 2,
        is_binary=False,
    )


def _longest(settings: Mapping[str, Any], precision: str) -> int:
    """Return the longest words of the claim in a precision."""
    longest, amount = int(settings["longest"]), int(settings["amount"])
    if precision in SHARP_TO:
        longest = min(longest, SHARP_TO[precision])
    if precision in COUNTS and amount:
        longest = min(longest, 1 + COUNTS[precision] // amount)
    return longest
