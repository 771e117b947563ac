"""Does a language model learn the text that it is given, from that text alone, and go on in it?"""

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError, RunError, TextError, WordError
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.capabilities import Distributed
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.results import TrainingCost
from lengthwise.problems.runs import claim, load_run, train
from lengthwise.text.data.text_corpus import Corpus, PrepareConfig, prepare_corpus
from lengthwise.text.models.gpt_lm import GPTLMConfig
from lengthwise.text.problems.corpus import CorpusReference
from lengthwise.text.problems.language_modelling.measure import continue_text
from lengthwise.text.problems.language_modelling.problem import LanguageModelling
from lengthwise.training.loop import find_kept_record, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig

SMALL: dict[str, Any] = {
    "preset": "smoke",
    "settings": {"window": 16, "chunk_size": 4, "num_layers": 1},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "text.txt").write_text("abcdefgh" * 2_000)
    source = {"train": [str(folder / "text.txt")]}
    return prepare_corpus(folder / "corpus", source, PrepareConfig(vocab_size=257))


@pytest.fixture(scope="module")
def run(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Run:
    settings = {"window": 16, "chunk_size": 4, "num_layers": 1, "d_model": 16, "num_heads": 2}
    plan = make_plan(
        f"text:{corpus.folder}",
        settings={**settings, "steps": 150, "validate_every": 50, "learning_rate": 1e-2},
    )
    return train(plan, out=tmp_path_factory.mktemp("run") / "run", device="cpu")


def problem_of(run: Run) -> LanguageModelling:
    assert isinstance(run.problem, LanguageModelling)
    return run.problem


def goes_on(run: Run, text: str, tokens: int, temperature: float = 0.0) -> str:
    corpus = problem_of(run).load()
    return continue_text(run, corpus, text, tokens=tokens, temperature=temperature, seed=0)


def test_the_best_weights_are_those_of_the_least_loss() -> None:
    records = [
        {"perfect": False, "validation_accuracy": 0.5, "validation_loss": 1.0},
        {"perfect": False, "validation_accuracy": 0.4, "validation_loss": 0.9},
    ]
    assert find_kept_record(records) is records[0]
    assert (
        find_kept_record([{**r, "validation_score": -r["validation_loss"]} for r in records])[
            "validation_loss"
        ]
        == 0.9
    )


def test_a_text_that_repeats_is_learned_and_gone_on_with(run: Run) -> None:
    assert run.metrics[-1]["validation_loss"] < 0.1
    assert goes_on(run, "cdefghab", tokens=10) == "cdefghabcd"
    for temperature in (0.01, 1e-320):
        found = goes_on(run, "cdefghab", tokens=10, temperature=temperature)
        assert found == "cdefghabcd"
    tested = evaluate_and_store(run, {"lengths": [16, 32], "words": 50})
    records, summary = tested.records, tested.values
    assert records[0]["perplexity"] < 1.2
    assert summary["perplexity"] == {r["length"]: r["perplexity"] for r in records}
    assert run.folder is not None
    assert run.folder.evaluation() is not None


def test_a_run_is_loaded_as_it_was(run: Run) -> None:
    assert run.folder is not None
    again = load_run(run.folder.path, device="cpu")
    assert again.plan == run.plan
    tokens = torch.arange(97, 105)[None]
    assert torch.equal(again.model(tokens), run.model(tokens))
    with pytest.raises(RunError, match="classifies no words of a formal language"):
        _ = again.task


class KilledError(Exception):
    pass


def test_an_interrupted_run_ends_with_the_same_weights(corpus: Corpus, tmp_path: Path) -> None:
    plan = make_plan(f"text:{corpus.folder}", **SMALL)
    whole = train(plan, out=tmp_path / "whole", device="cpu")

    class Kill:
        def update(self, step: int, record: Any) -> None:
            if step == 15:
                raise KilledError

    with pytest.raises(KilledError):
        train(plan, out=tmp_path / "killed", device="cpu", progress=Kill())
    resumed = train(plan, out=tmp_path / "killed", device="cpu")
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, resumed.model.state_dict()[name]), name
    assert [r["loss"] for r in whole.metrics] == [r["loss"] for r in resumed.metrics]


def test_a_plan_is_the_same_after_it_was_stored(corpus: Corpus) -> None:
    plan = make_plan(f"text:{corpus.folder}", "gpt-lm", settings={"position": "t5"})
    assert plan_from_dict(plan.to_dict()) == plan
    assert plan_from_dict({**plan.to_dict(), "environment": {}}) == plan
    assert "validation_windows" not in plan.identity()["settings"]


def test_what_does_not_fit_is_told_before_training(corpus: Corpus, tmp_path: Path) -> None:
    spec = f"text:{corpus.folder}"
    with pytest.raises(TextError, match=r"the validation part .* has a window of 5,001"):
        make_plan(spec, settings={"window": 5_000})
    with pytest.raises(ConfigError, match="Did you mean 'window'"):
        make_plan(spec, settings={"windw": 5})
    with pytest.raises(ConfigError, match="vocab_size"):
        make_plan(spec, settings={"vocab_size": 5})
    with pytest.raises(ConfigError, match="unknown language model 'gpt'"):
        make_plan(spec, "gpt")
    with pytest.raises(TextError, match="holds no prepared corpus"):
        make_plan(f"text:{tmp_path}")


