"""Are planted classes found, are binary models taken exactly, and can every merge be checked?"""

from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import lengthwise as lw
from lengthwise.errors import RunError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.search import extraction as module
from lengthwise.proofs.search import merging, snapped_file
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.extraction import ExtractedAlgebra, extract_algebra
from lengthwise.proofs.search.finite_algebra import NONE, tabulate
from lengthwise.proofs.search.lookup import Lookup, SnappedModel
from lengthwise.proofs.search.merging import merge
from lengthwise.proofs.search.network import node_of
from lengthwise.proofs.search.snapped_file import load_snapped, save_snapped
from ordinary import few
from proofs.tables import state_maps


class Planted(Node):
    """Computes state maps, each written as a point with noise; the pad leads to the start."""

    def __init__(self, language: Language, chunk_size: int, noise: float) -> None:
        self.machine = language.minimise()
        self.chunk_size, self.num_symbols = chunk_size, self.machine.num_symbols
        self.is_binary = False
        self._maps = state_maps(self.machine)
        self._maps += [(state,) * self.machine.num_states for state in range(len(self._maps[0]))]
        self._maps = list(dict.fromkeys(self._maps))
        self._noise = noise
        self._random = np.random.default_rng(0)

    def leaves(self) -> Ball:
        return self._write(list(zip(*self.machine.transitions, strict=True)))

    def gather(self, below: Ball, children: Integers) -> Ball:
        known = self._read(below)
        pad = (self.machine.start,) * self.machine.num_states
        results = []
        for row in children.tolist():
            states = tuple(range(self.machine.num_states))
            for child in row:
                step = pad if child == ABSENT else known[child]
                states = tuple(step[state] for state in states)
            results.append(states)
        return self._write(results)

    def logits(self, vectors: Ball) -> tuple[Floats, Floats]:
        ends = [states[self.machine.start] for states in self._read(vectors)]
        classes = np.array(self.machine.classes)[np.array(ends, dtype=int)]
        logits = np.eye(self.machine.num_classes)[classes]
        return logits, np.zeros_like(logits)

    def _write(self, maps: list[tuple[int, ...]]) -> Ball:
        points = np.array([self._maps.index(states) for states in maps], dtype=int)
        centre = 10.0 * np.eye(len(self._maps))[points]
        noise = self._noise * self._random.uniform(-1, 1, size=centre.shape)
        return Ball(centre + noise, np.zeros(len(points)))

    def _read(self, vectors: Ball) -> list[tuple[int, ...]]:
        return [self._maps[point] for point in vectors.centre.argmax(axis=1).tolist()]


def extract_from(node: Node, domain: Language | None, num_classes: int) -> ExtractedAlgebra:
    return module._continuous(node, domain, num_classes, 100)


def network(memory: str, seed: int = 0, **settings: Any) -> RegularGPT:
    chosen = {
        "vocab_size": 2,
        "num_classes": 2,
        "d_model": 8,
        "num_heads": 2,
        "num_bits": 4,
        "memory": memory,
        **settings,
    }
    model = RegularGPT(RegularGPTConfig.from_dict(chosen)).eval()
    model.initialise(torch.Generator().manual_seed(seed))
    return model


# ---- merging ---------------------------------------------------------------------------------


# ---- continuous memory -----------------------------------------------------------------------


@pytest.mark.slow_for("d-2-3", "group:S3-3", "tomita-4-3", "tomita-7-3")
@pytest.mark.parametrize("chunk_size", [2, 3])
@pytest.mark.parametrize(
    "spec", ["parity", "even-pairs", "cycle-navigation", "tomita-4", "tomita-7", "group:S3", "d-2"]
)
def test_a_planted_language_is_found(spec: str, chunk_size: int) -> None:
    language = parse(spec)
    found = extract_from(Planted(language, chunk_size, 0.2), None, language.num_classes)
    assert found.spread < 2 < found.gap
    machine = language_of(found.algebra, language.alphabet, language.class_names)
    assert machine == language.minimise()


def test_a_planted_language_with_a_domain_is_found_on_the_domain() -> None:
    even = Language(alphabet=("0", "1"), transitions=((1, 1), (0, 0)), classes=(1, 0))
    parity = parse("parity")
    found = extract_from(Planted(parity, 2, 0.2), even, 2)
    machine = language_of(found.algebra, parity.alphabet, ("0", "1"), even)
    wanted = Language(
        alphabet=parity.alphabet,
        transitions=parity.transitions,
        classes=parity.classes,
        domain=even,
    )
    assert machine.difference(wanted) is None
    with pytest.raises(VerificationError, match="do not occur"):
        Lookup(found.algebra).classify(np.array([[1]]))


