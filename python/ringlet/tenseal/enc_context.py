# SPDX-License-Identifier: Apache-2.0
"""Contexts with TenSEAL's interface: parameters and keys of Ringlet's CKKS and BFV."""

from __future__ import annotations

import enum
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray
from ..arrays.client import BfvClient, CkksClient
from ..arrays.container import packed, unpacked
from ..arrays.engine import CiphertextEngine
from ..errors import RuntimeFailure
from .refusals import checked, limit_of, read_bytes, refuse, with_value_errors
from .seal import context_message, is_for_tenseal, is_tenseal, read_context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..arrays.layout import Layout


class SCHEME_TYPE(enum.Enum):
    """Schemes."""

    NONE = 0
    BFV = 1
    CKKS = 2


class ENCRYPTION_TYPE(enum.Enum):
    """Who can encrypt: everybody with the public key, or the owner of the secret key alone."""

    ASYMMETRIC = 0
    SYMMETRIC = 1


@dataclass(frozen=True)
class Part:
    """A part of a context. `data` is Ringlet's object that holds it: Parameters, a PublicContext or
    a SecretContext; None for a Decryptor in a public context."""

    data: Any


class SecretKey(Part):
    """The secret key: `data` is a SecretContext."""


PublicKey = RelinKeys = GaloisKeys = SEALContext = Encryptor = Decryptor = Part


_SCHEMES = {SCHEME_TYPE.CKKS: "ckks", SCHEME_TYPE.BFV: "bfv"}
_SECRETS = {"ckks": _core.CkksSecretContext, "bfv": _core.BfvSecretContext}
_PUBLICS = {"ckks": _core.CkksPublicContext, "bfv": _core.BfvPublicContext}
_LOADERS = {"ckks": _core.load_ckks_secret_key, "bfv": _core.load_bfv_secret_key}
_CLIENTS = {"ckks": CkksClient, "bfv": BfvClient}
_KEYS = {
    "public": "a public key", "relin": "Relinearization keys", "galois": "Galois keys",
}  # fmt: skip
_REMEDIES = {
    "public": "serialize the context with save_public_key=True",
    "relin": "call context.generate_relin_keys()",
    "galois": "call context.generate_galois_keys()",
}
_KIND = "context of ringlet.tenseal"
_DEFAULT_BITS = 40


