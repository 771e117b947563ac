"""One mechanism per file."""
