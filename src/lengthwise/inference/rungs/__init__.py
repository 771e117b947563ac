"""Searchers for classes of languages: rules by few literals, on tiers, and modular counts."""
