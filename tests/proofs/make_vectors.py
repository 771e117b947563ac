"""Make the test vectors of the certificate format, and its JSON schema.

    python tests/proofs/make_vectors.py

writes `tests/proofs/vectors/` and `docs/certificate.schema.json`. A vector is a small
certificate that is valid, or one that is not and why; `vectors.json` lists them. `vectors_of` makes
them, and is what the tests compare the files with.
"""

import base64
import copy
import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from proofs.certificate_schema import SCHEMA, schema_text
from proofs.forger import Body, body_of, honest, model_of, sign
from proofs.recurrent import random_recurrence
from proofs.second_checker import certificate_of, of_slots, on_odd_words
from proofs.snapped import parity_states
from proofs.trained import ENDS_WITH_1, last_symbol, of_odd_length
from proofs.windowed import automaton_of, random_scratchpad

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"


@dataclass(frozen=True)
class Vector:
    """A file, whether it is valid, and why."""

    content: bytes
    why: str
    refusal: str = ""
    """A part of what the Python checker says of one that is not valid."""


def text_of(made: Certificate) -> bytes:
    """The file without what depends on the machine that makes it."""
    body = body_of(made)
    body["notes"].update(made_with={}, margins=None, moved=None)
    return sign(body)


# ---- valid ---------------------------------------------------------------------------------------


def _table_of_parity() -> Certificate:
    states = parity_states("parity")
    settings = {"vocab_size": 2, "num_classes": 2, "network": "mine.Network", "weights": "0" * 64}
    return replace(
        states,
        strength="tabulated",
        settings=settings,
        weights={},
        elements={**states.elements, "transitions": [[1, 2], [1, 2], [2, 3], [1, 2]]},
    )


def _scratchpad() -> Certificate:
    model = random_scratchpad(0)
    return certify(model, automaton_of(model))


ONE_CLASS = Language(alphabet=("0", "1"), transitions=((0, 0),), classes=(0,), class_names=("all",))


def _of_odd_words() -> Certificate:
    made = honest("discrete, rational, C=3")
    return certify(model_of(made), replace(made.language, domain=of_odd_length()))


VALID: Mapping[str, tuple[Callable[[], Certificate], str]] = {
    "tree": (lambda: honest("discrete, C=2"), "RegularGPT with one bit; words that end with 1"),
    "tree-domain": (
        lambda: honest("discrete, C=3, domain"),
        "chunks of 3, and only words of odd length",
    ),
    "tree-post": (lambda: honest("discrete, post"), "layer norms after branches, float32"),
    "tree-pre": (lambda: honest("discrete, pre, C=3"), "layer norms before branches, chunks of 3"),
    "tree-absent": (lambda: honest("discrete, no pad"), "nothing stands before a word"),
    "tree-thick": (lambda: honest("discrete, thick"), "two layers, no layer norms"),
    "tree-wrong": (lambda: honest("discrete, wrong"), "a shortest wrong word of 4 symbols"),
    "gru": (lambda: certificate_of("gru"), "a GRU with binary memory"),
    "gru-float32": (
        lambda: certificate_of("gru, float32"),
        "weights in float32, codes of two bytes",
    ),
    "gru-wrong": (lambda: certificate_of("gru, wrong"), "a shortest wrong word"),
    "gru-one-class": (
        lambda: certify(random_recurrence(1, num_classes=1), ONE_CLASS),
        "one class, so that no answer can be another",
    ),
    "elman": (lambda: certificate_of("elman"), "Elman's cell"),
    "relu": (lambda: certificate_of("relu, float32"), "Elman's cell with ReLU, and no norm"),
    "relu-domain": (lambda: certificate_of("relu, domain"), "the same for words of odd length"),
    "relu-wrong": (lambda: certificate_of("relu, wrong"), "a shortest wrong word"),
    "rational": (
        lambda: honest("discrete, rational"),
        "RegularGPT in rational arithmetic: attention with weights of ReLU, and no norms",
    ),
    "rational-thick": (lambda: honest("discrete, rational, thick"), "two layers, heads of width 2"),
    "rational-absent": (
        _of_odd_words,
        "chunks of 3, nothing stands before a word, and only words of odd length",
    ),
    "rational-wrong": (lambda: honest("discrete, rational, wrong"), "a shortest wrong word"),
    "scratchpad": (_scratchpad, "a transformer that writes states; elements are contexts"),
    "structural": (
        lambda: of_slots("parity"),
        "a slot for each state of Parity; no elements are listed",
    ),
    "structural-states": (
        lambda: of_slots("tomita-3", on_odd_words("tomita-3")),
        "only words of odd length, by a network that has fewer states than the machine",
    ),
    "structural-wrong": (
        lambda: of_slots("tomita-3", parse("tomita-4")),
        "a shortest wrong word of a network with the states of another language",
    ),
    "structural-one-class": (lambda: of_slots(ONE_CLASS), "one state, and one class"),
    "snapped": (lambda: honest("snapped, C=2"), "vectors replaced by the nearest representatives"),
    "states": (
        lambda: parity_states("parity"),
        "a recurrence whose state is replaced by the nearest representative",
    ),
    "states-wrong": (lambda: parity_states("regex:(0|1)*1"), "a shortest wrong word of it"),
    "table": (_table_of_parity, "a table, said to be that of a network with code of its own"),
    "robust": (lambda: honest("robust, C=2"), "balls that hold all vectors"),
    "bfloat16": (
        lambda: certify(last_symbol(), ENDS_WITH_1, precision="bfloat16"),
        "the network of tree cast to bfloat16, in format 3",
    ),
}

