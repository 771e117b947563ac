from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.circuits.circuit_files import READERS, read_circuit
from lengthwise.errors import CircuitError


def format_error(number: int, rule: str, line: str, remedy: str = "") -> str:
    """What follows the path where a line breaks a rule."""
    return f", line {number}: {rule}, but the line is {line!r}.{remedy and ' '}{remedy}"


def describe_undefined(number: int, name: str) -> str:
    return (
        f", line {number}: signal {name!r} is used, but nothing defines it. Make it an input, or "
        f"define it."
    )


def twice(number: int, name: str, first: int) -> str:
    return (
        f", line {number}: a signal is defined once, but {name!r} has been defined in line "
        f"{first}. Remove one of the two."
    )


def cyclic(cycle: str) -> str:
    return f": a circuit has no cycles, but this one has {cycle}. Cut it: {NO_GATE}"


NO_GATE = "no gate may need its own value."
NO_INPUTS = ": a circuit has at least one input, but this one has none."
NO_OUTPUTS = ": a circuit has at least one output, but this one has none."


def refusal(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CircuitError) as caught:
        read_circuit(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


ONLY = "only .model, .inputs, .outputs, .names and .end are read"
FLAT = "Write one flat model without memory."
ONE = "one model is read"
ONE_FLAT = "Flatten the file to one model."
ROW = "below this .names a row has {} of 0, 1 and -, and then 0 or 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ".model m\n.inputs a\n.outputs y\n.latch a y 0\n.end\n",
            format_error(4, ONLY, ".latch a y 0", FLAT),
        ),
        (
            "# c\n\n.inputs a\n.outputs y\n.subckt sub \\\n x=a \\\n y=y\n",
            format_error(5, ONLY, ".subckt sub x=a y=y", FLAT),
        ),
        (".gate and2 A=a B=b O=y", format_error(1, ONLY, ".gate and2 A=a B=b O=y", FLAT)),
        (".inputs a\n.outputs a\n.exdc\n", format_error(3, ONLY, ".exdc", FLAT)),
        (".model m\n.inputs a\n.model k\n", format_error(3, ONE, ".model k", ONE_FLAT)),
        (".inputs a\n.outputs a\n.end\n\n.inputs b\n", format_error(5, ONE, ".inputs b", ONE_FLAT)),
        ("11 1\n", format_error(1, "a row comes after .names", "11 1")),
        (".names # y\n", format_error(1, ".names ends in the name that it defines", ".names")),
        (".inputs a\n.names a y\n11 1\n", format_error(3, ROW.format(1), "11 1")),
        (".inputs a b\n.names a b y\n1x 1\n", format_error(3, ROW.format(2), "1x 1")),
        (".inputs a\n.names a y\n1 -\n", format_error(3, ROW.format(1), "1 -")),
        (".names y\n2\n", format_error(2, "below this .names a row is 0 or 1", "2")),
        (
            ".inputs a b\n.names a b y\n11 1\n00 0\n",
            format_error(4, "all rows of a cover end in the same bit", "00 0"),
        ),
        (".inputs a\n.outputs y\n.names a \\\nq y\n11 1\n", describe_undefined(3, "q")),
        (".inputs a\n.outputs a \\\n y\n", describe_undefined(2, "y")),
        (".inputs a\n.outputs y\n.names a y\n1 1\n.names y\n", twice(5, "y", 3)),
        (".inputs a\n.inputs b a\n", twice(2, "a", 1)),
        (
            ".inputs a\n.outputs y\n.names a y z\n11 1\n.names a z y\n11 1\n",
            cyclic("z -> y -> z"),
        ),
        (".inputs a\n.outputs y\n.names y z\n1 1\n.names z y\n1 1\n", cyclic("y -> z -> y")),
        (".inputs\n.outputs y\n.names y\n1\n", NO_INPUTS),
        ("# nothing\n.inputs a\n", NO_OUTPUTS),
    ],
)
def test_blif_that_is_no_circuit_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path / "bad.blif", text) == message


