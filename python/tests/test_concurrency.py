# SPDX-License-Identifier: Apache-2.0
"""Long calls let other threads run, and threads share what they use."""

import threading
import time

import numpy as np
import pytest
from support import in_threads
from test_declared_circuits import interrupted_after

import ringlet
from ringlet import bfv, bgv, ckks


def ticks_during(work):
    """How often this thread woke up while another one ran `work`, and how long that took."""
    times = []
    started = threading.Event()

    def run():
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


def product_of_contexts(scheme):
    given = {"scale_bits": 40} if scheme is ckks else {}
    sizes = [[50] * 6] if scheme is ckks else []
    secret = scheme.SecretContext(scheme.Parameters(32768, *sizes, **given))
    a = secret.public(rotations=[]).encrypt(1)
    return lambda: a * a


def transform():
    degree = 1 << 20
    q = ringlet.generate_ntt_primes(60, degree, 1)[0]
    plan = ringlet.Ntt(degree, q, kernels="scalar64")
    a = np.zeros(degree, dtype=np.uint64)
    return lambda: plan.forward(a, out=a)


def elementwise_product():
    a = np.zeros((4, 1 << 20), dtype=np.uint64)
    plan = ringlet.Eltwise((1 << 61) - 1, kernels="scalar64")
    return lambda: plan.multiply(a, a, out=a)


@pytest.mark.parametrize(
    ("make", "calls"),
    [
        (lambda: product_of_contexts(ckks), 20),
        (lambda: product_of_contexts(bfv), 5),
        (lambda: product_of_contexts(bgv), 5),
        (transform, 20),
        (elementwise_product, 10),
        (lambda: lambda: ringlet.interpolate(65537, range(20000)), 3),
    ],
    ids=["ckks", "bfv", "bgv", "ntt", "eltwise", "interpolate"],
)
def test_calls_release_the_lock(make, calls):
    call = make()
    ticks, seconds = ticks_during(lambda: [call() for _ in range(calls)])
    assert seconds > 0.02, "too short to tell"
    # If calls held the lock, ticks could occur only between two calls.
    assert ticks > 2 * calls


def test_keys_and_files_release_the_lock():
    secret = ckks.SecretContext(ckks.Parameters(32768, [50] * 6, scale_bits=40))
    ticks, seconds = ticks_during(lambda: secret.public(rotations=list(range(1, 9))))
    assert seconds > 0.05, "too short to tell"
    assert ticks >= 10
    for scheme in (bfv, bgv):
        data = scheme.SecretContext(scheme.Parameters(32768)).public(rotations=[]).to_bytes()
        assert ticks_during(lambda: scheme.PublicContext.from_bytes(data))[0] > 10
    ring = bfv.Parameters(ring=65535, data_bits=[49]).to_bytes()  # its tables take long to make
    assert ticks_during(lambda: bfv.Parameters.from_bytes(ring))[0] > 10


def test_ctrl_c_ends_loading_between_keys(tmp_path):
    secret = bfv.SecretContext(bfv.Parameters(8192))
    path = tmp_path / "public"
    secret.public(rotations=list(range(1, 65))).save(path)
    data = path.read_bytes()
    for load in (
        lambda: bfv.PublicContext.from_bytes(data),
        lambda: bfv.PublicContext.load(path, lazy=False),
    ):
        start, cpu_start = time.perf_counter(), time.process_time()
        load()
        whole, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        assert interrupted_after(whole / 10, load) < cpu / 2


def test_threads_share_contexts(secret, public):
    results = []

    def work(seed):
        x = np.random.default_rng(seed).uniform(-1, 1, public.slot_count)
        for _ in range(3):
            a = public.encrypt(x)
            results.append(np.abs(secret.decrypt(a * a.rotate(0) + 1.0) - x * x - 1.0).max())

    in_threads(work)
    assert len(results) == 12 and max(results) < 1e-4
