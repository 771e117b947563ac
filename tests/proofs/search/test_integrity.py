"""Models that may answer otherwise than their weights say are refused, whatever they do it with.

Each is right on all short words, so that nothing but its code gives it away.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules import module as of_modules
from torch.nn.utils import parametrize

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import Layer, RegularGPT, RegularGPTConfig
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.statement import terms_of
from proofs.trained import ENDS_WITH_1, last_symbol

LONG = 300
"""Words past this are answered wrongly by what is planted."""


def flip(tokens: Tensor, logits: Tensor) -> Tensor:
    return logits.flip(-1) if tokens.shape[-1] > LONG else logits


def refusal(model: nn.Module) -> str:
    """The one line that `certify` refuses a model with."""
    with pytest.raises(VerificationError) as caught:
        lw.certify(model, language=ENDS_WITH_1)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def layer_of(model: RegularGPT) -> Layer:
    return model.block[0]


def memory_of(model: RegularGPT) -> BinaryMemory:
    assert isinstance(model.memory, BinaryMemory)
    return model.memory


@pytest.fixture
def model() -> RegularGPT:
    return last_symbol()


def test_a_plain_model_is_proved(model: RegularGPT) -> None:
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"
    model.train()  # as `load` leaves some
    model.note = "a name that nobody asks for"  # type: ignore[assignment]
    model.register_forward_hook(lambda *_: None).remove()
    model.register_full_backward_hook(lambda *_: None).remove()
    memory_of(model).norm.bias = layer_of(model).contract.bias  # tied, and the same numbers
    model.requires_grad_(False)
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"
    assert lw.certify(model.double(), language=ENDS_WITH_1).verdict == "equivalent"


def test_looking_at_a_model_draws_nothing_and_takes_no_memory() -> None:
    wide = RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2))
    object.__setattr__(wide.config, "d_model", 2**20)
    state = torch.get_rng_state()
    assert "the model.pad has the shape (64,), not (1048576,)" in refusal(wide)
    assert torch.equal(torch.get_rng_state(), state)


# ---- hooks -----------------------------------------------------------------------------------


def test_a_forward_hook_is_refused_and_was_wrong_on_long_words(model: RegularGPT) -> None:
    handle = model.register_forward_hook(lambda _, given, logits: flip(given[0], logits))
    assert lw.predict(model, ["1" * LONG], language=ENDS_WITH_1) == ["1"]
    assert lw.predict(model, ["1" * (LONG + 1)], language=ENDS_WITH_1) == ["0"]
    assert refusal(model) == (
        "the model has a forward hook, so that its answers may not follow from its settings and "
        "weights. Remove it."
    )
    with pytest.raises(VerificationError, match="the model has a forward hook"):
        lw.extract(model, language=ENDS_WITH_1)
    handle.remove()
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


def nothing(*_: object) -> None:
    return None


HOOKS: dict[str, tuple[Callable[[nn.Module], Any], str]] = {
    "forward": (lambda m: m.register_forward_hook(nothing), "a forward hook"),
    "with keywords": (
        lambda m: m.register_forward_hook(lambda *_, **__: None, with_kwargs=True),
        "a forward hook",
    ),
    "before": (lambda m: m.register_forward_pre_hook(nothing), "a forward pre-hook"),
    "backward": (lambda m: m.register_full_backward_hook(nothing), "a backward hook"),
    "backward before": (lambda m: m.register_full_backward_pre_hook(nothing), "a backward hook"),
    "state": (
        lambda m: m._state_dict_hooks.update({0: nothing}),
        "a hook on its state dictionary",
    ),
    "state before": (
        lambda m: m._state_dict_pre_hooks.update({0: nothing}),
        "a hook on its state dictionary",
    ),
}


@pytest.mark.parametrize("kind", HOOKS)
@pytest.mark.parametrize(
    "path", ["", "embedding", "layers", "layers.0", "layers.0.attention.query", "memory.norm"]
)
def test_hooks_are_refused_wherever_they_are(model: RegularGPT, path: str, kind: str) -> None:
    plant, what = HOOKS[kind]
    plant(model.get_submodule(path))
    assert refusal(model).startswith(f"the model{'.' if path else ''}{path} has {what}, ")


@pytest.mark.parametrize(
    "register",
    [
        of_modules.register_module_forward_hook,
        of_modules.register_module_forward_pre_hook,
        of_modules.register_module_full_backward_hook,
        of_modules.register_module_full_backward_pre_hook,
    ],
)
def test_global_hooks_are_refused(model: RegularGPT, register: Callable[..., Any]) -> None:
    handle = register(nothing)
    try:
        assert refusal(model).startswith("torch has a global ")
    finally:
        handle.remove()
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


# ---- what a fresh model has not --------------------------------------------------------------


class Same(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


class OtherLinear(nn.Linear):
    pass


class OtherParameter(nn.Parameter):
    pass


class OtherDict(dict[str, Any]):
    pass


class OtherFloat(float):
    def __rmul__(self, other: Any) -> Any:
        return 3.0 * other


class OtherConfig(RegularGPTConfig):
    @property
    def scale(self) -> float:
        return 3.0


def own_forward(model: RegularGPT) -> None:
    plain = model.forward
    model.forward = lambda tokens, *rest: flip(tokens, plain(tokens, *rest))  # type: ignore[method-assign]


def shadow(path: str, name: str) -> Callable[[RegularGPT], None]:
    def plant(model: RegularGPT) -> None:
        module = model.get_submodule(path)
        vars(module)[name] = getattr(module, name)

    return plant


def attribute(path: str, name: str, value: Any) -> Callable[[RegularGPT], None]:
    return lambda model: setattr(model.get_submodule(path), name, value)


def other_linear(model: RegularGPT) -> None:
    other = OtherLinear(2, 2)
    other.load_state_dict(model.answer.state_dict())
    model.answer = other


def other_parameter(model: RegularGPT) -> None:
    model.pad = OtherParameter(model.pad.detach().clone())


def parameter_with_its_own_way(model: RegularGPT) -> None:
    model.pad.detach = lambda: torch.zeros(2)  # type: ignore[method-assign]


PLANTED: dict[str, tuple[Callable[[RegularGPT], Any], str]] = {
    "forward": (own_forward, "the model has 'forward' of its own in place of its class's"),
    "read": (shadow("", "read"), "the model has 'read' of its own"),
    "eval": (shadow("", "eval"), "the model has 'eval' of its own"),
    "compile": (
        shadow("", "_compiled_call_impl"),
        "the model has '_compiled_call_impl' of its own",
    ),
    "state_dict": (shadow("", "state_dict"), "the model has 'state_dict' of its own"),
    "finish": (shadow("layers.0", "_finish"), "the model.layers.0 has '_finish' of its own"),
    "linear": (shadow("answer", "forward"), "the model.answer has 'forward' of its own"),
    "parametrised": (
        lambda model: parametrize.register_parametrization(model.answer, "weight", Same()),
        "the model.answer has a parametrised weight",
    ),
    "class": (
        other_linear,
        "proofs.search.test_integrity.OtherLinear, not a torch.nn.modules.linear.Linear",
    ),
    "norm": (attribute("", "final_norm", Same()), "the model.final_norm is a "),
    "epsilon": (attribute("memory.norm", "eps", 1e-6), "the model.memory.norm has eps=1e-06, not "),
    "heads": (attribute("layers.0.attention", "num_heads", 2), "num_heads=2, not 1"),
    "flag": (attribute("layers.0.attention", "num_heads", True), "num_heads=True, not 1"),
    "activation": (attribute("layers.0", "activation", F.gelu), "has activation=gelu, not relu"),
    "max_norm": (attribute("embedding", "max_norm", 9.0), "has max_norm=9.0, not None"),
    "padding": (attribute("embedding", "padding_idx", 0), "has padding_idx=0, not None"),
    "dropout": (attribute("layers.0", "dropout", 0.5), "has dropout=0.5, not 0.0"),
    "config": (
        lambda model: setattr(model, "config", replace(model.config, num_heads=2)),
        "num_heads=1, not 2",
    ),
    "settings": (
        lambda model: object.__setattr__(model.config, "norm", "post-embedded"),
        "the model's settings were changed: ",
    ),
    "other config": (
        lambda model: setattr(model, "config", OtherConfig(**model.config.to_dict())),
        "the model.config is a OtherConfig, not a RegularGPTConfig",
    ),
    "scale": (
        lambda model: setattr(
            model, "config", replace(model.config, embedding_scale=OtherFloat(2**0.5))
        ),
        "test_integrity.OtherFloat, so that its answers may not follow",
    ),
    "dictionary": (
        lambda model: vars(model).update(_parameters=OtherDict(model._parameters)),
        "the model keeps its parameters in a ",
    ),
    "layer": (
        lambda model: model.layers.append(Layer(model.config)),
        "the model.layers has the modules ['0', '1'], not ['0']",
    ),
    "module": (lambda model: model.add_module("more", Same()), "has the modules ["),
    "buffer": (lambda model: model.register_buffer("more", torch.ones(2)), "has the buffers ["),
    "parameter": (
        lambda model: model.answer.register_parameter("more", nn.Parameter(torch.ones(2))),
        "the model.answer has the parameters [",
    ),
    "kind of parameter": (other_parameter, "test_integrity.OtherParameter, not a plain parameter"),
    "parameter's own": (parameter_with_its_own_way, "the model.pad has 'detach' of its own"),
    "shape": (
        lambda model: setattr(model.answer, "bias", nn.Parameter(torch.zeros(1))),
        "the model.answer.bias has the shape (1,), not (2,)",
    ),
    "no bias": (
        lambda model: setattr(model.answer, "bias", None),
        "the model.answer.bias is missing, or more than there should be",
    ),
    "no module": (
        lambda model: setattr(model, "embedding", None),
        "the model.embedding is None, not ",
    ),
    "no such attribute": (lambda model: delattr(model.embedding, "sparse"), "has no 'sparse'"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_what_a_fresh_model_has_not_is_refused(model: RegularGPT, kind: str) -> None:
    plant, message = PLANTED[kind]
    plant(model)
    assert message in refusal(model)


def test_layers_in_another_order_are_refused() -> None:
    """They are named by their numbers, and run in the order in which they were put there."""
    model = RegularGPT(RegularGPTConfig(vocab_size=2, num_classes=2, num_layers=2))
    model.initialise(torch.Generator().manual_seed(0))
    layers = model.layers._modules
    layers["0"] = layers.pop("0")
    assert "the model.layers has the modules ['1', '0'], not ['0', '1']" in refusal(model)


# ---- the code of classes ---------------------------------------------------------------------


def triple(plain: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **named: 3.0 * plain(*given, **named)


@pytest.mark.parametrize(
    ("holder", "name"),
    [(F, "linear"), (F, "layer_norm"), (nn.Linear, "forward"), (nn.LayerNorm, "forward")],
)
def test_replaced_code_that_moves_numbers_is_measured(
    model: RegularGPT, monkeypatch: pytest.MonkeyPatch, holder: Any, name: str
) -> None:
    """Code is not looked at, but the model is run beside the node function of its weights."""
    monkeypatch.setattr(holder, name, triple(getattr(holder, name)))
    assert "the model as it runs is " in refusal(model)
    monkeypatch.undo()
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


def test_replaced_code_that_answers_otherwise_is_found_on_short_words(
    model: RegularGPT, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = RegularGPT.read
    monkeypatch.setattr(RegularGPT, "read", lambda *given: plain(*given).flip(-1))
    assert "the model does not answer as the node function of its weights does" in refusal(model)


def test_code_that_waits_for_long_words_is_outside_the_terms(
    model: RegularGPT, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The file is true of its weights all the same, and says for which code."""
    plain = RegularGPT.forward

    def late(own: RegularGPT, tokens: Tensor, *rest: Any) -> Tensor:
        return flip(tokens, plain(own, tokens, *rest))

    with monkeypatch.context() as patch:
        patch.setattr(RegularGPT, "forward", late)
        made = lw.certify(model, language=ENDS_WITH_1)
        assert lw.predict(model, ["1" * (LONG + 1)], language=ENDS_WITH_1) == ["0"]
    assert any("with nothing of its code replaced" in term for term in terms_of(made))
    made.save(tmp_path / "certificate.json")
    assert check(Certificate.load(tmp_path / "certificate.json")).verdict == "equivalent"
    assert lw.predict(model, ["1" * (LONG + 1)], language=ENDS_WITH_1) == ["1"]


