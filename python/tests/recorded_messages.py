# SPDX-License-Identifier: Apache-2.0
"""Writes every frame that a process sends or receives by Dask to a file; workers preload it.

The folder is RINGLET_TEST_MESSAGES. Frames lie one after the other, each behind its length.
"""

import os
import struct
from pathlib import Path

from distributed.comm import tcp

_original = (tcp.to_frames, tcp.from_frames)


def start():
    """From now on, in this process."""
    name = Path(os.environ["RINGLET_TEST_MESSAGES"]) / f"{os.getpid()}"

    def record(direction, frames):
        with open(f"{name}-{direction}", "ab") as file:
            for frame in frames:
                view = memoryview(frame).cast("B")
                file.write(struct.pack("<Q", view.nbytes))
                file.write(view)

    async def to_frames(*arguments, **options):
        frames = await _original[0](*arguments, **options)
        record("sent", frames)
        return frames

    async def from_frames(frames, *arguments, **options):
        record("received", frames)
        return await _original[1](frames, *arguments, **options)

    tcp.to_frames, tcp.from_frames = to_frames, from_frames


def stop():
    tcp.to_frames, tcp.from_frames = _original


def frames_in(path):
    """The frames of a file."""
    data = path.read_bytes()
    place = 0
    while place + 8 <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        yield data[place + 8 : place + 8 + length]
        place += 8 + length


def dask_setup(worker):
    """What Dask calls where a worker preloads this file, before it speaks to anybody."""
    start()
