"""HOA, the format of tools for temporal logic, read over finite words."""

from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format, require_two_classes

_MOST_SYMBOLS = 500
"""Symbols from which on their labels, each of which names all, are too long."""


class Hoa(Format):
    """Writes a deterministic automaton in which a word is accepted if it ends in a marked state.

    Each symbol is an atomic proposition, and exactly one holds at a time. Acceptance is Büchi's, as
    Spot writes automata over finite words.
    """

    summary = "HOA: Spot, ltl3ba, Rabinizer; over finite words"

    def content(self, exported: Exported) -> str:
        """Return the automaton."""
        machine = require_two_classes(exported, "an automaton in HOA").minimise()
        number = machine.num_symbols
        if number > _MOST_SYMBOLS:
            raise ConfigError(
                f"an automaton in HOA names every symbol in every label, so it has at most "
                f"{_MOST_SYMBOLS} symbols, but this one has {number:,}. Save it as .att."
            )
        lines = [
            "HOA: v1",
            *(f"/* {_comment(note)} */" for note in exported.notes),
            "/* Finite words: accepted if the last state is in set 0. One symbol at a time. */",
            f"States: {machine.num_states}",
            "Start: 0",
            f"AP: {number} {' '.join(map(_string, machine.alphabet))}",
            "acc-name: Buchi",
            "Acceptance: 1 Inf(0)",
            "properties: explicit-labels state-acc deterministic",
            *(
                f"Alias: @s{a} " + "&".join(f"{'' if a == b else '!'}{b}" for b in range(number))
                for a in range(number)
            ),
            "--BODY--",
        ]
        for state, row in enumerate(machine.transitions):
            lines.append(f"State: {state}{' {0}' if machine.classes[state] == 1 else ''}")
            for target in dict.fromkeys(row):
                labels = (f"@s{a}" for a, t in enumerate(row) if t == target)
                lines.append(f"[{' | '.join(labels)}] {target}")
        return "\n".join([*lines, "--END--", ""])


def _comment(note: str) -> str:
    return printable(note).replace("*/", "* /").replace("/*", "/ *")


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
