"""Functions from pairs of words: the smallest bimachine that explains outputs, and how sure it is."""
