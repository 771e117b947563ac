"""Limits of extraction and learning, unless the caller sets others."""

MAX_ELEMENTS = 100
"""Largest number of elements of the interior or the edge of one level."""

MAX_STATES = 500
"""Largest number of states of a learned automaton, unless the caller sets another."""
