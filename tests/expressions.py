"""Random regular expressions, for tests against `re`."""

from random import Random


def random_expression(draw: Random, *, letters: str = "abc", depth: int = 3) -> str:
    """Draw an expression that `re` and ours read alike."""
    kind = draw.random()
    if depth == 0 or kind < 0.2:
        letter = draw.choice(letters)
        if draw.random() < 0.25:
            some = "".join(sorted(draw.sample(letters, draw.randint(1, 2))))
            return f"[{'^' * draw.randint(0, 1)}{some}]"
        return letter

    def inner() -> str:
        return random_expression(draw, letters=letters, depth=depth - 1)

    if kind < 0.5:
        return f"{inner()}{inner()}"
    if kind < 0.7:
        return f"({inner()}|{inner()})"
    return f"({inner()}){draw.choice(['*', '+', '?', '{2}', '{1,3}', '{2,}'])}"
