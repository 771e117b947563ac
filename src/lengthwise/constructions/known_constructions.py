"""Constructions by name: everything that can be compiled.

A name is in `CONSTRUCTIONS` or `ADDITIONS`, `circuit:FILE` or `nor-circuit:FILE`, or the
specification of any language.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from torch import nn

from lengthwise.circuits.adders import adder, adder_circuit
from lengthwise.circuits.circuit_files import READERS, read_circuit
from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.constructions import first, parity
from lengthwise.constructions.circuits import MAX_SYMBOLS, compile_circuit
from lengthwise.constructions.confidence import logit_for
from lengthwise.constructions.construction import Claim, Computed
from lengthwise.constructions.defaults import AUTO, DEFAULT, PRECISIONS
from lengthwise.constructions.nor_circuits import compile_nor
from lengthwise.constructions.rungs import RUNGS, usual
from lengthwise.constructions.setting_values import complete
from lengthwise.constructions.shallowest import resolve_auto, shallowest
from lengthwise.errors import ConfigError, ConstructionError, unknown_name
from lengthwise.languages.functions.by_name import is_named
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.registry import Catalogue

CIRCUIT, NOR_CIRCUIT = "circuit:", "nor-circuit:"
"""Prefixes of circuit files: computed as it is, or converted to NOR gates."""

RUNG = "rung"
"""The setting that says to which kind of network a language is compiled."""

_NAMELESS = "a language"

MAX_MEASURED = 10_000
"""Length of the longest words of a claim where rounding grows with the length."""


Range = Callable[[Mapping[str, Any]], Mapping[str, int | None]]
Margin = Callable[[Mapping[str, Any]], float]


def _none(settings: Mapping[str, Any]) -> float:
    return 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderEntry:
    """An encoder construction for a named language."""

    claim: str
    source: str
    language: str
    compile: Callable[..., nn.Module]
    range: Range
    """Function from the settings to the longest words of the claim by precision."""
    margin: Margin = _none
    """Function from the settings to the margin of the claim."""


def _surely(settings: Mapping[str, Any]) -> float:
    """Return the logit with cross-entropy eta, or 0 if layer norm has an epsilon."""
    return 0.0 if settings.get("epsilon", 0.0) else logit_for(settings["eta"])


def _compute_logit(settings: Mapping[str, Any]) -> float:
    """Return the logit with cross-entropy eta."""
    return logit_for(settings["eta"])


def _below_exp(sharpness: float) -> int:
    """Return the largest integer below exp(sharpness), at most `MAX_MEASURED`."""
    if sharpness > math.log(MAX_MEASURED):
        return MAX_MEASURED
    return math.ceil(math.exp(sharpness)) - 1


def _to(**longest: int | None) -> Range:
    return lambda settings: longest


def _entry(
    language: str,
    usual_range: Range,
    compile_: Callable[..., nn.Module],
    where: str,
    claim: str,
    *,
    range_: Range | None = None,
    margin: Margin = _none,
) -> EncoderEntry:
    return EncoderEntry(
        claim=claim,
        source=f"Chiang & Cholak (2022), {where}",
        language=language,
        compile=compile_,
        range=range_ or usual_range,
        margin=margin,
    )


_parity = partial(
    _entry, "parity", _to(float64=MAX_MEASURED, float32=1_000, bfloat16=16, float16=64)
)
_first = partial(_entry, "first", _to(**dict.fromkeys(PRECISIONS, MAX_MEASURED)))

CONSTRUCTIONS: Catalogue[EncoderEntry] = Catalogue(
    "construction",
    {
        "chiang2022/parity": _parity(
            parity.compile_parity, "Proposition 1", "right, with a logit of about 2 tanh(c) / n^2"
        ),
        "chiang2022/parity-norm": _parity(
            parity.compile_normed_parity, "section 4.1", "right with layer norm, for any epsilon"
        ),
        "chiang2022/parity-confident": _parity(
            parity.compile_confident_parity,
            "Proposition 2",
            "right, with cross-entropy at most eta if epsilon is 0",
            margin=_surely,
        ),
        "chiang2022/first": _first(
            first.compile_first, "section 3.3", "right, with a logit of about exp(c) / 2n"
        ),
        "chiang2022/first-norm": _first(
            first.compile_normed_first, "section 4.1", "right with layer norm, for any epsilon"
        ),
        "chiang2022/first-confident": _first(
            first.compile_confident_first,
            "Proposition 2",
            "right, with cross-entropy at most eta if epsilon is 0",
            margin=_surely,
        ),
        "chiang2022/first-scaled": _first(
            first.compile_scaled_first,
            "Proposition 3",
            "right; cross-entropy at most eta on words with a symbol: log-length scaling",
            margin=_compute_logit,
        ),
        "chiang2022/first-scaled-norm": _first(
            first.compile_scaled_normed_first,
            "Proposition 3",
            "right, with cross-entropy at most eta: log-length scaled attention, layer norm",
            margin=_compute_logit,
        ),
        "chiang2022/first-flawed": _first(
            first.compile_flawed_first,
            "section 5.2",
            "right only on words shorter than exp(c) symbols",
            range_=lambda settings: dict.fromkeys(PRECISIONS, _below_exp(settings["sharpness"])),
        ),
        "chiang2022/first-flawed-scaled": _first(
            first.compile_flawed_scaled_first,
            "section 5.3",
            "right: the flawed network with log-length scaled attention",
            range_=_to(float64=MAX_MEASURED, float32=1_000, bfloat16=64, float16=256),
        ),
    },
    group="lengthwise.constructions",
)

ADDITIONS: Mapping[str, Callable[[int], GateSequence]] = {
    "steps2022/addition-1": lambda bits: adder(_few(bits), 1),
    "steps2022/addition-2": lambda bits: adder(_few(bits), 2),
    "steps2022/addition-nor": lambda bits: adder_circuit(_few(bits)).as_nor().sequence(),
}
"""Sequences that add two numbers of `bits` bits: the paper's two orders of gates, and NOR gates
alone.
"""


def _few(bits: int) -> int:
    """Refuse more bits than a decoder reads, before the circuit is built."""
    if bits > MAX_SYMBOLS:
        raise ConstructionError(
            f"a decoder reads at most {MAX_SYMBOLS} symbols, but numbers of {bits:,} bits need "
            f"more. Use fewer bits."
        )
    return bits


def names() -> dict[str, str]:
    """Return all names that can be compiled, each with its claim."""
    return {
        **{name: f"{entry.language}: {entry.claim}" for name, entry in CONSTRUCTIONS.items()},
        "steps2022/addition-1": "the sum of two numbers of `bits` bits, bit by bit",
        "steps2022/addition-2": "the same, with the sum at the end",
        "steps2022/addition-nor": "the same, by NOR gates alone, in the paper's own layout",
        CIRCUIT + "FILE": "a circuit in BLIF, ISCAS .bench or ASCII AIGER",
        NOR_CIRCUIT + "FILE": "the same, by NOR gates alone, in the paper's own layout",
        "SPEC": "any language: parity, d-4, 'regex:(0|10*1)*', group:S5, att:FILE, ...",
    }


def is_construction(spec: str) -> bool:
    """Return whether a name is a construction other than a language."""
    prefixes = (CIRCUIT, NOR_CIRCUIT, "chiang2022/", "steps2022/")
    return spec in CONSTRUCTIONS or spec.startswith(prefixes)


def construct(
    spec: str | Language,
    settings: Mapping[str, Any] | None = None,
    *,
    alphabet: str | None = None,
    report_size: Callable[[str], None] | None = None,
) -> Computed:
    """Build the construction of a name, of a circuit's file, or of a language, with settings.

    A language has the setting `rung`, a name in `RUNGS` or auto for the shallowest (`rungs.usual`
    chooses if it is missing), and those of the rung: `chunk_size`, `norm` and `target` for `tree`.
    Those of a circuit are `error` and, unless it is of NOR gates, `epsilon`; an addition also has
    `bits`.
    `report_size` is called with the size of the result in words before it is built.

    Raises:
        ConstructionError: a setting is out of range, or the result too large.
        ConfigError: a setting has another name or type.
        LanguageError, CircuitError: the language or the circuit cannot be read.
    """
    all_settings = dict(settings or {})
    if isinstance(spec, str) and ":" not in spec and Path(spec).suffix.lower() in READERS:
        raise ConfigError(f"{spec} is the file of a circuit. Give {CIRCUIT}{spec}.")
    if isinstance(spec, Language) or not is_construction(spec):
        language = parse(spec, alphabet) if isinstance(spec, str) else spec
        return _of_language(language, all_settings, report_size)
    if alphabet is not None:
        raise ConfigError(f"only languages have an alphabet, not {spec}. Leave it out.")
    if spec in CONSTRUCTIONS:
        return _encoder(spec, CONSTRUCTIONS[spec], all_settings)
    if spec in ADDITIONS or spec.startswith((CIRCUIT, NOR_CIRCUIT)):
        return _circuit(spec, all_settings, report_size)
    raise unknown_name("construction", spec, names())


def claim_of(name: str, settings: Mapping[str, Any]) -> Claim:
    """Return the claim of a construction with these settings, which must be complete.

    Raises:
        ConstructionError: a setting is out of range.
        KeyError, TypeError: a setting is missing, or of another type.
    """
    if name in CONSTRUCTIONS:
        return _claim_of_encoder(CONSTRUCTIONS[name], settings)
    if name in ADDITIONS or name.startswith((CIRCUIT, NOR_CIRCUIT)):
        precisions = ("float64", "float32") if _is_nor(name) else PRECISIONS
        return _claim_of_circuit(settings["error"], precisions)
    return RUNGS[settings.get(RUNG, DEFAULT)].claim(settings)


def is_construction_about(
    name: str, settings: Mapping[str, Any], subject: Language | GateSequence
) -> bool:
    """Return whether the construction of a name is about this language or circuit.

    Files are not read: the circuit of `circuit:FILE` may be any.
    """
    if name in CONSTRUCTIONS:
        return subject == parse(CONSTRUCTIONS[name].language)
    if name in ADDITIONS:
        return subject == ADDITIONS[name](settings["bits"])
    if name.startswith((CIRCUIT, NOR_CIRCUIT)):
        return isinstance(subject, GateSequence)
    has_name = isinstance(subject, Language) and (subject.spec or _NAMELESS) == name
    return has_name and is_named(subject)  # type: ignore[arg-type]


def require_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings that are not exactly the complete settings of the construction.

    Raises:
        ConfigError: one is missing, unknown or of another type.
    """
    own_settings = complete(_bits, {}) if name in ADDITIONS else {}
    if not is_construction(name) and RUNG in settings:
        own_settings = {RUNG: DEFAULT}
    rest = {key: value for key, value in settings.items() if key not in own_settings}
    known = {**complete(_choose_maker(name, settings), rest, also=own_settings), **own_settings}
    if missing := [key for key in known if key not in settings]:
        raise ConfigError(f"{name} needs a value for {', '.join(missing)}.")


