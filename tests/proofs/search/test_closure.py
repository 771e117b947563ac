"""Exploration against brute force, on algebras that are planted as models.

Axes:
    word    all words of one length, in alphabet order
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product

import numpy as np
import pytest

from lengthwise.errors import LanguageError, VerificationError
from lengthwise.languages import elements as elements_module
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.search import closure as module
from lengthwise.proofs.search.closure import Closure, explore, word_of

Random = np.random.Generator
Word = tuple[int, ...]

# ---- planted models --------------------------------------------------------------------------


class FromTables:
    """Tables by phase: of chunks in the interior, of chunks at the edge, and of classes.

    `phase(level)` is the level itself up to `len(tables) - 1`, and then the last `period` phases
    come again and again.
    """

    def __init__(self, sizes: Sequence[int], chunk_size: int, period: int, random: Random) -> None:
        """Elements of phase p are 0..sizes[p]-1; those of phase 0 are the symbols."""
        self.num_symbols, self.chunk_size, self.period = sizes[0], chunk_size, period
        self.sizes = list(sizes)
        shapes = [(size + 1,) * chunk_size for size in sizes]  # an absent child is the last index
        above = [sizes[self.phase(level + 1)] for level in range(len(sizes))]
        pairs = list(zip(shapes, above, strict=True))
        self.interior = [random.integers(size, size=shape) for shape, size in pairs]
        self.edge = [random.integers(size, size=shape) for shape, size in pairs]
        self.classes = [random.integers(2, size=size) for size in sizes]

    def phase(self, level: int) -> int:
        last = len(self.sizes) - 1
        return level if level <= last else last - (last - level) % self.period

    def compose(self, level: int, children: Integers, *, edge: bool) -> Integers:
        phase = self.phase(level)
        assert children.max(initial=-1) < self.sizes[phase]
        assert edge or children.min(initial=0) >= 0
        tables = self.edge if edge else self.interior
        return tables[phase][tuple(children.T)]  # ABSENT is -1, the last index

    def read(self, level: int, elements: Integers) -> Integers:
        return self.classes[self.phase(level)][elements]


class FromMonoid(FromTables):
    """Right by construction: an element is what a sub-word does to the language, and a mark.

    Marks are `marks` useless variants whose composition is random; elements are renamed by another
    permutation in each phase. At the edge the element is the state and a mark.
    """

    def __init__(  # noqa: PLR0917
        self,
        language: Language,
        chunk_size: int,
        phases: int,
        period: int,
        marks: int,
        random: Random,
    ) -> None:
        machine = language.total().minimise()
        maps = _monoid(machine)
        number = {map_: index for index, map_ in enumerate(maps)}
        symbols = [tuple(row[a] for row in machine.transitions) for a in range(machine.num_symbols)]
        size = max(len(maps), machine.num_states) * marks
        super().__init__([machine.num_symbols, *[size] * (phases - 1)], chunk_size, period, random)
        names = [random.permutation(size) for _ in range(phases)]
        for phase in range(phases):
            means: list[tuple[int, ...] | None] = [None] * (self.sizes[phase] + 1)
            ends: list[int | None] = [None] * (self.sizes[phase] + 1)
            for element in range(self.sizes[phase]):
                if phase == 0:
                    means[element] = symbols[element]
                    ends[element] = symbols[element][machine.start]
                    continue
                own = int(np.flatnonzero(names[phase] == element)[0]) // marks
                means[element] = maps[own] if own < len(maps) else maps[0]
                ends[element] = own if own < machine.num_states else 0
            above = names[self.phase(phase + 1)]
            for children in product(range(self.sizes[phase] + 1), repeat=chunk_size):
                there = [c for c in children if c < self.sizes[phase]]
                inner = tuple(range(machine.num_states))
                for child in there:
                    meaning = means[child]
                    assert meaning is not None
                    inner = tuple(meaning[s] for s in inner)
                state = machine.start
                for place, child in enumerate(there):
                    end, meaning = ends[child], means[child]
                    assert end is not None
                    assert meaning is not None
                    state = end if place == 0 else meaning[state]
                mark = random.integers(marks, size=2)
                self.interior[phase][children] = above[number[inner] * marks + mark[0]]
                self.edge[phase][children] = above[state * marks + mark[1]]
            classes = [machine.classes[e] if e is not None else 0 for e in ends[:-1]]
            self.classes[phase] = np.array([c if c < language.num_classes else 0 for c in classes])


def _monoid(machine: Language) -> list[tuple[int, ...]]:
    """All state maps of words, the identity first."""
    found = [tuple(range(machine.num_states))]
    for map_ in found:
        for symbol in range(machine.num_symbols):
            after = tuple(machine.transitions[state][symbol] for state in map_)
            if after not in found:
                found.append(after)
    return found


def spoil(model: FromTables, random: Random) -> None:
    """Change one entry of one table, of a late phase more often than not."""
    phase = int(random.choice([int(random.integers(len(model.sizes))), len(model.sizes) - 1]))
    table = [model.interior, model.edge, model.classes][random.integers(3)][phase]
    place = tuple(random.integers(size) for size in table.shape)
    end = 2 if table is model.classes[phase] else model.sizes[model.phase(phase + 1)]
    table[place] = (table[place] + 1 + random.integers(max(1, end - 1))) % end


# ---- brute force -----------------------------------------------------------------------------


def classify(model: FromTables, word: Word) -> int:
    """The class of one word, chunk by chunk from the right: the definition."""
    nodes, level = list(word), 0
    while level == 0 or len(nodes) > 1:
        nodes = [ABSENT] * (-len(nodes) % model.chunk_size) + nodes or [ABSENT] * model.chunk_size
        chunks = [nodes[i : i + model.chunk_size] for i in range(0, len(nodes), model.chunk_size)]
        nodes = [
            int(model.compose(level, np.array([chunk]), edge=place == 0)[0])
            for place, chunk in enumerate(chunks)
        ]
        level += 1
    return int(model.read(level, np.array(nodes))[0])


@dataclass
class Everything:
    """What a model and a language make of all words up to a length, without exploring."""

    model: FromTables
    language: Language
    most: int
    machine: Language = field(init=False)
    interior: list[tuple[Integers, Integers]] = field(init=False)
    """By level: the element of every word of C^level symbols, and its state map (as rows)."""
    edge: list[dict[int, tuple[Integers, Integers]]] = field(init=False)
    """By level and length: the element of every word at the left edge, and its state."""

    def __post_init__(self) -> None:
        model, machine = self.model, self.language.total().minimise()
        self.machine = machine
        steps = np.array(machine.transitions)
        symbols = np.arange(machine.num_symbols)
        self.interior = [(symbols, steps.T)]
        self.edge = [{1: (symbols, steps[machine.start])}]
        level = 0
        while model.chunk_size**level < self.most:
            width = model.chunk_size**level
            elements, maps = self.interior[level]
            if model.chunk_size * width <= self.most:
                rows = _all([len(elements)] * model.chunk_size)
                composed = reduce(
                    lambda done, column: np.take_along_axis(maps[column], done, 1),
                    rows.T[1:],
                    maps[rows[:, 0]],
                )
                self.interior.append((model.compose(level, elements[rows], edge=False), composed))
            longer: dict[int, tuple[Integers, Integers]] = {}
            for length in range(1, min(self.most, model.chunk_size * width) + 1):
                used = -(-length // width)
                first, states = self.edge[level][length - (used - 1) * width]
                rows = _all([len(first)] + [len(elements)] * (used - 1))
                children = np.full((len(rows), model.chunk_size), ABSENT)
                children[:, model.chunk_size - used] = first[rows[:, 0]]
                children[:, model.chunk_size - used + 1 :] = elements[rows[:, 1:]]
                ends = reduce(
                    lambda done, column: maps[column, done], rows.T[1:], states[rows[:, 0]]
                )
                longer[length] = (model.compose(level, children, edge=True), ends)
            self.edge.append(longer)
            level += 1

    def shortest_wrong(self) -> int | None:
        """The length of the shortest wrong word of the domain, if one is short enough."""
        inside, classes = self.language.num_classes, np.array(self.machine.classes)
        start = self.machine.start
        if classes[start] < inside and classify(self.model, ()) != classes[start]:
            return 0
        level = 1
        for length in range(1, self.most + 1):
            if length > self.model.chunk_size**level:
                level += 1
            elements, states = self.edge[level][length]
            true = classes[states]
            if ((self.model.read(level, elements) != true) & (true < inside)).any():
                return length
        return None

    def ends_in_domain(self, state: int, width: int) -> bool:
        """Whether a multiple of `width` symbols, perhaps none, leads into the domain."""
        inside, states = self.language.num_classes, {state}
        for count in range(width * self.machine.num_states):
            if count % width == 0 and any(self.machine.classes[s] < inside for s in states):
                return True
            states = {target for s in states for target in self.machine.transitions[s]}
        return False


def _all(sizes: list[int]) -> Integers:
    return np.indices(sizes).reshape(len(sizes), -1).T


# ---- languages -------------------------------------------------------------------------------


def random_machine(random: Random, states: int, symbols: int) -> Language:
    return Language(
        alphabet=tuple("ab"[:symbols]),
        transitions=tuple(map(tuple, random.integers(states, size=(states, symbols)).tolist())),
        classes=tuple(random.integers(2, size=states).tolist()),
        start=int(random.integers(states)),
    )


def of_lengths(remainders: Sequence[int], modulus: int, symbols: int) -> Language:
    """Words whose length leaves one of the remainders."""
    return Language(
        alphabet=tuple("ab"[:symbols]),
        transitions=tuple(((s + 1) % modulus,) * symbols for s in range(modulus)),
        classes=tuple(int(s in remainders) for s in range(modulus)),
    )


def random_language(random: Random, chunk_size: int) -> Language:
    """Small, and with a domain in two cases of three."""
    symbols = 1 + int(random.random() < 0.85)
    language = random_machine(
        random, 1 + int(random.integers(3 if chunk_size == 2 else 2)), symbols
    )
    kind = random.integers(3)
    if kind == 1:
        modulus = 2 + int(random.integers(2))
        domain = of_lengths([int(random.integers(modulus))], modulus, symbols)
    elif kind == 2:
        domain = random_machine(random, 2, symbols)
        if domain.shortest(1) is None:
            return language
    else:
        return language
    return replace(language, domain=domain)


def random_case(seed: int) -> tuple[FromTables, Language]:
    """A model and a language; most models are right but for one entry at most."""
    random = np.random.default_rng(seed)
    while True:
        chunk = 2 + seed % 2
        language = random_language(random, chunk)
        if len(_monoid(language.total().minimise())) <= (24 if chunk == 2 else 7):
            break
    phases, period = 2 + int(random.integers(3)), 1 + int(random.integers(2))
    period = min(period, phases - 1)
    kind = seed // 2 % 5
    if kind == 4:
        sizes = [language.num_symbols, *random.integers(1, 4, size=phases - 1).tolist()]
        return FromTables(sizes, chunk, period, random), language
    marks = 1 + int(random.integers(2 if chunk == 2 else 1))
    model = FromMonoid(language, chunk, phases, period, marks, random)
    if kind == 2:
        spoil(model, random)
    elif kind == 3:  # many wrong words, of several lengths, from the last phases on
        last = model.classes[-1]
        model.classes[-1] = np.where(random.random(len(last)) < 0.4, 1 - last, last)
    return model, language


MOST = {2: 14, 3: 12}


def agrees_with_brute_force(seed: int) -> tuple[Closure, int | None]:
    model, language = random_case(seed)
    closure = explore(model, language)
    everything = Everything(model, language, MOST[model.chunk_size])
    brute = everything.shortest_wrong()
    assert closure.reason == ""
    if brute is not None:
        assert closure.wrong is not None
        assert len(closure.wrong) == brute
    if closure.wrong is not None:
        assert classify(model, closure.wrong) != language.classify(closure.wrong)
        assert brute is not None or len(closure.wrong) > everything.most
        assert closure.checked_length == len(closure.wrong) - 1
    else:
        assert brute is None
        assert closure.repeats is not None
        assert closure.checked_length is None
        random = np.random.default_rng(seed)
        for length in random.integers(everything.most, 90, size=12).tolist():
            word = tuple(random.integers(language.num_symbols, size=length).tolist())
            if language.domain is None or language.domain.classify(word) == 1:
                assert classify(model, word) == language.classify(word)
    return closure, brute


# ---- tests -----------------------------------------------------------------------------------


@pytest.mark.slow_except("0")
@pytest.mark.parametrize("part", range(4))
def test_verdicts_are_those_of_all_words(part: int) -> None:
    """300 cases; enough of each kind, so that none of the claims is empty."""
    right = long = with_domain = 0
    for seed in range(75 * part, 75 * (part + 1)):
        closure, brute = agrees_with_brute_force(seed)
        right += closure.repeats is not None
        with_domain += closure.elements.classes.max() >= closure.elements.num_classes
        long += (brute or 0) > 4
    assert right >= 25
    assert with_domain >= 15
    assert long >= 2


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_verdicts_are_those_of_all_words_in_thousands_of_cases(part: int) -> None:
    for seed in range(1000 * (part + 1), 1000 * (part + 1) + 400):
        agrees_with_brute_force(seed)


def pin_case(number: int) -> tuple[FromTables, Language]:
    """Domains of words that are told in full: what stands in the middle can stand nowhere else."""
    texts = ["(0|1)?(0|1)1100", "0?110001", "1*0010111", "(00)*11(01)*", "1100(0|1)(0|1)(0|1)"]
    domain = parse(f"regex:{texts[number]}", alphabet="01")
    language = replace(parse("regex:(0|1)*1", alphabet="01"), domain=domain)
    return FromMonoid(language, 2, 3, 1, 1, np.random.default_rng(number)), language


@pytest.mark.parametrize("seed", range(-5, 60))
def test_levels_hold_exactly_the_pairs_that_occur_each_with_a_shortest_sub_word(seed: int) -> None:
    model, language = random_case(seed) if seed >= 0 else pin_case(-1 - seed)
    closure = explore(model, language)
    most = model.chunk_size ** (3 if model.chunk_size == 2 else 2)
    everything = Everything(model, language, most)
    maps = closure.elements.maps
    for number, level in enumerate(closure.levels[: len(everything.interior)]):
        width = model.chunk_size**number
        good = {
            state
            for state in range(everything.machine.num_states)
            if everything.ends_in_domain(state, width)
        }
        if not (number == len(closure.levels) - 1 and closure.wrong is not None and number == 0):
            elements, rows = everything.interior[number]
            expected = {
                (element, tuple(row))
                for element, row in zip(elements.tolist(), rows.tolist(), strict=True)
                if not good.isdisjoint(row)
            }
            found = [
                (element, tuple(maps[map_].tolist()))
                for element, map_ in zip(
                    level.interior.elements.tolist(), level.interior.states.tolist(), strict=True
                )
            ]
            assert len(set(found)) == len(found)
            assert set(found) == expected
        shortest: dict[tuple[int, int], int] = {}
        for length in sorted(everything.edge[number]):
            for element, state in np.stack(everything.edge[number][length], axis=1).tolist():
                if state in good:
                    shortest.setdefault((element, state), length)
        edge = level.edge
        rows_ = zip(
            edge.elements.tolist(), edge.states.tolist(), edge.lengths.tolist(), strict=True
        )
        assert {(e, s): n for e, s, n in rows_} == shortest
        for row in range(len(edge)):
            word = word_of(closure.levels[:number], edge, row, edge=True)
            assert len(word) == edge.lengths[row]
            at = int(np.array([*word]) @ language.num_symbols ** np.arange(len(word))[::-1])
            element, state = (column[at] for column in everything.edge[number][len(word)])
            assert (element, state) == (edge.elements[row], edge.states[row])
        for row in range(len(level.interior)):
            word = word_of(closure.levels[:number], level.interior, row, edge=False)
            assert len(word) == width
            at = int(np.array([*word]) @ language.num_symbols ** np.arange(len(word))[::-1])
            assert everything.interior[number][0][at] == level.interior.elements[row]


def late_mistake(phase: int, chunk_size: int = 2) -> tuple[FromTables, Language]:
    """Right but for one whole phase, in which all classes are turned over."""
    language = parse("parity")
    model = FromMonoid(language, chunk_size, phase + 2, 2, 1, np.random.default_rng(0))
    model.classes[phase] = 1 - model.classes[phase]
    return model, language


@pytest.mark.parametrize("phase", [1, 2, 3, 4, 5, 6, 7])
def test_a_level_that_looks_alike_and_behaves_otherwise_is_no_repetition(phase: int) -> None:
    """From level 2 on all levels of parity have the same pairs, whatever they become later."""
    model, language = late_mistake(phase)
    closure = explore(model, language)
    assert closure.wrong is not None
    assert len(closure.wrong) == (2 ** (phase - 1) + 1 if phase > 1 else 0)
    assert classify(model, closure.wrong) != language.classify(closure.wrong)


@pytest.mark.parametrize("steps", [1, 4, 9])
def test_an_edge_that_changes_when_the_interior_is_at_rest_is_no_repetition(steps: int) -> None:
    """The interior has one element from level 1 on; the edge counts levels, and ends up wrong."""
    language = Language(alphabet=("a",), transitions=((0,),), classes=(0,))
    model = FromTables([1, steps + 2], 2, 1, np.random.default_rng(0))
    for table in (*model.interior, *model.edge, *model.classes):
        table[...] = 0
    for element in range(steps + 2):
        model.edge[1][element, :] = model.edge[1][-1, element] = min(element + 1, steps + 1)
    model.classes[1][steps + 1] = 1
    closure = explore(model, language)
    assert closure.wrong is not None
    assert len(closure.wrong) == 2 ** (steps + 1) + 1
    assert len(closure.levels[1].interior) == 1
    assert classify(model, closure.wrong) == 1


def test_the_empty_word_counts_and_is_the_shortest() -> None:
    random = np.random.default_rng(0)
    language = parse("parity")
    model = FromMonoid(language, 2, 3, 1, 2, random)
    root = model.compose(0, np.full((1, 2), ABSENT), edge=True)
    odd = model.compose(0, np.array([[ABSENT, 1]]), edge=True)
    model.edge[0][-1, -1] = odd[0]
    assert root[0] != odd[0]
    closure = explore(model, language)
    assert closure.wrong == ()
    assert closure.checked_length == -1
    domain = ~parse("regex:()", alphabet="01")
    without = explore(model, replace(language, domain=domain))
    assert without.repeats is not None


@pytest.mark.parametrize("kept", [(), (1,), (0, 1, 1)])
def test_a_domain_of_one_word_ends_the_exploration(kept: Word) -> None:
    """Nothing occurs beyond it, and the model is asked about it alone."""
    text = "".join(map(str, kept))
    domain = parse(f"regex:{text}" if text else "regex:()", alphabet="01")
    language = replace(parse("parity"), domain=domain)
    model = FromMonoid(language, 2, 3, 1, 1, np.random.default_rng(1))
    assert explore(model, language).repeats is not None
    for classes in model.classes:
        classes[:] = 1 - classes
    assert explore(model, language).wrong == kept


def test_past_the_bound_it_says_where_and_how_far_it_came() -> None:
    language = parse("tomita-5")
    model = FromMonoid(language, 2, 2, 1, 2, np.random.default_rng(0))
    assert explore(model, language).repeats is not None
    closure = explore(model, language, max_chunks=12)
    assert (closure.repeats, closure.wrong) == (None, None)
    assert "more than 12" in closure.reason
    level = len(closure.levels)
    inner, outer = len(closure.levels[-1].interior), len(closure.levels[-1].edge)
    assert f"level {level} " in closure.reason
    cost = inner**2 + outer + outer * inner
    assert f"{cost:,} chunks" in closure.reason
    assert closure.checked_length == 2 ** (level - 1)
    assert level > 1
    assert explore(model, language, max_chunks=5).checked_length == 0
    assert explore(model, language, max_chunks=cost).levels[level].interior.elements.size > 0


def test_a_wrong_word_too_long_to_run_is_not_claimed_to_be_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, language = late_mistake(5)
    assert explore(model, language).wrong is not None
    monkeypatch.setattr(module, "LONGEST_WORD", 16)
    closure = explore(model, language)
    assert (closure.repeats, closure.wrong) == (None, None)
    assert "17 symbols" in closure.reason
    assert closure.checked_length is not None
    assert closure.checked_length <= 16


def test_other_alphabets_and_large_monoids_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FromTables([3, 2], 2, 1, np.random.default_rng(0))
    with pytest.raises(VerificationError, match="3 symbols, but parity has 2"):
        explore(model, parse("parity"))
    monkeypatch.setattr(elements_module, "MAX_ELEMENTS", 2)
    model = FromMonoid(parse("tomita-5"), 2, 2, 1, 1, np.random.default_rng(0))
    with pytest.raises(LanguageError, match="more than 2 state maps"):
        explore(model, parse("tomita-5"))


@pytest.mark.parametrize("modulus", [2, 3, 5])
@pytest.mark.parametrize("chunk_size", [2, 3])
def test_domains_of_every_alignment(chunk_size: int, modulus: int) -> None:
    """Words of one remainder of lengths: what may stand where differs from level to level."""
    machine = parse("count:a:2", alphabet="ab")
    for remainder in range(modulus):
        language = replace(machine, domain=of_lengths([remainder], modulus, 2))
        if len(_monoid(language.total().minimise())) > 6 and chunk_size == 3:
            continue
        model = FromMonoid(language, chunk_size, 3, 1, 1, np.random.default_rng(remainder))
        closure = explore(model, language)
        assert closure.repeats is not None
        everything = Everything(model, language, 10)
        for level, pairs in enumerate(closure.levels):
            assert len(pairs.edge)
            if level < 2:
                good = [everything.ends_in_domain(s, chunk_size**level) for s in pairs.edge.states]
                assert all(good)
