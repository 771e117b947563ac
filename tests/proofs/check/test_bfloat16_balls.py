"""Proofs for bfloat16: bounds against networks that run in it, and what is claimed of whom."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.errors import CertificateError, VerificationError
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.precision import why_unavailable
from lengthwise.proofs.check.balls import Ball, Floats, norm
from lengthwise.proofs.check.bfloat16_balls import Narrow, bfloat16_rounded
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.check.window_node import WindowNode
from lengthwise.proofs.search.bfloat16_emulation import RoundedToBfloat16, running
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import node_of, weights_of
from proofs.hostile import SYMBOLS, chunks, hostile, settings_drawn
from proofs.recurrent import automaton_of, random_recurrence
from proofs.second_checker import second_checker, second_says
from proofs.trained import ENDS_WITH_1, last_symbol
from proofs.windowed import random_scratchpad

UNIT = 2.0**-8


class Perturbed(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A mode in which every result moves by a whole unit roundoff: up, down, or at random.

    An attack on bounds: no rounding to nearest moves all numbers so far, or towards one side.
    """

    def __init__(self, way: str, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.way, self.generator = way, torch.Generator().manual_seed(seed)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        found = func(*args, **(kwargs or {}))
        if func._schema.is_mutable or func.is_view or not isinstance(found, Tensor | tuple):
            return found
        if isinstance(found, tuple):  # layer norm, whose first result is handed on
            return (self._move(found[0]), *found[1:])
        return self._move(found)

    def _move(self, x: Tensor) -> Tensor:
        if not x.is_floating_point() or (x == x.round()).all():  # such as signs, which are exact
            return x
        signs = torch.ones(x.shape)
        if self.way == "random":
            signs = torch.randint(2, x.shape, generator=self.generator) * 2.0 - 1.0
        return x * (1 + UNIT * (signs if self.way != "down" else -signs))


def modes(seed: int) -> list[AbstractContextManager[Any]]:
    """What a network runs under: rounding, and attacks."""
    ways = [Perturbed(way, seed) for way in ("up", "down", "random", "random")]
    return [RoundedToBfloat16(), *ways]  # type: ignore[no-untyped-call]


def round_to_bfloat16(model: Any) -> Any:
    """The network with weights of bfloat16, as float32."""
    return model.bfloat16().float().eval()


def assert_within(node_numbers: tuple[Floats, Floats], found: Tensor) -> None:
    centre, radius = node_numbers
    off = np.abs(found.double().numpy() - centre)
    assert (off <= radius).all(), (off - radius).max()


# ---- bounds --------------------------------------------------------------------------------------


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31), cell=st.sampled_from(["elman", "gru"]))
@torch.no_grad()
def test_recurrences_stay_within_their_bounds(seed: int, cell: str) -> None:
    model = round_to_bfloat16(random_recurrence(seed, dtype=torch.float32, cell=cell))
    node = RecurrentNode(model.config.to_dict(), weights_of(model), "bfloat16")
    codes = np.indices([2] * 3).reshape(3, -1).T.astype(bool)
    codes, symbols = np.repeat(codes, 2, axis=0), np.tile([0, 1], 8)
    numbers = node.numbers(node.recall(codes), symbols)
    logits = node.logits(node.recall(codes))
    for mode in modes(seed):
        with mode:
            vectors = model.memory.recall(torch.from_numpy(codes))
            found = model.memory.numbers(model.cell(vectors, torch.from_numpy(symbols)))
            read = model.read(vectors)
        assert_within(numbers, found)
        assert_within(logits, read)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), hostility=st.sampled_from([0.0, 0.0, 0.2]))
@torch.no_grad()
def test_trees_stay_within_their_bounds(seed: int, hostility: float) -> None:
    random = np.random.default_rng(seed)
    drawn = {**settings_drawn(random), "memory": "binary"}
    if drawn["embedding_scale"] == 1e-39:
        drawn["embedding_scale"] = None
    with np.errstate(over="ignore"):
        model = round_to_bfloat16(hostile(random, drawn, hostility, torch.float32))
    if not all(weight.isfinite().all() for weight in model.parameters()):
        return
    node = node_of(model, "bfloat16")
    children = chunks(random, drawn["chunk_size"], SYMBOLS, 12)
    gathered = node.gather(node.leaves(), children)
    numbers = node.numbers(gathered)
    for mode in modes(seed):
        with mode:
            below = model.leaf(torch.arange(SYMBOLS))
            vectors = model.gather(below, torch.from_numpy(children))
            found = model.memory.numbers(vectors)
        finite = np.isfinite(gathered.radius)
        apart = norm(vectors.double().numpy() - gathered.centre)
        assert (apart <= gathered.radius)[finite].all()
        sure = np.isfinite(numbers[1])
        off = np.abs(found.double().numpy() - numbers[0])
        assert (off <= numbers[1])[sure].all()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**31))
