"""Language modelling and translation, as problems."""
