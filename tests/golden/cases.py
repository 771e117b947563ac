"""The cases of the golden numbers: command lines, one table of data.

A line is what a user types after `lengthwise`; what stands after ` << ` is standard input, its
lines separated by commas. Every case runs in an empty folder of its own, in which `FILES` are
written first. A setting that gets another name needs an edit here alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """Command lines that are run one after the other in one folder."""

    lines: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Modules that must be installed."""
    quick: bool = False
    """Whether the fast suite has it."""

    @property
    def has_dropout(self) -> bool:
        """Whether a line trains with dropout, which translators have unless it is set to 0."""
        trains = [line for line in self.lines if line.startswith("train ")]
        return any(
            ("dropout=" in line or line.startswith("train translation:"))
            and "dropout=0 " not in line
            for line in trains
        )


SMALL = "--preset smoke --device cpu --set steps=30 --set validate_every=10 --set seed=3"
STEPS = f"{SMALL} --set bits=3 --set examples=40 --set validation_words=8 --set test_words=12"
TEXT = f"{SMALL} --set window=16 --set batch_size=4 --set validation_windows=8"
PAIRS = f"{SMALL} --set batch_tokens=256 --set validation_pairs=8"

WORDS = {
    "parity": "0110,1,,01010101010101010101010101010101010101",
    "tomita-3": "0110,1,,111000011100111",
    "tomita-4": "0110,1,,00100100100100",
    "tomita-5": "0110,1,,00100100100100",
    "even-pairs": "0110,1,,0010010010010011",
    "d-2": "0110,1,,0011010101",
    "cycle-navigation": "0120,1,,012012012012222",
    "group:S3": "132 213 231,321,,132 132 213 312 321 231 123",
}

FILES: Mapping[str, str] = {
    "text.txt": "".join(
        f"the {a} {b} that a {c} can {d} and learn\n"
        for a in ("first", "second", "third", "last")
        for b in ("word", "text", "sum", "tree", "state")
        for c in ("transformer", "network", "machine")
        for d in ("express", "read", "carry", "say")
    ),
    "pairs.tsv": "from\tinto\n"
    + "".join(
        f"{a} {b} {c}\t{c.upper()} {b.upper()} {a.upper()}\n"
        for a in ("one", "two", "three", "four")
        for b in ("red", "blue", "green")
        for c in ("cat", "dog", "cow", "bird")
    ),
    "valid.tsv": "from\tinto\none red fox\tFOX RED ONE\ntwo blue pigs\tPIGS BLUE TWO\n"
    "three green birds and a dog\tDOG A AND BIRDS GREEN THREE\n",
    "test.tsv": "from\tinto\n"
    + "".join(
        f"{a} green {b}\t{b.upper()} GREEN {a.upper()}\n"
        for a in ("x", "one more", "four red and three")
        for b in ("u", "cat", "bird and cow")
    ),
    "adder.bench": "INPUT(a)\nINPUT(b)\nOUTPUT(s)\nOUTPUT(c)\ns = XOR(a, b)\nc = AND(a, b)\n",
}

PREPARE_TEXT = "prepare text.txt --out corpus --set vocab_size=257"
PREPARE_PAIRS = (
    "prepare pairs.tsv --pairs from,into --valid valid.tsv --test test.tsv --out corpus "
    "--set vocab_size=259"
)


def _sets(settings: str) -> str:
    return "".join(f" --set {each}" for each in settings.split())


def _recogniser(
    spec: str, model: str, settings: str = "", *more: str, options: str = "", quick: bool = False
) -> Case:
    learned = "position=learned" in settings or (model == "decoder" and "position" not in settings)
    lengths = "9,40" if learned else "9,60"
    return Case(
        lines=(
            f"train {spec} --model {model} --out run {SMALL}{_sets(settings)} {options}",
            f"evaluate run --device cpu --lengths {lengths} --words 24",
            f"predict run --device cpu << {WORDS[spec]}",
            *more,
        ),
        quick=quick,
    )


