"""Exact weights, as `import lengthwise as lw` gives them."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from lengthwise.arguments import path_of, whole
from lengthwise.constructions.construction import Construction
from lengthwise.constructions.explain import Explanation
from lengthwise.constructions.explain import explain_weights as explain_construction
from lengthwise.constructions.folders import read_construction as load_stored
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.verify import Verification, verify_construction
from lengthwise.errors import ConfigError, LengthwiseError, RunError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.validation import short
from lengthwise.silence import told
from lengthwise.training.progress import caller_watch


@told("computing weights")
def compile(spec: Language | str, **settings: Any) -> Construction:
    """Compute exact weights: `.model` is right by construction within `.range`.

    `.claim` states what the model computes. `spec` is a language (`chunk`, `norm`, `target` are its
    settings), `circuit:FILE` (`error`, `epsilon`), or a name such as `chiang2022/parity` or
    `steps2022/addition-2`; `lengthwise compile` lists them.

    Raises:
        ConstructionError: a setting is out of range, or the result would be too large.
        ConfigError: a setting has another name or type.
        LanguageError, CircuitError: the language or circuit cannot be read.
    """
    if not isinstance(spec, str | Language):
        raise ConfigError(
            f"weights are computed for a language, a circuit or a name, such as 'parity', but got "
            f"{spec!r:.40}."
        )
    return construct(spec, settings)


def load_construction(path: Path | str) -> Construction:
    """Load the construction in a folder that `lengthwise compile` wrote: a recogniser or a circuit.

    Raises:
        RunError: the folder holds none, or a file is damaged.
    """
    return load_stored(path_of("a folder", path))


def verify(
    construction: Construction | Path | str,
    *,
    longest: int = 1_000,
    words_per_length: int = 32,
    seed: int = 0,
    progress: bool | None = None,
) -> Verification:
    """Compare a construction, or that in a folder, with the independent definition, in four
    precisions.

    `.holds` says whether the claim holds on all words that were compared; `.precisions["float32"]`
    has `.right_to`, `.first_wrong` and `.margin` by length. A precision in which this machine
    cannot compute is skipped, and its `.skipped` says why. `progress` is that of `evaluate`: a bar
    on a terminal and in a notebook, unless it is False.

    Raises:
        ConfigError: `progress` is neither True, False nor None.
        VerificationError: a number is out of range, or no word is as short as `longest`.
        RunError: the folder holds no construction, or a file is damaged.
    """
    watch, construction = caller_watch(progress), _loaded(construction)
    if not isinstance(construction, Construction):
        raise VerificationError(
            f"a construction is verified, but got a {type(construction).__name__}. Use certify for "
            f"a model or a run."
        )
    asked: dict[str, Any] = {
        "longest": whole("longest", longest, error=VerificationError),
        "words_per_length": whole("words_per_length", words_per_length, 1, error=VerificationError),
        "seed": whole("seed", seed, error=VerificationError),
    }
    with watch(f"verifying {construction.name}", "lengths") as shown:
        return verify_construction(construction, **asked, progress=shown)


def _loaded(construction: Construction | Path | str) -> Construction:
    """Return the construction, from its folder if that is given."""
    if not isinstance(construction, Path | str):
        return construction
    try:
        return load_construction(construction)
    except (RunError, OSError) as error:
        if not isinstance(construction, str) or not _is_language(construction):
            raise RunError(str(error)) from None
        raise RunError(
            f"{short(construction)} is no folder. lw.compile({short(construction)}) computes "
            f"weights; give them, or the folder that they are kept in."
        ) from None


def _is_language(spec: str) -> bool:
    with suppress(LengthwiseError):
        parse(spec)
        return True
    return False


def explain(construction: Construction | Path | str, word: str | None = None) -> Explanation:
    """Say what each layer of the computed network of a language does, and with a word how its heads
    attend there; the network may be given by its folder.

    `print` shows it as text; `.layers` and `.answer` are its lines, `.reading.heads` has the
    attention of every head, `weights[query][key]`, with the start symbol at position 0, and
    `.to_dict()` plain values.

    Raises:
        ConfigError: the construction is not that of a language, or a word is given for a tree, or a
            word is too long.
        RunError: the weights are not those that the language and the settings have, or the folder
            holds no construction.
        WordError: a symbol of the word is not in the alphabet.
    """
    construction = _loaded(construction)
    if not isinstance(construction, Construction):
        raise ConfigError(
            f"computed weights are explained, but got a {type(construction).__name__}. Use analyse "
            f"for a run, or the command explore to watch it read a word."
        )
    return explain_construction(construction, word)