# ---- invalid -------------------------------------------------------------------------------------

Change = Callable[[Body], object]


def _array(body: Body, name: str, change: Callable[[Any], object]) -> None:
    """Change an array of weights in place."""
    _pack(body["weights"][name], _in_place(change))


def _in_place(change: Callable[[Any], object]) -> Callable[[Any], Any]:
    """A function that returns its argument changed."""

    def change_entry(array: Any) -> Any:
        change(array)
        return array

    return change_entry


def _pack(packed: Body, change: Callable[[Any], Any]) -> None:
    """Take what becomes of an array in its place."""
    array = np.frombuffer(base64.b64decode(packed["base64"]), dtype=packed["type"])
    array = change(array.reshape(packed["shape"]).copy())
    packed["shape"] = list(array.shape)
    packed["base64"] = base64.b64encode(array.tobytes()).decode()


def _table(name: str, change: Callable[[Any], Any], level: int = 0) -> Change:
    """Change an array of the edge of a level, which is handed on as it becomes."""
    return lambda body: _pack(body["elements"]["levels"][level]["edge"][name], change)


def _with_radii(body: Body) -> None:
    """Give every representative a radius of 0."""
    for level in body["elements"]["levels"]:
        for merge in level.values():
            count = merge["representatives"]["shape"][0]
            packed = base64.b64encode(bytes(8 * count)).decode()
            merge["radius"] = {"type": "float64", "shape": [count], "base64": packed}


def _every_table(change: Callable[[Any], Any]) -> Change:
    """Change the representatives of all levels."""

    def change_entry(body: Body) -> None:
        for level in body["elements"]["levels"]:
            for merge in level.values():
                _pack(merge["representatives"], change)

    return change_entry


def _read(body: Body, name: str) -> Any:
    """An array of weights."""
    found: list[Any] = []
    _array(body, name, lambda array: found.append(array.copy()))
    return found[0]


def _add(body: Body, name: str, numbers: Any) -> None:
    """Add numbers to an array of weights."""
    _array(body, name, lambda array: np.add(array, numbers, out=array, casting="unsafe"))


def _twin_states(body: Body) -> None:
    """Give the machine a second copy of its start."""
    machine = body["machine"]
    for part in ("transitions", "classes"):
        machine[part].append(machine[part][machine["start"]])
    machine["transitions"][0][0] = len(machine["classes"]) - 1


