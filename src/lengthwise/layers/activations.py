"""The nonlinearities of feed-forward networks by name."""

from collections.abc import Callable

from torch import Tensor
from torch.nn import functional as F

from lengthwise.registry import Catalogue

Activation = Callable[[Tensor], Tensor]

ACTIVATIONS: Catalogue[Activation] = Catalogue("activation", {"relu": F.relu, "gelu": F.gelu})
