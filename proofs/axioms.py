"""The axioms under theorems, of what coqc prints: none, or those of Coq's real numbers."""

from collections.abc import Iterable, Sequence

CLOSED = "Closed under the global context"

REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms on which Coq's real numbers rest, and what Flocq proves about them."""


def allowed_axioms(theorem: str) -> frozenset[str]:
    """Return the axioms that a theorem of this name may rest on."""
    return REALS if is_of_floats(theorem) else frozenset()


def is_of_floats(theorem: str) -> bool:
    """Return whether a theorem of this name is about floating point."""
    return theorem.startswith("float_")


def find_axioms(text: str) -> list[frozenset[str]]:
    """Return the axioms that coqc printed, for each theorem."""
    found: list[set[str]] = []
    for line in text.splitlines():
        if line in (CLOSED, "Axioms:"):
            found.append(set())
        elif line[:1].strip():
            found.append({line.split()[0], *(found.pop() if found else ())})
    return [frozenset(axioms) for axioms in found]


def rest_on(text: str, allowed: Sequence[frozenset[str]]) -> bool:
    """Return whether these theorems, and no others, rest on these axioms alone."""
    found = find_axioms(text)
    return len(found) == len(allowed) and all(map(frozenset.issubset, found, allowed))


def describe_axioms(theorems: Iterable[str]) -> list[str]:
    """Return lines that say on which axioms the theorems of a file rest."""
    closed = [name for name in theorems if not is_of_floats(name)]
    others = [name for name in theorems if is_of_floats(name)]
    lines = [f"{' '.join(closed)}: closed, without an axiom"] if closed else []
    return lines + [f"{name}: on {', '.join(sorted(REALS))}" for name in others]