@torch.no_grad()
def test_scratchpads_stay_within_their_bounds(seed: int) -> None:
    model = round_to_bfloat16(random_scratchpad(seed, dtype=torch.float32))
    node = WindowNode(model.config.to_dict(), weights_of(model), "bfloat16")
    contexts = np.array([[-1, 2], [3, 0], [4, 1], [7, 1]])
    logits = node.logits(contexts)
    for mode in modes(seed):
        with mode:
            found = model.logits(torch.from_numpy(contexts))
        assert_within(logits, found)


def test_bounds_are_not_idle() -> None:
    """A hundredth of them would not do."""
    model = round_to_bfloat16(random_recurrence(1, dtype=torch.float32))
    node = RecurrentNode(model.config.to_dict(), weights_of(model), "bfloat16")
    code = np.array([[True, False, True]])
    centre, radius = node.numbers(node.recall(code), np.array([0]))
    worst = np.zeros_like(radius)
    for seed in range(100):
        with torch.no_grad(), Perturbed("random", seed):
            vectors = model.cell(model.memory.recall(torch.from_numpy(code)), torch.tensor([0]))
            found = model.memory.numbers(vectors)
        worst = np.maximum(worst, np.abs(found.double().numpy() - centre))
    assert (worst > radius / 100).all()


@given(numbers=st.lists(st.floats(-(2.0**127), 2.0**127, width=32), min_size=1, max_size=20))
def test_weights_are_rounded_as_torch_rounds_them(numbers: list[float]) -> None:
    given_ = np.array(numbers, dtype=np.float32)
    expected = torch.from_numpy(given_.copy()).bfloat16().float().numpy()
    assert np.array_equal(bfloat16_rounded(given_), expected)


def test_numbers_that_could_overflow_have_no_bound() -> None:
    arithmetic = Narrow.bfloat16()
    large = Ball(np.full((1, 2), 1e36), np.zeros(1))
    assert arithmetic.round(large).radius[0] == np.inf
    assert np.isfinite(arithmetic.round(Ball(np.ones((1, 2)), np.zeros(1))).radius[0])


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.parametrize("cell", ["elman", "gru"])
@torch.no_grad()
def test_the_emulation_is_bfloat16_but_for_the_order_of_additions(cell: str) -> None:
    model = random_recurrence(5, dtype=torch.float32, cell=cell, d_model=32, num_bits=8).bfloat16()
    words = torch.randint(2, (64, 6), generator=torch.Generator().manual_seed(0))
    codes = words[:, :1].bool().expand(-1, 8)
    given_, symbols = model.memory.recall(codes), words[:, 1]
    real = model.memory.numbers(model.cell(given_, symbols)).double()
    plain = model.float()
    with RoundedToBfloat16():  # type: ignore[no-untyped-call]
        found = plain.memory.numbers(plain.cell(plain.memory.recall(codes), symbols)).double()
    assert (found - real).abs().max() <= 4 * UNIT * real.abs().max()
    assert found.equal(found.bfloat16().double())


# ---- claims --------------------------------------------------------------------------------------


def prove_in_bfloat16(seed: int, cell: str = "elman") -> tuple[Any, Any, Certificate]:
    """A network, the language of its cast, and what `certify` says."""
    model = random_recurrence(seed, dtype=torch.float32, cell=cell)
    with torch.no_grad():
        model.memory.write.weight.mul_(8)
    with running(model, "bfloat16") as ran:
        language = automaton_of(ran)
    return model, language, certify(model, language, precision="bfloat16")


def test_a_proof_is_right_on_every_short_word_of_the_cast_network() -> None:
    proved = 0
    for seed in (0, 1, 17, 25, 37, 38):  # the first two are too near to 0
        model, language, made = prove_in_bfloat16(seed)
        assert made.verdict in ("equivalent", "not-closed"), made.reason
        if made.verdict == "not-closed":
            continue
        proved += 1
        assert check(made).verdict == "equivalent"
        real = (nullcontext(),) if why_unavailable("bfloat16") is None else ()
        for mode in (*real, *modes(seed)[:2]):
            cast = model.bfloat16() if isinstance(mode, nullcontext) else round_to_bfloat16(model)
            for length in range(1, 10):
                words = list(product(range(2), repeat=length))
                with torch.no_grad(), mode:
                    given_ = cast(torch.tensor(words)).argmax(dim=1)
                assert given_.tolist() == [language.classify(word) for word in words]
    assert proved == 4


def test_a_network_whose_cast_is_another_automaton_is_refuted() -> None:
    refuted = 0
    for seed in (0, 6, 27, 42):
        model = random_recurrence(seed, dtype=torch.float32)
        language = automaton_of(model)
        made = certify(model, language, precision="bfloat16")
        with running(model, "bfloat16") as ran:
            differs = automaton_of(ran).difference(language)
        if differs is not None:
            assert made.verdict != "equivalent"
            refuted += 1
    assert refuted == 3


