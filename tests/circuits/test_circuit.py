import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from circuit_strategies import TWO_INPUTS, all_inputs, as_tables, circuits, truth_tables
from circuits.drawn_gates import HALF_ADDER, SEQUENCE, gates
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gates import Gate
from lengthwise.errors import CircuitError


@given(circuits())
def test_all_words_give_the_truth_tables(circuit: Circuit) -> None:
    assert as_tables(circuit.evaluate_many(all_inputs(len(circuit.inputs)))) == truth_tables(
        circuit
    )


@given(circuits(max_inputs=7), st.data())
def test_one_word_gives_its_entry_of_the_truth_tables(
    circuit: Circuit, data: st.DataObject
) -> None:
    word = data.draw(st.integers(0, 2 ** len(circuit.inputs) - 1))
    bits = tuple(word >> i & 1 for i in range(len(circuit.inputs)))
    right = tuple(table >> word & 1 for table in truth_tables(circuit))
    assert circuit.evaluate(bits) == right
    sequence = circuit.sequence()
    symbols = sequence.complete(bits)
    assert symbols[: len(bits)] == bits
    assert tuple(symbols[position] for position in sequence.outputs) == right
    (vectorised,) = sequence.complete_many(np.array([bits], dtype=np.bool_))
    assert vectorised.dtype == np.int64
    assert tuple(vectorised) == symbols


# ---- NOR alone -------------------------------------------------------------------------------


# ---- orders ----------------------------------------------------------------------------------


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "made", "outputs", "message"),
    [
        ((), (), ("a",), "a circuit has at least one input, but this one has none."),
        (("a",), (), (), "a circuit has at least one output, but this one has none."),
        (["a"], (), ("a",), "the inputs are a tuple of strings, but they are ['a']."),
        (("a",), (), ("a", 3), "a signal's name is a string of one line, but one is 3."),
        (("a", "a"), (), ("a",), "every signal has a name of its own, but 'a' appears twice. Re"),
        (("a",), gates(a="a"), ("a",), "every signal has a name of its own, but 'a' appears tw"),
        (("a",), [], ("a",), "the gates are a tuple of Gate, but they are []."),
        (("a",), gates(y="a q"), ("y",), "gate 'y' reads 'q', but there is no such signal. Make"),
        (("a",), gates(y="a"), ("z",), "an output is 'z', but there is no such signal. Make it"),
        (("a",), gates(y="a y"), ("y",), "but this one has y -> y. Cut it"),
        (
            ("a",),
            gates(w="a", u="y", v="a", x="z", y="x v", z="a y"),
            ("u",),
            "a circuit has no cycles, but this one has y -> z -> x -> y. Cut it: no gate may need "
            "its own value.",
        ),
    ],
)
def test_what_is_no_circuit_is_refused(
    inputs: tuple[str, ...], made: tuple[Gate, ...], outputs: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CircuitError) as caught:
        Circuit(inputs=inputs, gates=made, outputs=outputs)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_cycle_is_shortened() -> None:
    ring = gates(**{f"g{i}": f"g{(i - 1) % 30}" for i in range(30)})
    with pytest.raises(CircuitError, match=r"has g0 -> g1 -> .* -> g7 -> \.\.\. -> g0\. Cut"):
        Circuit(inputs=("a",), gates=ring, outputs=("g0",))


def test_names_of_outputs_default_to_their_signals() -> None:
    assert HALF_ADDER.output_names == ("carry", "sum")
    named = Circuit(inputs=("a",), gates=(), outputs=("a", "a"), output_names=("y", "z"))
    assert named.evaluate((1,)) == (1, 1)
    assert named.evaluate_many(all_inputs(1)).tolist() == [[False, False], [True, True]]
    with pytest.raises(CircuitError, match="there are 1 outputs, and their names are \\('y', 'z'"):
        Circuit(inputs=("a",), gates=(), outputs=("a",), output_names=("y", "z"))


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ((0,), "every input needs a bit, but there are 2 inputs ('a b') and 1 bits."),
        ((0, 1, 1), "every input needs a bit, but there are 2 inputs ('a b') and 3 bits."),
        ((0, 2), "a bit is 0 or 1, but input 'b' gets 2."),
        ("01", "a bit is 0 or 1, but input 'a' gets '0'."),
        ((0, 0.5), "a bit is 0 or 1, but input 'b' gets 0.5."),
    ],
)
def test_wrong_bits_are_refused(bits: tuple[int, ...], message: str) -> None:
    for compute in (HALF_ADDER.evaluate, SEQUENCE.complete):
        with pytest.raises(CircuitError) as caught:
            compute(bits)
        assert str(caught.value) == message
    with pytest.raises(
        CircuitError, match=r"of bool \[word, 2\], but this one is of bool \[4, 3\]"
    ):
        HALF_ADDER.evaluate_many(np.zeros((4, 3), dtype=np.bool_))
    with pytest.raises(CircuitError, match=r"but this one is of int64 \[4, 2\]"):
        SEQUENCE.complete_many(np.zeros((4, 2), dtype=np.int64))


# ---- stored sequences ------------------------------------------------------------------------


@given(circuits(kinds=TWO_INPUTS, max_inputs=3, max_gates=5))
def test_random_circuits_can_be_kept_to_some_kinds(circuit: Circuit) -> None:
    assert {gate.kind for gate in circuit.gates} <= set(TWO_INPUTS)
