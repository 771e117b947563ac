"""The checker of proofs, which has to be trusted: it imports neither torch nor the search."""
