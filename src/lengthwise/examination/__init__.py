"""Examination of any network: where it breaks, what it computes, and what can be proved."""
