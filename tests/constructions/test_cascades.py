"""Cascades become programs that give every prefix its class."""

from itertools import product

import pytest
from hypothesis import given

from lengthwise.constructions import cascades
from lengthwise.constructions.cascades import program_of
from lengthwise.constructions.programs import Counter, Program
from lengthwise.errors import ConstructionError
from lengthwise.languages.cascade import permuting_cascade
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines


def cascade(language: Language) -> Program:
    machine = merge_outside_domain(language)
    return program_of(machine, permuting_cascade(machine))


@given(language=machines(max_states=4))
def test_the_program_is_the_automaton(language: Language) -> None:
    """Groups on at most four values are solvable, so there is always a program."""
    program = cascade(language)
    for word in product(range(language.num_symbols), repeat=7):
        found = [language.classes[language.run(word[:n])] for n in range(8)]
        assert program.run(word) == found


@given(language=machines(alphabet="abc", max_states=5))
def test_counters_depend_on_lower_memories_alone(language: Language) -> None:
    program = cascade_or_none(language)
    if program is None:
        return
    for memory in program.memories:
        asked = {v for c in memory.conditions for path in c for v, _ in path} - {0}
        below = max((program.memories[v - 1].ready for v in asked), default=0)
        assert memory.layer == 1 + below
        if isinstance(memory, Counter):
            assert 1 <= memory.most <= memory.modulus // 2


def cascade_or_none(language: Language) -> Program | None:
    try:
        return cascade(language)
    except ConstructionError:
        return None


@pytest.mark.parametrize(
    ("spec", "layers", "moduli"),
    [
        ("parity", 5, [2]),
        ("count:a:7", 5, [7]),
        ("tomita-5", 5, [2, 2]),
        ("abab-star", 6, [2]),
        ("tomita-3", 9, [2, 2]),
        ("group:S3", 10, [2, 3]),
        ("group:D5", 10, [2, 5]),
        ("group:S4", 15, [2, 3, 2, 2]),
        ("tomita-4", 3, []),
    ],
)
def test_known_languages_have_known_depths(spec: str, layers: int, moduli: list[int]) -> None:
    program = cascade(parse(spec))
    assert program.num_layers == layers
    assert [counter.modulus for counter in program.counters] == moduli


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascades, "MAX_CASES", 35)
    with pytest.raises(ConstructionError, match="6 states have a cascade with more than 35 cases"):
        cascade(parse("group:S3"))  # 6 symbols and 6 values
    monkeypatch.setattr(cascades, "MAX_CASES", 36)
    assert len(cascade(parse("group:S3")).counters) == 2