@pytest.mark.parametrize("spec", ["parity", "even-pairs", "cycle-navigation", "tomita-7"])
def test_every_merge_can_be_computed_again_from_the_representatives(spec: str) -> None:
    language = parse(spec)
    quiet = Planted(language, 2, 0.0)
    found = extract_from(Planted(language, 2, 0.2), None, language.num_classes)
    inner = outer = quiet.leaves().centre
    for level in found.levels:
        for snaps, first in ((level.interior, inner), (level.edge, outer)):
            below = np.concatenate([inner, first])
            rows = snaps.children.copy()
            for row in rows:
                place = int(np.argmax(row != ABSENT))
                row[place] += len(inner) if row[place] != ABSENT else 0
            images = quiet.gather(Ball(below, np.zeros(len(below))), rows).centre
            moved = np.linalg.norm(images - snaps.representatives[snaps.elements], axis=1)
            assert (np.abs(moved - snaps.distances) < 2).all()
            assert len(np.unique(snaps.children, axis=0)) == len(snaps.children)
        inner, outer = level.interior.representatives, level.edge.representatives
    for tables, level in zip(found.algebra.levels, found.levels, strict=True):
        assert len(level.edge.representatives) == len(tables.classes)
        snapped: dict[bool, dict[tuple[int, ...], int]] = {True: {}, False: {}}
        for snaps, at_edge in ((level.interior, False), (level.edge, True)):
            for row, element in zip(snaps.children.tolist(), snaps.elements.tolist(), strict=True):
                snapped[at_edge][tuple(child for child in row if child != ABSENT)] = element
        snapped[True].pop((), None)
        assert snapped[False] == list_entries(tables.interior)
        assert snapped[True] == {
            k: v for table in tables.edge for k, v in list_entries(table).items()
        }


def list_entries(table: Integers) -> dict[tuple[int, ...], int]:
    """The entries of a table that are there."""
    return {place: int(element) for place, element in np.ndenumerate(table) if element != NONE}


def test_chunks_outside_the_domain_are_in_no_table() -> None:
    parity, domain = parse("parity"), parse("regex:(01)*")
    found = extract_from(Planted(parity, 2, 0.2), domain, 2)
    assert (found.algebra.levels[0].interior == NONE).tolist() == [[True, False], [True, True]]
    machine = language_of(found.algebra, parity.alphabet, ("0", "1"), domain)
    assert [machine.classify(w) for w in ("", "01", "0101")] == [0, 1, 0]


def test_vectors_in_no_clear_classes_are_refused_with_numbers() -> None:
    with pytest.raises(VerificationError, match=r"level \d+ has \d+ elements .* max_elements=3"):
        extract_algebra(network("continuous", vocab_size=3), max_elements=3)


# ---- binary memory ---------------------------------------------------------------------------


@pytest.mark.slow_except("0-settings2", "1-settings0", "1-settings2")
@pytest.mark.parametrize("settings", [{}, {"chunk_size": 3, "num_bits": 3}, {"num_classes": 3}])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_binary_model_is_taken_as_it_is(settings: dict[str, Any], seed: int) -> None:
    model = network("binary", seed, **settings)
    found = extract_algebra(model)
    assert found.is_exact
    assert found.spread == 0 < found.gap
    assert tabulate(found.algebra, num_classes=found.algebra.num_classes)[0].sizes == (
        found.algebra.sizes
    )
    snapped = SnappedModel(found.algebra)
    generator = torch.Generator().manual_seed(seed)
    for length in (0, 1, 2, 5, 300):
        tokens = torch.randint(2, (10, length), generator=generator)
        with torch.no_grad():
            assert torch.allclose(snapped(tokens), model(tokens).double(), atol=1e-4)
    node = node_of(model)
    below = (node.leaves().centre, node.leaves().centre)
    for level in found.levels:
        table = np.concatenate(below)
        rows = level.edge.children.copy()
        for row in rows:
            place = int(np.argmax(row != ABSENT))
            row[place] += len(below[0]) if row[place] != ABSENT else 0
        numbers, _ = node.numbers(node.gather(Ball(table, np.zeros(len(table))), rows))
        images = node.recall(numbers >= 0).centre
        assert np.allclose(images, level.edge.representatives[level.edge.elements], atol=1e-9)
        below = (level.interior.representatives, level.edge.representatives)


