"""Constrained decoding: only strings of a language can be generated, and engines are judged."""
