"""The second checker (`checker/`), and changed certificates that it and the first one decide."""

import base64
import copy
import fcntl
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.errors import CertificateError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.margins import SnapDistances
from lengthwise.proofs.search.certify import certify
from proofs import windowed
from proofs.forger import (
    HONEST,
    STRUCTURED,
    UNFIT,
    Body,
    body_of,
    falsehood,
    honest,
    model_of,
    one_field,
    sign,
)
from proofs.recurrent import automaton_of, random_recurrence
from proofs.slots import slots_of
from proofs.snapped import (
    automaton_of_states,
    certify_states,
    classes_by_definition,
    parity_network,
)
from proofs.trained import of_odd_length
from proofs.windowed import random_scratchpad

ROOT = Path(__file__).parents[2]

TOGETHER = 200
"""Files that one run of the second checker decides."""


_OF_ROUNDING = (
    "every sign is certain",
    "every answer is certain",
    "every certain row is in the table",
    "other slots cannot change a product",
    "the nearest representative is taken",
    "vectors are nearer to theirs than any is to another",
    "vectors are near their representative",
    "every representative is a vector of the network",
    "the nearest representative is certain",
    "balls hold their images",
)


@dataclass(frozen=True)
class Decision:
    """What a checker says of a file."""

    accepted: bool
    why: str

    @property
    def is_of_another_kind(self) -> bool:
        """Whether the checker does not handle such a certificate."""
        return "is not handled" in self.why

    @property
    def is_of_rounding(self) -> bool:
        """Whether its bounds on rounding are what decided."""
        return any(reason in self.why for reason in _OF_ROUNDING)


