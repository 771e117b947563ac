"""A package, so that a module `models` of a library does not take its name."""
