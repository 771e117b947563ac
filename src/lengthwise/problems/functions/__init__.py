"""Functions on words: a network that classifies prefixes writes the output at every position."""
