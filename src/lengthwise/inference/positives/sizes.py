"""How large a language is: the share of the words of each length that are in it.

With M the matrix of the numbers of symbols between states that can still accept, the number of
words of length n in it is start M^n accepting. Shares of long words underflow, so logarithms are
kept, and the vector is scaled at each step.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.language import Language

Shares = NDArray[np.float64]


def log_shares(language: Language, longest: int) -> Shares:
    """Return the logarithm, to base 2, of the share of the words of each length 0..`longest` whose
    class is 1; minus infinity if there are none.

    >>> even = Language(alphabet=("a", "b"), transitions=((1, 1), (0, 0)), classes=(1, 0))
    >>> log_shares(even, 2).tolist()
    [0.0, -inf, 0.0]
    """
    states, symbols = language.num_states, language.num_symbols
    moves = np.zeros((states, states))
    for state, row in enumerate(language.transitions):
        np.add.at(moves[state], list(row), 1 / symbols)
    accepts = np.array(language.classes) == 1
    alive = np.isin(np.arange(states), sorted(language.reaching(lambda c: c == 1)))
    moves[:, ~alive] = 0
    at = np.zeros(states)
    at[language.start] = float(alive[language.start])
    shares, scale = np.full(longest + 1, -math.inf), 0.0
    for length in range(longest + 1):
        if (share := float(at @ accepts)) > 0:
            shares[length] = scale + math.log2(share)
        at = at @ moves
        if (total := float(at.sum())) <= 0:
            break
        at, scale = at / total, scale + math.log2(total)
    return shares
