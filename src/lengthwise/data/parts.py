"""Names of the parts of data that comes from files."""

TRAIN, VALID, TEST = "train", "valid", "test"
