"""Codes for everything that a network has to remember, as labels, until a proof closes.

A tree learns chunks of codes (`chunk_table`), a recurrent network the code of the state after each
step (`state_codes`), and a scratchpad with a window the token of the state (`state_tokens`).

The defaults are for who names no objective. Up to 300 elements a tree is validated often; a
validation of more judges every chunk, which takes as long as hundreds of steps. A network that
reads symbol by symbol learns the steps of the minimal automaton, so its defaults depend on their
number alone: a wider network for more states, and all steps in one batch as long as they fit.
`docs/reproducing/proofs.md` has the measurements behind the numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.entry import Entry
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.window_scratchpad_config import WindowScratchpadConfig
from lengthwise.objectives.base import ObjectiveConfig, Subject, Suited, WordObjective, lengths_of
from lengthwise.objectives.chunk_table import ChunkTable
from lengthwise.objectives.sizes import (
    num_elements,
    require_codes,
    require_few_elements,
    state_count,
)
from lengthwise.objectives.state_codes import StateCodeTable
from lengthwise.objectives.state_tokens import StateTokenTable
from lengthwise.tasks.codebook import make_codebook
from lengthwise.tasks.state_codes import make_state_codes
from lengthwise.training.loop import Objective

_NETWORKS = (RegularGPTConfig, BinaryRecurrentConfig, WindowScratchpadConfig)


@dataclass(frozen=True, kw_only=True, slots=True)
class CodebookConfig(ObjectiveConfig):
    """Settings of the words whose parts are labelled, and of replay."""

    name: str = "codebook"
    chunk_lengths: Literal["training", "all"] = "training"
    """The words whose chunks or steps are labelled. `training`: those of at most `data.max_length`
    symbols. `all`: those of every length, the default for new runs."""
    replay: bool = True
    """Hard-example replay: chunks or steps that validation finds wrong are drawn more often."""


class Codebook(WordObjective):
    """The code of every chunk, or of the state after every step."""

    settings = CodebookConfig
    told = (
        "training is given a code for everything that the model has to remember: what a chunk does "
        "to the states of the automaton or, in a recurrent network, the state, until a proof closes"
    )

    def fits(self, entry: Entry) -> bool:
        """Return whether the network keeps codes of sub-words or of states."""
        return issubclass(entry.config, _NETWORKS)

    def defaults(
        self, language: Language, preset: str, network: type[NetworkConfig], *, is_named: bool
    ) -> Suited:
        """Return chunks of every length and, unless it is named, numbers for the language."""
        every = {"chunk_lengths": "all"}
        if is_named or issubclass(network, RationalGPTConfig):
            return Suited(every)
        if issubclass(network, RegularGPTConfig):
            count = num_elements(language)
            size = "" if count is None else f"{count:,} elements"
            return Suited(every | _for_chunks(language, preset), size)
        of_states = _for_tokens if issubclass(network, WindowScratchpadConfig) else _for_states
        return Suited(every | of_states(language, preset), f"{state_count(language)[0]:,} states")

    def require(self, subject: Subject) -> None:
        """Refuse too many elements to tell apart, and memory without codes."""
        if not subject.network.is_recurrent:
            require_few_elements(subject.language, subject.settings.name)
        require_codes(subject)

    def shape(
        self, subject: Subject, network: type[NetworkConfig], asked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the number of states that a scratchpad names."""
        if not issubclass(network, WindowScratchpadConfig):
            return {}
        return {"num_states": len(make_state_codes(subject.language, _longest(subject)).classes)}

    def fit_network(self, subject: Subject, asked: Mapping[str, Any]) -> Any:
        """Return the network with as many bits as the codes have."""
        network, language = subject.network, subject.language
        if isinstance(network, WindowScratchpadConfig):
            return network
        if isinstance(network, RegularGPTConfig):
            needed = make_codebook(language, network.chunk_size, _longest(subject)).num_bits
        else:
            needed = make_state_codes(language, _longest(subject)).num_bits
        if asked.get("num_bits", needed) != needed:
            raise ConfigError(
                f"with objective='codebook' the codes of {language.spec or 'the language'} have "
                f"{needed} bits, so num_bits={asked['num_bits']} does not fit. Leave it out."
            )
        return network.from_dict({**network.to_dict(), "num_bits": needed})

    def loss(self, subject: Subject) -> Objective:
        """Return the loss of the table of chunks or of steps."""
        task, words, network = subject.task, subject.words, subject.network
        replay, precision = subject.settings.replay, subject.precision
        longest = _longest(subject)
        if not network.is_recurrent:
            return ChunkTable(
                task, words, network.chunk_size, longest=longest, replay=replay, precision=precision
            )
        tokens = isinstance(network, WindowScratchpadConfig)
        table = StateTokenTable if tokens else StateCodeTable
        return table(task, words, longest=longest, replay=replay, precision=precision)

    def labels(self, subject: Subject) -> str:
        """Return a few words for the chunks or steps that are labelled."""
        parts = "steps of states" if subject.network.is_recurrent else "chunks of codes"
        every = subject.settings.chunk_lengths == "all"
        return f"all {parts} in words of {'every length' if every else lengths_of(subject.words)}"


