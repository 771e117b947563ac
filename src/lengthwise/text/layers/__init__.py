"""Mechanisms that only models of texts have."""
