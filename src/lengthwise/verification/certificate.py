"""What does a proof look like on disk? One JSON file that holds all that a checker needs.

The language, the weights, what was explored, and what follows from it. The bytes of the file are
determined by its content, and its last entry is their digest, so that no byte can change unseen.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

from lengthwise.errors import CertificateError
from lengthwise.files import write_bytes
from lengthwise.languages.language import Language
from lengthwise.languages.stored import from_dict, to_dict
from lengthwise.verification.algebra import Integers
from lengthwise.verification.arrays import pack, unpack

FORMAT = 1

Verdict = Literal["equivalent", "counterexample", "not-closed"]
Strength = Literal["discrete", "snapped", "robust"]

Pair = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrong:
    """A word on which the model is wrong."""

    word: str
    model: str
    """The class that the model gives to it."""
    language: str
    """Its class."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sureness:
    """How far signs and answers are from turning over, and how far arithmetic could move them.

    None stands for what is no number, such as an infinite bound.
    """

    sign_distance: float | None
    """Smallest distance of a number before the sign from 0, over all reachable chunks."""
    sign_radius: float | None
    """Largest bound on what rounding, in any order of additions, does to such a number."""
    answer_distance: float | None
    """Smallest distance of the largest logit from the next."""
    answer_radius: float | None
    measured: float | None
    """Largest difference seen between the model as it runs and float64, over batches of several
    sizes and numbers of threads."""
    room: float | None
    """Smallest distance of a number before the sign from 0 less its own bound: above 0, all signs
    are certain."""
    is_certain: bool
    """Whether every distance is larger than its own radius."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificate:
    """What was found out about a model and a language, and the evidence."""

    verdict: Verdict
    strength: Strength
    language: Language
    settings: Mapping[str, Any]
    """Of the network."""
    weights: Mapping[str, NDArray[Any]]
    elements: Mapping[str, Any]
    """What the elements of the algebra are; for `discrete`, their codes in hexadecimal."""
    maps: tuple[tuple[int, ...], ...]
    """State maps on the minimised machine over all words, by number."""
    levels: tuple[Mapping[str, tuple[Pair, ...]], ...]
    """By level: `interior` pairs (element, state map) and `edge` pairs (element, state)."""
    repeats: int | None = None
    """The last level has the pairs of this one."""
    counterexample: Wrong | None = None
    checked_length: int | None = None
    """All words of at most this length are right; None: of any length."""
    reason: str = ""
    sureness: Sureness | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def model_digest(self) -> str:
        """A digest of the network's settings and weights."""
        return digest_of(self.settings, self.weights)

    @property
    def statement(self) -> str:
        """What is claimed, in a sentence."""
        name = self.language.spec or "the language"
        who = {
            "discrete": "The model as it runs",
            "snapped": "The model with its vectors snapped to representatives",
            "robust": "The model as it runs, by bounds on all its vectors,",
        }[self.strength]
        if self.verdict == "equivalent":
            return f"{who} gives every word of {name} its class, at every length."
        if self.counterexample is not None:
            wrong = self.counterexample
            symbols = len(self.language.encode(wrong.word))
            gives = f"the class {wrong.model} instead of {wrong.language}"
            if symbols == 0:
                return f"{who} gives the empty word {gives}."
            certain = self.sureness is None or self.sureness.is_certain
            return (
                f"{who} gives a word of length {symbols} {gives}; it is right on all shorter words"
                f"{'' if certain else ', as far as float64 tells'}."
            )
        right = (
            f" As far as explored, all words of at most {self.checked_length} symbols are right."
        )
        none = self.checked_length is None or self.checked_length < 0
        return f"No proof of {name}: {self.reason}.{'' if none else right}"

    @property
    def snapped_by(self) -> tuple[float, float] | None:
        """How far vectors were moved at most, and how far apart their classes are, if they were."""
        if "spread" not in self.elements:
            return None
        return self.elements["spread"], self.elements["gap"]

    @property
    def table(self) -> list[dict[str, Any]]:
        """The pairs of the levels: what each element of the model's algebra does."""
        rows = []
        for number, level in enumerate(self.levels):
            for element, map_ in level["interior"]:
                does = {"maps_states_to": self.maps[map_]}
                rows.append({"level": number, "place": "interior", "element": element, **does})
            for element, state in level["edge"]:
                rows.append({"level": number, "place": "edge", "element": element, "state": state})
        return rows

    def summary(self) -> dict[str, Any]:
        """The result without the evidence."""
        last = self.levels[-1] if self.levels else {"interior": (), "edge": ()}
        wrong = self.counterexample
        sure = self.sureness
        return {
            "verdict": self.verdict,
            "strength": self.strength,
            "language": self.language.spec,
            "statement": self.statement,
            "counterexample": None if wrong is None else _fields(wrong),
            "counterexample_length": (
                None if wrong is None else len(self.language.encode(wrong.word))
            ),
            "checked_length": self.checked_length,
            "reason": self.reason,
            "levels": max(0, len(self.levels) - 1),
            "repeats": self.repeats,
            "elements": len({e for level in self.levels[1:] for p in level.values() for e, _ in p}),
            "interior_pairs": len(last["interior"]),
            "edge_pairs": len(last["edge"]),
            "monoid_elements_met": len({m for level in self.levels for _, m in level["interior"]}),
            "sureness": None if sure is None else _fields(sure),
            "model_digest": self.model_digest,
        }

    def require_model(
        self, settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]
    ) -> None:
        """Refuse another model than the one that was certified.

        Raises:
            CertificateError: settings or weights differ.
        """
        if digest_of(settings, weights) != self.model_digest:
            raise CertificateError(
                "the certificate is one of another model (its digest differs). Certify this one."
            )

    # ---- files -----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The content of the file."""
        body = {
            "format": FORMAT,
            "verdict": self.verdict,
            "strength": self.strength,
            "statement": self.statement,
            "language": to_dict(self.language),
            "settings": dict(self.settings),
            "weights": {name: pack(w) for name, w in sorted(self.weights.items())},
            "elements": dict(self.elements),
            "maps": self.maps,
            "levels": [{k: level[k] for k in ("interior", "edge")} for level in self.levels],
            "repeats": self.repeats,
            "counterexample": None if self.counterexample is None else _fields(self.counterexample),
            "checked_length": self.checked_length,
            "reason": self.reason,
            "sureness": None if self.sureness is None else _fields(self.sureness),
            "made_with": dict(self.made_with),
        }
        digest = hashlib.sha256(_canonical(body)).hexdigest()
        return _canonical({**body, "digest": digest})

    def save(self, path: Path) -> None:
        """Write the file."""
        write_bytes(path, self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> "Certificate":
        """Read a file, every byte of which must be as it was written.

        Raises:
            CertificateError: it is not.
        """
        content = path.read_bytes()
        try:
            body = json.loads(content)
            certificate = cls._from_body(body)
            same = certificate.to_bytes() == content
        except Exception as error:  # the bytes can be anything
            raise CertificateError(
                f"{path} is no certificate of lengthwise, or it was changed ({error!r:.80}). "
                f"Certify the model again."
            ) from None
        if not same:
            raise CertificateError(
                f"{path} was changed: its digest is not that of its content. "
                f"Certify the model again."
            )
        return certificate

    @classmethod
    def _from_body(cls, body: Mapping[str, Any]) -> "Certificate":
        if body["format"] != FORMAT:
            raise CertificateError(f"format {body['format']} is not {FORMAT}")
        wrong, sure = body["counterexample"], body["sureness"]
        return cls(
            verdict=body["verdict"],
            strength=body["strength"],
            language=from_dict(body["language"]),
            settings=body["settings"],
            weights={name: unpack(packed) for name, packed in body["weights"].items()},
            elements=body["elements"],
            maps=tuple(map(tuple, body["maps"])),
            levels=tuple(
                {name: tuple(map(tuple, pairs)) for name, pairs in level.items()}
                for level in body["levels"]
            ),
            repeats=body["repeats"],
            counterexample=None if wrong is None else Wrong(**wrong),
            checked_length=body["checked_length"],
            reason=body["reason"],
            sureness=None if sure is None else Sureness(**sure),
            made_with=body["made_with"],
        )


def digest_of(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> str:
    """A digest of a network: its settings and all its weights."""
    packed = {name: pack(w) for name, w in sorted(weights.items())}
    return hashlib.sha256(_canonical({"settings": dict(settings), "weights": packed})).hexdigest()


def pairs_of(elements: Integers, states: Integers) -> tuple[Pair, ...]:
    """Two columns as pairs."""
    return tuple(zip(elements.tolist(), states.tolist(), strict=True))


def _fields(value: Any) -> dict[str, Any]:
    """As JSON can hold it: what is no number is null."""
    fields = {name: getattr(value, name) for name in type(value).__slots__}
    return {
        name: None if isinstance(field, float) and not math.isfinite(field) else field
        for name, field in fields.items()
    }


def _canonical(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
