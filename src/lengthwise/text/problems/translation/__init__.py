"""Translation of sentences into another language."""
