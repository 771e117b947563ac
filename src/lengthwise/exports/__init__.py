"""Files for other programs: an automaton or a network, in the format that the ending names."""
