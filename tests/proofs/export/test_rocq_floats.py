"""The theorem about running networks: its bounds, who has it, and what the kernel refuses."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import check
import numpy as np
import pytest
import torch
from axioms import CLOSED, REALS, find_axioms, rest_on
from check import FLOATS, LIBRARY, Limits, ProofError
from hypothesis import given, settings
from hypothesis import strategies as st
from weak_sums import explain_sums

from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.export.rocq_weights import reason_without_floats
from lengthwise.proofs.search.network import weights_of
from lengthwise.proofs.search.summation_orders import ORDERS, OrderedSums
from lengthwise.training.loop import round_weights
from proofs.export.test_rocq import export
from proofs.export.test_rocq_weights import prove_recurrence, text_of
from proofs.recurrent import random_recurrence
from proofs.rocq_balls import BallRecurrence, Balls, BallTree, balls_of
from proofs.rocq_kernel import accept, compile_library, needs_flocq, run_rocq
from proofs.rocq_networks import does, network_of, record_of
from proofs.trained import random_rational

# ---- the bound, against that of the checker ------------------------------------------------------


def require_wider(
    numbers: np.ndarray[Any, Any], radius: np.ndarray[Any, Any], balls: Balls, places: int
) -> None:
    """Demand the same centres, and radii of the checker that are not smaller than the kernel's."""
    unit = 2.0**-places
    for number, own, ball in zip(numbers, radius, balls, strict=True):
        assert ball is not None
        assert abs(float(number) - ball[0] * unit) <= ball[1] * unit
        assert own >= ball[1] * unit > 0


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    width=st.sampled_from([1, 3, 8, 24]),
    num_bits=st.sampled_from([1, 4, 7]),
)
def test_bounds_of_recurrences_are_never_smaller_than_the_kernels(
    seed: int, width: int, num_bits: int
) -> None:
    model = random_recurrence(
        seed, dtype=torch.float32, cell="relu", d_model=width, num_bits=num_bits
    )
    node, kernel = (
        RecurrentNode(model.config.to_dict(), weights_of(model)),
        balls_of(record_of(text_of(model))),
    )
    assert isinstance(kernel, BallRecurrence)
    bits = np.random.default_rng(seed).random((3, num_bits)) < 0.5
    codes, symbols = np.repeat(bits, 2, axis=0), np.tile([0, 1], 3)
    for number, radius, code, symbol in zip(
        *node.numbers(node.recall(codes), symbols), codes.tolist(), symbols.tolist(), strict=True
    ):
        require_wider(number, radius, kernel.step(code, symbol), kernel.places)
    for number, radius, code in zip(*node.logits(node.recall(codes)), codes.tolist(), strict=True):
        require_wider(number, radius, kernel.logits(kernel.recall(code)), kernel.places)
    (start,), (radius,) = node.start_numbers()
    require_wider(start, radius, kernel.start(), kernel.places)


@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from(
        [{}, {"chunk_size": 4}, {"num_layers": 2}, {"num_heads": 1}, {"embedding_scale": None}]
    ),
)
def test_bounds_of_trees_are_never_smaller_than_the_kernels(
    seed: int, shape: dict[str, Any]
) -> None:
    model = random_rational(seed, torch.float32, **shape)
    node, kernel = (
        Node(model.config.to_dict(), weights_of(model)),
        balls_of(record_of(text_of(model))),
    )
    assert isinstance(kernel, BallTree)
    chunk = model.config.chunk_size
    children = np.random.default_rng(seed).integers(-1, 2, (3, chunk))
    found = node.numbers(node.gather(node.leaves(), children))
    for number, radius, row in zip(*found, children.tolist(), strict=True):
        balls = kernel.compose([kernel.leaf(None if a < 0 else a) for a in row])
        require_wider(number, radius, balls, kernel.places)


# ---- an order of additions that changes an answer ------------------------------------------------

TERMS = 62


def leaning(steps: int) -> BinaryRecurrent:
    """A network of one code, whose largest logit exceeds the other by about `steps` / 2^23.

    Each logit is one number near 1 plus `TERMS` numbers that are nearly half a unit in its last
    place: added to it one by one, those of the first logit are rounded up, and those of the second
    are rounded away. Added to each other first, they are not.
    """
    config = {
        "vocab_size": 1,
        "num_classes": 2,
        "cell": "relu",
        "d_model": TERMS + 1,
        "num_bits": 1,
    }
    model = BinaryRecurrent(BinaryRecurrentConfig.from_dict(config))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.memory.write.bias.fill_(1.0)
        model.memory.read.weight.fill_(1.0)
        for row, first, sign in ((0, 1.0, 1), (1, 1.0 + steps * 2.0**-23, -1)):
            model.answer.weight[row] = 2.0**-24 * (1 + sign * 2.0**-10)
            model.answer.weight[row, 0] = first
    return model.eval()


