"""Machines of bits: registers, counting, and the class that is read off them."""

import itertools

import pytest

from lengthwise_papers.soundness.bits import Machine, Registers, Rules, score

REGISTERS = Registers({"count": 3, "flag": 2})


def machine(chunk_size: int = 0) -> Machine:
    """Counts the symbols `1` modulo 3, and remembers the last symbol, symbol by symbol."""
    rules = Rules(REGISTERS)
    one, zero = (1, 1, True), (1, 0, True)
    for value in range(3):
        held = REGISTERS.literal(0, "count", value)
        rules.becomes("count", (value + 1) % 3, (held, one))
        rules.becomes("count", value, (held, zero))
    rules.becomes("flag", 0, (zero,))
    rules.becomes("flag", 1, (one,))
    scores, bias = score(REGISTERS, [("count", 2, 3.0), ("flag", 0, -2.0)])
    return Machine(
        registers=REGISTERS,
        terms=rules.terms(),
        leaves=((True, False), (False, True)),
        first=REGISTERS.encode({}),
        scores=scores,
        bias=bias,
        chunk_size=chunk_size,
    )


def test_a_register_of_two_values_is_one_bit() -> None:
    assert REGISTERS.num_bits == 4
    assert REGISTERS.encode({}) == (True, False, False, False)
    assert REGISTERS.encode({"count": 2, "flag": 1}) == (False, False, True, True)
    assert [REGISTERS.place("flag", value) for value in (0, 1)] == [(3, False), (3, True)]
    assert REGISTERS.literal(5, "count", 1) == (5, 1, True)


def test_a_counter_is_one_larger_and_0_after_its_largest_value() -> None:
    rules = Rules(REGISTERS)
    rules.counts("count", 0)
    rules.counts("flag", 0)
    counting = Machine(
        registers=REGISTERS,
        terms=rules.terms(),
        leaves=(),
        first=(),
        scores=(0.0,) * 4,
        bias=0.0,
    )
    for count, flag in itertools.product(range(3), range(2)):
        found = counting.after(REGISTERS.encode({"count": count, "flag": flag}))
        assert found == REGISTERS.encode({"count": (count + 1) % 3, "flag": 1 - flag})


@pytest.mark.parametrize("length", range(6))
def test_a_recurrence_reads_symbol_by_symbol(length: int) -> None:
    for word in itertools.product((0, 1), repeat=length):
        last = word[-1] if word else 0
        total = 3.0 * (sum(word) % 3 == 2) - 2.0 * (last == 0) - 0.5
        assert machine().classify(word) == (total > 0), word


def test_a_tree_reads_chunks_from_the_right_and_the_empty_word_as_pads() -> None:
    """A bit for the left child and one for the right one: the AND of both."""
    registers = Registers({"on": 2})
    rules = Rules(registers)
    rules.becomes("on", 1, (registers.literal(0, "on", 1), registers.literal(1, "on", 1)))
    scores, bias = score(registers, [("on", 1, 1.0)])
    leaves = (registers.encode({"on": 0}), registers.encode({"on": 1}))
    for pad in (0, 1):
        tree = Machine(
            registers=registers,
            terms=rules.terms(),
            leaves=leaves,
            first=leaves[pad],
            scores=scores,
            bias=bias,
            chunk_size=2,
        )
        assert tree.classify(()) == pad
        assert tree.classify((1, 1, 1)) == pad
        assert tree.classify((1, 1, 1, 1)) == 1
        assert tree.classify((0, 1, 1, 1)) == tree.classify((1, 1, 0, 1)) == 0


def test_a_sum_of_0_is_of_class_0() -> None:
    found = Machine(
        registers=REGISTERS, terms=(), leaves=(), first=(), scores=(1.0, 0.0, 0.0, 0.0), bias=-1.0
    )
    assert found.read(REGISTERS.encode({})) == 0
    assert found.read((False,) * 4) == 0
