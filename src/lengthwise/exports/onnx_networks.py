"""The networks that ONNX holds: recurrences loop over symbols, trees over levels.

A word of a batch is a row of symbols' numbers, and all words of a batch have one length.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import ConfigError
from lengthwise.exports.onnx_graph import WORDS, Graph
from lengthwise.layers.cells import ElmanCell, GatedCell, RectifiedCell
from lengthwise.layers.memory import BinaryMemory
from lengthwise.layers.norms import PostNorm, PreNorm
from lengthwise.layers.sliding_dilated import InsideChunks, RectifiedChunkAttention
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.regular_gpt import Layer, RegularGPT


def add_network(graph: Graph, model: nn.Module) -> str:
    """Add a network, and return its logits.

    Raises:
        ConfigError: it is another kind of network, or has a norm that ONNX has not.
    """
    if type(model) in (RegularGPT, RationalGPT):
        return _add_tree(graph, model)  # type: ignore[arg-type]
    if type(model) is Recurrent:
        return _add_recurrent(graph, model)
    if type(model) is BinaryRecurrent:
        return _add_binary_recurrent(graph, model)
    raise ConfigError(
        f"an ONNX file holds a recurrent network or a RegularGPT, but this is a "
        f"{type(model).__name__}. Export its automaton, as .c or .json."
    )


# ---- recurrences ---------------------------------------------------------------------------------


def _add_recurrent(graph: Graph, model: Recurrent) -> str:
    config = model.config
    count = config.num_layers * (2 if config.cell == "lstm" else 1)
    zeros = graph.numbers(torch.zeros(1, config.d_model))
    start = [_for_each_word(graph, zeros, config.d_model)] * count

    def step(body: Graph, states: list[str], symbols: str) -> list[str]:
        after: list[str] = []
        x = None
        for layer in range(config.num_layers):
            w, r, wb, rb = (
                getattr(model.cell, f"{name}_l{layer}")
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            if x is None:
                read = body.op("Gather", body.numbers(w.T + wb), symbols, axis=0)
            else:
                read = _affine(body, x, w, wb)
            own = [states[layer]] if config.cell != "lstm" else states[2 * layer : 2 * layer + 2]
            after += _TORCH_CELLS[config.cell](body, read, _affine(body, own[0], r, rb), own)
            x = after[-len(own)]
        return after

    last = _over_symbols(graph, start, step)
    return graph.linear(last[-2 if config.cell == "lstm" else -1], model.answer)


def _add_binary_recurrent(graph: Graph, model: BinaryRecurrent) -> str:
    first = _memory(graph, graph.numbers(model.start[None]), model.memory)
    start = [_for_each_word(graph, first, model.config.d_model)]
    cell = model.cell
    kinds: dict[type[nn.Module], str] = {
        ElmanCell: "elman",
        RectifiedCell: "elman-relu",
        GatedCell: "gru",
    }

    def step(body: Graph, states: list[str], symbols: str) -> list[str]:
        read = body.op("Gather", body.numbers(cell.symbols.weight), symbols, axis=0)
        kept = body.linear(states[0], cell.recurrent)
        (vectors,) = _TORCH_CELLS[kinds[type(cell)]](body, read, kept, states)
        return [_memory(body, vectors, model.memory)]

    return graph.linear(_over_symbols(graph, start, step)[0], model.answer)


def _elman(body: Graph, read: str, kept: str, states: list[str]) -> list[str]:
    del states
    return [body.op("Tanh", body.op("Add", read, kept))]


def _elman_relu(body: Graph, read: str, kept: str, states: list[str]) -> list[str]:
    del states
    return [body.op("Relu", body.op("Add", read, kept))]


def _gru(body: Graph, read: str, kept: str, states: list[str]) -> list[str]:
    reset_x, keep_x, new_x = body.op("Split", read, outputs=3, axis=-1)
    reset_h, keep_h, new_h = body.op("Split", kept, outputs=3, axis=-1)
    reset = body.op("Sigmoid", body.op("Add", reset_x, reset_h))
    keep = body.op("Sigmoid", body.op("Add", keep_x, keep_h))
    new = body.op("Tanh", body.op("Add", new_x, body.op("Mul", reset, new_h)))
    return [body.op("Add", new, body.op("Mul", keep, body.op("Sub", states[0], new)))]


def _lstm(body: Graph, read: str, kept: str, states: list[str]) -> list[str]:
    i, f, g, o = body.op("Split", body.op("Add", read, kept), outputs=4, axis=-1)
    i, f, o = (body.op("Sigmoid", gate) for gate in (i, f, o))
    new = body.op("Mul", i, body.op("Tanh", g))
    cell = body.op("Add", body.op("Mul", f, states[1]), new)
    return [body.op("Mul", o, body.op("Tanh", cell)), cell]


_TORCH_CELLS: dict[str, Callable[[Graph, str, str, list[str]], list[str]]] = {
    "elman": _elman,
    "elman-relu": _elman_relu,
    "gru": _gru,
    "lstm": _lstm,
}
"""From what is read of the symbol, and kept of the state, to the states after it."""


def _over_symbols(
    graph: Graph, start: list[str], step: Callable[[Graph, list[str], str], list[str]]
) -> list[str]:
    """Add a loop over the symbols of the words, and return the last states."""
    columns = graph.op("Transpose", WORDS, perm=[1, 0])
    trips = graph.op("Squeeze", graph.size(WORDS, 1))
    body = Graph(graph.dtype, outer=graph)
    inside = [body.name() for _ in start]
    after = step(body, inside, body.op("Gather", columns, "i", axis=0))
    body.nodes.append(body.node("Identity", ["go"], ["next"]))
    carried = [(s, i, a, 2) for s, i, a in zip(start, inside, after, strict=True)]
    return graph.loop(body, trips, carried)


def _for_each_word(graph: Graph, row: str, width: int) -> str:
    shape = graph.op("Concat", graph.size(WORDS, 0), graph.integers(width), axis=0)
    return graph.op("Expand", row, shape)


def _affine(graph: Graph, x: str, weight: Tensor, bias: Tensor) -> str:
    return graph.op("Add", graph.op("MatMul", x, graph.numbers(weight.T)), graph.numbers(bias))


def _memory(graph: Graph, x: str, memory: nn.Module) -> str:
    if not isinstance(memory, BinaryMemory):
        return x
    is_on = graph.op("GreaterOrEqual", graph.linear(x, memory.write), graph.scalar(0.0))
    bits = graph.op("Where", is_on, graph.scalar(1.0), graph.scalar(float(memory.off)))
    return graph.layer_norm(graph.linear(bits, memory.read), memory.norm)


# ---- trees ---------------------------------------------------------------------------------------


def _add_tree(graph: Graph, model: RegularGPT) -> str:
    config = model.config
    width, chunk = config.d_model, config.chunk_size
    leaves = graph.op("Gather", graph.numbers(model.embedding.weight * config.scale), WORDS, axis=0)
    body = Graph(graph.dtype, outer=graph)
    inside = body.name()
    words, number = body.size(inside, 0), body.size(inside, 1)
    # the empty word is one chunk of pads
    missing = body.op(
        "Where",
        body.op("Equal", number, body.integers(0)),
        body.integers(chunk),
        body.op("Mod", body.op("Neg", number), body.integers(chunk)),
    )
    shape = body.op("Concat", words, missing, body.integers(width), axis=0)
    pads = body.op("Expand", body.numbers((model.pad * config.scale)[None, None]), shape)
    padded = body.op("Concat", pads, inside, axis=1)
    x = body.op("Reshape", padded, body.integers(-1, chunk, width))
    present = _present(body, words, number, missing, chunk) if config.pad == "absent" else None
    *inner, last = model.block
    for layer in inner:
        x = _layer(body, layer, x, present, everywhere=True)
    node = _memory(body, _layer(body, last, x, present, everywhere=False), model.memory)
    shape = body.op("Concat", words, body.integers(-1, width), axis=0)
    after = body.op("Reshape", node, shape)
    left = body.op("Greater", body.op("Squeeze", body.size(after, 1)), body.scalar(1))
    body.nodes.append(body.node("Identity", [left], ["next"]))
    (roots,) = graph.loop(body, "", [(leaves, inside, after, 3)])
    root = graph.op("Gather", roots, graph.scalar(0), axis=1)
    return graph.linear(graph.layer_norm(root, model.final_norm), model.answer)


def _present(body: Graph, words: str, number: str, missing: str, chunk_size: int) -> str:
    """Return which children of each chunk are there; the last one always is."""
    total = body.op("Squeeze", body.op("Add", number, missing))
    places = body.op("Range", body.scalar(0), total, body.scalar(1))
    there = body.op("GreaterOrEqual", places, missing)
    of_chunks = body.op("Reshape", there, body.integers(1, -1, chunk_size))
    last = body.truths([place == chunk_size - 1 for place in range(chunk_size)])
    each = body.op("Or", of_chunks, last)
    shape = body.op("Concat", words, body.integers(1, 1), axis=0)
    return body.op("Reshape", body.op("Expand", each, shape), body.integers(-1, chunk_size))


def _layer(body: Graph, layer: Layer, x: str, present: str | None, *, everywhere: bool) -> str:
    norm, other = layer.attention_norm, layer.feed_forward_norm
    attend = _attend_everywhere if everywhere else _attend_at_last
    attended = attend(body, layer.attention, _before(body, norm, x), present)
    if not everywhere:
        x = body.op("Gather", x, body.scalar(layer.attention.bias.shape[1] - 1), axis=1)
    h = _after(body, norm, body.op("Add", x, attended))
    hidden = body.linear(_before(body, other, h), layer.expand)
    hidden = body.op("Relu", hidden) if layer.activation is F.relu else _gelu(body, hidden)
    return _after(body, other, body.op("Add", h, body.linear(hidden, layer.contract)))


def _before(body: Graph, norm: Any, x: str) -> str:
    return body.layer_norm(x, norm.norm) if isinstance(norm, PreNorm) else x


def _after(body: Graph, norm: Any, x: str) -> str:
    return body.layer_norm(x, norm.norm) if isinstance(norm, PostNorm) else x


def _gelu(body: Graph, x: str) -> str:
    erf = body.op("Erf", body.op("Mul", x, body.scalar(math.sqrt(0.5))))
    return body.op(
        "Mul", body.op("Mul", x, body.scalar(0.5)), body.op("Add", erf, body.scalar(1.0))
    )


def _attend_at_last(body: Graph, attention: InsideChunks, x: str, present: str | None) -> str:
    width, chunk = attention.query.in_features, attention.bias.shape[1]
    heads = (attention.num_heads, width // attention.num_heads)
    last = body.op("Gather", x, body.scalar(chunk - 1), axis=1)
    query = body.op("Reshape", _query(body, attention, last), body.integers(-1, 1, *heads))
    key, value = _keys_and_values(body, attention, x)
    products = body.op("ReduceSum", body.op("Mul", query, key), body.integers(-1), keepdims=0)
    logits = body.op("Add", products, body.numbers(attention.bias.flip(1).T))
    shown = None if present is None else body.op("Unsqueeze", present, body.integers(2))
    weight = body.op("Unsqueeze", _weights(body, attention, logits, shown, 1), body.integers(-1))
    summed = body.op("ReduceSum", body.op("Mul", weight, value), body.integers(1), keepdims=0)
    return body.linear(body.op("Reshape", summed, body.integers(-1, width)), attention.output)


def _attend_everywhere(body: Graph, attention: InsideChunks, x: str, present: str | None) -> str:
    width, chunk = attention.query.in_features, attention.bias.shape[1]
    heads = (attention.num_heads, width // attention.num_heads)
    shape = body.integers(-1, chunk, *heads)
    query = body.op("Reshape", _query(body, attention, x), shape)
    key, value = _keys_and_values(body, attention, x)
    query, value = (body.op("Transpose", each, perm=[0, 2, 1, 3]) for each in (query, value))
    offset = torch.arange(chunk)[:, None] - torch.arange(chunk)
    bias = body.numbers(attention.bias[:, offset.clamp(min=0)])
    products = body.op("MatMul", query, body.op("Transpose", key, perm=[0, 2, 3, 1]))
    shown = body.truths((offset >= 0)[None, None].tolist())
    if present is not None:
        itself = body.truths((offset == 0)[None, None].tolist())
        others = body.op("Unsqueeze", present, body.integers(1, 2))
        shown = body.op("And", shown, body.op("Or", others, itself))
    weight = _weights(body, attention, body.op("Add", products, bias), shown, -1)
    summed = body.op("Transpose", body.op("MatMul", weight, value), perm=[0, 2, 1, 3])
    return body.linear(
        body.op("Reshape", summed, body.integers(-1, chunk, width)), attention.output
    )


def _query(body: Graph, attention: InsideChunks, x: str) -> str:
    size = attention.query.in_features // attention.num_heads
    return body.linear(body.op("Div", x, body.scalar(math.sqrt(size))), attention.query)


def _keys_and_values(body: Graph, attention: InsideChunks, x: str) -> tuple[str, str]:
    width, chunk = attention.query.in_features, attention.bias.shape[1]
    shape = (-1, chunk, 2, attention.num_heads, width // attention.num_heads)
    both = body.op("Reshape", body.linear(x, attention.key_value), body.integers(*shape))
    key, value = (body.op("Gather", both, body.scalar(part), axis=2) for part in (0, 1))
    return key, value


def _weights(
    body: Graph, attention: InsideChunks, logits: str, shown: str | None, axis: int
) -> str:
    rectified = isinstance(attention, RectifiedChunkAttention)
    if shown is not None:
        hidden = body.scalar(0.0 if rectified else -math.inf)
        logits = body.op("Where", shown, logits, hidden)
    if not rectified:
        return body.op("Softmax", logits, axis=axis)
    return body.op("Div", body.op("Relu", logits), body.scalar(float(attention.bias.shape[1])))