CERTIFY = "certify run --max-chunks 3000"
CHECK = "certify --check run/certificate.json"
LOOK = (
    "snap run --max-elements 2000",
    "extract run --max-elements 2000 --out machine.dot",
    "evaluate run --device cpu --snapped --lengths 9,60 --words 24",
)
SHOW = ("analyse run --length 60 --words 20", "report run --out report.html")

_TREES = {
    "final": ("final", "parity"),
    "prefix": ("prefix", "tomita-3"),
    "node": ("node", "d-2"),
    "transition": ("transition", "cycle-navigation"),
    "composition": ("composition", "tomita-5"),
    "assigned": ("codebook", "parity"),
}
"""Objectives of RegularGPT, each with a language, by the name of the case."""

_OF_CODES = ("composition", "codebook")
"""Those that need binary memory."""


def _recognition() -> Iterator[tuple[str, Case]]:
    for name, (told, spec) in _TREES.items():
        for model in ("regular-gpt", "regular-gpt-binary"):
            binary = model == "regular-gpt-binary"
            settings = f"objective={told}"
            if told in _OF_CODES and not binary:
                settings += " memory=binary"
            more = (CERTIFY,) if binary else ()
            case = _recogniser(spec, model, settings, *more, quick=told == "node")
            yield f"{model}/{name}", case
    for model in ("elman", "gru", "lstm"):
        yield f"{model}/final", _recogniser("even-pairs", model, "objective=final")
        yield (
            f"{model}/prefix",
            _recogniser("group:S3", model, "objective=prefix", quick=model == "gru"),
        )
    for model in (
        "encoder-cls",
        "chomsky-transformer",
        "universal-transformer",
        "universal-transformer-log",
    ):
        quick = model == "encoder-cls"
        yield f"{model}/final", _recogniser("tomita-4", model, "objective=final", quick=quick)
    for told in ("final", "prefix"):
        yield f"decoder/{told}", _recogniser("tomita-5", "decoder", f"objective={told}")
    yield "scratchpad/states", _recogniser("cycle-navigation", "scratchpad", "objective=states")


_POSITIONS = (
    *("none", "learned", "sinusoidal", "one-hot", "fraction", "fraction-early", "first"),
    *("first-early", "transformer-xl", "t5", "alibi", "kerple-log", "kerple-power", "rope"),
    *("randomised-sinusoidal", "randomised-learned"),
)


def _variants() -> Iterator[tuple[str, Case]]:
    for position in _POSITIONS:
        for model in ("encoder-cls", "decoder"):
            settings = f"position={position} objective=final"
            yield f"position/{model}/{position}", _recogniser("tomita-3", model, settings)
    for model, norms in {
        "regular-gpt": ("post", "pre", "none"),
        "encoder-cls": ("post", "pre", "none"),
        "universal-transformer": ("post", "pre", "none"),
        "decoder": ("post", "post-embedded", "pre", "none"),
        "scratchpad": ("post", "post-embedded", "pre", "none"),
    }.items():
        for norm in norms:
            yield f"norm/{model}/{norm}", _recogniser("parity", model, f"norm={norm}")
    for name, (model, settings) in {
        "dropout": ("regular-gpt", "dropout=0.2"),
        "dropout-binary": ("regular-gpt-binary", "dropout=0.2 objective=final"),
        "chunk": ("regular-gpt", "chunk_size=3 num_layers=2 pad=absent activation=gelu"),
        "chunk-binary": ("regular-gpt-binary", "chunk_size=3 pad=absent num_bits=8 noise=0.4"),
        "embedding-scale": ("regular-gpt", "embedding_scale=2.5 ff_factor=2"),
        "composition": ("regular-gpt-binary", "code_consistency=0.5 margin=0.2 replay=false"),
        "assigned-double": ("regular-gpt-binary", "objective=codebook precision=double"),
        "double": ("regular-gpt-binary", "precision=double"),
        "double-encoder": ("encoder-cls", "precision=double"),
        "loop": ("gru", "accumulate=2 weight_decay=0.1 beta2=0.95 warmup=5 clip=0.5"),
        "cosine": ("regular-gpt", "schedule=cosine learning_rate=0.002 patience=1"),
        "words": ("gru", "max_length=20 min_length=3 batch_size=16 validation_words=32"),
        "layers": ("lstm", "num_layers=2 d_model=8"),
        "encoder-shape": ("encoder-cls", "cls=last d_hidden=16 num_layers=1 initial=haiku"),
        "decoder-shape": ("decoder", "value_width=6 d_hidden=20 activation=relu initial=mingpt"),
        "chomsky-early": ("chomsky-transformer", "cls=first norm=pre initial=xavier"),
        "universal-steps": ("universal-transformer-log", "num_steps=2"),
        "room": ("decoder", "position=learned network.max_length=70 max_length=30"),
        "scale": ("encoder-cls", "scale=log-length head_width=4 epsilon=0.001"),
        "learned-scale": ("decoder", "scale=learned-log"),
        "share-of-ones": ("gru", "p_one=0.2"),
    }.items():
        quick = name == "double"
        yield f"settings/{name}", _recogniser("parity", model, settings, quick=quick)
    for protocol in ("published", "audited"):
        for model in ("regular-gpt", "regular-gpt-binary"):
            yield (
                f"protocol/{model}/{protocol}",
                _recogniser("even-pairs", model, options=f"--protocol {protocol}"),
            )


