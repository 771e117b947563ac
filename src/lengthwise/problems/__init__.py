"""Problems: what can be learned, from how it is named to how it is tested and reported."""
