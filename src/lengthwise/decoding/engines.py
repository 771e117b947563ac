"""Engines of constrained decoding: what each allows next, for an expression and a vocabulary.

An engine is a class under the contract `Engine`. Other packages add theirs by entry points of the
group `lengthwise.engines`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lengthwise.data.extra import require_extra
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.errors import ConfigError, LengthwiseError, in_a_line
from lengthwise.registry import Catalogue


class Engine(ABC):
    """An engine for one expression and one vocabulary.

    A state is whatever the engine needs to go on; `advance` leaves the state before it as it was.
    """

    distribution: ClassVar[str]
    """The package, as `pip` calls it."""
    module: ClassVar[str]
    """The module that it brings."""
    exposes_states: ClassVar[bool] = False
    """Whether states are hashable, and equal states go on alike. Where they are not, masks tell
    states apart.
    """

    @abstractmethod
    def __init__(self, expression: str, vocabulary: Vocabulary) -> None: ...

    @abstractmethod
    def start(self) -> Any:
        """Return the state before the first token."""

    @abstractmethod
    def mask(self, state: Any) -> NDArray[np.bool_]:
        """Return which tokens may follow, the ends included."""

    @abstractmethod
    def advance(self, state: Any, token: int) -> Any:
        """Return the state after a token that is not an end."""


class OwnEngine(Engine):
    """The processor of this package, called as `generate` calls it."""

    distribution = module = "lengthwise"

    def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
        from lengthwise.decoding.processor import logits_processor  # noqa: PLC0415  it needs torch

        self._processor = logits_processor(re.compile(expression), vocabulary)
        self._prompt, self._width = vocabulary.ends[0], len(vocabulary.tokens)
        self.mask(())

    def start(self) -> tuple[int, ...]:
        """Return the empty sequence."""
        return ()

    def mask(self, state: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return the tokens whose scores stay finite."""
        import torch  # noqa: PLC0415

        row = torch.tensor([[self._prompt, *state]])
        return self._processor(row, torch.zeros(1, self._width))[0].isfinite().numpy()

    def advance(self, state: tuple[int, ...], token: int) -> tuple[int, ...]:
        """Return the longer sequence."""
        return (*state, token)


class OutlinesCore(Engine):
    """The index of outlines-core, whose states and transitions can be read."""

    distribution, module = "outlines-core", "outlines_core"
    exposes_states = True

    def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
        from outlines_core import Index  # noqa: PLC0415
        from outlines_core import Vocabulary as TheirVocabulary  # noqa: PLC0415

        if len(vocabulary.ends) > 1:
            raise ConfigError("outlines-core knows one end token, but got several. Give one.")
        theirs = TheirVocabulary(vocabulary.ends[0], vocabulary.numbers)
        self._index = Index(expression, theirs)
        self._transitions = self._index.get_transitions()
        self._width = len(vocabulary.tokens)

    def start(self) -> int:
        """Return the initial state."""
        return int(self._index.get_initial_state())

    def mask(self, state: Hashable) -> NDArray[np.bool_]:
        """Return the tokens of the transitions."""
        allowed = np.zeros(self._width, dtype=bool)
        allowed[list(self._transitions.get(state, ()))] = True
        return allowed

    def advance(self, state: Hashable, token: int) -> Hashable:
        """Follow a transition."""
        return self._transitions[state][token]


