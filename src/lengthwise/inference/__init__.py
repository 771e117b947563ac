"""Grammatical inference: the automaton that labelled words show, and how far they show it."""
