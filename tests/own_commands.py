"""The commands of this distribution: those of the core, and those of the wing of texts."""

from lengthwise.cli.commands import COMMANDS, WINGS

TEXT = "lengthwise[text]"
OWN_COMMANDS = [*COMMANDS, *(name for name, wing in WINGS.items() if wing.package == TEXT)]
