"""Certification: explore a model, confirm the result on the model itself, and write the evidence.

A claim is made only if it rests on numbers that no rounding could have changed: with discrete
memory every sign that was computed must be further from 0 than rounding can move it, and every
token that is written must lead by more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from torch import nn

from lengthwise.errors import CertificateError, VerificationError, unknown_name
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.functions.by_name import function_of, is_named, named_language
from lengthwise.languages.language import Language
from lengthwise.languages.spec import is_self_contained
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.eval_mode import in_eval_mode
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.state_slots import StateSlots
from lengthwise.models.stepping import may_be_stepped
from lengthwise.models.window_scratchpad import WindowScratchpad
from lengthwise.proofs.check.arrays import pack
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.certificate import (
    Certificate,
    Machine,
    Strength,
    Verdict,
    WrongWord,
    pairs_of,
)
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.margins import RoundingMargins
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.check.snapped_node import SnappedNode
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.check.window_node import WindowNode
from lengthwise.proofs.search.algebra import Algebra
from lengthwise.proofs.search.bfloat16_emulation import running
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra, MarginTracker
from lengthwise.proofs.search.certify_structure import certify_structure
from lengthwise.proofs.search.certify_table import certify_code
from lengthwise.proofs.search.closure import MAX_CHUNKS, Closure, LevelCallback
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.deviations import measure_difference, measure_steps, measure_tokens
from lengthwise.proofs.search.exploration import decide
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.integrity import PROVABLE, Provable
from lengthwise.proofs.search.lookup import Lookup
from lengthwise.proofs.search.network import (
    list_versions,
    node_of,
    predict_class,
    require_provable,
    require_same_classes,
    require_suitable_precision,
    weights_of,
)
from lengthwise.proofs.search.prefixes import PrefixClosure
from lengthwise.proofs.search.robust import robustness
from lengthwise.proofs.search.short_words import try_short_words, wrong_words
from lengthwise.proofs.search.state_snapping import snap_recurrence

_Look = Callable[[Algebra, Language], Closure | PrefixClosure]


def certify(
    model: nn.Module,
    language: Language,
    *,
    strength: Literal["auto"] | Strength = "auto",
    precision: Precision = "weights",
    max_chunks: int = MAX_CHUNKS,
    progress: LevelCallback | None = None,
) -> Certificate:
    """Decide whether `model` gives every word of `language` its class.

    `discrete` proves it of the model as it runs, which must have binary memory or write tokens;
    `structural` of one with a slot for each state, as it runs, without listing its codes;
    `snapped` of one with continuous memory whose vectors are snapped to representatives; `robust`
    of such a model as it runs; `tabulated` of the table of a snapped network whose step has no
    program. `auto` is the first strength that fits the memory. Where no algebra is found, or bounds
    are too loose, short words are tested one by one instead.

    With `precision="bfloat16"` the claim is about the model cast by `.bfloat16()`, whose roundings
    are those of `bfloat16_balls.py`; its memory must be discrete.

    Raises:
        VerificationError: there are no proofs of such a model (`PROVABLE`), it has other symbols or
            classes, or the strength or the precision does not suit it.
        LanguageError: the language has too many state maps to tell apart.
    """
    if not is_named(language):  # such as one that was changed and kept its name
        language = replace(language, spec="")
    if (proved := _of_code(model, language, strength, precision, max_chunks)) is not None:
        return proved
    checked = require_provable(model)
    require_same_classes(checked, language)
    if is_self_contained(language.spec) and (function := function_of(language)) is not None:
        language = named_language(function, empty=predict_class(checked, ()))
    method = _suitable(checked, strength)
    require_suitable_precision(checked, method, precision)
    if isinstance(checked, StateSlots):
        return _check_or_reopen(certify_structure(checked, language), explored=-1).as_checked()
    look = partial(decide, max_chunks=max_chunks, progress=progress)
    with running(checked, precision) as ran:
        if isinstance(ran, BinaryRecurrent | WindowScratchpad):
            evidence = _of_prefixes(ran, language, look, precision)
        elif isinstance(ran, Recurrent):
            evidence = _of_snapped_states(ran, language, look)
        elif method == "discrete":
            evidence = _discrete(ran, language, look, precision)
        else:
            evidence = _OF_VECTORS[method](ran, language, look)
        verdict, wrong, reason, right_to = _judge(language, evidence)
        weights = weights_of(ran)
    closure = evidence.closure
    certificate = Certificate(
        verdict=verdict,
        strength=method,
        precision=precision,
        language=language,
        machine=Machine.of(closure.machine),
        settings=checked.config.of_function(),
        weights=weights,
        elements=evidence.elements,
        maps=tuple(map(tuple, closure.maps.tolist())),
        levels=tuple(
            {
                "interior": pairs_of(level.interior.elements, level.interior.states),
                "edge": pairs_of(level.edge.elements, level.edge.states),
            }
            for level in closure.levels
        ),
        repeats=closure.repeats,
        counterexample=wrong,
        checked_length=None if verdict == "equivalent" else right_to,
        reason=reason,
        margins=evidence.margins,
        made_with=list_versions(),
    )
    return _check_or_reopen(certificate, right_to).as_checked()


def _of_code(
    model: nn.Module, language: Language, strength: str, precision: Precision, max_chunks: int
) -> Certificate | None:
    """Return the certificate of a network with code of its own; None if it is not a recurrence."""
    if type(model) in PROVABLE or precision != "weights" or not may_be_stepped(model):
        return None
    if strength not in ("auto", "snapped", "tabulated"):
        return None
    with in_eval_mode(model):
        return certify_code(model, language, strength, max_chunks=max_chunks)


def _check_or_reopen(certificate: Certificate, explored: int) -> Certificate:
    """Return the certificate with the checker's figures, or as one that is not closed.

    A counterexample of a model with binary memory is valid in any case, since the model itself was
    run on the word; but then nothing is certain about shorter words.
    """
    if certificate.verdict == "not-closed":
        return certificate
    try:
        verified = check(certificate)
    except CertificateError as error:
        why = str(error).removeprefix("the certificate does not hold. ").rstrip(".")
        reason = f"the checker does not accept the evidence ({why})"
        margins = None if certificate.is_of_snapped else certificate.margins
        if certificate.verdict == "counterexample" and margins is not None:
            return replace(certificate, margins=replace(margins, is_certain=False), reason=reason)
        return replace(
            certificate,
            verdict="not-closed",
            counterexample=None,
            checked_length=explored,
            reason=reason,
        )
    margins = verified.margins
    if margins is not None and certificate.margins is not None:
        margins = replace(margins, measured=certificate.margins.measured)
    return replace(certificate, margins=margins, moved=verified.moved)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Evidence:
    """The exploration of a model, and the obstacles to a claim."""

    closure: Closure | PrefixClosure
    elements: dict[str, Any]
    classify: Callable[[tuple[int, ...]], int | None]
    """Class of a word under the model of the claim; None if it gives none."""
    margins: RoundingMargins | None = None
    doubt: str = ""
    """Reason why nothing can be proved, if so."""
    runs: Provable | None = None
    """The model as it runs, if the claim is about it."""
    right_to: int | None = None
    """Length up to which all words are right, if that was found by testing."""


def _suitable(model: Provable, strength: Literal["auto"] | Strength) -> Strength:
    suitable: tuple[Strength, ...]
    if isinstance(model, StateSlots):
        memory, suitable, remedy = "slots of states", ("structural",), ""
    elif isinstance(model, Recurrent):
        memory, suitable, remedy = "a state of numbers", ("snapped",), ", or train gru-binary"
    elif isinstance(model, WindowScratchpad):
        memory, suitable, remedy = "a scratchpad of tokens", ("discrete",), ""
    elif isinstance(model.memory, BinaryMemory):
        memory, suitable, remedy = "binary memory", ("discrete",), ""
    else:
        memory, suitable = "continuous memory", ("snapped", "robust")
        remedy = ", or train regular-gpt-binary"
    if strength == "auto":
        return suitable[0]
    if strength not in get_args(Strength):
        raise unknown_name("strength", strength, ["auto", *get_args(Strength)], VerificationError)
    if strength not in suitable:
        raise VerificationError(
            f"strength={strength!r} is not for {memory}, which this model has. "
            f"Use {suitable[0]!r}{remedy}."
        )
    return strength


def _discrete(
    model: RegularGPT, language: Language, look: _Look, precision: Precision
) -> _Evidence:
    node = node_of(model, precision)
    algebra = BinaryAlgebra(node)
    closure = look(algebra, language)
    measured = measure_difference(model, node, algebra)
    codes = [np.packbits(code).tobytes() for code in algebra.codes]
    return _of_codes(
        model, closure, codes, signs=algebra.signs, answers=algebra.answers, measured=measured
    )


def _of_prefixes(
    model: BinaryRecurrent | WindowScratchpad,
    language: Language,
    look: _Look,
    precision: Precision,
) -> _Evidence:
    settings, weights = model.config.to_dict(), weights_of(model)
    if isinstance(model, WindowScratchpad):
        tokens = WindowNode(settings, weights, precision)
        codes, measure = TrackedCodes(tokens), partial(measure_tokens, model, tokens)
    else:
        bits = RecurrentNode(settings, weights, precision)
        codes, measure = TrackedCodes(bits), partial(measure_steps, model, bits)
    recurrence = CodeRecurrence(codes)
    closure = look(recurrence, language)
    evidence = _of_codes(
        model,
        closure,
        recurrence.packed,
        signs=codes.signs,
        answers=codes.answers,
        measured=measure(recurrence),
    )
    if isinstance(model, BinaryRecurrent):
        return evidence
    contexts = recurrence.codes(np.arange(len(recurrence.packed)))
    return replace(evidence, elements={"contexts": contexts.tolist()})


def _of_codes(
    model: Provable,
    closure: Closure | PrefixClosure,
    codes: Sequence[bytes],
    *,
    signs: MarginTracker,
    answers: MarginTracker,
    measured: float,
) -> _Evidence:
    """Return the evidence of a model with binary memory, if it computes what its weights say."""
    bound = signs.radius
    if measured > bound:
        raise VerificationError(
            f"the model as it runs is {measured:.3g} off the node function of its weights, more "
            f"than rounding explains ({bound:.3g}). Its code was changed, or its arithmetic is not "
            f"that of its weights' type; certify the plain model."
        )
    margins = RoundingMargins.of(signs, answers, measured)
    return _Evidence(
        closure=closure,
        elements={"codes": [code.hex() for code in codes]},
        classify=lambda word: predict_class(model, word),
        runs=model,
        margins=margins,
        doubt="" if margins.is_certain else _doubt(margins),
    )


def _certify_snapped(model: RegularGPT, language: Language, look: _Look) -> _Evidence:
    try:
        extraction = extract_algebra(model, language.domain)
    except VerificationError as error:
        return _only_tried(model, language, _without_remedy(error))
    closure = look(extraction.algebra, language)
    lookup = Lookup(extraction.algebra)
    return _Evidence(
        closure=closure,
        elements=extraction.snapping.without_empty_word().to_plain(),
        classify=lambda word: int(lookup.classify(np.array([word], dtype=np.int64))[0]),
    )


def _robust(model: RegularGPT, language: Language, look: _Look) -> _Evidence:
    try:
        extraction = extract_algebra(model, language.domain)
    except VerificationError as error:
        return _only_tried(model, language, _without_remedy(error))
    node = TightNode(model.config.of_function(), weights_of(model))
    snapping = extraction.snapping.without_empty_word()
    result = robustness(node, snapping)
    if not result.holds:
        return _only_tried(model, language, result.reason)
    elements = snapping.to_plain()
    for level, (inner, outer) in zip(elements["levels"], result.radii, strict=True):
        level["interior"]["radius"], level["edge"]["radius"] = pack(inner), pack(outer)
    return _Evidence(
        closure=look(extraction.algebra, language),
        elements=elements,
        classify=lambda word: predict_class(model, word),
        runs=model,
    )


def _of_snapped_states(model: Recurrent, language: Language, look: _Look) -> _Evidence:
    """Choose representatives on validation words, and explore the snapped network with bounds."""
    snapping = snap_recurrence(model, language)
    if snapping.snapped is None:
        return _only_tried(model, language, snapping.reason)
    representatives = snapping.snapped.snaps.representatives.numpy().astype(np.float64)
    node = SnappedNode(model.config.of_function(), weights_of(model), representatives)
    codes = TrackedCodes(node)
    recurrence = CodeRecurrence(codes)
    closure = look(recurrence, language)
    pairs = recurrence.codes(np.arange(len(recurrence.packed)))
    codes.classes(pairs)  # so that the logits of the last steps count, which led to nothing new
    margins = RoundingMargins.of(codes.signs, codes.answers)

    return _Evidence(
        closure=closure,
        elements={"representatives": pack(representatives), "pairs": pairs.tolist()},
        classify=node.classify,
        margins=margins,
        doubt="" if margins.is_certain else "rounding could change a nearest representative",
    )


def _without_remedy(error: VerificationError) -> str:
    """Return what is wrong; the remedy that follows is for those who call `extract`."""
    return str(error).partition(". ")[0]


def _only_tried(model: RegularGPT | Recurrent, language: Language, doubt: str) -> _Evidence:
    """Test all short words on the model, where there is no algebra to explore."""
    elements = MonoidElements(language)
    right_to, doubt = try_short_words(model, language, doubt)
    return _Evidence(
        closure=Closure((), elements, getattr(model.config, "chunk_size", 2), reason=doubt),
        elements={},
        classify=lambda word: predict_class(model, word),
        doubt=doubt,
        right_to=right_to,
    )


_OF_VECTORS: Mapping[Strength, Callable[[RegularGPT, Language, _Look], _Evidence]] = {
    "snapped": _certify_snapped,
    "robust": _robust,
}


def _judge(language: Language, evidence: _Evidence) -> tuple[Verdict, WrongWord | None, str, int]:
    """Return the verdict, a wrong word, a doubt, and the length up to which no word is wrong.

    Where signs are in doubt, what was explored says nothing of the model as it runs. So short words
    are run once; in other batches they may have other answers.
    """
    closure = evidence.closure
    right_to = closure.explored_length if evidence.right_to is None else evidence.right_to
    if closure.wrong is not None:
        computed, true = evidence.classify(closure.wrong), language.classify(closure.wrong)
        if computed is not None and computed != true:
            names = language.class_names
            word = language.decode(closure.wrong)
            return (
                "counterexample",
                WrongWord(word=word, model=names[computed], language=names[true]),
                "",
                right_to,
            )
    doubt = evidence.doubt
    if doubt and evidence.runs is not None:
        right_to, doubt = try_short_words(evidence.runs, language, doubt)
    if doubt:
        return "not-closed", None, doubt, right_to
    if closure.wrong is None and not closure.is_closed:
        return "not-closed", None, closure.reason, right_to
    words, off = ([], []) if evidence.runs is None else wrong_words(evidence.runs, language)
    if closure.wrong is not None or off:
        raise VerificationError(
            "the model does not answer as the node function of its weights does. Its code was "
            "changed; certify the plain model."
        )
    if words:  # should the checker not accept it, these were tried
        right_to = min(right_to, len(words[-1]) - 1)
    return "equivalent", None, "", right_to


def _doubt(margins: RoundingMargins) -> str:
    if margins.sign_distance is None or margins.sign_radius is None or margins.room is None:
        return "numbers could overflow, or are none"
    if margins.answer_radius is None:
        return "logits could overflow, or are none"
    if margins.room > 0:
        return "an answer is not further from the next than rounding could move it"
    return (
        f"a sign could turn over, or another token be written: the nearest number is "
        f"{margins.sign_distance:.2g} from that, and rounding is only known to move such numbers "
        f"by less than {margins.sign_radius:.2g}"
    )
