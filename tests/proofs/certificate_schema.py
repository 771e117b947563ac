"""The JSON schema of certificates, from the form that the checker demands."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.proofs.check import schema
from lengthwise.proofs.check.form import (
    FORM,
    FORM_WITH_PRECISION,
    FORMAT,
    FORMAT_WITH_PRECISION,
)

SCHEMA = Path(__file__).parents[2] / "docs" / "certificate.schema.json"

FORMS = {str: "string", int: "integer", float: "number", bool: "boolean"}

DESCRIPTIONS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "format": ("Version of the format.", {}),
    "verdict": ("What is claimed; not-closed claims nothing.", {}),
    "strength": ("The kind of the claim.", {}),
    "precision": ("Arithmetic, in format 3; in format 2 it is that of the weights' type.", {}),
    "language": ("The language: an automaton with classes, perhaps on a domain.", {}),
    "machine": (
        "The minimal automaton over all words; its last class is 'outside the domain'.",
        {},
    ),
    "settings": ("Settings of the network.", {}),
    "weights": ("Weights of the network by name, in the order of names.", {}),
    "elements": ("Codes, contexts or representatives; empty if structural.", {}),
    "maps": ("State maps: where each state of the machine goes.", {}),
    "levels": ("Pairs by level: [element, number of a map] and [element, state].", {}),
    "repeats": ("Level whose pairs the last level has; null unless a tree is equivalent.", {}),
    "counterexample": ("A shortest wrong word, with both classes.", {}),
    "checked_length": ("Length up to which all words are right; null for any.", {}),
    "notes": ("What the maker says of the making; a checker believes nothing of it.", {}),
    "digest": ("SHA-256 of the file without this entry.", {"pattern": "^[0-9a-f]{64}$"}),
}


def schema_of(form: Any) -> dict[str, Any]:
    """The JSON schema of a form of `lengthwise.proofs.check.schema`."""
    if isinstance(form, schema.Maybe):
        return {"anyOf": [{"type": "null"}, schema_of(form.form)]}
    if isinstance(form, schema.Choice):
        if all(isinstance(option, str) for option in form.options):
            return {"enum": list(form.options)}
        return {"anyOf": [schema_of(option) for option in form.options]}
    if isinstance(form, schema.Named):
        return {"type": "object", "additionalProperties": schema_of(form.form)}
    if isinstance(form, schema.Pair):
        return {"type": "array", "items": schema_of(form.form), "minItems": 2, "maxItems": 2}
    if isinstance(form, list):
        return {"type": "array", "items": schema_of(form[0])}
    if isinstance(form, dict):
        return {
            "type": "object",
            "properties": {name: schema_of(each) for name, each in form.items()},
            "required": list(form),
            "additionalProperties": False,
        }
    return {"type": "null"} if form is None else {"type": FORMS[form]}


def whole_schema() -> dict[str, Any]:
    """The JSON schema of a certificate."""
    found = schema_of(FORM)
    found["properties"]["precision"] = schema_of(FORM_WITH_PRECISION["precision"])
    found["anyOf"] = [
        {"properties": {"format": {"const": FORMAT}, "precision": False}},
        {"properties": {"format": {"const": FORMAT_WITH_PRECISION}}, "required": ["precision"]},
    ]
    for name, (description, more) in DESCRIPTIONS.items():
        found["properties"][name] = {
            "description": description,
            **found["properties"][name],
            **more,
        }
    title = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Certificate"}
    return {**title, **found}


def schema_text() -> str:
    """The JSON schema of a certificate, as it stands in the file."""
    return json.dumps(whole_schema(), indent=2) + "\n"