def kernel_of(model: BinaryRecurrent) -> BallRecurrence:
    kernel = balls_of(record_of(text_of(model)))
    assert isinstance(kernel, BallRecurrence)
    return kernel


@torch.no_grad()
def answers_by_order(model: BinaryRecurrent, num_random: int) -> set[int]:
    """The answers that come out, over orders of additions."""
    words = torch.zeros(1, 3, dtype=torch.long)
    found = set[int]()
    for order in (*ORDERS, *["at random"] * num_random):
        for fused in (False, True):
            with OrderedSums(order, fused=fused, seed=len(found) + num_random):
                found.add(int(model(words).argmax()))
    return found


def test_an_order_changes_the_answer_just_beyond_the_bound_and_none_does_within_it() -> None:
    """The bound is nearly the least one: an order changes the answer at 61 steps, and 67 suffice
    for the proof."""
    codes = [(True,)]
    steps = next(k for k in range(TERMS, 2 * TERMS) if kernel_of(leaning(k)).accepts(codes, 1))
    assert steps <= TERMS + 5
    for accepted in range(steps, steps + 6):
        assert answers_by_order(leaning(accepted), 6) == {1}
    beyond = leaning(TERMS - 1)
    assert not kernel_of(beyond).accepts(codes, 1)
    assert answers_by_order(beyond, 0) == {0, 1}


# ---- who has the theorem -------------------------------------------------------------------------


def test_networks_of_other_arithmetic_have_a_reason() -> None:
    made = prove_recurrence()
    assert reason_without_floats(made) == ""
    assert "rounded to bfloat16" in reason_without_floats(replace(made, precision="bfloat16"))
    start = made.weights["start"].copy()
    start[0] = 2.0**-90
    tiny = replace(made, weights={**made.weights, "start": start})
    assert "a weight takes 90 binary places, and up to 71" in reason_without_floats(tiny)
    double = {name: weight.astype(np.float64) for name, weight in made.weights.items()}
    assert reason_without_floats(replace(made, weights=double)) == ""
    assert " double weights w " in export(replace(made, weights=double))


def test_a_scale_that_rounds_has_a_reason() -> None:
    model = random_rational(0, torch.float32, embedding_scale=1.1)
    made = replace(prove_recurrence(), settings=model.config.to_dict(), weights=weights_of(model))
    assert "an embedding times its scale, 1.1, has more than 24 digits" in reason_without_floats(
        made
    )


# ---- what check.py says --------------------------------------------------------------------------


def test_without_flocq_check_says_what_to_install(tmp_path: Path) -> None:
    said = "Error: Cannot find a physical path bound to logical path Core with prefix Flocq."
    with pytest.raises(ProofError, match=r"needs Flocq.*apt-get install libcoq-flocq"):
        check.run(["bash", "-c", f"echo '{said}'; exit 1"], tmp_path, Limits())


def test_axioms_are_those_of_the_real_numbers_and_no_others() -> None:
    one = "Classical_Prop.classic : forall P : Prop, P \\/ ~ P"
    text = f"{CLOSED}\nAxioms:\nClassicalDedekindReals.sig_forall_dec\n  : forall\n{one}\n"
    assert find_axioms(text) == [
        frozenset(),
        frozenset({"ClassicalDedekindReals.sig_forall_dec", "Classical_Prop.classic"}),
    ]
    assert rest_on(text, [frozenset(), REALS])
    for other in ([REALS, frozenset()], [REALS], [REALS] * 3):
        assert not rest_on(text, list(other))
    assert not rest_on(text + "mine : False\n", [frozenset(), REALS])


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (
            "{| elements := [3; 1]; which := 2; sum_of := Some ((-5)%Z, 8%Z); kept := 40%Z |}",
            "bit 2 of the code after elements 3, 1 is 4.547e-12 from 0, and rounding can move it "
            "by 7.276e-12, 2.7e-12 more. Train for a larger margin.",
        ),
        (
            "{| elements := []; which := 0;\n  sum_of := None; kept := 40%Z |}",
            "bit 0 of the code after no symbol may be 2^30 or more, or no number.",
        ),
    ],
)
def test_a_weak_sum_is_explained(shown: str, said: str) -> None:
    answers = f"     = Some\n  {shown}\n     : option weak\n     = None\n     : option weak\n"
    certificate = "Definition weights : recurrent_network := {| |}."
    assert explain_sums(certificate, answers).startswith(said)
    assert explain_sums(certificate, "= None : option weak\n= None : option weak") == ""


