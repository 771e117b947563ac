"""The wording of claims, and the terms under which they hold.

Strings of a file are printed so that none can be mistaken for something else: anything but a plain
word is quoted, and characters that cannot be printed are escaped.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from lengthwise.languages.functions.by_name import function_of, is_nameless
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import to_dict
from lengthwise.languages.spec import is_self_contained
from lengthwise.messages import format_count
from lengthwise.proofs.check.networks import OF_CODE

if TYPE_CHECKING:
    from lengthwise.proofs.check.certificate import Certificate

_LONGEST = 200
"""Characters of a word, or of a list of names, that are shown."""

_PLAIN = re.compile(r"[0-9A-Za-z:,=_.()|*+?\[\]{}^-]+")

_WHO = {
    "discrete": "The model as it runs",
    "structural": "The model as it runs",
    "snapped": "The model with its vectors snapped to the nearest representatives",
    "robust": "The model as it runs, by bounds on all its vectors,",
    "tabulated": "The table in this file, said to be that of {network} with its state snapped,",
}

_PROGRAM_WHO = "The program in this file, said to be a step of {network}, with its state snapped,"

_RUNS = (
    "an answer is the class with the largest logit",
    "words are at the right of their rows, and their lengths are given",
    f"the model is {{network}} of lengthwise {version('lengthwise')}, in eval mode, with nothing "
    f"of its code replaced and no hooks",
    "arithmetic is that of the weights' type: rounded to nearest, sums in any order, fused or not, "
    "subnormal numbers kept or flushed; no products in TF32 or bfloat16",
)

_BFLOAT16 = (
    "the model is cast by .bfloat16(), and arithmetic is that of bfloat16: what operations pass on "
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
    "tabulated": (
        "the table has, for each representative in the file and symbol, the nearest representative "
        "to the state that {network} computes, and the class with the largest logit",
        "the file has no code that computes a step: lengthwise certify --check FILE DIR runs the "
        "network in DIR, and computes the table again",
        "rounding has no bound there; a table in which a near tie decides is not certified",
    ),
}
"""The assumptions of a claim, by strength."""


_SNAPPED_STATES = (
    _RUNS[0],
    "after each symbol the state is replaced by the nearest representative in the file; the answer "
    "is read off the state before that, or off the initial state",
    _RUNS[3],
)


_PROGRAM = (
    *_SNAPPED_STATES[:2],
    "each operation of the program is computed in the weights' type: rounded to nearest, sums in "
    "any order, fused or not, subnormal numbers kept or flushed; exp, tanh and other functions are "
    f"within the errors that the checker of lengthwise {version('lengthwise')} assumes",
    "lengthwise certify --check FILE DIR runs the network in DIR, and compares it with the program",
)


_OUTPUT = "the output at a position is the class of the prefix that ends there"
_OUTPUT_OF_BOTH = (
    "the output at a position is what the table of the function has for two classes: that of the "
    "prefix that ends there, and that of what follows, read from the end"
)


def terms_of(certificate: "Certificate") -> tuple[str, ...]:
    """Return the assumptions of a claim."""
    terms = _TERMS[certificate.strength]
    if certificate.kind == "Recurrent":
        terms = _SNAPPED_STATES
    if certificate.kind == "Program":
        terms = _PROGRAM
    if certificate.precision == "bfloat16":
        terms = (*terms[:-1], _BFLOAT16)
    if (function := _function_of(certificate)) is not None:
        terms = (*terms, _OUTPUT if function.is_sequential else _OUTPUT_OF_BOTH)
    is_of_code = certificate.kind in OF_CODE
    network = certificate.settings["network"] if is_of_code else certificate.kind
    return tuple(term.format(network=network) for term in terms)


def _function_of(certificate: "Certificate") -> Function | None:
    """Return the function whose prefixes the language is about, if its name was compared."""
    return function_of(replace(certificate.language, spec=find_compared_name(certificate)))


def state_claim(certificate: "Certificate") -> str:
    """Return the claim of a certificate in a sentence, marked as one that nobody has checked unless
    `certify` made this certificate or `check` accepted it.
    """
    sentence = _sentence(certificate)
    return sentence if certificate.is_checked else f"Claimed, not checked: {sentence}"


def _sentence(certificate: "Certificate") -> str:
    name, who = name_of(certificate), _WHO[certificate.strength]
    inside = "" if size_of_domain(certificate.language) is None else " in the domain"
    if certificate.kind in OF_CODE:
        who = (_PROGRAM_WHO if certificate.kind == "Program" else who).format(
            network=certificate.settings["network"]
        )
    if certificate.kind == "Recurrent":
        who = "The model with its state snapped to the nearest representative after each symbol"
    if certificate.precision == "bfloat16":
        who = "The model cast to bfloat16"
    function = _function_of(certificate)
    if certificate.verdict == "equivalent" and function is not None:
        both = "" if function.is_sequential else ", read from both ends,"
        return f"{who}{both} gives every output symbol of every input of {name}, at every length."
    if certificate.verdict == "equivalent":
        return f"{who} gives every word{inside} of {name} its class, at every length."
    if certificate.counterexample is not None:
        wrong = certificate.counterexample
        symbols = len(certificate.language.encode(wrong.word))
        gives = f"the class {quote(wrong.model)} where {name} has {quote(wrong.language)}"
        if symbols == 0:
            return f"{who} gives the empty word {gives}."
        certain = certificate.margins is None or certificate.margins.is_certain
        if function is not None and function.is_sequential:
            return (
                f"{who} writes {quote(wrong.model)} for the last symbol of an input of length "
                f"{symbols} where {name} has {quote(wrong.language)}; it is right on all shorter "
                f"inputs{'' if certain else ', as far as float64 tells'}."
            )
        return (
            f"{who} gives a word of length {symbols} {gives}; it is right on all shorter words"
            f"{inside}{'' if certain else ', as far as float64 tells'}."
        )
    reached = format_count(certificate.checked_length or 0, "symbol")
    right = f" As far as explored, all words{inside} of at most {reached} are right."
    if certificate.margins is not None and not certificate.margins.is_certain:
        cast = " cast to bfloat16" if certificate.precision == "bfloat16" else ""
        did = f"Run once, the model{cast} was"
        if certificate.kind in ("Recurrent", "Program"):
            did = "Computed once in float64, the model so snapped is"
        right = f" {did} right on all words{inside} of at most {reached}."
    none = certificate.checked_length is None or certificate.checked_length < 0
    return f"No proof of {name}: {escape_unprintable(certificate.reason)}.{'' if none else right}"


def facts_of(certificate: "Certificate") -> list[tuple[str, str]]:
    """Return what else is known of a certificate, in pairs of strings: the wrong word, what a proof
    went through and how sure its numbers are, and the language.

    Figures of one that nobody has checked are left out, since they are its maker's.
    """
    known = (
        (
            _describe_exploration(certificate),
            _rounding(certificate),
            _describe_snapping(certificate),
        )
        if certificate.is_checked
        else ()
    )
    facts_or_none = (
        _wrong_word(certificate),
        *known,
        _automaton(certificate),
        _domain(certificate),
        _describe_claimed_name(certificate),
    )
    facts = [fact for fact in facts_or_none if fact is not None]
    if certificate.reason and certificate.verdict == "counterexample":
        facts.append(("not checkable", escape_unprintable(certificate.reason)))
    return facts


def _wrong_word(certificate: "Certificate") -> tuple[str, str] | None:
    if certificate.counterexample is None:
        return None
    word = certificate.counterexample.word
    symbols = format_count(len(certificate.language.encode(word)), "symbol")
    more = "" if len(word) <= _LONGEST else f" and so on, {symbols} in all"
    return "wrong word", f"{quote(word[:_LONGEST])}{more}" if word else "the empty word"


def _automaton(certificate: "Certificate") -> tuple[str, str] | None:
    language = certificate.language
    if (function := _function_of(certificate)) is not None and is_nameless(function):
        return (
            "function",
            f"{function_digest(function)}, {function.size}, inputs "
            f"{_list_names(function.alphabet)}, outputs {_list_names(function.outputs)}",
        )
    if find_compared_name(certificate):
        return None
    return (
        "automaton",
        f"{automaton_digest(language)}, {format_count(language.num_states, 'state')} over "
        f"{_list_names(language.alphabet)}, classes {_list_names(language.class_names)}",
    )


def _list_names(names: Sequence[str]) -> str:
    texts, length = list[str](), 0
    for name in names:
        length += len(name) + 1
        if length > _LONGEST:
            more = f"{len(names):,} in all"
            return f"{' '.join(texts)} and so on, {more}" if texts else f"long names, {more}"
        texts.append(quote(name))
    return " ".join(texts)


def _domain(certificate: "Certificate") -> tuple[str, str] | None:
    size = size_of_domain(certificate.language)
    return None if size is None else ("domain", f"only {size}; others have no class")


def _describe_claimed_name(certificate: "Certificate") -> tuple[str, str] | None:
    claimed = find_claimed_name(certificate)
    return None if not claimed else ("claimed name", f"{quote(claimed)}, which was not looked at")


def _describe_exploration(certificate: "Certificate") -> tuple[str, str] | None:
    summary = certificate.summary()
    if certificate.strength == "structural":
        states = summary["elements"]
        return (
            "structure",
            f"a slot for each of {format_count(states, 'state')}; products are checked for "
            f"{format_count(states**2, 'pair')} of states, whatever the other slots hold",
        )
    if not certificate.levels:
        return None
    if certificate.is_recurrent:
        reached = (
            f"nothing new after {format_count(summary['levels'] - 1, 'symbol')}"
            if certificate.verdict == "equivalent"
            else f"prefixes of up to {format_count(summary['levels'], 'symbol')}"
        )
        kinds = {"contexts": "context", "pairs": "(representative, class) pair"}
        kind = next((kinds[name] for name in certificate.elements if name in kinds), "code")
        return (
            "explored",
            f"{format_count(summary['elements'], kind)} of prefixes of its words, in "
            f"{format_count(summary['edge_pairs'], 'pair')} with states of the minimal automaton: "
            f"{reached}",
        )
    ends = (
        f"level {summary['levels']} repeats level {summary['repeats']}"
        if summary["repeats"] is not None
        else f"up to level {summary['levels']}"
    )
    num_maps = format_count(summary["monoid_elements_met"], "state map")
    return (
        "explored",
        f"{ends}: {summary['interior_pairs']:,} interior and "
        f"{format_count(summary['edge_pairs'], 'edge pair')} there; in all "
        f"{format_count(summary['elements'], 'element')} and {num_maps} of the minimal automaton",
    )


def _describe_snapping(certificate: "Certificate") -> tuple[str, str] | None:
    if certificate.moved is None:
        return None
    moved = f"vectors are moved by at most {at_most(certificate.moved.spread)} to the nearest"
    if certificate.moved.gap is not None:
        far = at_least(certificate.moved.gap)
        moved += f"; others are {far} away or more, on each level farther than any moved"
    return "snapped", moved


def _rounding(certificate: "Certificate") -> tuple[str, str] | None:
    sure = certificate.margins
    if sure is None or sure.sign_distance is None or sure.sign_radius is None:
        return None
    numbers, margin = "numbers before a sign", "from 0"
    if "contexts" in certificate.elements:
        numbers, margin = "logits of what is written", "ahead of others"
    if "pairs" in certificate.elements:
        numbers, margin = "states", "nearer to their representative than to others"
    moves = f"rounding, in any order of additions, moves {numbers} by {at_most(sure.sign_radius)}"
    far = f"and they are {sure.sign_distance:.3g} {margin}"
    if not sure.sign_distance > sure.sign_radius:
        far += " only, too near to be certain"
    if sure.is_certain and sure.room is not None:
        far = f"and then each still stays {at_least(sure.room)} or more {margin}"
    return "arithmetic", f"{moves} at most, {far}"


# ---- the language --------------------------------------------------------------------------------


def find_compared_name(certificate: "Certificate") -> str:
    """Return the specification that was compared with the automaton; empty if there is none.

    That of a file or a module is never compared, since its content may change.
    """
    spec = certificate.language.spec
    return spec if certificate.is_checked and is_self_contained(spec) else ""


def find_claimed_name(certificate: "Certificate") -> str:
    """Return the specification of the file that nobody has compared; empty if there is none."""
    return "" if find_compared_name(certificate) else certificate.language.spec


def name_of(certificate: "Certificate") -> str:
    """Return the specification of the language, or the digest of its automaton if none was compared
    with it, then with the size of the domain and the claimed name.
    """
    if (function := _function_of(certificate)) is not None and is_nameless(function):
        return f"the function {function_digest(function)} ({function.size})"
    if spec := find_compared_name(certificate):
        return quote(spec)
    size, claimed = size_of_domain(certificate.language), find_claimed_name(certificate)
    more = [
        *([f"claimed name: {quote(claimed)}"] if claimed else []),
        *([f"domain: {size}"] if size is not None else []),
    ]
    details = f" ({'; '.join(more)})" if more else ""
    return f"the automaton {automaton_digest(certificate.language)}{details}"


def describe_language(certificate: "Certificate") -> dict[str, Any]:
    """Return which language a certificate is about, as plain values."""
    size = size_of_domain(certificate.language)
    return {
        "language": find_compared_name(certificate),
        "claimed_name": find_claimed_name(certificate),
        "automaton_digest": automaton_digest(certificate.language),
        "domain": None if size is None else asdict(size),
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainSize:
    """The size of a domain that does not have all words."""

    states: int
    """States of its automaton."""
    words: int
    """Words of at most `UP_TO` symbols."""
    of: int
    """The same over the alphabet."""
    digest: str
    """The `automaton_digest` of its automaton."""

    def __str__(self) -> str:
        """Return the size in words."""
        return (
            f"{_number(self.words)} of the {_number(self.of)} words of at most {UP_TO} symbols, "
            f"{format_count(self.states, 'state')}, digest {self.digest}"
        )


UP_TO = 8
"""Length up to which the words of a domain are counted."""

_MOST = 10**18


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MOST else "more than 10^18"


def size_of_domain(language: Language) -> DomainSize | None:
    """Return the size of the domain of a language, or None if it has all words."""
    domain = language.domain
    if domain is None or all(domain.classes[state] == 1 for state in domain.reachable()):
        return None
    ways, words = Counter({domain.start: 1}), 0
    for length in range(UP_TO + 1):
        words += sum(number for state, number in ways.items() if domain.classes[state] == 1)
        if length < UP_TO:
            after: Counter[int] = Counter()
            for state, number in ways.items():
                for target in domain.transitions[state]:
                    after[target] += number
            ways = after
    return DomainSize(
        states=domain.num_states,
        words=words,
        of=sum(domain.num_symbols**length for length in range(UP_TO + 1)),
        digest=automaton_digest(domain),
    )


def automaton_digest(language: Language) -> str:
    """Return 32 hex digits that change with anything in a language but its specification."""
    domain = None if language.domain is None else replace(language.domain, spec="")
    plain = to_dict(replace(language, spec="", domain=domain))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]


def function_digest(function: Function) -> str:
    """Return 32 hex digits of the digest of a function's line, which change with anything in it."""
    return hashlib.sha256(function.line.encode()).hexdigest()[:32]


def quote(text: str) -> str:
    """Return a plain word as it is, and any other string in quotation marks, in ASCII."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def escape_unprintable(text: str) -> str:
    """Return a string in printable ASCII, with all other characters escaped."""
    return "".join(c if c.isprintable() and c.isascii() else ascii(c)[1:-1] for c in text)


def at_least(number: float) -> str:
    """Return a number to three digits, rounded down."""
    return _format_rounded(number, ROUND_FLOOR)


def at_most(number: float) -> str:
    """Return a number to three digits, rounded up."""
    return _format_rounded(number, ROUND_CEILING)


def _format_rounded(number: float, how: str) -> str:
    exact = Decimal(number)
    if not exact.is_finite() or not exact:
        return f"{number:g}"
    digits = exact.quantize(Decimal((0, (1,), exact.adjusted() - 2)), rounding=how)
    text = f"{float(digits):.3g}"
    return text if Decimal(text) == digits else str(digits)  # such as numbers near the smallest