def _narrow(body: Body) -> None:
    """Store the weights in float32."""
    for packed in body["weights"].values():
        array = np.frombuffer(base64.b64decode(packed["base64"]), dtype=packed["type"])
        packed.update(
            type="float32", base64=base64.b64encode(array.astype(np.float32).tobytes()).decode()
        )


def _cancelling(body: Body) -> None:
    """Let a sign be that of 1e8 x - (1e8 - 16) x, which rounding in float32 could turn."""
    _array(body, "memory.write.weight", lambda array: array.__setitem__(0, [1e8, 1e8 - 16]))


def _near_in_bfloat16(body: Body) -> None:
    """Let a sign be that of a number that is 1/512 below 0, beside numbers of 1/2."""
    _array(body, "memory.write.weight", lambda array: np.multiply(array, 0.25, out=array))
    _array(body, "memory.write.bias", lambda array: array.fill(0.498046875))


def _without_margin(body: Body, matrix: str = "memory.write") -> None:
    """Let all numbers before a sign, or all logits of what is written, be 0."""
    for part in ("weight", "bias"):
        _array(body, f"{matrix}.{part}", lambda array: array.fill(0.0))


def _endless_logits(body: Body) -> None:
    """Let the sums of all logits overflow."""
    for part in ("answer.weight", "answer.bias"):
        _array(body, part, lambda array: array.fill(np.finfo(array.dtype).max))


def _two_types(body: Body) -> None:
    """Store all weights but one in float32."""
    start = copy.deepcopy(body["weights"]["start"])
    _narrow(body)
    body["weights"]["start"] = start


def _wider(body: Body) -> None:
    """Let a code have a bit that memory does not have."""
    code = int(body["elements"]["codes"][0], 16) | 1
    body["elements"]["codes"][0] = f"{code:02x}"


def _with_a_norm(body: Body) -> None:
    """Give memory a layer norm with weights 1 and biases 0."""
    for part, number in (("weight", 1.0), ("bias", 0.0)):
        name = f"memory.norm.{part}"
        body["weights"][name] = copy.deepcopy(body["weights"]["memory.read.bias"])
        _array(body, name, partial(np.copyto, src=number))
    body["weights"] = dict(sorted(body["weights"].items()))


def _as_softmax(body: Body) -> None:
    """Take a network in rational arithmetic for one with softmax."""
    body["settings"].pop("attention")
    _with_a_norm(body)


def _as_elman(body: Body) -> None:
    """Take a cell with ReLU for one with tanh."""
    body["settings"].update(cell="elman")
    _with_a_norm(body)


def _cancelling_vectors(body: Body) -> None:
    """Add 1e8 to vectors, and take it away before the signs."""
    _add(body, "layers.0.contract.bias", 1e8)
    _add(body, "memory.write.bias", -1e8 * _read(body, "memory.write.weight").sum(axis=1))


def _cancelling_sums(body: Body) -> None:
    """Add 1e8 to the bias of a cell, and take it away from the rows of symbols."""
    _add(body, "cell.recurrent.bias", 1e8)
    _add(body, "cell.symbols.weight", -1e8)


