"""Odd but honest certificates: all kinds of networks, about languages as a liar would choose them.

Each network is certified about its own automaton, or about one that differs, with a domain of any
kind. Then the same certificate is written in other ways, all of which are honest: symbols and
classes with other names, states twice or never reached, a name that claims something.
"""

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any

import torch

import lengthwise as lw
from lengthwise.errors import LengthwiseError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.extraction import extract_algebra
from proofs import recurrent, windowed
from proofs.search.test_robust import parity_by_hand
from proofs.slots import slots_of
from proofs.trained import (
    ENDS_WITH_1,
    last_symbol,
    of_odd_length,
    random_model,
    random_rational,
)

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Odd:
    """A certificate, and what is odd about it."""

    made: Certificate
    how: str
    of: int
    """Number of the network and its language; those of one number differ in names alone."""
    answers: dict[Any, Any] = field(default_factory=dict)
    """What the oracle remembers of the network."""


# ---- networks ------------------------------------------------------------------------------------


def random_automaton(choose: random.Random, symbols: int, *, classes: int = 2) -> Language:
    states = choose.randint(1, 5)
    rows = tuple(tuple(choose.randrange(states) for _ in range(symbols)) for _ in range(states))
    return Language(
        alphabet=tuple("abcdef"[:symbols]),
        transitions=rows,
        classes=tuple(choose.randrange(classes) for _ in range(states)),
        start=choose.randrange(states),
        class_names=tuple(map(str, range(classes))),
    )


def _of_algebra(model: Any) -> Language:
    return language_of(extract_algebra(model).algebra, ("0", "1"), ("0", "1"))


@cache
def _make_kept(kind: str, seed: int) -> tuple[Any, Language]:
    """A network of a kind, and its own automaton."""
    choose = random.Random(f"{kind} {seed}")
    if kind == "slots":
        own = random_automaton(choose, choose.randint(1, 3), classes=choose.randint(1, 3))
        return slots_of(own, chunk_size=choose.choice([2, 3])), own
    if kind == "one class":
        one = Language(alphabet=("a", "b"), transitions=((0, 0),), classes=(0,))
        return random_model(one, seed, num_bits=2), one
    if kind == "recurrence" or (kind == "bfloat16" and seed > 0):
        model = recurrent.random_recurrence(seed, cell=choose.choice(["gru", "elman"]))
        runs = copy.deepcopy(model).bfloat16() if kind == "bfloat16" else model
        return model.float() if kind == "bfloat16" else model, recurrent.automaton_of(runs)
    if kind == "scratchpad":
        model = windowed.random_scratchpad(seed, num_states=choose.choice([2, 3, 5]))
        return model, windowed.automaton_of(model)
    if kind == "rational":
        model = random_rational(seed, num_classes=2, num_bits=2)
        return model, _of_algebra(model)
    if kind in ("tree", "bfloat16"):
        return last_symbol(choose.choice([2, 3])), ENDS_WITH_1
    spec = choose.choice(["parity", "regex:(0|1)*1", "tomita-1"])
    model = parity_by_hand() if kind == "robust" else lw.compile(spec).model
    return model, parse("parity" if kind == "robust" else spec)


KINDS = {
    **{"slots": 12, "recurrence": 8, "scratchpad": 4, "rational": 4},
    **{"one class": 2, "tree": 2, "snapped": 3, "robust": 1, "bfloat16": 3},
}
"""How many networks there are of each kind."""

# ---- languages -----------------------------------------------------------------------------------


def words_alone(words: Sequence[Sequence[int]], alphabet: tuple[str, ...]) -> Language:
    """The language that has these words and no others."""
    known: dict[tuple[int, ...], int] = {(): 0}
    for word in words:
        for end in range(1, len(word) + 1):
            known.setdefault(tuple(word[:end]), len(known))
    dead, wanted = len(known), set(map(tuple, words))
    rows = [
        tuple(known.get((*prefix, symbol), dead) for symbol in range(len(alphabet)))
        for prefix in known
    ]
    return Language(
        alphabet=alphabet,
        transitions=(*rows, (dead,) * len(alphabet)),
        classes=(*(int(prefix in wanted) for prefix in known), 0),
        class_names=("0", "1"),
    )


def _longer_than(length: int, alphabet: tuple[str, ...]) -> Language:
    rows = tuple((min(n + 1, length + 1),) * len(alphabet) for n in range(length + 2))
    classes = (*[0] * (length + 1), 1)
    return Language(alphabet=alphabet, transitions=rows, classes=classes, class_names=("0", "1"))


def random_domain(choose: random.Random, alphabet: tuple[str, ...]) -> Language | None:
    """No domain, one of all words, of a single word, of few, of long words alone, or any."""
    size = len(alphabet)
    any_word = [choose.randrange(size) for _ in range(choose.randrange(6))]
    turns = ((1,) * size, (0,) * size)
    known: list[Language | None] = [
        None,
        Language(alphabet=alphabet, transitions=turns, classes=(1, 1), class_names=("0", "1")),
        words_alone([()], alphabet),
        words_alone([any_word], alphabet),
        words_alone([any_word, any_word[:1], any_word[:2]], alphabet),
        replace(of_odd_length(), alphabet=alphabet, transitions=turns),
        _longer_than(choose.choice([0, 3, 9]), alphabet),
        replace(random_automaton(choose, size), alphabet=alphabet),
    ]
    found = choose.choice(known)
    if found is None or found.shortest(1) is None:  # a domain has a word
        return None
    return with_more_states(found, choose) if choose.random() < 0.3 else found


