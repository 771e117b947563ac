"""Functions from pairs of words: the inferred function, and a network proved to compute it."""
