"""Labelled words: classification of the words of a file, without a formal language."""
