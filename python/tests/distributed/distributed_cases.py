# SPDX-License-Identifier: Apache-2.0
"""Small contexts and circuits for tests of `ringlet.distributed`, and what goes wrong on workers.

A module of its own, because workers import from it.
"""

import contextlib
import functools
import importlib
import json
import multiprocessing
import os
import time
from dataclasses import replace

import numpy as np
from support import toy

from ringlet import Circuit, bfv, bgv, ckks
from ringlet.distributed import MatrixProduct
from ringlet.distributed.frames import Parcel

SCHEMES = {"ckks": ckks, "bfv": bfv, "bgv": bgv}
ROW = 64


def small_secret(name, degree=256):
    """A secret context of a ring that is small, and secure in no way."""
    options = {} if name == "ckks" else {"plain_bits": 25}
    return toy(SCHEMES[name], [50, 40, 40, 40], [50], degree, **options)


def square_plus(constant=0.5):
    """x^2 + constant, rotated by one."""
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output((x * x + constant).rotate(1))
    return circuit


def encrypt_rows(secret, circuit, rows):
    return [secret.encrypt(circuit.tiled(row, secret)) for row in rows]


@functools.cache
def product_case(name, shape, degree=256, dimension=4):
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


def product_blocks(public, a, b):
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


def process_id():
    return os.getpid()


def settles(wanted):
    """Whether it comes true soon."""
    deadline = time.monotonic() + 10.0
    while not wanted() and time.monotonic() < deadline:
        time.sleep(0.02)
    return wanted()


def two_workers(client):
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


def run_command(name, arguments, folder):
    """Runs a command of Dask in this process."""
    os.chdir(folder)
    with open("log", "a") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    importlib.import_module("distributed.cli." + name).main(arguments)


class Machines:
    """A scheduler and a worker as processes of their own."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        options = ["--scheduler-file", str(self.file), "--no-dashboard"]
        scheduler = [*options, "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0"]
        worker = [*options, "--nthreads", "1", "--no-nanny", "--dashboard-address", ":0"]
        commands = (("dask_scheduler", scheduler), ("dask_worker", worker))
        start = multiprocessing.get_context("forkserver").Process
        self.processes = [
            start(target=run_command, args=(name, arguments, folder), daemon=True)
            for name, arguments in commands
        ]
        for process in self.processes:
            process.start()
        self.scheduler = self.processes[0]

    def address(self):
        for _ in range(300):
            if self.file.is_file() and self.file.read_text():
                return str(json.loads(self.file.read_text())["address"])
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not start")

    def stop(self):
        for process in self.processes:
            process.kill()
            process.join()


# Changes that a worker makes to a result before or after it seals the result; the table SABOTAGE is
# in test_distributed.py.


def no_bytes(result):
    return with_frames(result, [10**15])


def resealed(result, **changes):
    """Other fields, sealed as they should be."""
    from ringlet.distributed.tasks import seal

    changed = replace(result, **changes)
    return replace(changed, digest=seal(changed))


def with_data(result, change):
    first, *rest = result.outputs
    return resealed(result, outputs=(Parcel.of(change(b"".join(first.frames))), *rest))


def with_last(result, change):
    """Another last frame."""
    *frames, last = result.outputs[0].frames
    return with_frames(result, [*frames, change(last)])


def with_frames(result, frames):
    first, *rest = result.outputs
    return replace(result, outputs=(Parcel(frames, first.length, first.digest), *rest))


def sealed_input(result):
    """The right bytes in the wrong place: of a fresh ciphertext, kept by `remember`."""
    return with_data(result, lambda _: _remembered[0])


class Explosive:
    """Raises where it is unpickled."""

    def __reduce__(self):
        return _explode, ()


def _explode():
    raise ZeroDivisionError("on arrival")


_remembered = []
_true = []


def remember(data):
    _remembered[:] = [data]


def sabotage(change):
    """From now on this worker changes what it gives; with None no longer."""
    from ringlet.distributed import tasks

    if not _true:
        _true.append(tasks.sealed)
    tasks.sealed = _true[0] if change is None else lambda *a, **k: change(_true[0](*a, **k))


@contextlib.contextmanager
def sabotaged(client, change, **where):
    """For that time, workers change what they give."""
    client.run(sabotage, change, **where)
    try:
        yield
    finally:
        client.run(sabotage, None)


def load_slowly(seconds):
    """The next context that this worker loads takes so long."""
    from ringlet.distributed import tasks

    def slow(*arguments):
        tasks.context_of = true
        time.sleep(seconds)
        return true(*arguments)

    true, tasks.context_of = tasks.context_of, slow


def die(result):
    os._exit(1)


def fail(result):
    raise OSError("the disk is on fire")


def dawdle(result):
    time.sleep(0.4)
    return result
