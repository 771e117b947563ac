"""The form of a certificate's file: every entry, with its type.

docs/certificate.schema.json says the same as a JSON schema.
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.proofs.check import schema
from lengthwise.proofs.check.margins import RoundingMargins

FORMAT = 2
FORMAT_WITH_PRECISION = 3
"""Format of certificates about another arithmetic than that of the weights' type."""


def _language_form(domain: Any) -> dict[str, Any]:
    return {
        "spec": str,
        "alphabet": [str],
        "transitions": [[int]],
        "classes": [int],
        "start": int,
        "class_names": [str],
        "domain": domain,
    }


ARRAY = {"type": str, "shape": [int], "base64": str}
MERGE = {"representatives": ARRAY, "children": ARRAY, "elements": ARRAY}
BALLS = {**MERGE, "radius": ARRAY}

FORM = {
    "format": int,
    "verdict": schema.Choice(("equivalent", "counterexample", "not-closed")),
    "strength": schema.Choice(("discrete", "structural", "snapped", "robust", "tabulated")),
    "language": _language_form(schema.Maybe(_language_form(None))),
    "machine": {"transitions": [[int]], "classes": [int], "start": int},
    "settings": schema.Named(schema.Scalar),
    "weights": schema.Named(ARRAY),
    "elements": schema.Choice(
        (
            {},
            {"codes": [str]},
            {"contexts": [[int]]},
            {"representatives": ARRAY, "pairs": [schema.Pair(int)]},
            {"representatives": ARRAY, "pairs": [schema.Pair(int)], "transitions": [[int]]},
            {"levels": [{"interior": MERGE, "edge": MERGE}], "repeat": int},
            {"levels": [{"interior": BALLS, "edge": BALLS}], "repeat": int},
        )
    ),
    "maps": [[int]],
    "levels": [{"interior": [schema.Pair(int)], "edge": [schema.Pair(int)]}],
    "repeats": schema.Maybe(int),
    "counterexample": schema.Maybe({"word": str, "model": str, "language": str}),
    "checked_length": schema.Maybe(int),
    "notes": {
        "reason": str,
        "margins": schema.Maybe(
            {
                **{name: schema.Maybe(float) for name in RoundingMargins.__slots__},
                "is_certain": bool,
            }
        ),
        "moved": schema.Maybe({"spread": float, "gap": schema.Maybe(float)}),
        "made_with": schema.Named(str),
    },
    "digest": str,
}
"""The form of the file."""

FORM_WITH_PRECISION = {**FORM, "precision": schema.Choice(("bfloat16",))}

FORMS: Mapping[int, Any] = {FORMAT: FORM, FORMAT_WITH_PRECISION: FORM_WITH_PRECISION}
"""The form of the file, by format."""
