# SPDX-License-Identifier: Apache-2.0
"""A plan on paper: what measured bytes and times let expect of many machines (docs/scaling.md)."""

from __future__ import annotations

from dataclasses import dataclass

MACHINES = (2, 10, 30, 100, 300, 1000)
NETWORK = 1.25e9
"""Bytes a second of the link of client and scheduler: 10 Gbit/s."""

_MOST_TERMS = 64


@dataclass(frozen=True)
class Constants:
    """product_seconds: one product of blocks on a worker. task_seconds: what a task costs client
    and scheduler. install_seconds: loading a context that is there. Bytes: of the context, of
    the inputs of one product, of a result."""

    product_seconds: float
    task_seconds: float
    install_seconds: float
    context_bytes: int
    product_bytes: int
    result_bytes: int


@dataclass(frozen=True)
class Expected:
    """Of so many machines, one task at a time each. share: of the time in which they compute;
    limit: what keeps them from more; start_seconds: until all have the context."""

    machines: int
    terms: int
    share: float
    limit: str
    start_seconds: float


def expect(constants: Constants, machines: int, tile: int = 1) -> Expected:
    """With the fewest terms for which the scheduler keeps up. tile: the tile of matrix_product, a
    task of so many blocks square."""
    terms, busy = 1, machines * constants.task_seconds
    while terms < _MOST_TERMS and busy > _seconds(constants, terms, tile):
        terms *= 2
    wanted = machines / _seconds(constants, terms, tile)
    sent = terms * tile * constants.product_bytes + tile**2 * constants.result_bytes
    rates = {
        "none": wanted,
        "scheduler": 1 / constants.task_seconds,
        "network": NETWORK / sent,
    }
    limit = min(rates, key=lambda name: rates[name])
    start = machines * constants.context_bytes / NETWORK + constants.install_seconds
    return Expected(machines, terms, rates[limit] / wanted, limit, start)


def _seconds(constants: Constants, terms: int, tile: int) -> float:
    return terms * tile**2 * constants.product_seconds


def plan(constants: Constants, tile: int = 1) -> list[Expected]:
    """For two machines up to a thousand."""
    return [expect(constants, machines, tile) for machines in MACHINES]
