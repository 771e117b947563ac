"""Recognition: classification of words of a formal language."""
