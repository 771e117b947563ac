"""The head of a Rocq file: what its theorems say, in a comment, and its imports.

A comment has no text of the certificate but plain characters: all others are escaped.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version

from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.networks import OF_CODE
from lengthwise.proofs.check.statement import automaton_digest, find_compared_name, size_of_domain
from lengthwise.proofs.export.rocq_weights import type_of

IMPORTS = """From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
"""
SCOPES = """Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.
"""
_OF_WEIGHTS = """From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
"""
_OF_FLOATS = "From Lengthwise Require Import Floats FloatNetworks FloatWeights.\n"
_OF_SMOOTH = "From Lengthwise Require Import Floats FloatNetworks SmoothNetworks SmoothWeights.\n"

_PLAIN = re.compile(r"[0-9A-Za-z=+_.:-]")


def header(verified: Certificate, *, is_tree: bool, exact: bool, floats: bool) -> str:
    """Return the head of a file with theorems about the network in `exact` arithmetic, about the
    one that runs in `floats`, about both, or about neither.
    """
    digest = sha256(verified.to_bytes()).hexdigest()
    more = (_OF_WEIGHTS if exact or floats else "") + (
        "" if not floats else _OF_FLOATS if exact else _OF_SMOOTH
    )
    flocq = ", and Flocq" if floats else ""
    number = escape_string(version("lengthwise"))
    return f"""(* Written by lengthwise {number} from a checked certificate.

   {_sentence(verified, is_tree, exact, floats)}

   language: {_name(verified)}
   model: {verified.model_digest}
   verified content: {digest}

   symbols: {names_text(verified.language.alphabet)}
   classes: {names_text(verified.language.class_names)}

   It needs the library of lengthwise{flocq}: coqc -Q proofs/theories Lengthwise FILE *)

{IMPORTS}{more}{SCOPES}"""


def _sentence(verified: Certificate, is_tree: bool, exact: bool, floats: bool) -> str:
    """Return what the theorems of a file are about."""
    how = "folded in a tree" if is_tree else "followed symbol by symbol"
    if exact:
        rounding = (
            """The third one is about the
   network as it runs in floating point, in whatever order it adds."""
            if floats
            else """That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE."""
        )
        return f"""The first theorem is about a TABLE, {how}. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. {rounding}"""
    if floats:
        return f"""The first theorem is about a TABLE, {how}. The second one is about the
   NETWORK, with its weights as data, as it runs in {type_of(verified)}, in whatever order it
   adds."""
    cast = " in bfloat16" if verified.precision == "bfloat16" else ""
    whose = (
        f"codes of the network as it runs{cast}"
        if verified.strength == "discrete"
        else "classes of vectors of the network"
        if verified.strength == "robust"
        else "representatives, with classes, of the network with its state snapped"
        if verified.kind in ("Recurrent", *OF_CODE)
        else "representatives of the network with its vectors snapped"
    )
    folder = " DIR, which runs the network" if verified.kind in OF_CODE else ""
    return f"""The theorem is about a TABLE, {how}: it says nothing about weights. That the
   weights of the model give this table (its elements are the {whose})
   was computed by lengthwise, and can be computed again:
   lengthwise certify --check FILE{folder}."""


def _name(verified: Certificate) -> str:
    spec, size = find_compared_name(verified), size_of_domain(verified.language)
    name = escape_string(spec) if spec else f"the automaton {automaton_digest(verified.language)}"
    return name if size is None else f"{name}\n   domain: only {size}"


def names_text(names: Sequence[str]) -> str:
    """Return up to 100 names with their numbers."""
    parts_shown = [f"{number} is {escape_string(name)}" for number, name in enumerate(names[:100])]
    return ", ".join([*parts_shown, *(["and so on"] if len(names) > len(parts_shown) else [])])


def escape_string(text: str) -> str:
    """Return a string that can neither end a comment of Rocq nor begin a string in it.

    Letters, digits and = + _ . : - stand for themselves, any other character as <its number in
    hexadecimal>; a string of more than 200 characters is cut.
    """
    plain = "".join(c if _PLAIN.fullmatch(c) else f"<{ord(c):X}>" for c in text[:200])
    return plain + ("..." if len(text) > len(text[:200]) else "")
