"""The zoo: models that come with the package, with their proofs. `zoo_paths.py` finds them."""
