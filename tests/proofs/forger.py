"""A forger of certificates, and an oracle that says whether what a certificate states is true.

The forger knows the format and signs what it has changed. It changes single fields in all ways
that their types allow, several at once, and whole structures: levels, tables, balls, names,
networks. The oracle knows words alone: it runs the network of the file on them.
"""

import base64
import copy
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import groupby, product
from pathlib import Path
from typing import Any

import numpy as np
import torch

import lengthwise as lw
from function_strategies import draw_function, inputs_of, slow_output
from lengthwise.errors import LengthwiseError
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.functions.reading import reading_of
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.languages.spec import names_function, parse
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.integrity import PROVABLE
from proofs.search.test_robust import parity_by_hand
from proofs.trained import (
    ENDS_WITH_1,
    last_symbol,
    of_odd_length,
    random_model,
    random_rational,
)

Body = dict[str, Any]

# ---- honest certificates ---------------------------------------------------------------------


def _certain(seed: int, **settings: Any) -> Certificate:
    """A proof of a random network about the language that is its own."""
    model = random_model(ENDS_WITH_1, seed, num_bits=3, **settings)
    own = language_of(extract_algebra(model).algebra, ("0", "1"), ("0", "1"))
    return certify(model, own)


def _rational(seed: int, *, wrong: str = "", **settings: Any) -> Certificate:
    """The same of a network in rational arithmetic; words of `wrong` have the other class."""
    model = random_rational(seed, num_classes=2, **settings)
    own = language_of(extract_algebra(model).algebra, ("0", "1"), ("0", "1"))
    return certify(model, own ^ parse(f"regex:{wrong}", alphabet="01") if wrong else own)


def _compile_network(spec: str, strength: Any, **settings: Any) -> Certificate:
    return certify(lw.compile(spec, **settings).model, parse(spec), strength=strength)


HONEST: dict[str, Callable[[], Certificate]] = {
    "discrete, C=2": lambda: certify(last_symbol(), ENDS_WITH_1),
    "discrete, C=3, domain": lambda: certify(
        last_symbol(3), replace(ENDS_WITH_1, domain=of_odd_length())
    ),
    "discrete, post": lambda: _certain(2, norm="post"),
    "discrete, pre, C=3": lambda: _certain(25, norm="pre", chunk_size=3),
    "discrete, no pad": lambda: _certain(2, pad="absent"),
    "discrete, thick": lambda: _certain(31, num_layers=2, norm="none"),
    "discrete, wrong": lambda: certify(
        last_symbol(), ENDS_WITH_1 ^ parse("regex:(0|1)(0|1)(0|1)1*0", alphabet="01")
    ),
    "discrete, wrong, domain": lambda: certify(
        last_symbol(), replace(~ENDS_WITH_1, domain=of_odd_length())
    ),
    "discrete, rational": lambda: _rational(13, dtype=torch.float32),
    "discrete, rational, C=3": lambda: _rational(7, chunk_size=3, pad="absent"),
    "discrete, rational, thick": lambda: _rational(8, num_layers=2, num_heads=2),
    "discrete, rational, wrong": lambda: _rational(
        8, dtype=torch.float32, wrong="(0|1)(0|1)(0|1)1*0"
    ),
    "snapped, C=2": lambda: _compile_network("parity", "snapped"),
    "snapped, C=3": lambda: _compile_network("regex:(0|1)*1", "snapped", chunk_size=3),
    "snapped, leak": lambda: certify(
        parity_by_hand(leak=0.02), parse("parity"), strength="snapped"
    ),
    "snapped, wrong": lambda: certify(
        lw.compile("parity").model, parse("even-pairs"), strength="snapped"
    ),
    "snapped, 0*10*": lambda: _compile_network("regex:0*10*", "snapped"),
    "robust, C=2": lambda: certify(parity_by_hand(), parse("parity"), strength="robust"),
    "robust, C=3": lambda: _compile_network("parity", "robust", chunk_size=3),
    "robust, domain": lambda: certify(
        parity_by_hand(),
        replace(parse("parity"), domain=of_odd_length(), spec=""),
        strength="robust",
    ),
    "robust, wrong": lambda: certify(
        parity_by_hand(), parse("regex:(0|1)*1", alphabet="01"), strength="robust"
    ),
}
"""By name: all kinds, with every chunk, pad, norm and domain that a small network can have."""