def with_more_states(language: Language, choose: random.Random) -> Language:
    """The same language with every state twice, or with states that no word reaches."""
    states, size = language.num_states, language.num_symbols
    if choose.random() < 0.5:
        rows: Rows = tuple(
            tuple(target + states * choose.randrange(2) for target in row)
            for row in language.transitions * 2
        )
        return replace(language, transitions=rows, classes=language.classes * 2)
    more = choose.randint(1, 3)
    rows = tuple(tuple(choose.randrange(states + more) for _ in range(size)) for _ in range(more))
    classes = tuple(choose.randrange(language.num_classes) for _ in range(more))
    return replace(
        language, transitions=language.transitions + rows, classes=language.classes + classes
    )


def _otherwise_on(language: Language, word: Sequence[int]) -> Language:
    """The language but for one word, which has another class."""
    one = words_alone([word], language.alphabet)
    number: dict[tuple[int, int], int] = {(language.start, one.start): 0}
    pairs, rows = [(language.start, one.start)], []
    for state, place in pairs:  # grows while it runs
        row = []
        for symbol in range(language.num_symbols):
            after = language.transitions[state][symbol], one.transitions[place][symbol]
            if after not in number:
                number[after] = len(pairs)
                pairs.append(after)
            row.append(number[after])
        rows.append(tuple(row))
    classes = [(language.classes[s] + one.classes[p]) % language.num_classes for s, p in pairs]
    return replace(
        language, transitions=tuple(rows), classes=tuple(classes), start=0, spec="", domain=None
    )


# ---- the same in other words -----------------------------------------------------------------

_ALPHABETS = (
    ("a", "b", "c"),
    ("1", "0", "2"),
    ("b", "a", "c"),
    ("the", "empty", "word"),
    ('"', "\\", "\x7f"),
    ("é", "😀", "\u202e"),
)
_CLASSES = (
    ("0", "1", "2"),
    ("1", "0", "2"),
    ("yes", "no", "perhaps"),
    ("1 where parity has 0", "0", "its class, at every length."),
    ("", " ", '"'),
    ("é\n", "😀", "\x1b[2K"),
)
_CLAIMED = (
    *("", "att:gone.att", "att[alphabet=ab]:/etc/passwd", "the empty word"),
    *(
        "py[states=3,alphabet=ab]:gone:gone",
        "PARITY",
        "att:x) has every word (claimed name: parity",
    ),
)


def rename(made: Certificate, choose: random.Random) -> Certificate:
    """The same certificate with other names of symbols and classes, more states, another name."""
    old = made.language
    alphabet = choose.choice(_ALPHABETS)[: old.num_symbols]
    names = choose.choice(_CLASSES)[: old.num_classes]
    if choose.random() < 0.3:
        alphabet, names = old.alphabet, old.class_names
    spec = choose.choice(_CLAIMED)
    domain = old.domain
    if domain is not None:
        domain = replace(domain, alphabet=alphabet, spec=choose.choice(_CLAIMED))
    if old.spec and choose.random() < 0.3:
        alphabet, names, spec, domain = old.alphabet, old.class_names, old.spec, old.domain
    new = replace(old, alphabet=alphabet, class_names=names, domain=domain, spec=spec)
    if choose.random() < 0.3:
        new = with_more_states(new, choose)
    wrong = made.counterexample
    if wrong is not None:
        wrong = replace(
            wrong,
            word=new.decode(old.encode(wrong.word)),
            model=names[old.class_names.index(wrong.model)],
            language=names[old.class_names.index(wrong.language)],
        )
    return replace(made, language=new, counterexample=wrong)


def odd_certificates(seed: int, *, dressed: int = 5) -> Iterator[Odd]:
    """Odd certificates without end: as `certify` made them, then in other words."""
    choose = random.Random(seed)
    for number in count():
        kind = choose.choice(list(KINDS))
        model, own = _make_kept(kind, choose.randrange(KINDS[kind]))
        language = replace(own, domain=random_domain(choose, own.alphabet), spec="")
        how = kind
        if choose.random() < 0.3:
            language = replace(own)
        elif own.num_classes > 1 and choose.random() < 0.4:
            word = [choose.randrange(own.num_symbols) for _ in range(choose.randrange(6))]
            language = replace(_otherwise_on(own, word), domain=language.domain)
            how += f", another class of {word}"
        most = choose.choice([1, 1_000, 1_000, 1_000])
        try:
            with torch.no_grad():
                made = certify(model, language, max_chunks=most, **_OPTIONS.get(kind, {}))
        except LengthwiseError:
            continue  # such as too many elements of a domain
        answers: dict[Any, Any] = {}
        yield Odd(made, how, number, answers)
        if made.verdict == "not-closed" or made.reason:
            continue
        for _ in range(dressed):
            yield Odd(rename(made, choose), f"{how}, renamed", number, answers)


_OPTIONS: dict[str, Any] = {
    "robust": {"strength": "robust"},
    "bfloat16": {"precision": "bfloat16"},
}
