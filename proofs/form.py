"""The form of a file that `lengthwise certify --export rocq` writes, demanded before Rocq reads it.

Rocq accepts every file whose proofs are right. In one that somebody else wrote, `is_word` could be
a new definition that is never true, a variable could be assumed, and a tactic could print that
nothing is. So a certificate is this and nothing else: comments, the imports, data under the names
below, and theorems of `THEOREMS`, word for word. What remains to be read is the data.
"""

import re
from collections.abc import Iterator
from pathlib import Path

IMPORTS = (
    "From Coq Require Import List NArith Arith",
    "From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems",
)
IMPORTS_OF_WEIGHTS = (
    "From Coq Require Import QArith",
    "From Lengthwise Require Import Networks Fractions Weights",
)
IMPORTS_OF_SMOOTH = (
    "From Lengthwise Require Import Floats FloatNetworks SmoothNetworks SmoothWeights",
)
IMPORTS_OF_FLOATS = ("From Lengthwise Require Import Floats FloatNetworks FloatWeights",)
SCOPES = ("Import ListNotations", "Local Open Scope N_scope", "Local Open Scope text_scope")

DATA = re.compile(
    r"Definition (language : language|the_machine : automaton|the_matched|(?:inner|outer)_\d+"
    r"|network : (?:tree|recurrence)|the_maps|level_\d+ : level|evidence : (?:evidence|prefixes)"
    r"|counterexample : word|codes : list code"
    r"|weights : (?:tree_network|recurrent_network|normed_tree|gated_network)) :=(?P<data>.*)"
)
"""A definition: its name, its type, and data."""

_PARTS = re.compile(r'(?P<name>[A-Za-z_]\w*)|\d+|""|:=|\{\||\|\}|\+\+|[()\[\];+-]|\s+')
_WORDS = """
num_symbols answers domain automaton_of map numbers triples from_rows chunk tables interior edge
reading from_classes repeat_from empty_class Some None the_maps table_number inside with_maps
pairs begun good steps vector machine the_machine num_states outside matched the_matched levels
back_to first_code next_code steps_of code_class classes_of reader num_reader_states
outside_class matched_states reached hopeful places symbols rows_of pad fractions query_scale
Qmake share layers heads query key value offset_bias output expand weight bias contract
node_memory written recalled on off answer first_vector symbol_rows recurrent cell_memory
read_out bits base normed_layers plain gain shift attention_norm forward_norm memory_norm square
head_width cell cell_norm has_gates true false
"""
_NAMES = frozenset(_WORDS.split())
_NUMBERED = re.compile(r"(?:inner|outer|level)_\d+")


def _right(given: str, rule: str) -> tuple[str, ...]:
    return (
        "Theorem right_at_every_length : forall w : word, is_word language w -> "
        f"in_domain language w -> {given} w = Some (class_of (answers language) w)",
        "Proof",
        f"apply {rule} with evidence",
        "vm_cast_no_check (@eq_refl bool true)",
        "Qed",
        "Print Assumptions right_at_every_length",
    )


def _wrong(given: str) -> tuple[str, ...]:
    return (
        f"Theorem wrong_word : wrong ({given}) language counterexample",
        "Proof",
        "apply word_is_wrong",
        "vm_cast_no_check (@eq_refl bool true)",
        "Qed",
        "Print Assumptions wrong_word",
    )


def _network(given: str, rule: str) -> tuple[str, ...]:
    return (
        "Theorem network_right_at_every_length : forall w : word, is_word language w -> "
        f"in_domain language w -> {given} weights w = Some (class_of (answers language) w)",
        "Proof",
        "intros w Hw Hd",
        f"refine ({rule} weights codes network language _ w Hw _ (right_at_every_length w Hw Hd))",
        "vm_cast_no_check (@eq_refl bool true)",
        "Qed",
        "Print Assumptions network_right_at_every_length",
    )


def _floats(given: str, rule: str, format_: str) -> tuple[str, ...]:
    return (
        "Theorem float_network_right_at_every_length : forall w : word, is_word language w -> "
        f"in_domain language w -> forall found, {given} {format_} weights w found -> "
        "found = Some (class_of (answers language) w)",
        "Proof",
        "intros w Hw Hd",
        f"refine ({rule} {format_} weights codes network language _ w Hw _ "
        "(right_at_every_length w Hw Hd))",
        "vm_cast_no_check (@eq_refl bool true)",
        "Qed",
        "Print Assumptions float_network_right_at_every_length",
    )


