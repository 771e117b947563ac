"""Regular languages as immutable automata: integers only, no tensors."""
