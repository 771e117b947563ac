"""The program that a compiled network runs, layer by layer, and its attention on a word.

The program follows from the language and the settings, as when the network was compiled. So the
weights are compared with those that the program has: what is explained is what runs.

Axes:
    query  positions that attend
    key    positions that are attended to
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lengthwise.constructions.construction import Computed
from lengthwise.constructions.defaults import DEFAULT
from lengthwise.constructions.diagrams import Condition
from lengthwise.constructions.encoder_programs import (
    StreamReading,
    align_rows,
    encoder_steps,
    read_stream,
)
from lengthwise.constructions.known_constructions import CONSTRUCTIONS, RUNG, is_construction
from lengthwise.constructions.lookups import LookupDesign
from lengthwise.constructions.programs import Counter, LookupTable, Memory, Program, TallyOf
from lengthwise.constructions.rungs import RUNGS
from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.layers.attention import Attention
from lengthwise.models.causal_recogniser import PrefixRecogniser
from lengthwise.models.encoder import Encoder

MAX_WORD = 200
"""Longest word on which attention is shown."""

SHOWN = 40
"""Largest number of states whose moves are written out."""


@dataclass(frozen=True, kw_only=True)
class HeadOnWord:
    """The attention of a head on a word."""

    layer: int
    """Counted from 1; a layer that runs several times counts as often."""
    head: int
    what: str
    """The memory that the head serves, or what it does."""
    weights: tuple[tuple[float, ...], ...]
    """`weights[query][key]`; position 0 is the start symbol."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The answers, memories and attention of a network on a word."""

    word: tuple[str, ...]
    classes: tuple[str, ...]
    """The class of every prefix, that of the empty word first, as the network answers."""
    values: Mapping[str, tuple[int, ...]]
    """The value of each memory at every position, as the program says."""
    heads: tuple[HeadOnWord, ...]

    def lines(self) -> Iterator[str]:
        """Yield the memories and the class of every prefix, and where each head attends."""
        rows = [["position", "symbol", *self.values, "class"]]
        for i, name in enumerate(self.classes):
            symbol = "start" if i == 0 else self.word[i - 1]
            rows.append([str(i), symbol, *(str(held[i]) for held in self.values.values()), name])
        yield "word"
        yield from align_rows(rows)
        for head in self.heads:
            yield f"layer {head.layer}, head {head.head} ({head.what})"
            for i, weights in enumerate(head.weights):
                yield f"  {i} attends to {_format_weights(weights)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; attention is `heads`, each with `weights[query][key]`."""
        return {
            "symbols": list(self.word),
            "classes": list(self.classes),
            "memories": {name: list(values) for name, values in self.values.items()},
            "heads": [
                {
                    "layer": head.layer,
                    "head": head.head,
                    "what": head.what,
                    "weights": [list(row) for row in head.weights],
                }
                for head in self.heads
            ],
        }


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A compiled network in words."""

    construction: str
    rung: str
    summary: str
    layers: tuple[tuple[str, ...], ...]
    """For each layer what it does, a line for each thing."""
    answer: tuple[str, ...]
    """The rule by which the class follows, a line for each class."""
    reading: Reading | StreamReading | None

    def __str__(self) -> str:
        lines = [f"{self.construction}: {self.summary}"]
        for number, does in enumerate(self.layers, start=1):
            lines += [f"layer {number}", *(f"  {line}" for line in does)]
        lines += ["answer", *(f"  {line}" for line in self.answer)]
        return "\n".join([*lines, *(() if self.reading is None else self.reading.lines())])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "construction": self.construction,
            "rung": self.rung,
            "summary": self.summary,
            "layers": [list(does) for does in self.layers],
            "answer": list(self.answer),
            "word": None if self.reading is None else self.reading.to_dict(),
        }


def explain_weights(construction: Computed, word: str | None = None) -> Explanation:
    """Explain the network of a language, and with a word what it does there.

    Raises:
        ConfigError: the construction is not that of a language, or a word is given for a tree, or a
            word is too long.
        RunError: the weights are not those that the language and the settings have.
        WordError: a symbol of the word is not in the alphabet.
    """
    language = construction.about
    is_encoder = construction.name.startswith("chiang2022/")
    if not isinstance(language, Language) or (
        is_construction(construction.name) and not is_encoder
    ):
        raise ConfigError(
            f"programs are those of languages, but {construction.name} is a circuit, whose gates "
            f"are its program. Use predict."
        )
    symbols = None if word is None else language.encode(word)
    if symbols is not None and len(symbols) > MAX_WORD:
        raise ConfigError(
            f"words of at most {MAX_WORD} symbols are shown, but this one has {len(symbols):,}. "
            f"Give a shorter word."
        )
    if is_encoder:
        return _of_encoder(construction, language, symbols)
    rung = str(construction.settings.get(RUNG, DEFAULT))
    settings = {key: value for key, value in construction.settings.items() if key != RUNG}
    design = RUNGS[rung].design(language, **settings)
    _require_weights(construction, RUNGS[rung].build(design))
    program = design.program if isinstance(design, LookupDesign) else None
    if symbols is not None:
        _require_readable(construction)
    names = language.class_names
    return Explanation(
        construction=construction.name,
        rung=rung,
        summary=f"{RUNGS[rung].summary}. Range: {construction.range_in_words()}.",
        layers=_describe_scan(language, rung) if program is None else tuple(_layers(program)),
        answer=tuple(_read_out(language))
        if program is None
        else tuple(
            f"{names[c]} if {_format_condition(program, condition)}"
            for c, condition in enumerate(program.classes)
            if condition
        ),
        reading=None if symbols is None else _reading(construction, language, program, symbols),
    )


def _of_encoder(made: Computed, language: Language, symbols: Sequence[int] | None) -> Explanation:
    """Explain an encoder of a paper."""
    model = made.model
    assert isinstance(model, Encoder)
    _require_weights(made, CONSTRUCTIONS[made.name].compile(**made.settings))
    layers, answer = encoder_steps(made.name, len(model.block), made.settings)
    return Explanation(
        construction=made.name,
        rung=made.architecture,
        summary=f"{made.claim} ({made.source}). Range: {made.range_in_words()}.",
        layers=layers,
        answer=answer,
        reading=None if symbols is None else read_stream(model, made.name, language, symbols),
    )


def _require_weights(made: Computed, built: nn.Module) -> None:
    """Refuse weights that are not those of the program, as far as their precision goes."""
    expected, stored = built.state_dict(), made.model.state_dict()
    if stored.keys() != expected.keys() or not all(
        torch.equal(weight.cpu(), expected[name].to(weight.dtype))
        for name, weight in stored.items()
    ):
        raise RunError(
            f"the weights are not those of {made.name} with its settings: they were changed, or "
            f"written by another version. Compile again."
        )


def _require_readable(construction: Computed) -> None:
    """Refuse a network whose attention cannot be shown."""
    if not isinstance(construction.model, PrefixRecogniser):
        raise ConfigError(
            "a tree has no positions that attend to others along the word. Leave --word out, or "
            "compile with --as scan."
        )


# ---- programs ------------------------------------------------------------------------------------


def _layers(program: Program) -> Iterator[tuple[str, ...]]:
    numbered = list(enumerate(program.memories, start=1))
    for layer in range(1, program.num_layers + 1):
        heads = [memory for memory in numbered if memory[1].layer == layer]
        does = [
            f"head {head}: m{number} = {_describe_sought(program, memory)}"
            for head, (number, memory) in enumerate(heads, start=1)
        ]
        reads = [n for n, m in numbered if m.layer <= layer <= m.ready and m.ready > m.layer]
        known = [n for n, m in numbered if m.ready == layer]
        if unread := [n for n in reads if n not in known]:
            does.append(f"feed-forward: reads the sum of {_these(unread)}")
        later = [n for n, m in numbered if m.layer == layer + 1 and any(m.conditions)]
        decisions = [f"the conditions of {_these(later)}"] if later else []
        decisions += ["the class"] if layer == program.num_layers else []
        if decisions:
            does.append(f"feed-forward: decides {' and '.join(decisions)}")
        yield tuple(does or ["nothing but to wait for other memories"])


def _these(numbers: Sequence[int]) -> str:
    return ", ".join(f"m{number}" for number in numbers)


def _describe_sought(program: Program, memory: Memory) -> str:
    """Write what the head of a memory finds."""
    if isinstance(memory, LookupTable):
        values = [
            f"{value} if {_format_condition(program, condition)}"
            for value, condition in enumerate(memory.values, start=1)
            if condition
        ]
        place = (
            f"that has not ({_format_condition(program, memory.blocked)})"
            if memory.blocked
            else "of all"
        )
        return f"at the nearest earlier position {place}: {'; '.join([*values, 'else 0'])}"
    amounts = "; ".join(
        f"{amount:+d} where {_format_condition(program, condition)}"
        for amount, condition in memory.amounts
        if condition
    )
    tally = f"the sum over all earlier positions of {amounts or 'nothing'}"
    known = f"modulo {memory.modulus}" if isinstance(memory, Counter) else ""
    if isinstance(memory, TallyOf):
        known = f"one of {', '.join(map(str, sorted(memory.sums)))}"
    return f"{tally}; {known} (known in layer {memory.ready})"


def _format_condition(program: Program, condition: Condition) -> str:
    """Write a condition as text."""
    if any(not path for path in condition):
        return "always"
    if not condition:
        return "never"
    paths = [" and ".join(_term(program, *term) for term in path) for path in condition]
    return " or ".join(paths) if len(paths) < 2 else " or ".join(f"({path})" for path in paths)


def _term(program: Program, variable: int, values: frozenset[int]) -> str:
    """Write that a variable has one of some values."""
    if variable == 0:
        size, name = len(program.alphabet) + 1, "symbol"
        texts = ["start", *map(repr, program.alphabet)]
    else:
        memory = program.memories[variable - 1]
        size, name = memory.size, f"m{variable}"
        texts = list(map(str, memory.sums if isinstance(memory, TallyOf) else range(size)))
    names = [texts[value] for value in sorted(values)]
    other_texts = [texts[value] for value in range(size) if value not in values]
    if len(other_texts) < len(names):
        sign, names = (
            ("is not", other_texts) if len(other_texts) == 1 else ("is none of", other_texts)
        )
    else:
        sign = "is" if len(names) == 1 else "is one of"
    return f"{name} {sign} {', '.join(names)}"


# ---- automata ------------------------------------------------------------------------------------


def _describe_scan(language: Language, rung: str) -> tuple[tuple[str, ...], ...]:
    """Return what the one block of a scan or a tree does, each time that it runs."""
    machine = language.total().minimise() if rung == "slots" else merge_outside_domain(language)
    moves = [
        f"{machine.alphabet[symbol]} moves the states "
        + ", ".join(f"{q} to {row[symbol]}" for q, row in enumerate(machine.transitions))
        for symbol in range(machine.num_symbols)
        if machine.num_states <= SHOWN
    ] or [f"a symbol stands for what it does to {machine.num_states} states"]
    if rung == "scan":
        return (
            (
                *moves,
                "in step k = 0, 1, ... a head finds what is held 2^k positions before, or at the "
                "start symbol",
                "feed-forward: composes that with its own, so that after ceil(log2 T) steps a "
                "position holds what its whole prefix does",
            ),
        )
    if rung == "slots":
        return (
            (
                *moves,
                "slot q of a node holds the code of the state that its sub-word leads q to",
                "on every level a slot of the left node looks at the slot of the right node whose "
                "state it holds, and copies its content",
            ),
        )
    return (
        (
            *moves,
            "on every level the heads of a node find what its children do to the states",
            "feed-forward: composes them, from the left, up to the root, which holds what the "
            "whole word does",
        ),
    )


def _read_out(language: Language) -> Iterator[str]:
    """Yield the class of each state."""
    machine = merge_outside_domain(language)
    for c, name in enumerate(machine.class_names):
        states = [str(q) for q, class_number in enumerate(machine.classes) if class_number == c]
        if states:
            numbers = ", ".join(states[:SHOWN]) + (", ..." if len(states) > SHOWN else "")
            yield f"{name} if state {machine.start} is moved to {numbers}"


# ---- words ---------------------------------------------------------------------------------------


@torch.no_grad()
def _reading(
    construction: Computed, language: Language, program: Program | None, symbols: Sequence[int]
) -> Reading:
    """Return what a network does on a word."""
    model = construction.model
    assert isinstance(model, PrefixRecogniser)
    weights: list[Tensor] = []

    def keep(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        assert isinstance(module, Attention)
        weights.append(module.weights(*inputs)[0])

    hooks = [layer.attention.register_forward_hook(keep) for layer in model.block]
    try:
        device = model.answer.weight.device
        tokens = torch.tensor([list(symbols)], dtype=torch.int64, device=device)
        vectors = model.vectors(model.with_start(tokens))
    finally:
        for hook in hooks:
            hook.remove()
    answers = model.answer(vectors)[0].argmax(dim=-1).tolist()
    values: dict[str, tuple[int, ...]] = {}
    if program is not None:
        for number, held in enumerate(zip(*program.variables(symbols), strict=True)):
            if number:
                memory = program.memories[number - 1]
                contents = memory.sums if isinstance(memory, TallyOf) else range(memory.size)
                values[f"m{number}"] = tuple(contents[value] for value in held)
    return Reading(
        word=tuple(language.alphabet[symbol] for symbol in symbols),
        classes=tuple(language.class_names[answer] for answer in answers),
        values=values,
        heads=tuple(_heads(program, weights)),
    )


def _heads(program: Program | None, attention: Sequence[Tensor]) -> Iterator[HeadOnWord]:
    """Yield the heads that serve something, in order."""
    for layer, weights in enumerate(attention, start=1):
        if program is None:
            serves = [f"2^{layer - 1} positions before"]
        else:
            serves = [f"m{n}" for n, m in enumerate(program.memories, start=1) if m.layer == layer]
        for head, purpose in enumerate(serves, start=1):
            rows = weights[head - 1].double().tolist()
            yield HeadOnWord(
                layer=layer,
                head=head,
                what=purpose,
                weights=tuple(tuple(round(weight, 6) for weight in row) for row in rows),
            )


def _format_weights(weights: Sequence[float]) -> str:
    """Write the weights of a row that are not tiny."""
    seen = [(j, weight) for j, weight in enumerate(weights) if weight >= 0.005]
    shares = {round(weight, 3) for _, weight in seen}
    follow = [j for j, _ in seen] == list(range(seen[0][0], seen[-1][0] + 1))
    if len(seen) > 2 and len(shares) == 1 and follow:
        return f"{seen[0][0]} to {seen[-1][0]} alike"
    return ", ".join(f"{j} ({weight:.2f})" for j, weight in seen)
