"""C-RASP automata become programs of tallies, and networks that answer as they do."""

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.constructions import c_rasp
from lengthwise.constructions.c_rasp import c_rasp_program, design_c_rasp
from lengthwise.constructions.counters import MAX_COUNT
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.lookups import build_lookups
from lengthwise.constructions.programs import TallyOf
from lengthwise.constructions.verify import verify_construction
from lengthwise.errors import ConstructionError
from lengthwise.languages.balanced_counters import is_c_rasp
from lengthwise.languages.domain_merging import merge_outside_domain
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines

SPECS = [
    "regex:(ab)*",
    "d-4",
    "regex:(a(ab)*b)*",
    "regex:(bbac)*",
    "regex:.*a.*b.*",
    "first",
    "regex:(ab)*c(ba)*|c",
    "regex:(ab)*(c(ab)*|d(ba)*)",
    "regex:(abc)*d?(ab)*",
]


@st.composite
def count_layers(draw: st.DrawFn) -> Language:
    """Automata of up to seven states that go up, or down by one: many are of C-RASP."""
    size = draw(st.integers(1, 7))
    rows = tuple(
        tuple(draw(st.integers(max(0, q - 1), size - 1)) for _ in "ab") for q in range(size)
    )
    return Language(
        alphabet=("a", "b"),
        transitions=rows,
        classes=tuple(draw(st.integers(0, 2)) for _ in range(size)),
        class_names=("0", "1", "2"),
    )


@settings(max_examples=40)
@given(language=machines(max_states=4) | count_layers())
def test_there_is_a_program_exactly_for_the_languages_of_the_class(language: Language) -> None:
    if not is_c_rasp(language):
        with pytest.raises(ConstructionError, match="is not in C-RASP: ") as caught:
            design_c_rasp(language)
        assert "\n" not in str(caught.value)
        return
    program = c_rasp_program(merge_outside_domain(language))
    assert all(isinstance(memory, TallyOf) for memory in program.memories)
    for word in product(range(2), repeat=7):
        found = [language.classes[language.run(word[:n])] for n in range(8)]
        assert program.run(word) == found


@pytest.mark.slow_except("d-4", "first", "regex:(a(ab)*b)*", "regex:.*a.*b.*")
@pytest.mark.parametrize("spec", SPECS)
def test_networks_are_right_on_long_words(spec: str) -> None:
    """Random words, most of which leave their parts soon, and words that stay as long as can be."""
    language = parse(spec)
    machine = merge_outside_domain(language)
    model = build_lookups(design_c_rasp(language, longest=400)).float()
    generator = torch.Generator().manual_seed(0)
    words = torch.randint(machine.num_symbols, (4, 400), generator=generator).tolist()
    inside = [reach(machine, symbol) for symbol in range(machine.num_symbols)]
    words += [(word * 400)[:400] for word in inside if word]
    with torch.no_grad():
        found = model.every_position(torch.tensor(words)).argmax(-1).tolist()
    for word, answers in zip(words, found, strict=True):
        state, right = machine.start, []
        for symbol in word:
            state = machine.transitions[state][symbol]
            right.append(machine.classes[state])
        assert answers == right


def reach(machine: Language, symbol: int) -> list[int]:
    """A shortest word from the start that begins with a symbol and comes back to the start."""
    paths = {machine.transitions[machine.start][symbol]: [symbol]}
    for state in (queue := list(paths)):
        for other, target in enumerate(machine.transitions[state]):
            if target not in paths:
                paths[target] = [*paths[state], other]
                queue.append(target)
    return paths.get(machine.start, [])


@pytest.mark.parametrize(
    "spec", ["d-4", pytest.param("regex:(ab)*c(ba)*|c", marks=pytest.mark.slow)]
)
def test_claims_hold_in_every_precision(spec: str) -> None:
    made = construct(spec, {"rung": "c-rasp", "longest": 40})
    assert set(made.range.values()) == {40}
    found = verify_construction(made, longest=40, all_words=16, words_per_length=1)
    assert found.holds
    assert found.precisions["float64"].margin[40] == pytest.approx(8.0)


def test_depth_does_not_grow_with_the_sums() -> None:
    for spec in ("d-2", "d-4", "d-12"):
        assert design_c_rasp(parse(spec)).config.num_layers == 6
    assert design_c_rasp(parse("tomita-1")).config.num_layers == 3


def test_what_cannot_be_had_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec, chosen, part in (
        ("parity", {}, "parity is not in C-RASP: 1, read at the start, changes the state"),
        ("tomita-4", {}, "tomita-4 is not in C-RASP: .* Use another rung"),
        ("d-2", {"longest": MAX_COUNT + 1}, "at most 8,192 symbols, but longest=8193"),
        ("d-2", {"longest": 0}, "longest=0"),
    ):
        with pytest.raises(ConstructionError, match=part) as caught:
            design_c_rasp(parse(spec), **chosen)
        assert "\n" not in str(caught.value)
    monkeypatch.setattr(c_rasp, "MAX_SUM", 3)
    with pytest.raises(ConstructionError, match="sums up to 4, but 3 is the most"):
        design_c_rasp(parse("d-4"))
    monkeypatch.setattr(c_rasp, "MAX_ROUTES", 2)
    with pytest.raises(ConstructionError, match="more than 2 ways through its parts"):
        design_c_rasp(parse("regex:(ab)*(c(ab)*|d(ba)*)"))
