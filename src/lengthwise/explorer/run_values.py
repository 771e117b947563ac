"""Values of a run for the page: its proof by level, its tables, and answers of the network."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np
from torch import nn

from lengthwise.errors import LengthwiseError
from lengthwise.explorer.film_values import film_values
from lengthwise.explorer.recurrent_values import recurrent_values
from lengthwise.explorer.server import Asked
from lengthwise.explorer.slot_values import slot_values
from lengthwise.explorer.table_values import MOST_CHUNKS, hexadecimal, table_values
from lengthwise.explorer.timed_values import refusal
from lengthwise.languages.language import Language
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.problems.base import Run
from lengthwise.problems.capabilities import proving
from lengthwise.problems.classification import classify
from lengthwise.problems.run_certificate import is_about, read_proof
from lengthwise.proofs.check.arrays import ABSENT
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.statement import facts_of, terms_of
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.network import node_of, require_regular_gpt
from lengthwise.zoo_paths import PREFIX, is_shipped

Values = dict[str, Any]

MOST_PAIRS = 1_000
"""Largest number of pairs of the interior or the edge of one level that the page lists."""


def run_values(run: Run, say: Callable[[str], object] | None = None) -> Values:
    """Return the values of a run on a language.

    Without a certificate in its folder the run is certified here, and nothing is written; `say`
    gets a line about that before.

    Raises:
        RunError: it is about something else than a language.
        CertificateError: the certificate in its folder was changed, or is one of another model.
    """
    language = run.language
    account = run.account
    facts = [("model", run.plan.model), *account.rows, ("made with", account.conditions)]
    if run.folder is not None:
        path = run.folder.path
        facts.append(("folder", f"{PREFIX}{path.name}" if is_shipped(path) else str(path)))
    tables, reason = _tables(run)
    return {
        "name": run.problem.name,
        "about": facts,
        "language": language.spec,
        **_proof_values(run, say),
        "tables": tables,
        "num_bits": run.model.config.num_bits if _has_codes(run.model) else None,
        "chunk_size": run.model.config.chunk_size if _has_codes(run.model) else None,
        "no_tables": reason,
        **_film(run),
        "recurrent": _values_or_none(lambda: recurrent_values(run.model, run.task)),
        "slots": _values_or_none(lambda: slot_values(run.model)),
    }


def _film(run: Run) -> Values:
    """Return the film of training, or the reason why there is none to show."""
    try:
        film = None if run.folder is None else run.folder.film()
        return {"film": film and film_values(film, run.language), "no_film": ""}
    except LengthwiseError as error:
        return {"film": None, "no_film": str(error)}


def _values_or_none(values: Callable[[], Values]) -> Values | None:
    """Return what the page needs to run the network, or None where it cannot."""
    try:
        return values()
    except LengthwiseError:
        return None


def _has_codes(model: nn.Module) -> TypeGuard[RegularGPT]:
    return isinstance(model, RegularGPT) and model.config.memory == "binary"


def _tables(run: Run) -> tuple[Values | None, str]:
    """Return the tables of a run, or the reason why there are none."""
    try:
        model = require_regular_gpt(run.model)
        return table_values(model, run.language.domain), ""
    except LengthwiseError as error:
        return None, str(error)


def _proof_values(run: Run, say: Callable[[str], object] | None) -> Values:
    """Return the verdict about a run, and the levels of its proof."""
    stored = None if run.folder is None else read_proof(run.folder, proving(run.problem).symbols)
    if stored is not None:
        certificate, refused = stored.certificate, stored.refused
    else:
        if say is not None:
            is_own = run.folder is not None and not is_shipped(run.folder.path)
            path = "" if run.folder is None else run.folder.path
            keep = f" (lengthwise certify {path} would keep one)" if is_own else ""
            say(f"there is no certificate{keep}, so a proof is looked for here")
        try:
            certificate, refused = (
                proving(run.problem).certify(run, {"max_chunks": MOST_CHUNKS}),
                "",
            )
        except LengthwiseError as error:
            return {"certificate": None, "no_certificate": str(error), "proof": None}
    wrong = certificate.counterexample
    is_own = is_about(certificate, run.language)
    return {
        "certificate": {
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            "precision": certificate.precision,
            "statement": certificate.statement,
            "refused": refused,
            "is_stored": stored is not None,
            "is_own": is_own,
            "terms": list(terms_of(certificate)),
            "facts": facts_of(certificate),
            "wrong": None
            if wrong is None
            else {"word": wrong.word, "model": wrong.model, "language": wrong.language},
        },
        "no_certificate": "",
        "proof": proof_values(certificate) if is_own and certificate.levels else None,
    }


def proof_values(certificate: Certificate) -> Values:
    """Return the pairs of each level: (element, state map) inside, (element, state) at the edge.

    Elements of level 0 are symbols. Later ones are places in `codes`, where there are codes, and
    otherwise representatives of their level.
    """
    return {
        "is_recurrent": certificate.is_recurrent,
        "codes": certificate.elements.get("codes"),
        "maps": certificate.maps,
        "repeats": certificate.repeats,
        "levels": [
            {
                place: {
                    "count": len(pairs),
                    "pairs": list(pairs) if len(pairs) <= MOST_PAIRS else None,
                }
                for place, pairs in level.items()
            }
            for level in certificate.levels
        ],
    }


class Network:
    """Answers for words by the network itself, with the codes of a tree if it has codes."""

    def __init__(self, model: nn.Module, language: Language) -> None:
        self._model, self._language = model, language
        self._lock = threading.Lock()
        self._algebra = BinaryAlgebra(node_of(model)) if _has_codes(model) else None

    def answer(self, asked: Asked) -> Values:
        """Return the class of `word` in letters, and its codes by level if it has any."""
        try:
            word = self._language.encode(asked.get("word", ""))
            self._language.require_in_domain(word)
            with self._lock:
                (answer,) = classify(self._model, self._language, [word])
                levels = None if self._algebra is None else self._levels(word)
        except LengthwiseError as error:
            return refusal(str(error))
        number = self._language.class_names.index(answer.shown)
        return {"answer": number, "levels": levels}

    def _levels(self, word: Sequence[int]) -> list[list[str]]:
        """Return the codes of all nodes, level by level, in hexadecimal."""
        algebra = self._algebra
        assert algebra is not None
        chunk, nodes, levels = algebra.chunk_size, list(word), list[list[str]]()
        while not levels or len(nodes) > 1:
            missing = -len(nodes) % chunk if nodes else chunk
            children = np.array([ABSENT] * missing + nodes).reshape(-1, chunk)
            edge = algebra.compose(len(levels), children[:1], edge=True)
            inner = algebra.compose(len(levels), children[1:], edge=False)
            elements = np.concatenate([edge, inner])
            levels.append(hexadecimal(algebra.codes[elements]))
            nodes = elements.tolist()
        return levels