# ---- arithmetic ------------------------------------------------------------------------------


@pytest.fixture
def _plain_products() -> Iterator[None]:
    """Settings of products as they were, whatever a test does to them."""
    backends: Any = torch.backends
    yield
    torch.set_float32_matmul_precision("highest")
    if hasattr(backends, "fp32_precision"):
        for holder in (backends, backends.mkldnn.matmul, backends.cuda.matmul):
            holder.fp32_precision = "none"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_is_refused(model: RegularGPT, dtype: torch.dtype) -> None:
    with torch.autocast("cpu", dtype=dtype):
        assert "autocast is on for cpu, so that products are computed in fewer" in refusal(model)
    with torch.autocast("cpu", enabled=False):
        assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


@pytest.mark.usefixtures("_plain_products")
@pytest.mark.parametrize("value", ["high", "medium"])
def test_products_in_fewer_bits_are_refused_of_float32(model: RegularGPT, value: str) -> None:
    torch.set_float32_matmul_precision(value)
    assert "so that products of float32 may be computed in fewer bits" in refusal(model)
    assert lw.certify(model.double(), language=ENDS_WITH_1).verdict == "equivalent"
    torch.set_float32_matmul_precision("highest")
    assert lw.certify(model.float(), language=ENDS_WITH_1).verdict == "equivalent"


