"""Guiding Transformers to Process in Steps (2022)."""
