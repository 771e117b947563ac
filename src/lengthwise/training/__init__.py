"""The training loop and the run folder."""

FORMAT = 2
"""Version of the layout of run folders."""
