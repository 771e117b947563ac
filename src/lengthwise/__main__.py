"""`python -m lengthwise COMMAND ...`, for where the command `lengthwise` is not on the path."""

import sys

from lengthwise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
