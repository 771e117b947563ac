"""Drawings of automata: their layout, in pure Python, and SVG elements."""
