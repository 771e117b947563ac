"""Export of a checked certificate as a theorem of Rocq about its table, without torch.

The file has the language, the table that the checker computed from the weights, and the pairs of
the induction, as data; its theorem is closed by computing `check_tree` or `check_recurrence` of the
library `proofs/theories`, which is proved once and for all. The theorem speaks of the table alone:
that the weights give the table stays the business of `lengthwise.proofs.check.induction`.

Numbers are written in base 64, so a file has no text of the certificate but in comments, where all
but plain characters are escaped.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np

from lengthwise.errors import CertificateError, ConfigError
from lengthwise.files import write_bytes
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import ABSENT, Booleans, Integers
from lengthwise.proofs.check.certificate import Certificate, StatePair
from lengthwise.proofs.check.elements import Chunk, Discrete, Tables
from lengthwise.proofs.check.induction import Induction
from lengthwise.proofs.check.prefixes import PrefixInduction
from lengthwise.proofs.check.statement import automaton_digest, find_compared_name, size_of_domain
from lengthwise.proofs.export.rocq_text import Rows, flat_text, rows_text
from lengthwise.proofs.export.rocq_weights import (
    reason_without_floats,
    reason_without_weights,
    weights_part,
)

LONGEST_WORD = 2**14
"""Largest number of symbols of a wrong word that is exported."""

_IMPORTS = """From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
"""
_SCOPES = """Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.
"""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.v")
_PLAIN = re.compile(r"[0-9A-Za-z=+_.:-]")


def require_rocq_name(path: Path) -> None:
    """Refuse a name that Rocq does not take for a file.

    Raises:
        ConfigError: it is not a letter, then letters, digits and `_`, and `.v`.
    """
    if not _NAME.fullmatch(path.name):
        stem = re.sub(r"[^A-Za-z0-9_]", "_", path.name.removesuffix(".v")).lstrip("_0123456789")
        raise ConfigError(
            f"{path.name!a} is not a name of a Rocq file: it has letters, digits and _, begins "
            f"with a letter, and ends with .v. Use {stem or 'machine'}.v."
        )


def save_rocq(
    path: Path, verified: Certificate, induction: Induction | PrefixInduction | None
) -> None:
    """Write the file of `rocq_file`.

    Raises:
        ConfigError: Rocq does not take the name.
        CertificateError: there is no table to export.
    """
    require_rocq_name(path)
    write_bytes(path, rocq_file(verified, induction).encode())


def rocq_file(verified: Certificate, induction: Induction | PrefixInduction | None) -> str:
    """Return the content of a Rocq file, from what `checked` returns.

    Raises:
        CertificateError: the certificate has no table, or its wrong word is too long.
    """
    if induction is None:
        raise CertificateError(
            "a structural certificate has no table of codes: it proves its claim for all pairs of "
            "states at once. Train regular-gpt-binary or gru-binary, whose codes are listed."
        )
    wrong = verified.counterexample
    symbols = None if wrong is None else verified.language.encode(wrong.word)
    if symbols is not None and len(symbols) > LONGEST_WORD:
        raise CertificateError(
            f"the wrong word has {len(symbols):,} symbols, but words of at most {LONGEST_WORD:,} "
            f"are exported. Certify another model or language."
        )
    is_tree = isinstance(induction, Induction)
    without = reason_without_weights(verified)
    parts = [
        _header(verified, is_tree, without),
        _language(verified.language),
        _machine(verified),
        _tree(induction) if isinstance(induction, Induction) else _recurrence(induction),
    ]
    function = "tree_class network" if is_tree else "recurrence_class network"
    if symbols is not None:
        parts.append(_wrong_word(symbols, function))
        if isinstance(induction, Induction) and len(induction.claim.levels) > 2:
            parts.append(_evidence(induction, len(induction.claim.levels) - 1) + _UP_TO)
    elif isinstance(induction, Induction):
        parts.append(
            _evidence(induction, len(induction.claim.levels) - 1) + _theorem(function, True)
        )
    else:
        parts.append(_prefixes(induction) + _theorem(function, False))
    if not without:
        parts.append(weights_part(verified, induction))
    return "\n".join(parts)


def language_file(language: Language, notes: Sequence[str]) -> str:
    """Return the content of a Rocq file with a language alone, about which there is no theorem."""
    lines = "\n".join(" ".join(("  ", *map(escape_string, note.split(" ")))) for note in notes)
    return f"""(* Written by lengthwise {escape_string(version("lengthwise"))}.

{lines}

   symbols: {_names(language.alphabet)}
   classes: {_names(language.class_names)} *)

