"""The training loop and the run folder."""
