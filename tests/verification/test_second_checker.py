"""Two checkers that share no code decide alike, of honest certificates and of changed ones."""

import base64
import hashlib
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lengthwise.languages.spec import parse
from lengthwise.verification.certificate import Certificate
from lengthwise.verification.certify import certify
from verification.forger import HONEST, body_of, honest, model_of, signed
from verification.second_checker import (
    RECURRENT,
    ROOT,
    SCRATCHPADS,
    SLOTS,
    SNAPPED,
    TREES,
    Decision,
    certificate_of,
    changed,
    first_says,
    is_true,
    second_checker,
    second_says,
)
from verification.trained import ENDS_WITH_1, last_symbol, of_odd_length

NAMES = [*TREES, *RECURRENT, *SCRATCHPADS, *SLOTS, *SNAPPED]
FEW, MANY = 16, 750
"""Changed certificates of each honest one; 40 of these make 30,000."""


@pytest.fixture(scope="module")
def program() -> Path:
    return second_checker()


def saved(made: Certificate, folder: Path) -> Path:
    path = folder / "certificate.json"
    made.save(path)
    return path


def both(program: Path, content: bytes, folder: Path) -> tuple[Decision, Decision]:
    """What the first and the second checker say of a file."""
    path = folder / "certificate.json"
    path.write_bytes(content)
    return first_says(path), second_says(program, [path])[0]


def compared(program: Path, name: str, count: int, folder: Path) -> Counter[str]:
    """How often the checkers agree on changed certificates.

    They differ only where a sign is so near to 0 that the bound of one is too wide; what the other
    accepts then is true of the network as it runs.
    """
    files = [changed(name, seed) for seed in range(count)]
    paths = []
    for number, (_, content) in enumerate(files):
        paths.append(folder / f"{number}.json")
        paths[-1].write_bytes(content)
    found: Counter[str] = Counter()
    for path, (how, _), second in zip(paths, files, second_says(program, paths), strict=True):
        first = first_says(path)
        if second.is_of_another_kind or "TypeCheckError" in first.why:  # as only tests check types
            found["not compared"] += 1
            continue
        if second.accepted and not first.accepted:
            first = first_says(path, named=False)  # the second one does not look at the name
        assert "fault" not in second.why, f"{name}: {how}: {second.why}"
        told = f"{name}: {path} ({how}): first {first}, second {second}"
        if first.accepted == second.accepted:
            found["both accept" if first.accepted else "both refuse"] += 1
            continue
        refusal = second if first.accepted else first
        assert refusal.is_of_rounding, told
        assert is_true(path), told
        found["one has no bound"] += 1
    return found


