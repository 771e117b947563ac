"""`own/smallest-adders`: verdicts from records, and the search for a wrong pair."""

import numpy as np

from lengthwise_papers.own.smallest_adders import Sizes, check, first_wrong, measure, table
from lengthwise_papers.own.tiny_adders import Adder, Array, right_sums


class _Forgetful(Adder):
    """Writes right sums, except that a carry out of the second digit is lost."""

    def add(self, a: Array, b: Array) -> Array:
        sums = right_sums(a, b)
        loses = a[:, 1] + b[:, 1] >= 10
        sums[loses, 2] = (sums[loses, 2] - 1) % 10
        return sums

    queries = keys = values = logits = None  # type: ignore[assignment]


def test_a_wrong_pair_with_the_fewest_digits_is_found() -> None:
    network = _Forgetful(np.float32)
    assert first_wrong(network, 3, lambda done, total: None) == (2, (99, 99))
    assert first_wrong(network, 1, lambda done, total: None) == (1, None)


def test_a_short_measurement_proves_one_network_and_leaves_the_other_open() -> None:
    records = measure(Sizes(pairs=10, digits=1), 0, lambda done, total: None)
    assert [record["network"] for record in records] == ["hand-made"] * 2 + ["trained"] * 2
    assert [statement.holds for statement in check(records)] == [True, None]
    assert [row[-1][:5] for row in table(records).rows] == ["right"] * 2 + ["open"] * 2
    for record in records[2:]:
        record |= {"wrong": 1, "wrong_pair": (957, 949), "written": 1806}
    assert [statement.holds for statement in check(records)] == [True, False]
    assert table(records).rows[2][-1] == "wrong: 957 + 949 = 1806"
