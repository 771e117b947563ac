"""Languages to tensors: drawing words, protocols, supervision."""
