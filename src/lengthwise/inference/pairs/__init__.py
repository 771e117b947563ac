"""Functions from pairs of words: a small one that explains the outputs, and how sure it is."""
