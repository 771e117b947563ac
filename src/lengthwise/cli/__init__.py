"""Commands: one file each, no logic."""