INVALID: Mapping[str, tuple[str, Change, str, str]] = {
    "format-1": ("tree", lambda b: b.update(format=1), "format 1 could be forged", "format 1"),
    "unknown-name": (
        "tree",
        lambda b: b.update(remark="x"),
        "a name too much",
        "an object with just",
    ),
    "not-closed": (
        "tree",
        lambda b: b.update(verdict="not-closed"),
        "it claims nothing",
        "proves nothing",
    ),
    "other-name": (
        "tree",
        lambda b: b["language"].update(spec="regex:(0|1)*0"),
        "the specification is another language's",
        "the machine gives every word its class",
    ),
    "wrong-class": (
        "tree",
        lambda b: b["machine"]["classes"].reverse(),
        "the machine has other classes than the language",
        "the machine gives every word its class",
    ),
    "other-language": (
        "tree",
        lambda b: b["language"].update(spec="", classes=b["language"]["classes"][::-1]),
        "network, evidence and machine are of another language",
        "the machine gives every word its class",
    ),
    "not-minimal": ("tree", _twin_states, "two states of the machine are alike", "are alike"),
    "empty-domain": (
        "tree-domain",
        lambda b: b["language"]["domain"].update(classes=[0, 0]),
        "the domain has no word",
        "this one is empty",
    ),
    "chunk-1": (
        "tree",
        lambda b: b["settings"].update(chunk_size=1),
        "a chunk has at least two places",
        "chunk_size=1 is too small",
    ),
    "whole-noise": (
        "tree",
        lambda b: b["settings"].update(noise=1),
        "a setting that is a float is written as one",
        "noise=1 is not written as a float",
    ),
    "infinite-weight": (
        "tree",
        lambda b: _array(b, "answer.bias", lambda array: array.fill(np.inf)),
        "a weight is no number",
        "weights are numbers",
    ),
    "weight-too-many": (
        "gru",
        lambda b: b["weights"].update(zero=b["weights"]["start"]),
        "the network has no such weight",
        "are not those of the settings",
    ),
    "two-types": (
        "gru",
        _two_types,
        "weights are of two types",
        "float32 or of float64 alone",
    ),
    "overflow": (
        "tree",
        lambda b: b["settings"].update(embedding_scale=1e39),
        "the scale of embeddings is infinite in float32",
        "every sign is certain",
    ),
    "one-class-overflow": (
        "gru-one-class",
        _endless_logits,
        "the only logit can overflow, and is then no number",
        "every answer is certain",
    ),
    "zero-sign": (
        "gru",
        _without_margin,
        "numbers before a sign are 0",
        "every sign is certain",
    ),
    "cancelling": (
        "tree",
        _cancelling,
        "weights of 1e8 cancel, and rounding decides the signs",
        "every sign is certain",
    ),
    "close-answers": (
        "tree",
        lambda b: _array(b, "answer.bias", lambda array: array.fill(1e8)),
        "logits are 1e8 and 4 apart, which rounding in float32 could turn",
        "every answer is certain",
    ),
    "other-weight": (
        "gru",
        lambda b: _array(b, "memory.write.weight", lambda array: np.negative(array, out=array)),
        "codes are those of other weights",
        "the pairs of length 0 are what follows",
    ),
    "code-missing": (
        "tree-post",
        lambda b: b["elements"]["codes"].pop(),
        "a code that occurs is not named",
        "is named",
    ),
    "code-twice": (
        "tree-post",
        lambda b: b["elements"]["codes"].append(b["elements"]["codes"][0]),
        "a code stands twice",
        "every code occurs once",
    ),
    "code-in-capitals": (
        "tree-thick",
        lambda b: b["elements"].update(codes=[c.upper() for c in b["elements"]["codes"]]),
        "codes are in lower case",
        "codes are in lower case",
    ),
    "code-too-wide": ("gru", _wider, "a code has a bit after its last one", "codes end with zeros"),
    "code-unused": (
        "gru",
        lambda b: b["elements"]["codes"].append(
            next(
                code
                for code in (f"{16 * n:02x}" for n in range(0, 16, 2))
                if code not in b["elements"]["codes"]
            )
        ),
        "a code of a recurrence occurs in no word",
        "every code that is named occurs",
    ),
    "map-missing": (
        "tree",
        lambda b: b["maps"].pop(),
        "a state map of a sub-word is not named",
        "every state map is named",
    ),
    "pair-missing": (
        "tree",
        lambda b: b["levels"][1]["interior"].pop(),
        "a pair of a level is left out",
        "the interior of level 1 is what follows",
    ),
    "pairs-out-of-order": (
        "tree",
        lambda b: b["levels"][-1]["edge"].reverse(),
        "pairs stand in increasing order",
        "is what follows",
    ),
    "level-missing": (
        "gru",
        lambda b: b["levels"].pop(),
        "something new could follow the last level",
        "nothing new follows the last level",
    ),
    "elements-order": (
        "robust",
        lambda b: b.update(elements=dict(reversed(b["elements"].items()))),
        "names stand in another order than that of the format",
        "it is not byte for byte as it was written",
    ),
    "repeats-symbols": (
        "tree",
        lambda b: b.update(repeats=0),
        "level 0 has symbols, which are composed in another way",
        "a level repeats an earlier one",
    ),
    "repeats-another": (
        "tree-post",
        lambda b: b.update(repeats=2),
        "the last level has not the pairs of the one that it repeats",
        "has the pairs of level 2",
    ),
    "counterexample-of-a-proof": (
        "tree",
        lambda b: b.update(counterexample={"word": "0", "model": "1", "language": "0"}),
        "a proof has no wrong word",
        "there is no counterexample",
    ),
    "right-word": (
        "tree-wrong",
        lambda b: b["counterexample"].update(word="0001", model="1", language="1"),
        "the word is not wrong",
        "the two differ",
    ),
    "not-the-shortest": (
        "tree-wrong",
        lambda b: (b["counterexample"].update(word="00010"), b.update(checked_length=4)),
        "it is wrong, and so is a shorter word",
        "no shorter word is wrong",
    ),
    "checked-too-far": (
        "tree-wrong",
        lambda b: b.update(checked_length=b["checked_length"] + 1),
        "not so many words were checked",
        "all shorter words were checked",
    ),
    "proof-of-a-wrong-network": (
        "tree-wrong",
        lambda b: b.update(
            verdict="equivalent", counterexample=None, checked_length=None, repeats=1
        ),
        "a wrong word is known, and it is said to be a proof",
        "all words have their class",
    ),
    "rational-softmax": (
        "rational",
        lambda b: b["settings"].update(attention="softmax"),
        "weights of attention are those of ReLU in such a network",
        "softmax",
    ),
    "rational-pre": (
        "rational",
        lambda b: b["settings"].update(norm="pre"),
        "such a network has no norm",
        "pre",
    ),
    "rational-normed": (
        "rational",
        _with_a_norm,
        "memory has no norm",
        "are not those of the settings",
    ),
    "rational-as-softmax": (
        "rational",
        _as_softmax,
        "weights of attention are those of softmax without the setting, and codes are others",
        "is what follows",
    ),
    "rational-cut-off": (
        "rational",
        lambda b: _array(b, "layers.0.attention.bias", lambda array: array.fill(-1e3)),
        "all weights of attention are 0, and a word has another class",
        "no word is wrong that ends at level 0",
    ),
    "rational-cancelling": (
        "rational",
        _cancelling_vectors,
        "vectors of 1e8 cancel before a sign, and rounding decides it",
        "every sign is certain",
    ),
    "rational-overflow": (
        "rational-absent",
        lambda b: _array(b, "pad", lambda array: array.fill(np.finfo(array.dtype).max)),
        "the value of an absent pad is infinite, and 0 times infinity is no number",
        "every sign is certain",
    ),
    "relu-normed": ("relu", _with_a_norm, "memory has no norm", "are not those of the settings"),
    "relu-as-elman": (
        "relu",
        _as_elman,
        "codes are not those of a cell with tanh",
        "are what follows",
    ),
    "relu-zero-sign": ("relu", _without_margin, "numbers before a sign are 0", "every sign is"),
    "relu-cancelling": (
        "relu",
        _cancelling_sums,
        "numbers of 1e8 cancel in the cell, and rounding decides the signs",
        "every sign is certain",
    ),
    "relu-checked-too-far": (
        "relu-wrong",
        lambda b: b.update(checked_length=b["checked_length"] + 1),
        "not so many words were checked",
        "all shorter words were checked",
    ),
    "scratchpad-context-missing": (
        "scratchpad",
        lambda b: b["elements"]["contexts"].pop(),
        "a context that occurs is not named",
        "is named",
    ),
    "scratchpad-context-unused": (
        "scratchpad",
        lambda b: b["elements"]["contexts"].append([-2] * len(b["elements"]["contexts"][0])),
        "a context is named that occurs in no word, nor could",
        "every code that is named occurs",
    ),
    "scratchpad-context-too-long": (
        "scratchpad",
        lambda b: [row.append(0) for row in b["elements"]["contexts"]],
        "contexts have more tokens than a step sees",
        "contexts have the tokens that a step sees",
    ),
    "scratchpad-zero-logits": (
        "scratchpad",
        partial(_without_margin, matrix="write"),
        "all states have the same logit",
        "every sign is certain",
    ),
    "scratchpad-other-weight": (
        "scratchpad",
        lambda b: _array(b, "answer.weight", lambda array: np.negative(array, out=array)),
        "answers are those of other weights",
        "is wrong",
    ),
    "scratchpad-window": (
        "scratchpad",
        lambda b: b["settings"].update(window=3),
        "the setting gives each head more biases than the weights have",
        "are not those of the settings",
    ),
    "snapped-chunk-missing": (
        "snapped",
        lambda b: [_table(name, lambda a: a[:-1])(b) for name in ("children", "elements")],
        "a chunk that occurs is not in the table",
        "the tables have every chunk",
    ),
    "snapped-chunk-twice": (
        "snapped",
        lambda b: [
            _table(name, lambda a: np.concatenate([a, a[-1:]]))(b)
            for name in ("children", "elements")
        ],
        "a chunk stands twice",
        "every chunk occurs once",
    ),
    "snapped-other-element": (
        "snapped",
        _table("elements", _in_place(lambda a: np.subtract(1, a[-1:], out=a[-1:]))),
        "a chunk becomes the representative that is farther",
        "the nearest representative is taken",
    ),
    "snapped-radius": (
        "snapped",
        _with_radii,
        "balls are of another kind of certificate, also those of radius 0",
        "representatives are vectors, not balls",
    ),
    "snapped-pad-between": (
        "snapped",
        _table("children", _in_place(lambda a: np.copyto(a[-1], [0, -1]))),
        "a pad stands after a child",
        "pads come before the others",
    ),
    "snapped-pads-alone": (
        "snapped",
        _table("children", _in_place(lambda a: a[-1].fill(-1))),
        "a chunk has pads alone",
        "pads come before the others",
    ),
    "snapped-child-missing": (
        "snapped",
        _table("children", _in_place(lambda a: a[-1].fill(7))),
        "an element of the level below does not exist",
        "children exist",
    ),
    "snapped-representative": (
        "snapped",
        _every_table(lambda a: a + 0.01),
        "representatives are near the network's vectors, and none of them",
        "every representative is a vector of the network",
    ),
    "snapped-representative-too-many": (
        "snapped",
        _every_table(lambda a: np.concatenate([a, a[:1] + 100])),
        "no vector of the network is a representative that is far away",
        "every representative is a vector of the network",
    ),
    "snapped-repeat": (
        "snapped",
        lambda b: b["elements"].update(repeat=0),
        "the level that recurs is that of symbols",
        "the level that recurs is one after symbols",
    ),
    "snapped-other-weight": (
        "snapped",
        lambda b: _array(b, "answer.weight", lambda array: np.negative(array, out=array)),
        "answers are those of other weights",
        "no word is wrong that ends at level 1",
    ),
    "states-twin": (
        "states",
        lambda b: _pack(
            b["elements"]["representatives"], _in_place(lambda a: np.copyto(a[3], a[2]))
        ),
        "two representatives are as near to a state",
        "every sign is certain",
    ),
    "states-start": (
        "states",
        lambda b: _pack(b["elements"]["representatives"], lambda a: a[::-1]),
        "the first representative is not the initial state",
        "the initial state, which is zero",
    ),
    "states-of-float64": (
        "states",
        lambda b: _pack(b["elements"]["representatives"], lambda a: a * (1 + 1e-12)),
        "representatives are no numbers of float32, which the network has",
        "numbers of the weights' type",
    ),
    "states-pair": (
        "states",
        lambda b: b["elements"]["pairs"][1].reverse(),
        "a pair is of another representative than what follows",
        "the code of every prefix is named",
    ),
    "states-other-weight": (
        "states",
        lambda b: _array(b, "answer.weight", lambda array: np.negative(array, out=array)),
        "answers are those of other weights",
        "does not hold",
    ),
    "table-entry": (
        "table",
        lambda b: b["elements"]["transitions"][1].reverse(),
        "an entry leads to another pair than the levels say",
        "does not hold",
    ),
    "table-with-weights": (
        "table",
        lambda b: b["weights"].update(
            angle={"type": "float64", "shape": [1], "base64": base64.b64encode(bytes(8)).decode()}
        ),
        "a table has no weights",
        "elements are a table",
    ),
    "structural-slot": (
        "structural",
        lambda b: _array(b, "symbols", lambda array: np.negative(array[0, 0], out=array[0, 0])),
        "a slot of a symbol holds the code of another state",
        "all words have their class",
    ),
    "structural-start": (
        "structural",
        lambda b: _array(b, "start", lambda array: np.negative(array, out=array)),
        "the start code is that of another state",
        "all words have their class",
    ),
    "structural-attention": (
        "structural",
        lambda b: _array(b, "keys", lambda array: array.fill(0)),
        "other slots are looked at as much as the one of the state",
        "other slots cannot change a product",
    ),
    "structural-overflow": (
        "structural",
        lambda b: _array(b, "keys", lambda array: np.multiply(array, 1e37, out=array)),
        "logits of attention are infinite in float32",
        "other slots cannot change a product",
    ),
    "structural-one-class-overflow": (
        "structural-one-class",
        _endless_logits,
        "the only logit is infinite in float32, and so no largest one",
        "every answer is certain",
    ),
    "structural-near": (
        "structural",
        lambda b: _array(b, "pad", lambda array: np.multiply(array, 1e-39, out=array)),
        "numbers whose signs are written are so small that a processor may take them as 0",
        "written numbers are not too near to 0",
    ),
    "structural-cancelling": (
        "structural",
        lambda b: _array(b, "write.bias", lambda array: array.fill(-1 + 1e-7)),
        "a number before a sign is 1e-7, beside weights of 1",
        "other slots cannot change a product",
    ),
    "structural-answers": (
        "structural",
        lambda b: _array(b, "answer.bias", lambda array: array.fill(1e8)),
        "logits are 1e8 and 1 apart, which rounding in float32 could turn",
        "every answer is certain",
    ),
    "structural-slots": (
        "structural",
        lambda b: b["settings"].update(num_slots=3),
        "the settings have more slots than a bit can tell apart",
        "bits tell slots apart",
    ),
    "structural-chunk": (
        "structural",
        lambda b: b["settings"].update(chunk_size=33),
        "a chunk has at most 32 places",
        "chunk_size=33 is too large",
    ),
    "structural-levels": (
        "structural",
        lambda b: b.update(maps=[[0, 1]]),
        "such a certificate lists no maps",
        "has no elements, maps and levels",
    ),
    "structural-not-the-shortest": (
        "structural-wrong",
        lambda b: (b["counterexample"].update(word="1011"), b.update(checked_length=3)),
        "it is wrong, and so is a shorter word",
        "no shorter word is wrong",
    ),
    "structural-other-classes": (
        "structural-wrong",
        lambda b: b["counterexample"].update(
            model=b["counterexample"]["language"], language=b["counterexample"]["model"]
        ),
        "the classes of the wrong word are exchanged",
        "its class is true",
    ),
    "structural-proof-of-a-wrong-network": (
        "structural-wrong",
        lambda b: b.update(verdict="equivalent", counterexample=None, checked_length=None),
        "a wrong word is known, and it is said to be a proof",
        "all words have their class",
    ),
    "bfloat16-weights": (
        "bfloat16",
        lambda b: _array(b, "pad", lambda array: np.add(array, np.float32(1e-5), out=array)),
        "a weight is no number of bfloat16",
        "numbers of bfloat16",
    ),
    "bfloat16-margin": (
        "bfloat16",
        _near_in_bfloat16,
        "a sign that float32 is certain of, and bfloat16 is not",
        "every sign is certain",
    ),
    "precision-of-format-2": (
        "bfloat16",
        lambda b: b.update(format=2),
        "in format 2 the arithmetic is that of the weights' type, and is not named",
        "an object with just",
    ),
    "ball-too-small": (
        "robust",
        lambda b: [
            merge["radius"].update(
                base64=base64.b64encode(bytes(8 * merge["radius"]["shape"][0])).decode()
            )
            for level in b["elements"]["levels"]
            for merge in level.values()
        ],
        "images leave balls of radius 0",
        "balls hold their images",
    ),
}
"""By name: a valid vector, what is changed, why the result is invalid, and the refusal."""

