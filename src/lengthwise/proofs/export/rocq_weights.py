"""The part of a Rocq file that is about weights: the network as data, and the joined theorem.

It is for networks whose arithmetic is that of rational numbers: sums, products and maxima. Floats
are integers divided by powers of two, so nothing is rounded on the way into the file. The
kernel computes every entry of the table again from them (`proofs/theories/Weights.v`), and once
more with bounds on the rounding of a running network (`FloatWeights.v`).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import Induction
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.export.rocq_text import BITS, flat_text, text_of

MOST_WEIGHTS = 100_000
"""Largest number of weights that are exported."""

MOST_BITS = 300
"""Largest number of binary digits of a weight that are exported."""

Weights = Mapping[str, NDArray[Any]]


def reason_without_weights(verified: Certificate) -> str:
    """Return why a file has no theorem about weights; nothing if it has one."""
    settings = verified.settings
    if verified.verdict != "equivalent":
        return "a wrong word is one of the table"
    if verified.kind == "Table":
        return "the file has none"
    if verified.kind == "Program":
        return "programs of steps have no theorem"
    if verified.kind == "RationalGPT":
        reason = _reason_of_tree(settings)
    elif verified.kind == "BinaryRecurrent" and settings["cell"] == "relu":
        reason = ""
    else:
        reason = (
            "softmax, norms, tanh and similar functions are not rational; the weights of "
            "regular-gpt-rational and relu-binary are exported"
        )
    if reason:
        return reason
    return reason_of_size(verified)


def reason_of_size(verified: Certificate, type_: str | None = None) -> str:
    """Return why there are too many weights, or too long ones, also for a type; nothing if not."""
    count = sum(weight.size for weight in verified.weights.values())
    if count > MOST_WEIGHTS:
        return f"there are {count:,} of them, and up to {MOST_WEIGHTS:,} are exported"
    weights = [_Dyadics(weight) for weight in verified.weights.values()]
    bits, places = max(w.bits for w in weights), max(w.places for w in weights)
    if bits > MOST_BITS:
        return f"one takes {bits} binary digits, and up to {MOST_BITS} are exported"
    most = places if type_ is None else FORMATS[type_][2] - ROOM
    if places > most:
        return f"a weight takes {places} binary places, and up to {most} are proved"
    return ""


FORMATS = {"float32": ("single", 24, 128), "float64": ("double", 53, 1024)}
"""By the type of weights: the name of the format in Rocq, its digits, and its exponent limit."""


def reason_without_floats(verified: Certificate) -> str:
    """Return why a file with weights has no theorem about floating point; nothing if it has one."""
    if verified.precision != "weights":
        return f"its numbers are rounded to {verified.precision}, and the theorem is about one type"
    _, digits, exponent_limit = FORMATS[type_of(verified)]
    numbers = [number for weight in verified.weights.values() for number in np.ravel(weight)]
    if "cell" not in verified.settings:
        rows = (verified.weights["embedding.weight"], verified.weights["pad"])
        scale = _scale(verified.settings)
        scaled = [Fraction(float(number)) * scale for row in rows for number in np.ravel(row)]
        if any(_num_digits(number) > digits for number in [scale, *scaled]):
            return f"an embedding times its scale, {float(scale):g}, has more than {digits} digits"
    places, most = _Dyadics(numbers).places, exponent_limit - ROOM
    if places > most:
        return f"a weight takes {places} binary places, and up to {most} are proved"
    return ""


ROOM = 57
"""Binary places between those that `proofs/theories/Balls.v` keeps and the smallest normal number.
"""


def type_of(verified: Certificate) -> str:
    """Return the type of the weights."""
    (name,) = {weight.dtype.name for weight in verified.weights.values()}
    return name


def _num_digits(number: Fraction) -> int:
    """Return the binary digits of a number, without zeros at its ends."""
    whole = abs(number.numerator)
    return (whole // (whole & -whole)).bit_length() if whole else 0


def _reason_of_tree(settings: Mapping[str, Any]) -> str:
    chunk, size = settings["chunk_size"], settings["d_model"] // settings["num_heads"]
    if settings["pad"] != "learned":
        return "pads are absent, and the theorem is about learned ones"
    if chunk & (chunk - 1):
        return f"1 / {chunk}, the share of a place, is not a power of two"
    if isqrt(size) ** 2 != size or size & (size - 1):
        return f"the root of {size}, the width of a head, is not a power of two"
    if (
        settings["embedding_scale"] is None
        and isqrt(settings["d_model"]) ** 2 != settings["d_model"]
    ):
        return f"the scale of embeddings, the root of {settings['d_model']}, is not rational"
    return ""


def weights_part(verified: Certificate, induction: Induction | PrefixInduction) -> str:
    """Return the definitions of the network and its codes, and the theorems about it."""
    names = _TREE if isinstance(induction, Induction) else _RECURRENCE
    floats = "" if reason_without_floats(verified) else floats_part(type_of(verified), names)
    network = network_text(verified.settings, verified.weights)
    return f"""
