"""Translation: a sentence in another language."""