LINE = "a line is INPUT(x), OUTPUT(y) or y = AND(a, b)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "INPUT(a)\nOUTPUT(q)\n\nq = DFF(a) # later\n",
            format_error(
                4,
                "a circuit has no memory",
                "q = DFF(a)",
                "Cut the flip-flops: make their outputs inputs, and their inputs outputs.",
            ),
        ),
        (
            "INPUT(a)\nq = MUX(a, a, a)\n",
            format_error(
                2,
                "a gate is one of AND, OR, XOR, NAND, NOR, XNOR, NOT, BUFF",
                "q = MUX(a, a, a)",
            ),
        ),
        ("INPUT(a)\nq = NOT(a, a)\n", format_error(2, "NOT takes 1 input", "q = NOT(a, a)")),
        ("INPUT(a)\nq = BUF(a, a)\n", format_error(2, "BUFF takes 1 input", "q = BUF(a, a)")),
        ("# c\nINPUT(a)\nq = AND()\n", format_error(3, LINE, "q = AND()")),
        ("q = AND(a,)\n", format_error(1, LINE, "q = AND(a,)")),
        ("q = LUT 0x8 (a, a)\n", format_error(1, LINE, "q = LUT 0x8 (a, a)")),
        ("INPUT(a b)\n", format_error(1, LINE, "INPUT(a b)")),
        ("INPUT(a)\nOUTPUT(y)\ny = AND(a, b)\n", describe_undefined(3, "b")),
        ("INPUT(a)\nOUTPUT(y)\n", describe_undefined(2, "y")),
        ("INPUT(a)\na = gnd\n", twice(2, "a", 1)),
        ("INPUT(a)\nOUTPUT(y)\ny = AND(a, z)\nz = BUFF(y)\n", cyclic("y -> y")),
        ("OUTPUT(y)\ny = vdd\n", NO_INPUTS),
        ("INPUT(y)\n", NO_OUTPUTS),
    ],
)
def test_bench_that_is_no_circuit_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path / "bad.bench", text) == message


