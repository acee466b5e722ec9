# SPDX-License-Identifier: Apache-2.0
"""Writes parameters.txt: what Microsoft SEAL itself says about moduli and parameters.

    pip install tenseal==0.3.18
    python parameters.py [folder]

Every run writes the same file. README.md describes it.
"""

import random
import sys
from pathlib import Path

import tenseal.sealapi as seal

LEVELS = {
    0: seal.SEC_LEVEL_TYPE.NONE,
    128: seal.SEC_LEVEL_TYPE.TC128,
    192: seal.SEC_LEVEL_TYPE.TC192,
    256: seal.SEC_LEVEL_TYPE.TC256,
}
BFV, CKKS, BGV = 1, 2, 3
DEGREES = [1024 << i for i in range(6)]
SIX_PRIMES = [60, 40, 40, 30, 30, 60]


def values(primes):
    return [prime.value() for prime in primes]


def create(degree, bits):
    return values(seal.CoeffModulus.Create(degree, bits))


def words(numbers):
    return ",".join(f"{number:x}" for number in numbers) or "-"


def level_text(data):
    """Primes, place in the chain, bits of the product, flags, level reached, identifier."""
    flags = data.qualifiers()
    bits = (
        flags.using_fft,
        flags.using_ntt,
        flags.using_batching,
        flags.using_fast_plain_lift,
        flags.using_descending_modulus_chain,
    )
    reached = next(bits for bits, level in LEVELS.items() if level == flags.sec_level)
    return ":".join(
        str(field)
        for field in (
            len(data.parms().coeff_modulus()),
            data.chain_index(),
            data.total_coeff_modulus_bit_count(),
            "".join("01"[bool(bit)] for bit in bits),
            reached,
            "".join(f"{word:016x}" for word in data.parms_id()),
        )
    )


def context_line(scheme, degree, plain, expand, level, primes):
    parms = seal.EncryptionParameters(scheme)
    if degree:
        parms.set_poly_modulus_degree(degree)
    if primes:
        parms.set_coeff_modulus([seal.Modulus(prime) for prime in primes])
    if plain:
        parms.set_plain_modulus(seal.Modulus(plain))
    context = seal.SEALContext(parms, expand, LEVELS[level])
    chain = []
    data = context.key_context_data()
    while data is not None:
        chain.append(level_text(data))
        data = data.next_context_data()
    question = f"{scheme} {degree} {plain:x} {int(expand)} {level} {words(primes)}"
    answer = f"{context.parameters_error_name()} {int(context.using_keyswitching())}"
    return f"context {question} {answer} {' '.join(chain)}"


def table_lines():
    for level in LEVELS:
        for degree in [0, 512, 1023, *DEGREES, 65536]:
            bits = seal.CoeffModulus.MaxBitCount(degree, LEVELS[level])
            yield f"max_bits {level} {degree} {bits}"
    for level in (128, 192, 256):
        for degree in DEGREES:
            primes = values(seal.CoeffModulus.BFVDefault(degree, LEVELS[level]))
            yield f"default {level} {degree} {words(primes)}"


def create_lines():
    requests = [
        (8192, [60, 40, 40, 60]),
        (8192, [20]),
        (2, [60] * 5 + [3]),
        (2, [2 + i for i in range(1, 59)]),
        (131072, [60] * 20 + [30, 30]),
        (32768, [50, 49, 50, 49, 50, 48]),
        (64, [17, 17, 17, 9, 10, 60]),
    ]
    for degree, bits in requests:
        yield f"create {degree} {','.join(map(str, bits))} {words(create(degree, bits))}"


def default_sets():
    for level in (128, 192, 256):
        for degree in DEGREES:
            primes = values(seal.CoeffModulus.BFVDefault(degree, LEVELS[level]))
            yield BFV, degree, 1024, True, level, primes
            if level == 128:
                yield CKKS, degree, 0, True, level, primes
                yield BGV, degree, 65537, degree != 32768, level, primes


def refused_sets():
    good = create(64, [30, 31, 32])
    yield 0, 0, 0, True, 0, []
    for scheme in (BFV, CKKS, BGV):
        plain = 0 if scheme == CKKS else 257
        sets = [
            (64, []),
            (0, []),
            (64, [0]),
            (0, [0]),
            (64, [(1 << 61) - 1]),
            (64, [*good, 0]),
            (0, good),
            (1, good),
            (3, good),
            (96, good),
            (262144, good),
            (262143, [*good, good[0]]),
            (1024, good),
            (64, [good[0], good[0]]),
            (64, [12289, 12289, 40961]),
            (64, [good[0], 40961, 65539]),
            (64, [786433, 65537, 65539]),
            (16384, [786433, 65539, 65537]),
        ]
        for degree, primes in sets:
            for level in (0, 128):
                yield scheme, degree, plain, True, level, primes
        for level in (128, 192, 256):
            for degree in DEGREES:
                most = seal.CoeffModulus.MaxBitCount(degree, LEVELS[level])
                for bits in (most, most + 1):
                    if 16 <= bits <= 60:
                        yield scheme, degree, plain, True, level, create(degree, [bits])
    for scheme in (BFV, BGV):
        for plain in (0, 2, good[0], 3 * good[1], (1 << 60) - 1, 1 << 60, (1 << 61) - 1):
            yield scheme, 64, plain, True, 0, good
            yield scheme, 64, plain, True, 0, good[:1]
            yield scheme, 64, plain, True, 128, good
        for delta in (-1, 0, 1):
            yield scheme, 64, good[0] * 3 + delta, True, 0, good[:1]
            yield scheme, 64, good[0] + delta, True, 0, good[:2]


def random_sets():
    rng = random.Random(20261121)
    for _ in range(150):
        scheme = rng.choice((BFV, CKKS, BGV))
        degree = 1 << rng.randint(1, 11)
        count = rng.randint(1, 6)
        bits = [rng.randint(max(18, degree.bit_length() + 6), 60) for _ in range(count)]
        primes = create(degree, bits)
        rng.shuffle(primes)
        plain = 0
        if scheme != CKKS:
            plain = rng.choice((2, 3, 4, 17, 256, 65537, 786433))
            if rng.random() < 0.5:
                plain = rng.getrandbits(rng.randint(2, 60)) | 2
            if rng.random() < 0.3:
                plain = create(degree, [rng.randint(degree.bit_length() + 6, 60)])[0]
        level = rng.choice((0, 0, 0, 128, 192, 256))
        yield scheme, degree, plain, rng.random() < 0.7, level, primes
    for scheme in (BFV, CKKS, BGV):
        yield scheme, 2, 0 if scheme == CKKS else 5, True, 0, create(2, SIX_PRIMES)
        yield scheme, 2, 0 if scheme == CKKS else 2, True, 0, [13, 17]
        plain = 0 if scheme == CKKS else 786433
        yield scheme, 131072, plain, True, 0, create(131072, SIX_PRIMES[:3])


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    lines = ["# SEAL 4.3 about moduli and parameters: see README.md"]
    lines += table_lines()
    lines += create_lines()
    for sets in (default_sets(), refused_sets(), random_sets()):
        lines += (context_line(*parameters) for parameters in sets)
    (folder / "parameters.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
