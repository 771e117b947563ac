"""The record of a model of the zoo, the table of all, and the card of one.

A record is written by `make.py` when the model is made. Cards are texts about records alone.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.escapes import code_in_markdown
from lengthwise.files import read_object, require_kinds
from lengthwise.zoo_paths import PREFIX, list_shipped, resolve_path

RECORD, CARD = "record.json", "README.md"

_KINDS = {
    **dict.fromkeys(("name", "language", "made", "model", "told", "command"), "a string"),
    **dict.fromkeys(("depth", "model_digest", "commit", "date", "claim"), "a string"),
    **dict.fromkeys(("parameters",), "an integer"),
    **dict.fromkeys(("bits", "seed", "steps"), "an integer or null"),
    **dict.fromkeys(("strength", "certificate", "statement"), "a string or null"),
    **dict.fromkeys(("settings", "environment", "accuracy"), "an object"),
    "seconds": "a number",
}

COLUMNS = [
    "name",
    "language",
    "model",
    "parameters",
    "bits",
    "depth",
    "supervision",
    "proof",
    "digest",
]

UNPROVED = "none"
"""What the table says where there is no certificate."""


def read_record(name: str) -> dict[str, Any]:
    """Return the record of a model.

    Raises:
        RunError: there is no such model, or its record is damaged.
    """
    file = resolve_path(PREFIX + name) / RECORD
    record = read_object(file, remedy="Reinstall lengthwise.")
    require_kinds(record, _KINDS, where=str(file), remedy="Reinstall lengthwise.")
    return record


def read_records() -> list[dict[str, Any]]:
    """Return the records of all models, trained ones first."""
    records = [read_record(name) for name in list_shipped()]
    return sorted(records, key=lambda record: (record["made"] != "trained", record["name"]))


def row(record: Mapping[str, Any]) -> list[str]:
    """Return the row of a model in the table."""
    return [
        record["name"],
        record["language"],
        record["model"],
        f"{record['parameters']:,}",
        "" if record["bits"] is None else str(record["bits"]),
        record["depth"],
        record["told"],
        record["strength"] or UNPROVED,
        (record["certificate"] or record["model_digest"])[:12],
    ]


def card(record: Mapping[str, Any]) -> str:
    """Return the card of a model in Markdown, with the header that model hubs read."""
    name, proved = record["name"], record["strength"] is not None
    is_text = "perplexity" in record
    check = "evaluate" if is_text else "certify --check" if proved else "verify"
    lines = [
        *("---", "library_name: lengthwise", "license: mit"),
        f"pipeline_tag: text-{'generation' if is_text else 'classification'}",
        *("tags:", "- language-modelling" if is_text else "- formal-languages"),
        *(["- formally-verified"] if proved else []),
        *("---", "", f"# {name}", ""),
        textwrap.fill(_opening(record), 120, break_long_words=False, break_on_hyphens=False),
        "",
        *("| | |", "|---|---|"),
        *("| {} | {} |".format(key, value.replace("|", "\\|")) for key, value in _facts(record)),
        "",
        "```",
        f"printf '{record['example']}\\n' | lengthwise predict zoo:{name}",
        f"lengthwise {check} zoo:{name}",
        "```",
    ]
    if record["accuracy"]:
        words = f"{record['words_per_length']} words of each length ({record['protocol']})"
        shares = {n: f"{100 * share:.2f}" for n, share in record["accuracy"].items()}
        lines += ["", f"Accuracy on {words}:", "", *_by_length("symbols", "%", shares)]
    if is_text:
        read = f"{record['words_per_length']:,} windows of each length ({record['protocol']})"
        perplexities = {n: f"{value:.2f}" for n, value in record["perplexity"].items()}
        lines += [
            "",
            f"Perplexity on {read}:",
            "",
            *_by_length("tokens", "perplexity", perplexities),
        ]
    lines += ["", f"Made by `{record['command']}`."]
    return "\n".join(lines) + "\n"


def _opening(record: Mapping[str, Any]) -> str:
    language = code_in_markdown(record["language"])
    if "perplexity" in record:
        return (
            f"A small language model of {language}, trained on windows of "
            f"{record['trained_to']} tokens. Nothing is proved about it; the measurements are "
            f"below."
        )
    if record["strength"] is None:
        return (
            f"Exact weights for {language}, by a construction. There is no "
            f"certificate: the claim rests on the proof in the construction's source, and was "
            f"compared with the definition on words only. Claim: {record['claim']}."
        )
    return record["statement"]


def _facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    environment = record["environment"]
    facts = [
        ("text" if "perplexity" in record else "language", code_in_markdown(record["language"])),
        ("model", code_in_markdown(record["model"])),
        ("parameters", f"{record['parameters']:,}"),
        ("bits passed on", "none" if record["bits"] is None else str(record["bits"])),
        ("depth", record["depth"]),
        ("supervision", record["told"]),
        ("made", record["made"]),
    ]
    if record["seed"] is not None:
        facts += [
            ("seed", str(record["seed"])),
            ("steps", f"{record['steps']:,}"),
            ("seconds", f"{record['seconds']:g}"),
        ]
    settings = ", ".join(f"{key}={value}" for key, value in record["settings"].items())
    facts += [("settings that were given", settings or "none")]
    if record["strength"] is not None:
        facts += [
            ("strength of the proof", record["strength"]),
            ("SHA-256 of the certificate", f"`{record['certificate']}`"),
        ]
    return [
        *facts,
        ("digest of settings and weights", f"`{record['model_digest']}`"),
        ("commit", f"{record['commit']}, {record['date']}"),
        ("with", ", ".join(f"{key} {value}" for key, value in environment.items())),
    ]


def _by_length(unit: str, measure: str, values: Mapping[str, str]) -> Sequence[str]:
    return [
        f"| {unit} | {' | '.join(values)} |",
        "|---|" + "---|" * len(values),
        f"| {measure} | {' | '.join(values.values())} |",
    ]