{_IMPORTS}{_SCOPES}
{_language(language)}"""


# ---- statements ----------------------------------------------------------------------------------


def _header(verified: Certificate, is_tree: bool, without_weights: str) -> str:
    language, weights = verified.language, not without_weights
    floats = weights and not reason_without_floats(verified)
    digest = sha256(verified.to_bytes()).hexdigest()
    cast = " in bfloat16" if verified.precision == "bfloat16" else ""
    whose = (
        f"codes of the network as it runs{cast}"
        if verified.strength == "discrete"
        else "classes of vectors of the network"
        if verified.strength == "robust"
        else "representatives, with classes, of the network with its state snapped"
        if verified.kind in ("Recurrent", "Table")
        else "representatives of the network with its vectors snapped"
    )
    folder = " DIR, which runs the network" if verified.kind == "Table" else ""
    how = "folded in a tree" if is_tree else "followed symbol by symbol"
    rounding = (
        """The third one is about the
   network as it runs in floating point, in whatever order it adds."""
        if floats
        else """That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE."""
    )
    sentence = (
        f"""The first theorem is about a TABLE, {how}. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. {rounding}"""
        if weights
        else f"""The theorem is about a TABLE, {how}: it says nothing about weights. That the
   weights of the model give this table (its elements are the {whose})
   was computed by lengthwise, and can be computed again:
   lengthwise certify --check FILE{folder}."""
    )
    more = (
        "From Coq Require Import QArith.\n"
        "From Lengthwise Require Import Networks Fractions Weights.\n"
        if weights
        else ""
    )
    more += "From Lengthwise Require Import Floats FloatNetworks FloatWeights.\n" if floats else ""
    flocq = ", and Flocq" if floats else ""
    number = escape_string(version("lengthwise"))
    return f"""(* Written by lengthwise {number} from a checked certificate.

   {sentence}

   language: {_name(verified)}
   model: {verified.model_digest}
   verified content: {digest}

   symbols: {_names(language.alphabet)}
   classes: {_names(language.class_names)}

   It needs the library of lengthwise{flocq}: coqc -Q proofs/theories Lengthwise FILE *)