DAMAGED: Mapping[str, tuple[Callable[[bytes], bytes], str, str]] = {
    "changed-byte": (
        lambda content: content.replace(b'"reason":""', b'"reason":"x"'),
        "the digest is not that of the content",
        "it is not byte for byte as it was written",
    ),
    "space": (
        lambda content: content.replace(b'"format":2,', b'"format": 2,'),
        "a space is not canonical, even if the digest is right",
        "it is not byte for byte as it was written",
    ),
    "name-twice": (
        lambda content: content.replace(b'{"format":2,', b'{"format":2,"format":2,'),
        "a name stands twice",
        "it is not byte for byte as it was written",
    ),
    "no-last-line": (
        lambda content: content.rstrip(b"\n"),
        "the last line does not end",
        "it is not byte for byte as it was written",
    ),
}
"""Changes of bytes of `tree`, which is not signed again but for the space."""


def _resign(content: bytes) -> bytes:
    """The same bytes with the digest of what stands before it."""
    body, _, _ = content.rpartition(b',"digest":')
    digest = hashlib.sha256(body + b"}\n").hexdigest()
    return body + f',"digest":"{digest}"}}\n'.encode()


def vectors_of() -> dict[str, Vector]:
    """All vectors by the names of their files."""
    valid = {name: text_of(made()) for name, (made, _) in VALID.items()}
    found = {f"valid-{name}": Vector(content, VALID[name][1]) for name, content in valid.items()}
    for name, (base, change, why, refusal) in INVALID.items():
        body = json.loads(valid[base])
        body.pop("digest")
        change(body)
        found[f"invalid-{name}"] = Vector(sign(body), why, refusal)
    for name, (damage, why, refusal) in DAMAGED.items():
        content = damage(valid["tree"])
        if name in ("space", "name-twice"):
            content = _resign(content)
        found[f"invalid-{name}"] = Vector(content, why, refusal)
    return found


# ---- the command ---------------------------------------------------------------------------------


def index_of(vectors: Mapping[str, Vector]) -> str:
    """The list of all vectors, as it stands beside them."""
    rows: list[dict[str, object]] = []
    for name, vector in vectors.items():
        valid = name.startswith("valid-")
        rows.append({"file": f"{name}.json", "valid": valid, "why": vector.why})
        rows[-1] |= {"refusal": vector.refusal} if vector.refusal else {}
    return json.dumps(rows, indent=2) + "\n"


def main() -> None:
    """Write the files."""
    vectors = vectors_of()
    VECTORS.mkdir(exist_ok=True)
    for old in VECTORS.glob("*.json"):
        old.unlink()
    for name, vector in vectors.items():
        (VECTORS / f"{name}.json").write_bytes(vector.content)
    (VECTORS / "vectors.json").write_text(index_of(vectors), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    print(f"{len(vectors)} vectors of {sum(len(v.content) for v in vectors.values()):,} bytes")


if __name__ == "__main__":
    main()
