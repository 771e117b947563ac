"""The command `lengthwise`, also as `python -m lengthwise`: can be stopped before it is loaded."""

import sys

from lengthwise.cli.stopping import let_signals_stop_at_once


def main() -> int:
    """Run one command and return its exit status."""
    let_signals_stop_at_once()
    from lengthwise.cli.main import main as run  # noqa: PLC0415  it takes a while

    return run()


if __name__ == "__main__":
    sys.exit(main())
