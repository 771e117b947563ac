"""The board: for each language the smallest networks that are proved."""