def _choose_maker(name: str, settings: Mapping[str, Any]) -> Callable[..., object]:
    """Return the function whose keyword arguments are the settings of the construction."""
    if name in CONSTRUCTIONS:
        return CONSTRUCTIONS[name].compile
    if name in ADDITIONS or name.startswith((CIRCUIT, NOR_CIRCUIT)):
        return compile_nor if _is_nor(name) else compile_circuit
    return RUNGS[settings.get(RUNG, DEFAULT)].design


def _is_nor(spec: str) -> bool:
    return spec.startswith(NOR_CIRCUIT) or spec == "steps2022/addition-nor"


def _claim_of_encoder(entry: EncoderEntry, settings: Mapping[str, Any]) -> Claim:
    range_ = dict(entry.range(settings))
    if settings != complete(entry.compile, {}):  # shorter formats were measured with the defaults
        range_ = {"float64": range_["float64"]}
    if settings.get("count_weight", 1.0) != 1.0:  # Figure 3 of the paper: it is wrong
        range_ = {}
    return Claim(
        claim=entry.claim,
        source=entry.source,
        range=range_,
        required_margin=entry.margin(settings),
        is_binary=False,
    )


def _claim_of_circuit(error: float, precisions: Sequence[str]) -> Claim:
    return Claim(
        claim=f"all gates, step by step, each with P(correct) > 1 - {error:g}",
        source="Guiding Transformers to Process in Steps (2022), section 4 and appendix A",
        range=dict.fromkeys(precisions),
        required_margin=math.log((1 - error) / error),
        is_binary=False,
    )