def second_checker() -> Path:
    """The program, built if it is not there; tests are skipped without a compiler."""
    if shutil.which("rustc") is None or shutil.which("make") is None:
        pytest.skip("needs rustc and make: apt-get install rustc make")
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "checker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes wait here
        made = subprocess.run(
            ["make", "--silent", "build/checker"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert made.returncode == 0, made.stderr
    return ROOT / "build" / "checker"


def second_says(program: Path, paths: Sequence[Path]) -> list[Decision]:
    """What the second checker says of files."""
    found: list[Decision] = []
    for start in range(0, len(paths), TOGETHER):
        part = list(map(str, paths[start : start + TOGETHER]))
        done = subprocess.run([program, *part], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        assert len(lines) == len(part), done.stderr
        for path, line in zip(part, lines, strict=True):
            verdict, _, why = line.removeprefix(f"{path}: ").partition(": ")
            assert verdict in ("accepted", "refused"), line
            found.append(Decision(accepted=verdict == "accepted", why=why))
        assert done.returncode == (0 if all(one.accepted for one in found[start:]) else 1)
    return found


def first_says(path: Path, *, named: bool = True) -> Decision:
    """What the Python checker says of a file; unless `named`, of it without a specification.

    The second checker does not look at the specification.
    """
    try:
        made = Certificate.load(path)
        if not named:
            made = replace(made, language=replace(made.language, spec=""))
        return Decision(accepted=True, why=check(made).statement)
    except CertificateError as error:
        return Decision(accepted=False, why=str(error))


def is_true(path: Path) -> bool:
    """Whether words show nothing false in what a file states of language and network."""
    made = Certificate.load(path)
    if made.kind == "StateSlots":
        return falsehood(made) == ""
    if made.kind == "Recurrent":
        return is_true_of_states(made)
    if made.strength in ("snapped", "robust"):
        any_distance = SnapDistances(spread=np.inf, gap=0.0)
        return falsehood(replace(made, moved=any_distance)) == ""
    if made.kind in ("RegularGPT", "RationalGPT"):
        assert made.margins is not None
        least = replace(made.margins, sign_distance=0.0)  # margins are not asked for
        return falsehood(replace(made, margins=least)) == ""
    language = made.language
    scratchpad = made.kind == "WindowScratchpad"
    read_off = windowed.automaton_of if scratchpad else automaton_of
    own = replace(
        read_off(model_of(made)),
        alphabet=language.alphabet,
        class_names=language.class_names,
        domain=language.domain,
    )
    wrong = own.difference(language)
    if made.counterexample is None or wrong is None:
        return made.counterexample is None and wrong is None
    return len(language.encode(made.counterexample.word)) == len(wrong)


def is_true_of_states(made: Certificate, longest: int = 9) -> bool:
    """Whether all words to a length show nothing false in what is stated of a snapped state."""
    wrong = None
    for length in range(longest + 1):
        words = [w for w in made.language.words(max_length=length) if len(w) == length]
        answers = classes_by_definition(made, words) if words else []
        off = [w for w, c in zip(words, answers, strict=True) if c != made.language.classify(w)]
        if off:
            wrong = length
            break
    if made.counterexample is None:
        return wrong is None
    claimed = len(made.language.encode(made.counterexample.word))
    return claimed == wrong or (wrong is None and claimed > longest)


# ---- certificates to change ----------------------------------------------------------------------


def _of_recurrence(
    seed: int, *, wrong: bool = False, domain: bool = False, **values: Any
) -> Certificate:
    model = random_recurrence(seed, **values)
    language = automaton_of(model)
    if wrong:
        language = language ^ parse("regex:abba(a|b)*", alphabet="ab")
    if domain:
        language = replace(language, domain=of_odd_length("ab"))
    return certify(model, language)


RECURRENT: dict[str, Callable[[], Certificate]] = {
    "gru": lambda: _of_recurrence(1),
    "gru, float32": lambda: _of_recurrence(2, dtype=torch.float32, num_bits=9),
    "gru, domain": lambda: _of_recurrence(3, domain=True),
    "gru, wrong": lambda: _of_recurrence(4, wrong=True),
    "elman": lambda: _of_recurrence(8, cell="elman", num_bits=4),
    "elman, wrong, float32": lambda: _of_recurrence(
        6, cell="elman", wrong=True, dtype=torch.float32
    ),
    "relu": lambda: _of_recurrence(1, cell="relu", num_bits=9),
    "relu, float32": lambda: _of_recurrence(0, cell="relu", num_bits=4, dtype=torch.float32),
    "relu, domain": lambda: _of_recurrence(
        11, cell="relu", num_bits=9, domain=True, dtype=torch.float32
    ),
    "relu, wrong": lambda: _of_recurrence(6, cell="relu", num_bits=4, wrong=True),
}


def _of_scratchpad(
    seed: int, *, domain: bool = False, wrong: str = "", **values: Any
) -> Certificate:
    model = random_scratchpad(seed, **values)
    language = windowed.automaton_of(model)
    if wrong:
        language = language ^ parse(f"regex:{wrong}", alphabet="ab")
    if domain:
        language = replace(language, domain=of_odd_length("ab"))
    return certify(model, language)


SCRATCHPADS: dict[str, Callable[[], Certificate]] = {
    "scratchpad": lambda: _of_scratchpad(0),
    "scratchpad, float32": lambda: _of_scratchpad(1, dtype=torch.float32, norm="post"),
    "scratchpad, digits": lambda: _of_scratchpad(2, num_states=7, num_digits=2, window=3),
    "scratchpad, two layers": lambda: _of_scratchpad(3, num_layers=2, norm="none"),
    "scratchpad, domain": lambda: _of_scratchpad(4, domain=True, window=4),
    "scratchpad, wrong": lambda: _of_scratchpad(5, wrong="abba(a|b)*", num_layers=2),
}


def of_slots(own: str | Language, about: Language | None = None, **values: Any) -> Certificate:
    """A proof of a network with the states of one language, about that or another one."""
    own = parse(own) if isinstance(own, str) else own
    free = own.total().minimise()
    classes = tuple(min(each, own.num_classes - 1) for each in free.classes)  # outside, too
    states = replace(free, classes=classes, class_names=own.class_names)
    return certify(slots_of(states, **values), about or own)


def on_odd_words(spec: str) -> Language:
    return replace(parse(spec), domain=of_odd_length(), spec="")


def _of_states(cell: str, seed: int, *, wrong: bool = False, **values: Any) -> Certificate:
    network, representatives, language = automaton_of_states(cell, seed, **values)
    if wrong:
        language = language ^ parse("regex:abba(a|b)*", alphabet="ab")
    return certify_states(network, representatives, language)


STATES: dict[str, Callable[[], Certificate]] = {
    "states, elman": lambda: certify(parity_network(), parse("parity")),
    "states, relu": lambda: _of_states("elman-relu", 9),
    "states, gru": lambda: _of_states("gru", 4),
    "states, gru, wrong": lambda: _of_states("gru", 4, wrong=True),
    "states, lstm, float32": lambda: _of_states("lstm", 25, dtype=torch.float32),
    "states, lstm, two layers": lambda: _of_states("lstm", 1, layers=2),
}


SLOTS: dict[str, Callable[[], Certificate]] = {
    "slots": lambda: of_slots("parity", noise=0.05),
    "slots, C=3, float64": lambda: of_slots(
        "cycle-navigation", chunk_size=3, noise=0.05, dtype=torch.float64
    ),
    "slots, 32 states": lambda: of_slots("regex:(0|1)*1(0|1){4}", noise=0.02),
    "slots, wrong": lambda: of_slots("tomita-3", parse("tomita-4"), noise=0.05),
    "slots, domain": lambda: of_slots(on_odd_words("tomita-3"), noise=0.05),
    "slots, fewer states": lambda: of_slots("tomita-3", on_odd_words("tomita-3"), noise=0.05),
    "slots, wrong, domain": lambda: of_slots("tomita-3", on_odd_words("tomita-7")),
}
"""Of the last two and `slots, wrong`, the network has other states than the machine."""

TREES = [name for name in HONEST if name.startswith("discrete")]
TABLES = [name for name in HONEST if name.startswith(("snapped", "robust"))]


@cache
def certificate_of(name: str) -> Certificate:
    """The honest certificate of a name, of the lists above, or of the forger's."""
    own = {**RECURRENT, **SCRATCHPADS, **STATES, **SLOTS}
    return own[name]() if name in own else honest(name)


# ---- changes -----------------------------------------------------------------------------------


def scale_weights(body: Body, choose: random.Random) -> None:
    """Multiply an array of weights, or one of its rows, by a factor of any size."""
    packed = body["weights"][choose.choice(sorted(body["weights"]))]
    array = _array(packed)
    factor = choose.choice([0.5, 2.0, 1.0, 10.0 ** choose.uniform(-12, 12), -1.0])
    part = array[choose.randrange(len(array))] if choose.random() < 0.5 else array
    part *= array.dtype.type(factor)
    _pack(packed, array)


def shift_weights(body: Body, choose: random.Random) -> None:
    """Add a number to an array of weights, or draw noise on it."""
    packed = body["weights"][choose.choice(sorted(body["weights"]))]
    array = _array(packed)
    size = 10.0 ** choose.uniform(-9, 6)
    draw = np.random.default_rng(choose.getrandbits(32))
    noise = draw.normal(size=array.shape) if choose.random() < 0.5 else np.ones(array.shape)
    array += (size * noise).astype(array.dtype)
    _pack(packed, array)


def other_type(body: Body, choose: random.Random) -> None:
    """Store weights in the other type: in float32 they are others, which may answer alike."""
    del choose
    for packed in body["weights"].values():
        array = _array(packed)
        other = np.float32 if array.dtype == np.float64 else np.float64
        packed["type"] = np.dtype(other).name
        _pack(packed, array.astype(other))


def renumber_states(body: Body, choose: random.Random) -> None:
    """Exchange two states of the machine, wherever they stand or only in some places."""
    machine = body["machine"]
    count = len(machine["classes"])
    one, other = choose.randrange(count), choose.randrange(count)
    swap = {one: other, other: one}
    rows = [[swap.get(s, s) for s in row] for row in machine["transitions"]]
    rows[one], rows[other] = rows[other], rows[one]
    classes = machine["classes"]
    classes[one], classes[other] = classes[other], classes[one]
    machine["transitions"], machine["start"] = rows, swap.get(machine["start"], machine["start"])
    if choose.random() < 0.8:
        maps = [[swap.get(s, s) for s in map_] for map_ in body["maps"]]
        for map_ in maps:
            map_[one], map_[other] = map_[other], map_[one]
        body["maps"] = maps
        for level in body["levels"]:
            level["edge"] = sorted([e, swap.get(s, s)] for e, s in level["edge"])


def renumber_codes(body: Body, choose: random.Random) -> None:
    """Exchange two codes, wherever they stand or only where they are named, or add one."""
    codes = body["elements"]["codes"]
    one, other = choose.randrange(len(codes)), choose.randrange(len(codes))
    codes[one], codes[other] = codes[other], codes[one]
    if choose.random() < 0.2:
        codes.append("f0" * (len(codes[0]) // 2))
    if choose.random() < 0.8:
        swap = {one: other, other: one}
        tree = "chunk_size" in body["settings"]
        for level in body["levels"][int(tree) :]:
            for kind in ("interior", "edge"):
                level[kind] = sorted([swap.get(e, e), s] for e, s in level[kind])


def renumber_maps(body: Body, choose: random.Random) -> None:
    """Exchange two state maps, with their numbers or not."""
    maps = body["maps"]
    one, other = choose.randrange(len(maps)), choose.randrange(len(maps))
    maps[one], maps[other] = maps[other], maps[one]
    if choose.random() < 0.8:
        swap = {one: other, other: one}
        for level in body["levels"]:
            level["interior"] = sorted([e, swap.get(m, m)] for e, m in level["interior"])


def longer_proof(body: Body, choose: random.Random) -> None:
    """Repeat the last level, which proves as much where nothing new follows."""
    body["levels"] += [copy.deepcopy(body["levels"][-1])] * choose.randint(1, 3)
    if body["repeats"] is not None and choose.random() < 0.5:
        body["repeats"] += choose.randint(0, 2)


def other_order(body: Body, choose: random.Random) -> None:
    """Write settings in another order, which is allowed, or the parts of something else."""
    owner = body["settings"] if choose.random() < 0.7 else choose.choice([body, body["weights"]])
    items = list(owner.items())
    choose.shuffle(items)
    owner.clear()
    owner.update(items)


def other_kind(body: Body, choose: random.Random) -> None:
    """Take a network for one of the kind that differs in ReLU and in the norm of memory."""
    settings, weights = body["settings"], body["weights"]
    rectified = "attention" in settings or settings.get("cell") == "relu"
    if "chunk_size" in settings and rectified:
        settings.pop("attention")
    elif "chunk_size" in settings:
        settings["attention"] = "relu"
    else:
        settings["cell"] = "elman" if rectified else "relu"
    for part, value in (("weight", 1.0), ("bias", 0.0)):
        name = f"memory.norm.{part}"
        if not rectified:
            weights.pop(name)
        elif choose.random() < 0.95:
            weights[name] = copy.deepcopy(weights["memory.read.bias"])
            _pack(weights[name], np.full_like(_array(weights[name]), value))
    body["weights"] = dict(sorted(weights.items()))


def exchange_slots(body: Body, choose: random.Random) -> None:
    """Exchange two slots wherever they stand, which makes another automaton, or in some places."""
    one, other = choose.sample(range(body["settings"]["num_slots"]), 2)
    for name, axis in (("symbols", 1), ("pad", 0), ("keys", 0)):
        if choose.random() < 0.8:
            array = _array(body["weights"][name])
            rows = np.arange(array.shape[axis])
            rows[[one, other]] = other, one
            _pack(body["weights"][name], array.take(rows, axis))


def renumber_contexts(body: Body, choose: random.Random) -> None:
    """Exchange two contexts, wherever they stand or only where they are named, or add one."""
    contexts = body["elements"]["contexts"]
    one, other = choose.randrange(len(contexts)), choose.randrange(len(contexts))
    contexts[one], contexts[other] = contexts[other], contexts[one]
    if choose.random() < 0.2:
        contexts.append([choose.choice([-1, 0, 99, *contexts[0]]) for _ in contexts[0]])
    if choose.random() < 0.8:
        swap = {one: other, other: one}
        for level in body["levels"]:
            level["edge"] = sorted([swap.get(e, e), s] for e, s in level["edge"])


def other_size(body: Body, choose: random.Random) -> None:
    """Give sizes other values, some of which say the same."""
    names = ["chunk_size", "d_hidden", "num_slots", "num_bits"]
    names += ["window", "num_states", "num_digits"]
    name = choose.choice([name for name in names if name in body["settings"]])
    own = body["settings"][name]
    body["settings"][name] = choose.choice(
        [0, 2, 32, 33, own + 1, own - 1, 4 * body["settings"]["d_model"]]
    )


def move_states(body: Body, choose: random.Random) -> None:
    """Move a representative, exchange two, or double a state's distance from another: a tie."""
    packed = body["elements"]["representatives"]
    states = _array(packed)
    one, other = choose.randrange(len(states)), choose.randrange(len(states))
    how = choose.randrange(4)
    if how == 0:
        states[one] += 10.0 ** choose.uniform(-12, 3) * choose.choice([-1, 1])
    elif how == 1:
        states[[one, other]] = states[[other, one]]
    elif how == 2:
        states[one] = 2 * states[other] - states[one]
    else:
        states[one, choose.randrange(states.shape[1])] = choose.choice(
            [np.nan, np.inf, 1e300, -0.0]
        )
    _pack(packed, states)


def renumber_pairs(body: Body, choose: random.Random) -> None:
    """Exchange two pairs of a representative and a class, name one twice, or change a number."""
    pairs = body["elements"]["pairs"]
    one, other = choose.randrange(len(pairs)), choose.randrange(len(pairs))
    how = choose.randrange(3)
    if how == 0:
        pairs[one], pairs[other] = pairs[other], pairs[one]
        swap = {one: other, other: one}
        for level in body["levels"]:
            level["edge"] = sorted([swap.get(e, e), s] for e, s in level["edge"])
    elif how == 1:
        pairs.append(list(pairs[one]))
    else:
        pairs[one][choose.randrange(2)] = choose.randrange(-1, 9)


OWN: tuple[Callable[[Body, random.Random], None], ...] = (
    scale_weights,
    shift_weights,
    other_type,
    renumber_states,
    renumber_codes,
    renumber_contexts,
    renumber_maps,
    longer_proof,
    other_order,
    other_kind,
    exchange_slots,
    other_size,
    move_states,
    renumber_pairs,
)


def change(name: str, seed: int) -> tuple[str, bytes]:
    """A changed certificate, signed, and what was done: one to three changes."""
    choose = random.Random(f"{name} {seed}")
    body = body_of(certificate_of(name))
    done = []
    for _ in range(choose.choice([1, 1, 1, 2, 3])):
        how = choose.choice([one_field, choose.choice(STRUCTURED), choose.choice(OWN)])
        with np.errstate(all="ignore"), suppress(*UNFIT):
            how(body, choose)
        done.append(how.__name__)
    content = sign(body)
    if choose.random() < 0.1:
        content = _damage(content, choose)
        done.append("damaged")
    return "+".join(done), content


def _damage(content: bytes, choose: random.Random) -> bytes:
    """Change some bytes, and leave the digest as it is."""
    place = choose.randrange(len(content))
    other = choose.choice([b"", b" ", b"0", b"\n", b"\xff", b"e", b'"'])
    return content[:place] + other + content[place + choose.randint(0, 2) :]


def _array(packed: Body) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["base64"]), dtype=packed["type"])
    return raw.reshape(packed["shape"]).copy()


def _pack(packed: Body, array: np.ndarray) -> None:
    packed["base64"] = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
