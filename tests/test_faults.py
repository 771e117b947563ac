"""The faults of `make faults` can be planted: each text stands once, and its tests are there."""

import pytest

from faults import FAULTS, PACKAGE, ROOT, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    assert (PACKAGE / fault.file).read_text(encoding="utf-8").count(fault.right) == 1
    assert fault.wrong != fault.right
    for tests in fault.tests.split():
        assert (ROOT / "tests" / tests).exists(), tests
