"""Formats of files of labelled words: a reader each, under one contract."""
