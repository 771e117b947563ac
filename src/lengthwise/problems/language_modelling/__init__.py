"""Language modelling: the next token of a text."""
