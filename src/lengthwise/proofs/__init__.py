"""Proofs that a trained model is right at every length: a checker, a search, and an export."""
