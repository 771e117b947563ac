"""Figures from records on disk."""
