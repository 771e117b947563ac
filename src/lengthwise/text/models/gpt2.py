"""The backbone of a GPT-2 of transformers, with an input and an output layer of its own.

The frozen pretrained transformer of Lu et al. (2021), as "Guiding transformers to process in steps"
(2022, section 6) uses it: everything is frozen except the input layer, the output layer and the
scales and shifts of the layer norms, which are

    V d + (d V + V) + 2 d (2 L + 1)

numbers for a vocabulary of V, width d and L layers. Lu et al. train the embeddings of positions,
too, which are P d more for P positions; so can this (`trained="positions"`). Controls: the same
backbone with random weights, and with all of it trained. Dropout is off.

Axes:
    word      words of a batch, all of one length
    position  positions of a word, from the left
    asked     those of them whose answers are asked for
    symbol    the vocabulary
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError, WordError, suggestion
from lengthwise.files import read_object, require_kinds
from lengthwise.layers.right_aligned import FullWords
from lengthwise.models.common_settings import Epsilon, NumHeads, NumLayers, VocabSize, Width
from lengthwise.models.completion import require_completion
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting, require
from lengthwise.text.models.backbones import BACKBONES, location

if TYPE_CHECKING:
    from transformers import GPT2Config

_WORDS_AT_ONCE = 500

_FUSED = "gelu_pytorch_tanh"
"""Name in transformers of `gelu_new` in one kernel."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BackboneConfig(NetworkConfig):
    """A backbone, and what of it is trained. All but the first three follow from the backbone."""

    body: Annotated[
        str,
        Setting(
            meaning="Pretrained backbone: a name in `BACKBONES`, a folder of `save_pretrained`, "
            "or a name on the Hugging Face hub."
        ),
    ]
    weights: Annotated[
        Literal["pretrained", "random"], Setting(meaning="Weights that the body begins with.")
    ] = "pretrained"
    trained: Annotated[
        Literal["norms", "positions", "all"],
        Setting(
            meaning="What is trained besides the input and the output layer; with `positions`, the "
            "norms, too."
        ),
    ] = "norms"
    vocab_size: VocabSize
    max_length: Annotated[int, Setting(meaning="Most positions that are read.", least=1)]
    d_model: Width
    num_layers: NumLayers
    num_heads: NumHeads
    d_hidden: Annotated[int, Setting(meaning="Hidden units of the feed-forward networks.", least=1)]
    places: Annotated[int, Setting(meaning="Positions that the body has vectors for.", least=1)]
    activation: Annotated[str, Setting(meaning="Nonlinearity, as transformers calls it.")]
    epsilon: Epsilon

    def __post_init__(self) -> None:
        NetworkConfig.__post_init__(self)
        require(
            self.d_model % self.num_heads == 0,
            f"the body {self.body} has a width of {self.d_model}, which cannot be split over its "
            f"{self.num_heads} heads. Use another.",
        )
        require(
            self.max_length <= self.places,
            f"the body {self.body} has {self.places} places, but the task needs {self.max_length}. "
            f"Use a body with more, or a smaller task.",
        )

    def weights_origin(self) -> str | None:
        """Return the digest of the file of weights, or where they come from; see `origin`."""
        return origin(self)

    @property
    def backbone_summary(self) -> str | None:
        """A description of the backbone, and of what is trained."""
        trained = {"norms": "frozen", "positions": "positions trained", "all": "all trained"}
        return f"{self.body}, {self.weights} weights, {trained[self.trained]}"


_TRAINED = {"norms": (".ln_",), "positions": (".ln_", ".wpe."), "all": ("",)}
"""Parts of the names of the parameters that are trained, by the value of `trained`."""

FROM_BACKBONE = frozenset(
    ("d_model", "num_layers", "num_heads", "d_hidden", "places", "activation", "epsilon")
)
"""Settings that the backbone decides."""


