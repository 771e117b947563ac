"""Printed numbers of Chi et al. (2023), Table 1, for the report to show beside measured ones."""

from collections.abc import Mapping
from typing import Any

from lengthwise_papers.chi2023.table1 import PUBLISHED, Published

_COLUMNS = {"elman": "rnn", "chomsky-transformer": "transformer"}
"""Models other than RegularGPT that have a column in the table."""


def find(language: str, model: str, network: Mapping[str, Any]) -> Published | None:
    """Return the printed number for a language and a network, if the table has one."""
    column = _COLUMNS.get(model)
    if "chunk_size" in network:
        column = f"regular-gpt C={network['chunk_size']}"
    return PUBLISHED.get((language, column)) if column else None
