import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from circuit_strategies import TWO_INPUTS, all_inputs, as_tables, circuits, truth_tables
from lengthwise.circuits.circuit import Circuit
from lengthwise.circuits.gate_sequence import GateSequence, GateStep
from lengthwise.circuits.gates import KINDS, FreshNames, Gate
from lengthwise.errors import CircuitError

HALF_ADDER = Circuit(
    inputs=("a", "b"),
    gates=(
        Gate(name="sum", kind="XOR", inputs=("a", "b")),
        Gate(name="carry", kind="AND", inputs=("a", "b")),
    ),
    outputs=("carry", "sum"),
)
SEQUENCE = HALF_ADDER.sequence()


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


def test_every_kind_of_gate_has_its_truth_table() -> None:
    tables = {
        "NOR": [1, 0, 0, 0],
        "AND": [0, 0, 0, 1],
        "OR": [0, 1, 1, 1],
        "XOR": [0, 1, 1, 0],
        "NAND": [1, 1, 1, 0],
    }
    words = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for kind, table in tables.items():
        gate = Gate(name="y", kind=kind, inputs=("a", "b"))
        circuit = Circuit(inputs=("a", "b"), gates=(gate,), outputs=("y",))
        assert [circuit.evaluate(bits)[0] for bits in words] == table
    assert {*tables, "NOT", "CONST0", "CONST1"} == set(KINDS)


# ---- NOR alone -------------------------------------------------------------------------------


@given(circuits(max_inputs=7))
def test_nor_gates_alone_compute_the_same_under_the_same_names(circuit: Circuit) -> None:
    everything = Circuit(
        inputs=circuit.inputs,
        gates=circuit.gates,
        outputs=(*circuit.inputs, *(gate.name for gate in circuit.gates)),
    )
    nors = everything.as_nor()
    assert {gate.kind for gate in nors.gates} == {"NOR"}
    assert (nors.inputs, nors.outputs) == (everything.inputs, everything.outputs)
    assert truth_tables(nors) == truth_tables(everything)


@given(circuits(kinds=["NOR"]))
def test_a_circuit_of_nor_gates_stays_as_it_is(circuit: Circuit) -> None:
    assert circuit.as_nor().gates == circuit.ordered


def test_gates_between_are_named_apart_and_made_once() -> None:
    circuit = Circuit(
        inputs=("a", "y.1"),
        gates=(
            Gate(name="y", kind="AND", inputs=("a", "y.1")),
            Gate(name="y.2", kind="NAND", inputs=("y.1", "a")),
        ),
        outputs=("y", "y.2"),
        output_names=("and", "nand"),
    )
    nors = circuit.as_nor()
    assert [(gate.name, *gate.inputs) for gate in nors.gates] == [
        ("y.3", "a", "a"),
        ("y.4", "y.1", "y.1"),
        ("y", "y.3", "y.4"),
        ("y.2", "y", "y"),
    ]
    assert nors.output_names == ("and", "nand")


def test_fresh_names_are_fresh() -> None:
    fresh = FreshNames(["y.1", "x.not"])
    assert [fresh.take("y"), fresh.take("y"), fresh.take("x", "x.not"), fresh.take("x", "z")] == [
        "y.2",
        "y.3",
        "x.1",
        "z",
    ]
    assert fresh.take("q", "z") == "q.1"


# ---- orders ----------------------------------------------------------------------------------


@given(circuits(max_inputs=4, max_gates=12), st.randoms(use_true_random=False))
def test_any_topological_order_is_a_sequence_of_the_circuit(circuit: Circuit, chance: Any) -> None:
    left, done, order = list(circuit.gates), set(circuit.inputs), list[str]()
    while left:
        gate = chance.choice([gate for gate in left if done.issuperset(gate.inputs)])
        left.remove(gate)
        done.add(gate.name)
        order.append(gate.name)
    sequence = circuit.sequence(order)
    assert sequence.names == (*circuit.inputs, *order)
    assert sequence.length == len(circuit.inputs) + len(circuit.gates)
    completed = sequence.complete_many(all_inputs(len(circuit.inputs)))
    tables = as_tables(completed[:, sequence.outputs].astype(np.bool_))
    assert tables == truth_tables(circuit)


@given(circuits())
def test_the_default_order_takes_the_first_gate_that_can_come_next(circuit: Circuit) -> None:
    done, left = set(circuit.inputs), list(circuit.gates)
    for gate in circuit.ordered:
        assert gate == next(gate for gate in left if done.issuperset(gate.inputs))
        left.remove(gate)
        done.add(gate.name)
    assert not left


