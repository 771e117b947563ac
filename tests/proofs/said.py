"""An oracle of sentences: it reads what is printed about a proof, and judges it by words alone.

A sentence has to fit one of the forms below to its last character. It is then a claim, and is
compared with the file: languages and domains by plain loops over the automata in it, the network
by running it.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby, product
from typing import Any

import torch

from lengthwise.languages.spec import is_self_contained, parse
from lengthwise.proofs.check.certificate import Certificate
from proofs.followed import Followed
from proofs.forger import _SnappedByNearest, body_of, model_of

Word = tuple[int, ...]

Q = r'(?:[0-9A-Za-z:,=_.()|*+?\[\]{}^-]+|"(?:[^"\\]|\\.)*")'
N = r"(?:[\d,]+|more than 10\^18)"
HEX = r"[0-9a-f]{32}"


def _domain_form(prefix: str) -> str:
    return (
        rf"(?P<{prefix}words>{N}) of the (?P<{prefix}of>{N}) words of at most 8 symbols, "
        rf"(?P<{prefix}states>{N}) states?, digest (?P<{prefix}digest>{HEX})"
    )


NAME = (
    rf"(?:the automaton (?P<automaton>{HEX})(?P<more> \((?:claimed name: (?P<claimed>{Q}))?(?:; )?"
    rf"(?:domain: (?P<domain>{_domain_form('')}))?\))?|(?P<spec>{Q}))"
)
WHO = (
    r"(?P<who>The model as it runs|The model cast to bfloat16|The model as it runs, by bounds on "
    r"all its vectors,|The model with its vectors snapped to the nearest representatives)"
)
IN = r"(?P<inside> in the domain)?"
RIGHT = re.compile(rf"{WHO} gives every word{IN} of {NAME} its class, at every length\.")
WRONG = re.compile(
    rf"{WHO} gives (?:the empty word|a word of length (?P<length>\d+)) the class (?P<given>{Q}) "
    rf"where {NAME} has (?P<true>{Q})"
    rf"(?P<shorter>; it is right on all shorter words{IN}(?:, as far as float64 tells)?)?\."
)
OPEN = re.compile(
    rf"No proof of {NAME}: (?P<reason>.+?)\.(?: (?:As far as explored, all words|Run once, the "
    rf"model(?: cast to bfloat16)? was right on all words){IN} of at most (?P<reached>{N}) "
    rf"symbols?(?: are right)?\.)?"
)
WHO_OF = {
    "discrete": "The model as it runs",
    "structural": "The model as it runs",
    "snapped": "The model with its vectors snapped to the nearest representatives",
    "robust": "The model as it runs, by bounds on all its vectors,",
}
CLAIMED = "Claimed, not checked: "


class Said:
    """Judges what is said of one certificate; each method raises if something of it is false."""

    def __init__(self, made: Certificate, *, of: Certificate, answers: dict[Any, Any]) -> None:
        """`made` says it, `of` is what the file has, and `answers` are those that are known."""
        self.made, self.body, self.answers = made, body_of(of), answers
        self.language = self.body["language"]
        self.size = len(self.language["alphabet"])

    # ---- words

    def run(self, automaton: Any, word: Sequence[int]) -> int:
        state = automaton["start"]
        for symbol in word:
            state = automaton["transitions"][state][symbol]
        return int(automaton["classes"][state])

    def inside(self, word: Sequence[int]) -> bool:
        domain = self.language["domain"]
        return domain is None or self.run(domain, word) == 1

    def true(self, word: Sequence[int]) -> int:
        return self.run(self.language, word)

    def all_words(self, most: int) -> list[Word]:
        return [w for n in range(most + 1) for w in product(range(self.size), repeat=n)]

    @cached_property
    def words(self) -> list[Word]:
        """All short words, and some long ones."""
        most = {1: 24, 2: 6, 3: 4}.get(self.size, 2)
        long = [tuple((n * k + n // 3) % self.size for n in range(9 + 7 * k)) for k in (1, 2, 5)]
        return self.all_words(most) + long

    @cached_property
    def has_domain(self) -> bool:
        """Whether some word has no class."""
        domain = self.language["domain"]
        if domain is None:
            return False
        seen, queue = {domain["start"]}, [domain["start"]]
        for state in queue:
            queue += [n for n in dict.fromkeys(domain["transitions"][state]) if n not in seen]
            seen.update(queue)
        return any(domain["classes"][state] != 1 for state in seen)

    @property
    def network(self) -> Any:
        """The network of the file, which runs."""
        if "network" not in self.answers:
            self.answers["network"] = self.cast(model_of(self.made))
        return self.answers["network"]

    def cast(self, model: Any) -> Any:
        """The network in the arithmetic that the claim is about."""
        return model.bfloat16() if "precision" in self.body else model

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The number of words of at most 8 symbols in the domain, and of all."""
        every = self.all_words(8)
        return sum(map(self.inside, every)), len(every)

    def given(self, words: Iterable[Word]) -> dict[Word, int]:
        """The classes that the network gives."""
        words = list(words)
        new = sorted({w for w in words if w not in self.answers}, key=lambda w: (len(w), w))
        if new:
            model = self.network
            run: Callable[[torch.Tensor], list[int]] = lambda tokens: (  # noqa: E731
                model(tokens).argmax(dim=1).tolist()
            )
            if self.made.strength == "snapped":
                run = _SnappedByNearest(model.double(), self.made).classify
            with torch.no_grad():
                for _, same in groupby(new, key=len):
                    part = list(same)
                    classes = run(torch.tensor(part, dtype=torch.int64).reshape(len(part), -1))
                    self.answers.update(zip(part, classes, strict=True))
        return {word: self.answers[word] for word in words}

    def right(self, words: Iterable[Word]) -> bool:
        asked = [word for word in words if self.inside(word)]
        return all(given == self.true(word) for word, given in self.given(asked).items())

    # ---- the statement

    def statement(self, text: str, *, named: bool = True) -> None:
        """Judge a statement; unless `named`, of one who does not look at specifications."""
        if text.startswith(CLAIMED):
            assert not self.made.is_checked
            text = text.removeprefix(CLAIMED)
        assert text.isprintable(), text
        verdict = self.body["verdict"]
        form = {"equivalent": RIGHT, "counterexample": WRONG, "not-closed": OPEN}[verdict]
        claim = form.fullmatch(text)
        assert claim is not None, text
        self.name(claim, named=named)
        if verdict == "not-closed":
            self.reached(claim)
            return
        who = WHO_OF[self.body["strength"]]
        assert claim["who"] == ("The model cast to bfloat16" if "precision" in self.body else who)
        if verdict == "equivalent":
            assert (claim["inside"] is not None) == self.has_domain, text
            assert self.right(self.words), text
            return
        word = self.encoded(self.body["counterexample"]["word"])
        assert len(word) == int(claim["length"] or 0), text
        names = self.language["class_names"]
        assert self.inside(word), text
        assert plain(claim["true"]) == names[self.true(word)] != plain(claim["given"]), text
        assert plain(claim["given"]) == names[self.given([word])[word]], text
        if claim["shorter"]:
            assert (claim["inside"] is not None) == self.has_domain, text
            shorter = (
                self.all_words(len(word) - 1) if self.size ** len(word) < 3_000 else self.words
            )
            assert self.right(w for w in shorter if len(w) < len(word)), text

    def reached(self, claim: re.Match[str]) -> None:
        if claim["reached"] is not None:
            assert (claim["inside"] is not None) == self.has_domain
            most = number(claim["reached"])
            assert self.right(word for word in self.words if len(word) <= most)

    def name(self, claim: re.Match[str], *, named: bool) -> None:
        """The language that a sentence names is that of the file, whoever made it."""
        if claim["spec"] is not None:
            spec = plain(claim["spec"])
            assert named
            assert is_self_contained(spec), spec
            other = parse(spec)
            assert list(other.alphabet) == self.language["alphabet"]
            assert list(other.class_names) == self.language["class_names"]
            for word in self.words:
                is_in = other.domain is None or other.domain.classify(word) == 1
                assert is_in == self.inside(word), spec
                assert not is_in or other.classes[other.run(word)] == self.true(word), spec
            return
        assert claim["automaton"] == digest_of(self.language)
        claimed = self.language["spec"] if named else ""
        assert (claim["claimed"] is None) == (claimed == "")
        assert claim["claimed"] is None or plain(claim["claimed"]) == claimed
        assert (claim["domain"] is not None) == self.has_domain
        if claim["domain"] is not None:
            self.domain(claim, "")

    def domain(self, claim: re.Match[str], prefix: str) -> None:
        domain = self.language["domain"]
        assert (number(claim[f"{prefix}words"]), number(claim[f"{prefix}of"])) == self.counts
        assert number(claim[f"{prefix}states"]) == len(domain["classes"])
        assert claim[f"{prefix}digest"] == digest_of(domain)

    def encoded(self, text: str) -> Word:
        alphabet = self.language["alphabet"]
        symbols = text.split(" ") if any(len(s) > 1 for s in alphabet) and text else list(text)
        return tuple(alphabet.index(symbol) for symbol in symbols)

    # ---- facts

    def fact(self, name: str, text: str) -> None:
        """Judge a fact that is printed beside the statement."""
        assert text.isprintable(), text
        _FACTS[name](self, text)

    def verdict(self, text: str) -> None:
        precise = ", bfloat16" if "precision" in self.body else ""
        assert text == f"{self.body['verdict']} ({self.body['strength']}{precise})"

    def wrong_word(self, text: str) -> None:
        word = self.body["counterexample"]["word"]
        assert text == "the empty word" if word == "" else plain(text) == word

    def automaton(self, text: str) -> None:
        claim = fullmatch(
            rf"(?P<digest>{HEX}), (?P<states>{N}) states? over (?P<symbols>{Q}(?: {Q})*), "
            rf"classes (?P<classes>{Q}(?: {Q})*)",
            text,
        )
        assert claim["digest"] == digest_of(self.language)
        assert number(claim["states"]) == len(self.language["classes"])
        for part, names in (("symbols", "alphabet"), ("classes", "class_names")):
            assert list(map(plain, re.findall(Q, claim[part]))) == self.language[names], text

    def domain_fact(self, text: str) -> None:
        assert self.has_domain
        self.domain(fullmatch(rf"only {_domain_form('d_')}; others have no class", text), "d_")

    def claimed_name(self, text: str) -> None:
        claim = fullmatch(rf"(?P<spec>{Q}), which was not looked at", text)
        assert plain(claim["spec"]) == self.language["spec"]

    def structure(self, text: str) -> None:
        claim = fullmatch(
            rf"a slot for each of (?P<n>{N}) states?; products are checked for "
            rf"(?P<pairs>{N}) pairs? of states, whatever the other slots hold",
            text,
        )
        slots = self.body["weights"]["pad"]["shape"][0]
        assert (number(claim["n"]), number(claim["pairs"])) == (slots, slots**2)

    def explored(self, text: str) -> None:
        if "chunk_size" in self.body["settings"]:
            self.explored_tree(text)
            return
        claim = fullmatch(
            rf"(?P<codes>{N}) (?:code|context)s? of prefixes of its words, in (?P<pairs>{N}) "
            r"pairs? with states of the minimal automaton: "
            rf"(?:nothing new after (?P<last>{N})|prefixes of up to (?P<up>{N})) symbols?",
            text,
        )
        most = None if claim["up"] is None else number(claim["up"])
        pairs, last = Followed(self.made, self.network).prefixes(most)
        assert number(claim["pairs"]) == len(pairs), text
        assert number(claim["codes"]) == len({code for code, _ in pairs}), text
        assert most is not None or number(claim["last"]) == last, text

    def explored_tree(self, text: str) -> None:
        claim = fullmatch(
            rf"(?:level (?P<last>{N}) repeats level (?P<first>{N})|up to level (?P<up>{N})): "
            rf"(?P<interior>{N}) interior and (?P<edge>{N}) edge pairs? there; in all "
            rf"(?P<elements>{N}) elements? and (?P<maps>{N}) state maps? of the minimal automaton",
            text,
        )
        last = number(claim["last"] or claim["up"])
        key = ("tree", json.dumps([self.body["machine"], last]), len(self.language["class_names"]))
        if key not in self.answers:
            self.answers[key] = Followed(self.made, self.network).levels(last)
        levels = self.answers[key]
        interior, edge = levels[last]
        assert (number(claim["interior"]), number(claim["edge"])) == (len(interior), len(edge)), (
            text
        )
        assert number(claim["maps"]) == len({m for inner, _ in levels for _, m in inner}), text
        apart = self.body["strength"] != "discrete"
        met = {
            (element, level * apart, place * apart)
            for level, both in enumerate(levels[1:])
            for place, pairs in enumerate(both)
            for element, _ in pairs
        }
        assert number(claim["elements"]) == len(met), text
        if claim["first"] is not None:
            assert levels[number(claim["first"])] == levels[last], text

    def arithmetic(self, text: str) -> None:
        claim = fullmatch(
            r"rounding, in any order of additions, moves (?P<what>numbers before a sign|logits of "
            r"what is written) by (?P<radius>\S+) at most, and (?:then each still stays "
            r"(?P<room>\S+) or more (?:from 0|ahead of others)|they are (?P<distance>\S+) "
            r"(?:from 0|ahead of others)(?P<near> only, too near to be certain)?)",
            text,
        )
        if claim["room"] is None:  # then the codes of one arithmetic need not be those of another
            assert self.made.margins is not None
            assert not self.made.margins.is_certain
            is_near = not float(claim["distance"]) > float(claim["radius"])
            assert bool(claim["near"]) == is_near, text
            return
        asked = [word for word in self.words if self.inside(word) and len(word) < 5]
        limit = self.body["checked_length"]
        asked = [word for word in asked if limit is None or len(word) <= limit][:20]
        single, double = (self.numbers(asked, dtype) for dtype in (None, torch.float64))
        room, radius = float(claim["room"]), float(claim["radius"])
        for one, other in zip(single, double, strict=True):
            assert float((one.double() - other).abs().max()) <= 2 * radius + 1e-15, text
            assert float(one.double().abs().min()) >= room, text

    def numbers(self, words: list[Word], dtype: torch.dtype | None) -> list[torch.Tensor]:
        """Numbers that are written while words are read, in an arithmetic; margins of digits."""
        if (key := (dtype, *words)) in self.answers:
            known: list[torch.Tensor] = self.answers[key]
            return known
        model = model_of(self.made)
        model = self.cast(model) if dtype is None else model.to(dtype)
        found: list[torch.Tensor] = []

        def keep(_: Any, __: Any, out: torch.Tensor) -> None:
            if "window" in self.body["settings"]:
                base = max(2, out.shape[-1] // self.body["settings"]["num_digits"])
                best = out.reshape(-1, base).topk(2, dim=1).values
                out = best[:, 0] - best[:, 1]
            found.append(out.reshape(-1))

        layer = model.write if hasattr(model, "write") else model.memory.write
        hook = layer.register_forward_hook(keep)
        with torch.no_grad():
            for word in words:
                model(torch.tensor([word], dtype=torch.int64).reshape(1, -1))
        hook.remove()
        self.answers[key] = [each for each in found if each.numel()]
        return self.numbers(words, dtype)

    def snapped(self, text: str) -> None:
        claim = fullmatch(
            r"vectors are moved by at most (?P<spread>\S+) to the nearest(?:; others are "
            r"(?P<gap>\S+) away or more, on each level farther than any moved)?",
            text,
        )
        by_nearest = _SnappedByNearest(model_of(self.made).double(), self.made)
        asked = [word for word in self.words if self.inside(word) and word]
        with torch.no_grad():
            for _, same in groupby(asked, key=len):
                by_nearest.classify(torch.tensor(list(same), dtype=torch.int64))
        assert by_nearest.spread <= float(claim["spread"]) + 1e-12, text
        assert claim["gap"] is None or by_nearest.gap >= float(claim["gap"]) - 1e-12, text

    def model(self, text: str) -> None:
        plain_values = {"settings": self.body["settings"], "weights": self.body["weights"]}
        canonical = json.dumps(plain_values, separators=(",", ":"), ensure_ascii=False) + "\n"
        assert text == hashlib.sha256(canonical.encode()).hexdigest()

    def term(self, text: str) -> None:
        known = (
            r"an answer is the class with the largest logit",
            r"words are at the right of their rows, and their lengths are given",
            r"the model is (?P<network>\w+) of lengthwise \S+, in eval mode, with nothing of its "
            r"code replaced and no hooks",
            r"each vector is replaced by the nearest representative of its level in the file, "
            r"interior and edge apart; the empty word is read off as it is",
            r"arithmetic is that of the weights' type: .*",
            r"the model is cast by \.bfloat16\(\), .*",
        )
        found = [claim for form in known if (claim := re.fullmatch(form, text))]
        assert len(found) == 1, text
        network = found[0].groupdict().get("network")
        assert network is None or network == type(self.network).__name__

    def not_checkable(self, text: str) -> None:
        assert text
        assert not self.made.margins or not self.made.margins.is_certain

    # ---- JSON

    def summary(self, values: dict[str, Any]) -> None:
        """Judge what `--json` prints, which says what the sentence says."""
        self.statement(values["statement"])
        assert values["automaton_digest"] == digest_of(self.language)
        is_named = values["language"] != ""
        assert [values["claimed_name"], values["language"]][is_named] == self.language["spec"]
        assert (digest_of(self.language) in values["statement"]) != is_named
        assert (values["domain"] is not None) == self.has_domain
        if values["domain"] is not None:
            words, of = self.counts
            assert values["domain"] == {
                "states": len(self.language["domain"]["classes"]),
                "words": words,
                "of": of,
                "digest": digest_of(self.language["domain"]),
            }
        assert values["verdict"] == self.body["verdict"]
        assert values["strength"] == self.body["strength"]
        assert values["counterexample"] == self.body["counterexample"]
        wrong = self.body["counterexample"]
        length = None if wrong is None else len(self.encoded(wrong["word"]))
        assert values["counterexample_length"] == length
        assert values["checked_length"] == self.body["checked_length"]
        for term in values["terms"]:
            self.term(term)


_FACTS: dict[str, Callable[[Said, str], None]] = {
    "verdict": Said.verdict,
    "statement": Said.statement,
    "wrong word": Said.wrong_word,
    "explored": Said.explored,
    "structure": Said.structure,
    "arithmetic": Said.arithmetic,
    "snapped": Said.snapped,
    "automaton": Said.automaton,
    "domain": Said.domain_fact,
    "claimed name": Said.claimed_name,
    "model": Said.model,
    "provided that": Said.term,
    "": Said.term,
    "not checkable": Said.not_checkable,
}


def fullmatch(form: str, text: str) -> re.Match[str]:
    found = re.fullmatch(form, text)
    assert found is not None, text
    return found


def plain(text: str) -> str:
    """The text that was quoted."""
    return str(json.loads(text)) if text.startswith('"') else text


def number(text: str) -> int:
    assert "more" not in text
    return int(text.replace(",", ""))


def digest_of(language: Any) -> str:
    """The digest of an automaton and its domain, without their specifications."""
    domain = language["domain"]
    nameless = {**language, "spec": "", "domain": domain and {**domain, "spec": ""}}
    return hashlib.sha256(json.dumps(nameless, sort_keys=True).encode()).hexdigest()[:32]
