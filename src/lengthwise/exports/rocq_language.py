"""Rocq: an automaton as data, which a header of C is proved to compute."""

from pathlib import Path

from lengthwise.exports.format import Exported, Format
from lengthwise.proofs.export.rocq import language_file, require_rocq_name


class Rocq(Format):
    """Writes the language as a certificate's file has it; `proofs/check.py` takes it."""

    summary = "Rocq, the automaton that a header is proved to compute"

    def content(self, exported: Exported) -> str:
        """Return the file.

        Raises:
            ConfigError: Rocq does not take the file's name.
        """
        require_rocq_name(Path(f"{exported.name}.v"))
        return language_file(exported.language, exported.notes)
