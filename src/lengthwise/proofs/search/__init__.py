"""The search for proofs: exploration of a model, and the evidence that the checker takes."""