@pytest.mark.skipif(
    not hasattr(torch.backends, "fp32_precision"), reason="this torch has no such setting"
)
@pytest.mark.usefixtures("_plain_products")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", "tf32"),
        ("mkldnn.matmul", "bf16"),
        ("mkldnn.matmul", "tf32"),
        ("cuda.matmul", "tf32"),
    ],
)
def test_the_newer_settings_of_products_are_looked_at(
    model: RegularGPT, path: str, value: str
) -> None:
    """After them the older ones cannot be read."""
    holder: Any = torch.backends
    for name in path.split(".") if path else []:
        holder = getattr(holder, name)
    holder.fp32_precision = value
    message = refusal(model)
    assert "matmul.fp32_precision is " in message
    assert f"{value!r}, so that products of float32 may be" in message
    holder.fp32_precision = "ieee"
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


@pytest.mark.parametrize("name", ["ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"])
def test_fewer_bits_by_the_environment_are_refused(
    model: RegularGPT, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "BF16")
    assert f"the environment's {name} is 'BF16'" in refusal(model)
    monkeypatch.setenv(name, "strict")
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"


def test_a_torch_without_the_newer_settings_is_asked_the_older_ones(
    model: RegularGPT, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Older:
        allow_tf32 = True

    monkeypatch.setattr(torch.backends.cuda, "matmul", Older())
    monkeypatch.setattr(torch.backends, "mkldnn", object())
    assert "torch.backends.cuda.matmul.allow_tf32 is True" in refusal(model)
    Older.allow_tf32 = False
    assert lw.certify(model, language=ENDS_WITH_1).verdict == "equivalent"
