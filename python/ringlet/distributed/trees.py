# SPDX-License-Identifier: Apache-2.0
"""Sums many results with a tree of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .jobs import Node
from .tasks import SUM, Operation

FAN_IN = 8
"""Number of results that one task sums up."""

_LARGEST_FREE_FACTOR = 1024


def times(value: Any, factor: int) -> Any:
    """Returns a circuit value times at least `factor`. It multiplies by integers that need no
    level."""
    while factor > _LARGEST_FREE_FACTOR:
        value, factor = value * _LARGEST_FREE_FACTOR, -(-factor // _LARGEST_FREE_FACTOR)
    return value * factor if factor > 1 else value


def tree_of(parts: Iterator[Node], place: int | None) -> Iterator[Node]:
    """Yields the given nodes, and nodes that sum up groups of them until one sum is left. The last
    yielded node is this sum; it has the place. Each sum is yielded as early as possible, so that
    few results wait."""
    waiting: list[list[Node]] = []
    held: Node | None = None
    for part in parts:
        # Holds one node back, because the last node of all gets the place.
        if held is not None:
            yield from _push(waiting, held)
        held = part
    assert held is not None
    rest = [node for tier in reversed(waiting) for node in reversed(tier)]
    if not rest:
        held.place = place
        yield held
        return
    yield held
    total = [held, *rest]
    while len(total) > 1:
        group, total = total[:FAN_IN], total[FAN_IN:]
        node = _sum_of(group)
        node.place = place if not total else None
        yield node
        total.append(node)


def _push(waiting: list[list[Node]], node: Node) -> Iterator[Node]:
    yield node
    for depth in range(64):
        if depth == len(waiting):
            waiting.append([])
        waiting[depth].append(node)
        if len(waiting[depth]) < FAN_IN:
            return
        node = _sum_of(waiting[depth])
        waiting[depth] = []
        yield node


def _sum_of(nodes: list[Node]) -> Node:
    inputs = tuple((node, k) for node in nodes for k in range(len(node.shapes)))
    return Node(Operation(SUM, terms=len(nodes)), inputs, nodes[0].shapes)
