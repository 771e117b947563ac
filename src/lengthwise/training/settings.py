"""The settings of training: how long, how fast, and in which precision."""

from dataclasses import dataclass
from typing import Annotated, Literal

from lengthwise.settings import Config, Setting, require
from lengthwise.training.autocast import Autocast


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingConfig(Config):
    """Settings of the training loop; data and loss have settings of their own."""

    steps: Annotated[int, Setting(unit="steps", least=1)] = 20_000
    """Greatest number of steps; training ends earlier when validation is perfect."""
    optimiser: Literal["adamw", "muon"] = "adamw"
    """`adamw`: AdamW (Loshchilov and Hutter 2019). `muon`: Muon (Jordan et al. 2024) for the
    matrices of layers, that of the answer among them, and AdamW for the rest."""
    learning_rate: Annotated[float, Setting(above=0, most=1e30)] = 5e-4
    """Learning rate: its greatest value, which `schedule` and `warmup` may reduce."""
    schedule: Literal["constant", "cosine"] = "constant"
    """`constant`: the rate stays the same. `cosine`: it falls to 0 at the last step along half a
    cosine."""
    warmup: Annotated[int, Setting(unit="steps", least=0)] = 0
    """Steps in which the rate rises linearly from 0 to `learning_rate`."""
    beta2: Annotated[float, Setting(letter="β2", least=0, below=1)] = 0.999
    """Adam's beta2: the share of the running mean of squared gradients that is kept at a step."""
    weight_decay: Annotated[float, Setting(least=0)] = 0.0
    """Each step first multiplies the matrices by 1 - rate * weight_decay. As in minGPT, embeddings,
    positions, biases and norms are left as they are."""
    clip: Annotated[float, Setting(above=0, most=1e30)] = 1.0
    """Greatest norm of the gradient; a larger gradient is scaled down to it. Muon's steps do not
    depend on the scale of all gradients, but on how they differ from batch to batch."""
    accumulate: Annotated[int, Setting(unit="batches", least=1)] = 1
    """Batches whose gradients are averaged for one step. The step is that of one batch this
    many times as large, in the memory of one."""
    validate_every: Annotated[int, Setting(unit="steps", least=1)] = 250
    """Steps from one validation, and the checkpoint that follows it, to the next."""
    patience: Annotated[int, Setting(unit="validations", least=0)] = 2
    """Training ends after this many perfect validations in a row; 0 to take all steps in any
    case."""
    seed: Annotated[int, Setting(least=0, most=2**62)] = 0
    """Seed of the weights, the words, the noise and the validation; each has a generator of its
    own."""
    precision: Literal["single", "double"] = "single"
    """Precision of the model once it is trained; training is in single precision. Proofs bound the
    effect of rounding, and for wide networks these bounds are small enough in double precision
    only."""
    binary_places: Annotated[int, Setting(least=0, most=24)] = 0
    """Before each validation weights are rounded to whole multiples of 2^-binary_places, so that
    those that are kept have few digits, as exact arithmetic needs; 0: they are not rounded."""
    threads: Annotated[int, Setting(unit="threads", least=1, most=1024)] = 1
    """Number of processor threads. It is a setting because sums depend on it through rounding. More
    than one thread helps from widths of about 256, and is slow where other processes need the
    cores."""
    deterministic: bool = False
    """True: CUDA adds up in a fixed order, so that a seed gives the same weights again, and is
    slower. A processor does so in any case."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require(
            self.warmup < self.steps,
            f"warmup={self.warmup} leaves no step of steps={self.steps}. Set "
            f"warmup={self.steps // 20}, or another number below {self.steps}.",
        )
        require(
            self.weight_decay * self.learning_rate < 1,
            f"weight_decay={self.weight_decay} times learning_rate={self.learning_rate} is not a "
            f"share of the weights. Use less than 1 / learning_rate.",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class MixedTrainingConfig(TrainingConfig):
    """Settings of the training loop for models that can be trained in mixed precision."""

    autocast: Autocast = "none"
    """Precision of matrix products; weights and their updates stay in single precision."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextTrainingConfig(MixedTrainingConfig):
    """Settings of the training loop for language models, whose batches have one shape."""

    compile: bool = False
    """True: torch.compile makes a program of the network before the first step. That takes a minute
    or two, and a C++ compiler where a processor trains."""