{_IMPORTS}{more}{_SCOPES}"""


def _name(verified: Certificate) -> str:
    spec, size = find_compared_name(verified), size_of_domain(verified.language)
    name = escape_string(spec) if spec else f"the automaton {automaton_digest(verified.language)}"
    return name if size is None else f"{name}\n   domain: only {size}"


def _names(names: Sequence[str]) -> str:
    parts_shown = [f"{number} is {escape_string(name)}" for number, name in enumerate(names[:100])]
    return ", ".join([*parts_shown, *(["and so on"] if len(names) > len(parts_shown) else [])])


def escape_string(text: str) -> str:
    """Return a string that can neither end a comment of Rocq nor begin a string in it.

    Letters, digits and = + _ . : - stand for themselves, any other character as <its number in
    hexadecimal>; a string of more than 200 characters is cut.
    """
    plain = "".join(c if _PLAIN.fullmatch(c) else f"<{ord(c):X}>" for c in text[:200])
    return plain + ("..." if len(text) > len(text[:200]) else "")


def _theorem(function: str, is_tree: bool) -> str:
    rule = "tree_right with evidence" if is_tree else "recurrence_is_right with evidence"
    check = "check_tree" if is_tree else "check_recurrence"
    return f"""
Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  {function} w = Some (class_of (answers language) w).
Proof.
  apply {rule}.
  vm_cast_no_check (@eq_refl bool true : {check} network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
"""


_UP_TO = """
Theorem right_up_to : forall w : word,
  is_word language w -> in_domain language w ->
  (length w <= chunk network ^ pred (length (levels evidence)))%nat ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd Hlength.
  refine (tree_right_up_to network language evidence _ w Hw Hd Hlength _).
  - vm_cast_no_check (@eq_refl bool true : check_tree_up_to network language evidence = true).
  - apply Nat.leb_le. vm_compute. reflexivity.
Qed.

Print Assumptions right_up_to.
"""


def _wrong_word(symbols: Sequence[int], function: str) -> str:
    return f"""Definition counterexample : word :=
  {flat_text(symbols)}.

Theorem wrong_word : wrong ({function}) language counterexample.
Proof.
  apply word_is_wrong.
  vm_cast_no_check
    (@eq_refl bool true : check_wrong ({function}) language counterexample = true).
Qed.

Print Assumptions wrong_word.
"""


# ---- the language --------------------------------------------------------------------------------


def _language(language: Language) -> str:
    domain = language.domain
    inside = (
        _automaton(0, [[0] * language.num_symbols], [1])
        if domain is None
        else _automaton(domain.start, domain.transitions, domain.classes)
    )
    answers = _automaton(language.start, language.transitions, language.classes)
    return f"""Definition language : language := {{|
  num_symbols := {language.num_symbols};
  answers := {answers};
  domain := {inside}
|}}.
"""


def _automaton(start: int, transitions: Rows, classes: Sequence[int]) -> str:
    return f"automaton_of {start}\n    {rows_text(transitions)}\n    ({flat_text(classes)})"


def _machine(verified: Certificate) -> str:
    """Return the machine, and the triples of states that the words of the language lead to."""
    machine, language = verified.machine, verified.language
    domain = language.domain
    first = (language.start, 0 if domain is None else domain.start, machine.start)
    queue, seen = [first], {first}
    for own_state, position, state in queue:
        for symbol in range(language.num_symbols):
            after = (
                language.transitions[own_state][symbol],
                0 if domain is None else domain.transitions[position][symbol],
                machine.transitions[state][symbol],
            )
            if after not in seen:
                seen.add(after)
                queue.append(after)
    automaton = _automaton(machine.start, machine.transitions, machine.classes)
    return f"""(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  {automaton}.

Definition the_matched :=
  triples ({flat_text([state for triple in sorted(seen) for state in triple])}).
"""


# ---- trees ---------------------------------------------------------------------------------------


def _tree(induction: Induction) -> str:
    network, size = induction.network, induction.chunk_size
    if isinstance(network, Discrete):
        number = 2 if network.known[1] else 1
        repeat, tables = 1, [[network.known[phase]] for phase in range(number)]
    else:
        assert isinstance(network, Tables)
        repeat = network.repeat
        tables = [[inner.table, outer.table] for inner, outer in network.levels]
    reads: list[dict[int, int]] = [{} for _ in tables]
    for (level, element), class_ in induction.read_off.items():
        reads[network.phase(level - 1)][element] = class_
    text, names = "", []
    for phase, chunks in enumerate(tables):
        for place, table in zip(("inner", "outer"), chunks, strict=False):
            text += f"Definition {place}_{phase} := from_rows {size}\n  {_table(table)}.\n\n"
        edge = f"outer_{phase}" if len(chunks) > 1 else f"inner_{phase}"
        reading = f"from_classes ({flat_text(_dense(reads[phase]))})"
        names.append(f"{{| interior := inner_{phase}; edge := {edge}; reading := {reading} |}}")
    joined = ";\n    ".join(names)
    return f"""(* What chunks become: their first elements, then the results for each last one. *)
{text}Definition network : tree := {{|
  chunk := {size};
  tables := [
    {joined}
  ];
  repeat_from := {repeat};
  empty_class := {_maybe(induction.empty_class)}
|}}.
"""


def _table(table: Mapping[Chunk, int]) -> str:
    """Return rows of the first C - 1 elements of chunks, and what they become; 0 is the pad."""
    rows: dict[Chunk, dict[int, int]] = {}
    for children, result in table.items():
        *first, last = (child - ABSENT for child in children)
        rows.setdefault(tuple(first), {})[last - 1] = result
    return rows_text([*first, *_dense(row)] for first, row in sorted(rows.items()))


def _dense(values: Mapping[int, int]) -> list[int]:
    """Return values at 0, 1, 2, ... with 1 added; 0 stands for none."""
    return [values.get(key, ABSENT) - ABSENT for key in range(max(values, default=-1) + 1)]


def _maybe(number: int | None) -> str:
    return "None" if number is None else f"Some {number}"


def _evidence(induction: Induction, count: int) -> str:
    """Return the pairs of the first levels, and where their states can end."""
    claim, network = induction.claim, induction.network
    text = f"Definition the_maps := {rows_text(claim.maps)}.\n\n"
    names = []
    for level in range(count):
        inner, outer = (
            flat_text(
                [
                    number
                    for element, does in claim.levels[level][place]
                    for number in (element + 1, does)
                ]
            )
            for place in ("interior", "edge")
        )
        good, steps = _set(induction.leads_in(level)), map(_set, induction.steps(level))
        text += f"""Definition level_{level} : level := {{|
  table_number := {network.phase(level)};
  inside := with_maps the_maps (pairs ({inner}));
  begun := pairs ({outer});
  good := {good};
  steps := vector ({flat_text(list(steps))})
|}}.

"""
        names.append(f"level_{level}")
    return (
        text
        + f"""Definition evidence : evidence := {{|
  machine := the_machine;
  num_states := {len(claim.machine.classes)};
  outside := {claim.language.num_classes};
  matched := the_matched;
  levels := [{"; ".join(names)}];
  back_to := {claim.repeats or 0}
|}}.
"""
    )


def _set(members: Booleans) -> int:
    """Return a set of states as a number with their bits."""
    return sum(1 << state for state in np.flatnonzero(members).tolist())


# ---- recurrences ---------------------------------------------------------------------------------


def _recurrence(induction: PrefixInduction) -> str:
    reached = _find_reached(induction.claim.levels)
    elements_read = reached[induction.classes[reached[:, 1]] < induction.outside, 0]
    read = dict(zip(elements_read.tolist(), induction.read(elements_read).tolist(), strict=True))
    rows: list[dict[int, int]] = [{} for _ in induction.codes]
    left = _find_reached(induction.claim.levels[:-1])  # nothing follows the last level
    for symbol in range(induction.transitions.shape[1]):
        occurring = induction.begins[induction.transitions[left[:, 1], symbol]]
        codes = left[occurring, 0]
        after = induction.step(codes, np.full(len(codes), symbol))
        for code, next_ in zip(codes.tolist(), after.tolist(), strict=True):
            rows[code][symbol] = next_
    return f"""(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {{|
  first_code := {induction.first()};
  next_code := steps_of {rows_text(map(_dense, rows))};
  code_class := classes_of ({flat_text(_dense(read))})
|}}.
"""


def _find_reached(levels: Sequence[Mapping[str, Sequence[StatePair]]]) -> Integers:
    """Return the pairs `[pair, (code, state)]` of levels."""
    pairs = [pair for level in levels for pair in level["edge"]]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _prefixes(induction: PrefixInduction) -> str:
    claim = induction.claim
    return f"""Definition evidence : prefixes := {{|
  reader := the_machine;
  num_reader_states := {len(claim.machine.classes)};
  outside_class := {claim.language.num_classes};
  matched_states := the_matched;
  reached := pairs ({flat_text(_find_reached(claim.levels).reshape(-1).tolist())});
  hopeful := vector ({flat_text(induction.begins.astype(int).tolist())})
|}}.
"""