_PROVED = "patience=1 steps=600 validate_every=50 max_length=12 seed=0"


def _proofs() -> Iterator[tuple[str, Case]]:
    proved = _recogniser(
        "parity", "regular-gpt-binary", _PROVED, CERTIFY, CHECK, f"{CHECK} run", *LOOK, *SHOW
    )
    yield "proved/parity", proved
    yield (
        "proved/assigned",
        _recogniser(
            "even-pairs",
            "regular-gpt-binary",
            f"objective=codebook {_PROVED}",
            "certify run --strength discrete",
            "certify run --against 'regex:(0(0|1)*0|1(0|1)*1|0|1)?' --out other.json",
        ),
    )
    yield (
        "unproved/parity",
        _recogniser("parity", "regular-gpt-binary", "", CERTIFY, CHECK, *SHOW, quick=True),
    )
    yield (
        "unproved/continuous",
        _recogniser(
            "even-pairs",
            "regular-gpt",
            "steps=200 validate_every=50 max_length=12",
            CERTIFY,
            "certify run --strength snapped --out snapped.json",
            "certify run --strength robust --out robust.json",
            *SHOW,
        ),
    )
    for model in ("encoder-cls", "decoder", "gru", "scratchpad"):
        yield f"reported/{model}", _recogniser("parity", model, "", "report run --out report.html")


def _constructions() -> Iterator[tuple[str, Case]]:
    ask = "--longest 40 --all 64 --words 4 --precision float64 --precision float32"
    for spec, settings in {
        "parity": "",
        "tomita-4": "norm=none",
        "d-2": "norm=post",
        "cycle-navigation": "chunk_size=3 target=elements",
        "even-pairs": "",
    }.items():
        yield (
            f"compiled/{spec}",
            Case(
                lines=(
                    f"compile {spec} --out run{_sets(settings)}",
                    f"verify run {ask}",
                    "evaluate run --device cpu --lengths 9,41 --words 16",
                    f"predict run --device cpu << {WORDS[spec]}",
                    CERTIFY,
                    CHECK,
                    *LOOK,
                    "analyse run --length 60 --words 20",
                ),
                quick=spec == "parity",
            ),
        )
    for name in (
        *("parity", "parity-norm", "parity-confident", "first", "first-norm", "first-confident"),
        *("first-scaled", "first-scaled-norm", "first-flawed", "first-flawed-scaled"),
    ):
        yield (
            f"constructions/{name}",
            Case(
                lines=(
                    f"compile chiang2022/{name} --out run",
                    f"verify run {ask}",
                    f"predict run --device cpu << {WORDS['parity']}",
                )
            ),
        )
    for name in ("addition-1", "addition-2", "addition-nor"):
        yield (
            f"constructions/{name}",
            Case(
                lines=(
                    f"compile steps2022/{name} --out run --set bits=2",
                    f"verify run {ask}",
                    "predict run << 0111,1010",
                )
            ),
        )
    for kind in ("circuit", "nor-circuit"):
        lines = (
            f"compile {kind}:adder.bench --out run",
            f"verify run {ask}",
            "predict run << 01,11",
        )
        yield f"constructions/{kind}", Case(lines=lines)


