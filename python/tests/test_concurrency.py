# SPDX-License-Identifier: Apache-2.0
"""Long calls let other threads run; forked processes never repeat randomness."""

from __future__ import annotations

import hashlib
import multiprocessing
import threading
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import ringlet
from ringlet import bfv, bgv, ckks


def ticks_during(work: Callable[[], object]) -> tuple[int, float]:
    """How often this thread woke up while another one ran `work`, and how long that took."""
    times: list[float] = []
    started = threading.Event()

    def run() -> None:
        started.set()
        times.append(time.perf_counter())
        work()
        times.append(time.perf_counter())

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    wakeups = []
    while thread.is_alive():
        time.sleep(0.001)
        wakeups.append(time.perf_counter())
    thread.join()
    begin, end = times
    return sum(begin < moment < end for moment in wakeups), end - begin


def heavy_context() -> ckks.SecretContext:
    return ckks.SecretContext(ckks.Parameters(32768, [50] * 6, scale_bits=40))


def test_key_generation_releases_the_lock() -> None:
    secret = heavy_context()
    ticks, seconds = ticks_during(lambda: secret.public(rotations=list(range(1, 9))))
    assert seconds > 0.05, "too short to tell"
    assert ticks >= 10


def test_multiplication_releases_the_lock() -> None:
    secret = heavy_context()
    public = secret.public(rotations=[])
    a = public.encrypt(1.0)
    calls = 20
    ticks, seconds = ticks_during(lambda: [a * a for _ in range(calls)])
    assert seconds > 0.05, "too short to tell"
    # With the lock held in a call, at most the change between two calls would let a tick through.
    assert ticks > 2 * calls


@pytest.mark.parametrize("scheme", [bfv, bgv], ids=["bfv", "bgv"])
def test_exact_products_and_files_release_the_lock(scheme: ModuleType) -> None:
    public = scheme.SecretContext(scheme.Parameters(32768)).public(rotations=[])
    a = public.encrypt(1)
    calls = 5
    ticks, seconds = ticks_during(lambda: [a * a for _ in range(calls)])
    assert seconds > 0.02, "too short to tell"
    assert ticks > 2 * calls
    ticks, _ = ticks_during(lambda: scheme.PublicContext.from_bytes(public.to_bytes()))
    assert ticks > 10


def test_transforms_release_the_lock() -> None:
    degree = 1 << 20
    q = ringlet.generate_ntt_primes(60, degree, 1)[0]
    plan = ringlet.Ntt(degree, q, kernels="scalar64")
    a = np.zeros(degree, dtype=np.uint64)
    calls = 20
    ticks, seconds = ticks_during(lambda: [plan.forward(a, out=a) for _ in range(calls)])
    assert seconds > 0.05, "too short to tell"
    assert ticks > 2 * calls


def test_threads_share_contexts(secret: ckks.SecretContext, public: ckks.PublicContext) -> None:
    results: list[float] = []

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).uniform(-1, 1, public.slot_count)
        for _ in range(3):
            a = public.encrypt(x)
            results.append(np.abs(secret.decrypt(a * a.rotate(0) + 1.0) - x * x - 1.0).max())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 12 and max(results) < 1e-4


def _encrypt_in_child(side: object, connection) -> None:
    digests = [hashlib.sha256(side.encrypt(0.0).residues().tobytes()).digest() for _ in range(3)]
    connection.send(digests)
    connection.close()


@pytest.mark.parametrize("name", ["secret", "public"])
def test_forked_children_never_repeat_randomness(name: str, request: pytest.FixtureRequest) -> None:
    side = request.getfixturevalue(name)
    side.encrypt(0.0)  # whatever state there is exists before the fork
    context = multiprocessing.get_context("fork")
    digests, children = [], []
    for _ in range(4):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_encrypt_in_child, args=(side, sender))
        child.start()
        sender.close()
        children.append((child, receiver))
    for child, receiver in children:
        digests += receiver.recv()
        child.join(60)
        assert child.exitcode == 0
    digests += [hashlib.sha256(side.encrypt(0.0).residues().tobytes()).digest() for _ in range(3)]
    assert len(digests) == len(set(digests)) == 15
