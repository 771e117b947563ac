"""The check of words that are to be completed symbol by symbol."""

from torch import Tensor

from lengthwise.errors import WordError


def require_completion(prefix: Tensor, steps: int) -> None:
    """Refuse to complete nothing, or by less than nothing.

    Raises:
        WordError: the prefix is empty, or `steps` is negative.
    """
    if prefix.shape[1] == 0:
        raise WordError("a decoder continues from at least one symbol, but the prefix is empty.")
    if steps < 0:
        raise WordError(f"a completion adds symbols, but steps={steps}. Use 0 or more.")