def _encoder(name: str, entry: EncoderEntry, given_settings: Mapping[str, Any]) -> Computed:
    settings = complete(entry.compile, given_settings)
    return Computed(
        name=name,
        settings=settings,
        about=parse(entry.language),
        architecture="encoder",
        model=entry.compile(**settings),
        **claim_of(name, settings),
    )


def _of_language(
    language: Language, given_settings: Mapping[str, Any], report_size: Callable[[str], None] | None
) -> Computed:
    """Build a language's network on a rung; that of a tree is not stored."""
    rung_settings = {key: value for key, value in given_settings.items() if key != RUNG}
    name = given_settings[RUNG] if RUNG in given_settings else usual(language, rung_settings)
    if not isinstance(name, str):
        raise ConfigError(f"setting {RUNG}={name!r:.40} must be a word, such as {DEFAULT}.")
    if name == AUTO:
        name = shallowest(language).name
    if name not in RUNGS:
        raise unknown_name("rung", name, [AUTO, *RUNGS])
    rung, rung_setting = RUNGS[name], {} if name == DEFAULT else {RUNG: name}
    settings = complete(rung.design, rung_settings, also=[RUNG])
    design = rung.design(language, **settings)
    if report_size:
        report_size(design.summary)
    settings = {**rung_setting, **resolve_auto(design, settings)}
    return Computed(
        name=language.spec or _NAMELESS,
        settings=settings,
        about=language,
        architecture=rung.architecture,
        model=rung.build(design),
        **claim_of(language.spec, settings),
    )


def _circuit(
    name: str, given_settings: Mapping[str, Any], report_size: Callable[[str], None] | None
) -> Computed:
    own_settings = {
        key: value for key, value in given_settings.items() if key == "bits" and name in ADDITIONS
    }
    bits = complete(_bits, own_settings) if name in ADDITIONS else {}
    compile_: Callable[..., nn.Module] = compile_nor if _is_nor(name) else compile_circuit
    rest = {key: value for key, value in given_settings.items() if key not in own_settings}
    settings = {**bits, **complete(compile_, rest, also=bits)}
    if name in ADDITIONS:
        sequence = ADDITIONS[name](settings.pop("bits"))
    else:
        circuit = read_circuit(name.partition(":")[2])
        sequence = (circuit.as_nor() if _is_nor(name) else circuit).sequence()
        if not sequence.steps:
            raise ConstructionError(f"{name} has no gates: there is nothing to compute. Add one.")
    model = compile_(sequence, report_size, **settings)
    settings = {**bits, **settings}
    return Computed(
        name=name,
        settings=settings,
        about=sequence,
        architecture="decoder",
        model=model,
        **claim_of(name, settings),
    )


def _bits(*, bits: int = 8) -> None:
    """Declare the setting that every addition has."""
