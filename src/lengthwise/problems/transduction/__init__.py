"""Transductions: the problem of writing an output after a string, and its tests."""
