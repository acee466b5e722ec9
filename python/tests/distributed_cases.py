# SPDX-License-Identifier: Apache-2.0
"""Small contexts and circuits for tests of `ringlet.distributed`, and what goes wrong on workers.

A module of its own, because workers import from it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from ringlet import Circuit, bfv, bgv, ckks
from ringlet.distributed import MatrixProduct
from ringlet.distributed.frames import Parcel
from support import toy

SCHEMES = {"ckks": ckks, "bfv": bfv, "bgv": bgv}
ROW = 64


def small_secret(name: str, degree: int = 256) -> Any:
    """A secret context of a ring that is small, and secure in no way."""
    options = {} if name == "ckks" else {"plain_bits": 25}
    return toy(SCHEMES[name], [50, 40, 40, 40], [50], degree, **options)


def square_plus(constant: float = 0.5) -> Circuit:
    """x^2 + constant, rotated by one."""
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output((x * x + constant).rotate(1))
    return circuit


def encrypt_rows(secret: Any, circuit: Circuit, rows: np.ndarray) -> list[Any]:
    return [secret.encrypt(circuit.tiled(row, secret)) for row in rows]


@functools.cache
def product_case(
    name: str, shape: tuple[int, int, int], degree: int = 256, dimension: int = 4
) -> tuple[Any, Any, Any, Any, np.ndarray]:
    """(secret, public, A, B, A B) of random matrices."""
    rng = np.random.default_rng(13)
    secret = small_secret(name, degree)
    layout = MatrixProduct(shape, dimension=dimension, interleave=4)
    m, k, n = shape
    if name == "ckks":
        left, right = rng.uniform(-1, 1, (m, k)), rng.uniform(-1, 1, (k, n))
    else:
        left, right = rng.integers(-100, 100, (m, k)), rng.integers(-100, 100, (k, n))
    public = secret.public(circuit=layout.circuit)
    a, b = layout.encrypt_left(secret, left), layout.encrypt_right(secret, right)
    return secret, public, a, b, left @ right


def product_blocks(public: Any, a: Any, b: Any) -> list[bytes]:
    """The blocks of A B as one process computes them: each bit."""
    runner = public.runner(a.layout.block_circuit)
    rows, groups, columns = a.layout.grid
    blocks = []
    for i in range(rows):
        for j in range(columns):
            first, *others = (
                runner(a.blocks[i * groups + g], b.blocks[j * groups + g])
                for g in reversed(range(groups))
            )
            blocks.append(sum(others, first).to_bytes())
    return blocks


def process_id() -> int:
    return os.getpid()


def settles(wanted: Callable[[], bool]) -> bool:
    """Whether it comes true soon."""
    deadline = time.monotonic() + 10.0
    while not wanted() and time.monotonic() < deadline:
        time.sleep(0.02)
    return wanted()


def two_workers(client: Any) -> dict[str, int]:
    """Their processes. Dask gives up a local worker that dies twice within seconds, whenever it
    finds the time: then it needs another one, and calls may fail meanwhile."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            found = client.run(process_id)
        except OSError:
            found = {}
        if len(found) == 2:
            return dict(sorted(found.items()))
        client.cluster.scale(2)
        time.sleep(0.1)
    raise TimeoutError("the killed workers do not come back")


class Machines:
    """A scheduler and a worker as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        options = ["--scheduler-file", str(self.file), "--no-dashboard"]
        scheduler = [*options, "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0"]
        worker = [*options, "--nthreads", "1", "--no-nanny", "--dashboard-address", ":0"]
        with (folder / "log").open("w") as log:
            self.processes = [
                subprocess.Popen(
                    [sys.executable, "-m", "distributed.cli." + name, *arguments],
                    stdout=log,
                    stderr=log,
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                )
                for name, arguments in (("dask_scheduler", scheduler), ("dask_worker", worker))
            ]
        self.scheduler = self.processes[0]

    def address(self) -> str:
        for _ in range(300):
            if self.file.is_file() and self.file.read_text():
                return str(json.loads(self.file.read_text())["address"])
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not start")

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


# What a worker may do to a result before it seals it, or after.


def shortened(result: Any) -> Any:
    *frames, last = result.outputs[0].frames
    return _with_frames(result, [*frames, last[:-1]])


def flipped(result: Any) -> Any:
    *frames, last = result.outputs[0].frames
    return _with_frames(result, [*frames, last[:-1] + bytes([last[-1] ^ 1])])


def no_bytes(result: Any) -> Any:
    return _with_frames(result, [10**15])


def _resealed(result: Any, **changes: Any) -> Any:
    """Other fields, sealed as they should be."""
    from ringlet.distributed.tasks import seal

    changed = replace(result, **changes)
    return replace(changed, digest=seal(changed))


def _with_data(result: Any, change: Callable[[bytes], bytes]) -> Any:
    first, *rest = result.outputs
    return _resealed(result, outputs=(Parcel.of(change(b"".join(first.frames))), *rest))


def _with_frames(result: Any, frames: list[Any]) -> Any:
    first, *rest = result.outputs
    return replace(result, outputs=(Parcel(frames, first.length, first.digest), *rest))


def sealed_damage(result: Any) -> Any:
    return _with_data(result, lambda data: data[:200] + bytes(8) + data[208:])


def sealed_bomb(result: Any) -> Any:
    return _with_data(result, lambda data: data + bytes(1 << 20))


def sealed_input(result: Any) -> Any:
    """The right bytes in the wrong place: of a fresh ciphertext, kept by `remember`."""
    return _with_data(result, lambda _: _remembered[0])


def sealed_number(result: Any) -> Any:
    return _resealed(result, number=result.number + 1)


def sealed_lineage(result: Any) -> Any:
    return _resealed(result, lineage=bytes(32))


def sealed_fingerprint(result: Any) -> Any:
    return _resealed(result, fingerprint="0" * 64)


def sealed_nothing(result: Any) -> Any:
    return _resealed(result, outputs=())


def other_digest(result: Any) -> Any:
    return replace(result, digest=bytes(32))


def another_type(result: Any) -> Any:
    return {"number": result.number}


class _Explosive:
    """Raises where it is unpickled."""

    def __reduce__(self) -> Any:
        return _explode, ()


def _explode() -> None:
    raise ZeroDivisionError("on arrival")


def explosive(result: Any) -> Any:
    return _Explosive()


_remembered: list[bytes] = []
_true: list[Any] = []


def remember(data: bytes) -> None:
    _remembered[:] = [data]


def sabotage(change: Callable[[Any], Any] | None) -> None:
    """From now on this worker changes what it gives; with None no longer."""
    from ringlet.distributed import tasks

    if not _true:
        _true.append(tasks.sealed)
    tasks.sealed = _true[0] if change is None else lambda *a, **k: change(_true[0](*a, **k))


@contextlib.contextmanager
def sabotaged(client: Any, change: Callable[[Any], Any], **where: Any) -> Iterator[None]:
    """For that time, workers change what they give."""
    client.run(sabotage, change, **where)
    try:
        yield
    finally:
        client.run(sabotage, None)


def die(result: Any) -> Any:
    os._exit(1)


def fail(result: Any) -> Any:
    raise OSError("the disk is on fire")


def dawdle(result: Any) -> Any:
    time.sleep(0.4)
    return result
