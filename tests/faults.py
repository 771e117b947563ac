"""Plant one fault at a time in a copy of the package, and check that the fast tests notice it.

    python tests/faults.py              every fault
    python tests/faults.py --only NAME  these faults
    python tests/faults.py --list       the names, without running anything

A fault is a small wrong edit: a sign, an off-by-one, a dropped mask, a swapped axis, a lost seed.
It is caught if one of its tests fails. The exit status is 1 if a fault is
not caught, and 2 if its text does not stand exactly once in its file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "lengthwise"
LIMIT = 600
"""Seconds after which tests do not end."""


class Fault(NamedTuple):
    """One wrong edit, and the tests that must notice it."""

    name: str
    file: str
    """Below `src/lengthwise`."""
    right: str
    """Text that stands once in the file."""
    wrong: str
    tests: str
    """Files and folders below `tests`, separated by spaces."""


FAULTS = (
    # ---- sequence layers
    Fault(
        "delta rule does not correct what was written before the chunk",
        "layers/mixers/delta_rule.py",
        "rate * (value - decayed_since_start(key, written) @ memory)",
        "rate * value",
        "layers/mixers/test_delta_rule.py",
    ),
    Fault(
        "memory does not decay from chunk to chunk",
        "layers/mixers/chunked.py",
        "memory = memory * end.exp()[..., None]",
        "memory = memory * 1.0",
        "layers/mixers/test_catalogue.py",
    ),
    # ---- languages
    Fault(
        "product table transposed",
        "languages/monoid.py",
        "return columns.T",
        "return columns",
        "languages/test_monoid.py",
    ),
    Fault(
        "loop of an eliminated state forgotten",
        "languages/elimination.py",
        "row[state] if loop is None else concatenate(row[state], star(loop))",
        "row[state]",
        "languages/test_elimination.py",
    ),
    Fault(
        "C program starts a line where the last one ended",
        "exports/c_tables.py",
        """            state = ${name}_reset();
            line++;""",
        "            line++;",
        "exports/test_c_tables.py",
    ),
    Fault(
        "arcs of JFLAP turned around",
        "exports/jflap.py",
        "<from>{state}</from><to>{target}</to>",
        "<from>{target}</from><to>{state}</to>",
        "exports/test_export.py",
    ),
    Fault(
        "a quotient by words that the divisor lacks",
        "languages/operations.py",
        "if language.classes[pair[0]] and by.classes[pair[1]]]",
        "if language.classes[pair[0]]]",
        "languages/test_operations.py",
    ),
    Fault(
        "a reversal that starts in the last state",
        "languages/operations.py",
        "int(np.frombuffer(after, dtype=np.int32)[0])",
        "int(np.frombuffer(after, dtype=np.int32)[-1])",
        "languages/test_operations.py",
    ),
    Fault(
        "a word of symbols that a language lacks is in it",
        "languages/differences.py",
        "            sink_class = 0\n",
        "            sink_class = 1\n",
        "languages/test_differences.py",
    ),
    Fault(
        "alike symbols counted once",
        "languages/differences.py",
        "+= number * alike",
        "+= number",
        "languages/test_differences.py",
    ),
    Fault(
        "conjugate left half done",
        "languages/subgroups.py",
        "normals += [self.times(inverses[x], normal, x) for x in generators]",
        "normals += [self.times(inverses[x], normal) for x in generators]",
        "languages/test_subgroups.py",
    ),
    Fault(
        "half of a split block forgotten",
        "languages/minimise.py",
        "waiting.add(new if block in waiting else smaller)",
        "waiting.add(smaller)",
        "languages/test_minimise.py",
    ),
    Fault(
        "carry from the wrong bit",
        "circuits/adders.py",
        'Gate(name=f"g{i}", kind="AND", inputs=(f"c{i}", f"d{i}"))',
        'Gate(name=f"g{i}", kind="AND", inputs=(f"c{i}", f"a{i}"))',
        "circuits/test_adders.py",
    ),
    Fault(
        "AIGER inversion swapped",
        "circuits/aiger.py",
        "return netlist.inverse(signal) if literal % 2 else signal",
        "return signal if literal % 2 else netlist.inverse(signal)",
        "circuits/test_aiger.py",
    ),
    # ---- layers
    Fault(
        "slope of ALiBi positive",
        "layers/biases.py",
        "return -slope.to(self.precise)",
        "return slope.to(self.precise)",
        "layers/test_biases.py layers/test_positions.py",
    ),
    Fault(
        "T5 bucket off by one",
        "layers/biases.py",
        "torch.bucketize(distance, starts, right=True)",
        "torch.bucketize(distance, starts)",
        "layers/test_biases.py layers/test_positions.py",
    ),
    Fault(
        "rotation mirrored",
        "layers/rotary.py",
        "left * cosine - right * sine",
        "left * cosine + right * sine",
        "layers/test_rotary.py layers/test_positions.py",
    ),
    Fault(
        "absent children seen",
        "layers/sliding_dilated.py",
        "logits = logits.masked_fill(hidden, -math.inf)",
        "logits = logits + 0",
        "layers/test_sliding_dilated.py models/test_regular_gpt.py",
    ),
    Fault(
        "band one offset too wide",
        "layers/dilated.py",
        "seen = (offset >= 0) & (offset < self._chunk_size)",
        "seen = (offset >= 0) & (offset <= self._chunk_size)",
        "layers/test_dilated.py",
    ),
    Fault(
        "two sub-words share a key",
        "layers/chunks.py",
        "base = num_below + 1",
        "base = num_below",
        "layers/test_chunks.py",
    ),
    Fault(
        "smoothing pulls the wrong way",
        "text/layers/token_loss.py",
        ".sub_(smoothing / (len(matrix) * len(targets)))",
        ".add_(smoothing / (len(matrix) * len(targets)))",
        "text/layers/test_token_loss.py",
    ),
    Fault(
        "seed of drawn positions lost",
        "layers/randomised.py",
        "device=positions.device, generator=generator)",
        "device=positions.device)",
        "layers/test_randomised.py",
    ),
    # ---- models
    Fault(
        "the next symbol seen",
        "models/causal.py",
        "device=vectors.device).tril(start)",
        "device=vectors.device).tril(start + 1)",
        "models/test_causal.py",
    ),
    Fault(
        "cached keys turned as at the start",
        "models/causal.py",
        "new = positions_from(x, start)",
        "new = positions_from(x)",
        "models/test_causal.py models/test_models.py",
    ),
    Fault(
        "one prefix composed too late",
        "models/regular_gpt.py",
        "done = position >= (stride if stride > 1 else 0)",
        "done = position > (stride if stride > 1 else -1)",
        "models/test_masked_regular_gpt.py models/test_models.py",
    ),
    Fault(
        "seed of dropout lost",
        "models/regular_gpt.py",
        "dropout(self.dropout, generator)(x)",
        "dropout(self.dropout, None)(x)",
        "models/test_regular_gpt.py",
    ),
    Fault(
        "pads of a stream on the wrong side",
        "models/streaming.py",
        "children[0, -len(present) :] = torch.arange(len(present))",
        "children[0, : len(present)] = torch.arange(len(present))",
        "models/test_streaming.py",
    ),
    Fault(
        "padding of a source seen",
        "text/models/encoder_decoder.py",
        "seen = (source != PAD)[:, None]",
        "seen = (source >= 0)[:, None]",
        "text/models/test_encoder_decoder.py",
    ),
    # ---- tasks
    Fault(
        "state maps composed backwards",
        "tasks/state_maps.py",
        "result = child.gather(1, result)",
        "result = result.gather(1, child)",
        "tasks/test_codebook.py problems/recognition/test_runs_on_languages.py "
        "objectives/test_composition.py",
    ),
    Fault(
        "walk drawn towards another class",
        "tasks/uniform_walk.py",
        "by_goal = terms.transpose(0, 3, 1, 2)",
        "by_goal = terms.transpose(0, 3, 1, 2)[:, ::-1]",
        "tasks/test_uniform_walk.py tasks/test_sampling.py",
    ),
    Fault(
        "an odd run of zeros after an odd run of ones",
        "tasks/published_draws.py",
        "run - run % 2, run)",
        "run, run)",
        "tasks/test_published_draws.py",
    ),
    Fault(
        "seed of ranks lost",
        "tasks/balance.py",
        "order = torch.randperm(len(groups), generator=generator)",
        "order = torch.randperm(len(groups))",
        "tasks/test_balance.py tasks/test_task.py",
    ),
    # ---- training
    Fault(
        "seed of the noise lost",
        "training/loop.py",
        "manual_seed(config.seed + 3_000_017)",
        "manual_seed(3_000_017)",
        "training/test_loop_seeds.py training/test_loop.py",
    ),
    Fault(
        "schedule counts the warm-up",
        "training/loop.py",
        "math.cos(math.pi * (step - config.warmup)",
        "math.cos(math.pi * (step)",
        "problems/step_by_step/test_runs_on_step_tasks.py",
    ),
    Fault(
        "accumulated gradients summed",
        "training/loop.py",
        "(result.loss / config.accumulate).backward()",
        "(result.loss / 1).backward()",
        "text/problems/language_modelling/test_objective.py",
    ),
    Fault(
        "the earlier of equal weights kept",
        "training/loop.py",
        "if rank >= state.best:",
        "if rank > state.best:",
        "training/test_loop_seeds.py training/test_loop.py",
    ),
    Fault(
        "classes of prefixes shifted",
        "objectives/prefix.py",
        "targets = self._automaton.prefix_classes(batch.tokens)",
        "targets = self._automaton.prefix_classes(batch.tokens).roll(1, 1)",
        "problems/recognition/test_runs_on_languages.py problems/recognition/test_every_model.py",
    ),
    # ---- evaluation
    Fault(
        "scores by class and length swapped",
        "evaluation/evaluate.py",
        "cell = row * num_classes + classes",
        "cell = classes * len(lengths) + row",
        "evaluation/test_evaluate.py",
    ),
    Fault(
        "context from the wrong end",
        "text/evaluation/perplexity.py",
        "tokens.windows(part, most)[:, most - length :]",
        "tokens.windows(part, most)[:, :length]",
        "text/evaluation/test_perplexity.py",
    ),
    Fault(
        "length penalty upside down",
        "text/evaluation/translate.py",
        "worth.amax(dim=1) / self._penalty_at(length)",
        "worth.amax(dim=1) * self._penalty_at(length)",
        "text/evaluation/test_translate.py",
    ),
    # ---- verification
    Fault(
        "a counterexample that is not the shortest",
        "proofs/check/induction.py",
        "require(bool(wrong) and min(wrong) == len(word)",
        "require(bool(wrong) and max(wrong) >= len(word)",
        "proofs/check/test_forgeries.py",
    ),
    Fault(
        "the checker lets rounding decide",
        "proofs/check/elements.py",
        "require(bool((distance > radius).all())",
        "require(bool((distance > 0).all())",
        "proofs/check/test_induction.py proofs/check/test_forgeries.py",
    ),
    Fault(
        "Welford's rounding cut by 128",
        "proofs/check/balls.py",
        "self.gamma(2.25 * width + 64)",
        "self.gamma(2.25 * width - 64)",
        "proofs/check/test_rounding_ledger.py proofs/check/test_second_ledger.py",
    ),
    Fault(
        "sums over a chunk counted short",
        "proofs/check/layer_node.py",
        "arithmetic.sums(chunk + 1)",
        "arithmetic.sums(chunk - 1)",
        "proofs/check/test_rounding_ledger.py proofs/check/test_second_ledger.py",
    ),
    Fault(
        "rounding of a bias in bfloat16 forgotten",
        "proofs/check/bfloat16_balls.py",
        "_RESULT_AND_BIAS = 2",
        "_RESULT_AND_BIAS = 1",
        "proofs/check/test_rounding_ledger.py proofs/check/test_second_ledger.py",
    ),
    Fault(
        "the search's own arrays handed out",
        "proofs/search/algebra_guard.py",
        "copies = [np.array(row) for row in rows]",
        "copies = list(rows)",
        "proofs/search/test_algebra_guard.py",
    ),
    Fault(
        "changed answers believed",
        "proofs/search/algebra_guard.py",
        "changed = int((self._call(question, rows) != before).sum())",
        "changed = int((before != before).sum())",
        "proofs/search/test_algebra_guard.py",
    ),
    Fault(
        "vectors that overflow merged",
        "proofs/search/merging.py",
        "if not (np.abs(points) < _FURTHEST).all():",
        "if (np.abs(points) >= np.inf).all():",
        "proofs/search/test_merging.py",
    ),
    Fault(
        "radius of a product without its rounding",
        "proofs/check/balls.py",
        "return _ball(centre, matrix.stretch * x.radius + fresh)",
        "return _ball(centre, matrix.stretch * x.radius)",
        "proofs/check/test_balls.py proofs/check/test_bounds_fuzz.py",
    ),
    Fault(
        "number before a sign without its rounding",
        "proofs/check/balls.py",
        "radius = x.radius[..., None] * matrix.rows + fresh",
        "radius = x.radius[..., None] * matrix.rows",
        "proofs/check/test_inward_rounding.py",
    ),
    Fault(
        "radii rounded inwards",
        "proofs/check/balls.py",
        "larger: Floats = radius * _OUTWARD + _LEAST",
        "larger: Floats = radius / 2",
        "proofs/check/test_inward_rounding.py",
    ),
    Fault(
        "products of slots without their rounding",
        "proofs/check/slot_node.py",
        "return outward(sizes * off + arithmetic.safe(size, fresh))",
        "return outward(sizes * 0.0)",
        "proofs/check/test_inward_rounding.py",
    ),
    Fault(
        "lowest weight of attention rounded up",
        "proofs/check/slot_node.py",
        "own_weight * np.exp(-2.0 * moved)",
        "own_weight * np.exp(2.0 * moved)",
        "proofs/check/test_inward_rounding.py",
    ),
    Fault(
        "products compared in one order only",
        "objectives/learning.py",
        "right = compose_nodes(model, a, compose_nodes(model, b, c, noise), noise)",
        "right = compose_nodes(model, compose_nodes(model, a, b, noise), c, noise)",
        "objectives/test_learning.py",
    ),
    Fault(
        "a network left with the noise of its last batch",
        "objectives/learning.py",
        "memory.bits, memory.noise = before",
        "memory.bits = before[0]",
        "objectives/test_learning.py",
    ),
    Fault(
        "networks compared on words outside the domain",
        "proofs/check/structure.py",
        "if own_machine.classes[own_state] != true.classes[true_state] != outside:",
        "if own_machine.classes[own_state] != true.classes[true_state]:",
        "proofs/check/test_structure.py",
    ),
    Fault(
        "a longer wrong word taken for a shortest",
        "proofs/check/structure.py",
        "require(len(word) == shortest,",
        "require(len(word) >= shortest,",
        "proofs/check/test_structure.py",
    ),
    Fault(
        "classes of slots without their rounding",
        "proofs/check/structure.py",
        "read(logits[slots_read], radius[slots_read], answers)",
        "read(logits[slots_read], radius[slots_read] * 0, answers)",
        "proofs/check/test_certificate.py",
    ),
    Fault(
        "settings one below their least value",
        "proofs/check/networks.py",
        "if value < self.least:",
        "if value < self.least - 1:",
        "proofs/check/test_networks.py",
    ),
    Fault(
        "class of a slot with the least logit",
        "proofs/search/structure.py",
        "classes = tuple(logits.argmax(axis=1).tolist())",
        "classes = tuple(logits.argmin(axis=1).tolist())",
        "proofs/search/test_structure.py",
    ),
    Fault(
        "nodes of one child taken for words",
        "proofs/search/closure.py",
        "return _concatenate(parts[1:]), parts[0]",
        "return _concatenate(parts), parts[0]",
        "proofs/search/test_closure.py",
    ),
    # ---- constructions
    Fault(
        "odd and even places swapped",
        "constructions/parity.py",
        'stream.column({"answer": -side})',
        'stream.column({"answer": side})',
        "constructions/test_parity.py",
    ),
    Fault(
        "paths from the end",
        "constructions/subword_encodings.py",
        "self._number[paths[:, 0], paths[:, -1]]",
        "self._number[paths[:, 0], paths[:, -2]]",
        "constructions/test_subword_encodings.py constructions/test_automata.py",
    ),
    # ---- text, files, commands
    Fault(
        "one window of a file too many",
        "text/data/text_corpus.py",
        "max(0, len(shard) - length + 1)",
        "max(0, len(shard) - length + 2)",
        "text/data/test_text_corpus.py",
    ),
    Fault(
        "writer's file left behind",
        "files.py",
        "temporary.unlink(missing_ok=True)",
        "temporary.exists()",
        "test_files.py training/test_runs.py text/data/test_stored_corpus.py",
    ),
    Fault(
        "answer of the last line dropped",
        "cli/input_lines.py",
        "for number in sorted((*self.numbers, *self.errors)):",
        "for number in sorted((*self.numbers, *self.errors))[:-1]:",
        "cli/test_predict.py cli/test_commands.py",
    ),
    Fault(
        "fractions taken for codes",
        "proofs/search/code_recurrence.py",
        "if is_kind and has_shape and np.can_cast(returned.dtype, np.int64):",
        "if is_kind and has_shape:",
        "proofs/search/test_code_recurrence.py",
    ),
    Fault(
        "counts compared one too late",
        "constructions/counters.py",
        "row = {one_mean: sign * (c * self.base - sign / 2), count: -sign}",
        "row = {one_mean: sign * (c * self.base + sign / 2), count: -sign}",
        "constructions/test_counters.py",
    ),
    Fault(
        "exponents of a series conjugated by nothing",
        "languages/solvable_groups.py",
        "return added, times(self.powers[exponent], g, inverse(self.powers[after]))",
        "return added, times(g, inverse(self.powers[added]))",
        "languages/test_solvable_groups.py",
    ),
    Fault(
        "kinds with different answers put together",
        "objectives/consensus.py",
        "for products, share in zip(settled, mixed, strict=True) if share <= most]",
        "for products in settled]",
        "objectives/test_consensus.py",
    ),
    Fault(
        "a tie of labels settled by the order of lines",
        "data/prepared_words.py",
        "is_decided = is_first & ~(as_many & ~is_alone)",
        "is_decided = is_first",
        "data/test_prepared_words.py",
    ),
)


class Outcome(NamedTuple):
    """What the tests of a fault said."""

    caught: bool
    by: str
    """The first test that failed, or why there is none."""


def plant(package: Path, fault: Fault) -> None:
    """Make the edit in a copy of the package.

    Raises:
        SystemExit: the text does not stand exactly once in the file.
    """
    path = package / fault.file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if (count := text.count(fault.right)) != 1:
        print(f"{fault.name}: {fault.right!r} stands {count} times in {fault.file}, not once.")
        raise SystemExit(2)
    path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")


def try_fault(source: Path, fault: Fault) -> Outcome:
    """Run the fast tests of a fault against a copy of the package, up to the first that fails."""
    tests = [f"tests/{name}" for name in fault.tests.split()]
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--no-header"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    surroundings = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=surroundings,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(False, f"not done after {LIMIT} seconds")
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)
    if done.returncode == 1 and found:
        return Outcome(True, found[1])
    if done.returncode == 0:
        return Outcome(False, "no test failed")
    return Outcome(False, f"pytest ended with {done.returncode}: {done.stdout[-300:]}")


def main() -> int:
    """Try the faults that were asked for, and say which tests caught them."""
    parser = argparse.ArgumentParser(description="Plant faults, and check that tests notice them.")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    arguments = parser.parse_args()
    if arguments.list:
        for fault in FAULTS:
            print(f"{fault.name:46} {fault.file}")
        return 0
    known = {fault.name: fault for fault in FAULTS}
    if unknown := set(arguments.only or ()) - set(known):
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    chosen = [known[name] for name in arguments.only or known]
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        package = Path(name) / "lengthwise"
        shutil.copytree(PACKAGE, package)
        for fault in chosen:  # before any test runs
            plant(package, fault)
            shutil.copy2(PACKAGE / fault.file, package / fault.file)
        for fault in chosen:
            start = time.perf_counter()
            plant(package, fault)
            outcome = try_fault(Path(name), fault)
            shutil.copy2(PACKAGE / fault.file, package / fault.file)
            missed += not outcome.caught
            said = "caught" if outcome.caught else "MISSED"
            seconds = time.perf_counter() - start
            print(f"{said}  {fault.name:46} {seconds:4.0f} s  {outcome.by}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
