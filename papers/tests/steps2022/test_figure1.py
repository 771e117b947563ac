"""Figure 1 fails where a row looks elsewhere."""

import copy
from typing import Any

from lengthwise_papers.steps2022 import figure1
from smoke_runs import failing, smoke
from smoke_runs import results as results  # noqa: PLC0414  a fixture


def test_steps_figure_1_fails_where_a_row_looks_elsewhere(
    results: dict[str, dict[str, Any]],
) -> None:
    name = "steps2022/figure1"
    records = smoke(results, name)
    assert [record["representation"] for record in records] == [1, 2]
    row = records[1]["weights"][records[1]["gates_with_sources"][2]]
    first, second = sorted(range(len(row)), key=lambda column: -row[column])[:2]
    third = next(column for column in range(len(row)) if column not in (first, second))
    uneven = copy.deepcopy(records)
    changed_row = uneven[1]["weights"][records[1]["gates_with_sources"][2]]
    changed_row[first] += 0.1
    changed_row[second] -= 0.1
    assert failing(name, uneven) == ["and to both equally,"]
    changed_row[first] -= 0.1
    changed_row[third] += 0.1
    assert failing(name, uneven) == ["the decoder attends to", "and to both equally,"]
    assert figure1.table(uneven).rows[0] == figure1.table(records).rows[0]
    assert figure1.table(uneven).rows[1] != figure1.table(records).rows[1]
