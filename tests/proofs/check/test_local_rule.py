"""The table of additions is what additions read, and a network's rows are what it computes."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lengthwise.models.pointer_decoder import SHARPNESS, PointerDecoder, PointerDecoderConfig
from lengthwise.proofs.check.local_rule import (
    BLANK,
    LETTERS,
    READ_ERROR,
    Row,
    add_by_rows,
    addition_table,
    first_wrong,
    judge_rows,
)
from lengthwise.tasks.step_specs import make_step_task
from pointer_adder import adder_weights
from proofs.rocq_kernel import compile_library, needs_rocq, run_rocq


def rows_of_additions(longest: int) -> dict[int, set[tuple[Row, int]]]:
    """Return what is read and written in all additions, by the number of bits."""
    found: dict[int, set[tuple[Row, int]]] = {}
    for n in range(1, longest + 1):
        task = make_step_task("steps:addition", {"bits": n, "order": "carries"})
        names = task.cells(task.layout("strong"))
        inputs = torch.tensor(list(product((0, 1), repeat=2 * n)))
        rows = found[n] = set()
        for word in task.sequences(inputs, task.layout("strong")).tolist():
            for place in range(2 * n, 4 * n):
                cells = dict(zip(names[:place], word, strict=False))
                letter, i = names[place][0], int(names[place][1:])
                read = [cells.get(f"{one}{j}", BLANK) for one in LETTERS for j in (i - 1, i)]
                rows.add(((letter, tuple(read)), word[place]))
    return found


def test_the_table_has_just_the_rows_that_occur_and_three_bits_meet_them_all() -> None:
    rows = rows_of_additions(4)
    table = set(addition_table().items())
    assert rows[1] | rows[2] | rows[3] == table
    assert rows[4] <= table
    assert rows[1] | rows[2] != table


@given(st.integers(1, 70), st.data())
def test_who_follows_the_table_adds(n: int, data: st.DataObject) -> None:
    a, b = (data.draw(st.integers(0, 2**n - 1)) for _ in "ab")
    bits_a, bits_b = ([number >> i & 1 for i in range(n)] for number in (a, b))
    written = add_by_rows(addition_table().get, bits_a, bits_b)
    assert written is not None
    assert sum(bit << i for i, bit in enumerate(written[n:])) == (a + b) % 2**n
    lacking = dict(addition_table())
    del lacking["e", (BLANK, bits_a[0], BLANK, bits_b[0], *[BLANK] * 4)]
    assert add_by_rows(lacking.get, bits_a, bits_b) is None


def test_the_first_wrong_numbers_are_found() -> None:
    table = addition_table()
    assert first_wrong(table.get) is None
    last = ("e", (1, 0, 1, 1, 1, 1, 1, BLANK))  # needs a carry into the second of three bits
    a, b = first_wrong({**table, last: 1 - table[last]}.get) or ((), ())
    assert len(a) == len(b) == 3
    first = ("e", (BLANK, 1, BLANK, 1, *[BLANK] * 4))
    assert first_wrong({**table, first: 1}.get) == ((1,), (1,))
    unused = ("c", (1, BLANK, 1, BLANK, BLANK, BLANK, BLANK, BLANK))  # c_2 of 1-bit numbers
    assert first_wrong({**table, unused: 0}.get) == ((1,), (1,))


def decoder(weights: dict[str, NDArray[Any]]) -> PointerDecoder:
    task = make_step_task("steps:addition", {"bits": 3, "order": "carries"})
    cells = " ".join(task.cells(task.layout("strong")))
    width = weights["answer.weight"].shape[1]
    model = PointerDecoder(PointerDecoderConfig(vocab_size=2, cells=cells, d_model=width))
    model.to(getattr(torch, weights["read"].dtype.name))
    model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return model


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(seed=st.integers(0, 2**32 - 1))
def test_margins_hold_for_everything_that_heads_can_read(kind: type, seed: int) -> None:
    draw = np.random.default_rng(seed)
    scale = 10.0 ** draw.uniform(-2, 2)
    weights = {
        name: (w + scale * draw.standard_normal(w.shape)).astype(kind)
        for name, w in adder_weights().items()
    }
    rows = list(addition_table())
    bits, margins = judge_rows(rows, weights)
    model = decoder(weights)
    for (letter, read), bit, margin in zip(rows, bits, margins, strict=True):
        shown = np.zeros((8, 3))
        shown[range(8), read] = 1.0
        for _ in range(3):
            push = draw.standard_normal(shown.shape)
            push *= READ_ERROR / np.abs(push).sum(axis=1, keepdims=True)
            heads = torch.from_numpy((shown + push).astype(kind)).reshape(4, 2, 3)
            with torch.no_grad():
                vector = torch.einsum("los,losd->d", heads, model.read)
                logits = model.answer((vector + model.written[LETTERS.index(letter)]).relu())
            ahead = float(logits[bit] - logits[1 - bit])
            assert ahead >= margin * (1 - 1e-6) or margin <= 0


def test_weights_without_numbers_are_not_certain() -> None:
    rows = list(addition_table())
    for value in (np.nan, np.inf, 1e38):
        weights = adder_weights()
        weights["read"][0, 0, 0, 0] = value
        with np.errstate(all="ignore"):
            assert (judge_rows(rows, weights)[1] <= 0).all()


def test_the_bound_on_heads_is_that_of_their_sharpness() -> None:
    others = sum(2 * np.exp(-SHARPNESS * d * d) for d in range(1, 9))
    ahead = np.exp(-SHARPNESS / 2) + others
    behind = others * np.exp(SHARPNESS / 2)
    assert 2 * max(ahead, behind) < 2 * 2.1 * np.exp(-16) < READ_ERROR / 10


@pytest.mark.slow
@needs_rocq
def test_the_table_is_the_one_of_the_theorem(tmp_path: Path) -> None:
    library = compile_library(["Adder"], tmp_path)
    lists = "From Coq Require Import List.\nImport ListNotations.\n"
    shown = f"{lists}From Lengthwise Require Import Adder.\nCompute table.\n"
    text = " ".join(run_rocq(shown, library, tmp_path).stdout.split())
    contents = {"None": BLANK, "Some true": 1, "Some false": 0}
    rows = re.findall(r"\((C|E), \[([^\]]*)\], (true|false)\)", text)
    assert len(rows) == 112
    assert {
        (letter.lower(), tuple(contents[cell.strip()] for cell in cells.split(";"))): int(
            bit == "true"
        )
        for letter, cells, bit in rows
    } == addition_table()
