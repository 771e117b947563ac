"""RegularGPT as a model of transformers, for its loaders, trainers and `generate`.

`RegularGPTForCausalLM` has a `RegularGPTLM` inside, its `network`, with the same logits. After
`register_regular_gpt()`, AutoConfig and AutoModelForCausalLM know the type "regular-gpt".

All texts of a batch are of one length: a mask that hides a position is refused, because the number
of levels depends on the length of a text. With `levels=0` the logits at a position depend on the
length too (never on later tokens), so those of a text that is read token by token are those of each
prefix at its end.

Axes:
    word      texts of a batch
    position  positions of a text, from the left
    width     numbers in a vector
"""

import copy
from dataclasses import fields, replace
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError, WordError
from lengthwise.models.meta_networks import undrawn
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig
from lengthwise.text.models.text_cache_hf import TextCache

try:
    from transformers import (
        AutoConfig,
        AutoModelForCausalLM,
        Cache,
        GenerationConfig,
        GenerationMixin,
        PreTrainedConfig,
        PreTrainedModel,
        initialization,
    )
    from transformers.modeling_outputs import CausalLMOutputWithPast
except ImportError:
    require_extra("transformers")  # says what to install
    raise

_SHAPE = tuple(field.name for field in fields(RegularGPTLMConfig))
_OF_THE_LOSS = ("num_items_in_batch", "shift_labels", "ignore_index")
_KNOWN_ANYWAY = ("cache_position",)


def register_regular_gpt() -> None:
    """Make "regular-gpt" known to the Auto classes of transformers. Twice does no harm."""
    AutoConfig.register(RegularGPTHfConfig.model_type, RegularGPTHfConfig, exist_ok=True)
    AutoModelForCausalLM.register(RegularGPTHfConfig, RegularGPTForCausalLM, exist_ok=True)


class RegularGPTHfConfig(PreTrainedConfig):
    """The settings of `RegularGPTLMConfig`, and those that any model of transformers has.

    Raises:
        ConfigError: `RegularGPTLMConfig` refuses them.
    """

    model_type = "regular-gpt"
    keys_to_ignore_at_inference: ClassVar[list[str]] = ["past_key_values"]
    attribute_map: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "num_heads",
        "num_hidden_layers": "num_layers",
    }
    has_no_defaults_at_init = True

    def __init__(self, *, use_cache: bool = True, **settings: Any) -> None:
        renamed = {self.attribute_map.get(name, name): settings[name] for name in settings}
        shape = {name: renamed.pop(name) for name in _SHAPE if name in renamed}
        for name, value in RegularGPTLMConfig.from_dict(shape).to_dict().items():
            setattr(self, name, value)
        self.use_cache = use_cache
        super().__init__(**renamed)

    def shape(self) -> RegularGPTLMConfig:
        """Return the settings of the network."""
        return RegularGPTLMConfig.from_dict({name: getattr(self, name) for name in _SHAPE})


