# SPDX-License-Identifier: Apache-2.0
"""Writes the known answers of this folder with Microsoft SEAL itself, which PyPI's TenSEAL carries.

    pip install tenseal==0.3.18
    python generate.py [folder]

Keys, errors and seeds are random, so each run writes other files; every run checks with SEAL that
what it writes is consistent. README.md describes the files.
"""

import hashlib
import math
import sys
import tempfile
from pathlib import Path

import tenseal.sealapi as seal
from tenseal.sealapi import util

DEGREE = 64
SCHEMES = {"bfv": 1, "ckks": 2, "bgv": 3}
SCALE = 2.0**30
ELEMENTS = [3, 2 * DEGREE - 1]  # rotation by one step, and swap of rows or conjugation


def is_prime(number):
    """Miller-Rabin over bases that decide every 64-bit number."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def prime_below(bound):
    """The largest prime below the bound that is 1 modulo 2 * DEGREE."""
    candidate = bound - bound % (2 * DEGREE) + 1
    while candidate >= bound or not is_prime(candidate):
        candidate -= 2 * DEGREE
    return candidate


# 2^64 is about 17.5 and 17.6 times these primes, so that three words of a hundred are drawn again.
PRIMES = [prime_below(2**65 // 35), prime_below(2**40), prime_below(2**66 // 69)]


class Writer:
    """Collects named byte strings and writes them as text."""

    def __init__(self, heading):
        self.lines = ["# " + heading]

    def add(self, name, content):
        self.lines += [f"object {name}", content.hex()]

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n", encoding="ascii")


class Disk:
    """SEAL's Python interface saves to and loads from files only."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "object")

    def saved(self, thing):
        thing.save(self.path)
        return Path(self.path).read_bytes()

    def loaded(self, thing, content, *context):
        Path(self.path).write_bytes(content)
        thing.load(*context, self.path)
        return thing


DISK = Disk()


def parameters(scheme, factory=None):
    parms = seal.EncryptionParameters(SCHEMES[scheme])
    parms.set_poly_modulus_degree(DEGREE)
    parms.set_coeff_modulus([seal.Modulus(prime) for prime in PRIMES])
    if scheme != "ckks":
        parms.set_plain_modulus(prime_below(2**17))
    if factory is not None:
        parms.set_random_generator(factory)
    return parms


def context_of(parms):
    context = seal.SEALContext(parms, True, seal.SEC_LEVEL_TYPE.NONE)
    assert context.parameters_set(), context.parameters_error_name()
    return context


