# SPDX-License-Identifier: Apache-2.0
"""FV with one wide modulus: encrypts bits in the slots of cyclotomic rings, and adds them.

    context = Context(Parameters.default_128())      # 128 bits of security, 108 slots
    secret = SecretKey.generate(context)             # the client
    public = secret.public_key()                     # for everybody who encrypts
    x = public.encrypt([1, 0, 1, 1])                 # the other slots hold 0
    y = public.encrypt([1, 1, 0, 1])
    secret.decrypt(x + y)[:4]                        # [0, 1, 1, 0]: + is exclusive or

`public.encrypt` of a two-dimensional array returns a list with one ciphertext for each row; it
encrypts four rows at a time. For products of ciphertexts use `ringlet.bfv`.
Functions raise `InvalidArgument` for arguments of the wrong type or of other parameters. Key
generation, encryption and decryption are constant time in keys and messages.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InvalidArgument

__all__ = [
    "Ciphertext",
    "Context",
    "Parameters",
    "PublicKey",
    "SecretKey",
    "load_secret_key",
    "save_secret_key",
]

BitArray = npt.NDArray[np.uint8]
BytesLike = bytes | bytearray | memoryview


def _expect(operation: str, value: Any, kind: Any, name: str) -> None:
    if not isinstance(value, kind):
        raise InvalidArgument(
            operation,
            f"{name} of type {type(value).__name__}",
            f"{name} of type {getattr(kind, '__name__', kind)}",
            "pass an object of that type",
        )


class Parameters:
    """Parameters of FV: the ring Z[X]/Phi_m, the modulus q, and how secrets are drawn."""

    _inner: _core.FvParameters

    def __init__(
        self,
        index: int,
        *,
        modulus: int | None = None,
        modulus_bits: int = 125,
        secrets: str = "ternary",
        way: str = "automatic",
    ) -> None:
        """Makes parameters; `Context` checks their security.

        - index: m, odd.
        - modulus: q, below 2^135; or modulus_bits: q is the largest prime of this size.
        - secrets: "ternary" or "binary". Use "binary" only to reproduce published results.
        - way: how products are computed: "automatic", "karatsuba", "ntt" or "additions". All ways
          give the same bits.
        """
        operation = "fv.Parameters"
        _expect(operation, secrets, str, "secrets")
        _expect(operation, way, str, "way")
        if modulus is None:
            text = _core.fv_largest_prime(modulus_bits)
        else:
            _expect(operation, modulus, int, "modulus")
            text = str(modulus) if 2 <= modulus < 2**135 else "0"
        self._inner = _core.FvParameters.make(index, text, secrets, way)

    @classmethod
    def _named(cls, name: str) -> Parameters:
        result = cls.__new__(cls)
        result._inner = _core.FvParameters.named(name)
        return result

    @classmethod
    def _of(cls, core: _core.FvParameters) -> Parameters:
        result = cls.__new__(cls)
        result._inner = core
        return result

    @classmethod
    def default_128(cls) -> Parameters:
        """Returns parameters with 128 bits of security.

        m = 10773, n = 5832, 108 slots, q of 125 bits.
        """
        return cls._named("default_128")

    @classmethod
    def default_128_8190(cls) -> Parameters:
        """Returns parameters with 128 bits of security.

        m = 8191, n = 8190, 630 slots, q of 135 bits.
        """
        return cls._named("default_128_8190")

    @classmethod
    def reproduction_2420(cls) -> Parameters:
        """Returns parameters with about 64 bits of security, to reproduce published results.

        m = 2783, n = 2420, 22 slots, binary secrets.
        """
        return cls._named("reproduction_2420")

    @classmethod
    def reproduction_2560(cls) -> Parameters:
        """Returns parameters with about 64 bits of security, to reproduce published results.

        m = 3485, n = 2560, 64 slots, binary secrets.
        """
        return cls._named("reproduction_2560")

    @property
    def index(self) -> int:
        """The index m of the ring."""
        return self._inner.index

    @property
    def degree(self) -> int:
        """Degree of the ring: n = phi(m)."""
        return self._inner.degree

    @property
    def modulus(self) -> int:
        """The modulus q."""
        return int(self._inner.modulus_text)

    @property
    def modulus_bits(self) -> int:
        """Size of q in bits."""
        return self._inner.modulus_bits

    @property
    def secrets(self) -> str:
        """How secrets are drawn: "ternary" or "binary"."""
        return self._inner.secrets

    def __repr__(self) -> str:
        return (
            f"fv.Parameters(index={self.index}, modulus={self.modulus}, secrets={self.secrets!r})"
        )


class Context:
    """Checked parameters with their slots."""

    _inner: _core.FvContext

    def __init__(self, parameters: Parameters, *, security: int | str = "tc128") -> None:
        """Checks parameters against a security level.

        - security: 128 or "tc128", 192, 256, "reproduction" (about 64 bits) or "none". Raises
          InvalidArgument if the parameters do not reach it.
        """
        _expect("fv.Context", parameters, Parameters, "parameters")
        _expect("fv.Context", security, str | int, "security")
        self._inner = _core.fv_context(parameters._inner, security)

    @classmethod
    def from_bytes(cls, data: BytesLike, *, min_security: int | str = "tc128") -> Context:
        """Returns the context in `data`, bytes of to_bytes.

        - min_security: lowest accepted security level. Raises InvalidArgument for a lower one.
        """
        _expect("fv.Context.from_bytes", data, BytesLike, "data")
        _expect("fv.Context.from_bytes", min_security, str | int, "min_security")
        result = cls.__new__(cls)
        result._inner = _core.load_fv_context(data, min_security)
        return result

    def __repr__(self) -> str:
        return repr(self._inner)

    def to_bytes(self) -> bytes:
        """Returns the parameters as bytes, for from_bytes. They contain no keys."""
        return self._inner.to_bytes()

    @property
    def parameters(self) -> Parameters:
        """Parameters of the context."""
        return Parameters._of(self._inner.parameters)

    @property
    def slot_count(self) -> int:
        """Number of bits in a message."""
        return self._inner.slot_count

    @property
    def security(self) -> str:
        """Name of the security level, such as "tc128"."""
        return self._inner.security

    @property
    def parms_id(self) -> str:
        """Digest of parameters and level, as 64 hexadecimal digits."""
        return self._inner.parms_id

    @property
    def fresh_noise_bits(self) -> float:
        """log2 of a bound on the noise of a fresh ciphertext."""
        return self._inner.fresh_noise_bits

    @property
    def max_additions(self) -> int:
        """Number of fresh ciphertexts whose sum certainly decrypts."""
        return self._inner.max_additions

    @property
    def kernel_name(self) -> str:
        """Name of the method that computes products on this machine."""
        return self._inner.kernel_name


@dataclass(frozen=True, repr=False)
class Ciphertext:
    """Encrypted bits. `a + b` encrypts their exclusive or."""

    _inner: _core.FvCiphertext

    def __add__(self, other: Ciphertext) -> Ciphertext:
        if not isinstance(other, Ciphertext):
            return NotImplemented
        return Ciphertext(self._inner + other._inner)

    def __repr__(self) -> str:
        return repr(self._inner)

    def to_bytes(self) -> bytes:
        """Returns the ciphertext as bytes, for from_bytes. The bytes are public."""
        return self._inner.to_bytes()

    @classmethod
    def from_bytes(cls, context: Context, data: BytesLike) -> Ciphertext:
        """Returns the object in `data`, bytes of to_bytes.

        - context: a context of the same parameters. Raises InvalidArgument for other parameters,
          RuntimeFailure or InvalidArgument for damaged bytes.
        """
        _expect("fv.Ciphertext.from_bytes", context, Context, "context")
        _expect("fv.Ciphertext.from_bytes", data, BytesLike, "data")
        return cls(_core.load_fv_ciphertext(context._inner, data))


def _rows_of(bits: npt.ArrayLike) -> tuple[BitArray, bool]:
    operation = "fv.PublicKey.encrypt"
    remedy = "pass an array of bool or of 0 and 1, of one or two dimensions"
    _core.refuse_masked(bits, operation, "bits")
    try:
        array = np.asarray(bits)
    except ValueError:
        raise InvalidArgument(
            operation, "NumPy cannot make an array of these bits", "rows of one length", remedy
        ) from None
    is_empty_list = array.size == 0 and array.dtype == np.float64
    if array.dtype.kind not in "bui" and not is_empty_list:
        raise InvalidArgument(
            operation, f"bits of type {array.dtype}", "bool or integers 0 and 1", remedy
        )
    if array.ndim not in (1, 2):
        raise InvalidArgument(
            operation, f"bits of {array.ndim} dimensions", "one or two dimensions", remedy
        )
    if array.size > 0 and bool(((array != 0) & (array != 1)).any()):
        raise InvalidArgument(operation, "a value that is neither 0 nor 1", "0 and 1", remedy)
    rows = array if array.ndim == 2 else array[np.newaxis, :]
    return np.ascontiguousarray(rows, dtype=np.uint8), array.ndim == 2


@dataclass(frozen=True, repr=False)
class PublicKey:
    """A public key, which encrypts."""

    _inner: _core.FvPublicKey

    @overload
    def encrypt(self, bits: Sequence[int]) -> Ciphertext: ...

    @overload
    def encrypt(self, bits: npt.ArrayLike) -> Ciphertext | list[Ciphertext]: ...

    def encrypt(self, bits: npt.ArrayLike) -> Ciphertext | list[Ciphertext]:
        """Encrypts bits and returns a ciphertext, or for a two-dimensional array a list of
        ciphertexts.

        - bits: bool, or integers 0 and 1; shape (n,), or (rows, n) for one ciphertext per row, with
          n up to slot_count. The other slots hold 0.

        Raises InvalidArgument for other values and shapes.
        """
        rows, is_matrix = _rows_of(bits)
        results = [Ciphertext(core) for core in self._inner.encrypt_rows(rows)]
        return results if is_matrix else results[0]

    def __repr__(self) -> str:
        return repr(self._inner)

    def to_bytes(self) -> bytes:
        """Returns the key as bytes, for from_bytes. A seed replaces the uniform half of the key."""
        return self._inner.to_bytes()

    @classmethod
    def from_bytes(cls, context: Context, data: BytesLike) -> PublicKey:
        """Returns the object in `data`, bytes of to_bytes.

        - context: a context of the same parameters. Raises InvalidArgument for other parameters,
          RuntimeFailure or InvalidArgument for damaged bytes.
        """
        _expect("fv.PublicKey.from_bytes", context, Context, "context")
        _expect("fv.PublicKey.from_bytes", data, BytesLike, "data")
        return cls(_core.load_fv_public_key(context._inner, data))


@dataclass(frozen=True, repr=False)
class SecretKey:
    """A secret key, which decrypts. Only save_secret_key saves it."""

    _inner: _core.FvSecretKey

    @classmethod
    def generate(cls, context: Context) -> SecretKey:
        """Makes a new secret key from the randomness of the operating system."""
        _expect("fv.SecretKey.generate", context, Context, "context")
        return cls(_core.generate_fv_key(context._inner))

    def __repr__(self) -> str:
        return repr(self._inner)

    def public_key(self) -> PublicKey:
        """Makes a new public key for this secret key."""
        return PublicKey(self._inner.public_key())

    def decrypt(self, ciphertext: Ciphertext) -> BitArray:
        """Decrypts a ciphertext and returns the bits of all slots.

        The result is an array of uint8 of shape (slot_count,). Raises InvalidArgument for a
        ciphertext of another key or of other parameters.
        """
        _expect("fv.SecretKey.decrypt", ciphertext, Ciphertext, "ciphertext")
        return self._inner.decrypt_bits(ciphertext._inner)

    def noise_budget(self, ciphertext: Ciphertext) -> float:
        """Returns by how many bits the noise of a ciphertext may still grow."""
        _expect("fv.SecretKey.noise_budget", ciphertext, Ciphertext, "ciphertext")
        return self._inner.noise_budget(ciphertext._inner)


def save_secret_key(key: SecretKey, path: str | os.PathLike[str]) -> None:
    """Writes the key, unencrypted, to a new file that only the user may read.

    Anyone who has the file can decrypt everything. Raises RuntimeFailure if the file exists or
    cannot be written.
    """
    _expect("fv.save_secret_key", key, SecretKey, "key")
    _expect("fv.save_secret_key", path, str | os.PathLike, "path")
    _core.save_fv_secret_key(key._inner, path)


def load_secret_key(context: Context, path: str | os.PathLike[str]) -> SecretKey:
    """Returns the key in a file that save_secret_key wrote.

    - context: a context of the key's parameters. Raises InvalidArgument for another context,
      RuntimeFailure if the file cannot be read.
    """
    _expect("fv.load_secret_key", context, Context, "context")
    _expect("fv.load_secret_key", path, str | os.PathLike, "path")
    return SecretKey(_core.load_fv_secret_key(context._inner, path))