def test_a_long_chain_given_backwards_is_put_in_order() -> None:
    names = ["a", *(f"g{i}" for i in range(20_000))]
    gates = [Gate(name=name, kind="NOT", inputs=(source,)) for source, name in pairwise(names)]
    circuit = Circuit(inputs=("a",), gates=tuple(reversed(gates)), outputs=(names[-1],))
    assert circuit.ordered == tuple(gates)
    assert circuit.evaluate((1,)) == (1,)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["carry"], "an order has every gate once, but 'sum' is missing."),
        (["sum", "carry", "a"], "an order has every gate once, but 'a' is no gate."),
        (["sum", "carry", 3], "an order has every gate once, but 3 is no gate."),
        (["sum", "carry", "sum"], "an order has every gate once, but 'sum' stands twice."),
    ],
)
def test_an_order_with_other_names_is_refused(order: list[str], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        HALF_ADDER.sequence(order)
    assert str(caught.value) == message


def test_an_order_with_a_gate_before_its_input_is_refused() -> None:
    circuit = Circuit(
        inputs=("a",),
        gates=(
            Gate(name="y", kind="NOT", inputs=("a",)),
            Gate(name="z", kind="NOT", inputs=("y",)),
        ),
        outputs=("z",),
    )
    with pytest.raises(CircuitError, match="but 'z' stands before its input 'y'"):
        circuit.sequence(["z", "y"])


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"name": "y", "kind": "AND", "inputs": ("a",)},
            "gate 'y' is AND, which takes 2 inputs, but it has 1: ('a',).",
        ),
        (
            {"name": "y", "kind": "NOT", "inputs": ("a", "b")},
            "gate 'y' is NOT, which takes 1 input, but it has 2: ('a', 'b').",
        ),
        (
            {"name": "y", "kind": "CONST1", "inputs": ("a",)},
            "gate 'y' is CONST1, which takes 0 inputs, but it has 1: ('a',).",
        ),
        (
            {"name": "y", "kind": "XNOR", "inputs": ("a", "b")},
            "unknown kind of gate 'y': 'XNOR'. Did you mean 'XOR'? Known: NOR, AND, OR, XOR, NAND, "
            "NOT, CONST0, CONST1.",
        ),
        (
            {"name": "y", "kind": "AND", "inputs": ["a", "b"]},
            "the inputs of gate 'y' are a tuple, but they are ['a', 'b'].",
        ),
        (
            {"name": "y", "kind": "NOT", "inputs": (["a"],)},
            "the name of a signal is a text of one line, but one is ['a'].",
        ),
        (
            {"name": "", "kind": "CONST0"},
            "the name of a signal is a text of one line, but one is ''.",
        ),
        (
            {"name": "a\nb", "kind": "CONST0"},
            "the name of a signal is a text of one line, but one is 'a\\nb'.",
        ),
    ],
)
def test_what_is_no_gate_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        Gate(**arguments)
    assert str(caught.value) == message


def gates(**sources: str) -> tuple[Gate, ...]:
    """NOT of one signal, NOR of two."""
    return tuple(
        Gate(name=name, kind=["NOT", "NOR"][len(text.split()) - 1], inputs=tuple(text.split()))
        for name, text in sources.items()
    )


@pytest.mark.parametrize(
    ("inputs", "made", "outputs", "message"),
    [
        ((), (), ("a",), "a circuit has at least one input, but this one has none."),
        (("a",), (), (), "a circuit has at least one output, but this one has none."),
        (["a"], (), ("a",), "the inputs are a tuple of texts, but they are ['a']."),
        (("a",), (), ("a", 3), "the name of a signal is a text of one line, but one is 3."),
        (("a", "a"), (), ("a",), "every signal has a name of its own, but 'a' stands twice. Re"),
        (("a",), gates(a="a"), ("a",), "every signal has a name of its own, but 'a' stands tw"),
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


@given(circuits())
def test_a_stored_sequence_comes_back(circuit: Circuit) -> None:
    sequence = circuit.sequence()
    assert GateSequence.from_dict(json.loads(json.dumps(sequence.to_dict()))) == sequence


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_inputs": 0}, "a sequence begins with at least one input, but num_inputs is 0."),
        (
            {"num_inputs": True},
            "a sequence begins with at least one input, but num_inputs is True.",
        ),
        ({"steps": 3}, "the stored steps are a list, but they are 3."),
        ({"steps": [3]}, "a stored step has the entries kind, sources, but it is 3."),
        (
            {"steps": [{"kind": "AND"}]},
            "a stored step has an entry 'sources', but it is missing.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0, 2]}]},
            "step 2 reads one of the positions 0..1, but it is 2.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [-1, 0]}]},
            "step 2 reads one of the positions 0..1, but it is -1.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0, True]}]},
            "step 2 reads one of the positions 0..1, but it is True.",
        ),
        (
            {"steps": [{"kind": "AND", "sources": [0]}]},
            "step 2 is AND, which takes 2 inputs, but it has 1: (0,).",
        ),
        (
            {"steps": [{"kind": 3, "sources": [0]}]},
            "unknown kind of step 2: '3'. Known: NOR, AND, OR, XOR, NAND, NOT, CONST0, CONST1.",
        ),
        ({"outputs": []}, "a sequence has a tuple of at least one output, but it is ()."),
        ({"outputs": [4]}, "an output is one of the positions 0..3, but it is 4."),
        ({"names": ["a"]}, "every position has a name, but there are 4 positions and 1 names."),
        ({"names": ["a", "b", "c", "a"]}, "every signal has a name of its own, but 'a' stands tw"),
        ({"name": ["a"]}, "unknown entry of a stored gate sequence: 'name'. Did you mean 'names'?"),
    ],
)
def test_a_broken_stored_sequence_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        GateSequence.from_dict(SEQUENCE.to_dict() | change)
    assert str(caught.value).startswith(message)


def test_an_incomplete_stored_sequence_is_refused() -> None:
    values = SEQUENCE.to_dict()
    del values["outputs"]
    with pytest.raises(CircuitError, match="gate sequence has an entry 'outputs', but it is miss"):
        GateSequence.from_dict(values)
    with pytest.raises(CircuitError, match="the steps are a tuple of Step, but they are"):
        GateSequence(num_inputs=1, steps=(GateStep, 1), outputs=(0,), names=("a",))  # type: ignore[arg-type]


@given(circuits(kinds=TWO_INPUTS, max_inputs=3, max_gates=5))
def test_random_circuits_can_be_kept_to_some_kinds(circuit: Circuit) -> None:
    assert {gate.kind for gate in circuit.gates} <= set(TWO_INPUTS)