def _longest(subject: Subject) -> int | None:
    """Return the length of the longest words whose steps or chunks are given; None for any."""
    return None if subject.settings.chunk_lengths == "all" else subject.words.max_length


_CHUNKS: Mapping[str, Any] = {"noise": 0.0, "precision": "double"}
"""Settings of trees in every preset."""

_LAPTOP: Mapping[str, Any] = {
    "d_model": 128,
    "learning_rate": 2e-3,
    "schedule": "cosine",
    "steps": 6_000,
}
"""Numbers of trees in the preset `laptop`."""

_SELDOM = 1_000
"""Steps from one validation of a tree to the next for more than `_FEW` elements."""

_FEW = 300


def _for_chunks(language: Language, preset: str) -> dict[str, Any]:
    if preset == "smoke":
        return dict(_CHUNKS)
    if preset == "paper":
        return {**_CHUNKS, "batch_size": 512}
    count = num_elements(language)
    seldom = {"validate_every": _SELDOM} if count is None or count > _FEW else {}
    return {**_CHUNKS, "batch_size": 512, **_LAPTOP, **seldom}


_WIDTHS = ((64, 64), (1_500, 128), (8_000, 256))
"""Widths of recurrent networks: a number of states up to which one suffices, and the width."""

_WIDEST = 512

_MOST_TOGETHER = 2**14
"""Most steps of an automaton in one batch."""

_QUICK: Mapping[str, Any] = {"precision": "double", "learning_rate": 1e-2}
"""Settings of networks that learn the steps of an automaton, in the preset `smoke`."""

_TABLE: Mapping[str, Any] = {
    **_QUICK,
    "validation_words": 256,
    "schedule": "cosine",
    "steps": 2_000,
    "validate_every": 25,
}
"""The same in the others, whatever its size."""


def _for_states(language: Language, preset: str) -> dict[str, Any]:
    if preset == "smoke":
        return dict(_QUICK)
    states, steps = state_count(language)
    widths = (width for most, width in _WIDTHS if states <= most)
    batch_size = min(max(256, steps), _MOST_TOGETHER)
    return {**_TABLE, "d_model": next(widths, _WIDEST), "batch_size": batch_size}


_MOST_IN_ONE_DIGIT = 1_000
"""Most states that one softmax has to tell apart."""

_MOST_TOKENS_TOGETHER = 2**15
"""Most steps in one batch of a network that writes tokens."""


def _for_tokens(language: Language, preset: str) -> dict[str, Any]:
    states, steps = state_count(language)
    digits = {"num_digits": 2} if states > _MOST_IN_ONE_DIGIT else {}
    if preset == "smoke":
        return {**_QUICK, **digits}
    return {**_TABLE, "batch_size": min(max(256, steps), _MOST_TOKENS_TOGETHER), **digits}


CODEBOOK = Codebook()