# ---- with Rocq -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library((*LIBRARY, *FLOATS), tmp_path_factory.mktemp("library"))


HEAD = (
    "From Coq Require Import List NArith ZArith QArith.\n"
    "From Lengthwise Require Import Words Data Networks Fractions Weights Floats FloatNetworks.\n"
    "From Lengthwise Require Import Balls FloatWeights.\n"
    "Import ListNotations.\nLocal Open Scope N_scope.\nLocal Open Scope text_scope.\n"
)


def shown_balls(text: str) -> list[Balls]:
    """Lists of balls as Rocq prints them."""
    return [
        [
            None if found.startswith("None") else tuple(map(int, re.findall(r"-?\d+", found)))  # type: ignore[misc]
            for found in re.findall(r"None|Some \([^()]*(?:\([^()]*\))?[^()]*\)", answer)
        ]
        for answer in re.findall(r"= \[(.*?)\]\s*: list", text, re.S)
    ]


@needs_flocq
@pytest.mark.slow
def test_the_oracle_computes_the_balls_of_the_kernel(library: Path, tmp_path: Path) -> None:
    text, expected = HEAD, []
    for seed in range(3):
        recurrence = random_recurrence(seed, dtype=torch.float32, cell="relu", num_bits=4)
        tree = random_rational(seed, torch.float32, num_layers=1 + seed % 2)
        if seed == 2:
            round_weights(recurrence, 6)
        for model in (recurrence, tree):
            kernel = balls_of(record_of(text_of(model)))
            units = f"single {kernel.places} {kernel.weight_places}"
            raised = f"raised {kernel.places} {kernel.weight_places}"
            if isinstance(kernel, BallRecurrence):
                expected += [kernel.start(), kernel.step((True, False, True, True), 1)]
                text += (
                    f"Definition net{seed} := convert_recurrent (weight_ball single "
                    f"{kernel.weight_places}) ({text_of(model)}).\n"
                    f"Eval vm_compute in affine_balls {units} (written (cell_memory net{seed}))\n"
                    f"  (map ({raised}) (first_vector net{seed})).\n"
                    f"Eval vm_compute in affine_balls {units} (written (cell_memory net{seed}))\n"
                    f"  (map rectified_ball (added_balls single {kernel.places}\n"
                    f"    (map ({raised})\n"
                    f"      (nth 1 (symbol_rows net{seed}) []))\n"
                    f"    (affine_balls {units} (recurrent net{seed}) (recall_balls {units}\n"
                    f"      (cell_memory net{seed}) [true; false; true; true])))).\n"
                )
            else:
                expected.append(kernel.compose([kernel.leaf(None), kernel.leaf(1)]))
                text += (
                    f"Definition tree{seed} := convert_tree (weight_ball single "
                    f"{kernel.weight_places}) ({text_of(model)}).\n"
                    f"Eval vm_compute in affine_balls {units} (written (node_memory tree{seed}))\n"
                    f"  (block_balls {units} tree{seed} (layers tree{seed})\n"
                    f"    (map (vector_balls {units} tree{seed}) [Symbol 1; Pad])).\n"
                )
    done = run_rocq(text, library, tmp_path)
    assert done.returncode == 0, done.stderr
    assert shown_balls(done.stdout) == expected


def at_the_edge(seed: int) -> tuple[BinaryRecurrent, BinaryRecurrent, list[tuple[bool, ...]]]:
    """Two networks that differ in the last digit of a bias: one is refused, one accepted.

    The bias brings the least number of a bit so near to 0 that it is just too near for its bound.
    """
    model = random_recurrence(seed, dtype=torch.float32, cell="relu", num_bits=2)
    net = network_of(text_of(model))
    codes = [bits for bits, _, _ in does(net, 2)]
    if not kernel_of(model).accepts(codes, 2):
        return at_the_edge(seed + 1000)
    kernel, bit = kernel_of(model), seed % 2
    numbers = [kernel.start(), *(kernel.step(code, a) for code in codes for a in (0, 1))]
    centres = [ball[bit][0] * 2.0**-kernel.places for ball in numbers if ball[bit]]  # type: ignore[index]
    nearest = min(centres, key=abs)
    bias = model.memory.write.bias.detach()

    def moved(value: float) -> BinaryRecurrent:
        other: Any = random_recurrence(seed, dtype=torch.float32, cell="relu", num_bits=2)
        with torch.no_grad():
            other.memory.write.bias[bit] = value
        return other

    good, bad = np.float32(float(bias[bit])), np.float32(float(bias[bit]) - nearest)
    while np.nextafter(good, bad) != bad:
        middle = np.float32((float(good) + float(bad)) / 2)
        if kernel_of(moved(float(middle))).accepts(codes, 2):
            good = middle
        else:
            bad = middle
    return moved(float(bad)), moved(float(good)), codes