HEADER = "the header is 'aag M I L O A' with five numbers"
AND = "an AND gate is three literals"
NAMES = "after the gates come names, 'i0 a' or 'o0 y'"
GOOD = "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "aag 3 2 1 1 0\n2\n4\n6 2\n6\n",
            format_error(1, "a circuit has no memory, and this has 1 latches", "aag 3 2 1 1 0"),
        ),
        (
            "aag 3 2 0 1 1 1\n2\n4\n6\n6 2 4\n",
            format_error(1, "only inputs, outputs and AND gates are read", "aag 3 2 0 1 1 1"),
        ),
        (
            "aig 3 2 0 1 1\n6\n",
            format_error(
                1,
                "AIGER is read as text",
                "aig 3 2 0 1 1",
                "Make it text: aigtoaig in.aig out.aag",
            ),
        ),
        ("aag 3 2 0 1\n", format_error(1, HEADER, "aag 3 2 0 1")),
        ("aag 3 2 0 1 -1\n", format_error(1, HEADER, "aag 3 2 0 1 -1")),
        ("\naag 3 2 0 1 1\n", format_error(1, HEADER, "")),
        (
            "aag 3 2 0 1 1\n2\n4\n6\n",
            ": the header in line 1 promises 4 lines of inputs, outputs and gates, but 3 follow. "
            "Complete the file.",
        ),
        (GOOD.replace("6 2 4", "6 2"), format_error(5, AND, "6 2")),
        (GOOD.replace("6 2 4", "6 2 x"), format_error(5, AND, "6 2 x")),
        (GOOD.replace("\n2\n", "\n2 0\n"), format_error(2, "an input is one literal", "2 0")),
        (GOOD.replace("\n6\n", "\ny\n"), format_error(4, "an output is one literal", "y")),
        (
            GOOD.replace("6 2 4", "6 2 8"),
            format_error(5, "by the header, literals are at most 7", "6 2 8"),
        ),
        (
            GOOD.replace("aag 3", "aag 4").replace("6 2 4", "6 2 9"),
            format_error(5, "every literal in use is defined, but 9 is not", "6 2 9"),
        ),
        (
            GOOD.replace("aag 3", "aag 4").replace("\n6\n", "\n8\n"),
            format_error(4, "every literal in use is defined, but 8 is not", "8"),
        ),
        (
            GOOD.replace("6 2 4", "4 2 2"),
            format_error(5, "a literal is defined once, but 4 was defined before", "4 2 2"),
        ),
        (
            GOOD.replace("6 2 4", "7 2 4"),
            format_error(5, "a literal that is defined is even and not 0, and 7 is not", "7 2 4"),
        ),
        (
            GOOD.replace("\n2\n", "\n0\n"),
            format_error(2, "a literal that is defined is even and not 0, and 0 is not", "0"),
        ),
        (GOOD + "l0 q\n", format_error(6, NAMES, "l0 q")),
        (GOOD + "i0 a\x01b\n", format_error(6, NAMES, "i0 a\x01b")),
        (GOOD + "6 2 4\n", format_error(6, NAMES, "6 2 4")),
        (
            GOOD + "i2 a\n",
            format_error(6, "a name belongs to an input or output of the file", "i2 a"),
        ),
        (GOOD + "i1 a\ni1 b\n", format_error(7, "an input or output has one name", "i1 b")),
        (GOOD + "i1 a\ni0 a\n", twice(3, "a", 2)),
        ("aag 3 1 0 1 2\n2\n6\n6 2 4\n4 7 2\n", cyclic("n6 -> n6.not -> n4 -> n6")),
        ("aag 0 0 0 1 0\n1\n", NO_INPUTS),
        ("aag 1 1 0 0 0\n2\n", NO_OUTPUTS),
    ],
)
def test_aiger_that_is_no_circuit_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path / "bad.aag", text) == message


@pytest.mark.parametrize("suffix", READERS)
def test_what_is_no_text_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bad{suffix}"
    with pytest.raises(CircuitError, match=rf"bad\{suffix}: cannot be read \(No such file"):
        read_circuit(path)
    assert refusal(path, " \n\n") == ": a circuit has at least one line, but the file is empty."
    path.write_bytes(b"INPUT(\xe9)\n")
    with pytest.raises(CircuitError, match=rf"bad\{suffix}: .* in UTF-8, but byte 7 is not\.$"):
        read_circuit(path)
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(CircuitError, match="cannot be read"):
        read_circuit(folder)


def test_other_suffixes_are_refused_with_what_helps(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x.aig", "aig 0 0 0 0 0") == (
        ": AIGER is read as text, not in binary form. Make it text: aigtoaig in.aig out.aag"
    )
    assert refusal(tmp_path / "x.v", "module x;") == (
        ": the suffix of a circuit's file is one of .blif, .bench, .aag, but it is '.v'. "
        "Rename or convert the file."
    )


WORDS = [
    ".names",
    ".inputs",
    ".outputs",
    "INPUT(a)",
    "OUTPUT(a)",
    "a",
    "b",
    "1",
    "0",
    "-",
    "=",
    "aag",
]


@pytest.mark.parametrize("suffix", READERS)
@given(
    pieces=st.lists(st.sampled_from([*WORDS, "(", ")", ",", "\n", "\n", "\\", "2", "i0", "AND"]))
)
def test_any_text_is_read_or_refused_in_one_line(suffix: str, pieces: list[str]) -> None:
    text = " ".join(pieces)
    for variant in (text, text.replace(" ", ""), f"aag 2 1 0 1 1 {text}"):
        message = "the file is read"
        try:
            READERS[suffix](variant, "the file")
        except CircuitError as error:
            message = str(error)
        assert message.startswith("the file")
        assert "\n" not in message
