"""Reads exported files by other means than the package writes them."""

import json
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path

import pydot
from aalpy.utils.FileHandler import load_automaton_from_file

from lengthwise.languages.att import from_att
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.serialisation import from_dict

Arcs = list[tuple[int, int, str]]


def build(like: Language, start: int, classes: Mapping[int, str], arcs: Arcs) -> Language:
    """Build an automaton over the symbols and classes of another, whose states are in order."""
    table = [[-1] * like.num_symbols for _ in classes]
    for source, target, symbol in arcs:
        assert table[source][like.alphabet.index(symbol)] == -1
        table[source][like.alphabet.index(symbol)] = target
    names = like.total().class_names
    return Language(
        alphabet=like.alphabet,
        transitions=tuple(map(tuple, table)),
        classes=tuple(names.index(classes[state]) for state in range(len(classes))),
        start=start,
        class_names=names,
    )


def of_dot(path: Path, like: Language) -> Language:
    with warnings.catch_warnings():  # of pyparsing, about names that pydot uses
        warnings.simplefilter("ignore")
        graphs = pydot.graph_from_dot_file(str(path))
    assert graphs is not None
    (graph,) = graphs
    arcs, start = [], -1
    for edge in graph.get_edges():
        source, target = str(edge.get_source()), int(str(edge.get_destination()))
        if source == "start":
            start = target
            continue
        symbols = str(edge.get("label")).strip('"').split(", ")
        arcs += [(int(source), target, symbol) for symbol in symbols]
    classes = {
        int(node.get_name()): str(node.get("label")).strip('"')
        for node in graph.get_nodes()
        if node.get_name().isdigit()
    }
    return build(like, start, classes, arcs)


def of_mermaid(path: Path, like: Language) -> Language:
    text = path.read_text(encoding="utf-8")
    assert "flowchart LR" in text

    def plain(string: str) -> str:
        return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), string)

    classes = {
        int(state): plain(name)
        for state, left, name, right in re.findall(r'^ +s(\d+)(\(+)"(.*)"(\)+)$', text, re.M)
        if len(left) == len(right)
    }
    arcs = [
        (int(source), int(target), symbol)
        for source, names, target in re.findall(r'^ +s(\d+) -->\|"(.*)"\| s(\d+)$', text, re.M)
        for symbol in plain(names).split(", ")
    ]
    (start,) = re.findall(r"^ +start\[ \] --> s(\d+)$", text, re.M)
    return build(like, int(start), classes, arcs)


def of_jflap(path: Path, like: Language) -> Language:
    root = ET.parse(path).getroot()
    kind, automaton = root.findtext("type"), root.find("automaton")
    assert automaton is not None
    states = automaton.findall("state")
    classes = {}
    for state in states:
        final = str(int(state.find("final") is not None))
        name = final if kind == "fa" else state.findtext("output")
        assert name is not None
        classes[int(state.attrib["id"])] = name
        assert float(str(state.findtext("x"))) >= 0
    (start,) = (int(s.attrib["id"]) for s in states if s.find("initial") is not None)
    arcs = []
    for arc in automaton.findall("transition"):
        source, target, read = (str(arc.findtext(n)) for n in ("from", "to", "read"))
        arcs.append((int(source), int(target), read))
        if kind == "moore":
            assert arc.findtext("transout") == classes[int(target)]
    return build(like, start, classes, arcs)


def of_hoa(path: Path, like: Language) -> Language:
    """Read the part of HOA that is written: one proposition holds at a time."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    header, body = text.split("--BODY--")
    assert header.startswith("HOA: v1\n")
    assert body.endswith("--END--\n")
    (names,) = re.findall(r"^AP: (.*)$", header, re.M)
    count, *quoted = re.findall(r'\d+(?= )|"(?:\\.|[^"\\])*"', names)
    propositions = [re.sub(r"\\(.)", r"\1", name[1:-1]) for name in quoted]
    assert len(propositions) == int(count)
    holds = {}
    for alias, formula in re.findall(r"^Alias: (@\w+) (.*)$", header, re.M):
        signs = formula.split("&")
        assert [int(sign.strip("!")) for sign in signs] == list(range(int(count)))
        (true,) = (n for n, sign in enumerate(signs) if not sign.startswith("!"))
        holds[alias] = propositions[true]
    classes, arcs = {}, []
    for block in body.split("State: ")[1:]:
        lines = block.splitlines()
        state = int(lines[0].split()[0])
        classes[state] = "1" if lines[0].endswith(" {0}") else "0"
        for labels, target in re.findall(r"^\[(.*)\] (\d+)$", block, re.M):
            arcs += [(state, int(target), holds[label]) for label in labels.split(" | ")]
    (start,) = re.findall(r"^Start: (\d+)$", header, re.M)
    return build(like, int(start), classes, arcs)


def of_aalpy(path: Path, like: Language) -> Language:
    """Read a graph by AALpy, whose symbols and outputs are integers where they can be."""
    kind = "dfa" if like.total().class_names == ("0", "1") else "moore"
    machine = load_automaton_from_file(str(path), kind)
    number = {state.state_id: at for at, state in enumerate(machine.states)}
    classes = {
        number[state.state_id]: str(int(state.is_accepting) if kind == "dfa" else state.output)
        for state in machine.states
    }
    arcs = [
        (number[state.state_id], number[target.state_id], str(symbol))
        for state in machine.states
        for symbol, target in state.transitions.items()
    ]
    return build(like, number[machine.initial_state.state_id], classes, arcs)


READERS: Mapping[str, Callable[[Path, Language], Language]] = {
    ".dot": of_dot,
    ".gv": of_aalpy,
    ".mmd": of_mermaid,
    ".jff": of_jflap,
    ".hoa": of_hoa,
    ".att": lambda path, like: from_att(path, alphabet=like.alphabet),
    ".json": lambda path, like: from_dict(json.loads(path.read_text(encoding="utf-8"))),
    ".regex": lambda path, like: from_regex(path.read_text(encoding="utf-8"), like.alphabet),
    ".txt": lambda path, like: from_regex(path.read_text(encoding="utf-8"), like.alphabet),
}
"""From a file, and a language with its symbols and classes, to the automaton in it."""
