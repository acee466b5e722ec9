# SPDX-License-Identifier: Apache-2.0
"""Sends contexts and circuits to the workers, once to each.

The client sends the bytes of an object to the scheduler, frame by frame, under the SHA-256 of the
whole object. A worker that needs the object for the first time fetches the frames and checks the
SHA-256. The scheduler counts the bytes for each worker. It drops an object when no connected client
has put it.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Any

from distributed import Worker
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.utils import sync

from .. import __version__
from .frames import rejected

NAME = "ringlet-objects"
MAX_OBJECT_BYTES = 1 << 36
"""Largest size of a context or circuit in bytes; it limits what a scheduler may announce."""

_FETCH_SECONDS = 60.0


class ObjectStore(SchedulerPlugin):
    """The objects of all clients on the scheduler, and the bytes that each worker fetched."""

    name = NAME
    idempotent = True

    def __init__(self) -> None:
        self.arriving: dict[tuple[str, str], list[bytes | None]] = {}  # by digest and owner
        self.frames: dict[str, list[bytes]] = {}
        self.owners: dict[str, set[str]] = {}
        self.served: dict[str, dict[str, int]] = {}

    async def start(self, scheduler: Any) -> None:
        """Adds the calls for clients and workers."""
        scheduler.handlers.update(
            ringlet_version=self.version,
            ringlet_put=self.put,
            ringlet_describe=self.describe,
            ringlet_frame=self.frame,
            ringlet_served=self.traffic,
        )

    def version(self) -> str:
        """Returns the version of the package on the scheduler."""
        return __version__

    def put(self, digest: str, index: int, count: int, data: bytes, owner: str) -> int:
        """Keeps a frame of an object of `count` frames. Returns the number of missing frames."""
        frames = self.arriving.setdefault((digest, owner), [None] * count)
        frames[index] = data
        missing = frames.count(None)
        if missing == 0:
            self.frames[digest] = [frame for frame in frames if frame is not None]
            self.owners.setdefault(digest, set()).add(owner)
            del self.arriving[digest, owner]
        return missing

    def describe(self, digest: str, owner: str = "") -> dict[str, int] | None:
        """Returns the number of frames and bytes of a complete object, or None. An `owner` then
        shares the object."""
        frames = self.frames.get(digest)
        if frames is None:
            return None
        if owner:
            self.owners[digest].add(owner)
        return {"count": len(frames), "bytes": sum(map(len, frames))}

    def frame(self, digest: str, index: int, worker: str) -> bytes | None:
        """Returns a frame for a worker and counts it; None if the object no longer exists."""
        frames = self.frames.get(digest, [])
        data = frames[index] if index < len(frames) else None
        if data is not None:
            counts = self.served.setdefault(digest, {})
            counts[worker] = counts.get(worker, 0) + len(data)
        return data

    def traffic(self, digest: str) -> dict[str, int]:
        """Returns the bytes of the object that each worker fetched, by address."""
        return dict(self.served.get(digest, {}))

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Drops the objects that only this client has put."""
        for key in [key for key in self.arriving if key[1] == client]:
            del self.arriving[key]
        for digest, owners in list(self.owners.items()):
            owners.discard(client)
            if not owners:
                for kept in (self.frames, self.owners, self.served):
                    kept.pop(digest, None)


def fetch(worker: Worker, digest: str) -> bytes:
    """Fetches the bytes of an object from the scheduler. Runs in a thread of a worker. Raises
    ResultRejected if the object is missing or does not match the digest."""
    about = _ask(worker, "ringlet_describe", digest=digest)
    if about is None:
        raise rejected(
            f"object {digest[:16]}, which the scheduler does not have",
            "objects of clients that are connected",
            "keep the cluster open until the job is over",
        )
    if about["bytes"] > MAX_OBJECT_BYTES:
        raise rejected(f"an object of {about['bytes']} bytes", f"{MAX_OBJECT_BYTES} bytes")
    state = hashlib.sha256()
    frames = []
    for index in range(about["count"]):
        data = _ask(worker, "ringlet_frame", digest=digest, index=index, worker=worker.address)
        if data is None:
            raise rejected(f"frame {index} of object {digest[:16]}, which is gone", "all frames")
        state.update(data)
        frames.append(data)
    if state.hexdigest() != digest:
        raise rejected(f"object {digest[:16]} with changed bytes", "the SHA-256 of its name")
    return b"".join(frames)


def _ask(asking: Worker, call: str, **arguments: Any) -> Any:
    ask = getattr(asking.scheduler, call)
    return sync(asking.loop, ask, callback_timeout=_FETCH_SECONDS, **arguments)


class Kept:
    """Cache of the objects that a process used last. Each object is made once, even if several
    threads ask for it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._making: dict[Any, threading.Lock] = {}
        self._objects: dict[Any, Any] = {}

    def get(self, key: Any, make: Any) -> Any:
        """Returns the object of this key. `make()` makes it if it is missing."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._objects:
                    self._objects[key] = self._objects.pop(key)
                    return self._objects[key]
            made = make()
            with self._lock:
                self._objects[key] = made
                while len(self._objects) > self._limit:
                    oldest = next(iter(self._objects))
                    del self._objects[oldest]
                    self._making.pop(oldest, None)
            return made
