"""Boolean circuits: gates, gate sequences, file formats, adders and multipliers; no tensors."""
