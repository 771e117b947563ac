"""How fast? Ratios, each measured in one process, one side right after the other.

Run by `make bench`. Absolute times vary from machine to machine and from minute to minute; ratios
of work done side by side do much less. Each figure is the median over repetitions.
"""

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sequence_layers
import texts
import torch
import training_steps
from automata.fa.dfa import DFA
from torch import nn

from lengthwise.circuits.adders import adder
from lengthwise.constructions.circuits import compile_circuit
from lengthwise.constructions.parity import compile_parity
from lengthwise.decoding.byte_automaton import byte_automaton
from lengthwise.decoding.token_automaton import TokenAutomaton
from lengthwise.decoding.vocabulary import Vocabulary
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import grow
from lengthwise.models.decoder import Decoder
from lengthwise.models.masked_regular_gpt import compute_masked_logits
from lengthwise.models.recognisers import MODELS
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.scratchpad import Scratchpad
from lengthwise.models.step_models import STEP_MODELS
from lengthwise.models.threads import processor_threads
from lengthwise.monitor import Monitor
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.lookup import SnappedModel
from lengthwise.proofs.search.snapped_states import SnappedStates, StateSnaps
from lengthwise.tasks.task import Task

WIDTH, BATCH = 64, 128


def seconds(
    *jobs: Callable[[], Any],
    repeat: int = 15,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The median time of each job, taking turns, after one round to warm up.

    `time.process_time` as the clock leaves out what other programs take.
    """
    times: list[list[float]] = [[] for _ in jobs]
    for turn in range(repeat + 1):
        for job, record in zip(jobs, times, strict=True):
            start = clock()
            job()
            if turn:
                record.append(clock() - start)
    return [statistics.median(record) for record in times]


def make_model(**settings: Any) -> RegularGPT:
    config = RegularGPTConfig(vocab_size=2, num_classes=2, d_model=WIDTH, **settings)
    model = RegularGPT(config)
    model.initialise(torch.Generator().manual_seed(0))
    return model


def words(count: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(2, (count, length), generator=torch.Generator().manual_seed(seed))


def descend(model: RegularGPT, logits: Callable[[], torch.Tensor]) -> Callable[[], None]:
    """Forward and backward."""

    def job() -> None:
        model.zero_grad()
        logits().logsumexp(dim=1).sum().backward()  # type: ignore[no-untyped-call]

    return job


def sharing() -> dict[str, float]:
    """Tree with shared sub-words against the plain tree, forward and backward."""
    model = make_model()
    result = {}
    for length in (40, 100, 500):
        tokens = words(BATCH, length)
        shared, plain = seconds(
            descend(model, partial(model, tokens)),
            descend(model, partial(model, tokens, share=False)),
        )
        result[f"tree with sharing / plain tree, T={length} (times faster)"] = plain / shared
    return result


def time_masks() -> dict[str, float]:
    """Tree with shared sub-words against equation (1) with masks, forward and backward."""
    model = make_model()
    tokens = words(BATCH, 500)
    few = tokens[:8]  # with masks, 128 words need many gigabytes
    dense, same, all_words = seconds(
        descend(model, partial(compute_masked_logits, model, few)),
        descend(model, partial(model, few)),
        descend(model, partial(model, tokens)),
        repeat=3,
    )
    return {
        "tree with sharing / masked form, T=500, both on 8 words (times faster)": dense / same,
        "the same per word, with the tree on 128 words": (dense / 8) / (all_words / BATCH),
    }


def arithmetic() -> dict[str, float]:
    """Floating-point rate of the tree against a plain matrix product of this machine.

    Counted: the multiplications and additions of the five matrices of a node, times three for
    forward and backward. Not counted: everything else, which is what the share is about.
    """
    model = make_model()
    result = {}
    square = torch.randn(1024, 1024)
    for length in (100, 500):
        tokens = words(BATCH, length)
        nodes = grow(tokens, None, 2, 2).num_nodes
        per_node = 2 * WIDTH**2 * (1 + 2 * 2 + 1 + 2 * model.config.ff_factor)
        tree, product = seconds(descend(model, partial(model, tokens)), lambda: square @ square)
        rate, peak = 3 * nodes * per_node / tree, 2 * 1024**3 / product
        result[f"arithmetic rate / matrix product, T={length} (share)"] = rate / peak
    return result


def sampler() -> dict[str, float]:
    """The vectorised exact sampler against automata-lib's random_word, per word of 500 symbols;
    and what near misses cost beside uniform words, in a batch of a training step."""
    language = parse("tomita-3")
    task = Task(language=language, protocol="audited")
    generator = torch.Generator().manual_seed(0)
    dfa = DFA(
        states=set(range(language.num_states)),
        input_symbols=set(language.alphabet),
        transitions={
            state: dict(zip(language.alphabet, row, strict=True))
            for state, row in enumerate(language.transitions)
        },
        initial_state=language.start,
        final_states={s for s, c in enumerate(language.classes) if c == 1},
    )
    ours, theirs = seconds(
        lambda: task.draw_uniform(512, 500, generator, 1),
        lambda: [dfa.random_word(500) for _ in range(8)],
        repeat=5,
    )
    lengths = torch.full((128,), 20)
    near, plain = seconds(
        lambda: task.draw(lengths, generator),
        lambda: task.draw_uniform(128, 20, generator, 1),
        repeat=25,
    )
    return {
        "sampler / automata-lib random_word, length 500 (times faster)": (theirs / 8)
        / (ours / 512),
        "audited words / uniform words, 128 of 20 symbols (time)": near / plain,
    }


def growth() -> dict[str, float]:
    """Time of one word of T symbols, as a multiple of the time at a tenth of the length."""
    result = {}
    for name, settings in (("continuous", {}), ("binary", {"memory": "binary"})):
        model = make_model(**settings).eval()
        jobs = []
        for length in (1_000, 10_000, 100_000):
            tokens = words(1, length)
            jobs.append(partial(model, tokens))
        with torch.no_grad():
            times = seconds(*jobs)
        for length, before, after in zip((10_000, 100_000), times, times[1:], strict=False):
            result[f"time at T={length:,} / at a tenth of it, {name} (at most 10 is linear)"] = (
                after / before
            )
        result[f"seconds at T=100,000, {name}"] = times[-1]
    return result


def lookup() -> dict[str, float]:
    """Tables of a trained model against networks, on a stream of batches of 500 symbols a word."""
    trained = train(make_plan(parse("parity")), device="cpu").model.eval()
    snapped = SnappedModel(extract_algebra(trained).algebra)
    paper = make_model().eval()  # weights make no difference to the speed of continuous memory

    def answer(model: nn.Module, batches: list[torch.Tensor]) -> None:
        for tokens in batches:
            model(tokens)

    result = {}
    with torch.no_grad():
        for count in (BATCH, 8 * BATCH):
            batches = [words(count, 500, seed) for seed in range(12)]
            few = batches[:2]
            as_bytes = [tokens.to(torch.uint8) for tokens in batches]
            tables, of_bytes, binary, continuous = seconds(
                partial(answer, snapped, batches),
                partial(answer, snapped, as_bytes),
                partial(answer, trained, batches),
                partial(answer, paper, few),
                repeat=5,
            )
            continuous *= len(batches) / len(few)
            rate = len(batches) * count / 1e6
            where = f"T=500, {count} words"
            result[f"tables / continuous network, {where} (times faster)"] = continuous / tables
            result[f"tables / binary network, {where} (times faster)"] = binary / tables
            result[f"the same, words in bytes, {where} (times faster)"] = binary / of_bytes
            result[f"millions of words a second by tables, {where}"] = rate / tables
            result[f"the same, words in bytes, {where}"] = rate / of_bytes
        long = words(1, 10_000_000)
        time_of_long = seconds(partial(snapped, long), repeat=5)[0]
    result["seconds for a word of 10,000,000 symbols by tables"] = time_of_long
    result["millions of its symbols a second"] = 10 / time_of_long
    return result


def reading() -> dict[str, float]:
    """One long word, read by networks that keep bits, by torch's own cells, and by a table."""
    word = words(1, 2**12)
    bits = MODELS["gru-binary"].build(
        MODELS["gru-binary"].configure({"vocab_size": 2, "num_classes": 2, "num_bits": 4})
    )
    shape = {"vocab_size": 2, "num_classes": 2, "d_model": WIDTH}
    recurrent: list[Any] = [
        MODELS[name].build(MODELS[name].configure(shape)) for name in ("elman", "gru", "lstm")
    ]
    inputs = nn.functional.one_hot(word.t(), 2).float()
    models: list[Any] = [bits, *recurrent]
    for model in models:
        model.initialise(torch.Generator().manual_seed(0))
        model.eval()
    generator = np.random.default_rng(0)
    table = SnappedStates(
        generator.integers(50, size=(50, 2)),
        generator.integers(2, size=50),
        num_classes=2,
        snaps=StateSnaps(
            representatives=torch.zeros(50, 1),
            of_element=np.arange(50),
            distances=np.zeros(1),
            radius=0.0,
            clear=1.0,
        ),
    )

    def step_by_step(bits: Any = bits) -> None:
        vectors = bits.first()
        for column in word.unbind(dim=1):
            vectors = bits.step(vectors, column)

    with torch.no_grad():
        each, remembered, looked_up, torch_rnn, torch_gru, elman, gru, long_memory = seconds(
            step_by_step,
            *(partial(model, word) for model in (bits, table)),
            *(partial(model.cell, inputs) for model in recurrent[:2]),
            *(partial(model, word) for model in recurrent),
            repeat=5,
            clock=time.process_time,
        )
    return {
        "one word of 4,096 symbols, width 64: torch's nn.GRU / gru": torch_gru / gru,
        "the same: gru / torch's nn.RNN": gru / torch_rnn,
        "the same: elman / torch's nn.RNN": elman / torch_rnn,
        "the same: lstm / torch's nn.RNN": long_memory / torch_rnn,
        "the same: microseconds a symbol of torch's nn.RNN": 1e6 * torch_rnn / word.numel(),
        "the same: microseconds a symbol of gru": 1e6 * gru / word.numel(),
        "the same: microseconds a symbol of elman": 1e6 * elman / word.numel(),
        "the same: microseconds a symbol of lstm": 1e6 * long_memory / word.numel(),
        "one word of 4,096 symbols: every step of gru-binary, over its remembered steps": each
        / remembered,
        "the same: torch's nn.RNN of width 64, over gru-binary's remembered steps": torch_rnn
        / remembered,
        "the same: nn.RNN, over the table of a snapped recurrence": torch_rnn / looked_up,
        "the same: million symbols a second by remembered steps": word.numel() / remembered / 1e6,
        "the same: million symbols a second by the table": word.numel() / looked_up / 1e6,
    }


def constructions() -> dict[str, float]:
    """Exact PARITY without its n x n scores, and decoding with a cache."""
    exact = compile_parity()
    long, short = words(1, 1_000_000), words(1, 4_000)
    with torch.no_grad():
        skip_unused_queries, ordinary = seconds(
            partial(exact, short), partial(exact, short, skip_unused_queries=False), repeat=3
        )
        million = seconds(partial(exact, long), repeat=3)[0]
        sequence = adder(32, 2)
        adding = compile_circuit(sequence).float()
        inputs = words(64, sequence.num_inputs)
        steps = len(sequence.steps)

        def without_cache() -> None:
            tokens = inputs
            for _ in range(steps):
                tokens = torch.cat([tokens, adding(tokens)[:, -1:].argmax(dim=2)], dim=1)

        cached, plain = seconds(partial(adding.complete, inputs, steps), without_cache, repeat=3)
    return {
        "exact PARITY, 4,000 symbols: every query / the needed ones (times faster)": ordinary
        / skip_unused_queries,
        "seconds for exact PARITY on 1,000,000 symbols": million,
        "adding 32-bit numbers, 64 pairs: without / with cache (times faster)": plain / cached,
    }


def steps() -> dict[str, float]:
    """Decoding all gates of an adder, as the tests of `steps2022/table1` do: 2,000 pairs, times
    five."""
    sequence = adder(48, 2)
    inputs, written = words(2_000, sequence.num_inputs), len(sequence.steps)
    shape = {"vocab_size": 2, "max_length": sequence.num_inputs + written}
    entry = STEP_MODELS["step-decoder"]
    model = entry.draw(entry.configure(shape), torch.Generator().manual_seed(0)).eval()
    assert isinstance(model, Decoder)
    result = {}
    for threads in (1, 2):
        with processor_threads(threads):
            (time_of_some,) = seconds(partial(model.complete, inputs, written), repeat=1)
        title = f"seconds to add 10,000 pairs of 48-bit numbers, {threads} thread"
        result[title + "s" * (threads > 1)] = 10_000 / len(inputs) * time_of_some
    return result


def scratchpad() -> dict[str, float]:
    """What RegularGPT saves beside the remedy before it: steps that must wait, and time.

    Both have width 64 and initial weights, which make no difference to the speed. RegularGPT is
    also timed without its sharing of equal sub-words, which a batch gains from most.
    """
    entry = MODELS["scratchpad"]
    shape = {"vocab_size": 2, "num_classes": 2, "state_classes": (0, 1)}
    generator = torch.Generator().manual_seed(0)
    written = entry.draw(entry.configure(shape), generator).eval()
    tree = make_model().eval()
    assert isinstance(written, Scratchpad)
    result: dict[str, float] = {}
    for length in (40, 200, 1_000):
        waits = written.steps(length), tree.steps(length)
        result[f"steps that must wait, T={length:,}: scratchpad"] = waits[0]
        result[f"steps that must wait, T={length:,}: RegularGPT"] = waits[1]
        for count in (1, 16):  # more are decoded one batch of them after the other
            tokens = words(count, length)
            with torch.no_grad():
                slow, fast, plain = seconds(
                    partial(written, tokens),
                    partial(tree, tokens),
                    partial(tree, tokens, share=False),
                    repeat=3,
                )
            where = f"T={length:,}, {count} word{'s' * (count > 1)}"
            result[f"seconds for answers by scratchpad, {where}"] = slow
            result[f"scratchpad / RegularGPT, {where} (times slower)"] = slow / fast
            result[f"the same without sharing of sub-words, {where}"] = slow / plain
    return result


def monitor() -> dict[str, float]:
    """Events of interleaved sequences, against the table alone with the same numbers."""
    draw, number = random.Random(0), 500_000
    events = draw.choices("aabbbbbbbb", k=number)
    keys = [f"session-{draw.randrange(10_000)}" for _ in events]
    language = parse("ltlf[abc]:F c")
    symbols, rows = language.encode("".join(events)), language.transitions

    def follow() -> None:
        Monitor(language).read_many(events, keys)

    def step() -> None:
        state = language.start
        for symbol in symbols:
            state = rows[state][symbol]

    monitored, alone = seconds(follow, step, repeat=5)
    return {
        "million events a second: monitor, 10,000 keys": number / monitored / 1e6,
        "monitor / a loop over the table (times slower)": monitored / alone,
    }


def decoding() -> dict[str, float]:
    """The mask of a state over 50,000 tokens of one to ten characters, and what is made once."""
    draw = random.Random(0)
    tokens = {bytes([byte]) for byte in range(256)}
    while len(tokens) < 50_000:
        tokens.add(
            "".join(draw.choices(" .,;0123456789abcdefghij", k=draw.randint(2, 10))).encode()
        )
    vocabulary = Vocabulary((*sorted(tokens), None), (50_000,))
    result = {}
    for expression in (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", r"[a-z]+( [a-z]+)*", r"[^a]*b"):
        automaton = byte_automaton(re.compile(expression))
        states = range(automaton.language.num_states)
        made = partial(TokenAutomaton, automaton, vocabulary)
        alone, masked = seconds(made, partial(_mask_all, made, states), repeat=5)
        title = f"{expression}, 50,000 tokens"
        result[f"milliseconds for the mask of a state of {title}"] = (
            1e3 * (masked - alone) / len(states)
        )
        result[f"milliseconds before the first mask of {title}"] = 1e3 * alone
    return result


def _mask_all(make: Callable[[], TokenAutomaton], states: range) -> None:
    made = make()
    for state in states:
        made.mask(state)


SECTIONS: dict[str, Callable[[], dict[str, float]]] = {
    "sharing": sharing,
    "masked": time_masks,
    "arithmetic": arithmetic,
    "sampler": sampler,
    "growth": growth,
    "lookup": lookup,
    "reading": reading,
    "constructions": constructions,
    "steps": steps,
    "monitor": monitor,
    "decoding": decoding,
    "scratchpad": scratchpad,
    "layers": partial(sequence_layers.compare_layers, partial(seconds, clock=time.process_time)),
    "dilated": partial(texts.forms, seconds),
    "token-loss": partial(texts.losses, seconds),
    "memory": partial(texts.memory, seconds),
    "training": training_steps.list_figures,
    "half": training_steps.list_half_precision_figures,
    "gpu": training_steps.list_accelerator_figures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], default=[])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    for name in arguments.sections or SECTIONS:
        found = SECTIONS[name]()
        figures.update(found)
        if not arguments.json:
            for title, value in found.items():
                print(f"{value:10.2f}  {title}", flush=True)
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
