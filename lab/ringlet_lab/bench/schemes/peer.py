# SPDX-License-Identifier: Apache-2.0
"""Measures SEAL through TenSEAL's interface to it, for `ringlet bench schemes`.

Objects of SEAL are made once; a job calls one function of the interface again and again. The times
include the call from Python, which takes less than a microsecond. Where messages are encoded or
decoded, they also include the conversion of lists, so these times have no ratio.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from ringlet.errors import RuntimeFailure

OPERATION = "ringlet bench schemes"
REQUIREMENTS = "python/requirements-peers.txt"
INSTALL = f"pip install -r {REQUIREMENTS}"
_PLAIN_BITS = 20
_LISTS = ("encode", "decode")
# The automorphism X -> X^3 rotates by one slot.
_GALOIS_ELEMENT = 3
_SMALL_DEGREE = 4096
# Tolerances in units of N and N^1.5 over a scale, as in the check of Ringlet's own results: for
# errors and rounding in a slot, and for key switching in the slots near 1.
_TOLERANCE, _SWITCH_TOLERANCE = 64, 16
_MOST_TOLERANCE = 1 / 16


def _scale(degree: int) -> float:
    return 2.0**30 if degree <= _SMALL_DEGREE else 2.0**45


class PeerMeter:
    """One context of SEAL with keys and operands, and the operations on them."""

    def __init__(self, seal: Any, scheme: str, degree: int, primes: Sequence[int]) -> None:
        self._seal, self._scheme, self._degree = seal, scheme, degree
        self._is_ckks = scheme == "ckks"
        level = seal.SEC_LEVEL_TYPE.TC128
        parameters = seal.EncryptionParameters(getattr(seal.SCHEME_TYPE, scheme.upper()))
        parameters.set_poly_modulus_degree(degree)
        moduli = seal.CoeffModulus.BFVDefault(degree, level)
        if [q.value() for q in moduli] != list(primes):
            raise RuntimeFailure(
                OPERATION,
                f"SEAL's default primes at N = {degree} are not those of Ringlet",
                "the same primes",
                f"install the version of {REQUIREMENTS}, and report it",
            )
        parameters.set_coeff_modulus(moduli)
        if not self._is_ckks:
            self._plain_modulus = seal.PlainModulus.Batching(degree, _PLAIN_BITS)
            parameters.set_plain_modulus(self._plain_modulus)
        context = seal.SEALContext(parameters, True, level)
        keygen = seal.KeyGenerator(context)
        public = seal.PublicKey()
        keygen.create_public_key(public)
        self._relin = seal.RelinKeys()
        keygen.create_relin_keys(self._relin)
        self._galois = seal.GaloisKeys()
        keygen.create_galois_keys([_GALOIS_ELEMENT], self._galois)
        self._encryptor = seal.Encryptor(context, public)
        self._decryptor = seal.Decryptor(context, keygen.secret_key())
        self._evaluator = seal.Evaluator(context)
        self._encoder = (seal.CKKSEncoder if self._is_ckks else seal.BatchEncoder)(context)
        self._decode = getattr(self._encoder, "decode_double" if self._is_ckks else "decode_uint64")
        self._context = context
        self._make_operands()
        self._operations = self._make_operations()

    def _make_operands(self) -> None:
        seal, slots = self._seal, self._encoder.slot_count()
        rng = random.Random(1)
        if self._is_ckks:
            self._values = [[rng.uniform(-1, 1) for _ in range(slots)] for _ in range(2)]
        else:
            t = self._plain_modulus.value()
            self._values = [[rng.randrange(t) for _ in range(slots)] for _ in range(2)]
        self._x, self._y, self._product, self._low = (seal.Ciphertext() for _ in range(4))
        self._plain_x, self._plain_y, self._plain = (seal.Plaintext() for _ in range(3))
        self._result, self._long, self._relinearized = (seal.Ciphertext() for _ in range(3))
        self._encode(self._values[0], self._plain_x)
        self._encode(self._values[1], self._plain_y)
        self._encryptor.encrypt(self._plain_x, self._x)
        self._encryptor.encrypt(self._plain_y, self._y)
        self._evaluator.multiply(self._x, self._y, self._product)
        self._evaluator.relinearize(self._product, self._relin, self._relinearized)

    def _encode(self, values: list[Any], plain: Any) -> None:
        if self._is_ckks:
            self._encoder.encode(values, _scale(self._degree), plain)
        else:
            self._encoder.encode(values, plain)

    def _make_operations(self) -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]]:
        """Returns by name: the function of SEAL, its arguments, and the name of the expected slots.
        The last argument receives the result, except for encoding."""
        evaluate, x, y = self._evaluator, self._x, self._y
        rotate = evaluate.rotate_vector if self._is_ckks else evaluate.rotate_rows
        scale = (_scale(self._degree),) if self._is_ckks else ()
        short, long = self._result, self._long
        found: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
            "encode": (self._encoder.encode, (self._values[0], *scale, self._plain), "x"),
            "decode": (self._decode, (self._plain_x,), "x"),
            "encrypt": (self._encryptor.encrypt, (self._plain_x, short), "x"),
            "decrypt": (self._decryptor.decrypt, (x, self._plain), "x"),
            "add": (evaluate.add, (x, y, short), "sum"),
            "multiply": (evaluate.multiply, (x, y, long), "product"),
            "square": (evaluate.square, (x, long), "square"),
            "multiply_plain": (evaluate.multiply_plain, (x, self._plain_y, short), "product"),
            "relinearize": (evaluate.relinearize, (self._product, self._relin, short), "product"),
            "rotate": (rotate, (x, 1, self._galois, short), "rotated"),
        }
        if self._is_ckks:
            arguments = (self._relinearized, self._low)
            found["rescale"] = (evaluate.rescale_to_next, arguments, "product")
        else:
            found["mod_switch"] = (evaluate.mod_switch_to_next, (x, self._low), "x")
        found["multiply_relinearize"] = (self._multiply_relinearize, (short,), "product")
        if self._is_ckks:
            low = (self._low,)
            found["multiply_relinearize_rescale"] = (self._multiply_rescale, low, "product")
            found["square_relinearize_rescale"] = (self._square_rescale, low, "square")
        return found

    def _multiply_relinearize(self, result: Any) -> None:
        self._evaluator.multiply(self._x, self._y, self._long)
        self._evaluator.relinearize(self._long, self._relin, result)

    def _multiply_rescale(self, result: Any) -> None:
        self._multiply_relinearize(self._result)
        self._evaluator.rescale_to_next(self._result, result)

    def _square_rescale(self, result: Any) -> None:
        self._evaluator.square(self._x, self._long)
        self._evaluator.relinearize(self._long, self._relin, self._result)
        self._evaluator.rescale_to_next(self._result, result)

    def operations(self) -> list[str]:
        return list(self._operations)

    @staticmethod
    def in_python(name: str) -> bool:
        """Returns True if the time includes the conversion of a list."""
        return name in _LISTS

    def job(self, name: str) -> Callable[[int], None]:
        function, arguments, _ = self._operations[name]

        def run(repetitions: int) -> None:
            for _ in range(repetitions):
                function(*arguments)

        return run

    def _expected(self, what: str) -> np.ndarray:
        x, y = map(np.array, self._values)
        rows = x.reshape(1 if self._is_ckks else 2, -1)
        rotated = np.roll(rows, -1, axis=1).ravel()
        results = {"x": x, "sum": x + y, "product": x * y, "square": x * x, "rotated": rotated}
        return results[what] if self._is_ckks else results[what] % self._plain_modulus.value()

    def check(self, name: str) -> None:
        """Runs the operation once and compares the slots. Raises RuntimeFailure if they differ."""
        function, arguments, what = self._operations[name]
        returned = function(*arguments)
        scale = _scale(self._degree)
        if name == "decode":
            slots = returned
        elif name in ("encode", "decrypt"):
            slots = self._decode(self._plain)
        else:
            plain = self._seal.Plaintext()
            self._decryptor.decrypt(arguments[-1], plain)
            scale = min(scale, arguments[-1].scale) if self._is_ckks else scale
            slots = self._decode(plain)
        expected = self._expected(what)
        tolerance = 0.0
        if self._is_ckks:
            tolerance = _TOLERANCE * self._degree / scale
            tolerance += _SWITCH_TOLERANCE * self._degree**1.5 / _scale(self._degree)
            tolerance = min(tolerance, _MOST_TOLERANCE)
        if len(slots) == len(expected) and np.abs(slots - expected).max() <= tolerance:
            return
        raise RuntimeFailure(
            OPERATION,
            f"{name} of {self._scheme} by SEAL leaves wrong slots at N = {self._degree}",
            "the slots that the operation computes",
            f"install the version of {REQUIREMENTS}",
        )


class Peer:
    """SEAL, as TenSEAL offers it."""

    def __init__(self, seal: Any, version: str) -> None:
        self._seal = seal
        self.version = version
        self.name = "tenseal"

    def has(self, scheme: str) -> bool:
        return hasattr(self._seal.SCHEME_TYPE, scheme.upper())

    def meter(self, scheme: str, degree: int, primes: Sequence[int]) -> PeerMeter:
        return PeerMeter(self._seal, scheme, degree, primes)


def find_peer() -> tuple[Peer | None, str]:
    """Returns SEAL and "", or None and the reason why it is missing."""
    try:
        seal = importlib.import_module("tenseal.sealapi")
        version = importlib.metadata.version("tenseal")
    except ImportError as error:
        return None, f"SEAL beside Ringlet: {error}; to measure it: {INSTALL}"
    return Peer(seal, f"SEAL in TenSEAL {version}"), ""