def table_text(model: BinaryRecurrent, codes: list[tuple[bool, ...]]) -> str:
    """The check of a network with the table that it has in exact arithmetic."""
    net: Any = network_of(text_of(model))
    after = [[codes.index(net.step(code, a)) + 1 for a in (0, 1)] for code in codes]
    rows = ["[" + "; ".join(map(str, row)) + "]" for row in after]
    classes = [net.class_of(net.recall(code)) + 1 for code in codes]
    written = "; ".join("[" + "; ".join(str(b).lower() for b in code) + "]" for code in codes)
    return (
        f"check_float_recurrent_weights single ({text_of(model)}) 2 [{written}]\n"
        f"  {{| first_code := {codes.index(net.start())};\n"
        f"      next_code := steps_of [{'; '.join(rows)}];\n"
        f"      code_class := classes_of [{'; '.join(map(str, classes))}] |}}"
    )


def test_margins_at_the_edge_of_the_bound_differ_in_one_digit() -> None:
    refused, accepted, codes = at_the_edge(0)
    assert kernel_of(accepted).accepts(codes, 2)
    assert not kernel_of(refused).accepts(codes, 2)
    changed = [
        name
        for (name, one), other in zip(
            refused.named_parameters(), accepted.parameters(), strict=True
        )
        if not one.equal(other)
    ]
    assert changed == ["memory.write.bias"]


@needs_flocq
@pytest.mark.slow
def test_30_margins_below_the_bound_are_refused_and_30_above_are_accepted(
    library: Path, tmp_path: Path
) -> None:
    text = HEAD
    for seed in range(30):
        refused, accepted, codes = at_the_edge(seed)
        for model in (refused, accepted):
            text += f"Eval vm_compute in {table_text(model, codes)}.\n"
    done = run_rocq(text, library, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"= (true|false)", done.stdout) == ["false", "true"] * 30
    print("30 refused, 30 accepted")


@needs_flocq
@pytest.mark.slow
def test_check_says_which_sum_is_too_near_and_by_how_much(library: Path, tmp_path: Path) -> None:
    """The exact network is still right, and the running one is not certain."""
    text, (refused, _, _) = export(prove_recurrence()), at_the_edge(3)
    start, end = text.index("{|", text.index("Definition weights")), text.index("Definition codes")
    file = tmp_path / "machine.v"
    file.write_text(f"{text[:start]}{text_of(refused)}.\n\n{text[end:]}")
    with pytest.raises(ProofError) as refusal:
        check.compile_certificate(file, library, tmp_path / "build", Limits())
    said = str(refusal.value)
    assert len(said.splitlines()) == 1
    found = re.search(
        r"bit 1 of the code .* is ([\d.e-]+) from 0, and rounding can move it by ([\d.e-]+), "
        r"([\d.e-]+) more\. Train for a larger margin\.$",
        said,
    )
    assert found is not None, said
    distance, radius, more = map(float, found.groups())
    assert 0 < distance <= radius
    assert more == pytest.approx(radius - distance, abs=1e-2 * radius)


def change_claim(text: str, choose: random.Random) -> str:
    """A text whose theorem about the running network says something else."""
    start = text.index("Theorem float_network_right")
    end = text.index("Proof.", start)
    claim = text[start:end]
    old, new = choose.choice(
        [
            ("(class_of (answers language) w)", "(N.lxor 1 (class_of (answers language) w))"),
            ("(class_of (answers language) w)", "(class_of (answers language) (0 :: w))"),
            ("single weights w", "single weights (w ++ [1])"),
            ("single weights w", "double weights w"),
            ("single weights w", "single weights (tl w)"),
            ("found = Some", "found <> Some"),
            ("  is_word language w -> in_domain language w ->\n", ""),
        ]
    )
    assert old in claim
    return text[:start] + claim.replace(old, new) + text[end:]


@needs_flocq
@pytest.mark.slow
def test_the_kernel_refuses_other_claims_about_the_running_network(
    library: Path, tmp_path: Path
) -> None:
    text, choose = export(prove_recurrence()), random.Random(0)
    assert accept(text, library, tmp_path)
    for mutant in {change_claim(text, choose) for _ in range(20)}:
        assert not accept(mutant, library, tmp_path), mutant
