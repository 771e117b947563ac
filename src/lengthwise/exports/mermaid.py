"""Mermaid, the diagrams in Markdown of GitHub and GitLab."""

from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format
from lengthwise.languages.characters import list_symbols


class Mermaid(Format):
    """Writes a flowchart; states of class 1 of two-class languages are double circles, and those
    outside the domain dashed.
    """

    summary = "Mermaid, a diagram in Markdown"

    def content(self, exported: Exported) -> str:
        """Return the flowchart."""
        machine, language = exported.machine, exported.language
        lines = [f"%% {printable(note)}" for note in exported.notes]
        lines += ["flowchart LR", "    start[ ] --> s0", "    style start fill:none,stroke:none"]
        for state, c in enumerate(machine.classes):
            is_accepting = language.class_names == ("0", "1") and c == 1
            left, right = ("(((", ")))") if is_accepting else ("((", "))")
            lines.append(f"    s{state}{left}{_string(machine.class_names[c])}{right}")
            if c >= language.num_classes:
                lines.append(f"    style s{state} stroke-dasharray:4 3")
        for state, row in enumerate(machine.transitions):
            for target in dict.fromkeys(row):
                symbols = [a for a, t in zip(machine.alphabet, row, strict=True) if t == target]
                label = list_symbols(symbols, most=len(symbols), joint=", ")
                lines.append(f"    s{state} -->|{_string(label)}| s{target}")
        return "\n".join([*lines, ""])


def _string(text: str) -> str:
    """Return a quoted string in which signs are written by their numbers, so that none is markup"""
    plain = (c if c.isalnum() or c in " ," else f"#{ord(c)};" for c in printable(text))
    return f'"{"".join(plain)}"'
