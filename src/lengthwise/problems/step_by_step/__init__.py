"""Step by step: the outputs of a circuit or automaton, written after its inputs."""