def test_another_corpus_is_refused_if_its_tokens_mean_something_else(
    run: Run, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("hgfedcba" * 2_000)
    source = {"train": [str(tmp_path / "text.txt")]}
    same = prepare_corpus(tmp_path / "same", source, PrepareConfig(), tokenizer=corpus.folder)
    found = evaluate_and_store(run, {"lengths": [16], "text": same, "words": 20})
    assert found.records[0]["perplexity"] > 5
    other = prepare_corpus(tmp_path / "other", source, PrepareConfig(vocab_size=300))
    with pytest.raises(TextError, match=r"mean something else.*--tokenizer"):
        evaluate_and_store(run, {"lengths": [16], "text": other})


def test_a_corpus_that_was_made_anew_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("abcdefgh" * 200)
    source = {"train": [str(tmp_path / "text.txt")]}
    prepare_corpus(tmp_path / "corpus", source, PrepareConfig(vocab_size=257))
    plan = make_plan(f"text:{tmp_path / 'corpus'}", **SMALL)
    for path in (tmp_path / "corpus").iterdir():
        path.unlink()
    (tmp_path / "text.txt").write_text("abcdefgi" * 200)
    prepare_corpus(tmp_path / "corpus", source, PrepareConfig(vocab_size=257))
    with pytest.raises(TextError, match="holds another corpus than the one"):
        plan.problem.objective(plan)
    claim(RunFolder(tmp_path / "run"), plan, {})
    with pytest.raises(RunError, match=r"holds a run with problem.corpus.digest"):
        claim(
            RunFolder(tmp_path / "run"),
            make_plan(f"text:{tmp_path / 'corpus'}", **SMALL),
            {},
        )


def test_a_corpus_may_be_moved(run: Run, corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "moved")
    assert run.folder is not None
    plan = run.plan
    assert isinstance(plan, Plan)
    there = CorpusReference.of(Corpus.load(tmp_path / "moved"))
    moved = replace(plan, problem=replace(problem_of(run), corpus=there))
    assert moved == plan
    assert moved.identity() == plan.identity()
    claim(run.folder, moved, {})
    nowhere = replace(problem_of(run).corpus, folder="nowhere")
    problem = replace(problem_of(run), corpus=nowhere)
    lost = replace(run, problem=problem, plan=replace(plan, problem=problem))
    with pytest.raises(TextError, match=r"cannot be read.*name it with --text"):
        evaluate_and_store(lost, {"lengths": [16]})
    asked = {"lengths": [16], "text": Corpus.load(tmp_path / "moved"), "words": 9}
    assert evaluate_and_store(lost, asked).records[0]["windows"] == 9


def test_learned_positions_are_as_many_as_are_trained_unless_more_are_asked_for(
    corpus: Corpus,
) -> None:
    def places(**settings: Any) -> int:
        plan = make_plan(f"text:{corpus.folder}", "gpt-lm", settings=settings)
        network = plan.network
        assert isinstance(network, GPTLMConfig)
        return network.max_length

    assert places(position="learned", window=16) == 16
    assert places(position="learned", window=16, max_length=20) == 20
    assert places(position="alibi", window=16) == GPTLMConfig(vocab_size=2).max_length


def test_texts_past_learned_positions_are_refused_before_anything_is_done(corpus: Corpus) -> None:
    spec, learned = f"text:{corpus.folder}", {"position": "learned", "max_length": 20}
    with pytest.raises(ConfigError, match="window=128 is longer than max_length=20"):
        make_plan(spec, "gpt-lm", settings=learned)
    plan = make_plan(spec, "gpt-lm", preset="smoke", settings={**learned, "window": 16, "steps": 2})
    short = train(plan, device="cpu")
    with pytest.raises(WordError, match="reads at most 20 tokens, but 32 are asked for"):
        evaluate_and_store(short, {"lengths": [16, 32]})
    with pytest.raises(WordError, match="reads at most 20 tokens"):
        goes_on(short, "abc", tokens=30)


@pytest.mark.parametrize("model", ["regular-gpt-lm", "gpt-lm"])
def test_all_weights_are_trained(model: str, corpus: Corpus) -> None:
    settings = {"window": 16, **({"position": "t5"} if model == "gpt-lm" else {"chunk_size": 4})}
    plan = make_plan(f"text:{corpus.folder}", model, preset="smoke", settings=settings)
    assert isinstance(plan, Plan)
    drawn = plan.draw()
    before = {name: weight.clone() for name, weight in drawn.named_parameters()}
    fit(drawn, plan.problem.objective(plan), TrainingConfig(steps=3, validate_every=3))
    assert [n for n, weight in drawn.named_parameters() if torch.equal(weight, before[n])] == []


def test_all_devices_together_are_the_full_speed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lengthwise.text.problems.language_modelling.problem.matmul_rate", lambda *_: 1e9
    )
    text = tmp_path / "a.txt"
    text.write_text("some words, and more of them. " * 400)
    prepare_corpus(tmp_path / "text", {"train": [str(text)]}, PrepareConfig(vocab_size=257))
    plan = make_plan(f"text:{tmp_path / 'text'}", preset="smoke", settings={"window": 16})
    here = torch.device("cpu")

    def cost() -> TrainingCost:
        assert isinstance(plan.problem, Distributed)
        return plan.problem.training_cost(plan, here)

    alone = cost()
    assert alone.full_speed * alone.flops == pytest.approx(1e9)
    for name, value in (("WORLD_SIZE", "3"), ("LOCAL_RANK", "0"), ("RANK", "0")):
        monkeypatch.setenv(name, value)
    assert cost().full_speed == pytest.approx(3 * alone.full_speed)
    monkeypatch.setenv("RANK", "1")
    assert cost() == (0, math.inf)
