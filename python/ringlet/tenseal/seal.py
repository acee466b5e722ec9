# SPDX-License-Identifier: Apache-2.0
"""Bytes of TenSEAL 0.3: messages of Protocol Buffers around objects of Microsoft SEAL 4.

SEAL has Ringlet's residues and keys, in the same order, behind other headers. So this module turns
files of the one library into files of the other, and Ringlet's loaders check them. Sources:
docs/files.md, tenseal/proto of TenSEAL, and serialization.h and `save_members` of SEAL.
"""

from __future__ import annotations

import functools
import hashlib
import io
import math
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.alignment import moved
from ..arrays.container import packed
from ..arrays.files import DTYPES
from ..arrays.layout import Layout
from ..errors import RingletError, RuntimeFailure
from .cells import are_cells
from .refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_OBJECT = struct.Struct("<HBBBBHQ")  # Magic, header, version, compression, 0, all bytes.
_POLYNOMIALS = struct.Struct("<32s?QQQdQ")  # Level, form, number, N, primes, scale, 1.
_FRAME = struct.Struct("<8s4H32sQQ16x")
_PREAMBLE = struct.Struct("<8sIId")
_TABLES = ("classical_2024", "quantum_2024", "he_standard_2018", "he_standard_2018_quantum")
_KINDS = ("public", "relin", "galois")
_AUTOS = ("relin", "rescale", "mod_switch")
_HEAD = 97  # Bytes in front of polynomials.
_DAMAGE = (ValueError, TypeError, IndexError, OverflowError, struct.error, zlib.error)


def is_tenseal(data: bytes) -> bool:
    """Tells whether bytes begin as those of TenSEAL."""
    return data[:1] in (b"\n", b"\x12")


def is_for_tenseal(format: str) -> bool:
    """Tells whether a format is "tenseal". Raises InvalidArgument unless it is "ringlet"."""
    if format not in ("ringlet", "tenseal"):
        refuse("serialize", f"format = {format!r}", "'ringlet', 'tenseal'", "pass one of these")
    return format == "tenseal"


