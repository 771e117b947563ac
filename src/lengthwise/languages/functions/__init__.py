"""Functions on words with an output symbol for each input symbol: values, makers and lines."""
