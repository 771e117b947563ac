"""Tables and figures of the papers: what is run and what was printed."""
