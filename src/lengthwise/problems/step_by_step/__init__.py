"""Step by step computation: the outputs of a circuit or automaton, written after its inputs."""
