"""Short runs with several stages, for the tests."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.problems.planning import make_plan

SHORT: Mapping[str, Any] = {"steps": 20, "validate_every": 10, "d_model": 16, "batch_size": 16}
"""Too little for a proof of S3 in any stage."""


def plan(**more: Any) -> Any:
    return make_plan("group:S3", settings={**SHORT, **more})


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file; of records without the speed, which is not the same twice."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.name == "metrics.jsonl":
                records = [json.loads(line) for line in content.splitlines()]
                content = json.dumps([{**r, "words_per_second": 0} for r in records]).encode()
            found[str(path.relative_to(folder))] = content
    return found
