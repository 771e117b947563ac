"""Strongly connected parts of a graph, in time linear in its size."""

from collections.abc import Sequence


def components(targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the strongly connected part of each node.

    `targets[node]` are the nodes that edges lead to. A part that another one
    leads to has the smaller number. (Tarjan, 1972, without recursion.)

    >>> components([[1], [0, 2], [2]])
    [1, 1, 0]
    """
    count = len(targets)
    number = [-1] * count
    order = [-1] * count
    low = [0] * count
    num_met = parts = 0
    open_nodes: list[int] = []
    for root in range(count):
        if order[root] >= 0:
            continue
        path, places = [root], [0]
        while path:
            node, place = path[-1], places[-1]
            if place == 0:
                order[node] = low[node] = num_met
                num_met += 1
                open_nodes.append(node)
            row = targets[node]
            while place < len(row):
                target = row[place]
                if order[target] < 0:
                    break
                if number[target] < 0 and order[target] < low[node]:
                    low[node] = order[target]
                place += 1
            if place < len(row):
                places[-1] = place + 1
                path.append(row[place])
                places.append(0)
                continue
            path.pop()
            places.pop()
            if path and low[node] < low[path[-1]]:
                low[path[-1]] = low[node]
            if low[node] == order[node]:
                while True:
                    member = open_nodes.pop()
                    number[member] = parts
                    if member == node:
                        break
                parts += 1
    return number


def parts(targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes of each strongly connected part, a part before those that lead to it."""
    numbers = components(targets)
    components_of: list[list[int]] = [[] for _ in range(max(numbers, default=-1) + 1)]
    for node, number in enumerate(numbers):
        components_of[number].append(node)
    return components_of
