# SPDX-License-Identifier: Apache-2.0
"""Bytes that are sent between machines, in frames of limited length. A SHA-256 identifies them."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable
from typing import Any

from ..errors import ResultRejected

MAX_FRAME_BYTES = 4 << 20
"""Largest length of a buffer of a message in bytes, unless `Limits` sets a smaller one."""

_OPERATION = "ringlet.distributed"


def digest_of(*parts: bytes) -> bytes:
    """Returns the SHA-256 of several parts. The hash covers the length of each part, in eight bytes
    before the part, so that different lists of parts have different digests."""
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


class Parcel:
    """Bytes in frames, with their length and SHA-256. Received bytes are unchecked until `open`.

    A pickle passes the frames as separate buffers, which are not joined.
    """

    __slots__ = ("digest", "frames", "length")

    def __init__(self, frames: Iterable[Any], length: int, digest: bytes) -> None:
        self.frames = tuple(frames)
        self.length = length
        self.digest = digest

    @classmethod
    def of(cls, data: bytes, frame_bytes: int = MAX_FRAME_BYTES) -> Parcel:
        """Returns `data` as a Parcel, in frames of `frame_bytes` bytes; the last frame may be
        shorter."""
        frames = [data[i : i + frame_bytes] for i in range(0, len(data), frame_bytes)]
        return cls(frames, len(data), hashlib.sha256(data).digest())

    def open(self, max_bytes: int, frame_bytes: int = MAX_FRAME_BYTES) -> bytes:
        """Checks the frames and returns their bytes, at most `max_bytes`. Raises ResultRejected if
        a frame is too long, missing or changed."""
        if not all(type(frame) is bytes for frame in self.frames):
            raise rejected("frames that are no bytes", "bytes")
        sizes = [len(frame) for frame in self.frames]
        if max(sizes, default=0) > frame_bytes:
            raise rejected(f"a frame of {max(sizes)} bytes", f"frames of {frame_bytes} bytes")
        if not isinstance(self.length, int) or not 0 <= self.length <= max_bytes:
            raise rejected(f"an object of {self.length!r} bytes", f"{max_bytes} bytes")
        if sum(sizes) != self.length:
            raise rejected(f"{sum(sizes)} bytes", f"the {self.length} bytes that were announced")
        data = b"".join(self.frames)
        if hashlib.sha256(data).digest() != self.digest:
            raise rejected("frames whose bytes were changed", "the SHA-256 that came with them")
        return data

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        kind = pickle.PickleBuffer if protocol >= 5 else bytes
        return _received, (self.length, self.digest, *map(kind, self.frames))

    def __sizeof__(self) -> int:
        """Returns the number of bytes that a worker or the scheduler keeps for the parcel. Dask
        reads this size."""
        return object.__sizeof__(self) + self.length

    def __repr__(self) -> str:
        return f"<ringlet.distributed.Parcel {self.length} bytes, {self.digest.hex()[:16]}>"


def _received(length: int, digest: bytes, *frames: Any) -> Parcel:
    # Views of Dask's buffers would keep the whole message alive.
    views = (bytearray, memoryview, pickle.PickleBuffer)
    copied = (bytes(frame) if isinstance(frame, views) else frame for frame in frames)
    return Parcel(copied, length, digest)


def rejected(offending: str, limit: str, remedy: str = "") -> ResultRejected:
    """Returns the error for a received message that differs from its announcement."""
    return ResultRejected(
        _OPERATION,
        offending,
        limit,
        remedy or "check the workers and the network, and run the job again",
    )