def test_the_face_extracts_and_snaps() -> None:
    model = network("binary")
    snapped = SnappedModel(extract_algebra(model).algebra)
    assert snapped.algebra == extract_algebra(model).algebra
    words = ["", "0", "0110", "01" * 400]
    assert lw.predict(snapped, words, language="parity") == lw.predict(
        model, words, language="parity"
    )
    scores = lw.evaluate(snapped, language="parity", lengths=[3, 40], words_per_length=20)
    other = lw.evaluate(model, language="parity", lengths=[3, 40], words_per_length=20)
    assert [s.correct for s in scores.records] == [s.correct for s in other.records]


def test_what_is_no_regular_gpt_is_refused() -> None:
    with pytest.raises(VerificationError, match="Linear has none"):
        extract_algebra(nn.Linear(2, 2))


# ---- back to a language ----------------------------------------------------------------------


# ---- on disk ---------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["binary", "planted"])
def test_what_is_stored_comes_back(memory: str, tmp_path: Path) -> None:
    model = network("binary")
    found = extract_algebra(model)
    if memory == "planted":
        found = extract_from(Planted(parse("parity"), 2, 0.2), None, 2)
    path = tmp_path / "snapped.safetensors"
    save_snapped(path, found, model)
    again = load_snapped(path, model)
    assert again.algebra == found.algebra
    assert again.summary() == found.summary()
    for mine, theirs in zip(again.levels, found.levels, strict=True):
        for kind in ("interior", "edge"):
            for name in ("representatives", "children", "elements", "distances"):
                a, b = getattr(mine, kind), getattr(theirs, kind)
                assert np.array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("largest", [0, 1, 127, 128, 129, 32_767, 32_768, 2**31 - 1, 2**31])
def test_numbers_are_stored_in_as_few_bytes_as_hold_them(largest: int) -> None:
    """Signed ones, as -1 stands for none: one byte holds 127, but not 128."""
    numbers = np.array([-1, 0, largest])
    small = snapped_file._small(numbers)
    assert (small.astype(np.int64) == numbers).all()
    assert small.itemsize == 1 << max(0, (largest.bit_length()) // 8).bit_length()


def test_tables_of_another_model_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    model, path = network("binary"), tmp_path / "snapped.safetensors"
    with pytest.raises(RunError, match="does not exist"):
        load_snapped(path, model)
    save_snapped(path, extract_algebra(model), model)
    with pytest.raises(RunError, match="another model"):
        load_snapped(path, network("binary", seed=1))
    content = path.read_bytes()
    for cut, place in product((0, 7, 100, len(content) - 1), (0, 5)):
        path.write_bytes(content[place:cut])
        with pytest.raises(RunError, match="is damaged") as caught:
            load_snapped(path, model)
        assert "\n" not in str(caught.value)
    for byte in range(8, len(content), max(1, len(content) // few(50, 200))):
        changed = bytearray(content)
        changed[byte] ^= 0x55
        path.write_bytes(changed)
        with suppress(RunError):  # and nothing else, where the change is seen
            load_snapped(path, model)


@given(seed=st.integers(0, 10_000), count=st.integers(1, 30), spread=st.sampled_from([0.0, 1.0]))
def test_a_class_is_refused_by_its_sides_only_if_its_distances_refuse_it(
    seed: int, count: int, spread: float
) -> None:
    """Merging that looks at the sides first is merging that looks at every distance."""
    draws = np.random.default_rng(seed)
    centres = draws.normal(size=(int(draws.integers(1, 6)), 3))
    points = centres[draws.integers(0, len(centres), count)] * 10
    points = points + spread * draws.normal(size=points.shape)
    quick = merge(points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_half_widths", lambda _, ends: np.zeros(len(ends) + 1))
        plain = merge(points)
    for name in ("numbers", "chosen", "distances", "gap"):
        assert np.array_equal(getattr(quick, name), getattr(plain, name))
    ends = merging._spanning_tree(points)[0]
    for kept, half in enumerate(merging._half_widths(points, ends)):
        groups = merging._components(count, ends[:kept])
        sides = [np.ptp(points[groups == group], axis=0).max() for group in set(groups.tolist())]
        assert half == max(sides) / 2


def test_vectors_in_no_clear_classes_are_told_in_seconds() -> None:
    """A cloud of a few thousand vectors: nearly every cut is refused by the sides of a class."""
    cloud = np.random.default_rng(0).normal(size=(2_000, 16))
    asked = 0

    def count(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return choose(*given)

    choose = merging._choose
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_choose", count)
        merge(cloud)
    assert asked < 20