def shape_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the shape of a backbone, from the settings that name it.

    Raises:
        ConfigError: transformers is not installed, no backbone is named, none has that
            name, or it is of another architecture.
    """
    body = settings.get("body")
    if not isinstance(body, str) or not body:
        raise ConfigError(
            "this model needs a body: a folder, or a name on the hub. Make one with `lengthwise "
            "pretrain python-small`, and give --set body=python-small."
        )
    if body in BACKBONES:
        require_extra("transformers")
        return BACKBONES[body].shape()
    config = _config_of(body)
    activation = config.activation_function
    return {
        "d_model": config.n_embd,
        "num_layers": config.n_layer,
        "num_heads": config.n_head,
        "d_hidden": config.n_inner or 4 * config.n_embd,
        "places": config.n_positions,
        "activation": "gelu_new" if activation == _FUSED else activation,
        "epsilon": config.layer_norm_epsilon,
    }


def _config_of(body: str) -> "GPT2Config":
    require_extra("transformers")
    from transformers import AutoConfig, GPT2Config  # noqa: PLC0415

    _require_folder(body)
    config = _load_silently(body, AutoConfig.from_pretrained, trust_remote_code=False)
    if not isinstance(config, GPT2Config):
        raise ConfigError(
            f"body={body!r} is a {config.model_type}, but only gpt2 can be a body here. Use "
            f"another."
        )
    usual = gpt2_config()
    for name in _FORM:
        if getattr(config, name) != getattr(usual, name):
            raise ConfigError(
                f"body={body!r} has {name}={getattr(config, name)}, unlike a plain GPT-2. Use a "
                f"body with {getattr(usual, name)}."
            )
    return config


_FORM = ("scale_attn_weights", "scale_attn_by_inverse_layer_idx", "add_cross_attention")
"""Settings of transformers that change what a backbone computes, besides its shape."""


def _load_silently(body: str, load: Callable[..., Any], **options: Any) -> Any:
    """Load a backbone by a function of transformers, silently."""
    try:
        with _silence():
            return load(location(body), **options)
    except Exception as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ConfigError(
            f"body={body!r} cannot be loaded ({why}). Give a folder that `lengthwise pretrain` "
            f"made, or a name that can be reached."
        ) from None


@contextmanager
def _silence() -> Iterator[None]:
    """Keep transformers from reporting what it loads; our error says what is wrong.

    Its progress bars are off since `require_extra`.
    """
    from transformers.utils.logging import get_verbosity, set_verbosity  # noqa: PLC0415

    hub = logging.getLogger("huggingface_hub")  # it reports each try to reach it
    before, level = get_verbosity(), hub.level
    set_verbosity(logging.CRITICAL)
    hub.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        set_verbosity(before)
        hub.setLevel(level)


def _require_folder(body: str) -> None:
    """Refuse what is neither a folder that holds a model nor a name on the hub, without asking it.

    Names there have an owner, as in `owner/name`, except those of the first models, such as `gpt2`.
    """
    if body.startswith((".", "/")) and not Path(body).is_dir():
        raise ConfigError(
            f"body={body!r} is not a folder. Give one that `lengthwise pretrain` made, or a name "
            f"on the hub."
        )
    if "/" not in body and "gpt" not in body.lower() and not Path(body).is_dir():
        raise ConfigError(
            f"body={body!r} is not a body, a folder or a name on the hub (owner/name). "
            f"{suggestion(body, BACKBONES)}"
        )
    if Path(body).is_dir() and not (Path(body) / "config.json").exists():
        raise ConfigError(f"body={body!r} holds no config.json, so it is not a model. Use another.")


class Backbone(nn.Module):
    """Words to the logits of the next symbol at every position."""

    def __init__(self, config: BackboneConfig) -> None:
        super().__init__()
        require_extra("transformers")
        from transformers import GPT2Model  # noqa: PLC0415
        from transformers.activations import ACT2FN  # noqa: PLC0415

        require(
            config.activation in ACT2FN,
            f"the body {config.body} has the activation {config.activation!r}, which transformers "
            f"does not know. Use another.",
        )
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        shape = gpt2_config(
            vocab_size=1,  # its own embedding is not used
            n_positions=config.places,
            n_embd=config.d_model,
            n_layer=config.num_layers,
            n_head=config.num_heads,
            n_inner=config.d_hidden,
            activation=config.activation,
            layer_norm_epsilon=config.epsilon,
        )
        self.body = GPT2Model(shape)
        del self.body.wte
        self.answer = nn.Linear(config.d_model, config.vocab_size)
        for name, parameter in self.body.named_parameters():
            parameter.requires_grad_(any(part in f".{name}" for part in _TRAINED[config.trained]))

    def initialise(self, generator: Generator) -> None:
        """Load or draw the backbone, and draw the input and the output layer from N(0, 0.02^2)."""
        config = self.config
        with torch.no_grad():
            for layer in (self.embedding, self.answer):
                layer.weight.normal_(0.0, 0.02, generator=generator)
            self.answer.bias.zero_()
        if config.weights == "pretrained":
            self._load(_weights_of(config.body))
            return
        draw_gpt2(self.body, config.num_layers, generator)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Come back from a pickle, in a process to which our attention may be unknown."""
        _register_attention()
        super().__setstate__(state)  # type: ignore[no-untyped-call]

    def _load(self, weights: Mapping[str, Tensor]) -> None:
        try:
            self.body.load_state_dict(weights)
        except RuntimeError:
            raise ConfigError(
                f"body={self.config.body!r} does not have the shape in its settings. Make it "
                f"again, or use another."
            ) from None

    def forward(
        self, tokens: FullWords, *, first: int = 0, generator: Generator | None = None
    ) -> Float[Tensor, "word asked symbol"]:
        """Return the logits of the symbol at position i + 1, for every position i from `first` on.

        Nothing is drawn.

        Raises:
            WordError: the words are longer than the backbone has positions.
        """
        self._require_length(tokens.shape[1])
        output = self.body(inputs_embeds=self.embedding(tokens), use_cache=False)
        return self.answer(output.last_hidden_state[:, first:])

    @torch.no_grad()
    def complete(self, prefix: FullWords, steps: int) -> Int[Tensor, "word longer"]:
        """Return the words with `steps` more symbols, each the likeliest (the first of a tie).

        Raises:
            WordError: the prefix is empty, or the words would be longer than the backbone has
            positions.
        """
        require_completion(prefix, steps)
        self._require_length(prefix.shape[1] + steps - 1)
        parts = [self._complete(part, steps) for part in torch.split(prefix, _WORDS_AT_ONCE)]
        return torch.cat(parts)

    def _complete(self, words: Tensor, steps: int) -> Tensor:
        cache, new = None, words
        for _ in range(steps):
            output = self.body(
                inputs_embeds=self.embedding(new), past_key_values=cache, use_cache=True
            )
            cache = output.past_key_values
            new = self.answer(output.last_hidden_state[:, -1]).argmax(dim=-1, keepdim=True)
            words = torch.cat([words, new], dim=1)
        return words

    def _require_length(self, length: int) -> None:
        if length > self.config.places:
            raise WordError(
                f"this body reads at most {self.config.places} symbols, but the words have "
                f"{length} to read. Give shorter words."
            )


