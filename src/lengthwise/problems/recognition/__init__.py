"""Recognition: the class of a word of a formal language."""
