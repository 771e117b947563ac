"""Every format is read back as the same automaton, and what it cannot express leaves no file."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import lengthwise as lw
from cli.shell import Shell
from exports.readers import READERS
from lengthwise.errors import ConfigError, LengthwiseError, RunError
from lengthwise.exports.catalogue import FORMATS
from lengthwise.files import read_object
from lengthwise.languages.language import Language
from strategies import class_of, machines, recognisers, words_of_all_lengths

TWO_CLASSES = (".att", ".hoa", ".regex", ".txt")
"""Formats of automata that accept or reject."""

SAME = settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])

ODD = Language(
    alphabet=tuple("\"\\#<&-]^|'%"),
    transitions=tuple(tuple((s * 3 + a) % 4 for a in range(11)) for s in range(4)),
    classes=(0, 1, 0, 1),
)


@pytest.mark.parametrize("ending", READERS)
@SAME
@given(language=recognisers(alphabet="ab0"))
def test_a_recogniser_is_read_back(ending: str, language: Language, tmp_path: Path) -> None:
    path = tmp_path / f"m{ending}"
    lw.export(language, path)
    assert READERS[ending](path, language).difference(language) is None


@pytest.mark.parametrize("ending", [each for each in READERS if each not in TWO_CLASSES])
@SAME
@given(language=machines(num_classes=3))
def test_so_are_three_classes(ending: str, language: Language, tmp_path: Path) -> None:
    path = tmp_path / f"m{ending}"
    lw.export(language, path)
    assert READERS[ending](path, language).difference(language) is None


@pytest.mark.parametrize("ending", [each for each in READERS if each not in (".dot", ".gv")])
def test_signs_that_mean_something_are_escaped(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{ending}"
    lw.export(ODD, path)
    assert READERS[ending](path, ODD).difference(ODD) is None


def test_a_graph_for_learners_has_labels_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "m.gv"
    plain = Language(alphabet=tuple("#<&-]^|'%"), transitions=((1,) * 9, (0,) * 9), classes=(0, 1))
    lw.export(plain, path)
    assert READERS[".gv"](path, plain).difference(plain) is None
    for symbol in ('"', "\\", "\x01", "->"):
        with pytest.raises(ConfigError, match="without escapes, so one cannot be"):
            lw.export(Language(alphabet=(symbol,), transitions=((0,),), classes=(1,)), path)
    named = Language(alphabet=("a",), transitions=((0,),), classes=(0,), class_names=("x|y", "z"))
    with pytest.raises(ConfigError, match=r"one cannot be 'x\|y'"):
        lw.export(named, path)


@pytest.mark.parametrize("spec", ["regex:---(a|--)*", "regex:-->"])
def test_a_comment_in_xml_has_no_two_dashes(spec: str, tmp_path: Path) -> None:
    language, path = lw.language(spec), tmp_path / "m.jff"
    lw.export(spec, path)
    assert READERS[".jff"](path, language).difference(language) is None


@pytest.mark.slow
@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("spec", ["tomita-3", "d-4", "regex:(ab|ba|c{2,5})*a?"])
def test_equal_answers_on_words_of_all_lengths(ending: str, spec: str, tmp_path: Path) -> None:
    language, path = lw.language(spec), tmp_path / f"m{ending}"
    lw.export(spec, path)
    read = READERS[ending](path, language)
    pattern = re.compile(path.read_text()) if ending == ".regex" else None
    for word in words_of_all_lengths(language, 10_000, longest=300):
        assert class_of(read, word) == class_of(language, word)
        if pattern is not None:
            matches = pattern.fullmatch(language.decode(word)) is not None
            assert str(int(matches)) == class_of(language, word)


@pytest.mark.parametrize("ending", [".svg", ".pdf", ".png"])
def test_pictures(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{ending}"
    lw.export("cycle-navigation", path)
    content = path.read_bytes()
    assert content.startswith({".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG"}[ending])
    lw.export("cycle-navigation", path)
    assert content == path.read_bytes()


@pytest.mark.parametrize(
    ("subject", "ending", "message"),
    [
        ("cycle-navigation", ".regex", "the classes 0 1 2 3 4. Save it as"),
        ("cycle-navigation", ".hoa", "the classes 0 1 2 3 4. Save it as"),
        ("cycle-navigation", ".att", "the classes 0 1 2 3 4. Save it as"),
        ("group:S3", ".jff", "'123' has 3. Save it as"),
        ("count:a:60", ".svg", "too large to draw. Save it as .dot"),
        ("parity", ".onnx", "a network, but parity is a language"),
        ("parity", ".doc", "must end in .c .dot .gv"),
        ("parity", "", "must end in .c .dot .gv"),
        ("nothing", ".c", "nothing"),
    ],
)
def test_what_a_format_cannot_express_is_refused_in_a_line(
    subject: str, ending: str, message: str, shell: Shell, tmp_path: Path
) -> None:
    status, out, error = shell("export", subject, "--out", str(tmp_path / f"m{ending}"))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert not [*tmp_path.iterdir()]


def test_domains_and_characters_that_xml_has_not(tmp_path: Path) -> None:
    inside = lw.language("regex[ab]:(ab)*")
    language = Language(
        alphabet=("a", "b"), transitions=((1, 0), (0, 1)), classes=(0, 1), domain=inside
    )
    for ending, reader in READERS.items():
        path = tmp_path / f"m{ending}"
        if ending in TWO_CLASSES:
            with pytest.raises(ConfigError, match="a domain"):
                lw.export(language, path)
        else:
            lw.export(language, path)
            assert reader(path, language).difference(language.total()) is None or ending == ".json"
    control = Language(alphabet=("\x01",), transitions=((0,),), classes=(1,))
    with pytest.raises(ConfigError, match="XML"):
        lw.export(control, tmp_path / "control.jff")
    assert not (tmp_path / "control.jff").exists()


def test_a_proved_run_names_its_certificate(shell: Shell, tmp_path: Path) -> None:
    digest = read_object(Path(lw.__file__).parent / "zoo/models/parity/certificate.json")["digest"]
    for ending in (".c", ".dot", ".svg", ".mmd", ".hoa", ".jff", ".json"):
        path = tmp_path / f"m{ending}"
        said = shell.json("export", "zoo:parity", "--out", str(path))
        assert digest in said["notes"][1]
        assert digest in path.read_text(encoding="utf-8")
        assert "gives every word of parity its class, at every length" in path.read_text()
    run = lw.load("zoo:parity")
    assert lw.export(run, tmp_path / "again.c").notes == tuple(said["notes"])


def test_a_run_without_a_proof_is_refused(tmp_path: Path) -> None:
    run = lw.train("parity", max_length=6, steps=2, model="gru", d_model=4)
    with pytest.raises(RunError, match="nothing proves that a run without a folder computes"):
        lw.export(run, tmp_path / "m.c")
    assert not [*tmp_path.iterdir()]


def test_extracted_and_inferred_automata(tmp_path: Path) -> None:
    found = lw.extract(lw.load("zoo:tomita-4"))
    assert "is it the network: yes" in lw.export(found, tmp_path / "m.json").notes[0]
    words = [format(n, "b") for n in range(300)]
    file = tmp_path / "words.tsv"
    file.write_text("".join(f"{word}\t{word.count('1') % 2}\n" for word in words))
    inferred = lw.infer(file)
    assert isinstance(inferred, lw.Inference)
    exported = lw.export(inferred, tmp_path / "m.c")
    assert exported.notes[0].startswith(f"The automaton that words:{file} shows: right on ")
    with pytest.raises(LengthwiseError, match="a language or a run, but got a Linear"):
        lw.export(lw.load("zoo:parity").model.answer, tmp_path / "x.c")  # type: ignore[arg-type]


def test_every_format_has_a_summary() -> None:
    for ending in FORMATS:
        assert FORMATS[ending].summary