def _register_attention() -> str:
    """Return the name of our attention, which transformers knows from then on in this process."""
    from lengthwise.text.layers import fused_attention_hf  # noqa: PLC0415  # it needs transformers

    fused_attention_hf.register_fused_attention()
    return fused_attention_hf.NAME


def gpt2_config(*, activation: str = "gelu_new", **shape: Any) -> "GPT2Config":
    """Return the settings of a GPT-2 of transformers, without dropout and special tokens.

    `gelu_pytorch_tanh` is the same function as `gelu_new`, in one kernel instead of eight: results
    differ in the last digits.
    """
    from transformers import GPT2Config  # noqa: PLC0415

    shape["attn_implementation"] = _register_attention()
    return GPT2Config(
        activation_function=_FUSED if activation == "gelu_new" else activation,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
        **shape,
    )


def _weights_of(body: str) -> dict[str, Tensor]:
    """Return the weights of a backbone, without its own embedding."""
    from transformers import GPT2Model  # noqa: PLC0415

    if location(body) != body and not Path(location(body), "config.json").exists():
        raise ConfigError(
            f"the body {body} has not been made yet. Make it: lengthwise pretrain {body}."
        )
    model, report = _load_silently(
        body, GPT2Model.from_pretrained, output_loading_info=True, use_safetensors=True
    )
    if lacks := [*report["missing_keys"], *report["mismatched_keys"]]:
        raise ConfigError(
            f"body={body!r} lacks weights, such as {lacks[0]!r}. Make it again, or use another."
        )
    return {name: w.float() for name, w in model.state_dict().items() if name[:4] != "wte."}


def origin(config: BackboneConfig) -> str:
    """Return which weights a run begins with: the digest of their file, if they are in one.

    Of a backbone that `pretrain` made, what it was trained on, too.
    """
    from transformers.utils.hub import cached_file  # noqa: PLC0415

    if config.weights == "random":
        return "random"
    try:
        file_name = cached_file(location(config.body), "model.safetensors")
    except OSError:
        file_name = None
    if file_name is None:
        return f"{config.body}, in several files"
    with Path(file_name).open("rb") as file:
        found_weights = f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"
    record = Path(file_name).parent / "training" / "config.json"
    stored = read_object(record) if record.exists() else {}
    if text := stored.get("text"):
        kinds = {"source": "a string", "characters": "an integer", "tokens": "an integer"}
        require_kinds(text, kinds, where=f"{record}, text", remedy="Pretrain again.")
        found_weights += (
            f", pretrained on {text['source']} ({text['characters']:,} characters, "
            f"{text['tokens']:,} tokens)"
        )
        loop = stored.get("loop")
        if isinstance(loop, dict) and loop.get("autocast") == "bfloat16":
            found_weights += " in bfloat16"
    return found_weights


@torch.no_grad()
def draw_gpt2(model: nn.Module, num_layers: int, generator: Generator) -> None:
    """Draw weights as GPT-2's are (Radford et al. 2019).

    Matrices and embeddings N(0, 0.02^2), divided by sqrt(2 L) where a branch ends, biases 0, and
    norms that change nothing.
    """
    for name, parameter in model.named_parameters():
        if ".ln_" in f".{name}":
            parameter.fill_(float(name.endswith("weight")))
        elif parameter.ndim < 2:
            parameter.zero_()
        else:
            ends = name.endswith("c_proj.weight")
            parameter.normal_(0.0, 0.02, generator=generator)
            parameter.div_((2 * num_layers) ** 0.5 if ends else 1.0)
