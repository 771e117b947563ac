"""The induction over prefixes: steps 3 to 6 of `check`, without torch.

It is for networks that implement `BoundedCoded`. A word is read from left to right, and every
prefix leads to a code of the network, of bits or of tokens, and to a state of the machine. The
pairs of all prefixes of all words of the domain follow from the pair of the empty word, one symbol
after the other; those of a length that no shorter prefix has are its *level*.

Axes:
    prefix  pairs of one level
    place   bits or tokens of a code
"""

from collections.abc import Sequence

import numpy as np

from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.bounded import BoundedCoded, Codes, Decided
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.elements import Margin, PrefixNode, read_codes
from lengthwise.proofs.check.margins import RoundingMargins
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.check.schema import require
from lengthwise.proofs.check.snapped_step import SnappedStep
from lengthwise.proofs.check.table_node import TableNode

_BATCH = 1024


class PrefixInduction:
    """Follow all prefixes of all words of the domain, symbol by symbol."""

    def __init__(self, claim: Certificate, node: PrefixNode) -> None:
        self.claim = claim
        self.node: BoundedCoded = node
        self.signs, self.answers = Margin("sign"), Margin("answer")
        strength = "tabulated" if isinstance(node, TableNode) else "discrete"
        suits = claim.strength == ("snapped" if isinstance(node, SnappedStep) else strength)
        require(suits, "the claim suits the memory")
        require(not claim.maps and claim.repeats is None, "there are no state maps, and no repeat")
        inside = all(not level["interior"] for level in claim.levels)
        require(inside and len(claim.levels) > 0, "there is a level, and none has an interior")
        self.codes = read_named_codes(claim, node)
        self.index_of = {key: index for index, key in enumerate(keys_of(self.codes))}
        self.transitions = np.array(claim.machine.transitions, dtype=np.int64)
        self.classes = np.array(claim.machine.classes, dtype=np.int64)
        self.outside = claim.language.num_classes
        self.begins = self.beginnings()

    def check(self) -> RoundingMargins:
        """Check that the levels are what follows, that only the last one is wrong or empty, and
        the verdict; return the margins of signs and answers."""
        start = self.first()
        pairs = np.array([[start, self.claim.machine.start]], dtype=np.int64)
        pairs = pairs[self.begins[pairs[:, 1]]]
        seen = {start}
        known: set[tuple[int, int]] = set()
        wrong = False
        for length in range(len(self.claim.levels)):
            require(not wrong, f"no word of less than {length} symbols is wrong")
            if length:
                pairs = self.next(pairs, known)
            claimed = np.array(self.claim.levels[length]["edge"], dtype=np.int64).reshape(-1, 2)
            require(
                np.array_equal(claimed, pairs), f"the pairs of length {length} are what follows"
            )
            wrong = self.is_wrong(pairs)
            known.update(map(tuple, pairs.tolist()))
            seen.update(pairs[:, 0].tolist())
        require(len(seen) == len(self.codes), "every code that is named occurs")
        if self.claim.verdict == "equivalent":
            none = self.claim.counterexample is None and self.claim.checked_length is None
            require(none, "there is no counterexample, and any length was checked")
            require(not wrong, "all words have their class")
            require(not len(pairs), "nothing new follows the last level")
        else:
            require(wrong, f"a word of {len(self.claim.levels) - 1} symbols is wrong")
            self.check_counterexample()
        return RoundingMargins.of(self.signs, self.answers)

    def next(self, pairs: Integers, known: set[tuple[int, int]]) -> Integers:
        """Return the pairs after one more symbol that are not known, in increasing order."""
        reached: set[tuple[int, int]] = set()
        for symbol in range(self.transitions.shape[1]):
            states = self.transitions[pairs[:, 1], symbol]
            begins = self.begins[states]
            elements = self.step(pairs[begins, 0], np.full(int(begins.sum()), symbol))
            reached.update(zip(elements.tolist(), states[begins].tolist(), strict=True))
        return np.array(sorted(reached - known), dtype=np.int64).reshape(-1, 2)

    def is_wrong(self, pairs: Integers) -> bool:
        """Return whether the network gives a pair in the domain another class than the machine."""
        true = self.classes[pairs[:, 1]]
        in_domain = true < self.outside
        return bool((self.read(pairs[in_domain, 0]) != true[in_domain]).any())

    def check_counterexample(self) -> None:
        """Check that the counterexample is wrong as claimed, at the length of the last level."""
        claimed, language = self.claim.counterexample, self.claim.language
        require(claimed is not None, "a counterexample is there")
        assert claimed is not None
        word = language.encode(claimed.word)
        require(language.decode(word) == claimed.word, "the word is written as words are")
        state = self.claim.machine.start
        for symbol in word:
            state = int(self.transitions[state, symbol])
        true, answer = int(self.classes[state]), self.classify(word)
        require(true < self.outside, "the word is in the domain")
        require(language.class_names[true] == claimed.language, "its class is true")
        require(language.class_names[answer] == claimed.model, "the model says so")
        require(true != answer, "the two differ")
        require(len(word) == len(self.claim.levels) - 1, "no shorter word is wrong")
        require(self.claim.checked_length == len(word) - 1, "all shorter words were checked")

    # ---- the network

    def first(self) -> int:
        """Return the code of the empty word."""
        return int(self.number(self.node.start())[0])

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        """Return the codes after symbols, whose bits or tokens must be certain."""
        numbers = np.empty_like(elements)
        for start in range(0, len(elements), _BATCH):
            part = slice(start, start + _BATCH)
            numbers[part] = self.number(self.node.step(self.codes[elements[part]], symbols[part]))
        return numbers

    def read(self, elements: Integers) -> Integers:
        """Return the classes of words, which no rounding may change.

        Where steps have read off classes, those of all steps so far must be certain, also if the
        last of them led to nothing new, so that there are no elements.
        """
        classes = np.empty_like(elements)
        for start in range(0, max(1, len(elements)), _BATCH):
            part = slice(start, start + _BATCH)
            decided = self.node.classes(self.codes[elements[part]])
            self.answers.see(decided.distance, decided.radius)
            classes[part] = decided.values
        return classes

    def classify(self, word: Sequence[int]) -> int:
        """Return the class that the network gives to a word."""
        element = np.array([self.first()], dtype=np.int64)
        for symbol in word:
            element = self.step(element, np.array([symbol], dtype=np.int64))
        return int(self.read(element)[0])

    def number(self, decided: Decided) -> Integers:
        """Return the numbers of codes; every value must be certain, and every code named."""
        self.signs.see(decided.distance, decided.radius)
        keys = keys_of(decided.values)
        require(all(key in self.index_of for key in keys), "the code of every prefix is named")
        return np.array([self.index_of[key] for key in keys], dtype=np.int64)

    # ---- the language

    def beginnings(self) -> Booleans:
        """Return the states from which some word leads into the domain."""
        good = self.classes < self.outside
        while True:
            more = good | good[self.transitions].any(axis=1)
            if np.array_equal(more, good):
                return good
            good = more


