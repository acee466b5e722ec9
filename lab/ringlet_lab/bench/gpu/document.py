# SPDX-License-Identifier: Apache-2.0
"""The JSON of `ringlet bench gpu` and of the bundle that runs without Python, and the checks of it.

bench/gpu writes the entries. A file may come from anyone, so every member that is used is checked.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ringlet.errors import InvalidArgument
from ringlet.files import read_json

from .rows import OPERATION

SCHEMA = "ringlet-gpu/1"
_WANTED = f"a file of the schema {SCHEMA}, as `ringlet bench gpu` or the bundle's `run` writes it"
_REMEDY = "measure again, or name the file as it was written"
# The message of a refusal may contain a compiler's log.
_MOST_TEXT = 65536
_MOST_NUMBER = 2**60
_MOST_ENTRIES = 20_000
# Far below the rounding of the entries.
_LEAST_MICROSECONDS = 1e-6

_SCHEME = {"row": str, "title": str, "degree": int, "data_primes": int, "options": dict}
_ROUTINE = _SCHEME | {"routine": str, "special_primes": int}
_ENTRIES: dict[str, dict[str, type]] = {
    "roof": {},
    "ntt": {
        "row": str, "title": str, "radix": int, "direction": str, "degree": int, "bits": int,
        "primes": int, "limbs": int, "kernel": str, "queues": str, "passes": int, "options": dict,
    },
    "routine": _ROUTINE | {"batch": int},
    "routine_transforms": _ROUTINE | {"forward_limbs": int, "inverse_limbs": int},
    "keyswitch": _ROUTINE | {"batch": int},
    "keyswitch_transforms": _ROUTINE | {"forward_limbs": int, "inverse_limbs": int},
    "product": _SCHEME | {"shape": str},
    "process": _SCHEME | {"shape": str},
    "server": {"row": str, "ciphertexts": int, "degree": int},
    "compile": {"row": str, "programs": int, "threads": int},
}  # fmt: skip
_LEAST = {
    "degree": 2, "radix": 2, "limbs": 1, "primes": 1, "batch": 1, "passes": 1, "bytes": 1,
    "products": 1,
}  # fmt: skip
# Characters that a terminal would obey.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_DEVICE: dict[str, type] = {
    "name": str, "api": str, "description": str, "driver_version": str, "is_host_processor": bool,
    "memory_bytes": int, "compute_units": int,
}  # fmt: skip
_STEP: dict[str, type] = {
    "name": str, "device": str, "state": str, "seconds": float, "detail": str, "passed": int,
    "failed": int, "skipped": int,
}  # fmt: skip
_CODE: dict[str, type] = {
    "kernel": str, "path": str, "direction": str, "instructions": int, "per_butterfly": float,
}  # fmt: skip


class _Reader:
    """Raises InvalidArgument for a part that the document must not have, and names its place in the
    file."""

    def __init__(self, named: str) -> None:
        self._named = named

    def refuse(self, place: str, what: str) -> InvalidArgument:
        return InvalidArgument(OPERATION, f"{self._named}: {place} {what}", _WANTED, _REMEDY)

    def members(self, value: Any, place: str, types: dict[str, type]) -> dict[str, Any]:
        """Returns an object with at least these members. Its numbers are finite and not negative.
        """
        if not isinstance(value, dict):
            raise self.refuse(place, "is no object")
        for name, kind in types.items():
            if name not in value:
                raise self.refuse(place, f"has no {name!r}")
            self._check(value[name], f"{place}.{name}", kind)
        return value

    def _check(self, value: Any, place: str, kind: type) -> None:
        if kind is float and isinstance(value, int):
            kind = int
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise self.refuse(place, f"is no {kind.__name__}")
        if isinstance(value, str) and len(value) > _MOST_TEXT:
            raise self.refuse(place, f"has more than {_MOST_TEXT} characters")
        if isinstance(value, str) and _CONTROL.search(value):
            raise self.refuse(place, "has control characters")
        if isinstance(value, int | float) and not 0 <= value <= _MOST_NUMBER:
            raise self.refuse(place, "is out of range")

    def items(self, document: dict[str, Any], name: str) -> list[Any]:
        value = document.get(name, [])
        if not isinstance(value, list):
            raise self.refuse(name, "is no list")
        if len(value) > _MOST_ENTRIES:
            raise self.refuse(name, f"has more than {_MOST_ENTRIES} members")
        return value

    def entry(self, value: Any, place: str, devices: set[str]) -> None:
        entry = self.members(value, place, {"name": str, "kind": str, "device": str})
        if entry["device"] not in devices:
            raise self.refuse(f"{place}.device", "is none of context.devices")
        # Entries of kinds that a later version adds stay unchanged.
        self.members(entry, place, _ENTRIES.get(entry["kind"], {}))
        samples = entry.get("samples")
        if not isinstance(samples, list) or not 1 <= len(samples) <= _MOST_ENTRIES:
            raise self.refuse(f"{place}.samples", "is no list of times")
        for sample in samples:
            self._check(sample, f"{place}.samples", float)
            if sample < _LEAST_MICROSECONDS:
                raise self.refuse(f"{place}.samples", "has a time that is not positive")
        if entry["kind"] == "roof" and not ("bytes" in entry or "products" in entry):
            raise self.refuse(place, "has neither 'bytes' nor 'products'")
        if entry["kind"] == "ntt" and entry["direction"] not in ("forward", "inverse"):
            raise self.refuse(f"{place}.direction", "is neither 'forward' nor 'inverse'")
        for name, least in _LEAST.items():
            if name in entry:
                self._check(entry[name], f"{place}.{name}", float)
                if entry[name] < least:
                    raise self.refuse(f"{place}.{name}", f"is less than {least}")


def checked_document(document: Any, named: str) -> dict[str, Any]:
    """Returns the document unchanged if it is valid. Otherwise raises InvalidArgument, which calls
    the file `named`."""
    reader = _Reader(named)
    top = reader.members(document, "the file", {"schema": str, "context": dict})
    if top["schema"] != SCHEMA:
        raise reader.refuse("schema", f"is {top['schema']!r:.100}")
    context = reader.members(top["context"], "context", {"date": str})
    refusal = {"part": str, "row": str, "reason": str, "device": str}
    for name, types in (("refused", refusal), ("steps", _STEP), ("machine_code", _CODE)):
        for i, item in enumerate(reader.items(top, name)):
            reader.members(item, f"{name}[{i}]", types)
    devices = reader.items(context, "devices")
    for i, device in enumerate(devices):
        reader.members(device, f"context.devices[{i}]", _DEVICE)
        reader.members({"compiler": "", **device}, f"context.devices[{i}]", {"compiler": str})
    if not devices:
        steps = "; ".join(f"{s['name']}: {s['detail']}" for s in reader.items(top, "steps")[:1])
        raise reader.refuse("context.devices", f"is empty: nothing was measured ({steps:.300})")
    for i, entry in enumerate(reader.items(top, "benchmarks")):
        reader.entry(entry, f"benchmarks[{i}]", {device["name"] for device in devices})
    for i, note in enumerate(reader.items(top, "notes")):
        reader.members({"text": note}, f"notes[{i}]", {"text": str})
    return top


def read_document(path: Path) -> dict[str, Any]:
    """Reads a file that `ringlet bench gpu` or the bundle wrote. Raises OSError if it cannot be
    read, InvalidArgument if it is no such file."""
    named = f"--from {path}"
    return checked_document(read_json(path, OPERATION, named, _WANTED, _REMEDY), named)
