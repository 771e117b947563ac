"""Networks with norms, softmax, tanh and gates in Rocq files, and what is refused."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import check
import pytest
import torch
from check import FLOATS, LIBRARY, SMOOTH, Limits, ProofError
from form import theorems_of
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.cli.main import main
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check_with_induction
from lengthwise.proofs.export.rocq import rocq_file
from lengthwise.proofs.export.rocq_smooth import reason_without_smooth, smooth_text
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.network import predict_class, weights_of
from lengthwise.zoo_paths import resolve_path
from proofs.recurrent import automaton_of, random_recurrence
from proofs.rocq_kernel import accept, compile_library, needs_flocq
from proofs.rocq_networks import words_of
from proofs.rocq_smooth_networks import smooth_network_of
from proofs.trained import ENDS_WITH_1, random_model


def text_of(model: Any) -> str:
    return smooth_text(model.config.to_dict(), weights_of(model))


def of_zoo(name: str) -> Certificate:
    return Certificate.load(resolve_path(f"zoo:{name}") / "certificate.json")


def export(made: Certificate) -> str:
    return rocq_file(*check_with_induction(made), smooth=True)


# ---- what is written -----------------------------------------------------------------------------


@settings(max_examples=4)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from(
        [{}, {"chunk_size": 3}, {"num_layers": 2}, {"num_heads": 1}, {"embedding_scale": 1.0}]
    ),
)
def test_an_exported_tree_answers_as_the_model_that_runs(seed: int, shape: dict[str, Any]) -> None:
    model = random_model(ENDS_WITH_1, seed, norm="post", **shape).double()
    network = smooth_network_of(text_of(model))
    words = [word for length in (0, 1, 2, 5) for word in words_of(2, length)][:12]
    assert [network.word_class(word) for word in words] == [predict_class(model, w) for w in words]


@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1), cell=st.sampled_from(["elman", "gru"]))
def test_an_exported_recurrence_does_what_the_model_that_runs_does(seed: int, cell: str) -> None:
    model = random_recurrence(seed, cell=cell)
    network: Any = smooth_network_of(text_of(model))
    automaton = automaton_of(model)
    codes = {network.start(): automaton.start}
    for bits in list(codes):
        for symbol in (0, 1):
            after = network.step(bits, symbol)
            state = automaton.transitions[codes[bits]][symbol]
            assert codes.setdefault(after, state) == state
        assert network.class_of(network.recall(bits)) == automaton.classes[codes[bits]]


def test_a_file_has_the_form_and_says_which_type_it_is_about() -> None:
    text = export(of_zoo("parity-tiny"))
    both = ["right_at_every_length", "float_network_right_at_every_length"]
    assert theorems_of(text) == both
    assert "gated_network_may_answer double weights w found" in text
    tree = export(of_zoo("parity"))
    assert theorems_of(tree) == both
    assert "normed_tree_may_answer single weights w found" in tree


def test_networks_of_other_arithmetic_have_a_reason() -> None:
    made = of_zoo("parity")
    assert reason_without_smooth(made) == ""
    for name, value, said in (
        ("norm", "pre", "norm is pre, and the theorem is about post"),
        ("activation", "gelu", "activation is gelu, and the theorem is about relu"),
        ("pad", "absent", "pad is absent, and the theorem is about learned"),
        ("embedding_scale", 0.5, "the scale of embeddings is 0.5, neither 1 nor the root"),
    ):
        other = replace(made, settings={**made.settings, name: value})
        assert reason_without_smooth(other) == said
    assert "rounded to bfloat16" in reason_without_smooth(replace(made, precision="bfloat16"))
    assert "with --export rocq" in reason_without_smooth(of_zoo("d-2-tiny"))


def test_the_command_writes_it_or_says_in_one_line_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "machine.v"
    command = ["certify", "--check", "zoo:parity-tiny", "--export", "rocq-floats", str(path)]
    assert main(command) == 0
    said = capsys.readouterr().err
    assert re.search(r"in float64, in any order of additions: .* takes 0\.[23] min", said), said
    assert path.read_text() == export(of_zoo("parity-tiny"))
    assert "as it runs in float64, in whatever order" in path.read_text()
    path.unlink()
    assert main([*command[:2], "zoo:d-2-tiny", *command[3:]]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lengthwise: there is no theorem about this network as it runs")
    assert not path.exists()


# ---- with Rocq -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library((*LIBRARY, *FLOATS, *SMOOTH), tmp_path_factory.mktemp("library"))


CLAIMS = (
    (
        "found = Some (class_of (answers language) w)",
        "found = Some (1 - class_of (answers language) w)%N",
    ),
    ("double weights w", "double weights (0 :: w)"),
    ("double weights w", "single weights w"),
    ("found = Some", "found <> Some"),
    ("  is_word language w -> in_domain language w ->\n", ""),
)


@needs_flocq
@pytest.mark.slow
def test_the_kernel_accepts_networks_and_no_other_claim(library: Path, tmp_path: Path) -> None:
    """A claim about float32 is not that of the file either, whether or not it is true."""
    text = export(of_zoo("parity-tiny"))
    assert accept(text, library, tmp_path)
    start = text.index("Theorem float_network_right")
    for old, new in CLAIMS:
        assert old in text[start:]
        changed = text[:start] + text[start:].replace(old, new, 1)
        assert not accept(changed, library, tmp_path), new


@needs_flocq
@pytest.mark.slow
@pytest.mark.parametrize("cell", ["elman", "gru"])
def test_the_kernel_refuses_the_other_sign_of_a_number(
    cell: str, library: Path, tmp_path: Path
) -> None:
    """The weights of another network have another table, and a bias at 0 no certain sign."""
    model = random_recurrence(5, cell=cell)
    made = certify(model, automaton_of(model))
    text = export(made)
    assert accept(text, library, tmp_path)
    with torch.no_grad():
        model.memory.write.bias.neg_()
        model.memory.write.weight.neg_()
    start, end = text.index("{|", text.index("Definition weights")), text.index("Definition codes")
    assert not accept(f"{text[:start]}{text_of(model)}.\n\n{text[end:]}", library, tmp_path)


@needs_flocq
@pytest.mark.slow
def test_check_says_which_sum_is_too_near(library: Path, tmp_path: Path) -> None:
    model = random_recurrence(5, cell="elman")
    text = export(certify(model, automaton_of(model)))
    with torch.no_grad():
        model.memory.write.weight[0] = 0.0
        model.memory.write.bias[0] = 2.0**-50
    start, end = text.index("{|", text.index("Definition weights")), text.index("Definition codes")
    file = tmp_path / "machine.v"
    file.write_text(f"{text[:start]}{text_of(model)}.\n\n{text[end:]}")
    with pytest.raises(ProofError) as refusal:
        check.compile_certificate(file, library, tmp_path / "build", Limits())
    said = str(refusal.value)
    assert len(said.splitlines()) == 1
    assert re.search(r"bit 0 of the code .* from 0, and rounding can move it by", said), said


THEORIES = Path(check.__file__).parent / "theories"


CHANGES = (
    ("FloatFunctions", "exp_gives (x z : float F) : Prop := finite x -> within 20", "within 21"),
    ("FloatFunctions", "tanh_gives (x z : float F) : Prop := finite x -> within 8", "within 9"),
    ("Enclosures", "if x =? y then Z.shiftr low 16 else 0", "if true then Z.shiftr low 16 else 0"),
    ("Enclosures", "in (root, root + 1)", "in (root, root)"),
    ("SmoothBalls", "near_ball 8 (size f)", "near_ball 7 (size f)"),
    ("SmoothBalls", "near_ball (3 * n + 80)", "near_ball (3 * n)"),
    ("SmoothBalls", "minus_e e top", "minus_e top e"),
    ("SmoothBalls", " + fst p * (radius - snd p) in", " in"),
    ("EuclidBalls", "rounded (3 * n + 80) square in", "rounded (3 * n) square in"),
    ("EuclidBalls", "(norm_up (map snd es) + moved)", "(norm_up (map snd es))"),
    ("EuclidBalls", "let root_lost := rounded 8 inverse", "let root_lost := rounded 7 inverse"),
    ("EuclidBalls", "root_up places (stretch_up places 3", "(stretch_up places 3"),
    ("SmoothWeights", "map (scaled_ball F K head_factor) x", "x"),
)


@needs_flocq
@pytest.mark.slow
@pytest.mark.parametrize(("file", "old", "new"), CHANGES)
def test_a_theorem_changed_in_one_place_is_not_proved(
    file: str, old: str, new: str, library: Path, tmp_path: Path
) -> None:
    """Definitions and bounds hang together: a bound that is too small has no proof."""
    text = (THEORIES / f"{file}.v").read_text()
    new = re.sub(r"within \d+$", new, old) if new.startswith("within") else new
    assert text.count(old) == 1
    for path in library.iterdir():
        (tmp_path / path.name).symlink_to(path)
    changed = False
    for name in SMOOTH[: SMOOTH.index("SmoothRuns")]:
        if name != file and not changed:
            continue
        changed = True
        (tmp_path / f"{name}.v").unlink()
        source = text.replace(old, new) if name == file else (THEORIES / f"{name}.v").read_text()
        (tmp_path / f"{name}.v").write_text(source)
        (tmp_path / f"{name}.vo").unlink()
        try:
            check.run(["coqc", "-q", "-Q", ".", "Lengthwise", f"{name}.v"], tmp_path, Limits())
        except ProofError:
            return
    raise AssertionError(f"{file} is proved with {new}")
