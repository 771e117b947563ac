"""The zoo: models that come with the package, with their proofs. `shipped.py` finds them."""