(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : {names["type"]} := {network}.

{codes_text(verified)}
Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  {names["class"]} weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine ({names["theorem"]} weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions network_right_at_every_length.
{floats}"""


def codes_text(verified: Certificate) -> str:
    """Return the definition of the code of each element."""
    num_bits = verified.settings["num_bits"]
    numbers = [_number(code, num_bits) for code in verified.elements["codes"]]
    return f"""Definition codes : list code :=
  map (bits {num_bits}) ({flat_text(numbers)}).
"""


def floats_part(type_: str, names: Mapping[str, str]) -> str:
    """Return the theorem about the network in a type of floating point."""
    format_ = FORMATS[type_][0]
    return f"""
(* The network as it runs in {type_}: any answer that may come out, in any order of additions. *)
Theorem float_network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  forall found, {names["float class"]} {format_} weights w found ->
  found = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine ({names["float theorem"]} {format_} weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions float_network_right_at_every_length.
"""


_TREE = {
    "type": "tree_network",
    "class": "network_class",
    "theorem": "network_as_table",
    "float class": "float_network_may_answer",
    "float theorem": "float_network_as_table",
}
_RECURRENCE = {
    "type": "recurrent_network",
    "class": "recurrent_network_class",
    "theorem": "recurrent_network_as_table",
    "float class": "float_recurrence_may_answer",
    "float theorem": "float_recurrence_as_table",
}


def _number(code: str, num_bits: int) -> int:
    """Return a code in hexadecimal as a number of `num_bits` bits, the first one highest."""
    return int(code, 16) >> (-num_bits % 8)


# ---- networks ------------------------------------------------------------------------------------


def network_text(settings: Mapping[str, Any], weights: Weights) -> str:
    """Return a rational network as a record of `proofs/theories/Networks.v`."""
    return _recurrence(weights) if "cell" in settings else _tree(settings, weights)


def _recurrence(weights: Weights) -> str:
    return f"""{{|
  first_vector := {row_text(weights["start"])};
  symbol_rows := {matrix_text(weights["cell.symbols.weight"])};
  recurrent := {linear_text(weights, "cell.recurrent")};
  cell_memory := {memory_text(weights, off=0)};
  read_out := {linear_text(weights, "answer")}
|}}"""


def _tree(settings: Mapping[str, Any], weights: Weights) -> str:
    width, chunk, factor = settings["d_model"], settings["chunk_size"], _scale(settings)
    embedded = [[Fraction(float(x)) * factor for x in row] for row in weights["embedding.weight"]]
    pad = [Fraction(float(x)) * factor for x in weights["pad"]]
    layers = ";\n    ".join(
        layer_text(settings, weights, f"layers.{index}") for index in range(settings["num_layers"])
    )
    return f"""{{|
  places := {chunk};
  symbols := {matrix_text(embedded)};
  pad := {row_text(pad)};
  query_scale := Qmake 1 {isqrt(width // settings["num_heads"])};
  share := Qmake 1 {chunk};
  layers := [{layers}];
  node_memory := {memory_text(weights, off=-1)};
  answer := {linear_text(weights, "answer")}
|}}"""


def _scale(settings: Mapping[str, Any]) -> Fraction:
    """Return the factor of embeddings, whose root is known to be rational."""
    scale = settings["embedding_scale"]
    return Fraction(isqrt(settings["d_model"])) if scale is None else Fraction(scale)


def layer_text(settings: Mapping[str, Any], weights: Weights, name: str) -> str:
    """Return a record `layer_of`."""
    width, count = settings["d_model"], settings["num_heads"]
    size, key_value = width // count, weights[f"{name}.attention.key_value.weight"]
    heads = []
    for head in range(count):
        first = head * size
        parts = {
            "query": matrix_text(weights[f"{name}.attention.query.weight"][first : first + size]),
            "key": matrix_text(key_value[first : first + size]),
            "value": matrix_text(key_value[width + first : width + first + size]),
            "offset_bias": row_text(weights[f"{name}.attention.bias"][head]),
        }
        heads.append("{| " + "; ".join(f"{part} := {text}" for part, text in parts.items()) + " |}")
    joined = ";\n      ".join(heads)
    return f"""{{|
    heads := [{joined}];
    output := {matrix_text(weights[f"{name}.attention.output.weight"])};
    expand := {linear_text(weights, f"{name}.expand")};
    contract := {linear_text(weights, f"{name}.contract")}
  |}}"""


def memory_text(weights: Weights, *, off: int) -> str:
    """Return a record `memory_of`, where a bit of 0 is read as `off`."""
    return (
        f"{{| written := {linear_text(weights, 'memory.write')};\n"
        f"    recalled := {linear_text(weights, 'memory.read')};\n"
        f"    on := Qmake 1 1; off := Qmake ({off}) 1 |}}"
    )


def linear_text(weights: Weights, name: str) -> str:
    """Return a record `linear_of`."""
    return (
        f"{{| weight := {matrix_text(weights[f'{name}.weight'])};\n"
        f"     bias := {row_text(weights[f'{name}.bias'])} |}}"
    )


# ---- numbers -------------------------------------------------------------------------------------


class _Dyadics:
    """Numbers as integers divided by the smallest power of two that serves them all."""

    def __init__(self, values: Any) -> None:
        exact = [
            value if isinstance(value, Fraction) else Fraction(float(value))
            for value in np.ravel(np.asarray(values, dtype=object))
        ]
        self.places = max((value.denominator.bit_length() - 1 for value in exact), default=0)
        self.numerators = [int(value * 2**self.places) for value in exact]
        self.bits = max((abs(number).bit_length() for number in self.numerators), default=0)
        self.width = self.bits // BITS + 1

    def text(self, numerators: Sequence[int]) -> str:
        """Return numbers as `fractions` of Rocq reads them."""
        half = 2 ** (BITS * self.width - 1)
        return f'"{text_of((number + half for number in numerators), self.width)}"'


def row_text(values: Any) -> str:
    """Return a list of fractions."""
    exact = _Dyadics(values)
    return f"fractions {exact.places} {exact.width} {exact.text(exact.numerators)}"


def matrix_text(values: Any) -> str:
    """Return a list of lists of fractions."""
    exact = _Dyadics(values)
    count = len(values)
    size = len(exact.numerators) // count
    rows = [exact.numerators[row * size : (row + 1) * size] for row in range(count)]
    texts = ";\n     ".join(map(exact.text, rows))
    return f"rows_of {exact.places} {exact.width} [{texts}]"
