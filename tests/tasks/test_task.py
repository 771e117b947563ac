"""Tasks: names, lengths, and batches that fit together."""

import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.tasks import sampling
from lengthwise.tasks.task import Task, default_protocol
from tasks.oracles import MOD_3, class_of, languages, make_generator, read_words, words_of


@given(language=languages(), last=st.integers(0, 6))
def test_lengths_are_those_that_have_words(language: Language, last: int) -> None:
    task = Task(language=language)
    having = [n for n in range(last + 1) if words_of(language, n)]

    assert list(task.lengths(0, last)) == having
    assert list(task.missing(0, last)) == [n for n in range(last + 1) if n not in having]
    for n in having:
        assert set(task.classes_at(n)) == {class_of(language, w) for w in words_of(language, n)}


@pytest.mark.parametrize("protocol", ["published", "audited"])
@pytest.mark.parametrize("spec", ["parity", "modular-arithmetic", "d-4", "tomita-3"])
def test_batches_fit_together_and_come_from_the_seed_alone(spec: str, protocol: str) -> None:
    task, again = (Task(language=parse(spec), protocol=protocol) for _ in range(2))
    lengths = torch.tensor([4, 20, 6, 6])

    batch = task.draw(lengths, make_generator())
    task.draw(lengths, make_generator(1))
    same = again.draw(lengths, make_generator())

    words = read_words(batch.tokens)
    assert [len(word) for word in words] == lengths.tolist() == batch.lengths.tolist()
    assert [class_of(task.language, word) for word in words] == batch.classes.tolist()
    assert batch.tokens.equal(same.tokens)
    assert task.draw(lengths, make_generator()).tokens.equal(batch.tokens)
    assert not task.draw(lengths, make_generator(2)).tokens.equal(batch.tokens)


def test_protocols_draw_other_words() -> None:
    language, lengths = parse("parity"), torch.full((400,), 10)
    rare = Task(language=language, protocol="published", p_one=0.1).draw(lengths, make_generator())
    assert 0.05 < rare.tokens.double().mean() < 0.15
    fair = Task(language=language, protocol="audited").draw(lengths, make_generator())
    assert 0.45 < fair.tokens.double().mean() < 0.55
    assert fair.classes.sum() == 200


def test_uniform_words_have_the_class_asked_for() -> None:
    task = Task(language=parse("d-2"))
    inside = task.draw_uniform(5, 6, make_generator(), c=1)
    assert [class_of(task.language, word) for word in read_words(inside.tokens)] == [1] * 5
    any_class = task.draw_uniform(50, 3, make_generator())
    assert any_class.classes.tolist() == [0] * 50
    with pytest.raises(TaskError, match=r"class 1 of d-2 has no word of length 3. .* 2 and 4"):
        task.draw_uniform(1, 3, make_generator(), c=1)


def test_lengths_without_words_are_refused() -> None:
    task = Task(language=parse("modular-arithmetic"), protocol="published")
    with pytest.raises(TaskError, match="no word of length 5"):
        task.draw(torch.tensor([5]), make_generator())


@pytest.mark.parametrize(("spec", "expected"), [("parity", "parity@1"), ("d-4", "d-4@1")])
def test_names_carry_a_version(spec: str, expected: str) -> None:
    assert Task(language=parse(spec)).id == expected


def test_a_language_without_a_name_is_named_by_what_it_is() -> None:
    larger = Language(  # the same language, with a state too many
        alphabet=MOD_3.alphabet, transitions=(*MOD_3.transitions, (0, 0, 0)), classes=(0, 1, 2, 0)
    )
    other = Language(alphabet=MOD_3.alphabet, transitions=MOD_3.transitions, classes=(0, 2, 1))
    assert Task(language=MOD_3).id == Task(language=larger).id
    assert Task(language=MOD_3).id != Task(language=other).id
    assert Task(language=MOD_3).id.startswith("machine-")


def test_a_language_from_a_file_is_named_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    path.write_text("0 1 a\n1 0 b\n0\n", encoding="utf-8")
    before = Task(language=parse(f"att:{path}")).id
    option = Task(language=parse(f"att[0=symbol]:{path}")).id
    path.write_text("0 1 b\n1 0 a\n0\n", encoding="utf-8")
    after = Task(language=parse(f"att:{path}")).id

    assert re.fullmatch(r"machine-[0-9a-f]{12}@1", before)
    assert before == option != after
    assert before == Task(language=replace(parse("regex:(ab)*"), spec="")).id


def test_room_is_asked_for_where_words_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MAX_COUNTS", 100)
    tasks = {
        (spec, protocol): Task(language=parse(spec), protocol=protocol)
        for spec in ("parity", "modular-arithmetic", "d-2", "tomita-5")
        for protocol in ("published", "audited")
    }
    refused = set()
    lengths = torch.tensor([100])
    for name, task in tasks.items():
        try:
            task.require_room(100)
        except TaskError:
            refused.add(name)
            with pytest.raises(TaskError, match="the limit is 100"):
                task.draw(lengths, make_generator())
        else:
            assert task.draw(lengths, make_generator()).tokens.shape == (1, 100)

    uncounted = {("parity", "published"), ("modular-arithmetic", "published")}
    assert refused == set(tasks) - uncounted


def test_the_default_protocol_follows_memory_and_language() -> None:
    assert default_protocol(parse("parity"), binary=False) == "published"
    assert default_protocol(parse("parity"), binary=True) == "audited"
    assert default_protocol(MOD_3, binary=False) == "audited"


def test_tasks_do_not_change() -> None:
    task = Task(language=MOD_3)
    with pytest.raises(FrozenInstanceError):
        task.p_one = 0.3  # type: ignore[misc]
    assert task == Task(language=MOD_3)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"language": MOD_3, "protocol": "published"}, "Use the protocol 'audited'"),
        ({"language": MOD_3, "protocol": "audit"}, "Did you mean 'audited'"),
        ({"language": MOD_3, "p_one": 0.2}, "only the published words of parity"),
        ({"language": parse("parity"), "protocol": "published", "p_one": 1.0}, "between 0 and 1"),
    ],
)
def test_tasks_that_cannot_be_are_refused(settings: dict[str, object], part: str) -> None:
    with pytest.raises(TaskError, match=part):
        Task(**settings)  # type: ignore[arg-type]


def test_lengths_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(TaskError, match=r"lengths 5..3 are not a range"):
        Task(language=MOD_3).lengths(5, 3)
