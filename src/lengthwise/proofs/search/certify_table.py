"""Certificates of recurrences with code of their own: a program, or a table and whose it is.

Where a step has no program (`certify_program.py`), the checker cannot compute one. The certificate
has the table of the snapped network, which the checker compares with the language at every length,
and the digest of the network's weights. Only `recompute`, which runs the network, tells whether the
table is the network's.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from lengthwise.errors import CertificateError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.custom_network import unwrap, with_lengths
from lengthwise.models.stepping import steps_of
from lengthwise.proofs.check.arrays import pack, unpack
from lengthwise.proofs.check.certificate import Certificate, weights_digest
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.table_node import UNUSED, TableNode
from lengthwise.proofs.search.certify_program import (
    Entries,
    certify_program,
    of_prefixes,
    steps_of_program,
)
from lengthwise.proofs.search.closure import MAX_CHUNKS
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.network import weights_of
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.proofs.search.state_snapping import draw_validation, snap_states
from lengthwise.proofs.search.state_tables import Domain, tabulate_states


def certify_code(
    model: nn.Module,
    language: Language,
    strength: str = "auto",
    *,
    max_chunks: int = MAX_CHUNKS,
) -> Certificate:
    """Snap a recurrence, and prove it right at every length, or find a shortest wrong word.

    `snapped` is about its program, `tabulated` about its table; `auto` is the first of them that
    there is.

    Raises:
        VerificationError: it is not read symbol by symbol, no snapping is usable, or there is no
            program.
    """
    steps = steps_of(with_lengths(model), language.num_symbols, language.num_classes)
    snapping = snap_states(steps, language, draw_validation(language))
    if snapping.snapped is None:
        raise VerificationError(
            f"no snapping of this network is usable: {snapping.reason}. Train longer."
        )
    if strength != "tabulated":
        try:
            name = name_network(model)
            proved = certify_program(
                model, name, steps, snapping.snapped, language, max_chunks=max_chunks
            )
            recompute(proved, model)
        except (VerificationError, CertificateError):
            if strength == "snapped":
                raise
        else:
            return proved
    return certify_table(model, snapping.snapped, language, max_chunks=max_chunks)


def certify_table(
    model: nn.Module, snapped: SnappedStates, language: Language, *, max_chunks: int = MAX_CHUNKS
) -> Certificate:
    """Prove the table of a snapped recurrence right at every length, or find a wrong word.

    Raises:
        VerificationError: the table is too large.
    """
    snaps = snapped.snaps
    representatives = snaps.representatives.numpy().astype(np.float64)
    pairs = np.stack([snaps.of_element, snapped.classes], axis=1)
    settings = {
        "vocab_size": language.num_symbols,
        "num_classes": language.num_classes,
        "network": name_network(model),
        "weights": weights_digest(weights_of(model)),
    }
    node = TableNode(settings, representatives, pairs.tolist(), snapped.transitions.tolist())
    recurrence = CodeRecurrence(TrackedCodes(node))
    closure = decide(recurrence, language, max_chunks=max_chunks)
    if closure.wrong is None and not closure.is_closed:
        raise VerificationError(f"the table is not decided: {closure.reason}. Raise max_chunks.")
    met = recurrence.codes(np.arange(len(recurrence.packed)))[:, 0]
    number = {old: new for new, old in enumerate(met.tolist())}
    renumbered = np.vectorize(lambda old: number.get(old, UNUSED), otypes=[np.int64])

    def classify(word: tuple[int, ...]) -> int:
        row, length = torch.tensor([word]).long(), torch.tensor([len(word)])
        return int(snapped.classes[snapped.elements_after(row, length)])

    certificate = of_prefixes(
        closure,
        language,
        classify,
        strength="tabulated",
        settings=settings,
        weights={},
        elements={
            "representatives": pack(representatives),
            "pairs": pairs[met].tolist(),
            "transitions": renumbered(snapped.transitions[met]).tolist(),
        },
    )
    check(certificate)
    return certificate.as_checked()


def recompute(certificate: Certificate, model: nn.Module) -> None:
    """Compute the table of a certificate again, by running the network.

    A program is compared with the network by where its steps lead.

    Raises:
        CertificateError: the network has other weights, or its table is another one.
        VerificationError: the network is not read symbol by symbol, or a number is not finite.
    """
    certificate.require_model({}, weights_of(model))
    language = certificate.language
    steps = steps_of(with_lengths(model), language.num_symbols, language.num_classes)
    packed = torch.from_numpy(unpack(certificate.elements["representatives"]).copy())
    rows = packed.to(steps.start()[1].dtype)
    is_start = bool((rows[:1] == steps.start()[1]).all()) and bool((rows.double() == packed).all())
    own = tabulate_states(steps, rows, 0.0, Domain.of(language)) if is_start else None
    is_table = certificate.kind == "Table"
    claimed = (
        _entries(certificate.elements["pairs"], certificate.elements["transitions"])
        if is_table
        else steps_of_program(certificate)
    )
    if own is None or not own.snaps.is_certain or not _leads_as(own, claimed, whole=is_table):
        raise CertificateError(
            f"the table is not that of {name_network(model)}: run again, the network leads "
            f"elsewhere, or rounding could decide. Certify it again."
        )


def name_network(model: nn.Module) -> str:
    """Return the import path of a network's class."""
    kind = type(unwrap(model))
    name = f"{kind.__module__}.{kind.__qualname__}"
    return "".join(c if c.isascii() and (c.isalnum() or c in "._") else "_" for c in name)[:200]


def _leads_as(own: SnappedStates, claimed: Entries, *, whole: bool) -> bool:
    """Return whether a network starts and leads from each pair as is claimed.

    Unless the `whole` claim is about words of the domain, steps that none of them takes are passed.
    """
    pairs = np.stack([own.snaps.of_element, own.classes], axis=1).tolist()
    entries = _entries(pairs, own.transitions.tolist())
    if next(iter(claimed)) != next(iter(entries)):
        return False
    return all(
        pair in entries
        and all(
            entries[pair].get(symbol, None if whole else to) == to for symbol, to in row.items()
        )
        for pair, row in claimed.items()
    )


def _entries(pairs: Sequence[Sequence[int]], transitions: Sequence[Sequence[int]]) -> Entries:
    """Return a table by pairs, in their order."""
    names = [(int(pair[0]), int(pair[1])) for pair in pairs]
    return {
        name: {symbol: names[to] for symbol, to in enumerate(row) if to != UNUSED}
        for name, row in zip(names, transitions, strict=True)
    }
