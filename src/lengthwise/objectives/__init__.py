"""What a network on words of a language learns from: one class for each objective."""
