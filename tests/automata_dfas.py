"""Automata of automata-lib as languages."""

from automata.fa.dfa import DFA

from lengthwise.languages.builders import determinise
from lengthwise.languages.language import Language


def from_automata_dfa(dfa: DFA) -> Language:
    """The minimised language of a DFA; a partial one is completed with a sink."""
    index = {state: i for i, state in enumerate(dfa.states)}
    arcs = [
        {symbol: (index[target],) for symbol, target in dfa.transitions[state].items()}
        for state in dfa.states
    ]
    final = [index[state] for state in dfa.final_states]
    start = index[dfa.initial_state]
    return determinise(sorted(dfa.input_symbols), arcs, start, final, max_states=len(index) + 1)
