"""Layers that mix the positions of a sequence: a recurrence, and the same computed in parallel."""
