# SPDX-License-Identifier: Apache-2.0
"""Which primes come first, and which widths are fast: against searches by the definition."""

from __future__ import annotations

import pytest

import ringlet
from ringlet import bfv, bgv, ckks

HALF = 1 << 32


def search(bits: int, step: int, count: int) -> list[int]:
    """The largest primes of exactly that many bits that are 1 mod `step`, a power of two."""
    found: list[int] = []
    n = (1 << bits) - step + 1
    while len(found) < count and n.bit_length() == bits:
        # A number that is no power of a prime passes this by accident alone.
        if all(pow(base, n - 1, n) == 1 for base in (2, 3, 5, 7)):
            found.append(n)
        n -= step
    return found


@pytest.mark.parametrize("bits", [55, 58, 61, 62])
@pytest.mark.parametrize("degree", [2, 4096, 1 << 20])
def test_half_word_ones_come_first(bits: int, degree: int) -> None:
    assert ringlet.generate_ntt_primes(bits, degree, 3, "half_word_one") == search(bits, HALF, 3)
    largest = search(bits, 2 * degree, 3)
    assert ringlet.generate_ntt_primes(bits, degree, 3) == largest
    assert ringlet.generate_ntt_primes(bits, degree, 3, preference="largest") == largest


def test_the_others_follow() -> None:
    degree, bits = 1 << 20, 38
    every = search(bits, 2 * degree, 1 << 17)
    ordered = sorted(every, key=lambda q: (q % HALF != 1, -q))
    assert 0 < sum(q % HALF == 1 for q in every) < 10
    assert ringlet.generate_ntt_primes(bits, degree, len(every), "half_word_one") == ordered
    with pytest.raises(ringlet.InvalidArgument, match="fewer primes"):
        ringlet.generate_ntt_primes(bits, degree, len(every) + 1, "half_word_one")


def test_fast_widths() -> None:
    for bits in range(20, 50):
        assert ringlet.generate_fast_ntt_primes(bits, 1024) == search(bits, 2048, 1)
    for bits in range(50, 55):
        assert ringlet.generate_fast_ntt_primes(bits, 1024, 5) == search(49, 2048, 5)
    for bits in range(55, 62):
        assert ringlet.generate_fast_ntt_primes(bits, 1024, 5) == search(bits, HALF, 5)
    assert ringlet.generate_fast_ntt_primes(62, 1024) == search(61, HALF, 1)


@pytest.mark.parametrize("bad", [(1, 1024, 1), (63, 1024, 1), (50, 12, 1), (50, 1 << 21, 1)])
def test_refusals(bad: tuple[int, int, int]) -> None:
    with pytest.raises(ringlet.InvalidArgument, match="generate_fast_ntt_primes"):
        ringlet.generate_fast_ntt_primes(*bad)


def test_unknown_preferences_are_refused() -> None:
    for call in (
        lambda: ringlet.generate_ntt_primes(60, 1024, 1, "smallest"),
        lambda: ckks.Parameters(1024, [40], scale_bits=20, prime_preference="smallest"),
    ):
        with pytest.raises(ringlet.InvalidArgument, match="smallest.*half_word_one"):
            call()


def test_parameters_take_preferred_primes() -> None:
    sizes = [60, 40, 55, 60]
    first, second = search(60, HALF, 2)
    # Sizes below 55 gain nothing: those of 40 bits stay near the scale.
    expected = [second, *search(40, 2048, 1), *search(55, HALF, 1), first]
    common = {"security": "none", "prime_preference": "half_word_one"}
    made = [
        ckks.Parameters(1024, sizes, scale_bits=40, **common),
        bfv.Parameters(1024, sizes, **common),
        bgv.Parameters(1024, data_bits=sizes[:3], special_bits=sizes[3:], **common),
    ]
    assert [parameters.coeff_modulus for parameters in made] == [expected] * 3
    usual = ckks.Parameters(1024, sizes, scale_bits=40, security="none").coeff_modulus
    upper, lower = search(60, 2048, 2)
    assert usual == [lower, *search(40, 2048, 1), *search(55, 2048, 1), upper]
    secret = bfv.SecretContext(made[1])
    public = secret.public()
    encrypted = public.bind(secret.encrypt([1, 2, -3]))
    assert list(secret.decrypt(encrypted * encrypted)[:3]) == [1, 4, 9]
