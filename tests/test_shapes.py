"""The checks of shapes refuse what does not fit, also after calls that did."""

import jaxtyping
import pytest
import torch
from jaxtyping import Float, Int, TypeCheckError
from torch import Tensor

from lengthwise.layers import chunks
from shapes import add_checks


@add_checks
def product(
    x: Float[Tensor, "row inner"], y: Float[Tensor, "inner column"], *, turned: bool = False
) -> Float[Tensor, "row column"]:
    return (x @ y).T if turned else x @ y


@add_checks
def count(parts: list[Int[Tensor, " part"]], sizes: tuple[int, ...] = ()) -> int:
    return len(parts)


def test_sizes_of_one_name_are_equal_within_a_call_and_not_between_calls() -> None:
    for rows, inner, columns in ((2, 3, 4), (2, 3, 4), (5, 1, 1)):
        assert product(torch.ones(rows, inner), torch.ones(inner, columns)).shape == (rows, columns)


def test_what_does_not_fit_is_refused_after_what_did() -> None:
    x, y = torch.ones(2, 3), torch.ones(3, 4)
    product(x, y)
    for wrong in ((x.long(), y.long()), (x[None], y), (x, y[None]), (x[0], y)):
        with pytest.raises((TypeCheckError, RuntimeError)):
            product(*wrong)
    with pytest.raises(TypeCheckError):
        product(x, y, turned=True)
    assert product(x, y).shape == (2, 4)


def test_containers_are_looked_into_at_every_call() -> None:
    assert count([torch.arange(3), torch.arange(3)]) == 2
    with pytest.raises(TypeCheckError):
        count([torch.ones(3)])


def test_functions_within_functions_are_checked_if_they_are_about_shapes() -> None:
    decorate = jaxtyping.jaxtyped(typechecker=None)

    @decorate
    def halve(x: Float[Tensor, " place"]) -> Float[Tensor, " place"]:
        return x / 2

    @decorate
    def double(x: int) -> int:
        return 2 * x

    assert halve(torch.ones(3)).sum() == 1.5
    with pytest.raises(TypeCheckError):
        halve(torch.ones(3, 3))
    assert double("a") == "aa"  # type: ignore[arg-type,comparison-overlap]


def test_the_package_is_checked() -> None:
    with pytest.raises(TypeCheckError):
        chunks.representatives(torch.zeros(2, 2, dtype=torch.int64), 1)
