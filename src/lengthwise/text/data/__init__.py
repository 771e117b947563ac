"""Text and parallel text, from documents to tokens on disk."""
