"""A certificate: a claim about a model and a language, with everything that a checker needs.

On disk it is one JSON file of a closed form (`form.py`). The bytes are determined by its
content, and its last entry is their digest, so that no byte can change unseen. A digest is not a
signature: whoever changes the content can compute it again. `proofs.check.induction` decides what
follows from the content.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from lengthwise.arguments import path_of
from lengthwise.display import html_of
from lengthwise.errors import CertificateError
from lengthwise.files import write_bytes
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.messages import shorten
from lengthwise.proofs.check import schema
from lengthwise.proofs.check.arrays import Integers, pack, unpack
from lengthwise.proofs.check.bfloat16_balls import Precision, bfloat16_rounded
from lengthwise.proofs.check.form import ARRAY, BALLS, FORMAT, FORMAT_WITH_PRECISION, FORMS
from lengthwise.proofs.check.margins import RoundingMargins, SnapDistances
from lengthwise.proofs.check.networks import CONSTANT, OF_CODE, Kind, kind_of_network
from lengthwise.proofs.check.statement import (
    describe_language,
    escape_unprintable,
    quote,
    state_claim,
    terms_of,
)

TOO_LARGE = (
    "checking the certificate needs more memory than there is, so it was not checked. Check it on "
    "a larger machine."
)

Verdict = Literal["equivalent", "counterexample", "not-closed"]
Strength = Literal["discrete", "structural", "snapped", "robust", "tabulated"]

StatePair = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """The minimal automaton of a language over all words.

    Words outside the domain have a class of their own, the number of the language's classes.
    """

    transitions: tuple[tuple[int, ...], ...]
    """`transitions[state][symbol]`"""
    classes: tuple[int, ...]
    start: int

    @classmethod
    def of(cls, minimal: Language) -> Self:
        """Return the machine that is a minimal automaton over all words."""
        return cls(transitions=minimal.transitions, classes=minimal.classes, start=minimal.start)


@dataclass(frozen=True, kw_only=True, slots=True)
class WrongWord:
    """A word on which the model is wrong."""

    word: str
    model: str
    """Class given by the model."""
    language: str
    """Class of the word in the language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificate:
    """The result of a proof attempt about a model and a language, with the evidence.

    `reason`, `margins`, `moved` and `made_with` are notes of the maker of the certificate. `check`
    returns a certificate whose `margins` and `moved` are recomputed; the other notes are empty.

    Examples:
        >>> import lengthwise as lw
        >>> found = lw.check("zoo:parity")
        >>> found.verdict, found.strength
        ('equivalent', 'discrete')
        >>> found.save("proof.json")
        >>> lw.check("proof.json").statement == found.statement
        True
    """

    verdict: Verdict
    strength: Strength
    language: Language
    machine: Machine
    settings: Mapping[str, Any]
    """Settings of the network, those of its `kind`."""
    weights: Mapping[str, NDArray[Any]]
    elements: Mapping[str, Any]
    """Description of the elements of the algebra: `codes` in hexadecimal or `contexts` of
    tokens (`discrete`), `representatives` and `pairs` of a representative and a class (a
    recurrence that is snapped; with `transitions` of pairs if `tabulated`), or `levels` of
    representatives and their tables (the last of them has those of level `repeat`); empty if
    `structural`, as are `maps` and `levels`.
    """
    maps: tuple[tuple[int, ...], ...]
    """State maps on `machine`, by number."""
    levels: tuple[Mapping[str, tuple[StatePair, ...]], ...]
    """Pairs by level: `interior` pairs (element, state map) and `edge` pairs (element, state). Of a
    recurrent network, level l has the `edge` pairs of prefixes of l symbols that no shorter prefix
    has, and the last one of a proof is empty."""
    precision: Precision = "weights"
    """Arithmetic of the network: that of the weights' type, or bfloat16. In the latter case weights
    are numbers of bfloat16, stored as float32."""
    repeats: int | None = None
    """Level whose pairs the last level has."""
    counterexample: WrongWord | None = None
    checked_length: int | None = None
    """All words of at most this length are right; None: of any length."""
    reason: str = ""
    """Reason why there is no proof, if the verdict is `not-closed`."""
    margins: RoundingMargins | None = None
    moved: SnapDistances | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)
    is_checked: bool = field(default=False, init=False, compare=False, repr=False)
    """True if `certify` made this very object or `check` returned it; of a file, or of a changed
    certificate, nothing has been checked yet."""

    def as_checked(self) -> Self:
        """Return this certificate, marked as one that was checked; for `certify` and `check`."""
        object.__setattr__(self, "is_checked", True)
        return self

    def __repr__(self) -> str:
        return f"Certificate({self.verdict}, {self.strength}: {shorten(self.statement, 200)})"

    def _repr_html_(self) -> str:
        """Return the view of the certificate in notebooks."""
        return html_of(self)

    @property
    def kind(self) -> Kind:
        """The kind of network that the certificate is about."""
        return kind_of_network(self.strength, self.settings)

    @property
    def is_recurrent(self) -> bool:
        """True if the network reads symbol by symbol, so that levels are lengths of prefixes."""
        recurrences = ("BinaryRecurrent", "Recurrent", "WindowScratchpad", *OF_CODE)
        return self.kind in recurrences

    @property
    def is_of_snapped(self) -> bool:
        """True if it says nothing of the network as it runs, but of it with vectors snapped."""
        return self.strength in ("snapped", "tabulated")

    @property
    def model_digest(self) -> str:
        """Digest of the network's settings and weights; of one with code of its own, that of the
        weights alone.
        """
        if self.kind == "Table":
            return str(self.settings["weights"])
        if self.kind == "Program":
            own = {n: w for n, w in self.weights.items() if not n.startswith(CONSTANT)}
            return weights_digest(own)
        return digest_of(self.settings, self.weights)

    @property
    def statement(self) -> str:
        """The claim in a sentence."""
        return state_claim(self)

    @property
    def table(self) -> list[dict[str, Any]]:
        """The pairs of the levels: the action of each element of the model's algebra."""
        rows = []
        for number, level in enumerate(self.levels):
            for element, map_ in level["interior"]:
                does = {"maps_states_to": self.maps[map_]}
                rows.append({"level": number, "place": "interior", "element": element, **does})
            for element, state in level["edge"]:
                rows.append({"level": number, "place": "edge", "element": element, "state": state})
        return rows

    @property
    def _num_elements(self) -> int:
        """Number of codes, of representatives by level, or of slots, that occur above symbols."""
        if self.strength == "structural":
            return int(self.settings["num_slots"])
        if self.is_recurrent:
            named = (self.elements.get(name, ()) for name in ("codes", "contexts", "pairs"))
            return sum(map(len, named))
        maps_met = {
            (e,) if self.strength == "discrete" else (number, place, e)
            for number, level in enumerate(self.levels[1:])
            for place, pairs in level.items()
            for e, _ in pairs
        }
        return len(maps_met)

    def summary(self) -> dict[str, Any]:
        """Return the result without the evidence, as plain values."""
        last = self.levels[-1] if self.levels else {"interior": (), "edge": ()}
        wrong = self.counterexample
        return {
            "verdict": self.verdict,
            "strength": self.strength,
            "precision": self.precision,
            **describe_language(self),
            "statement": self.statement,
            "terms": list(terms_of(self)),
            "counterexample": None if wrong is None else _fields(wrong),
            "counterexample_length": (
                None if wrong is None else len(self.language.encode(wrong.word))
            ),
            "checked_length": self.checked_length,
            "reason": self.reason,
            "levels": max(0, len(self.levels) - 1),
            "repeats": self.repeats,
            "elements": self._num_elements,
            "interior_pairs": len(last["interior"]),
            "edge_pairs": (
                sum(len(level["edge"]) for level in self.levels)
                if self.is_recurrent
                else len(last["edge"])
            ),
            "monoid_elements_met": len({m for level in self.levels for _, m in level["interior"]}),
            "margins": None if self.margins is None else _fields(self.margins),
            "moved": None if self.moved is None else _fields(self.moved),
            "model_digest": self.model_digest,
        }

    def require_model(
        self, settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]
    ) -> None:
        """Refuse a model other than the certified one.

        Raises:
            CertificateError: settings or weights differ.
        """
        if self.kind in OF_CODE:
            if weights_digest(weights) != self.model_digest:
                raise CertificateError(
                    "the certificate is for a network with other weights. Certify this one."
                )
            return
        if set(settings) != set(self.settings):
            raise CertificateError(
                "the certificate is for another kind of network than the run's. Certify the run."
            )
        if self.precision == "bfloat16":
            weights = {name: bfloat16_rounded(w.astype(np.float32)) for name, w in weights.items()}
        alike = all(
            type(value) is type(self.settings[name]) and value == self.settings[name]
            for name, value in settings.items()
        )
        if not alike or digest_of(self.settings, weights) != self.model_digest:
            raise CertificateError(
                "the certificate is for another model (its digest differs). Certify this one."
            )

    # ---- files -----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        precision = {} if self.precision == "weights" else {"precision": self.precision}
        body = {
            "format": FORMAT_WITH_PRECISION if precision else FORMAT,
            "verdict": self.verdict,
            "strength": self.strength,
            **precision,
            "language": to_dict(self.language),
            "machine": _fields(self.machine),
            "settings": dict(self.settings),
            "weights": {name: pack(w) for name, w in sorted(self.weights.items())},
            "elements": _in_order(self.elements),
            "maps": self.maps,
            "levels": [{k: level[k] for k in ("interior", "edge")} for level in self.levels],
            "repeats": self.repeats,
            "counterexample": None if self.counterexample is None else _fields(self.counterexample),
            "checked_length": self.checked_length,
            "notes": {
                "reason": self.reason,
                "margins": None if self.margins is None else _fields(self.margins),
                "moved": None if self.moved is None else _fields(self.moved),
                "made_with": dict(self.made_with),
            },
        }
        digest = hashlib.sha256(_canonical(body)).hexdigest()
        return _canonical({**body, "digest": digest})

    def save(self, path: Path | str) -> None:
        """Write the file `path`."""
        write_bytes(path_of("a certificate", path), self.to_bytes())

    @classmethod
    def load(cls, path: Path | str) -> "Certificate":
        """Read the file `path`, and verify that every byte is as it was written.

        Raises:
            CertificateError: the file cannot be read, is not a certificate, or was changed.
        """
        path = path_of("a certificate", path)
        try:
            content = path.read_bytes()
        except OSError as error:
            why = error.strerror or "unknown"
            raise CertificateError(f"{path} cannot be read ({why}). Name the file.") from None
        try:
            body = json.loads(content)
            certificate = cls._from_body(body)
            same = certificate.to_bytes() == content
        except MemoryError:
            raise CertificateError(TOO_LARGE) from None
        except Exception as error:  # the bytes can be anything
            raise CertificateError(
                f"{path} is not a certificate of lengthwise, or it was changed "
                f"({escape_unprintable(str(error) or repr(error))[:100]}). Certify the model again."
            ) from None
        if not same:
            raise CertificateError(
                f"{path} was changed: it is not byte for byte as it was written. "
                f"Certify the model again."
            )
        return certificate

    @classmethod
    def _from_body(cls, body: Any) -> "Certificate":
        if not isinstance(body, dict) or "format" not in body:
            raise CertificateError("there is no format")
        if body["format"] == 1:
            raise CertificateError("it is of format 1, whose certificates could be forged")
        if body["format"] not in FORMS:
            known = " or ".join(map(str, FORMS))
            raise CertificateError(f"format {quote(str(body['format']))[:20]} is not {known}")
        schema.require_form(body, FORMS[body["format"]])
        wrong, machine, notes = body["counterexample"], body["machine"], body["notes"]
        sure, moved, language = notes["margins"], notes["moved"], from_dict(body["language"])
        if wrong is not None:
            language.encode(wrong["word"])  # raises if it has other symbols
        return cls(
            verdict=body["verdict"],
            strength=body["strength"],
            precision=body.get("precision", "weights"),
            language=language,
            machine=Machine(
                transitions=tuple(map(tuple, machine["transitions"])),
                classes=tuple(machine["classes"]),
                start=machine["start"],
            ),
            settings=body["settings"],
            weights={name: unpack(packed) for name, packed in body["weights"].items()},
            elements=body["elements"],
            maps=tuple(map(tuple, body["maps"])),
            levels=tuple(
                {name: tuple(map(tuple, pairs)) for name, pairs in level.items()}
                for level in body["levels"]
            ),
            repeats=body["repeats"],
            counterexample=None if wrong is None else WrongWord(**wrong),
            checked_length=body["checked_length"],
            reason=notes["reason"],
            margins=None if sure is None else RoundingMargins(**sure),
            moved=None if moved is None else SnapDistances(**moved),
            made_with=notes["made_with"],
        )


