"""Inferred languages: from labelled words to an automaton, and a network proved to compute it."""
