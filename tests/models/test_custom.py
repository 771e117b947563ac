"""Networks of the user's own: layouts, import paths, given objects, and what is refused."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import ConfigError, RunError
from lengthwise.evaluation.evaluate import answers
from lengthwise.evaluation.predict import logits_of
from lengthwise.models.custom import own_entry
from lengthwise.models.custom_network import Adapted, require_recogniser
from lengthwise.objectives.answers import validate_answers
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.tasks.task import Batch
from models.users_own import SMALL, package_in


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return package_in(tmp_path, monkeypatch)


class Sums(nn.Module):
    """Logits that depend on every symbol and its place, and on nothing else."""

    def __init__(self, pad: int | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.3, -0.7, 0.9]))
        self.pad = pad

    def forward(self, tokens: Tensor) -> Tensor:
        place = torch.arange(1, tokens.shape[1] + 1)
        total = ((tokens + 1) * place * self.weight[tokens % 3]).sum(dim=1)
        return torch.stack([total, -total], dim=1)


class OnTheRight(Sums):
    """The same of words at the left of their rows, with pads `pad` after them."""

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:  # type: ignore[override]
        after = torch.arange(tokens.shape[1]) >= lengths[:, None]
        assert bool(torch.eq(tokens[after], self.pad or 0).all())
        return super().forward(tokens.masked_fill(after, -1))


class OnTheLeft(Sums):
    """The same of words at the right of their rows."""

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:  # type: ignore[override]
        found = []
        for row, length in zip(tokens, lengths.tolist(), strict=True):
            assert bool(torch.eq(row[: len(row) - length], self.pad or 0).all())
            found.append(super().forward(row[len(row) - length :][None]))
        return torch.cat(found)


words_of = st.lists(st.lists(st.integers(0, 2), max_size=9), min_size=1, max_size=7)


@settings(deadline=None)
@given(words=words_of, pad=st.integers(-1, 7))
def test_every_layout_gives_the_logits_of_each_word_alone(words: list[list[int]], pad: int) -> None:
    plain = Sums()
    with torch.no_grad():
        rows = [plain(torch.tensor(word, dtype=torch.long)[None]) for word in words]
        expected = torch.cat(rows)
        for model in (
            lw.adapt(Sums()),
            lw.adapt(OnTheRight(pad), padding="right", pad_token=pad),
            lw.adapt(OnTheLeft(pad), padding="left", pad_token=pad),
        ):
            assert torch.allclose(logits_of(model, words), expected)


@pytest.mark.slow
def test_a_stopped_run_goes_on_to_the_same_bits(package: Path) -> None:
    def run(out: str, **more: Any) -> dict[str, Tensor]:
        return lw.train(
            "parity", "users_own:gru", out=out, device="cpu", **SMALL, **more
        ).model.state_dict()

    whole = run("whole")
    script = (
        "import lengthwise as lw, os\n"
        "from lengthwise.training.loop import Progress\n"
        "class Stop(Progress):\n"
        "    def update(self, step, record):\n"
        "        if step >= 15: os._exit(9)\n"
        f"settings = dict(device='cpu', progress=Stop(), **{SMALL})\n"
        "lw.train('parity', 'users_own:gru', out='again', **settings)"
    )
    left = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert left.returncode == 9, left.stderr
    assert not Path("again/model.safetensors").exists()
    again = run("again")
    assert all(torch.equal(whole[name], again[name]) for name in whole)


def test_a_network_that_is_given_keeps_its_weights_and_loads_with_it(package: Path) -> None:
    network = lw.adapt(Sums())
    before = {name: value.clone() for name, value in network.state_dict().items()}
    first = lw.train("parity", network, out="run", device="cpu", **SMALL)
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert not torch.equal(first.model.state_dict()["module.weight"], before["module.weight"])
    assert isinstance(first.plan, Plan)
    assert first.plan.model.endswith(":Sums()")
    again = lw.load("run", device="cpu", model=Sums())
    weights = [run.model.state_dict()["module.weight"] for run in (first, again)]
    assert torch.equal(*weights)
    other = Sums()
    other.weight.data.add_(1)
    with pytest.raises(RunError, match="holds a run with"):
        lw.train("parity", other, out="run", device="cpu", **SMALL)


def linear(*, vocab_size: int, num_classes: int, bits: int = 3) -> nn.Module:
    return Sums()


def test_a_stored_run_asks_for_what_it_was_made_from(package: Path) -> None:
    lw.train("parity", linear, out="built", device="cpu", **SMALL)
    lw.train("parity", Sums(), out="given", device="cpu", **SMALL)
    lw.train("parity", out="known", device="cpu", preset="smoke", **SMALL)
    assert isinstance(lw.load("built", device="cpu", model=linear), lw.Run)
    for folder, model, says in [
        ("built", Sums(), "Give the function, model=linear."),
        ("given", linear, "Give a network of the same shape."),
        ("known", linear, "is regular-gpt-binary, which is known. Leave model out."),
        ("given", 3, "or a function that builds one, but got 3"),
    ]:
        with pytest.raises(ConfigError) as found:
            lw.load(folder, model=model)  # type: ignore[arg-type]
        assert says in str(found.value)


def test_the_seed_decides_the_weights(package: Path) -> None:
    entry = own_entry("users_own:gru")
    config = entry.configure({"vocab_size": 2, "num_classes": 2})
    drawn = [entry.draw_from(config, seed).state_dict() for seed in (1, 1, 2)]
    same = [torch.equal(drawn[0][n], drawn[1][n]) for n in drawn[0]]
    assert all(same)
    assert not torch.equal(drawn[0]["module.gru.weight_hh_l0"], drawn[2]["module.gru.weight_hh_l0"])


class Strange(nn.Module):
    """A network that answers as `answer` says."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.answer = answer

    def forward(self, tokens: Tensor, lengths: Tensor) -> Any:
        return self.answer(tokens, lengths, self.weight)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda t, n, w: (w, w), "must return a tensor of logits, but it returned a tuple"),
        (lambda t, n, w: w.expand(len(t), t.shape[1], 2), "floating-point logits [word, class]"),
        (lambda t, n, w: torch.ones(len(t), 2, dtype=torch.long), "it returned int64 (5, 2)"),
        (lambda t, n, w: w[:1].expand(len(t), 1), "returned 1 logits for each word, but the"),
        (lambda t, n, w: w * torch.rand(len(t), 2), "is not deterministic"),
        (lambda t, n, w: w * t.sum(dim=1)[:, None], "its answer depends on the pads"),
        (lambda t, n, w: w[t + 9].sum(dim=1), "cannot read words of 1 to 7 symbols"),
    ],
)
def test_what_is_no_recogniser_is_refused(answer: Any, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        lw.train("parity", Strange(answer), device="cpu", **SMALL)
    assert says in str(refused.value).replace("\n", " ")


def up_to_eight(tokens: Tensor, lengths: Tensor, weight: Tensor) -> Tensor:
    """Logits of a network that has no positions for more symbols."""
    at = weight[torch.arange(tokens.shape[1]) // 8 * len(weight)]
    return (weight + at.mean()).expand(len(tokens), -1)


def no_more_than_eight(tokens: Tensor, lengths: Tensor, weight: Tensor) -> Tensor:
    assert tokens.shape[1] <= 8, "at most 8"
    return weight.expand(len(tokens), -1)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (up_to_eight, "fails on words of 40 symbols (IndexError"),
        (no_more_than_eight, "fails on words of 40 symbols (AssertionError: at most 8)"),
        (lambda t, n, w: sys.exit(3), "cannot read words of 1 to 7 symbols"),
        (lambda t, n, w: torch.ones(len(t), 2), "have no gradient, so it cannot be trained"),
        (lambda t, n, w: (w * t[:, :1]).detach()[:, :2] * 0, "have no gradient"),
        (lambda t, n, w: w[:2].expand(len(t), 2) * torch.nan, "no numbers (nan)"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(
    answer: Any, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        lw.train("parity", Strange(answer), device="cpu", max_length=40, out=tmp_path / "run")
    assert says in str(refused.value).replace("\n", " ")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda logits: logits.to(torch.float8_e4m3fn), "one that is float8_e4m3fn"),
        (lambda logits: logits.to("meta"), "one that is on the meta device"),
        (lambda logits: logits.to_sparse(), "one that is sparse_coo"),
        (lambda logits: logits * torch.inf, "logits that are infinite"),
    ],
)
def test_logits_of_unusual_tensors_are_refused(change: Any, says: str) -> None:
    strange = Strange(lambda t, n, w: change(w.expand(len(t), 2) + n[:, None]))
    asked: list[Callable[[], object]] = [
        lambda: lw.train("parity", strange, device="cpu", **SMALL),
        lambda: lw.predict(strange, ["0", "11"], language="parity"),
        lambda: lw.evaluate(strange, language="parity", lengths=[3], words_per_length=2),
    ]
    for ask in asked:
        with pytest.raises(ConfigError) as refused:
            ask()
        assert says in str(refused.value).replace("\n", " ")


def test_a_network_may_keep_its_lengths_for_itself() -> None:
    """What it changes in place is a copy."""

    def halve(tokens: Tensor, lengths: Tensor, weight: Tensor) -> Tensor:
        return weight.expand(len(tokens), 2) / lengths.clamp_(min=5)[:, None]

    for model in (Strange(halve), lw.adapt(Strange(halve), padding="right")):
        scores = lw.evaluate(model, language="parity", lengths=range(7), words_per_length=4)
        assert scores.lengths == list(range(7))


def test_a_network_may_write_into_its_words() -> None:
    """In evaluation and validation it gets copies of them, too."""

    def empty(tokens: Tensor, lengths: Tensor, weight: Tensor) -> Tensor:
        logits = weight.expand(len(tokens), 2) * lengths[:, None]
        tokens.zero_()
        return logits

    words = Batch(
        tokens=torch.ones(2, 3).long(), lengths=torch.tensor([3, 2]), classes=torch.zeros(2).long()
    )
    for ask in (
        lambda model: validate_answers(model, words),
        lambda model: answers(model, words.tokens, words.lengths),
    ):
        ask(Strange(empty))
        assert bool((words.tokens == 1).all())


class Doubtful(Sums):
    """A network with dropout that is on in eval mode."""

    def forward(self, tokens: Tensor) -> Tensor:
        return nn.functional.dropout(super().forward(tokens), 0.5)


def test_a_network_that_is_trained_already_is_tried_too() -> None:
    torch.manual_seed(0)  # else one time in sixteen dropout is the same twice
    counts_pads = Strange(lambda t, n, w: w * t.sum(dim=1)[:, None])
    for model, says in ((Doubtful(), "not deterministic"), (counts_pads, "depends on the pads")):
        for ask in (
            lambda model=model: lw.evaluate(
                model, language="parity", lengths=[3, 4], words_per_length=2
            ),
            lambda model=model: lw.predict(model, ["0", "11"], language="parity"),
            lambda model=model: lw.interpret.learn_automaton(model, "01", num_tests=10),
        ):
            with pytest.raises(ConfigError, match=says):
                ask()


def test_every_part_of_a_network_stays_in_its_mode() -> None:
    model = nn.Sequential(Sums(), nn.Identity())
    model[1].eval()
    lw.evaluate(model, language="parity", lengths=[3], words_per_length=2)
    lw.predict(model, ["0"], language="parity")
    lw.interpret.learn_automaton(model, "01", max_length=3, num_tests=10)
    assert [part.training for part in (model, *model)] == [True, True, False]
    run = lw.train("parity", device="cpu", model="regular-gpt-binary", steps=1)
    run.model.train()
    lw.certify(run, max_chunks=1000)
    assert all(part.training for part in run.model.modules())


class Masked(nn.Module):
    """A transformer that looks at no pads."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(3, 16, padding_idx=2)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.encode = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.answer = nn.Linear(16, 2)
        self.calls = 0

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        self.calls += 1
        x = self.embed(tokens.masked_fill(tokens < 0, 2))
        found: Tensor = self.answer(self.encode(x, src_key_padding_mask=tokens < 0)[:, -1])
        return found


@pytest.mark.parametrize("seed", range(5))
def test_a_network_in_bfloat16_is_steady_to_its_rounding(seed: int) -> None:
    torch.manual_seed(seed)
    model = Masked().to(torch.bfloat16)
    assert len(lw.predict(model, ["0", "0101", "01101001"], language="parity")) == 3
    scores = lw.evaluate(model, language="parity", lengths=[3, 5, 9], words_per_length=4)
    assert scores.lengths == [3, 5, 9]


def test_a_network_is_tried_once() -> None:
    model = Masked()
    lw.predict(model, ["0", "01", "010"], language="parity")
    model.calls = 0
    assert len(lw.predict(model, ["0", "01", "010"], language="parity")) == 3
    assert model.calls == 1


def test_a_network_that_cannot_read_short_words_may_be_learned_on_longer_ones() -> None:
    class Window(Sums):
        def forward(self, tokens: Tensor) -> Tensor:
            assert tokens.shape[1] >= 4, "four symbols are seen at once"
            return super().forward(tokens[:, -1:])

    domain = lw.language("regex:(0|1){4}(0|1)*")
    learned = lw.interpret.learn_automaton(
        Window(), "01", domain=domain, num_tests=50, max_length=9
    )
    assert learned.language.num_states <= 9


def test_an_overridden_mode_comes_back() -> None:
    """As of layers that merge their weights in eval mode."""

    class Merging(Sums):
        merged = False

        def train(self, mode: bool = True) -> "Merging":
            self.merged = not mode
            return super().train(mode)

    model = nn.Sequential(Merging())
    lw.predict(model, ["0"], language="parity")
    merging = cast(Merging, model[0])
    assert (model.training, merging.training, merging.merged) == (True, True, False)
    model.eval()
    lw.predict(model, ["0"], language="parity")
    assert (merging.training, merging.merged) == (False, True)


def test_a_function_with_a_network_of_its_own_is_left_alone() -> None:
    seen = []

    class Asked:
        model = Sums()

        def __call__(self, words: list[str]) -> list[bool]:
            seen.append(self.model.training)
            return [word.count("1") % 2 == 1 for word in words]

    lw.interpret.learn_automaton(Asked(), "01", num_tests=10)
    assert all(seen)


def test_no_class_is_told() -> None:
    with pytest.raises(ConfigError, match=r"it returned float32 \(1, 0\)"):
        lw.predict(Strange(lambda t, n, w: w[:0].expand(len(t), 0)), ["0"], language="parity")


def test_a_factory_may_take_any_settings(package: Path) -> None:
    run = lw.train("parity", "users_own:anything", device="cpu", **SMALL)
    assert run.plan.model == "users_own:anything"


def test_the_empty_word_is_tried_where_training_has_it(tmp_path: Path) -> None:
    class LastSymbol(Sums):
        def forward(self, tokens: Tensor) -> Tensor:
            return super().forward(tokens + tokens[:, -1][:, None])

    model = LastSymbol()
    with pytest.raises(ConfigError, match=r"cannot read the empty word .*pad_token=that symbol"):
        lw.train("parity", model, device="cpu", min_length=0, out=tmp_path / "run", **SMALL)
    assert not (tmp_path / "run").exists()
    lw.train("parity", lw.adapt(model, pad_token=2), device="cpu", min_length=0, **SMALL)


def test_a_second_argument_of_another_name_gets_no_lengths() -> None:
    """As in training: it may be a mask."""

    class Masked(Sums):
        def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
            assert mask is None
            return super().forward(tokens)

    words = ["01", "011"]
    assert lw.predict(Masked(), words, language="parity") == lw.predict(
        Sums(), words, language="parity"
    )


def test_a_network_may_leave_gradients_out_in_eval_mode() -> None:
    class Careful(Strange):
        def forward(self, tokens: Tensor, lengths: Tensor) -> Any:
            with torch.set_grad_enabled(self.training):
                return super().forward(tokens, lengths)

    answer = lambda t, n, w: (t.ge(0).sum(dim=1)[:, None] + 1) * w  # noqa: E731
    run = lw.train("parity", Careful(answer), device="cpu", **SMALL)
    assert len(run.metrics) == 2


def test_the_longest_of_labelled_words_are_tried(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    lines = {f"{number:0{2 + number % 12}b}" for number in range(1_000)}
    words.write_text("".join(f"{word}\t{word.count('1') % 2}\n" for word in sorted(lines)))
    with pytest.raises(ConfigError, match=r"fails on words of 1\d symbols"):
        lw.train(f"words:{words}", Strange(up_to_eight), device="cpu", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_longer_words_than_a_network_reads_are_refused_in_a_line() -> None:
    model, parity = Strange(up_to_eight), lw.language("parity")
    assert len(lw.predict(lw.adapt(model), ["01", "0" * 8], language=parity)) == 2
    with pytest.raises(ConfigError, match="fails on words of 9 symbols") as refused:
        lw.predict(lw.adapt(model), ["0" * 9], language=parity)
    assert "\n" not in str(refused.value)


def test_networks_that_take_tokens_alone_are_adapted_where_they_are_given() -> None:
    """As `train` does it: words of one length at a time, without pads."""
    parity, words = lw.language("parity"), ["", "01", "011", "0110"]
    raw, adapted = Sums(), lw.adapt(Sums())
    assert lw.predict(raw, words, language=parity) == lw.predict(adapted, words, language=parity)
    found = [
        lw.evaluate(each, language=parity, lengths=[3, 5], words_per_length=8).records
        for each in (raw, adapted)
    ]
    assert found[0] == found[1]
    learned = [
        lw.interpret.learn_automaton(each, "01", max_length=6, num_tests=50, max_states=40).language
        for each in (raw, adapted)
    ]
    assert learned[0] == learned[1]


class Passes(nn.Module):
    """A wrapper that hands on what it is given."""

    def __init__(self, within: nn.Module) -> None:
        super().__init__()
        self.within = within

    def forward(self, *given: Tensor) -> Tensor:
        answer: Tensor = self.within(*given)
        return answer


def test_wrappers_of_any_arguments_get_lengths() -> None:
    parity, words = lw.language("parity"), ["01", "0110", "1"]
    within = Strange(lambda t, n, w: torch.stack([n % 2 * w[0], 0.5 * w[1] + 0 * n], dim=1))
    assert lw.predict(Passes(within), words, language=parity) == ["1", "1", "0"]
    assert lw.predict(lw.adapt(Passes(within)), words, language=parity) == ["1", "1", "0"]


def test_no_words_have_no_answers() -> None:
    made = lw.compile("parity")
    assert lw.predict(made.model, [], language=lw.language("parity")) == []
    assert lw.predict(lw.adapt(Sums()), [], language=lw.language("parity")) == []


def test_logits_of_other_classes_are_refused_by_predict() -> None:
    three = Strange(lambda t, n, w: w[0].expand(len(t), 3))
    with pytest.raises(ConfigError, match="logits of 3 classes, but parity has 2"):
        lw.predict(lw.adapt(three), ["01"], language=lw.language("parity"))


def test_an_argument_may_be_named_like_a_setting_of_training(package: Path) -> None:
    """The numbers of a preset are those of the package's own settings."""
    (package / "iterated.py").write_text(
        "from torch import nn\n"
        "from users_own import gru\n"
        "def iterated(*, vocab_size, num_classes, steps=8):\n"
        "    return gru(vocab_size=vocab_size, num_classes=num_classes)\n"
    )
    plan = make_plan("parity", "iterated:iterated", preset="smoke")
    assert plan.network.to_dict()["steps"] == 8
    assert plan.training.steps == 40
    with pytest.raises(ConfigError, match=r"network\.steps or training\.steps"):
        make_plan("parity", "iterated:iterated", settings={"steps": 5})


class MasksItself(nn.Module):
    """A stock encoder that takes tokens alone, and finds its pads by their number."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(3, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encode = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.answer = nn.Linear(8, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        pads = tokens == 2
        found = self.encode(self.embed(tokens), src_key_padding_mask=pads)
        shown: Tensor = self.answer(found.masked_fill(pads[..., None], 0).sum(dim=1))
        return shown


@pytest.mark.parametrize("padding", ["left", "right", "none", None])
def test_a_network_that_masks_its_own_pads_gets_words_of_one_length(padding: str | None) -> None:
    torch.manual_seed(0)
    network = MasksItself().eval()
    model = lw.adapt(network, padding=padding, pad_token=2)
    words = [[0, 1, 1], [1], [0, 0, 1, 0, 1], [1, 1, 0]]
    with torch.no_grad():
        alone = torch.cat([network(torch.tensor([word])) for word in words])
        padded = network(torch.tensor([word + [2] * (5 - len(word)) for word in words]))
        found = logits_of(model, words)
    assert torch.allclose(found, alone, atol=1e-6)
    assert torch.allclose(found, padded, atol=1e-5)
    scores = lw.evaluate(model, language="parity", lengths=[3, 5], words_per_length=4)
    assert scores.lengths == [3, 5]


def test_a_stock_gpt2_is_adapted_as_it_is() -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 64}
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=3, num_labels=2, pad_token_id=2, **sizes)
    network = transformers.GPT2ForSequenceClassification(config).eval()
    model = lw.adapt(network, padding="right", pad_token=2)
    words = ["0110", "1", "01"]
    with torch.no_grad():
        alone = [network(torch.tensor([[int(c) for c in word]])).logits for word in words]
    expected = [str(int(logits.argmax())) for logits in alone]
    assert lw.predict(model, words, language="parity") == expected


def test_other_slips_of_python() -> None:
    with pytest.raises(ConfigError, match="has no weights to train"):
        require_recogniser(lw.adapt(nn.Identity()), 2, 2)
    with pytest.raises(ConfigError, match="padding='middle' is unknown"):
        lw.adapt(Sums(), padding="middle")
    with pytest.raises(ConfigError, match=r"adapt takes a torch\.nn\.Module, but got a int"):
        lw.adapt(5)
    with pytest.raises(ConfigError, match="is not an integer"):
        lw.adapt(Sums(), pad_token=True)
    with pytest.raises(ConfigError, match="but got 5"):
        lw.train("parity", 5)  # type: ignore[arg-type]
    assert isinstance(lw.adapt(lw.adapt(Sums())), Adapted)