class RegularGPTForCausalLM(PreTrainedModel, GenerationMixin):
    """A `RegularGPTLM` with the face of a causal language model of transformers.

    Embeddings and read-out are one weight, which is stored once.
    """

    config: RegularGPTHfConfig
    config_class = RegularGPTHfConfig
    base_model_prefix = "network"
    _no_split_modules = ["Layer"]  # noqa: RUF012 - the base has it as an instance variable

    def __init__(self, config: RegularGPTHfConfig) -> None:
        super().__init__(config)
        self.network = RegularGPTLM(config.shape())
        self.post_init()  # type: ignore[no-untyped-call]

    @classmethod
    def of(cls, model: RegularGPTLM) -> "RegularGPTForCausalLM":
        """Return a copy of a model, with the same logits."""
        with undrawn():
            wrapper = cls(RegularGPTHfConfig(**model.config.to_dict()))
        wrapper.network = copy.deepcopy(model)
        return wrapper.train(model.training)

    def forward(
        self,
        input_ids: Int[Tensor, "word position"],
        attention_mask: Tensor | None = None,
        past_key_values: Cache | None = None,
        labels: Int[Tensor, "word position"] | None = None,
        *,
        use_cache: bool | None = None,
        logits_to_keep: int | Tensor = 0,
        return_dict: bool | None = None,
        **others: Any,
    ) -> CausalLMOutputWithPast | tuple[Any, ...]:
        """Return the logits of the next token at every position, and the loss if labelled.

        With a cache, `input_ids` continues the text of the cache, and logits are those that the
        whole text would have. One token, or one position of logits to keep, is read with queues;
        else, and with gradients, the whole text is computed again.

        Raises:
            WordError: the mask hides something.
            ConfigError: the cache is of another kind, or an input is not read here.
        """
        _require_no_padding(attention_mask)
        of_the_loss = {name: others.pop(name) for name in _OF_THE_LOSS if name in others}
        _require_none(others)
        text, cache = input_ids, self._cache(past_key_values, use_cache)
        if cache is not None:
            text = cache.extend(input_ids)
        x = self._vectors(text, cache, input_ids.shape[1], logits_to_keep)
        logits = self.network.read(x)
        loss = None
        if labels is not None:
            size = self.config.vocab_size
            loss = self.loss_function(logits=logits, labels=labels, vocab_size=size, **of_the_loss)
        output = CausalLMOutputWithPast(loss=loss, logits=logits, past_key_values=cache)
        as_dict = self.config.return_dict if return_dict is None else return_dict
        return output if as_dict else output.to_tuple()

    def _vectors(
        self, text: Tensor, cache: TextCache | None, new: int, keep: int | Tensor
    ) -> Float[Tensor, "word position width"]:
        """Return the vectors that are read out: those of the last `new` positions that are kept."""
        if isinstance(keep, int) and 1 in (new, keep):
            if cache is None or torch.is_grad_enabled():
                return self.network.last_vector(text)[:, None]
            return cache.last_vector(self.network)[:, None]
        x = self.network.vectors(text)[:, -new:]
        return x[:, -keep:] if isinstance(keep, int) else x[:, keep]

    def _cache(self, cache: Cache | None, use_cache: bool | None) -> TextCache | None:
        """Return the cache to use, if any."""
        if cache is None:
            is_used = self.config.use_cache if use_cache is None else use_cache
            return TextCache() if is_used else None
        if not isinstance(cache, TextCache):
            raise ConfigError(
                f"a RegularGPT keeps a TextCache, but got a {type(cache).__name__}. Leave "
                f"past_key_values and cache_implementation out."
            )
        return cache

    def _prepare_cache_for_generation(
        self,
        generation_config: GenerationConfig,
        model_kwargs: dict[str, Any],
        *others: Any,
        **more: Any,
    ) -> Any:
        """Called by `generate`, whose own cache is of keys and values."""
        if (
            model_kwargs.get("past_key_values") is None
            and generation_config.use_cache is not False
            and generation_config.cache_implementation is None
        ):
            model_kwargs["past_key_values"] = TextCache()
            return None
        parent: Any = super()
        return parent._prepare_cache_for_generation(
            generation_config, model_kwargs, *others, **more
        )

    @torch.no_grad()
    def initialize_weights(self) -> None:
        """Draw what was not loaded, as `LanguageModel.initialise` does, after torch's own seed."""
        if all(getattr(weight, "_is_hf_initialized", False) for weight in self.parameters()):
            return
        with torch.device("cpu"):
            fresh_model = RegularGPTLM(self.network.config)
            seed = int(torch.randint(2**62, ()))
        fresh_model.initialise(torch.Generator().manual_seed(seed))
        for parameter, new in zip(self.network.parameters(), fresh_model.parameters(), strict=True):
            initialization.copy_(parameter, new)  # not where something was loaded

    def get_input_embeddings(self) -> nn.Module:
        """Return the embeddings, which are the read-out too."""
        return self.network.embedding

    def set_input_embeddings(self, value: nn.Module) -> None:
        """Replace the embeddings, and with them the read-out."""
        assert isinstance(value, nn.Embedding)
        self.network.embedding = value
        self.network.config = replace(self.network.config, vocab_size=value.num_embeddings)


def _require_no_padding(mask: Tensor | None) -> None:
    if mask is None:
        return
    if mask.ndim != 2:
        raise WordError(
            f"a RegularGPT decides by itself which positions a query sees, but got a mask of shape "
            f"{tuple(mask.shape)}. Leave attention_mask out."
        )
    if not bool(mask.all()):
        raise WordError(
            f"the texts of a batch must be of one length, but attention_mask hides "
            f"{int((mask == 0).sum())} places. Give texts of one length, or one at a time."
        )


def _require_none(arguments: dict[str, Any]) -> None:
    for name, value in arguments.items():
        if value is not None and value is not False and name not in _KNOWN_ANYWAY:
            raise ConfigError(f"a RegularGPT does not read {name}. Leave it out.")
