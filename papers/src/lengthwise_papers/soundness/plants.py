"""Planted networks, kind by kind: machines of bits whose one fault is known, and their twins.

Each function draws a case of one kind; with `fault=False` it draws the same network without its
fault. A machine follows the language's automaton (a recurrence) or its transition monoid (a tree)
in the register `element`; other registers watch for the place of the fault. The bit `bad` is on
there, and makes a member of the language be refused.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import torch

from lengthwise.languages.language import Language
from lengthwise.languages.monoid import Monoid, transition_monoid
from lengthwise.languages.spec import parse
from lengthwise.proofs.search.integrity import Provable
from lengthwise_papers.soundness.bits import Machine, Registers, Rules, Term, score
from lengthwise_papers.soundness.case import Case, Question, Word
from lengthwise_papers.soundness.networks import recurrence, tree

SPECS = (
    *("parity", "even-pairs", "tomita-5", "tomita-6", "regex:(0|1)*1", "tomita-1"),
    *("regex:(0*10*10*1)*0*", "regex:(0|1)*1(0|1)"),
)
"""Languages of the planted networks, with at most seven elements of their monoids."""

RESIDUES = ((8, 11, 17), (9, 11, 16), (7, 13, 17), (5, 7, 47))
"""Sizes of counters that count lengths together, modulo their product; all above 1,100."""

DOMAINS = (
    Language(alphabet=("0", "1"), transitions=((1, 1), (0, 0)), classes=(0, 1)),
    Language(alphabet=("0", "1"), transitions=((1, 1), (2, 2), (0, 0)), classes=(1, 0, 0)),
    Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1)),
    Language(alphabet=("0", "1"), transitions=((2, 1), (1, 1), (2, 2)), classes=(0, 1, 0)),
)
"""Odd lengths; lengths that 3 divides; odd numbers of ones; words that begin with 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """A network, the machine that it computes, its language, and a word that the fault breaks."""

    model: Provable
    machine: Machine
    language: Language
    word: Word
    about: str


def draw_type(draw: random.Random) -> torch.dtype:
    """Return one of the two types of weights."""
    return draw.choice([torch.float32, torch.float64])


def case_of(kind: str, name: str, planted: Planted, *, fault: bool) -> Case:
    """Return the case of a planted network."""
    return Case(
        name=name,
        kind=kind if fault else "sound",
        question=Question(model=planted.model, language=planted.language),
        truth="fails" if fault else "holds",
        known_by=f"{'' if fault else 'without the fault that would be '}{planted.about}",
        word=planted.word if fault else (),
    )


# ---- recurrences -------------------------------------------------------------------------------


def _following(rules: Rules, language: Language) -> None:
    """Let `element` be the state of the language."""
    literal = rules.registers.literal
    for state, symbol in product(range(language.num_states), range(language.num_symbols)):
        after = language.transitions[state][symbol]
        rules.becomes("element", after, (literal(0, "element", state), (1, symbol, True)))


def _recurrent(
    language: Language, registers: Registers, rules: Rules, draw: random.Random, *cells: str
) -> tuple[Provable, Machine]:
    accepting = [("element", s, 1.0) for s, c in enumerate(language.classes) if c == 1]
    scores, bias = score(registers, [*accepting, ("bad", 1, -1.0)])
    symbols = range(language.num_symbols)
    machine = Machine(
        registers=registers,
        terms=rules.terms(),
        leaves=tuple(tuple(letter == symbol for letter in symbols) for symbol in symbols),
        first=registers.encode({"element": language.start}),
        scores=scores,
        bias=bias,
    )
    cell = draw.choice(cells)
    return recurrence(machine, cell=cell, dtype=draw_type(draw)), machine


def one_length(draw: random.Random, *, fault: bool) -> Planted:
    """Draw a recurrence that is wrong on the members of one length, above 1,000."""
    language = parse(draw.choice(SPECS)).minimise()
    sizes = draw.choice(RESIDUES)
    length = draw.randrange(1_001, 1_100)
    names = [f"residue {size}" for size in sizes]
    registers = Registers(
        {
            "element": max(2, language.num_states),
            **dict(zip(names, sizes, strict=True)),
            "done": 2,
            "bad": 2,
        }
    )
    rules = Rules(registers)
    _following(rules, language)
    for name in names:
        rules.counts(name, 0)
    before = [
        registers.literal(0, name, (length - 1) % size)
        for name, size in zip(names, sizes, strict=True)
    ]
    rules.becomes("done", 1, tuple(before), (registers.literal(0, "done", 1),))
    if fault:
        rules.becomes("bad", 1, (*before, registers.literal(0, "done", 0)))
    # the smaller cell, since a verifier may go through a thousand lengths one by one
    model, machine = _recurrent(language, registers, rules, draw, "elman")
    word = draw_member(language, length, draw)
    if not word:  # such as odd lengths of words of an even one
        return one_length(draw, fault=fault)
    return Planted(
        model=model,
        machine=machine,
        language=language,
        word=word,
        about=f"a fault at length {length:,}, counted by residues",
    )