class Context:
    """Parameters and keys.

    - scheme: SCHEME_TYPE.CKKS or SCHEME_TYPE.BFV.
    - poly_modulus_degree: N, a power of two.
    - plain_modulus: BFV: the modulus t of messages, a prime that is 1 modulo 2N.
    - coeff_mod_bit_sizes: sizes of the primes in bits; Ringlet's defaults if empty.
    - encryption_type: an ENCRYPTION_TYPE.
    - n_threads: sets the number of threads of Ringlet, for the whole process.

    Raises ValueError for parameters below 128 bits of security by the guidelines of 2024. Keys are
    made when they are first needed. CKKS takes the scale from `global_scale` at that time.
    """

    def __init__(
        self,
        scheme: SCHEME_TYPE | None = None,
        poly_modulus_degree: int | None = None,
        plain_modulus: int | None = None,
        coeff_mod_bit_sizes: Any = (),
        encryption_type: ENCRYPTION_TYPE = ENCRYPTION_TYPE.ASYMMETRIC,
        n_threads: int | None = None,
    ) -> None:
        if scheme not in _SCHEMES:
            limit = "SCHEME_TYPE.CKKS, SCHEME_TYPE.BFV"
            refuse("context", f"scheme = {scheme!r}", limit, "pass one of these")
        self.scheme = _SCHEMES[scheme]
        if self.scheme == "bfv" and plain_modulus is None:
            refuse(
                "context", "BFV without plain_modulus", "a prime that is 1 modulo 2N",
                "pass plain_modulus=1032193, which fits degrees up to 16384",
            )  # fmt: skip
        _set_threads(n_threads)
        sizes = [int(bits) for bits in coeff_mod_bit_sizes or ()]
        self._arguments: Any = (poly_modulus_degree, sizes or None, plain_modulus)
        self._encryption_type = encryption_type
        self._scale: float | None = None
        self._autos: dict[str, bool] = dict.fromkeys(("relin", "rescale", "mod_switch"), True)
        if self.scheme == "bfv":
            self._autos.update(rescale=False, mod_switch=False)
        self._has = {"public", "relin"}
        self._engine: CiphertextEngine | None = None
        self._secret: Any = None
        self._make_secret(2.0 ** (sizes[1] if len(sizes) > 2 else _DEFAULT_BITS))

    @with_value_errors
    def _make_secret(self, scale: float) -> None:
        degree: Any
        degree, sizes, plain_modulus = self._arguments
        if sizes and degree in (1 << k for k in range(10, 18)) and sum(sizes) > limit_of(degree):
            refuse(
                "context", f"coeff_mod_bit_sizes of {sum(sizes)} bits together at degree {degree}",
                f"{limit_of(degree)} bits, for 128 bits of security by the guidelines of 2024",
                f"take fewer or smaller primes, or poly_modulus_degree={2 * degree}",
            )  # fmt: skip
        if self.scheme == "ckks":
            parameters: Any = _core.CkksParameters(degree, sizes, scale=scale)
        else:
            parameters = _core.BfvParameters(degree, sizes, plain_modulus=plain_modulus)
        if not parameters.special_primes:
            raise RuntimeFailure(
                "context", f"one prime at degree {degree}, which allows no products of ciphertexts",
                "two primes or more", "take a larger degree, or more coeff_mod_bit_sizes",
            )  # fmt: skip
        self._secret = _SECRETS[self.scheme](parameters)

    def __repr__(self) -> str:
        side = "private" if self.is_private() else "public"
        return f"<ringlet.tenseal.Context {side} {self.parameters}>"

    # Scale and switches.

    @property
    def global_scale(self) -> float:
        """CKKS: the scale of encodings. Set it before the first encryption; ValueError later."""
        if self._scale is None:
            refuse("global_scale", "no global scale", "a scale", "set context.global_scale = 2**40")
        return self._scale

    @global_scale.setter
    def global_scale(self, value: Any) -> None:
        checked("global_scale", value, (int, float, np.integer, np.floating), "a number")
        if not value >= 1:
            refuse("global_scale", f"{value!r}", "a scale from 1 on", "set it to 2**40")
        if self.scheme == "ckks" and value != self.parameters.scale:
            if self._engine is not None or self._arguments is None:
                refuse(
                    "global_scale", f"scale {value!r} after keys or vectors were made",
                    f"their scale, {self.parameters.scale:.0f}",
                    "set global_scale before the first encryption and before serialize",
                )  # fmt: skip
            self._make_secret(float(value))
        self._scale = float(value)

    def scale_for(self, scale: float | None) -> None:
        """Checks the scale of a vector, or uses it as the context's if there is none yet.

        Raises ValueError without a scale, and for one above that of the context.
        """
        if scale is None or self._scale is None:
            self.global_scale = self.global_scale if scale is None else scale
        elif scale > self._scale:
            refuse(
                "scale", f"scale = {scale!r}", f"the global scale, {self._scale:.0f}",
                "set context.global_scale to the largest scale before the first encryption",
            )  # fmt: skip

    def _switch(name: str) -> Any:  # type: ignore[misc]
        def get(self: Context) -> bool:
            return self._autos[name]

        def change(self: Context, value: bool) -> None:
            self._autos[name] = checked(f"auto_{name}", value, bool, "a bool")

        return property(get, change, doc="A switch of TenSEAL's. Ringlet always does this step.")

    auto_relin = _switch("relin")
    auto_rescale = _switch("rescale")
    auto_mod_switch = _switch("mod_switch")
    del _switch

    # Keys.

    @property
    def data(self) -> Context:
        """The context itself."""
        return self

    @property
    def parameters(self) -> Any:
        """Ringlet's Parameters."""
        return (self._secret or self.engine.public).parameters

    @property
    def engine(self) -> CiphertextEngine:
        """Computes on the arrays of this context."""
        if self._engine is None:
            self._engine = CiphertextEngine(self._public_of(self._secret, self._has))
        return self._engine

    @with_value_errors
    def _public_of(self, secret: Any, keys: set[str]) -> Any:
        rotations: list[int] | None = None if "galois" in keys else []
        return secret.public(rotations=rotations, relinearization="relin" in keys)

    @property
    def is_symmetric(self) -> bool:
        """Whether the secret key alone encrypts."""
        return self._encryption_type is ENCRYPTION_TYPE.SYMMETRIC

    def _needs_asymmetric(self, operation: str) -> None:
        if self.is_symmetric:
            limit = "contexts of ENCRYPTION_TYPE.ASYMMETRIC"
            refuse(operation, "a context of symmetric encryption", limit, "make one of that type")

    def need(self, key: str, operation: str) -> None:
        """Raises ValueError if a kind of keys is missing: "public", "relin" or "galois"."""
        if key not in self._has:
            what = f"a context that doesn't hold {_KEYS[key]}"
            refuse(operation, what, f"a context with {_KEYS[key]}", _REMEDIES[key])

    def has_secret_key(self) -> bool:
        """Tells whether the context can decrypt."""
        return self._secret is not None

    is_private = has_secret_key

    def is_public(self) -> bool:
        """Tells whether the context has no secret key."""
        return self._secret is None

    def has_public_key(self) -> bool:
        """Tells whether the context can encrypt. Raises ValueError for symmetric encryption."""
        self._needs_asymmetric("has_public_key")
        return "public" in self._has

    def has_galois_keys(self) -> bool:
        """Tells whether there are keys for sums and products by matrices."""
        return "galois" in self._has

    def has_relin_keys(self) -> bool:
        """Tells whether there are keys for products of ciphertexts."""
        return "relin" in self._has

    def secret_key(self) -> SecretKey:
        """Returns the secret key. Raises ValueError in a public context."""
        if self._secret is None:
            refuse("secret_key", "a public context, which doesn't hold a secret key",
                   "private contexts", "call it on the client's context")  # fmt: skip
        return SecretKey(self._secret)

    def public_key(self) -> Part:
        """Returns the public key. Raises ValueError if there is none."""
        self._needs_asymmetric("public_key")
        self.need("public", "public_key")
        return PublicKey(self.engine.public)

    def relin_keys(self) -> Part:
        """Returns the relinearization key. Raises ValueError if there is none."""
        self.need("relin", "relin_keys")
        return RelinKeys(self.engine.public)

    def galois_keys(self) -> Part:
        """Returns the Galois keys. Raises ValueError if there are none."""
        self.need("galois", "galois_keys")
        return GaloisKeys(self.engine.public)

    def seal_context(self) -> Part:
        """Returns the parameters."""
        return SEALContext(self.parameters)

    def encryptor(self) -> Part:
        """Returns what encrypts."""
        return Encryptor(self._secret or self.engine.public)

    def decryptor(self) -> Part:
        """Returns what decrypts."""
        return Decryptor(self._secret)

    def generate_galois_keys(self, secret_key: SecretKey | None = None) -> None:
        """Makes keys from which every rotation is composed. A public context takes the secret key
        as an argument; ValueError without it."""
        self._generate("galois", secret_key)

    def generate_relin_keys(self, secret_key: SecretKey | None = None) -> None:
        """Makes the relinearization key. A public context takes the secret key as an argument;
        ValueError without it."""
        self._generate("relin", secret_key)

    def _generate(self, key: str, secret_key: SecretKey | None) -> None:
        if secret_key is not None:
            checked(f"generate_{key}_keys", secret_key, SecretKey, "a SecretKey")
        elif self._secret is None:
            refuse(f"generate_{key}_keys", "a public context without a secret key", "a secret key",
                   "pass secret_key=context.secret_key()")  # fmt: skip
        is_new = key not in self._has
        self._has.add(key)
        if self._engine is not None and is_new:
            secret = self._secret if secret_key is None else secret_key.data
            self._engine.public = self._public_of(secret, self._has)

    def make_context_public(
        self, generate_galois_keys: bool = False, generate_relin_keys: bool = False
    ) -> None:
        """Drops the secret key; makes the named keys before. ValueError for symmetric encryption.
        """
        self._needs_asymmetric("make_context_public")
        if generate_galois_keys:
            self.generate_galois_keys()
        if generate_relin_keys:
            self.generate_relin_keys()
        _ = self.engine
        self._secret = None

    # Encryption.

    def _source(self) -> Any:
        if self._secret is None:
            self.need("public", "encryption")
        return self._secret or self.engine.public

    @with_value_errors
    def encrypted(self, values: NDArray[Any], layout: Layout) -> EncryptedArray:
        """Returns the numbers in this layout, encrypted. Raises ValueError without a key for it."""
        engine, source = self.engine, self._source()
        if self.scheme == "bfv" and not engine.public.uses_batching:
            refuse(
                "encryption", f"plain_modulus = {engine.public.parameters.plain_modulus}",
                "primes that are 1 modulo 2N", "make the context with plain_modulus=1032193",
            )  # fmt: skip
        rows = layout.spread(values)
        blocks = [engine.encrypted(source, row if len(row) > 1 else row[0].item()) for row in rows]
        return EncryptedArray(engine, layout, blocks, np.dtype(values.dtype))

    def bound(self, array: EncryptedArray) -> EncryptedArray:
        """Returns an array of the same keys, bound to the keys of this context; ciphertexts that
        are known to hold zeros become fresh ones."""
        public = self.engine.public
        blocks = [
            self.engine.encrypted(self._source(), 0) if block is None else public.bind(block)
            for block in array.blocks
        ]
        return EncryptedArray(self.engine, array.layout, blocks, array.dtype, array.is_clean)

    def decrypted(self, array: EncryptedArray, secret_key: Any) -> NDArray[Any]:
        """Returns the numbers. Raises ValueError if there is no secret key, TypeError if it is of
        another type."""
        if secret_key is not None:
            secret = checked("decrypt", secret_key, SecretKey, "a SecretKey").data
        elif self._secret is None:
            refuse("decrypt", "a context that doesn't hold a secret key", "a secret key",
                   "pass secret_key=context.secret_key()")  # fmt: skip
        else:
            secret = self._secret
        return np.asarray(_CLIENTS[self.scheme](secret=secret).decrypt(array))

    # Copies and bytes.

    def copy(self) -> Context:
        """Returns a context with the same keys. Later changes of one leave the other."""
        result = Context.__new__(Context)
        result.__dict__.update(self.__dict__)
        result._engine = CiphertextEngine(self.engine.public)
        result._has, result._autos = set(self._has), dict(self._autos)
        return result

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Context:
        return self.copy()

    def serialize(
        self,
        save_public_key: bool = True,
        save_secret_key: bool = False,
        save_galois_keys: bool = True,
        save_relin_keys: bool = True,
        format: str = "ringlet",
    ) -> bytes:
        """Returns parameters, scale and the named keys as bytes, for context_from.

        - format: "ringlet", or "tenseal" for files that TenSEAL reads.

        With save_secret_key=True, anyone who has the bytes can decrypt everything. ValueError if
        the context has no secret key.
        """
        wanted = {"public": save_public_key, "relin": save_relin_keys, "galois": save_galois_keys}
        keys = {key for key in self._has if wanted[key]}
        description = {
            "kind": _KIND, "scheme": self.scheme, "scale": self._scale, "keys": sorted(keys),
            "is_symmetric": self.is_symmetric, "autos": self._autos, "secret": save_secret_key,
        }  # fmt: skip
        for_tenseal, secret = is_for_tenseal(format), None
        if save_secret_key:
            _ = self.engine
            secret = _secret_bytes(self.secret_key().data)
            if not for_tenseal:
                return packed(description, [secret])
        public, needed = self.engine.public, set() if save_secret_key else keys
        if self._secret is not None and needed | {"public"} != self._has | {"public"}:
            public = self._public_of(self._secret, needed)
        if for_tenseal:
            return context_message(self.parameters, description, public.to_bytes(), secret)
        return packed(description, [public.to_bytes()])

    @classmethod
    def load(cls, data: bytes, n_threads: int | None = None) -> Context:
        """Returns the context in the bytes of `serialize`, or in TenSEAL's. Every part is checked.
        TenSEAL's may be of 128 bits by SEAL's table of 2018.

        Raises RuntimeError for other bytes, ValueError for parameters below 128 bits of security.
        """
        operation = "context_from"
        data = read_bytes(operation, data)
        if is_tenseal(data):
            description, parts = read_context(operation, data)
        else:
            description, parts = unpacked(operation, _KIND, data)
        _set_threads(n_threads)
        result = cls.__new__(cls)
        try:
            result.scheme = description["scheme"]
            scale = description["scale"]
            result._scale = None if scale is None else float(scale)
            result._has = {key for key in description["keys"] if key in _KEYS}
            is_symmetric = bool(description["is_symmetric"])
            result._autos = {name: bool(on) for name, on in description["autos"].items()}
            public: Any
            public, load = _PUBLICS[result.scheme], _LOADERS[result.scheme]
            (part,) = parts
        except (KeyError, TypeError, ValueError, AttributeError):
            limit = "bytes of serialize"
            refuse(operation, "a description of no context", limit, "send them again")
        result._encryption_type = ENCRYPTION_TYPE(int(is_symmetric))
        result._secret = result._engine = result._arguments = None
        if description["secret"]:
            result._secret = _secret_of(load, part)
        else:
            result._engine = CiphertextEngine(public.from_bytes(part))
        return result


def _set_threads(count: Any) -> None:
    if count is not None and checked("n_threads", count, (int, np.integer), "an int") > 0:
        _core.set_thread_count(int(count))


def _folder() -> Any:
    """Returns a new folder that only the user can read: in memory where the system has one."""
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(dir=memory if os.path.isdir(memory) else None)


def _secret_bytes(secret: Any) -> bytes:
    """Returns what save_secret_key writes."""
    with _folder() as folder:
        path = os.path.join(folder, "key")
        _core.save_secret_key(secret, path)
        with open(path, "rb") as file:
            return file.read()


def _secret_of(load: Any, data: bytes) -> Any:
    """Returns the SecretContext in what save_secret_key wrote. The bytes stay in memory."""
    handle = os.memfd_create("secret-key")
    try:
        os.write(handle, data)
        return load(f"/proc/self/fd/{handle}")
    finally:
        os.close(handle)
