"""MONA builds the same automata of formulas about the future, from their definition in logic."""

import random
import re
import shutil
import subprocess
from itertools import count
from pathlib import Path

import pytest

from lengthwise.languages.language import Language
from lengthwise.languages.ltl_parser import FUTURE, parse_formula
from lengthwise.languages.ltlf import future_automaton
from lengthwise.languages.spec import parse
from ltl_strategies import Tree, draw_formula, in_text

MONA = shutil.which("mona")


def in_logic(tree: Tree, at: str, fresh: "count[int]") -> str:
    """The formula at a position, in the monadic second-order logic of MONA's strings."""
    sign, *parts = tree

    def of(part: object, place: str) -> str:
        return in_logic(part, place, fresh)  # type: ignore[arg-type]

    later, between = (f"x{next(fresh)}" for _ in range(2))
    after = f"{at} < {later} & ~(ex1 {between}: {at} < {between} & {between} < {later})"
    match sign:
        case "!":
            made = f"~({of(parts[0], at)})"
        case "&" | "|":
            made = f"({of(parts[0], at)} {sign} {of(parts[1], at)})"
        case "->" | "<->":
            made = f"({of(parts[0], at)} {sign.replace('-', '=')} {of(parts[1], at)})"
        case "X":
            made = f"(ex1 {later}: {after} & {of(parts[0], later)})"
        case "N":
            made = f"(all1 {later}: ({after}) => {of(parts[0], later)})"
        case "F":
            made = f"(ex1 {later}: {at} <= {later} & {of(parts[0], later)})"
        case "G":
            made = f"(all1 {later}: {at} <= {later} => {of(parts[0], later)})"
        case "U":
            made = (
                f"(ex1 {later}: {at} <= {later} & {of(parts[1], later)} & (all1 {between}: "
                f"{at} <= {between} & {between} < {later} => {of(parts[0], between)}))"
            )
        case "W":
            made = f"({of(('U', *parts), at)} | {of(('G', parts[0]), at)})"
        case "R":
            made = f"~{of(('U', ('!', parts[0]), ('!', parts[1])), at)}"
        case "M":
            made = of(("U", parts[1], ("&", parts[0], parts[1])), at)
        case _:
            made = f"({at} in {str(sign).upper()})"
    return made


def by_mona(tree: Tree, folder: Path) -> Language:
    """The automaton that MONA writes, over a and b, where one set holds at each position."""
    body = in_logic(tree, "x", count())
    (folder / "f.mona").write_text(f"m2l-str;\nvar2 A, B;\nex1 x: x = 0 & {body};\n")
    assert MONA is not None
    done = subprocess.run(
        [MONA, "-q", "-w", "f.mona"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    said = done.stdout
    (accepting,) = re.findall(r"Accepting states: (.*)", said)
    arcs = re.findall(r"State (\d+): (\S*) -> state (\d+)", said)
    targets: dict[int, list[int]] = {}
    for source, bits, target in arcs:
        row = targets.setdefault(int(source), [0, 0])
        for symbol, wanted in enumerate(("10", "01")):
            if all(bit in ("X", own) for bit, own in zip(bits, wanted, strict=False)):
                row[symbol] = int(target)
    start = targets[0][0]  # the first step reads no position
    return Language(
        alphabet=("a", "b"),
        transitions=tuple(tuple(targets[state]) for state in sorted(targets)),
        classes=tuple(int(str(state) in accepting.split()) for state in sorted(targets)),
        start=start,
        class_names=("0", "1"),
    )


@pytest.mark.slow
@pytest.mark.skipif(MONA is None, reason="MONA is not installed")
def test_mona_agrees_on_a_thousand_formulas(tmp_path: Path) -> None:
    draw, not_empty = random.Random(1), parse("regex:(a|b)(a|b)*")
    sizes = []
    for _ in range(1_000):
        tree = draw_formula(draw, draw.choice((1, 2, 3, 4, 4, 4, 4)))
        ours = future_automaton(parse_formula(in_text(tree), "ab", FUTURE), "ab") & not_empty
        assert ours.difference(by_mona(tree, tmp_path) & not_empty) is None, in_text(tree)
        sizes.append(ours.num_states)
    assert sum(size > 3 for size in sizes) > 250
