"""Export of a checked certificate as a theorem of Rocq about its table, without torch.

The file has the language, the table that the checker computed from the weights, and the pairs of
the induction, as data; its theorem is closed by computing `check_tree` or `check_recurrence` of the
library `proofs/theories`, which is proved once and for all. That theorem speaks of the table alone;
`rocq_weights` and `rocq_smooth` write those about weights.

Numbers are written in base 64, so a file has no text of the certificate but in comments, where all
but plain characters are escaped.
"""

import re
from collections.abc import Mapping, Sequence
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
from lengthwise.proofs.export.rocq_header import (
    IMPORTS,
    SCOPES,
    escape_string,
    header,
    names_text,
)
from lengthwise.proofs.export.rocq_smooth import smooth_part
from lengthwise.proofs.export.rocq_text import Rows, flat_text, rows_text
from lengthwise.proofs.export.rocq_weights import (
    reason_without_floats,
    reason_without_weights,
    weights_part,
)

LONGEST_WORD = 2**14
"""Largest number of symbols of a wrong word that is exported."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.v")


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
    path: Path,
    verified: Certificate,
    induction: Induction | PrefixInduction | None,
    *,
    smooth: bool = False,
) -> None:
    """Write the file of `rocq_file`.

    Raises:
        ConfigError: Rocq does not take the name.
        CertificateError: there is no table to export.
    """
    require_rocq_name(path)
    write_bytes(path, rocq_file(verified, induction, smooth=smooth).encode())


def rocq_file(
    verified: Certificate,
    induction: Induction | PrefixInduction | None,
    *,
    smooth: bool = False,
) -> str:
    """Return the content of a Rocq file, from what `checked` returns.

    A `smooth` network has norms, softmax, tanh or gates: the theorem about it as it runs takes the
    kernel minutes, and is written on request. `reason_without_smooth` says which networks have it.

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
    exact = not reason_without_weights(verified)
    floats = smooth or (exact and not reason_without_floats(verified))
    parts = [
        header(verified, is_tree=is_tree, exact=exact, floats=floats),
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
    if exact:
        parts.append(weights_part(verified, induction))
    elif smooth:
        parts.append(smooth_part(verified, induction))
    return "\n".join(parts)


def language_file(language: Language, notes: Sequence[str]) -> str:
    """Return the content of a Rocq file with a language alone, about which there is no theorem."""
    lines = "\n".join(" ".join(("  ", *map(escape_string, note.split(" ")))) for note in notes)
    return f"""(* Written by lengthwise {escape_string(version("lengthwise"))}.

{lines}

   symbols: {names_text(language.alphabet)}
   classes: {names_text(language.class_names)} *)

{IMPORTS}{SCOPES}
{_language(language)}"""


# ---- statements ----------------------------------------------------------------------------------


def _theorem(function: str, is_tree: bool) -> str:
    rule = "tree_right with evidence" if is_tree else "recurrence_is_right with evidence"
    return f"""
Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  {function} w = Some (class_of (answers language) w).
Proof.
  apply {rule}.
  vm_cast_no_check (@eq_refl bool true).
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
  - vm_cast_no_check (@eq_refl bool true).
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
  vm_cast_no_check (@eq_refl bool true).
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