def _reader(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def read(operation: str, *arguments: Any) -> Any:
        try:
            return function(operation, *arguments)
        except RingletError:
            raise
        except _DAMAGE as error:
            raise RuntimeFailure(
                f"ringlet.tenseal: {operation}", f"damaged bytes of TenSEAL: {error}",
                "bytes of TenSEAL 0.3 with SEAL 4", "fetch a new copy",
            ) from None  # fmt: skip

    return read


# Messages.


def _number(stream: io.BytesIO) -> int:
    """Returns the next number; 0 at the end."""
    value = 0
    for place in range(10):
        byte = (stream.read(1) or b"\0")[0]
        value |= (byte & 127) << 7 * place
        if byte < 128:
            break
    return value


def _fields(data: bytes) -> dict[int, list[Any]]:
    result: dict[int, list[Any]] = {}
    stream = io.BytesIO(data)
    while key := _number(stream):
        kind = key & 7
        number = 8 if kind == 1 else _number(stream)
        value: Any = stream.read(number) if kind else number
        if kind > 2 or (kind and len(value) != number):
            raise ValueError("a field that is cut off, or of another type")
        result.setdefault(key >> 3, []).append(value)
    return result


def _last(message: dict[int, list[Any]], field: int, default: Any = None) -> Any:
    return message.get(field, [default])[-1]


def _bytes_of(*numbers: int) -> bytes:
    result = bytearray()
    for number in numbers:
        while number > 127:
            result.append(number & 127 | 128)
            number >>= 7
        result.append(number)
    return bytes(result)


def _message(*values: Any) -> bytes:
    """Returns the fields 1, 2, ... with these values; None for a field that is missing."""
    result = b""
    for field, value in enumerate(values, 1):
        if isinstance(value, float):
            result += _bytes_of(8 * field + 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            result += _bytes_of(8 * field, value)
        elif value is not None:
            parts: Any = value if isinstance(value, list) else [value]
            for part in parts:
                result += _bytes_of(8 * field + 2, len(part)) + part
    return result


# Objects of SEAL.


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def _opened(data: Any) -> memoryview:
    """Returns the members of an object, at most 32 bytes for each of its own: residues compress
    little."""
    magic, header, version, _, compression, _, length = _OBJECT.unpack_from(data)
    if (magic, header, version, length) != (0xA15E, 16, 4, len(data)):
        raise ValueError("an object that is cut off, or none of SEAL 4")
    inside = memoryview(data)[16:]
    if compression == 0:
        return inside
    if compression == 2:
        contents = _core.zstd_contents(bytes(inside), 32 * length)
        if contents is None:
            raise ValueError("a damaged frame of Zstandard")
        return memoryview(contents)
    inflater = zlib.decompressobj()
    members = inflater.decompress(inside, 32 * length)
    if compression != 1 or not inflater.eof:
        raise ValueError("an object that is not compressed as it says")
    return memoryview(members)


def _sealed(*parts: bytes) -> bytes:
    size = 16 + sum(map(len, parts))
    return b"".join([_OBJECT.pack(0xA15E, 16, 4, 3, 0, 0, size), *parts])


def _frame(kind: int, level: bytes, *parts: Any, flags: int = 0) -> bytes:
    """Returns a file of Ringlet. Its secret key has no name, as SEAL gives none."""
    payload = b"".join(parts)
    size = len(payload)
    head = _FRAME.pack(b"\x89RGL\r\n\x1a\n", kind, 1, 1, flags, level, size, size)
    return b"".join([head, hashlib.sha256(head + payload).digest(), payload])


def _parameters(data: Any, scale: float) -> Any:
    """Returns Ringlet's Parameters, by SEAL's table of 2018 beyond the guidelines of 2024."""
    members = _opened(data)
    scheme, degree, count = struct.unpack_from("<BQQ", members)
    *primes, plain = np.frombuffer(members[17:], "<u8").reshape(-1, 3)[:, 2].tolist()
    if len(primes) != count or count > 64:
        raise ValueError(f"{count} primes")
    table = 2 if math.prod(primes).bit_length() > _core.max_modulus_bits(degree) else 0
    numbers = (scheme, degree, plain, 128, table, 1, count - 1, 1, *primes)
    frame = _frame(1, bytes(32), _words(*numbers))
    if scheme == 2:
        used = scale if scale > 0 else min(2.0**40, primes[0] / 4)
        return _core.CkksParameters.from_bytes(frame, scale=used)
    return _core.BfvParameters.from_bytes(frame)


class _Chain:
    """The levels of Parameters with one special prime, in both libraries."""

    def __init__(self, parameters: Any) -> None:
        if len(parameters.special_primes) != 1 or parameters.digit_size != 1:
            refuse("files of TenSEAL", f"{parameters}", "one special prime, in digits of one",
                   "make the context with coeff_mod_bit_sizes")  # fmt: skip
        self.parameters, self.table = parameters, _TABLES.index(parameters.table)
        self.is_ckks = parameters.scheme == "ckks"
        self.plain = 0 if self.is_ckks else parameters.plain_modulus
        self.degree, self.data = parameters.degree, parameters.data_primes
        self.primes = [*self.data, *parameters.special_primes]
        self.scale = parameters.scale if self.is_ckks else 1.0
        self.top = self.id(len(self.primes))

    def id(self, count: int) -> bytes:
        """Returns Ringlet's name of the level with so many primes."""
        scheme, size = 1 + self.is_ckks, len(self.data)
        numbers = (scheme, 1, self.degree, self.plain, 128, self.table, 1, size)
        text = _words(*numbers, *self.data, 1, self.primes[-1], count)
        return hashlib.sha256(b"ringlet.parms.v2" + text).digest()

    def head(
        self, count: int, size: int, is_ntt: bool, scale: float = 1.0, minor: int = 3
    ) -> bytes:
        """Returns what SEAL has in front of so many polynomials with so many primes."""
        number = size * count * self.degree
        text = _words(1 + self.is_ckks, self.degree, *self.primes[:count], self.plain)
        level = hashlib.blake2b(text, digest_size=32).digest()
        fields = _POLYNOMIALS.pack(level, is_ntt, size, self.degree, count, scale, 1)
        return fields + _OBJECT.pack(0xA15E, 16, 4, minor, 0, 0, 24 + 8 * number) + _words(number)

    def words(self, members: Any, is_ntt: bool, most: int) -> tuple[int, int, float, Any]:
        """Returns the numbers of primes and polynomials, the scale, and the residues."""
        _, _, size, _, count, scale, _ = _POLYNOMIALS.unpack_from(members)
        head = self.head(min(count, most), size, is_ntt, scale, members[77])
        if members[:_HEAD] != head or len(members) != _HEAD + 8 * size * count * self.degree:
            refuse("bytes of TenSEAL", "an object for other parameters, or a damaged one",
                   "those of the context", "load the context that belongs to it")  # fmt: skip
        return count, size, scale, members[_HEAD:]

    def ciphertext(self, data: Any) -> bytes:
        """Returns Ringlet's file of a ciphertext."""
        top = len(self.data)
        count, size, scale, words = self.words(_opened(data), self.is_ckks, top)
        if self.is_ckks and count < top:
            expected = self.scale
            for prime in self.data[: count - 1 : -1]:
                expected *= expected / prime
            # TenSEAL states the first scale for products too; the primes make another of it.
            scale = expected if abs(scale - expected) < expected / 16 else scale
        fields = _words(self.is_ckks, size, count, self.degree), struct.pack("<dQ", scale, 1)
        return _frame(3, self.id(count), *fields, words)

    def container(self, parts: int, *frames: bytes) -> bytes:
        head = _PREAMBLE.pack(b"\x89RGP\r\n\x1a\n", 1, parts, self.scale)
        parameters = self.parameters.to_bytes()[_PREAMBLE.size + 32 :]
        return b"".join([head, hashlib.sha256(head).digest(), parameters, *frames])

    def public(self, keys: list[Any]) -> bytes:
        """Returns Ringlet's file of SEAL's keys: public, relinearization and Galois, or None."""
        count = len(self.primes)
        if keys[0] is None:  # Ringlet's file needs one. Nobody has the secret key of this one.
            kind = _core.CkksSecretContext if self.is_ckks else _core.BfvSecretContext
            other = kind(self.parameters).public(rotations=[], relinearization=False)
            frames = [other.to_bytes()[len(self.container(0)) :]]
        else:
            *_, words = self.words(_opened(keys[0]), True, count)
            frames = [_frame(4, self.top, _words(count, self.degree), words)]
        parts = 1
        for place, key in enumerate(keys[1:], 1):
            if key is not None:
                parts |= 1 << place
                frames += self.key_set(4 + place, _opened(key))
        return self.container(parts, *frames)

    def key_set(self, kind: int, members: Any) -> list[bytes]:
        count, at = len(self.primes), 40
        step = 16 + _HEAD + 16 * count * self.degree
        frames, indices = [], []
        for place in range(min(int.from_bytes(members[32:40], "little"), self.degree)):
            pairs, start = int.from_bytes(members[at : at + 8], "little"), at + 8
            at = start + pairs * step
            if at > len(members):
                raise ValueError("keys that are cut off")
            if pairs:
                objects = [members[n + 16 : n + step] for n in range(start, at, step)]
                words = [self.words(pair, True, count)[-1] for pair in objects]
                indices.append(place + 2 if kind == 5 else 2 * place + 1)
                head = _words(kind, indices[-1], pairs, count, self.degree)
                frames.append(_frame(7, self.top, head, *words))
        places = np.cumsum([120 + 24 * len(frames), *map(len, frames)]).tolist()
        entries = [_words(i, at, len(f)) for i, at, f in zip(indices, places, frames)]
        return [_frame(kind, self.top, _words(len(frames)), *entries), *frames]

    def secret(self, key: Any) -> bytes:
        """Returns Ringlet's file of SEAL's secret key, from its residues of the first prime."""
        values = np.frombuffer(_opened(key)[72:], "<u8", self.degree).astype(np.uint64)
        q = self.primes[0]
        n = _core.Ntt(self.degree, q).inverse(values)
        codes = (n == 1) + 2 * (n == q - 1) + 3 * ((n > 1) & (n < q - 1))
        text = (codes.reshape(-1, 4) @ [1, 4, 16, 64]).astype(np.uint8).tobytes()
        return self.container(8, _frame(8, self.top, _words(self.degree), text))

    # To SEAL.

    def to_seal(self) -> bytes:
        """Returns the parameters."""
        moduli = [_sealed(_words(q)) for q in (*self.primes, self.plain)]
        head = struct.pack("<BQQ", 1 + self.is_ckks, self.degree, len(self.primes))
        return _sealed(head, *moduli)

    def sealed(self, polynomials: NDArray[Any], is_ntt: bool, scale: float = 1.0) -> bytes:
        """Returns polynomials, of shape (number, primes, N)."""
        size, count, _ = polynomials.shape
        return _sealed(self.head(count, size, is_ntt, scale), polynomials.astype("<u8").tobytes())

    def sealed_secret(self, file: bytes) -> bytes:
        """Returns the secret key in a file of Ringlet."""
        four = np.frombuffer(file[-self.degree // 4 :], np.uint8).astype(np.uint64)
        codes = (four[:, None] >> np.array([0, 2, 4, 6], np.uint64)).reshape(-1)
        plus, minus = codes & 1, codes >> 1 & 1
        limbs = [_core.Ntt(self.degree, q).forward(plus + minus * (q - 1)) for q in self.primes]
        number = len(limbs) * self.degree
        level = self.head(len(self.primes), 1, True)[:32]
        head = level + struct.pack("<Qd", number, 1.0)
        words = np.stack(limbs).astype("<u8").tobytes()
        return _sealed(head, _sealed(_words(number), words))

    def sealed_keys(self, file: bytes) -> list[bytes | None]:
        """Returns the keys in a file of Ringlet: public, relinearization and Galois, or None."""
        pairs, at = self._pairs(), _PREAMBLE.size + 32
        found: dict[int, dict[int, list[bytes]]] = {}
        while at < len(file):
            _, kind, _, _, flags, _, size, _ = _FRAME.unpack_from(file, at)
            payload, at = file[at + 112 : at + 112 + size], at + 112 + size
            if kind == 4:
                found[kind] = {0: pairs(payload[16:], flags)}
            elif kind == 7:
                kind, index, *_ = struct.unpack_from("<QQ", payload)
                place = index - 2 if kind == 5 else index // 2
                found.setdefault(kind, {})[place] = pairs(payload[40:], flags)
        keys: list[bytes | None] = [found[4][0][0], None, None]
        level = self.head(len(self.primes), 1, True)[:32]
        for kind, number in ((5, 1), (6, self.degree)):
            if kind in found:
                entries = [found[kind].get(place, []) for place in range(number)]
                lines = [b"".join([_words(len(entry)), *entry]) for entry in entries]
                keys[kind - 4] = _sealed(level, _words(number), *lines)
        return keys

    def _pairs(self) -> Callable[[bytes, int], list[bytes]]:
        """Returns the function that makes objects of pairs of polynomials. Seeds are expanded in
        ciphertexts, whose residues can be read, of parameters without special primes."""
        count, one = len(self.primes), 2.0**20
        numbers = _words(2, self.degree, 0, 128, self.table, 0, count, 0, *self.primes)
        parameters = _core.CkksParameters.from_bytes(_frame(1, bytes(32), numbers), scale=one)
        context = _core.CkksSecretContext(parameters)
        level = context.encrypt([0.0]).to_bytes()[16:48]
        head = _words(1, 2, count, self.degree) + struct.pack("<dQ", one, 1)

        def pairs(payload: bytes, flags: int) -> list[bytes]:
            half, seeds = 8 * count * self.degree, flags & 2
            step = half + (32 if seeds else half)
            files = [
                _frame(3, level, head, payload[n : n + step], flags=seeds)
                for n in range(0, len(payload), step)
            ]
            return [self.sealed(context.load_ciphertext(f).residues(), True) for f in files]

        return pairs


# Contexts and tensors.


@_reader
def read_context(operation: str, data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Returns the description and the part of Context.serialize."""
    message = _fields(data)
    public, private = (_fields(_last(message, field, b"")) for field in (2, 3))
    (scale,) = struct.unpack("<d", _last(public, 3, bytes(8)))
    chain = _Chain(_parameters(_last(message, 1), scale))
    secret, is_symmetric = _last(private, 1), _last(message, 4, 0) == 1
    keys = [_last(public, field) for field in (1, 4, 5)]
    has = [key is not None for key in keys]
    if secret is not None:
        has = [not is_symmetric, *(_last(private, field, 0) == 1 for field in (2, 3))]
    flags = _last(public, 2, 0)
    return {
        "scheme": chain.parameters.scheme, "scale": scale if scale > 0 else None,
        "keys": [key for key, is_there in zip(_KINDS, has) if is_there],
        "is_symmetric": is_symmetric, "secret": secret is not None,
        "autos": {name: flags >> place & 1 for place, name in enumerate(_AUTOS)},
    }, [chain.public(keys) if secret is None else chain.secret(secret)]  # fmt: skip


def context_message(
    parameters: Any, description: dict[str, Any], public: bytes, secret: bytes | None
) -> bytes:
    """Returns TenSEAL's bytes of a context whose keys are in these files of Ringlet."""
    chain = _Chain(parameters)
    has = [key in description["keys"] for key in _KINDS]
    keys = [key if h else None for key, h in zip(chain.sealed_keys(public), has)]
    private = secret and _message(chain.sealed_secret(secret), *has[1:])
    flags = sum(description["autos"][name] << place for place, name in enumerate(_AUTOS))
    scale = description["scale"]
    shared = _message(keys[0], flags, -1.0 if scale is None else scale, *keys[1:])
    return _message(chain.to_seal(), shared, private, int(description["is_symmetric"]))


@_reader
def read_tensor(name: str, data: bytes, context: Any) -> tuple[dict[str, Any], list[bytes]]:
    """Returns the description and the part of `serialize`.

    Slots behind the numbers of a vector or batch may hold anything.
    """
    message, chain = _fields(data), _Chain(context.parameters)
    stream, slots = io.BytesIO(_last(message, 1, b"")), chain.degree // 2
    shape = list(iter(functools.partial(_number, stream), 0))
    batch = 0 if name.endswith("Vector") else _last(message, 3 + chain.is_ckks, 0)
    if name.endswith("Tensor"):
        fits, shape = batch <= slots, [batch] * (batch > 0) + shape
    else:
        fits = shape[-1] <= slots and all(n == slots for n in shape[:-1])
        shape = [sum(shape)]
    if not fits:
        refuse(name, f"shape {shape} of TenSEAL", f"{slots} numbers in each ciphertext",
               "encrypt a vector, or a batch, of so many")  # fmt: skip
    dimensions = [] if name.endswith("Tensor") and not batch else [[slots, 0]]
    array = {
        "kind": "array", "layout": {"shape": shape, "dimensions": dimensions},
        "dtype": DTYPES[context.scheme][0], "is_clean": not dimensions,
    }  # fmt: skip
    return {"batch": batch > 0}, [packed(array, [chain.ciphertext(c) for c in message.get(2, [])])]


def tensor_message(name: str, array: Any, is_batch: bool) -> bytes:
    """Returns TenSEAL's bytes of a vector or tensor. The numbers of a vector move into the first
    slots, as they move in operations."""
    chain, slots, shape = _Chain(array.engine.public.parameters), array.engine.slots, array.shape
    is_vector, lengths = name.endswith("Vector"), shape[is_batch:]
    fits = len(shape) == 1 if is_vector else not is_batch or shape[0] <= slots
    if not fits or not (is_vector or are_cells(array, is_batch)):
        refuse(name, f"an encoded matrix, a batch or a packed tensor of shape {shape}",
               f"for TenSEAL vectors, batches of {slots} and tensors of 256 numbers",
               "encrypt smaller ones, or before generate_galois_keys")  # fmt: skip
    if is_vector:
        if not array.layout.is_in_order(slots):
            array = moved(array, Layout.rows(shape, slots))
        lengths = [slots] * (len(array.blocks) - 1) + [(shape[0] - 1) % slots + 1]
    ciphertexts = [
        chain.sealed(block.residues(), chain.is_ckks, getattr(block, "scale", 1.0))
        for block in array.blocks
    ]
    scale = [array.blocks[0].scale] if chain.is_ckks else []
    return _message(_bytes_of(*lengths), ciphertexts, *scale, shape[0] if is_batch else None)
