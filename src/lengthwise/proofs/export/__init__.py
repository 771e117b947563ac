"""Checked certificates as theorems of a proof assistant."""
