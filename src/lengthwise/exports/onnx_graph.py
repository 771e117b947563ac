"""Graphs of ONNX, node by node, from plain operators of opset 17."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError

require_extra("onnx", "onnx")

import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

OPSET = 17
"""The first with layer norms."""

_IR_VERSION = 8
"""The version of files that came with the opset."""

WORDS, LOGITS = "words", "logits"


class Graph:
    """Nodes that are added one after the other; values are named by strings.

    Args:
        dtype: the type of the network's numbers.
    """

    def __init__(self, dtype: Any, outer: "Graph | None" = None) -> None:
        self.dtype = np.dtype(dtype)
        self.nodes: list[Any] = []
        self._outer = outer
        self.tensors: list[Any] = [] if outer is None else outer.tensors
        self._names: list[int] = [0] if outer is None else outer._names

    @property
    def float_type(self) -> int:
        """ONNX's number of the type."""
        return int(helper.np_dtype_to_tensor_dtype(self.dtype))

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node, and return the name of its output, or a list of several."""
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(self.node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    @staticmethod
    def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
        """Return a node with outputs of given names."""
        return helper.make_node(kind, list(inputs), list(outputs), **attributes)

    def name(self) -> str:
        """Return a name that is not used."""
        self._names[0] += 1
        return f"v{self._names[0]}"

    def integers(self, *values: int) -> str:
        """Return a vector of integers."""
        return self._constant(np.array(values, dtype=np.int64))

    def scalar(self, value: Any) -> str:
        """Return a single integer, truth value or, of a float, number of the network's type."""
        if isinstance(value, float):
            return self._constant(np.array(value, dtype=self.dtype))
        return self._constant(np.array(value, dtype=np.bool_ if value is True else np.int64))

    def truths(self, values: Any) -> str:
        """Return a tensor of truth values."""
        return self._constant(np.array(values, dtype=np.bool_))

    def numbers(self, values: Any) -> str:
        """Return a tensor of the network's type."""
        if isinstance(values, Tensor):
            values = values.detach().cpu().numpy()
        return self._constant(np.ascontiguousarray(values, dtype=self.dtype))

    def _constant(self, values: Any) -> str:
        name = self.name()
        self.tensors.append(numpy_helper.from_array(values, name))
        return name

    # ---- parts of networks -------------------------------------------------------------------

    def linear(self, x: str, linear: nn.Linear) -> str:
        """Return a linear map of the last axis."""
        product = self.op("MatMul", x, self.numbers(linear.weight.T))
        if linear.bias is None:
            return product
        return self.op("Add", product, self.numbers(linear.bias))

    def layer_norm(self, x: str, norm: nn.Module) -> str:
        """Return the layer norm of the last axis, or the input where there is none.

        Raises:
            ConfigError: its epsilon is 0.
        """
        if not isinstance(norm, nn.LayerNorm):
            return x
        if norm.eps == 0:
            raise ConfigError(
                "layer norms without an epsilon have no operator in ONNX. Export another model."
            )
        scale, shift = self.numbers(norm.weight), self.numbers(norm.bias)
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=float(norm.eps))

    def size(self, x: str, axis: int) -> str:
        """Return the size of an axis, as a vector of one integer."""
        return self.op("Gather", self.op("Shape", x), self.integers(axis), axis=0)

    def loop(
        self, body: "Graph", trips: str, carried: Sequence[tuple[str, str, str, int]]
    ) -> list[str]:
        """Add a loop whose body was added to `body`, and return the carried values after it.

        `trips` is the number of rounds, or empty if the body's condition decides. `carried` has for
        each value its name before the loop, in the body, and after the body, and
        its number of axes. The body's counter is `i`, its condition `go`, and `next` the next one.
        """
        inputs = [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            *(_value(inside, self.float_type, axes) for _, inside, _, axes in carried),
        ]
        outputs = [
            helper.make_tensor_value_info("next", TensorProto.BOOL, []),
            *(_value(after, self.float_type, axes) for *_, after, axes in carried),
        ]
        graph = helper.make_graph(body.nodes, "body", inputs, outputs)
        names = [self.name() for _ in carried]
        before = [before for before, *_ in carried]
        self.nodes.append(
            helper.make_node("Loop", [trips, self.scalar(True), *before], names, body=graph)
        )
        return names

    def model(self, notes: Sequence[str], properties: dict[str, str]) -> bytes:
        """Return the file of the graph, from words of one length to the logits of their classes."""
        words = helper.make_tensor_value_info(WORDS, TensorProto.INT64, ["word", "position"])
        logits = helper.make_tensor_value_info(LOGITS, self.float_type, ["word", "class"])
        text = "\n".join(notes)
        graph = helper.make_graph(
            self.nodes, "network", [words], [logits], initializer=self.tensors, doc_string=text
        )
        model = helper.make_model(
            graph,
            producer_name="lengthwise",
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=_IR_VERSION,
            doc_string=text,
        )
        helper.set_model_props(model, properties)
        onnx.checker.check_model(model, full_check=True)
        content: bytes = model.SerializeToString(deterministic=True)
        return content


def _value(name: str, kind: int, axes: int) -> Any:
    return helper.make_tensor_value_info(name, kind, [None] * axes)
