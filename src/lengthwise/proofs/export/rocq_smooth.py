"""The part of a Rocq file about networks with norms, softmax, tanh or gates in floating point.

These functions are not rational, so there is no theorem in exact arithmetic. The kernel computes
bounds on all that a machine may compute with these weights (`proofs/theories/SmoothWeights.v`).
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.elements import Discrete
from lengthwise.proofs.check.induction import Induction
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.export.rocq_weights import (
    Weights,
    codes_text,
    floats_part,
    layer_text,
    linear_text,
    matrix_text,
    memory_text,
    reason_of_size,
    row_text,
    type_of,
)


def reason_without_smooth(verified: Certificate) -> str:
    """Return why a network has no theorem of this kind; nothing if it has one."""
    settings = verified.settings
    if verified.verdict != "equivalent":
        return "a wrong word is one of the table"
    if verified.kind == "BinaryRecurrent" and settings["cell"] != "relu":
        reason = ""
    elif verified.kind == "RegularGPT" and verified.strength == "discrete":
        reason = _reason_of_tree(settings)
    else:
        reason = (
            "it is about regular-gpt-binary, gru-binary and elman-binary; files of "
            "regular-gpt-rational and relu-binary have one with --export rocq"
        )
    if reason:
        return reason
    if verified.precision != "weights":
        return f"its numbers are rounded to {verified.precision}, and the theorem is about one type"
    return reason_of_size(verified, type_of(verified))


def _reason_of_tree(settings: Mapping[str, Any]) -> str:
    for name, proved in (("norm", "post"), ("activation", "relu"), ("pad", "learned")):
        if settings[name] != proved:
            return f"{name} is {settings[name]}, and the theorem is about {proved}"
    if settings["embedding_scale"] not in (None, 1):
        return f"the scale of embeddings is {settings['embedding_scale']}, neither 1 nor the root"
    return ""


PRODUCTS_A_MINUTE = 1_000_000
"""Products that the kernel bounds in a minute, roughly."""


def estimate_minutes(verified: Certificate, induction: Induction | PrefixInduction) -> float:
    """Return roughly how long the kernel takes for the theorem."""
    return 0.25 + num_products(verified, induction) / PRODUCTS_A_MINUTE


def num_products(verified: Certificate, induction: Induction | PrefixInduction) -> int:
    """Return how many products the kernel bounds: entries of the table, times weights."""
    entries = len(verified.elements["codes"]) * verified.settings["vocab_size"]
    if isinstance(induction, Induction):
        assert isinstance(induction.network, Discrete)
        entries = sum(len(table) for table in induction.network.known)
    return entries * sum(weight.size for weight in verified.weights.values() if weight.ndim == 2)


def smooth_part(verified: Certificate, induction: Induction | PrefixInduction) -> str:
    """Return the definitions of the network and its codes, and the theorem about it."""
    is_tree = isinstance(induction, Induction)
    names = _TREE if is_tree else _RECURRENCE
    return f"""
(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : {names["type"]} := {smooth_text(verified.settings, verified.weights)}.

{codes_text(verified)}{floats_part(type_of(verified), names)}"""


def smooth_text(settings: Mapping[str, Any], weights: Weights) -> str:
    """Return a network as a record of `proofs/theories/SmoothNetworks.v`."""
    return _gated(settings, weights) if "cell" in settings else _tree(settings, weights)


_TREE = {
    "type": "normed_tree",
    "float class": "normed_tree_may_answer",
    "float theorem": "float_normed_tree_as_table",
}
_RECURRENCE = {
    "type": "gated_network",
    "float class": "gated_network_may_answer",
    "float theorem": "float_gated_network_as_table",
}


def _tree(settings: Mapping[str, Any], weights: Weights) -> str:
    width, chunk = settings["d_model"], settings["chunk_size"]
    square = width if settings["embedding_scale"] is None else 1
    layers = ";\n    ".join(
        f"""{{| plain := {layer_text(settings, weights, name)};
    attention_norm := {_norm(weights, f"{name}.attention_norm.norm")};
    forward_norm := {_norm(weights, f"{name}.feed_forward_norm.norm")} |}}"""
        for name in (f"layers.{index}" for index in range(settings["num_layers"]))
    )
    return f"""{{|
  base := {{|
    places := {chunk};
    symbols := {matrix_text(weights["embedding.weight"])};
    pad := {row_text(weights["pad"])};
    query_scale := Qmake 1 1;
    share := Qmake 1 1;
    layers := [];
    node_memory := {memory_text(weights, off=-1)};
    answer := {linear_text(weights, "answer")}
  |}};
  normed_layers := [{layers}];
  memory_norm := {_norm(weights, "memory.norm")};
  square := {square};
  head_width := {width // settings["num_heads"]}
|}}"""


def _gated(settings: Mapping[str, Any], weights: Weights) -> str:
    return f"""{{|
  cell := {{|
    first_vector := {row_text(weights["start"])};
    symbol_rows := {matrix_text(weights["cell.symbols.weight"])};
    recurrent := {linear_text(weights, "cell.recurrent")};
    cell_memory := {memory_text(weights, off=0)};
    read_out := {linear_text(weights, "answer")}
  |}};
  cell_norm := {_norm(weights, "memory.norm")};
  has_gates := {str(settings["cell"] == "gru").lower()}
|}}"""


def _norm(weights: Weights, name: str) -> str:
    gain, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return f"{{| gain := {row_text(gain)}; shift := {row_text(shift)} |}}"
