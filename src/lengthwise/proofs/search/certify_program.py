"""Certificates of recurrences with code of their own whose step has a program.

The program is traced (`step_program.py`), and goes into the certificate with the weights. So the
checker computes every step of the snapped network from the weights, with bounds on rounding, as it
does for the networks that it knows.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from torch import nn

from lengthwise.errors import CertificateError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.models.custom_network import unwrap
from lengthwise.models.stepping import Steps
from lengthwise.proofs.check.arrays import Integers, pack, unpack
from lengthwise.proofs.check.certificate import Certificate, Machine, WrongWord, pairs_of
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.program_node import ProgramNode
from lengthwise.proofs.search.closure import MAX_CHUNKS, Closure
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.network import list_versions
from lengthwise.proofs.search.prefixes import PrefixClosure
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.proofs.search.step_program import trace


def certify_program(
    model: nn.Module,
    name: str,
    steps: Steps,
    snapped: SnappedStates,
    language: Language,
    *,
    max_chunks: int = MAX_CHUNKS,
) -> Certificate:
    """Prove a snapped recurrence right at every length by its program, or find a wrong word.

    Raises:
        VerificationError: the step has no program, rounding could change a choice, or the table is
            too large.
    """
    traced = trace(steps, unwrap(model))
    if traced.reason:
        raise VerificationError(f"{name}.step has no program: {traced.reason}.")
    representatives = snapped.snaps.representatives.numpy().astype(np.float64)
    settings = {
        "vocab_size": language.num_symbols,
        "num_classes": language.num_classes,
        "network": name,
        "program": traced.text,
    }
    try:
        node = ProgramNode(settings, traced.arrays, representatives)
        recurrence = CodeRecurrence(TrackedCodes(node))
        closure = decide(recurrence, language, max_chunks=max_chunks)
        if closure.wrong is None and not closure.is_closed:
            raise VerificationError(f"the program is not decided: {closure.reason}.")
        pairs = recurrence.codes(np.arange(len(recurrence.packed)))
        certificate = of_prefixes(
            closure,
            language,
            node.classify,
            strength="snapped",
            settings=settings,
            weights=traced.arrays,
            elements={"representatives": pack(representatives), "pairs": pairs.tolist()},
        )
        verified = check(certificate)
    except CertificateError as error:
        raise VerificationError(str(error)) from None
    return replace(certificate, margins=verified.margins).as_checked()


def of_prefixes(
    closure: Closure | PrefixClosure,
    language: Language,
    classify: Callable[[tuple[int, ...]], int],
    **parts: Any,
) -> Certificate:
    """Return the certificate of prefixes that were all followed, or led to a wrong word.

    `classify` gives the class of a word by the network, and `parts` are other fields.
    """
    wrong, word = None, closure.wrong
    if word is not None:
        names = language.class_names
        wrong = WrongWord(
            word=language.decode(word),
            model=names[classify(word)],
            language=names[language.classify(word)],
        )
    return Certificate(
        verdict="equivalent" if wrong is None else "counterexample",
        language=language,
        machine=Machine.of(closure.machine),
        maps=(),
        levels=tuple(
            {"interior": (), "edge": pairs_of(level.edge.elements, level.edge.states)}
            for level in closure.levels
        ),
        counterexample=wrong,
        checked_length=None if word is None else len(word) - 1,
        made_with=list_versions(),
        **parts,
    )


Entries = dict[tuple[int, int], dict[int, tuple[int, int]]]
"""For each pair of a representative and a class, the pairs to which symbols lead."""


def steps_of_program(certificate: Certificate) -> Entries:
    """Return where the program of a certificate leads from each of its pairs."""
    states = unpack(certificate.elements["representatives"])
    node = ProgramNode(certificate.settings, certificate.weights, states)
    pairs: Integers = np.array(certificate.elements["pairs"], dtype=np.int64)
    after = [
        node.step(pairs, np.full(len(pairs), symbol)).values.tolist()
        for symbol in range(node.num_symbols)
    ]
    return {
        (first, second): {symbol: tuple(codes[row]) for symbol, codes in enumerate(after)}
        for row, (first, second) in enumerate(pairs.tolist())
    }