def _steps(spec: str, inputs: str, settings: str = "", model: str = "step-decoder") -> Case:
    return Case(
        lines=(
            f"train {spec} --model {model} --out run {STEPS}{_sets(settings)}",
            "evaluate run --device cpu",
            f"predict run --device cpu << {inputs}",
        ),
        quick=settings == "supervision=medium",
    )


BODY = "d_model=16 num_layers=1 num_heads=2 places=64 window=16 batch_size=2 vocab_size=256"


def _step_by_step() -> Iterator[tuple[str, Case]]:
    addition = "steps:addition"
    for told in ("weak", "medium", "strong"):
        yield f"steps/{told}", _steps(addition, "101011,000000", f"supervision={told}")
    for name, settings in {
        "order-1": "order=1",
        "carries": "order=carries",
        "post": "norm=post position=alibi",
        "double": "precision=double",
        "seed": "data_seed=5 d_model=8 num_layers=2 num_heads=2",
    }.items():
        yield f"steps/{name}", _steps(addition, "101011,000000", settings)
    yield "steps/multiplication", _steps("steps:multiplication", "101011,000000")
    states = _steps("steps:tomita-4", "01101,00010", "length=5")
    line = states.lines[0].replace(" --set bits=3 --set examples=40", " --set examples=20")
    yield "steps/states", Case(lines=(line, *states.lines[1:]))
    pretrain = f"pretrain text.txt --out body --device cpu{_sets(BODY)}"
    begin = f"{pretrain} --set steps=4 --set warmup=0 --set validate_every=2"
    for told in ("weak", "strong"):
        settings = f"supervision={told} body=body"
        gpt2 = _steps(addition, "101011,000000", settings, "gpt2")
        yield (
            f"steps/gpt2-{told}",
            Case(lines=(begin, *gpt2.lines), needs=("transformers", "tokenizers")),
        )


def _language_model(model: str, settings: str = "", *, quick: bool = False) -> Case:
    return Case(
        lines=(
            PREPARE_TEXT,
            f"train text:corpus --model {model} --out run {TEXT}{_sets(settings)}",
            "evaluate run --device cpu --lengths 16,32,64 --words 12",
            "evaluate run --device cpu --lengths 8,20 --words 12 --part valid --seed 2",
            "predict run --device cpu --tokens 9 << the first,a",
            "predict run --device cpu --tokens 9 --temperature 1 --seed 4 << the first",
        ),
        needs=("tokenizers",),
        quick=quick,
    )


def _language_modelling() -> Iterator[tuple[str, Case]]:
    for name, (model, settings) in {
        "regular-gpt-lm": ("regular-gpt-lm", "chunk_size=4 num_layers=2"),
        "regular-gpt-lm-fixed": ("regular-gpt-lm", "chunk_size=2 num_layers=1 levels=3 norm=post"),
        "gpt-lm": ("gpt-lm", "max_length=80 num_layers=2"),
        "gpt-lm-scaled": ("gpt-lm", "position=none scale=log-length num_layers=1 d_hidden=24"),
        "gpt-lm-double": ("gpt-lm", "precision=double position=rope num_layers=1"),
        "gpt-lm-loop": (
            "gpt-lm",
            "max_length=80 accumulate=2 weight_decay=0.1 warmup=5 schedule=constant",
        ),
        **{
            f"gpt-lm-{position}": ("gpt-lm", f"position={position} num_layers=1")
            for position in (
                *("sinusoidal", "t5", "alibi", "kerple-log", "kerple-power"),
                *("rope", "transformer-xl"),
            )
        },
    }.items():
        quick = name == "regular-gpt-lm"
        yield f"text/{name}", _language_model(model, settings, quick=quick)
    yield "text/gpt-lm-norm", _language_model("gpt-lm", "norm=post max_length=80")