@pytest.mark.slow_except(
    "discrete, rational",
    "discrete, wrong",
    "discrete, wrong, domain",
    "elman",
    "relu",
    "relu, domain",
    "relu, float32",
    "relu, wrong",
    *SCRATCHPADS,
    *SLOTS,
    *SNAPPED,
)
@pytest.mark.parametrize("name", NAMES)
def test_both_accept_an_honest_certificate_and_agree_on_changed_ones(
    program: Path, name: str, tmp_path: Path
) -> None:
    honest_one = saved(certificate_of(name), tmp_path)
    assert first_says(honest_one).accepted
    assert second_says(program, [honest_one])[0].accepted
    found = compared(program, name, FEW, tmp_path)
    assert found["both accept"] > 0
    assert found["both refuse"] > FEW / 4
    assert found["one has no bound"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_both_agree_on_many_changed_certificates(program: Path, name: str, tmp_path: Path) -> None:
    found = compared(program, name, MANY, tmp_path)
    print(f"\n{name}: {dict(found)}")
    assert min(found["both accept"], found["both refuse"]) > MANY / 10
    assert found["one has no bound"] <= MANY / 50


@pytest.mark.parametrize("name", [name for name in HONEST if name not in [*TREES, *SNAPPED]])
def test_other_kinds_are_refused_by_name(program: Path, name: str, tmp_path: Path) -> None:
    (said,) = second_says(program, [saved(honest(name), tmp_path)])
    assert said == Decision(accepted=False, why=f'kind "{name.partition(",")[0]}" is not handled.')


@pytest.mark.parametrize("name", ["discrete, post", "scratchpad"])
def test_gelu_is_refused_by_name(program: Path, name: str, tmp_path: Path) -> None:
    body = body_of(certificate_of(name))
    body["settings"]["activation"] = "gelu"
    assert both(program, signed(body), tmp_path)[1].why == 'kind "gelu" is not handled.'


def test_proofs_of_models_that_come_with_the_package_are_accepted(program: Path) -> None:
    files = sorted((ROOT / "src" / "lengthwise" / "zoo" / "models").glob("*/certificate.json"))
    decided = second_says(program, files)
    assert len(decided) >= 44
    assert all(said.accepted for said in decided)


def test_what_is_not_closed_claims_nothing(program: Path, tmp_path: Path) -> None:
    body = body_of(certificate_of("gru"))
    body["verdict"] = "not-closed"
    assert not any(said.accepted for said in both(program, signed(body), tmp_path))


def test_a_file_that_is_not_there_is_one_line_and_status_2(program: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    done = subprocess.run([program, missing], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"checker: {missing} cannot be read")
    assert done.stderr.count("\n") == 1


def test_numbers_between_two_shortest_texts_are_read_as_python_writes_them(
    program: Path, tmp_path: Path
) -> None:
    """Odd numbers over 2^18 have 18 digits, the last of which is 5: texts of 17 are as near."""
    body = body_of(certificate_of("relu"))
    draw = np.random.default_rng(0)
    names = ("sign_distance", "sign_radius", "answer_distance", "answer_radius", "room")
    for scale in (1.0, 1.0, 2.0**60, 2.0**-40):
        numbers = (scale * (2 * draw.integers(2**15, 2**17, len(names)) + 1) / 2**18).tolist()
        body["notes"]["sureness"].update(zip(names, numbers, strict=True))
        for said in both(program, signed(body), tmp_path):
            assert said.accepted, (numbers, said.why)
    body["notes"]["sureness"]["room"] = 0.220691680908203125
    text = signed(body).decode().partition(',"digest"')[0] + "}\n"
    odd = text.replace("0.22069168090820312", "0.22069168090820313").encode()
    digest = hashlib.sha256(odd).hexdigest()
    content = odd[:-2] + f',"digest":"{digest}"}}\n'.encode()
    first, second = both(program, content, tmp_path)
    assert not first.accepted
    assert "numbers are written canonically" in second.why


def test_codes_in_capitals_are_refused_by_both(program: Path, tmp_path: Path) -> None:
    """They would make two files of one certificate."""
    body = body_of(honest("discrete, thick"))
    codes = [code.upper() for code in body["elements"]["codes"]]
    assert codes != body["elements"]["codes"]
    body["elements"]["codes"] = codes
    for said in both(program, signed(body), tmp_path):
        assert not said.accepted
        assert "lower" in said.why


@pytest.mark.parametrize("name", ["discrete, no pad", "discrete, rational, C=3"])
def test_absent_pads_that_overflow_are_refused_by_both(
    program: Path, name: str, tmp_path: Path
) -> None:
    """Their values have the weight 0, and 0 times infinity is no number.

    In the domain words are of odd length, so that no chunk has pads alone.
    """
    made = honest(name)
    odd = certify(model_of(made), replace(made.language, domain=of_odd_length()))
    assert all(said.accepted for said in both(program, odd.to_bytes(), tmp_path))
    body = body_of(odd)
    packed = body["weights"]["pad"]
    most = np.finfo(packed["type"]).max
    packed["base64"] = base64.b64encode(np.full(packed["shape"], most).tobytes()).decode()
    for said in both(program, signed(body), tmp_path):
        assert not said.accepted
        assert said.is_of_rounding


def test_a_specification_is_a_name_to_the_second_checker(program: Path, tmp_path: Path) -> None:
    made = certify(last_symbol(), ENDS_WITH_1)
    named = replace(made, language=replace(made.language, spec=parse("tomita-1").spec))
    first, second = both(program, named.to_bytes(), tmp_path)
    assert not first.accepted
    assert second.accepted
    assert "the automaton in the file" in second.why


def test_its_page_counts_its_lines() -> None:
    lines = (ROOT / "checker" / "checker.rs").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("//")]
    page = (ROOT / "checker" / "README.md").read_text(encoding="utf-8")
    assert f"It has {len(lines):,} lines, {len(code):,} of them without comments" in page