class XGrammar(Engine):
    """The matcher of xgrammar."""

    distribution = module = "xgrammar"

    def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
        import xgrammar  # noqa: PLC0415

        self._width = len(vocabulary.tokens)
        info = xgrammar.TokenizerInfo(
            [token or vocabulary.special.get(n, b"") for n, token in enumerate(vocabulary.tokens)],
            vocab_type=xgrammar.VocabType.RAW,
            vocab_size=self._width,
            stop_token_ids=list(vocabulary.ends),
        )
        compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self._start = xgrammar.GrammarMatcher(compiler.compile_regex(expression))
        self._bits = xgrammar.allocate_token_bitmask(1, self._width)

    def start(self) -> Any:
        """Return a matcher that has read nothing."""
        return self._start

    def mask(self, state: Any) -> NDArray[np.bool_]:
        """Return the mask that it fills; nothing where it is stuck or has ended."""
        if state is None or state.is_terminated():
            return np.zeros(self._width, dtype=bool)
        self._bits.fill_(-1)  # it leaves them so where all is allowed
        state.fill_next_token_bitmask(self._bits)
        return _unpack(self._bits.numpy().tobytes(), self._width)

    def advance(self, state: Any, token: int) -> Any:
        """Return a copy that has read a token, or None if it refuses what its mask allowed."""
        after = state.fork()
        return after if after.accept_token(token) else None


class LLGuidance(Engine):
    """The matcher of llguidance."""

    distribution = module = "llguidance"

    def __init__(self, expression: str, vocabulary: Vocabulary) -> None:
        import llguidance  # noqa: PLC0415

        self._width = len(vocabulary.tokens)
        wrapper = llguidance.TokenizerWrapper(_ForLLGuidance(vocabulary))
        tokenizer = llguidance.LLTokenizer(wrapper, eos_token=list(vocabulary.ends))
        grammar = llguidance.LLMatcher.grammar_from_regex(expression)
        self._start = llguidance.LLMatcher(tokenizer, grammar, log_level=0)
        if self._start.is_error():
            raise ValueError(self._start.get_error())

    def start(self) -> Any:
        """Return a matcher that has read nothing."""
        return self._start

    def mask(self, state: Any) -> NDArray[np.bool_]:
        """Return the mask that it computes; nothing after an error."""
        if state.is_error():
            return np.zeros(self._width, dtype=bool)
        return _unpack(state.compute_bitmask(), self._width)

    def advance(self, state: Any, token: int) -> Any:
        """Return a copy that has read a token."""
        after = state.deep_copy()
        after.consume_token(token)
        return after


class _ForLLGuidance:
    """A vocabulary with the names that llguidance asks for."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.eos_token_id = vocabulary.ends[0]
        self.special_token_ids = np.flatnonzero(~vocabulary.text).tolist()
        self.tokens = [
            token or vocabulary.special.get(n, b"") for n, token in enumerate(vocabulary.tokens)
        ]
        self._numbers = {token: numbers[0] for token, numbers in vocabulary.numbers.items()}

    def __call__(self, text: str | bytes) -> list[int]:
        """Return the longest tokens that spell a string; bytes that none spells are left out."""
        rest, found = text if isinstance(text, bytes) else text.encode(), []
        longest = max(map(len, self._numbers), default=1)
        while rest:
            size = next((n for n in range(longest, 0, -1) if rest[:n] in self._numbers), 0)
            found += [self._numbers[rest[:size]]] if size else []
            rest = rest[size or 1 :]
        return found


ENGINES: Catalogue[type[Engine]] = Catalogue(
    "engine",
    {
        "lengthwise": OwnEngine,
        "llguidance": LLGuidance,
        "outlines-core": OutlinesCore,
        "xgrammar": XGrammar,
    },
    group="lengthwise.engines",
    expected=Engine,
)


def make_engine(name: str, expression: str, vocabulary: Vocabulary) -> tuple[Engine, str]:
    """Return an engine for an expression, and its name, with the version of another package's.

    Raises:
        ConfigError: there is no such engine, it is not installed, or it refuses the expression.
    """
    kind = ENGINES[name]
    require_extra(kind.module, "conform")
    own = kind.distribution == "lengthwise"
    title = name if own else f"{name} {version(kind.distribution)}"
    try:
        return kind(expression, vocabulary), title
    except LengthwiseError:
        raise
    except Exception as error:  # each library has its own
        raise ConfigError(
            f"{title} refuses the expression {expression!r:.60} ({in_a_line(error)}). Use another."
        ) from None


def _unpack(bits: bytes, width: int) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[:width].astype(bool)