def _translator(settings: str = "", options: str = "", *, quick: bool = False) -> Case:
    return Case(
        lines=(
            PREPARE_PAIRS,
            f"train translation:corpus --out run {PAIRS}{_sets(settings)} {options}",
            "evaluate run --device cpu",
            "evaluate run --device cpu --beam 1 --words 3 --part valid --ratio 1.5",
            "translate run --device cpu --beam 3 --length-penalty 0.6 << one red cat,two",
        ),
        needs=("tokenizers", "sacrebleu"),
        quick=quick,
    )


def _translation() -> Iterator[tuple[str, Case]]:
    yield "pairs/encoder-decoder", _translator("num_layers=1", quick=True)
    for name, settings in {
        "norm": "norm=post num_layers=1",
        "dropout": "dropout=0 num_layers=1",
        "scaled": "scale=log-length cross_scale=standard num_layers=1",
        "learned-scale": "scale=learned-log encoder_scale=standard num_layers=1",
        "apart": "shared_embeddings=false num_layers=1 d_hidden=24",
        "smoothing": "label_smoothing=0 num_layers=1 longest=40",
        "double": "precision=double num_layers=1",
    }.items():
        yield f"pairs/{name}", _translator(settings)
    yield "pairs/short", _translator("num_layers=1", "--protocol train-short-test-long")


def _languages() -> Iterator[tuple[str, Case]]:
    yield (
        "languages/words",
        Case(
            lines=(
                *(f"describe {spec}" for spec in (*WORDS, "regex:(0|10*1)*", "modular-arithmetic")),
                *(f"label {spec} << {words}" for spec, words in WORDS.items()),
                "sample d-3 --length 12 --count 9 --class 1",
                "sample modular-arithmetic --length 8 --count 9 --seed 2",
                "sample parity --length 30 --count 5 --seed 5",
                "describe add[base=2,first=high]",
                "describe divide:3",
                "sample gray --length 8 --count 5 --seed 1",
            ),
            quick=True,
        ),
    )


_REPRODUCED = {
    "chiang2022/figure2": "",
    "chiang2022/figure3": "",
    "chiang2022/figure4": "",
    "chiang2022/parity": "",
    "steps2022/figure1": "--seed 3",
    "steps2022/figure2": "",
    "steps2022/table1": "",
    "steps2022/other-tasks": "",
    "chi2023/table1": "",
    "chi2023/table2": "",
    "chi2023/scratchpad": "",
}
"""Experiments that are measured at their smallest, and options."""


def _experiments() -> Iterator[tuple[str, Case]]:
    for name, options in _REPRODUCED.items():
        line = f"reproduce {name} --preset smoke --out out --runs runs {options}"
        yield f"reproduce/{name}", Case(lines=(line,), needs=("lengthwise_papers",))
    yield (
        "reproduce/again",
        Case(
            needs=("lengthwise_papers",),
            lines=(
                "reproduce steps2022/table1 --preset smoke --out out --runs runs --seeds 4,5",
                "reproduce steps2022/table1 --preset smoke --out out --runs runs --seeds 4,5",
                "reproduce steps2022/figure4 --preset smoke --out out --runs runs --seeds 4",
            ),
        ),
    )


def _all() -> dict[str, Case]:
    found: dict[str, Case] = {}
    for cases in (
        *(_recognition, _variants, _proofs, _constructions, _step_by_step),
        *(_language_modelling, _translation, _languages, _experiments),
    ):
        for name, case in cases():
            assert name not in found, f"two cases are named {name}"
            found[name] = case
    return found


CASES: Mapping[str, Case] = _all()
"""All cases by name."""
