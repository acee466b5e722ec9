# SPDX-License-Identifier: Apache-2.0
"""Many polynomials modulo many primes: the rows of single transforms, on any number of threads."""

import numpy as np
import pytest
from support import in_threads, refused, refused_call

import ringlet

N = 256
MODULI = [ringlet.generate_ntt_primes(bits, N, 1)[0] for bits in (50, 30, 61, 49)]


@pytest.fixture(autouse=True)
def one_thread_afterwards():
    yield
    ringlet.set_thread_count(1)


def residues(rng, polynomials, moduli, n):
    rows = [rng.integers(0, q, (polynomials, n), dtype=np.uint64) for q in moduli]
    return np.stack(rows, axis=1)


def row_by_row(a, moduli, direction):
    plans = [ringlet.Ntt(a.shape[-1], q) for q in moduli]
    rows = [getattr(plan, direction)(a[:, i].copy()) for i, plan in enumerate(plans)]
    return np.stack(rows, axis=1)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_rows_are_those_of_single_transforms(threads, rng):
    ringlet.set_thread_count(threads)
    assert ringlet.thread_count() == threads
    n = 8192
    moduli = [ringlet.generate_ntt_primes(bits, n, 1)[0] for bits in (50, 30, 61, 49)]
    rns = ringlet.RnsNtt(n, moduli)
    a = residues(rng, 3, moduli, n)
    original = a.copy()
    transformed = rns.forward(a)
    assert (transformed == row_by_row(a, moduli, "forward")).all()
    assert (rns.inverse(a) == row_by_row(a, moduli, "inverse")).all()
    assert (rns.inverse(transformed) == a).all()
    assert (a == original).all()
    assert (rns.forward(a[1]) == transformed[1]).all()
    assert rns.forward(a, a) is a
    assert (a == transformed).all()


def test_primes_choose_the_plans(rng):
    rns = ringlet.RnsNtt(N, MODULI)
    primes = [3, 0, 3]
    chosen = [MODULI[i] for i in primes]
    a = residues(rng, 2, chosen, N)
    assert (rns.forward(a, primes=primes) == row_by_row(a, chosen, "forward")).all()
    assert (rns.inverse(a, primes=primes) == row_by_row(a, chosen, "inverse")).all()


def test_strided_arrays_are_taken_as_they_are(rng):
    rns = ringlet.RnsNtt(N, MODULI)
    a = residues(rng, 3, MODULI, N)
    expected = rns.forward(a)
    wide = np.full((3, 4, N + 8), 7, dtype=np.uint64)
    view = wide[:, :, :N]
    view[...] = a
    assert (rns.forward(view, view) == expected).all()
    assert (wide[:, :, N:] == 7).all()
    by_prime = np.ascontiguousarray(a.transpose(1, 0, 2)).transpose(1, 0, 2)
    assert by_prime.strides != a.strides
    assert (rns.forward(by_prime) == expected).all()
    every_other = np.repeat(a, 2, axis=0)[::2]
    assert (rns.forward(every_other) == expected).all()


def test_range_factors(rng):
    rns = ringlet.RnsNtt(N, MODULI)
    a = residues(rng, 2, MODULI, N)
    q = np.array(MODULI, dtype=np.uint64)[:, None]
    lazy = rns.forward(a + 3 * q, input_mod_factor=4, output_mod_factor=4)
    assert (lazy % q == rns.forward(a)).all()
    lazy = rns.inverse(a + q, input_mod_factor=2, output_mod_factor=2)
    assert (lazy % q == rns.inverse(a)).all()


def test_describes_itself():
    rns = ringlet.RnsNtt(N, MODULI, kernels="scalar64")
    assert (len(rns), rns.degree, rns.moduli) == (4, N, MODULI)
    assert rns[2].modulus == MODULI[2]
    assert rns[2].kernel_name.startswith("scalar64/")
    assert rns.table_bytes == sum(rns[i].table_bytes for i in range(4))
    assert repr(rns) == f"RnsNtt(degree={N}, 4 primes)"
    refused(lambda: rns[4], error=ringlet.OutOfRange)


def test_empty_batches():
    rns = ringlet.RnsNtt(N, MODULI)
    assert rns.forward(np.empty((0, 4, N), dtype=np.uint64)).shape == (0, 4, N)
    assert rns.inverse(np.empty((0, N), dtype=np.uint64), primes=[]).shape == (0, N)


def test_refusals_change_nothing(rng):
    rns = ringlet.RnsNtt(N, MODULI)
    a = residues(rng, 2, MODULI, N)
    original = a.copy()
    too_large = a.copy()
    too_large[1, 1, 5] = MODULI[1]
    for call in (rns.forward, rns.inverse):
        for bad in (
            a[0, 0], a[None], a[:, :3], a[:, :, : N // 2].copy(), a[:, ::-1], a[::-1],
            np.broadcast_to(a[0], a.shape), a[:, :, ::-1], a.astype(np.int64), a.tolist(),
            too_large,
        ):  # fmt: skip
            refused_call(call, bad)
        for out in (a[:1], a[0], np.empty((2, 4, N), dtype=np.int64), a.reshape(4, 2, N)):
            refused_call(call, a, out)
        memory = np.concatenate([a.ravel(), a.ravel()])
        first, second = (memory[k : a.size + k].reshape(a.shape) for k in (0, 8))
        refused_call(call, first, second, says=["overlap"])
        refused_call(call, a, a, output_mod_factor=3, says=["output_mod_factor"])
        outside = {"primes": [0, 1, 2, 4], "error": ringlet.OutOfRange}
        refused_call(call, a, a, **outside, says=["primes"])
        refused_call(call, a, a, primes=[0, 1, 2, -1], says=["prime"])
        read_only = a.copy()
        read_only.flags.writeable = False
        refused_call(call, a, read_only, says=["read-only"])
    assert (a == original).all()


def test_refused_moduli_and_numbers_of_threads():
    for moduli in ([], [MODULI[0], 97], [2**64], [0]):
        refused_call(ringlet.RnsNtt, N, moduli)
    for count in (0, 257, -1, 2**64, "2", 1.5):
        refused_call(ringlet.set_thread_count, count)
    assert ringlet.thread_count() == 1


def test_python_threads_may_share_one_object(rng):
    ringlet.set_thread_count(2)
    n = 8192
    moduli = ringlet.generate_ntt_primes(49, n, 8)
    rns = ringlet.RnsNtt(n, moduli)
    a = residues(rng, 1, moduli, n)
    expected = rns.forward(a)
    right = []

    def work(_):
        for _ in range(10):
            right.append(bool((rns.forward(a) == expected).all()))

    in_threads(work)
    assert right == [True] * 40