def domain_corner(draw: random.Random, *, fault: bool) -> Planted:
    """Draw a recurrence that is wrong in a corner of the domain, and everywhere outside it."""
    plain = parse(draw.choice(SPECS)).minimise()
    domain = draw.choice(DOMAINS)
    prefix = tuple(draw.choices(range(2), k=draw.randrange(4, 8)))
    sizes = {"length": draw.choice([5, 7, 8]), "ones": draw.choice([3, 6, 11])}
    corner = {name: draw.randrange(size) for name, size in sizes.items()}
    end = len(prefix)
    registers = Registers(
        {
            "element": max(2, plain.num_states),
            "place": max(3, domain.num_states),
            **sizes,
            "begun": end + 2,  # symbols of the prefix that were read; the last one is for others
            "bad": 2,
        }
    )
    rules, literal = Rules(registers), registers.literal
    _following(rules, plain)
    for place, symbol in product(range(domain.num_states), range(2)):
        term = (literal(0, "place", place), (1, symbol, True))
        rules.becomes("place", domain.transitions[place][symbol], term)
        if domain.classes[domain.transitions[place][symbol]] == 0:
            rules.becomes("bad", 1, term)
    rules.counts("length", 0)
    for value in range(sizes["ones"]):
        condition = literal(0, "ones", value)
        rules.becomes("ones", value, (condition, (1, 0, True)))
        rules.becomes("ones", (value + 1) % sizes["ones"], (condition, (1, 1, True)))
    for read, symbol in enumerate(prefix):
        condition = literal(0, "begun", read)
        rules.becomes("begun", read + 1, (condition, (1, symbol, True)))
        rules.becomes("begun", end + 1, (condition, (1, 1 - symbol, True)))
    for stays in (end, end + 1):
        rules.becomes("begun", stays, (literal(0, "begun", stays),))
    if fault:
        watched: Term = tuple(literal(0, name, value) for name, value in corner.items())
        rules.becomes("bad", 1, (*watched, literal(0, "begun", end)))
    model, machine = _recurrent(plain, registers, rules, draw, "elman", "gru")
    language = Language(
        alphabet=plain.alphabet,
        transitions=plain.transitions,
        classes=plain.classes,
        start=plain.start,
        class_names=plain.class_names,
        domain=domain,
    )

    def falls(word: Word) -> bool:
        before = word[:-1]
        watched = {"length": len(before), "ones": sum(before)}
        at = all(watched[name] % sizes[name] == corner[name] for name in sizes)
        return at and domain.classify(word) == 1 and language.classify(word) == 1

    word: Word = ()
    if fault:
        candidates = (
            prefix + tuple(draw.choices(range(2), k=draw.randrange(1, 60))) for _ in range(4_000)
        )
        word = next((candidate for candidate in candidates if falls(candidate)), ())
        if not word:  # the corner has no member
            return domain_corner(draw, fault=fault)
    begins = "".join(map(str, prefix))
    return Planted(
        model=model,
        machine=machine,
        language=language,
        word=word,
        about=(
            f"a fault after words of the domain that begin with {begins}, with {corner['length']} "
            f"symbols modulo {sizes['length']} and {corner['ones']} ones modulo {sizes['ones']}"
        ),
    )


# ---- trees -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeBase:
    """A language, its monoid, and the rules of a tree that follows it, to which faults are added.

    Registers: `element` of the monoid, `level` up to a largest one, `pad`, `single` (one symbol),
    and `bad`.
    """

    language: Language
    monoid: Monoid
    chunk_size: int
    rules: Rules

    def machine(self) -> Machine:
        """Return the machine of the rules."""
        registers, monoid, language = self.rules.registers, self.monoid, self.language
        accepting = [
            ("element", number, 1.0)
            for number, element in enumerate(monoid.elements)
            if language.classes[element[language.start]] == 1
        ]
        scores, bias = score(registers, [*accepting, ("bad", 1, -1.0)])
        return Machine(
            registers=registers,
            terms=self.rules.terms(),
            leaves=tuple(
                registers.encode({"element": generator, "single": 1})
                for generator in monoid.generators
            ),
            first=registers.encode({"element": 0, "pad": 1}),
            scores=scores,
            bias=bias,
            chunk_size=self.chunk_size,
        )


