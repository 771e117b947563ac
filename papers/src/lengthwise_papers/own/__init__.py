"""Experiments that no paper prints: what the package itself says in its documents."""