def read_named_codes(claim: Certificate, node: PrefixNode) -> Codes:
    """Return the codes that a certificate names, `[element, place]`; each occurs once."""
    if isinstance(node, RecurrentNode):
        rows = np.unpackbits(read_codes(claim, node.num_bits), axis=1, count=node.num_bits)
        return rows.astype(np.bool_)
    if isinstance(node, TableNode):
        return np.arange(len(node.pairs))[:, None]
    if isinstance(node, SnappedStep):
        pairs = np.array(claim.elements["pairs"], dtype=np.int64).reshape(-1, 2)
        inside = (pairs >= 0) & (pairs < [len(node.representatives), claim.settings["num_classes"]])
        require(bool(inside.all()), "pairs are of representatives and classes")
        require(len(set(keys_of(pairs))) == len(pairs), "every pair stands once")
        return pairs
    require(set(claim.elements) == {"contexts"}, "elements are contexts")
    width = node.receptive_field - 1
    contexts = claim.elements["contexts"]
    require(all(len(row) == width for row in contexts), "contexts have the tokens that a step sees")
    tokens = np.array(contexts, dtype=np.int64).reshape(-1, width)
    require(len(set(keys_of(tokens))) == len(tokens), "every context occurs once")
    return tokens


def keys_of(codes: Codes) -> list[bytes]:
    """Return a key for each code."""
    return [row.tobytes() for row in codes]