def _of_function(spec: str) -> Certificate:
    """A proof of the network of computed weights that writes the outputs of a function."""
    return certify(lw.compile(spec).model, parse(spec), strength="snapped")


FUNCTIONS: dict[str, Callable[[], Certificate]] = {
    "prefixes:parity": lambda: certify(
        lw.load("zoo:parity").model, reading_of(lw.function("prefixes:parity")).language
    ),
    **{
        spec: partial(_of_function, spec)
        for spec in (
            "gray",
            "increment[base=2]",
            "increment[base=2,first=high]",
            "rule:a -> b / b _ b",
            "add[base=2]",
            "add[base=2,first=high]",
            *(draw_function(seed, left=2, right=right).line for seed, right in ((0, 1), (1, 2))),
        )
    },
}
"""Those about functions, sequential ones and bimachines; the first is discrete, and the last two
have no name but their line."""


@cache
def honest(name: str) -> Certificate:
    """The honest certificate of a name."""
    return FUNCTIONS[name]() if name in FUNCTIONS else HONEST[name]()


def body_of(made: Certificate) -> Body:
    """The content of the file but for its digest."""
    body: Body = json.loads(made.to_bytes())
    body.pop("digest")
    return body


def sign(body: Body) -> bytes:
    """The file with the digest of what it says now."""

    def canonical(value: Body) -> bytes:
        return (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode()

    digest = hashlib.sha256(canonical(body)).hexdigest()
    return canonical({**body, "digest": digest})


# ---- forgeries -------------------------------------------------------------------------------

_TEXTS = (
    "",
    "0",
    "1",
    "parity",
    "tomita-3",
    "regex:(0|1)*0",
    "att:x",
    "\x1b[2K\rTrue",
    "a b",
    "\u202e",
)
_NUMBERS = (0, 1, 2, 3, -1, -2, 7, 2**31, 2**62, 2**63, -(2**63))


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where all parts of a JSON value stand."""
    yield here
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            yield from paths(each, (*here, key))


def at(body: Any, path: tuple[Any, ...]) -> Any:
    """The part that stands there."""
    for key in path:
        body = body[key]
    return body


def one_field(body: Body, choose: random.Random) -> None:
    """Change one field somewhere, in one of the ways that its type allows."""
    known = [path for path in paths(body) if path]
    tops = sorted({path[0] for path in known})
    top = choose.choice(tops)  # so that weights, which are many, do not take it all
    path = choose.choice([path for path in known if path[0] == top])
    owner, key = at(body, path[:-1]), path[-1]
    value = owner[key]
    if isinstance(value, dict) and set(value) == {"type", "shape", "base64"}:
        _change_array(value, choose)
    elif isinstance(value, bool) or value is None:
        owner[key] = choose.choice([True, False, None, 0, 1, "x", *_NUMBERS])
    elif isinstance(value, int):
        owner[key] = choose.choice(
            [value + 1, value - 1, -value, float(value), *_NUMBERS, None, ""]
        )
    elif isinstance(value, float):
        owner[key] = choose.choice([value * 2, value / 2, -value, 0.0, 1e300, value + 1e-6, 5e-324])
    elif isinstance(value, str):
        _change_text(owner, key, choose)
    else:
        _change_container(owner, key, choose, body, known)


def _change_text(owner: Any, key: Any, choose: random.Random) -> None:
    value = owner[key]
    if key == "base64":
        _change_array(owner, choose)
        return
    place = choose.randrange(len(value) + 1)
    owner[key] = choose.choice(
        [
            *_TEXTS,
            value[::-1],
            value[:place],
            value + value[:place],
            value.upper(),
            value.swapcase(),
        ]
    )


def _change_array(packed: Body, choose: random.Random) -> None:
    raw = np.frombuffer(base64.b64decode(packed["base64"]), dtype=np.dtype(packed["type"]))
    try:
        array = raw.reshape(packed["shape"]).copy()
    except ValueError:
        array = raw.copy()
    kind = choose.randrange(9)
    if kind == 0 and array.ndim and len(array) > 1:
        array = np.delete(array, choose.randrange(len(array)), axis=0)
    elif kind == 1 and array.ndim and len(array):
        array = np.concatenate([array, array[: choose.randint(1, len(array))]])
    elif kind == 2 and array.ndim and len(array) > 1:
        a, b = choose.sample(range(len(array)), 2)
        array[[a, b]] = array[[b, a]]
    elif array.size:
        flat = array.reshape(-1)
        place = choose.randrange(len(flat))
        if array.dtype.kind == "f":
            factor = choose.choice([0.0, -1.0, 2.0, 1 + 1e-3, 1e-20, 1e20, np.nan, np.inf])
            if kind < 5:
                flat[place] = choose.choice([flat[place] * factor, flat[place] + factor])
            else:
                flat *= factor
        else:
            flat[place] = choose.choice([flat[place] + 1, flat[place] - 1, *range(-2, 5)])
    packed.update(
        type=array.dtype.name,
        shape=list(array.shape),
        base64=base64.b64encode(np.ascontiguousarray(array).tobytes()).decode(),
    )


def _change_container(
    owner: Any, key: Any, choose: random.Random, body: Body, known: list[tuple[Any, ...]]
) -> None:
    value = owner[key]
    kind = choose.randrange(7)
    if isinstance(value, list) and value and kind < 5:
        place = choose.randrange(len(value))
        if kind == 0:
            value.pop(place)
        elif kind == 1:
            value.insert(place, copy.deepcopy(choose.choice(value)))
        elif kind == 2:
            value.reverse()
        elif kind == 3:
            other = choose.randrange(len(value))
            value[place], value[other] = value[other], value[place]
        else:
            value.clear()
    elif isinstance(value, dict) and value and kind < 4:
        name, other = choose.choice(list(value)), choose.choice(list(value))
        if kind == 0:
            value.pop(name)
        elif kind == 1:
            value[choose.choice(["extra", "", "dropout"])] = copy.deepcopy(value[name])
        else:
            value[name], value[other] = value[other], value[name]
    else:
        owner[key] = copy.deepcopy(at(body, choose.choice(known)))


def shift_the_repeat(body: Body, choose: random.Random) -> None:
    """Let another level recur, of the pairs or of the tables, perhaps with levels cut off."""
    if choose.random() < 0.5 and "repeat" in body["elements"]:
        body["elements"]["repeat"] = choose.randint(-2, len(body["elements"]["levels"]) + 1)
    if choose.random() < 0.7 and body["levels"]:
        body["repeats"] = choose.randint(-1, len(body["levels"]))
    if choose.random() < 0.5:
        levels = choose.choice([body["levels"], body["elements"].get("levels", [])])
        if levels and choose.random() < 0.5:
            del levels[choose.randrange(len(levels)) :]
        elif levels:
            levels += copy.deepcopy(levels[choose.randrange(len(levels)) :])


def merge_elements(body: Body, choose: random.Random) -> None:
    """Take one element for another wherever it stands."""
    numbers = sorted({pair[0] for level in body["levels"][1:] for k in level for pair in level[k]})
    if len(numbers) < 2:
        return
    one, other = choose.sample(numbers, 2)
    kinds = choose.choice([("interior",), ("edge",), ("interior", "edge")])
    for level in body["levels"][1:]:
        for kind in kinds:
            renamed = {(other if e == one else e, s) for e, s in level[kind]}
            level[kind] = [list(pair) for pair in sorted(renamed)]
    for level in body["elements"].get("levels", []):
        for kind in kinds:
            _renumber(level[kind]["elements"], one, other)
            _renumber(level[kind]["children"], one, other)


def _renumber(packed: Body, one: int, other: int) -> None:
    array = np.frombuffer(base64.b64decode(packed["base64"]), dtype=np.int64).copy()
    array[array == one] = other
    packed["base64"] = base64.b64encode(array.tobytes()).decode()


def swap_classes(body: Body, choose: random.Random) -> None:
    """Exchange classes in the language, in the machine, in the read-out, or their names."""
    language = body["language"]
    places = choose.sample(["language", "machine", "names", "spec", "answer", "wrong"], 3)
    if "language" in places:
        language["classes"] = [1 - c if c in (0, 1) else c for c in language["classes"]]
    if "machine" in places:
        body["machine"]["classes"] = [
            1 - c if c in (0, 1) else c for c in body["machine"]["classes"]
        ]
    if "names" in places:
        language["class_names"].reverse()
    if "spec" in places:
        language["spec"] = choose.choice(_TEXTS)
    if "answer" in places:
        for name in ("answer.weight", "answer.bias"):
            packed = body["weights"][name]
            array = np.frombuffer(base64.b64decode(packed["base64"]), dtype=packed["type"])
            turned = np.ascontiguousarray(array.reshape(packed["shape"])[::-1])
            packed["base64"] = base64.b64encode(turned.tobytes()).decode()
    if "wrong" in places and body["counterexample"]:
        wrong = body["counterexample"]
        wrong["model"], wrong["language"] = wrong["language"], wrong["model"]


def change_balls(body: Body, choose: random.Random) -> None:
    """Widen, shrink or move balls and representatives."""
    for level in body["elements"].get("levels", []):
        for kind in level.values():
            for name in ("radius", "representatives"):
                if name in kind and choose.random() < 0.6:
                    array = np.frombuffer(base64.b64decode(kind[name]["base64"])).copy()
                    factor = choose.choice([0.0, 0.5, 0.99, 1.01, 2.0, 100.0, 1e300, np.inf])
                    array = array + factor if choose.random() < 0.3 else array * factor
                    kind[name]["base64"] = base64.b64encode(array.tobytes()).decode()


def another_language(body: Body, choose: random.Random) -> None:
    """Prove it of another language: one class or transition changed, and the machine made anew."""
    language = from_dict(body["language"])
    rows = [list(row) for row in language.transitions]
    classes = list(language.classes)
    state = choose.randrange(len(rows))
    if choose.random() < 0.5:
        classes[state] = choose.randrange(len(language.class_names))
    else:
        rows[state][choose.randrange(len(rows[state]))] = choose.randrange(len(rows))
    changed = replace(language, transitions=tuple(map(tuple, rows)), classes=tuple(classes))
    if choose.random() < 0.3:
        changed = replace(changed, domain=choose.choice([None, of_odd_length(), ~of_odd_length()]))
    if choose.random() < 0.5:
        changed = replace(changed, spec=choose.choice(_TEXTS))
    _take(body, changed)


def another_name(body: Body, choose: random.Random) -> None:
    """Prove it of a language of the catalogue, whole."""
    spec = choose.choice(["parity", "even-pairs", "tomita-3", "tomita-5", "regex:(0|1)*1"])
    language = parse(spec) if choose.random() < 0.8 else from_dict(body["language"])
    _take(body, replace(language, spec=choose.choice([spec, "", *_TEXTS])))


def _take(body: Body, language: Language) -> None:
    small = language.total().minimise()
    body["language"] = to_dict(language)
    body["machine"] = json.loads(
        json.dumps(
            {"transitions": small.transitions, "classes": small.classes, "start": small.start}
        )
    )


def another_model(body: Body, choose: random.Random) -> None:
    """Weights or settings of another network, or the same with another chunk, norm or pad."""
    other = body_of(honest(choose.choice(list(HONEST))))
    for name in choose.sample(["weights", "settings", "elements"], choose.randint(1, 3)):
        body[name] = other[name]
    if choose.random() < 0.6:
        name, value = choose.choice(
            [
                *(("chunk_size", c) for c in (0, 1, 2, 3, 4)),
                *(("norm", n) for n in ("post", "pre", "none")),
                *(("pad", p) for p in ("learned", "absent")),
                *(("memory", m) for m in ("binary", "continuous")),
                *(("num_bits", 2), ("activation", "gelu"), ("embedding_scale", 1e-3)),
                *(("num_layers", 2), ("noise", 7.0), ("extra", 1), ("dropout", 0.5)),
                *(("attention", a) for a in ("relu", "softmax")),
            ]
        )
        body["settings"][name] = value
        if name == "chunk_size":
            for packed in (w for n, w in body["weights"].items() if n.endswith("attention.bias")):
                heads = packed["shape"][0]
                packed["shape"] = [heads, value]
                array = np.zeros(heads * int(value), dtype=packed["type"])
                packed["base64"] = base64.b64encode(array.tobytes()).decode()


def another_verdict(body: Body, choose: random.Random) -> None:
    """Turn a counterexample into a proof, a proof into a counterexample, or the kind of it."""
    body["verdict"] = choose.choice(["equivalent", "counterexample", "not-closed"])
    body["strength"] = choose.choice(["discrete", "snapped", "robust"])
    if body["verdict"] == "equivalent":
        body["counterexample"] = body["checked_length"] = None
        body["repeats"] = choose.randint(1, max(1, len(body["levels"]) - 1))
    else:
        word = "".join(choose.choice("01") for _ in range(choose.randrange(6)))
        body["counterexample"] = {"word": word, "model": "1", "language": "0"}
        body["checked_length"], body["repeats"] = len(word) - 1, None


def consistent_lie(body: Body, choose: random.Random) -> None:
    """Tables that say something else, and everything that follows from them made anew.

    Only the vectors, or the answers, can tell that it is a lie.
    """
    levels = body["elements"].get("levels", [])
    for _ in range(choose.randint(0, 3)):
        merge = choose.choice(levels)[choose.choice(["interior", "edge"])]
        array = np.frombuffer(base64.b64decode(merge["elements"]["base64"]), dtype=np.int64).copy()
        array[choose.randrange(len(array))] = choose.choice(array)
        merge["elements"]["base64"] = base64.b64encode(array.tobytes()).decode()
    if choose.random() < 0.3:
        body["elements"]["repeat"] = choose.randint(0, len(levels))
    if choose.random() < 0.3:
        change_balls(body, choose)
    if choose.random() < 0.5:
        choose.choice([another_name, another_language])(body, choose)
    body["verdict"], body["counterexample"], body["checked_length"] = "equivalent", None, None
    _rebuild(body)


def _rebuild(body: Body) -> None:
    """Maps, levels and what they repeat, as they follow from the tables."""
    language = from_dict(body["language"])
    known = MonoidElements(language)
    chunk, repeat = body["settings"]["chunk_size"], body["elements"]["repeat"]
    tables: list[dict[str, dict[tuple[int, ...], int]]] = []
    for level in body["elements"]["levels"]:
        tables.append({})
        for kind in ("interior", "edge"):
            children, elements = (
                np.frombuffer(base64.b64decode(level[kind][name]["base64"]), dtype=np.int64)
                for name in ("children", "elements")
            )
            rows = map(tuple, children.reshape(-1, chunk).tolist())
            tables[-1][kind] = dict(zip(rows, elements.tolist(), strict=True))
    start, symbols = known.machine.start, range(language.num_symbols)
    maps = [known.maps[known.symbols[s]] for s in symbols]
    inner = {
        (s, tuple(maps[s].tolist())) for s in symbols if known.leads_in(0, chunk)[maps[s]].any()
    }
    outer = {(s, int(m[start])) for s, m in enumerate(maps) if known.leads_in(0, chunk)[m[start]]}
    found = [(inner, outer)]
    while found[-1] not in found[1:-1] and len(found) < 12:
        level = len(found) - 1
        count = len(tables)
        at_level = level if level < count else repeat + (level - repeat) % (count - repeat)
        good = known.leads_in(level + 1, chunk)
        inner, outer = found[-1]
        next_inner, next_outer = set(), set()
        for chunks in product(sorted(inner), repeat=chunk):
            does = list(range(len(known.machine.transitions)))
            for _, map_ in chunks:
                does = [map_[state] for state in does]
            if good[does].any():
                key = tuple(element for element, _ in chunks)
                next_inner.add((tables[at_level]["interior"][key], tuple(does)))
        for used in range(1, chunk + 1):
            for (first, begun), *rest in product(sorted(outer), *[sorted(inner)] * (used - 1)):
                state = begun
                for _, map_ in rest:
                    state = map_[state]
                if good[state]:
                    key = (-1,) * (chunk - used) + (first, *(element for element, _ in rest))
                    next_outer.add((tables[at_level]["edge"][key], state))
        found.append((next_inner, next_outer))
    named = sorted({map_ for inner, _ in found for _, map_ in inner})
    body["maps"] = [list(map_) for map_ in named]
    body["levels"] = [
        {
            "interior": sorted([e, named.index(map_)] for e, map_ in inner),
            "edge": sorted([e, state] for e, state in outer),
        }
        for inner, outer in found
    ]
    body["repeats"] = found[1:].index(found[-1]) + 1


STRUCTURED: tuple[Callable[[Body, random.Random], None], ...] = (
    shift_the_repeat,
    merge_elements,
    swap_classes,
    change_balls,
    another_language,
    another_name,
    another_model,
    another_verdict,
    consistent_lie,
    consistent_lie,  # twice, since it comes furthest
)


def another_function(body: Body, choose: random.Random) -> None:
    """Prove it of another function: by name alone, whole, or with one output changed."""
    spec = choose.choice([*FUNCTIONS])
    function = lw.function(body["language"]["spec"] if choose.random() < 0.5 else spec)
    if choose.random() < 0.3:
        body["language"]["spec"] = spec
        return
    table = [[list(cells) for cells in rows] for rows in function.table]
    row = choose.choice(choose.choice(table))
    row[choose.randrange(len(row))] = choose.randrange(len(function.outputs))
    changed = replace(function, table=tuple(tuple(map(tuple, rows)) for rows in table))
    _take(body, replace(reading_of(changed).language, spec=function.spec or function.line))


UNFIT = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, LengthwiseError)


def forge(name: str, seed: int) -> tuple[str, bytes]:
    """A forgery of an honest certificate, signed, and what was done: one to three changes."""
    choose = random.Random(seed)
    body = body_of(honest(name))
    done = []
    known = (*STRUCTURED, another_function, another_function) if name in FUNCTIONS else STRUCTURED
    for _ in range(choose.choice([1, 1, 1, 2, 3])):
        how = one_field if choose.random() < 0.5 else choose.choice(known)
        with (
            np.errstate(all="ignore"),
            suppress(*UNFIT),
        ):  # what an earlier change left may not fit this one
            how(body, choose)
        done.append(how.__name__)
    return "+".join(done), sign(body)


# ---- is it true? -----------------------------------------------------------------------------


def falsehood(verified: Certificate) -> str:
    """What of a statement is false, by words alone; empty if nothing is."""
    language = verified.language
    if language.spec:
        named = parse(language.spec)
        if named.class_names != language.class_names or named.difference(language) is not None:
            return f"the language is not {language.spec}"
    words = [word for word in _words(language) if _inside(language, word)]
    answers, figures = _answers(verified, words)
    wrong = [w for w, a in zip(words, answers, strict=True) if a != language.classify(w)]
    if figures:
        return figures
    if verified.verdict == "equivalent":
        return f"the word {wrong[0]} is wrong" if wrong else ""
    claimed = verified.counterexample
    assert claimed is not None
    word = language.encode(claimed.word)
    given = _answers(verified, [word])[0][0]
    true = language.classify(word)
    if (claimed.model, claimed.language) != (
        language.class_names[given],
        language.class_names[true],
    ):
        return "the counterexample has other classes"
    if given == true:
        return "the counterexample is right"
    shorter = [w for w in wrong if len(w) < len(word)]
    return f"the word {shorter[0]} is wrong and shorter" if shorter else ""


def false_output(verified: Certificate) -> str:
    """Which output symbol is wrong of a certificate that says all are right; empty if none is."""
    spec = verified.language.spec
    if verified.verdict != "equivalent" or not names_function(spec):
        return ""
    function = lw.function(spec)
    reading, inputs = reading_of(function), inputs_of(function, 4)
    classes = dict(zip(inputs, _answers(verified, inputs)[0], strict=True))
    for word in inputs:
        prefixes = [classes[word[: place + 1]] for place in range(len(word))]
        suffixes = [classes[word[:place:-1]] for place in range(len(word))]
        outputs = reading.outputs(np.array(prefixes, int), np.array(suffixes, int))
        if function.decode(outputs.tolist()) != slow_output(function, word):
            return f"the output of {word} is wrong"
    return ""


def _words(language: Language) -> list[tuple[int, ...]]:
    symbols = range(language.num_symbols)
    most = 1
    while language.num_symbols ** (most + 1) <= 600 and most < 9:
        most += 1
    short = [word for length in range(most + 1) for word in product(symbols, repeat=length)]
    choose = random.Random(0)
    return short + [tuple(choose.choices(symbols, k=length)) for length in range(9, 70, 2)]


def _inside(language: Language, word: tuple[int, ...]) -> bool:
    return language.domain is None or language.domain.classify(word) == 1


def model_of(verified: Certificate) -> Any:
    """The network of a certificate, as torch runs it, with its weights."""
    kind: Any = next(each for each in PROVABLE if each.__name__ == verified.kind)
    model = kind(PROVABLE[kind].from_dict(verified.settings))
    weights = {name: torch.from_numpy(weight.copy()) for name, weight in verified.weights.items()}
    model.to(next(iter(weights.values())).dtype).load_state_dict(weights)
    return model.eval()


def _answers(verified: Certificate, words: list[tuple[int, ...]]) -> tuple[list[int], str]:
    """The classes that the model of a statement gives, and which figure is false."""
    model = model_of(verified)
    with torch.no_grad():
        if verified.strength == "snapped":
            snapped = _SnappedByNearest(model.double(), verified)
            answers = [c for same in _by_length(words) for c in snapped.classify(same)]
            return answers, snapped.false_figure()
        answers = [c for same in _by_length(words) for c in model(same).argmax(dim=1).tolist()]
        return answers, _false_distance(model.double(), verified, words)


def _by_length(words: list[tuple[int, ...]]) -> Iterator[torch.Tensor]:
    """Words of one length after the other, as tokens `[word, place]`."""
    for _, same in groupby(words, key=len):
        yield torch.tensor(list(same), dtype=torch.int64)


def _false_distance(model: RegularGPT, verified: Certificate, words: list[tuple[int, ...]]) -> str:
    """Whether numbers before a sign come nearer to 0 than is claimed, in words of its lengths."""
    if verified.strength != "discrete":
        return ""
    assert verified.margins is not None
    claimed = verified.margins.sign_distance
    assert claimed is not None
    most = verified.checked_length
    asked = [word for word in words if most is None or len(word) <= most]
    memory: Any = model.memory
    met: list[float] = []
    seen = memory.write.register_forward_hook(lambda _, __, out: met.append(float(out.abs().min())))
    for same in _by_length(asked):
        model(same)
    seen.remove()
    far = min(met, default=np.inf) >= claimed * (1 - 1e-9) - 1e-9
    return "" if far else f"numbers are nearer to 0 than {claimed}"


class _SnappedByNearest:
    """The network with each vector replaced by the nearest representative of the file."""

    def __init__(self, model: RegularGPT, verified: Certificate) -> None:
        self.model, self.verified = model, verified
        self.repeat = verified.elements["repeat"]
        self.levels = [
            tuple(_vectors(level[kind]["representatives"]) for kind in ("interior", "edge"))
            for level in verified.elements["levels"]
        ]
        self.spread, self.gap = 0.0, np.inf

    def classify(self, words: torch.Tensor) -> list[int]:
        """The classes of words of one length."""
        chunk = self.model.config.chunk_size
        leaves = self.model.leaf(torch.arange(self.model.config.vocab_size))
        count, length = words.shape
        if not length:
            pads = torch.full((count, chunk), -1)
            answers: list[int] = (
                self.model.read(self.model.gather(leaves[:0], pads)).argmax(dim=1).tolist()
            )
            return answers
        vectors, level = leaves[words], 0
        while vectors.shape[1] > 1 or level == 0:
            size = vectors.shape[1]
            places = torch.arange(-(-size % chunk), size)
            rows = torch.arange(count)[:, None] * size + places
            children = torch.where(places >= 0, rows, -1).reshape(-1, chunk)
            images = self.model.gather(vectors.flatten(0, 1), children)
            images = images.view(count, -1, images.shape[1])
            inner, outer = self.levels[self._phase(level)]
            first = self._nearest(images[:, :1], outer)
            vectors = torch.cat([first, self._nearest(images[:, 1:], inner)], dim=1)
            level += 1
        classes: list[int] = self.model.read(vectors[:, 0]).argmax(dim=1).tolist()
        return classes

    def false_figure(self) -> str:
        moved = self.verified.moved
        assert moved is not None
        if self.spread > moved.spread * (1 + 1e-6) + 1e-9:
            return f"a vector was moved by {self.spread}"
        if self.gap < (np.inf if moved.gap is None else moved.gap) * (1 - 1e-6) - 1e-9:
            return f"another representative is {self.gap} away"
        return ""

    def _phase(self, level: int) -> int:
        count = len(self.levels)
        return (
            level if level < count else self.repeat + (level - self.repeat) % (count - self.repeat)
        )

    def _nearest(self, images: torch.Tensor, these: torch.Tensor) -> torch.Tensor:
        if not images.numel():
            return images
        apart, order = (images[:, :, None] - these).norm(dim=-1).sort(dim=-1)
        self.spread = max(self.spread, float(apart[:, :, 0].max()))
        if len(these) > 1:
            self.gap = min(self.gap, float(apart[:, :, 1].min()))
        return these[order[:, :, 0]]


def _vectors(packed: Body) -> torch.Tensor:
    array = np.frombuffer(base64.b64decode(packed["base64"]), dtype=packed["type"])
    return torch.from_numpy(array.reshape(packed["shape"]).copy())


def write(content: bytes, folder: Path) -> Path:
    """A file with this content."""
    path = folder / "forged.json"
    path.write_bytes(content)
    return path
