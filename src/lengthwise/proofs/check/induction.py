"""The checker: accept a certificate only if everything that it says follows, without torch.

Nothing in the file is trusted, and no code of the exploration that made it is used. The search
imports from here the node functions of networks and the bounds on their rounding (`node.py`,
`balls.py` and their kind), so that a fault in them would be in both. The checker in Rust
(`checker/`) shares nothing with either.
The steps are those of "What a checker verifies" in docs/certificate.md, in that order: 1 the
language (`name_of_language`, `check_machine`), 2 the elements (`elements.py`), 3 level 0
(`Induction.check_symbols`), 4 from one level to the next (`Induction.check_next`), 5 answers
(`Induction.wrong_words`), 6 the end (`Induction.check_repetition`,
`Induction.check_counterexample`). A `structural` certificate has no levels: after step 1 the
structure of its weights is checked (`structure.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lengthwise.errors import CertificateError, LengthwiseError
from lengthwise.languages.functions.by_name import read_again
from lengthwise.languages.language import Language
from lengthwise.languages.spec import is_self_contained
from lengthwise.proofs.check.arrays import ABSENT, Booleans, Integers
from lengthwise.proofs.check.certificate import TOO_LARGE, Certificate, Machine, StatePair
from lengthwise.proofs.check.elements import ELEMENTS, Elements, PrefixNode, node_of
from lengthwise.proofs.check.margins import RoundingMargins, SnapDistances
from lengthwise.proofs.check.networks import MAX_POSITIONS
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.check.schema import require
from lengthwise.proofs.check.statement import escape_unprintable
from lengthwise.proofs.check.structure import check_structure

_LARGEST = 2**62
_TOGETHER = 2**14

MAX_STATE_TRIPLES = 1_000_000
"""Largest number of triples of states of machine, language and domain."""

MAX_CHUNKS = 20_000_000
"""Largest number of chunks of one level."""


def check(certificate: Certificate) -> Certificate:
    """Return the verified part of a certificate, with all its figures recomputed.

    Notes of the maker are removed, and so is the language's specification if it names a file: then
    only its automaton is known.

    Raises:
        CertificateError: something does not follow, or the certificate claims nothing.
    """
    return check_with_induction(certificate)[0]


def check_with_induction(
    certificate: Certificate,
) -> tuple[Certificate, "Induction | PrefixInduction | None"]:
    """Return what `check` returns, and the induction that went through; None if structural.

    The induction holds what the checker computed from the weights: what chunks or symbols lead to,
    and which classes were read off.

    Raises:
        CertificateError: something does not follow, or the certificate claims nothing.
    """
    if certificate.verdict not in ("equivalent", "counterexample"):
        raise CertificateError(
            "a certificate that is not-closed proves nothing, so there is nothing to check or to "
            "export. Only equivalent and counterexample can be checked."
        )
    try:
        with np.errstate(all="ignore"):  # an overflow is not a number, and refused as such
            return _check(certificate)
    except CertificateError:
        raise
    except LengthwiseError as error:
        raise CertificateError(
            f"the certificate does not hold: {escape_unprintable(str(error))}"
        ) from None
    except MemoryError:
        raise CertificateError(TOO_LARGE) from None
    except Exception as error:  # what the file says can be anything
        raise CertificateError(
            f"the certificate does not hold: its parts do not fit together ({error!a:.80})."
        ) from None


def _check(claim: Certificate) -> tuple[Certificate, "Induction | PrefixInduction | None"]:
    name = name_of_language(claim)
    check_machine(claim.machine, claim.language)
    margins: RoundingMargins | None
    moved: SnapDistances | None = None
    induction: Induction | PrefixInduction | None = None
    if claim.strength == "structural":
        margins = check_structure(claim)
    elif isinstance(node := node_of(claim), PrefixNode):
        induction = PrefixInduction(claim, node)
        margins = induction.check()
    else:
        induction = _by_levels(claim, node)
        margins, moved = induction.network.measure_margins(), induction.network.measure_moves()
    domain = claim.language.domain
    domain = None if domain is None else replace(domain, spec="")
    verified = replace(
        claim,
        language=replace(claim.language, spec=name, domain=domain),
        reason="",
        made_with={},
        margins=margins,
        moved=moved,
    )
    return verified.as_checked(), induction


def _by_levels(claim: Certificate, node: Node) -> "Induction":
    network = ELEMENTS[claim.strength](claim, node)
    induction = Induction(claim, network)
    induction.check_symbols()
    wrong = induction.wrong_empty_word()
    for level in range(len(claim.levels) - 1):
        require(not wrong, f"no word is wrong that ends at level {level}")
        wrong = induction.check_next(level)
    if claim.verdict == "equivalent":
        require(not wrong, "all words have their class")
        induction.check_repetition()
    else:
        induction.check_counterexample(wrong)
    return induction


# ---- 1 the language ------------------------------------------------------------------------------


def name_of_language(claim: Certificate) -> str:
    """Return the specification if it defines its language by itself, and equals the language."""
    language = claim.language
    if not is_self_contained(language.spec):
        return ""
    original = read_again(language)
    same = (original.alphabet, original.class_names) == (language.alphabet, language.class_names)
    require(same, "the specification has the alphabet and the classes of the language")
    check_machine(claim.machine, original)
    return original.spec


def check_machine(machine: Machine, language: Language) -> None:
    """Check that the machine is minimal, and gives every word the class of the language."""
    outside, states = language.num_classes, range(len(machine.transitions))
    require(len(machine.classes) == len(states), "every state has a class")
    require(all(0 <= c <= outside for c in machine.classes), "classes exist")
    require(machine.start in states, "the start is a state")
    for row in machine.transitions:
        fits = len(row) == language.num_symbols and all(state in states for state in row)
        require(fits, "every state has a next one for each symbol")
    blocks: list[int] = list(machine.classes)
    while True:
        signatures = [(blocks[s], *(blocks[t] for t in machine.transitions[s])) for s in states]
        number = {signature: index for index, signature in enumerate(sorted(set(signatures)))}
        if len(number) == len(set(blocks)):
            break
        blocks = [number[signature] for signature in signatures]
    require(len(number) == len(states), "no two states of the machine are alike")
    domain = language.domain
    queue = [(machine.start, language.start, 0 if domain is None else domain.start)]
    seen = set(queue)
    for own_state, other_state, position in queue:
        inside = domain is None or domain.classes[position] == 1
        true = language.classes[other_state] if inside else outside
        require(machine.classes[own_state] == true, "the machine gives every word its class")
        for symbol in range(language.num_symbols):
            after = (
                machine.transitions[own_state][symbol],
                language.transitions[other_state][symbol],
                0 if domain is None else domain.transitions[position][symbol],
            )
            if after not in seen:
                require(
                    len(seen) < MAX_STATE_TRIPLES, "language and domain are small enough to walk"
                )
                seen.add(after)
                queue.append(after)
    require(
        {own_state for own_state, _, _ in seen} == set(states),
        "every state of the machine is reached",
    )


# ---- 3 to 6 the induction ------------------------------------------------------------------------


class Induction:
    """Follow all sub-words of all words of the domain, level by level.

    At level l a sub-word of the interior has exactly C^l symbols and follows others; one at the
    edge begins its word and has at most C^l. `interior` has the pairs (element, state map) of the
    former, `edge` the pairs (element, state after it) of the latter, and `lengths` the length of
    the shortest sub-word of each pair of the edge.
    """

    def __init__(self, claim: Certificate, network: Elements) -> None:
        self.claim, self.network, self.chunk_size = claim, network, network.node.chunk_size
        self.machine, self.outside = claim.machine, claim.language.num_classes
        self.classes = np.array(claim.machine.classes)
        states = len(self.classes)
        require(all(len(map_) == states for map_ in claim.maps), "state maps have every state")
        self.maps = np.array(claim.maps, dtype=np.int64).reshape(-1, states)
        inside = ((self.maps >= 0) & (self.maps < states)).all()
        require(bool(inside), "state maps lead to states")
        self.number = {map_: number for number, map_ in enumerate(claim.maps)}
        require(len(self.number) == len(claim.maps), "every state map occurs once")
        require(len(claim.levels) > 0, "there is a level")
        require(self.chunk_size <= MAX_POSITIONS, f"a chunk has at most {MAX_POSITIONS} places")
        require(self.chunk_size ** len(claim.levels) < _LARGEST, "levels are few enough")
        identity_relation = np.zeros((states, states), dtype=np.bool_)
        for state, row in enumerate(claim.machine.transitions):
            identity_relation[state, list(row)] = True
        self.powers: list[Booleans] = [identity_relation]
        self.good: dict[int, Booleans] = {}
        self.read_off: dict[tuple[int, int], int] = {}
        """Classes by (level, element)."""
        self.empty_class: int | None = None
        """The class of the empty word, if it is in the domain."""

    # ---- 3 level 0

    def check_symbols(self) -> None:
        """Check that level 0 has exactly the symbols."""
        moves = np.array(self.machine.transitions).T  # [symbol, state]
        symbols = np.arange(len(moves))
        occurs = self.leads_in(0)[moves].any(axis=1)
        self.interior = pairs(symbols[occurs], self.numbers_of(moves[occurs]))
        states = moves[:, self.machine.start]
        begins = self.leads_in(0)[states]
        self.edge = pairs(symbols[begins], states[begins])
        self.lengths = np.ones(len(self.edge), dtype=np.int64)
        self.compare(0)

    # ---- 4 from one level to the next

    def check_next(self, level: int) -> list[int]:
        """Check the next level's pairs, which must be all that follow; return lengths of wrong
        words.
        """
        inner = [self.interior[:0]]
        for _, chunks in self.chunks(self.interior, self.chunk_size):
            maps = self.maps[chunks[:, 0, 1]]
            for position in range(1, self.chunk_size):
                maps = np.take_along_axis(self.maps[chunks[:, position, 1]], maps, axis=1)
            occurs = self.leads_in(level + 1)[maps].any(axis=1)
            elements = self.network.compose(level, chunks[occurs, :, 0], edge=False)
            inner.append(pairs(elements, self.numbers_of(maps[occurs])))
        beginnings: dict[StatePair, int] = {}
        words: dict[StatePair, int] = {}
        for used in range(1, self.chunk_size + 1):
            for firsts, chunks in self.chunks(self.edge, used):
                states = chunks[:, 0, 1]
                for position in range(1, used):
                    states = self.maps[chunks[:, position, 1], states]
                good = self.leads_in(level + 1)[states]
                children = np.full((int(good.sum()), self.chunk_size), ABSENT)
                children[:, self.chunk_size - used :] = chunks[good, :, 0]
                elements = self.network.compose(level, children, edge=True)
                symbols = self.lengths[firsts[good]] + (used - 1) * self.chunk_size**level
                lengths_of_pairs = shortest(elements, states[good], symbols)
                keep_shortest(beginnings, lengths_of_pairs)
                if used > 1 or level == 0:  # a word ends where it is one node for the first time
                    keep_shortest(words, lengths_of_pairs)
        self.interior = distinct(np.concatenate(inner))
        self.edge = np.array(sorted(beginnings), dtype=np.int64).reshape(-1, 2)
        self.lengths = np.array([beginnings[pair] for pair in sorted(beginnings)], dtype=np.int64)
        self.compare(level + 1)
        return self.wrong_words(level + 1, words)

    def chunks(self, firsts: Integers, count: int) -> Iterator[tuple[Integers, Integers]]:
        """Yield chunks `[chunk, position, (element, does)]`: one of `firsts`, then of the interior.

        They come in parts, each with the numbers of its firsts.
        """
        number = len(firsts) * len(self.interior) ** (count - 1)
        require(number <= MAX_CHUNKS, f"a level has at most {MAX_CHUNKS:,} chunks")
        rest = rows_of(self.interior, count - 1)
        size = max(1, _TOGETHER // max(1, len(rest)))
        for start in range(0, len(firsts), size):
            numbers = np.repeat(np.arange(start, min(start + size, len(firsts))), len(rest))
            rest_of_chunk = np.tile(rest, (len(firsts[start : start + size]), 1, 1))
            yield numbers, np.concatenate([firsts[numbers][:, None], rest_of_chunk], axis=1)

    def compare(self, level: int) -> None:
        """Check that the certificate has exactly the pairs that were found."""
        for name, computed in (("interior", self.interior), ("edge", self.edge)):
            claimed = np.array(self.claim.levels[level][name], dtype=np.int64).reshape(-1, 2)
            require(
                np.array_equal(claimed, computed), f"the {name} of level {level} is what follows"
            )

    # ---- 5 answers

    def wrong_words(self, level: int, whole: dict[StatePair, int]) -> list[int]:
        """Return the lengths of the words that get a wrong class, from elements and states."""
        in_domain = [pair for pair in whole if self.classes[pair[1]] < self.outside]
        elements, states = np.array(in_domain, dtype=np.int64).reshape(-1, 2).T
        answers = self.network.read(self.network.vectors(level, elements))
        true = self.classes[states]
        rows = ((level, element) for element in elements.tolist())
        self.read_off.update(zip(rows, answers.tolist(), strict=True))
        return [whole[pair] for pair, off in zip(in_domain, answers != true, strict=True) if off]

    def wrong_empty_word(self) -> list[int]:
        """Return the length 0 if the empty word is in the domain and its class is wrong."""
        true = self.machine.classes[self.machine.start]
        if true == self.outside:
            return []
        self.empty_class = int(self.network.read(self.network.empty_vector())[0])
        return [] if self.empty_class == true else [0]

    # ---- 6 the end

    def check_repetition(self) -> None:
        """Check that the last level equals an earlier one, so that no later level brings anything
        new.
        """
        claim, first, last = self.claim, self.claim.repeats, len(self.claim.levels) - 1
        none = claim.counterexample is None and claim.checked_length is None
        require(none, "there is no counterexample, and any length was checked")
        require(first is not None and 1 <= first < last, "a level repeats an earlier one")
        assert first is not None
        same = all(claim.levels[first][k] == claim.levels[last][k] for k in ("interior", "edge"))
        require(same, f"level {last} has the pairs of level {first}")
        phases = {self.network.phase(first), self.network.phase(last)}
        require(len(phases) == 1, f"the network does at level {last} what it does at {first}")
        alike = np.array_equal(self.steps(first), self.steps(last))
        require(alike, f"lengths of level {last} do to the domain what those of {first} do")

    def check_counterexample(self, wrong: Sequence[int]) -> None:
        """Check that the counterexample is wrong as claimed, and that no shorter word is wrong."""
        claimed, language = self.claim.counterexample, self.claim.language
        require(claimed is not None and self.claim.repeats is None, "a counterexample is there")
        assert claimed is not None
        word = language.encode(claimed.word)
        require(language.decode(word) == claimed.word, "the word is written as words are")
        state = self.machine.start
        for symbol in word:
            state = self.machine.transitions[state][symbol]
        true, answer = self.machine.classes[state], self.classify(word)
        require(true < self.outside, "the word is in the domain")
        require(language.class_names[true] == claimed.language, "its class is true")
        require(language.class_names[answer] == claimed.model, "the model says so")
        require(true != answer, "the two differ")
        require(bool(wrong) and min(wrong) == len(word), "no shorter word is wrong")
        require(self.claim.checked_length == len(word) - 1, "all shorter words were checked")

    def classify(self, word: Sequence[int]) -> int:
        """Return the class that the network gives to a word, chunk by chunk from the right."""
        if not word:
            return int(self.network.read(self.network.empty_vector())[0])
        nodes, level = list(word), 0
        while len(nodes) > 1 or level == 0:
            padded = [ABSENT] * (-len(nodes) % self.chunk_size) + nodes
            chunks = np.array(padded).reshape(-1, self.chunk_size)
            nodes = self.network.compose(level, chunks[:1], edge=True).tolist()
            nodes += self.network.compose(level, chunks[1:], edge=False).tolist()
            level += 1
        return int(self.network.read(self.network.vectors(level, np.array(nodes)))[0])

    # ---- the language

    def numbers_of(self, maps: Integers) -> Integers:
        """Return the numbers of state maps, which must all be named."""
        rows = list(map(tuple, maps.tolist()))
        require(all(row in self.number for row in rows), "every state map is named")
        return np.array([self.number[row] for row in rows], dtype=np.int64)

    def steps(self, level: int) -> Booleans:
        """Return which states `[state, next]` lead to which by C^level symbols."""
        while len(self.powers) <= level:
            power = self.powers[-1].astype(np.int64)
            matrix = power
            for _ in range(self.chunk_size - 1):
                matrix = np.minimum(matrix @ power, 1)
            self.powers.append(matrix > 0)
        return self.powers[level]

    def leads_in(self, level: int) -> Booleans:
        """Return the states from which a multiple of C^level symbols can end in the domain."""
        if level not in self.good:
            steps, good = self.steps(level), self.classes < self.outside
            while not np.array_equal(good, more := good | (steps & good).any(axis=1)):
                good = more
            self.good[level] = good
        return self.good[level]


def pairs(elements: Integers, does: Integers) -> Integers:
    """Return distinct pairs in increasing order."""
    return distinct(np.stack([elements, does], axis=1))


def distinct(these: Integers) -> Integers:
    """Return each pair once, in increasing order."""
    return np.unique(these, axis=0) if len(these) else these


def shortest(elements: Integers, states: Integers, lengths: Integers) -> dict[StatePair, int]:
    """Return the smallest length of each pair."""
    order = np.argsort(-lengths)  # the last one stays
    ordered = zip(elements[order].tolist(), states[order].tolist(), strict=True)
    return dict(zip(ordered, lengths[order].tolist(), strict=True))


def keep_shortest(lengths_of: dict[StatePair, int], new: dict[StatePair, int]) -> None:
    """Add pairs with their lengths, unless they are known with a smaller one."""
    for pair, length in new.items():
        lengths_of[pair] = min(length, lengths_of.get(pair, length))


def rows_of(these: Integers, count: int) -> Integers:
    """Return all sequences of `count` pairs, `[sequence, position, (element, does)]`."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(count):
        last = np.tile(np.arange(len(these)), len(rows))[:, None]
        rows = np.concatenate([np.repeat(rows, len(these), axis=0), last], axis=1)
    return these[rows]
