"""Language modelling: prediction of the next token of a text."""
