"""Which operations of torch are written, and that programs have each that is written."""

import inspect
import re

import torch

from lengthwise.proofs.check import program
from lengthwise.proofs.search import operation_lines
from lengthwise.proofs.search.operation_lines import WRITERS, operation_name


def test_every_operation_is_one_of_torch() -> None:
    for name in set(WRITERS) - {"getitem"}:
        operation, _, overload = name.partition(".")
        assert operation_name(getattr(getattr(torch.ops.aten, operation), overload)) == name


def test_programs_have_every_operation_that_is_written() -> None:
    written = set(re.findall(r'emit\(\s*"([a-z_0-9]+)"', inspect.getsource(operation_lines)))
    assert written <= set(program._OPERATIONS)
    assert len(written) > 10
