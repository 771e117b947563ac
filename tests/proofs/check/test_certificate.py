"""The format as it is written down: its test vectors and its JSON schema."""

import json
import random
import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.proofs.check import schema
from lengthwise.proofs.check.form import FORM, FORMAT
from proofs.certificate_schema import FORMS, SCHEMA, schema_text
from proofs.forger import UNFIT, body_of, honest, one_field
from proofs.make_vectors import DAMAGED, INVALID, VALID, VECTORS
from proofs.second_checker import first_says, second_checker, second_says

INDEX: list[dict[str, Any]] = json.loads((VECTORS / "vectors.json").read_bytes())
ROWS = [pytest.param(row, id=row["file"]) for row in INDEX]

ABOUT_THE_NAME = "invalid-other-name.json"
"""What is wrong with it is the specification, which the second checker does not look at."""


# ---- vectors -------------------------------------------------------------------------------------


def test_the_list_has_every_file_that_the_script_makes() -> None:
    made = [f"valid-{name}.json" for name in VALID]
    made += [f"invalid-{name}.json" for name in (*INVALID, *DAMAGED)]
    assert [row["file"] for row in INDEX] == made
    assert sorted(path.name for path in VECTORS.iterdir()) == sorted([*made, "vectors.json"])


@pytest.mark.parametrize("row", ROWS)
def test_the_checker_decides_as_the_vector_says(row: dict[str, Any]) -> None:
    said = first_says(VECTORS / row["file"])
    assert said.accepted == row["valid"] == ("refusal" not in row)
    assert row.get("refusal", "") in said.why


def test_the_second_checker_decides_the_vectors_of_its_kinds() -> None:
    decided = second_says(second_checker(), [VECTORS / row["file"] for row in INDEX])
    of_other_kinds = []
    for row, said in zip(INDEX, decided, strict=True):
        if said.is_of_another_kind:
            of_other_kinds.append(row["file"])
        elif row["file"] == ABOUT_THE_NAME:
            assert said.accepted
        else:
            assert said.accepted == row["valid"], (row, said)
    assert sorted(of_other_kinds) == [
        *(f"invalid-{name}.json" for name in ("bfloat16-margin", "bfloat16-weights")),
        "invalid-precision-of-format-2.json",
        *(f"invalid-{name}.json" for name in ("table-entry", "table-with-weights")),
        *("valid-bfloat16.json", "valid-table.json"),
    ]


def test_the_page_counts_the_vectors() -> None:
    page = " ".join((SCHEMA.parent / "certificate.md").read_text(encoding="utf-8").split())
    valid = sum(row["valid"] for row in INDEX)
    assert f"{valid} that are valid and {len(INDEX) - valid} that are" in page


# ---- the schema ----------------------------------------------------------------------------------


def faults(value: Any, form: dict[str, Any], where: str = "file") -> list[str]:
    """Where a value does not fit a JSON schema, of the few words that this one uses."""
    found = []
    if "anyOf" in form and all(faults(value, option) for option in form["anyOf"]):
        found.append(where)
    if "enum" in form and value not in form["enum"]:
        found.append(where)
    if "const" in form and (value != form["const"] or type(value) is not type(form["const"])):
        found.append(where)
    if "type" in form:
        types = {name: [kind] for kind, name in FORMS.items()}
        types |= {"array": [list], "object": [dict], "null": [type(None)], "number": [int, float]}
        if type(value) not in types[form["type"]]:
            return [where]
    if isinstance(value, str) and re.search(form.get("pattern", ""), value) is None:
        found.append(where)
    if isinstance(value, list):
        least, most = form.get("minItems", 0), form.get("maxItems", len(value))
        if not least <= len(value) <= most:
            found.append(where)
        for number, each in enumerate(value):
            found += faults(each, form.get("items", {}), f"{where}, {number}")
    if isinstance(value, dict):
        found += [f"{where}, no {name}" for name in form.get("required", []) if name not in value]
        for name, each in value.items():
            own = form.get("properties", {}).get(name, form.get("additionalProperties", {}))
            found += [where] if own is False else faults(each, own, f"{where}, {name}")
    return found


def test_the_schema_is_the_form_that_the_checker_demands() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("file", [row["file"] for row in INDEX if row["valid"]])
def test_valid_vectors_fit_the_schema(file: str) -> None:
    body = json.loads((VECTORS / file).read_bytes())
    assert faults(body, json.loads(SCHEMA.read_bytes())) == []


@pytest.mark.parametrize("name", ["discrete, wrong", "snapped, C=2", "robust, C=2"])
def test_what_fits_the_schema_is_what_has_the_form(name: str) -> None:
    """Of honest certificates, and of these with one or two fields changed."""
    written = json.loads(SCHEMA.read_bytes())
    decided = []
    for seed in range(40):
        body = {**body_of(honest(name)), "digest": "0" * 64}
        choose = random.Random(f"{name} {seed}")
        for _ in range(seed % 3):
            with np.errstate(all="ignore"), suppress(*UNFIT):
                one_field(body, choose)
        decided.append(not faults(body, written))
        fixed = body.get("format") == FORMAT and body.get("digest") == "0" * 64
        assert decided[-1] == (fixed and has_the_form(body))
    assert {True, False} == set(decided)


def has_the_form(body: dict[str, Any]) -> bool:
    try:
        schema.require_form(body, FORM)
    except CertificateError:
        return False
    return True
