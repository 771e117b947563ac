"""Proofs that a trained model is right at every length, from its finite algebra."""
