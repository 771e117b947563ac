"""Read labelled words from disk."""
