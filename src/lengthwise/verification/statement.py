"""The wording of claims, and the terms under which they hold.

Texts of a file are printed so that none can be mistaken for something else: anything but a plain
word is quoted, and characters that cannot be printed are escaped.
"""

import hashlib
import json
import re
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING

from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.spec import may_change
from lengthwise.wording import counted

if TYPE_CHECKING:
    from lengthwise.verification.certificate import Certificate

_PLAIN = re.compile(r"[0-9A-Za-z:,=_.()|*+?\[\]{}^-]+")

_WHO = {
    "discrete": "The model as it runs",
    "structural": "The model as it runs",
    "snapped": "The model with its vectors snapped to the nearest representatives",
    "robust": "The model as it runs, by bounds on all its vectors,",
}

_RUNS = (
    "an answer is the class with the largest logit",
    "words stand at the right of their rows, and their lengths are given",
    f"the model is {{network}} of lengthwise {version('lengthwise')}, in eval mode, with nothing "
    f"of its code replaced and no hooks",
    "arithmetic is that of the weights' type: rounded to nearest, sums in any order, fused or not, "
    "subnormal numbers kept or flushed; no products in TF32 or bfloat16",
)

_BFLOAT16 = (
    "the model is cast by .bfloat16(), and arithmetic is that of bfloat16: what operations hand on "
    "is rounded to nearest; sums are formed in float32, in any order, fused or not, each addition "
    "rounded to nearest (tensor cores cut numbers off, and are not covered), as are softmax and "
    "layer norms inside; no sums in bfloat16, and no autocast"
)

_TERMS = {
    "discrete": _RUNS,
    "structural": _RUNS,
    "snapped": (
        _RUNS[0],
        "each vector is replaced by the nearest representative of its level in the file, interior "
        "and edge apart; the empty word is read off as it is",
        _RUNS[3],
    ),
    "robust": _RUNS,
}
"""The assumptions of a claim, by strength."""


def terms_of(made: "Certificate") -> tuple[str, ...]:
    """Return the assumptions of a claim."""
    network = made.network_config.__name__.removesuffix("Config")
    terms = _TERMS[made.strength]
    if made.precision == "bfloat16":
        terms = (*terms[:-1], _BFLOAT16)
    return tuple(term.format(network=network) for term in terms)


def stated(made: "Certificate") -> str:
    """Return the claim of a certificate in a sentence."""
    name, who = name_of(made.language), _WHO[made.strength]
    if made.precision == "bfloat16":
        who = "The model cast to bfloat16"
    if made.verdict == "equivalent":
        return f"{who} gives every word of {name} its class, at every length."
    if made.counterexample is not None:
        wrong = made.counterexample
        symbols = len(made.language.encode(wrong.word))
        gives = f"the class {quoted(wrong.model)} where {name} has {quoted(wrong.language)}"
        if symbols == 0:
            return f"{who} gives the empty word {gives}."
        certain = made.sureness is None or made.sureness.is_certain
        return (
            f"{who} gives a word of length {symbols} {gives}; it is right on all shorter words"
            f"{'' if certain else ', as far as float64 tells'}."
        )
    reached = "1 symbol" if made.checked_length == 1 else f"{made.checked_length} symbols"
    right = f" As far as explored, all words of at most {reached} are right."
    if made.sureness is not None and not made.sureness.is_certain:
        cast = " cast to bfloat16" if made.precision == "bfloat16" else ""
        right = f" Run once, the model{cast} was right on all words of at most {reached}."
    none = made.checked_length is None or made.checked_length < 0
    return f"No proof of {name}: {shown(made.reason)}.{'' if none else right}"


def figures_in_words(made: "Certificate") -> list[tuple[str, str]]:
    """Return what a proof went through, and how sure its numbers are, as names and texts."""
    return [each for each in (_explored(made), _rounding(made)) if each is not None]


def _explored(made: "Certificate") -> tuple[str, str] | None:
    summary = made.summary()
    if made.strength == "structural":
        states = summary["elements"]
        return (
            "structure",
            f"{states} slots hold the state that each of {states} states goes to; products are "
            f"checked for all {states**2:,} pairs of states, whatever the other slots hold",
        )
    if not made.levels:
        return None
    if made.is_recurrent:
        reached = (
            f"nothing new after {counted(summary['levels'] - 1, 'symbol')}"
            if made.verdict == "equivalent"
            else f"prefixes of up to {counted(summary['levels'], 'symbol')}"
        )
        what = "context" if "contexts" in made.elements else "code"
        return (
            "explored",
            f"{counted(summary['elements'], what)} of prefixes, in "
            f"{counted(summary['edge_pairs'], 'pair')} with states of the language: {reached}",
        )
    ends = (
        f"level {summary['levels']} repeats level {summary['repeats']}"
        if summary["repeats"] is not None
        else f"up to level {summary['levels']}"
    )
    return (
        "explored",
        f"{ends}: {summary['interior_pairs']} interior and {summary['edge_pairs']} edge pairs "
        f"there, {summary['elements']} elements in all, {summary['monoid_elements_met']} elements "
        f"of the language's monoid",
    )


def _rounding(made: "Certificate") -> tuple[str, str] | None:
    sure = made.sureness
    if sure is None or sure.sign_distance is None or sure.sign_radius is None:
        return None
    numbers, margin = "numbers before a sign", "from 0"
    if "contexts" in made.elements:
        numbers, margin = "logits of what is written", "ahead of others"
    moves = f"rounding, in any order of additions, moves {numbers} by {at_most(sure.sign_radius)}"
    if not sure.is_certain:
        far = f"they are {sure.sign_distance:.3g} {margin} only, too near to be certain"
    elif sure.room is None:  # a file of an older version
        far = f"they are {at_least(sure.sign_distance)} or more {margin} before"
    else:
        far = f"and then each still stays {at_least(sure.room)} or more {margin}"
    return "arithmetic", f"{moves} at most, {far}"


def name_of(language: Language) -> str:
    """Return the specification of a language, or the digest of its automaton if it has none.

    Where the specification names a file or a module, whose content may change, both are given.
    """
    if language.spec and not may_change(language.spec):
        return quoted(language.spec)
    source = f" (of {quoted(language.spec)})" if language.spec else ""
    return f"the automaton {automaton_digest(language)}{source}"


def automaton_digest(language: Language) -> str:
    """Return 32 hex digits that change with anything in a language but its specification."""
    domain = None if language.domain is None else replace(language.domain, spec="")
    plain = to_dict(replace(language, spec="", domain=domain))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]


def quoted(text: str) -> str:
    """Return a plain word as it is, and any other text in quotation marks, in ASCII."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def shown(text: str) -> str:
    """Return a text in printable ASCII, with all other characters escaped."""
    return "".join(c if c.isprintable() and c.isascii() else ascii(c)[1:-1] for c in text)


def at_least(number: float) -> str:
    """Return a number to three digits, rounded down."""
    return _rounded(number, ROUND_FLOOR)


def at_most(number: float) -> str:
    """Return a number to three digits, rounded up."""
    return _rounded(number, ROUND_CEILING)


def _rounded(number: float, how: str) -> str:
    exact = Decimal(number)
    if not exact.is_finite() or not exact:
        return f"{number:g}"
    digits = exact.quantize(Decimal((0, (1,), exact.adjusted() - 2)), rounding=how)
    text = f"{float(digits):.3g}"
    return text if Decimal(text) == digits else str(digits)  # such as numbers near the smallest