def _in_order(elements: Mapping[str, Any]) -> dict[str, Any]:
    """Return elements with the names of every object in the order of the format."""
    if "pairs" in elements:
        array = {key: elements["representatives"][key] for key in ARRAY}
        return {
            "representatives": array,
            **{name: elements[name] for name in ("pairs", "transitions") if name in elements},
        }
    if "levels" not in elements:
        return dict(elements)  # one name
    levels = [
        {
            place: {
                name: {key: level[place][name][key] for key in ARRAY}
                for name in BALLS
                if name in level[place]
            }
            for place in ("interior", "edge")
        }
        for level in elements["levels"]
    ]
    return {"levels": levels, "repeat": elements["repeat"]}


def weights_digest(weights: Mapping[str, NDArray[Any]]) -> str:
    """Return the digest of weights, by their names in the network itself.

    What wraps a network has it as `module`, so then all names begin with that.
    """
    while weights and all(name.startswith("module.") for name in weights):
        weights = {name.removeprefix("module."): weight for name, weight in weights.items()}
    return digest_of({}, weights)


def digest_of(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> str:
    """Return the digest of a network: of its settings and all its weights."""
    packed = {name: pack(w) for name, w in sorted(weights.items())}
    return hashlib.sha256(_canonical({"settings": dict(settings), "weights": packed})).hexdigest()


def pairs_of(elements: Integers, states: Integers) -> tuple[StatePair, ...]:
    """Return two columns as pairs."""
    return tuple(zip(elements.tolist(), states.tolist(), strict=True))


def _fields(value: Any) -> dict[str, Any]:
    """Return a value's fields as JSON can hold them: NaN and infinity become null."""
    fields = {name: getattr(value, name) for name in type(value).__slots__}
    return {
        name: None if isinstance(field, float) and not math.isfinite(field) else field
        for name, field in fields.items()
    }


def _canonical(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
