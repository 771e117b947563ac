"""Exact weights: each module's docstring is the proof of what it builds."""
