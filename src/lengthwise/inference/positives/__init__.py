"""Languages from words of one label: an assumed class, and its smallest language with the words."""
