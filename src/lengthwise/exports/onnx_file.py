"""ONNX, the format in which networks are handed from one library to another."""

import json
from typing import Any

import torch

from lengthwise.errors import ConfigError
from lengthwise.exports.format import Exported, Format


class Onnx(Format):
    """Writes a network of plain operators, from words of one length to the logits of classes."""

    summary = "ONNX: the network itself"
    writes_network = True

    def content(self, exported: Exported) -> bytes:
        """Return the file, with symbols and classes among its properties."""
        model, language = exported.network, exported.language
        if model is None:
            raise ConfigError(
                f"an ONNX file holds a network, but {language.spec or 'this'} is a language. Give "
                f"the folder of a run, or save it as .c or .json."
            )
        types: dict[Any, str] = {torch.float32: "float32", torch.float64: "float64"}
        kinds = {parameter.dtype for parameter in model.parameters()}
        if len(kinds) > 1 or not kinds <= {*types}:
            raise ConfigError(
                "a network in ONNX has weights of float32 or of float64, but this one has "
                f"{' and '.join(sorted(map(str, kinds)))}. Convert it."
            )
        from lengthwise.exports.onnx_graph import LOGITS, Graph
        from lengthwise.exports.onnx_networks import add_network

        graph = Graph(types[kinds.pop()])
        logits = add_network(graph, model)
        graph.nodes.append(graph.node("Identity", [logits], [LOGITS]))
        properties = {
            "symbols": json.dumps(language.alphabet),
            "classes": json.dumps(language.class_names),
        }
        return graph.model(exported.notes, properties)
