"""Libraries that are installed with `lengthwise[text]`, or another extra."""

from importlib.util import find_spec

from lengthwise.errors import MissingLibraryError


def require_extra(name: str, extra: str = "text") -> None:
    """Refuse to continue without a library, and silence it while it loads.

    Raises:
        MissingLibraryError: it is not installed.
    """
    if find_spec(name) is None:
        raise MissingLibraryError(
            f"this needs the library {name}, which is not installed. Use pip install "
            f"'lengthwise[{extra}]'."
        )
    if name == "transformers":
        from transformers.utils import logging  # noqa: PLC0415

        logging.disable_progress_bar()
