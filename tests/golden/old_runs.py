"""The run folders of `runs/`: how they were made, and what is asked of them.

They have the layout of format 1, and are kept as they are: a later version must load them, go on
training them to the same bits, evaluate, certify and report. `make_runs.py` made them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from golden.cases import PAIRS, STEPS, TEXT, WORDS


@dataclass(frozen=True, kw_only=True, slots=True)
class OldRun:
    """One folder, named in `lines` as `run`; `text` and `pairs` are the prepared corpora."""

    made: tuple[str, ...]
    """What made it."""
    stopped: bool = False
    """Whether training was stopped in the middle; `made` are then the command that goes on."""
    asked: tuple[str, ...]
    """What is asked of it now, one after the other."""
    needs: tuple[str, ...] = ()
    """Modules that must be installed."""
    quick: bool = False
    """Whether the fast suite has it."""


_SMALL = "--preset smoke --device cpu --set seed=1"
_WORDS = WORDS["parity"]
_LOADED = (
    "evaluate run --device cpu --lengths 9,41 --words 24",
    f"predict run --device cpu << {_WORDS}",
    "report run --out report.html",
)
_EVALUATED = ("report run --out stored.html",)

_PROVED = (
    f"train parity --out run {_SMALL} --set steps=600 --set validate_every=50 "
    "--set max_length=12 --set seed=0"
)
_CONTINUOUS = f"train even-pairs --model regular-gpt --out run {_SMALL} --set d_model=8"
_ENCODER = f"train parity --model encoder-cls --out run {_SMALL} --set position=alibi"
_RECURRENT = (
    f"train tomita-5 --model gru --out run {_SMALL} --set d_model=8 --set steps=150 "
    "--set validate_every=10 --set patience=0 --set validation_words=32"
)
_STEPS = f"train steps:addition --out run {STEPS} --set d_model=8"
_TEXT = (
    f"train text:text --out run {TEXT} --set d_model=8 --set num_heads=2 --set chunk=4 "
    "--set thickness=1"
)
_STOPPED_TEXT = (
    f"train text:text --model gpt-lm --out run {TEXT} --set d_model=4 --set num_layers=1 "
    "--set position=alibi --set steps=200"
)
_PAIRS = f"train pairs:pairs --out run {PAIRS} --set d_model=8 --set num_layers=1"
_OF_TEXT = (
    "evaluate run --device cpu --lengths 16,32 --words 12 --text text",
    "predict run --device cpu --tokens 9 --text text << the first,a",
)
_TOKENS = ("tokenizers",)

OLD_RUNS: Mapping[str, OldRun] = {
    "binary-proved": OldRun(
        made=(_PROVED, "evaluate run --device cpu --lengths 41,60 --words 24", "certify run"),
        asked=(
            *_EVALUATED,
            "certify --check run/certificate.json",
            "certify run --check run/certificate.json --against parity",
            "certify run --out again.json",
            _PROVED,
            "snap run",
            "extract run",
            *_LOADED,
        ),
    ),
    "continuous": OldRun(
        made=(_CONTINUOUS, "evaluate run --device cpu --lengths 41,60 --words 24"),
        asked=(
            *_EVALUATED,
            _CONTINUOUS,
            "certify run --max-chunks 3000",
            *_LOADED,
        ),
    ),
    "encoder": OldRun(
        made=(_ENCODER, "evaluate run --device cpu --lengths 41,60 --words 24"),
        asked=(
            *_EVALUATED,
            _ENCODER,
            *_LOADED,
        ),
    ),
    "recurrent-stopped": OldRun(
        made=(_RECURRENT,),
        stopped=True,
        asked=("evaluate run --device cpu --lengths 9", _RECURRENT, *_LOADED),
        quick=True,
    ),
    "compiled": OldRun(
        made=("compile tomita-4 --out run --set norm=none",),
        asked=(
            "verify run --longest 40 --all 64 --words 4 --precision float64 --precision float32",
            "certify run",
            "certify --check run/certificate.json",
            *_LOADED[:2],
            "snap run",
        ),
    ),
    "steps": OldRun(
        made=(_STEPS, "evaluate run --device cpu"),
        asked=(_STEPS, "evaluate run --device cpu", "predict run --device cpu << 101011,000000"),
        quick=True,
    ),
    "text": OldRun(
        made=(_TEXT, "evaluate run --device cpu --lengths 16 --words 12"),
        asked=(_TEXT, *_OF_TEXT),
        needs=_TOKENS,
        quick=True,
    ),
    "text-stopped": OldRun(
        made=(_STOPPED_TEXT,),
        stopped=True,
        asked=(_STOPPED_TEXT, *_OF_TEXT),
        needs=_TOKENS,
    ),
    "pairs": OldRun(
        made=(_PAIRS, "evaluate run --device cpu"),
        asked=(
            _PAIRS,
            "evaluate run --device cpu --text pairs",
            "translate run --device cpu --text pairs --beam 2 << one red cat,two",
        ),
        needs=(*_TOKENS, "sacrebleu"),
        quick=True,
    ),
}
