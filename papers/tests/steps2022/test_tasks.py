"""Other tasks are judged by what telling the steps brings."""

from lengthwise_papers.experiment import Record
from lengthwise_papers.steps2022 import tasks
from step_records import SINE, record


def test_other_tasks_are_judged_by_what_telling_the_steps_brings() -> None:
    def run(regime: str, exact: float) -> Record:
        return {**record(regime, 8, SINE, exact), "row": "parity of 16 symbols", "column": regime}

    records = [run("weak", 0.5), run("medium", 0.25), run("strong", 0.995)]
    columns, rows = tasks.table(records)
    assert rows == [["parity of 16 symbols", "0.5000", "0.2500", "0.9950", "10,000"]]
    assert len(columns) == len(rows[0])
    for weak, strong, learned, worse in (
        (0.5, 0.995, True, True),
        (1.0, 1.0, True, True),
        (0.0, 0.0001, False, True),
        (0.5, 0.5, False, False),
    ):
        first, second = tasks.check([run("weak", weak), run("strong", strong)])
        assert (first.holds, second.holds) == (learned, worse)
    assert tasks.check(records)[0].measured == "parity of 16 symbols 99.5 % and 50.0 %"
    assert tasks.check([run("strong", 0.75)]) == []
