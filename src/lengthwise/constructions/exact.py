"""Computed weights as `compile` and `load` give them: verified and explained by methods."""

from dataclasses import dataclass, fields
from typing import Any

from lengthwise.arguments import require_integer
from lengthwise.constructions.construction import Computed
from lengthwise.constructions.explain import Explanation, explain_weights
from lengthwise.constructions.verify import Verification, verify_construction
from lengthwise.errors import VerificationError
from lengthwise.messages import shorten
from lengthwise.training.progress import caller_watch


@dataclass(frozen=True, kw_only=True, repr=False)
class Construction(Computed):
    """A network whose weights were computed, for a language or for a circuit.

    `range` maps each precision to the longest words (for a circuit: its only length) of the claim;
    None is every length, and there is no claim for a precision that is missing.

    Examples:
        >>> import lengthwise as lw
        >>> made = lw.compile("chiang2022/parity")
        >>> made.claim
        'right, with a logit of about 2 tanh(c) / n^2'
        >>> made.range["float32"]  # symbols
        1000
        >>> [round(share, 6) for share in made.explain("0110").reading.layers[1]["ones"]]
        [0.4, 0.4, 0.4, 0.4, 0.4]
    """

    @classmethod
    def of(cls, made: Computed) -> "Construction":
        """Return `made`, computed weights, with the methods of this class."""
        return cls(**{field.name: getattr(made, field.name) for field in fields(made)})

    def verify(
        self,
        *,
        longest: int = 1_000,
        words_per_length: int = 32,
        seed: int = 0,
        progress: bool | None = None,
    ) -> Verification:
        """Compare the network with the independent definition, in four precisions.

        `.holds` says whether the claim holds on all words that were compared;
        `.precisions["float32"]` has `.right_to`, `.first_wrong` and `.margin` by length. A
        precision in which this machine cannot compute is skipped, and its `.skipped` says why.

        Args:
            longest: most symbols of a word.
            words_per_length: most words of each length.
            seed: of the words.
            progress: True prints lines where no bar can be shown, False nothing.

        Raises:
            ConfigError: `progress` is neither True, False nor None.
            VerificationError: a number is out of range, or no word is as short as `longest`.
        """
        watch = caller_watch(progress)
        options: dict[str, Any] = {
            "longest": require_integer("longest", longest, error=VerificationError),
            "words_per_length": require_integer(
                "words_per_length", words_per_length, 1, error=VerificationError
            ),
            "seed": require_integer("seed", seed, error=VerificationError),
        }
        with watch(f"verifying {shorten(self.name, 100)}", "lengths") as bar:
            return verify_construction(self, **options, progress=bar)

    def explain(self, word: str | None = None) -> Explanation:
        """Say what each layer does, and with a word what it holds there.

        `print` shows it as text; `.layers` and `.answer` are its lines, and `.to_dict()` has plain
        values. Of a word `.reading.heads` has the attention of every head, `weights[query][key]`,
        with the start symbol at position 0. For PARITY and FIRST of Chiang & Cholak (2022)
        `.reading.layers` has the named numbers that each position holds, after the embedding and
        after each layer, and `.reading.meaning` what they are.

        Args:
            word: a word to show, of at most 200 symbols.

        Raises:
            ConfigError: it computes a circuit, or a word is given for a tree, or a word is too
                long.
            RunError: the weights are not those that the language and the settings have.
            WordError: a symbol of the word is not in the alphabet.
        """
        return explain_weights(self, word)