def message(scheme):
    """The slots that are encrypted: i^2 + 1 for BFV and BGV, cos(i) for CKKS."""
    if scheme == "ckks":
        return [math.cos(i) for i in range(DEGREE // 2)]
    return [i * i + 1 for i in range(DEGREE)]


def encoded(scheme, context, slots):
    plain = seal.Plaintext()
    if scheme == "ckks":
        seal.CKKSEncoder(context).encode(slots, SCALE, plain)
    else:
        seal.BatchEncoder(context).encode(slots, plain)
    return plain


def check_slots(scheme, context, plain, expected):
    if scheme == "ckks":
        slots = seal.CKKSEncoder(context).decode_double(plain)
        assert max(abs(a - b) for a, b in zip(slots, expected, strict=True)) < 1e-4
    else:
        modulus = prime_below(2**17)
        slots = seal.BatchEncoder(context).decode_uint64(plain)
        assert slots == [value % modulus for value in expected]


def add_keys(out, scheme, context, keygen):
    secret = keygen.secret_key()
    public, relin, galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
    keygen.create_public_key(public)
    keygen.create_relin_keys(relin)
    keygen.create_galois_keys(ELEMENTS, galois)
    out.add("secret_key", DISK.saved(secret))
    out.add("public_key", DISK.saved(public))
    out.add("relin_keys", DISK.saved(relin))
    out.add("galois_keys", DISK.saved(galois))

    seeded = {
        "relin_keys": (keygen.create_relin_keys(), seal.RelinKeys()),
        "galois_keys": (keygen.create_galois_keys(ELEMENTS), seal.GaloisKeys()),
    }
    if scheme != "bfv":  # a public key has the layout of an encryption of zero in NTT form
        zero = seal.Encryptor(context, secret).encrypt_zero_symmetric(context.key_parms_id())
        seeded["public_key"] = (zero, seal.PublicKey())
    for name, (serializable, target) in seeded.items():
        content = DISK.saved(serializable)
        expanded = DISK.loaded(target, content, context)
        assert seal.is_valid_for(expanded, context)
        out.add(f"{name}_seeded", content)
        out.add(f"{name}_seeded.expanded", DISK.saved(expanded))
    return public, relin, galois


def add_ciphertexts(out, scheme, context, keys):
    """Ciphertexts and what SEAL decrypts from them."""
    secret, public, relin, galois = keys
    evaluator = seal.Evaluator(context)
    slots = message(scheme)
    plain = encoded(scheme, context, slots)
    out.add("message", DISK.saved(plain))

    def fresh():
        ciphertext = seal.Ciphertext()
        seal.Encryptor(context, public).encrypt(plain, ciphertext)
        return ciphertext

    def add(name, ciphertext, expected):
        content = DISK.saved(ciphertext)
        out.add(name, content)
        loaded = DISK.loaded(seal.Ciphertext(), content, context)
        if name.startswith("seeded"):
            out.add(f"{name}.expanded", DISK.saved(loaded))
        if name == "ntt_form":
            evaluator.transform_from_ntt_inplace(loaded)
        decrypted = seal.Plaintext()
        seal.Decryptor(context, secret).decrypt(loaded, decrypted)
        check_slots(scheme, context, decrypted, expected)
        out.add(f"{name}.decrypted", DISK.saved(decrypted))

    add("public", fresh(), slots)
    symmetric = seal.Ciphertext()
    seal.Encryptor(context, secret).encrypt_symmetric(plain, symmetric)
    add("symmetric", symmetric, slots)
    factories = {"blake2xb": seal.Blake2xbPRNGFactory(), "shake256": seal.Shake256PRNGFactory()}
    for kind, factory in factories.items():
        # The generator is no part of parms_id, so that both contexts read each other's files.
        with_generator = context_of(parameters(scheme, factory))
        encryptor = seal.Encryptor(with_generator, secret)
        add(f"seeded_{kind}", encryptor.encrypt_symmetric(plain), slots)
    product = fresh()
    evaluator.square_inplace(product)
    squares = [value * value for value in slots]
    add("size3", product, squares)
    evaluator.relinearize_inplace(product, relin)
    add("relinearized", product, squares)
    last = product if scheme == "ckks" else fresh()
    if scheme == "ckks":
        evaluator.rescale_to_next_inplace(last)
    else:
        evaluator.mod_switch_to_next_inplace(last)
    add("last_level", last, squares if scheme == "ckks" else slots)
    rotated = fresh()
    if scheme == "ckks":
        evaluator.rotate_vector_inplace(rotated, 1, galois)
        add("rotated", rotated, slots[1:] + slots[:1])
    else:
        evaluator.rotate_rows_inplace(rotated, 1, galois)
        rows = (slots[: DEGREE // 2], slots[DEGREE // 2 :])
        add("rotated", rotated, [v for row in rows for v in row[1:] + row[:1]])
    if scheme == "bfv":
        transformed = fresh()
        evaluator.transform_to_ntt_inplace(transformed)
        add("ntt_form", transformed, slots)


def write_scheme(scheme, folder):
    out = Writer(f"{scheme}, N = {DEGREE}, primes {PRIMES}: see README.md")
    parms = parameters(scheme)
    context = context_of(parms)
    out.add("parameters", DISK.saved(parms))
    keygen = seal.KeyGenerator(context)
    keys = (keygen.secret_key(), *add_keys(out, scheme, context, keygen))
    add_ciphertexts(out, scheme, context, keys)
    out.write(folder / f"{scheme}.txt")


def words_of(sequence, width=8):
    return b"".join(word.to_bytes(width, "little") for word in sequence)


def write_random(folder):
    """Streams and expansions of fixed seeds, and objects without a context."""
    out = Writer("generators of random bytes and small objects: see README.md")
    generators = (("blake2xb", seal.Blake2xbPRNG), ("shake256", seal.Shake256PRNG))
    counted = [0x0706050403020100 + 0x0808080808080808 * i for i in range(8)]
    for seed_name, seed in (("zero", [0] * 8), ("count", counted)):
        for kind, generator in generators:
            stream = generator(seed)
            content = words_of((stream.generate() for _ in range(3 * 1024)), 4)
            out.add(f"{kind}.{seed_name}.first", content[:128])
            out.add(f"{kind}.{seed_name}.around_4096", content[4096 - 64 : 4096 + 64])
            out.add(f"{kind}.{seed_name}.sha256_of_12288", hashlib.sha256(content).digest())
            polynomial = util.sample_poly_uniform(generator(seed), parameters("ckks"))
            assert len(polynomial) == len(PRIMES) * DEGREE
            out.add(f"{kind}.{seed_name}.uniform", words_of(polynomial))
            kinds = {"blake2xb": seal.prng_type.blake2xb, "shake256": seal.prng_type.shake256}
            info = seal.UniformRandomGeneratorInfo(kinds[kind], seed)
            out.add(f"{kind}.{seed_name}.info", DISK.saved(info))
    out.add("moduli", words_of(PRIMES))
    out.add("modulus17", DISK.saved(seal.Modulus(17)))
    for size in (0, 1, 1000):
        array = seal.DynArray(size)
        out.add(f"dynarray_zeros{size}", DISK.saved(array))
    out.write(folder / "random.txt")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    for scheme in SCHEMES:
        write_scheme(scheme, folder)
    write_random(folder)


if __name__ == "__main__":
    main()
