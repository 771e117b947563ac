"""Every constant of the second checker's bounds on rounding, and the code of all bounds by digest.

The constants are held against the same counts of roundings as those of the first checker
(`test_rounding_ledger.py`). A digest says which function's bounds were derived as they are now:
whoever changes one derives it anew, and enters the digest that the test prints.
"""

import ast
import hashlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from lengthwise.proofs.check import (
    balls,
    bfloat16_balls,
    layer_node,
    numbers,
    operations,
    program,
    slot_node,
    tight_node,
)
from proofs.rounding_needs import SIZES, TWO_DIFFERENCES, of_mean, of_means

ROOT = Path(__file__).parents[3]


# ---- the code that uses them ---------------------------------------------------------------------


def _functions(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The names of all functions of a module, and their code without docstrings."""
    tree = ast.parse(inspect.getsource(module))
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef):
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:] or [ast.Pass()]
                node.returns = None
                owner = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
                yield owner + node.name, ast.unparse(node)


def _digest(code: str) -> str:
    return hashlib.sha256(re.sub(r"\s+", "", code).encode()).hexdigest()[:8]


_BOUNDS = re.compile(
    r"gamma|sums\(|lost\(|underflow\(|safe\(|rounded\(|\.round\(|outward|norm_bound|OWN|WARD|LEAST|radius|flushed|by\."
    r"|_elementwise|stretch"
)


def _python() -> dict[str, str]:
    """Digests of the functions whose code has to do with radii."""
    return {
        f"{module.__name__.rpartition('.')[2]}.{name}": _digest(code)
        for module in (
            balls,
            layer_node,
            bfloat16_balls,
            slot_node,
            tight_node,
            numbers,
            operations,
            program,
        )
        for name, code in _functions(module)
        if _BOUNDS.search(code)
    }


def _parts_of_rust() -> Iterator[tuple[str, str]]:
    """The names of constants and functions of the second checker's bounds, and their code."""
    text = (ROOT / "checker" / "checker.rs").read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    text = text[text.index("const OUTWARD") : text.index("struct Contexts")]
    parts = re.split(r"^ *(?=(?:const|fn) \w+)", text, flags=re.MULTILINE)
    names = [re.match(r"(?:const|fn) (\w+)", part) for part in parts]
    found: dict[str, str] = {}
    for name, part in zip(names, parts, strict=True):
        if name is not None:  # some have one name
            found[name[1]] = found.get(name[1], "") + part
    yield from found.items()


def _rust() -> dict[str, str]:
    """Digests of the same of the second checker, and of the constants of its arithmetic."""
    return {
        name: _digest(part)
        for name, part in _parts_of_rust()
        if _BOUNDS.search(part) or part.startswith("const")
    }


# ---- the second checker --------------------------------------------------------------------------


@dataclass(frozen=True)
class InRust:
    """A number of roundings in the second checker's code, and how many there are of size n."""

    function: str
    text: str
    value: Callable[[int], float]
    needs: Callable[[int], Fraction | float]


IN_RUST = (
    # of rows and columns of n numbers: as of the largest singular value above
    InRust(
        "singular",
        "4.0 * FLOAT64.gamma_of(rows[0].len() + rows.len())",
        lambda n: 4 * (n + n),
        lambda n: n + 2,
    ),
    InRust("affine", "n) = (x.sizes(), x.centre.len() + 2)", lambda n: n + 2, lambda n: n + 1),
    InRust("sum", "x.radius + y.radius, 1)", lambda n: 1, lambda n: 1),
    InRust("layer_norm", "FLOAT64.gamma_of(count + 24)", lambda n: n + 24, lambda n: n + 1),
    InRust(
        "layer_norm",
        "off = self.gamma(count + 24)",
        lambda n: n + 24,
        lambda n: max(Fraction(n + 1), of_mean(n)),
    ),
    InRust(
        "layer_norm",
        "self.gamma(count * 9 / 4 + 65)",
        lambda n: n * 9 // 4 + 65,
        lambda n: n + 3 + TWO_DIFFERENCES * of_means(n),
    ),
    InRust(
        "layer_norm",
        "one_pass = self.gamma(count + 24)",
        lambda n: n + 24,
        lambda n: max(Fraction(n + 8), of_mean(n)),
    ),
    InRust(
        "layer_norm",
        "self.gamma(count + 64)",
        lambda n: n + 64,
        lambda n: max(Fraction(n + 1), of_means(n)),
    ),
    InRust("layer_norm", "self.gamma(8)", lambda n: 8, lambda n: 2 * 2 + 3),
    InRust("layer_norm", "&sizes, 6, reach)", lambda n: 6, lambda n: 4),
    InRust("logit", "sizes.len() + 2, reach)", lambda n: n + 2, lambda n: n + 1),
    # exponents of float64: two exps of 8 units in the last place, and their differences
    InRust("share", "FLOAT64.gamma_of(64)", lambda n: 64, lambda n: 2 * (2 * 8 + 1)),
    InRust("share", "self.gamma(6) * most", lambda n: 6, lambda n: 2),
    InRust("share", "self.gamma(EXP)", lambda n: 2 * 20 + 4, lambda n: 2 * 20),
    InRust(
        "share",
        "FLOAT64.gamma_of(2 * logits.len() + 64)",
        lambda n: 2 * n + 64,
        lambda n: n + 1 + 2 * (2 * 8 + 1),
    ),
    # weights are off by n + 1, or by 2 of a quotient; then a product, and n - 1 additions
    InRust("attend", "2 * count + if cancel { 8 }", lambda n: 2 * n + 8, lambda n: 2 * n + 1),
    InRust("attend", "else { 12 }", lambda n: 2 * n + 12, lambda n: n + 2),
    InRust("tight", "lost_of(2 * width + 16,", lambda n: 2 * n + 16, lambda n: n + 4),
    InRust("tight_fed", "lost_of(2 * shares.len() + 16,", lambda n: 2 * n + 16, lambda n: n + 4),
    # the root, its cut to the network's type, its reciprocal, the product
    InRust("read_tree", "&factor, 4)", lambda n: 4, lambda n: 4),
    InRust("looks", "&self.factor, 4)", lambda n: 4, lambda n: 4),
    InRust("own_weight", "&factor, 4)", lambda n: 4, lambda n: 4),
    InRust("read_recurrence", "&old(2), 1)", lambda n: 1, lambda n: 1),
    InRust("read_recurrence", "&less), 1)", lambda n: 1, lambda n: 1),
    InRust("check_products", "2 * count + 8,", lambda n: 2 * n + 8, lambda n: 2 * n + 4),
    InRust("check_products", "bits + 8, reach)", lambda n: n + 8, lambda n: n + 1 + 4),
    InRust("EXP", "2 * 20 + 4;", lambda n: 44, lambda n: 2 * 20 + 2),
    InRust("TANH_UNITS", "2 * 8;", lambda n: 16, lambda n: 2 * 8),
)


def test_the_second_checker_covers_its_roundings() -> None:
    parts = dict(_parts_of_rust())
    for each in IN_RUST:
        assert re.sub(r"\s+", "", parts[each.function]).count(re.sub(r"\s+", "", each.text)) == 1
        assert all(each.value(n) >= each.needs(n) for n in SIZES), each
    mentioned = "".join(each.text for each in IN_RUST)
    for part in parts.values():  # none is left out
        for terms in re.findall(r"gamma(?:_of)?\(((?:[^()]|\(\))*\d(?:[^()]|\(\))*)\)", part):
            assert terms in mentioned, terms
    assert "const OUTWARD: f64 = 1.0 + 1e-9;" in parts["OUTWARD"]
    assert "const LEAST: f64 = 1e-90;" in parts["LEAST"]
    assert "const NORM_EPSILON: f64 = 1e-5;" in parts["NORM_EPSILON"]
    assert "8.0 * (self.tiny + FLOAT64.tiny) * reach" in parts["flushed"]
    assert "!(size < 1e-6 * self.max)" in parts["overflows"]
    assert "terms > 4_000_000 || product >= 0.5" in parts["gamma_of"]


SEEN_IN_PYTHON: dict[str, str] = {
    "balls.Arithmetic._elementwise": "04c8ae00",
    "balls.Arithmetic.add": "6c8ea4c3",
    "balls.Arithmetic.exp_rounding": "e0cbe938",
    "balls.Arithmetic.gamma": "1ab0a85d",
    "balls.Arithmetic.gelu": "d9bc09d4",
    "balls.Arithmetic.layer_norm": "e0273349",
    "operations.Operations.log": "501cb368",
    "balls.Arithmetic.norm_errors": "4c56077a",
    "numbers.Choices.as_numbers": "bab6bf6e",
    "numbers.Numbers.bounded": "afbce7a4",
    "numbers.Numbers.ends": "e1953669",
    "numbers.Numbers.largest": "212d1196",
    "numbers.Numbers.move": "df1ec9e2",
    "numbers.Numbers.spread": "3c3bd9ac",
    "operations.Operations._each": "85703238",
    "operations.Operations._kept": "ab95c8c1",
    "operations.Operations._lost": "8cf3e252",
    "operations.Operations._rounded": "92655b8d",
    "operations.Operations._safe": "95705de0",
    "operations.Operations._slack": "9f4209e7",
    "operations.Operations._smooth": "3d864eb5",
    "operations.Operations.abs": "a157f73b",
    "operations.Operations.add": "54f7cc4a",
    "operations.Operations.addmm": "7d336b62",
    "operations.Operations.amax": "454611f6",
    "operations.Operations.compare": "ec489e8b",
    "operations.Operations.div": "e1b7ef54",
    "operations.Operations.elu": "9c54193c",
    "operations.Operations.exp": "9c1d34c5",
    "operations.Operations.layer_norm": "56acf90b",
    "operations.Operations.log1p": "2b65dba2",
    "operations.Operations.maximum": "3b87cccd",
    "operations.Operations.minimum": "21f53e3d",
    "operations.Operations.mul": "90cd7097",
    "operations.Operations.neg": "d1c6f9bb",
    "operations.Operations.pow": "b09502ef",
    "operations.Operations.relu": "2e9fc828",
    "operations.Operations.softmax": "9bb216d2",
    "operations.Operations.sum": "38c851ee",
    "operations.Operations.take": "6c56aaf2",
    "operations.Operations.where": "ce07cae4",
    "operations._stretch": "22df6e3b",
    "operations._total": "b390f131",
    "operations._carried": "b7b7349f",
    "program._cat": "7556ca18",
    "program._known": "9c2b4b38",
    "program._number": "784f7868",
    "balls.Arithmetic.linear": "9d9699de",
    "balls.Arithmetic.bound_underflow": "2f832489",
    "balls.Arithmetic.numbers": "565b436a",
    "balls.Arithmetic.product": "93afcce0",
    "balls.Arithmetic.rectify": "aa9e25d8",
    "balls.Arithmetic.relu": "1bdd530c",
    "balls.Arithmetic.round": "b652ed96",
    "balls.Arithmetic.safe": "f1fde459",
    "balls.Arithmetic.scale": "0a854a84",
    "balls.Arithmetic.sigmoid": "c2839d3c",
    "balls.Arithmetic.softmax": "44abfdd4",
    "balls.Arithmetic.sums": "253cc8a2",
    "balls.Arithmetic.tanh": "e725454b",
    "balls.Ball.__add__": "3ab575e9",
    "balls.Ball.__getitem__": "388278af",
    "balls.Ball.bound_norms": "8f7abd30",
    "balls.Matrix.__init__": "8a97a738",
    "balls._ball": "7e997151",
    "balls._gamma": "f93a5e49",
    "balls.largest_singular_value": "d67bdb0c",
    "balls.norm_bound": "883ef194",
    "balls.outward": "a069440a",
    "layer_node.ChunkBalls.of": "9957fbb4",
    "layer_node.LayerNode._attend": "a7eecaa8",
    "layer_node.LayerNode._logits": "3ee5b841",
    "layer_node._rest": "88737c03",
    "layer_node.arithmetic_of": "69dc3854",
    "bfloat16_balls.Narrow.gelu": "907fc609",
    "bfloat16_balls.Narrow.layer_norm": "09e7bb22",
    "bfloat16_balls.Narrow.linear": "7bcde805",
    "bfloat16_balls.Narrow.numbers": "af2d76d2",
    "bfloat16_balls.Narrow.sigmoid": "b86a70ee",
    "bfloat16_balls.Narrow.softmax": "d753687a",
    "bfloat16_balls.Narrow.sums": "05b9470f",
    "bfloat16_balls.Narrow.tanh": "bc4e3ed5",
    "bfloat16_balls.bfloat16_rounded": "f618d991",
    "slot_node.SlotNode._own_weights": "6546038f",
    "slot_node.SlotNode._rounding": "54db8143",
    "slot_node.SlotNode.apart": "511587b5",
    "slot_node.SlotNode.flushed": "c41ca8fa",
    "slot_node.SlotNode.sides": "2d632c67",
    "tight_node.TightNode._attention_with_residual": "70f5fb3e",
    "tight_node.TightNode._feed_forward_with_residual": "c17238b8",
    "tight_node._slack": "e6ad4977",
}

SEEN_IN_RUST: dict[str, str] = {
    "EXP": "65ba6111",
    "FLOAT32": "b905b795",
    "FLOAT64": "ae1a5d9f",
    "LEAST": "d78d8a32",
    "LOGISTIC": "a98569d8",
    "NORM_EPSILON": "02d85848",
    "OUTWARD": "7f17c8bf",
    "RELU": "b2d8e2f4",
    "SQUARINGS": "b5e983e0",
    "TANH": "9a3dc6c6",
    "TANH_UNITS": "19cb1e9b",
    "affine": "1f076a1e",
    "attend": "663fe3a2",
    "ball": "5e0ef8ab",
    "check_products": "8b02c0ff",
    "class": "4b44ad3e",
    "code": "0a3363ca",
    "entries": "dec77d3f",
    "exact": "04f95776",
    "fed": "a6712339",
    "flushed": "1c2b49d8",
    "gamma": "e19817a8",
    "gamma_of": "8df9a60e",
    "gathered": "dd33a98b",
    "layer_norm": "cbbcdda3",
    "logit": "568322cf",
    "looks": "c62de708",
    "lost_of": "ed16e98d",
    "new": "3114d369",
    "norm": "8debd9e5",
    "own_weight": "150b85b0",
    "product": "a43a8f49",
    "projected": "e9db1713",
    "radius": "9de73553",
    "read": "ee7b2484",
    "read_recurrence": "1aa0140a",
    "read_tree": "3c2c15a3",
    "recall": "91d703ef",
    "rectified": "c450be79",
    "rest": "706b16a6",
    "run": "aa89dff2",
    "share": "db3992d9",
    "shown": "13595f36",
    "singular": "f1c1263f",
    "sizes": "1ebac62d",
    "smaller": "4dadb67d",
    "sum": "af57c9ff",
    "tight": "ef4fdf30",
    "tight_fed": "706357cd",
    "unless": "2747b2cc",
    "zipped": "0c3eb662",
}


@pytest.mark.parametrize(("code", "seen"), [(_python, SEEN_IN_PYTHON), (_rust, SEEN_IN_RUST)])
def test_bounds_are_the_ones_that_were_derived(
    code: Callable[[], dict[str, str]], seen: dict[str, str]
) -> None:
    """Code that computes radii has changed, is new, or is gone: derive it, and enter its digest."""
    found = code()
    assert found == seen, {name: found.get(name) for name, _ in found.items() ^ seen.items()}


def test_the_share_of_the_root_is_at_least_the_root() -> None:
    """The second checker bounds (1 - q)^(-1/2) - 1 by q (1 + 2 q) / 2, for q up to 1/2."""
    for part in range(1, 513):
        q = Fraction(part, 1024)
        assert (1 + q * (1 + 2 * q) / 2) ** 2 * (1 - q) >= 1