_UP_TO = (
    "Theorem right_up_to : forall w : word, is_word language w -> in_domain language w -> "
    "(length w <= chunk network ^ pred (length (levels evidence)))%nat -> "
    "tree_class network w = Some (class_of (answers language) w)",
    "Proof",
    "intros w Hw Hd Hlength",
    "refine (tree_right_up_to network language evidence _ w Hw Hd Hlength _)",
    "- vm_cast_no_check (@eq_refl bool true)",
    "- apply Nat.leb_le",
    "vm_compute",
    "reflexivity",
    "Qed",
    "Print Assumptions right_up_to",
)

THEOREMS = (
    _right("tree_class network", "tree_right"),
    _right("recurrence_class network", "recurrence_is_right"),
    _wrong("tree_class network"),
    _wrong("recurrence_class network"),
    _UP_TO,
    _network("network_class", "network_as_table"),
    _network("recurrent_network_class", "recurrent_network_as_table"),
    *(
        _floats(given, rule, format_)
        for format_ in ("single", "double")
        for given, rule in (
            ("float_network_may_answer", "float_network_as_table"),
            ("float_recurrence_may_answer", "float_recurrence_as_table"),
            ("normed_tree_may_answer", "float_normed_tree_as_table"),
            ("gated_network_may_answer", "float_gated_network_as_table"),
        )
    ),
)
"""The theorems, each with its proof and the question what it rests on, by sentences."""

_COMMENT = re.compile(r'\(\*(?:(?!\(\*|\*\))[^"])*\*\)')
_FILE = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.v")


class FormError(Exception):
    """A file that is not as `certify --export rocq` writes it."""


def require_form(path: Path) -> list[str]:
    """Refuse a file that is not as `certify --export rocq` writes it; return its theorems' names.

    Raises:
        FormError: something else stands in it.
        OSError: it cannot be read.
    """
    try:
        _require(bool(_FILE.fullmatch(path.name)), "its name is not of letters, digits, _ and .v")
        return theorems_of(path.read_bytes().decode("ascii"))
    except UnicodeDecodeError as error:
        strange = f"byte {error.start} is not ASCII"
    except FormError as error:
        strange = str(error)
    raise FormError(
        f"{str(path)!a} is not as certify --export rocq writes it: {strange}. Export it again."
    )


def theorems_of(text: str) -> list[str]:
    """Return the names of the theorems of a file; a language alone has none.

    Raises:
        FormError: something stands in it that an export does not have.
    """
    left, names = list(sentences(text)), list[str]()
    head = next((head for head in _HEADS if tuple(left[: len(head)]) == head), ())
    _require(bool(head), "it does not begin with the imports")
    place = len(head)
    while place < len(left):
        here = left[place]
        theorem = next((t for t in THEOREMS if tuple(left[place : place + len(t)]) == t), None)
        if theorem is not None:
            names.append(here.split()[1])
        else:
            _require(is_data(here), f"{here[:80]!a} is neither data nor a theorem of the library")
        place += len(theorem or [here])
    language_alone = len(left) - len(head) == 1 and left[-1].startswith("Definition language :")
    _require(bool(names) or language_alone, "it has no theorem")
    return names


def _require(holds: bool, strange: str) -> None:
    if not holds:
        raise FormError(strange)


_HEADS = (
    (*IMPORTS, *IMPORTS_OF_WEIGHTS, *IMPORTS_OF_FLOATS, *SCOPES),
    (*IMPORTS, *IMPORTS_OF_WEIGHTS, *IMPORTS_OF_SMOOTH, *SCOPES),
    (*IMPORTS, *IMPORTS_OF_WEIGHTS, *SCOPES),
    (*IMPORTS, *SCOPES),
)


def sentences(text: str) -> Iterator[str]:
    """Yield sentences without comments, all numbers in quotes as "", and single spaces."""
    plain = re.sub(r'"[0-o]*"', '""', _COMMENT.sub(" ", text))
    parts = re.split(r"\.(?=\s|$)", plain)
    for part in parts[:-1]:
        yield " ".join(part.split())
    if parts[-1].strip():
        yield " ".join(parts[-1].split())


def is_data(sentence: str) -> bool:
    """Return whether a sentence defines data under a name of its own."""
    found, place = DATA.fullmatch(sentence), 0
    if found is None:
        return False
    data = found["data"]
    while place < len(data):
        part = _PARTS.match(data, place)
        if part is None:
            return False
        name = part["name"]
        if name is not None and name not in _NAMES and not _NUMBERED.fullmatch(name):
            return False
        place = part.end()
    return True