def tree_base(language: Language, *, chunk_size: int, levels: int) -> TreeBase:
    """Return a tree without faults that counts levels up to `levels`."""
    monoid = transition_monoid(language)
    registers = Registers(
        {"element": max(2, monoid.size), "level": levels + 1, "pad": 2, "single": 2, "bad": 2}
    )
    rules, literal = Rules(registers), registers.literal
    for elements in product(range(monoid.size), repeat=chunk_size):
        result = elements[0]
        for element in elements[1:]:
            result = int(monoid.table[result, element])
        rules.becomes(
            "element", result, tuple(literal(s, "element", e) for s, e in enumerate(elements))
        )
    last = chunk_size - 1
    for level in range(levels + 1):
        rules.becomes("level", min(level + 1, levels), (literal(last, "level", level),))
    alone = [literal(source, "pad", 1) for source in range(last)]
    rules.becomes("single", 1, (*alone, literal(last, "single", 1)))
    return TreeBase(language=language, monoid=monoid, chunk_size=chunk_size, rules=rules)


def small_language(draw: random.Random, chunk_size: int) -> Language:
    """Draw a language whose monoid is small enough for trees of this chunk."""
    most = {2: 7, 3: 4}[chunk_size]
    while True:
        language = parse(draw.choice(SPECS)).minimise()
        if transition_monoid(language).size <= most:
            return language


def powers(draw: random.Random, *, fault: bool) -> Planted:
    """Draw a tree that is wrong on the members of 2^k + 1 symbols, for all k from 10 or more on."""
    language = small_language(draw, 2)
    first = draw.choice([10, 10, 11, 12])
    base = tree_base(language, chunk_size=2, levels=first)
    literal = base.rules.registers.literal
    if fault:
        term = (literal(0, "single", 1), literal(0, "pad", 0), literal(1, "level", first))
        base.rules.becomes("bad", 1, term)
    word = draw_member(language, 2**first + 1, draw)
    if not word:
        return powers(draw, fault=fault)
    return _tree(base, draw, word, f"a fault at the root of words of 2^k + 1 symbols, k >= {first}")


def one_pad(draw: random.Random, *, fault: bool) -> Planted:
    """Draw a tree that is wrong where a pad is beside one element at one level.

    What is bad at the left edge stays bad.
    """
    chunk = draw.choice([2, 2, 3])
    language = small_language(draw, chunk)
    level = draw.randrange(2, 6 if chunk == 2 else 4)
    base = tree_base(language, chunk_size=chunk, levels=level + 1)
    literal = base.rules.registers.literal
    last, size = chunk - 1, chunk**level
    for _ in range(200):
        # (chunk + 1) nodes of that level: the first one has a chunk of its own, and pads
        word = draw_member(language, (chunk + 1) * size, draw)
        if word:
            break
    else:
        return one_pad(draw, fault=fault)
    element = 0
    for symbol in word[:size]:
        element = int(base.monoid.right[element, symbol])
    if fault:
        pads = [literal(source, "pad", 1) for source in range(last)]
        seen = (*pads, literal(last, "element", element), literal(last, "level", level))
        stays = [(literal(source, "bad", 1),) for source in range(chunk)]
        base.rules.becomes("bad", 1, seen, *stays)
    explanation = (
        f"a fault where {last} of {chunk} places are pads before one element of level {level}"
    )
    return _tree(base, draw, word, explanation)


def _tree(base: TreeBase, draw: random.Random, word: Word, explanation: str) -> Planted:
    machine = base.machine()
    return Planted(
        model=tree(machine, dtype=draw_type(draw)),
        machine=machine,
        language=base.language,
        word=word,
        about=explanation,
    )


def draw_member(language: Language, length: int, draw: random.Random) -> Word:
    """Draw a word of class 1 of this length, any with the same chance as far as the walk tells.

    It is empty if there is none.
    """
    alive = [frozenset(s for s, c in enumerate(language.classes) if c == 1)]
    for _ in range(length):
        rows = enumerate(language.transitions)
        alive.append(frozenset(s for s, row in rows if not alive[-1].isdisjoint(row)))
    state, word = language.start, list[int]()
    if state not in alive[length]:
        return ()
    for left in range(length - 1, -1, -1):
        row: Sequence[int] = language.transitions[state]
        symbol = draw.choice([s for s, after in enumerate(row) if after in alive[left]])
        word.append(symbol)
        state = row[symbol]
    return tuple(word)


PLANTS: Mapping[str, Callable[..., Planted]] = {
    "one length": one_length,
    "powers": powers,
    "one pad": one_pad,
    "domain corner": domain_corner,
}
"""Kinds whose fault shows in every arithmetic."""