def test_margins_below_rounding_are_not_closed() -> None:
    """0.002 is plenty for float32, and nothing for bfloat16."""
    model = last_symbol()
    memory: Any = model.memory
    with torch.no_grad():
        memory.write.weight.mul_(0.25)
        memory.write.bias.fill_(0.498046875)  # a number of bfloat16
    assert certify(model, ENDS_WITH_1).verdict == "equivalent"
    made = certify(model, ENDS_WITH_1, precision="bfloat16")
    assert made.verdict == "not-closed"


def test_a_certificate_in_bfloat16_is_of_format_3_and_older_ones_stay(tmp_path: Path) -> None:
    made = certify(last_symbol(), ENDS_WITH_1, precision="bfloat16")
    assert made.verdict == "equivalent"
    path = tmp_path / "certificate.json"
    made.save(path)
    assert path.read_bytes().startswith(
        b'{"format":3,"verdict":"equivalent","strength":"discrete",'
    )
    read = Certificate.load(path)
    assert read.precision == check(read).precision == "bfloat16"
    assert "cast to bfloat16" in check(read).statement
    assert "cast by .bfloat16()" in " ".join(check(read).summary()["terms"])
    plain = certify(last_symbol(), ENDS_WITH_1)
    assert plain.to_bytes().startswith(b'{"format":2,')
    assert plain.summary()["precision"] == "weights"


def test_the_second_checker_refuses_it_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    certify(last_symbol(), ENDS_WITH_1, precision="bfloat16").save(path)
    (said,) = second_says(second_checker(), [path])
    assert said.why == 'kind "bfloat16" is not handled.'


def _with_a_weight_between(made: Certificate) -> Certificate:
    weights = dict(made.weights)
    weights["pad"] = weights["pad"] + np.float32(1e-5)
    return replace(made, weights=weights)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_with_a_weight_between, "numbers of bfloat16"),
        (
            lambda made: replace(made, strength="structural"),
            "a structural certificate has no elements",
        ),
        (lambda made: replace(made, strength="robust"), "about discrete memory"),
        (
            lambda made: replace(
                made, weights={n: w.astype(np.float64) for n, w in made.weights.items()}
            ),
            "numbers of bfloat16",
        ),
    ],
)
def test_forged_precisions_are_refused(
    change: Callable[[Certificate], Certificate], said: str
) -> None:
    made = certify(last_symbol(), ENDS_WITH_1, precision="bfloat16")
    with pytest.raises(CertificateError, match=said):
        check(change(made))


def test_a_proof_for_float32_is_none_for_bfloat16() -> None:
    """The margin is that of above; the evidence is that of float32."""
    model = last_symbol()
    memory: Any = model.memory
    with torch.no_grad():
        memory.write.weight.mul_(0.25)
        memory.write.bias.fill_(0.498046875)  # a number of bfloat16
    made = certify(model, ENDS_WITH_1)
    assert made.verdict == "equivalent"
    with pytest.raises(CertificateError, match="every sign is certain"):
        check(replace(made, precision="bfloat16"))


def test_it_is_the_certificate_of_a_run_in_float32() -> None:
    model = last_symbol(size=1.001)
    made = certify(model, ENDS_WITH_1, precision="bfloat16")
    made.require_model(model.config.to_dict(), weights_of(model))
    with torch.no_grad():
        model.pad.mul_(2)
    with pytest.raises(CertificateError, match="another model"):
        made.require_model(model.config.to_dict(), weights_of(model))


def test_bfloat16_is_for_discrete_memory_and_for_no_other_precision() -> None:
    continuous = lw.compile("parity").model
    with pytest.raises(VerificationError, match="keep bits or tokens"):
        lw.certify(continuous, language="parity", precision="bfloat16")
    with pytest.raises(VerificationError, match=r"precision='tf32'\. Use 'weights' or 'bfloat16'"):
        lw.certify(last_symbol(), language="regex:(0|1)*1", precision="tf32")  # type: ignore[arg-type]
    slots = RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2, d_model=8, num_heads=2))
    with pytest.raises(VerificationError, match="keep bits or tokens"):
        lw.certify(slots, language="parity", precision="bfloat16")


def test_the_command_takes_a_precision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    chosen = ["--set", "d_model=32", "--set", "steps=200", "--device", "cpu"]
    assert main(["train", "parity", "--model", "elman-binary", "--out", str(run), *chosen]) == 0
    capsys.readouterr()
    assert main(["certify", str(run), "--precision", "bfloat16"]) == 0
    said = capsys.readouterr().out
    assert "equivalent (discrete, bfloat16)" in said
    file = run / "certificate-bfloat16.json"
    assert Certificate.load(file).precision == "bfloat16"
    assert main(["certify", "--check", str(file), str(run)]) == 0
    assert main(["certify", "--check", str(file), "--precision", "bfloat16"]) == 2
    assert main(["certify", str(run)]) == 0
    assert Certificate.load(run / "certificate.json").precision == "weights"
