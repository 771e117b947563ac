"""Minimisation of automata given as plain tables.

`transitions[state][symbol]` is the next state, `classes[state]` the class. States that no word
distinguishes form a block, and each block becomes one state.
"""

from collections.abc import Sequence

Table = tuple[tuple[int, ...], ...]


def reachable(transitions: Table, start: int) -> list[int]:
    """Return the reachable states, in the order of their shortest words."""
    seen = {start: None}
    for state in (queue := [start]):
        for target in transitions[state]:
            if target not in seen:
                seen[target] = None
                queue.append(target)
    return list(seen)


def minimise(
    transitions: Table, classes: tuple[int, ...], start: int
) -> tuple[Table, tuple[int, ...]]:
    """Return transitions and classes of the smallest automaton with the same classes.

    Its states are numbered in the order of their shortest words, so it starts in state 0.

    >>> minimise(((1, 2), (1, 2), (2, 1)), (0, 0, 1), start=1)
    (((0, 1), (1, 0)), (0, 1))
    """
    states = reachable(transitions, start)
    blocks = _indistinguishable(transitions, classes, states)
    first: dict[int, int] = {}
    for state in states:
        first.setdefault(blocks[state], state)
    number = {block: i for i, block in enumerate(first)}
    return (
        tuple(
            tuple(number[blocks[target]] for target in transitions[state])
            for state in first.values()
        ),
        tuple(classes[state] for state in first.values()),
    )


def _indistinguishable(
    transitions: Table, classes: tuple[int, ...], states: Sequence[int]
) -> dict[int, int]:
    """Return the block of each state by Hopcroft's partition refinement: O(k n log n) for k
    symbols.

    A block that was used to split the others is used again only if it was split itself, and then
    only its smaller part. It ends where every state has a block of its own, which for the elements
    of a group is at once.
    """
    by_class: dict[int, set[int]] = {}
    for state in states:
        by_class.setdefault(classes[state], set()).add(state)
    blocks = list(by_class.values())
    block_of = {state: block for block, members in enumerate(blocks) for state in members}
    if len(blocks) == len(states):
        return block_of
    sources: list[dict[int, list[int]]] = []
    for column in dict.fromkeys(zip(*transitions, strict=True)):  # many symbols may act alike
        before: dict[int, list[int]] = {}
        for state in states:
            before.setdefault(column[state], []).append(state)
        sources.append(before)
    waiting = set(range(len(blocks)))
    while waiting and len(blocks) < len(states):
        splitter = tuple(blocks[waiting.pop()])
        for before in sources:
            hits: dict[int, set[int]] = {}
            for target in splitter:
                for source in before.get(target, ()):
                    hits.setdefault(block_of[source], set()).add(source)
            for block, hit in hits.items():
                if len(hit) == len(blocks[block]):
                    continue
                new = len(blocks)
                blocks[block] -= hit
                blocks.append(hit)
                for state in hit:
                    block_of[state] = new
                smaller = new if len(hit) <= len(blocks[block]) else block
                waiting.add(new if block in waiting else smaller)
    return block_of
