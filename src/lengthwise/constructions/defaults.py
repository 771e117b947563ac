"""Names and numbers of constructions that help shows, which loads no torch."""

PRECISIONS = ("float64", "float32", "bfloat16", "float16")
"""Floating-point formats in which claims are made and verified."""

ALL_WORDS = 1 << 14
"""Largest number of words of a length, or inputs, that are all tested, unless the caller sets
another.
"""

MOST = {"longest": 10**7, "all_words": 2**24, "words_per_length": 10**6}
"""The greatest numbers that `verify` takes: more would take days."""

DEFAULT = "tree"
"""The rung of settings that name none."""

AUTO = "auto"
"""The name that stands for the shallowest rung."""

COMPARED_AT = 1_000
"""Length of the words for which depths are compared."""
