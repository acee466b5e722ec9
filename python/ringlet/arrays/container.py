# SPDX-License-Identifier: Apache-2.0
"""Bytes of arrays and servers: a description in JSON, and parts that other loaders read.

Eight bytes of magic number, the length of the description in eight bytes, the description, and the
parts one after the other. The description has the lengths of the parts.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import RuntimeFailure

_MAGIC = b"\x89RLA\r\n\x1a\x01"
_MAX_DESCRIPTION = 1 << 24


def packed(description: dict[str, Any], parts: list[bytes]) -> bytes:
    """Returns the bytes of a description and its parts."""
    text = json.dumps({**description, "parts": [len(p) for p in parts]}).encode()
    return b"".join([_MAGIC, len(text).to_bytes(8, "little"), text, *parts])


def unpacked(operation: str, kind: str, data: Any) -> tuple[dict[str, Any], list[bytes]]:
    """Returns the description and the parts. Raises RuntimeFailure for other bytes."""
    try:
        view = memoryview(data).cast("B")
        if bytes(view[:8]) != _MAGIC:
            raise ValueError("the first bytes are others")
        length = int.from_bytes(view[8:16], "little")
        if length > _MAX_DESCRIPTION or 16 + length > len(view):
            raise ValueError("the description is cut off")
        description = json.loads(bytes(view[16 : 16 + length]))
        lengths = description["parts"]
        if description["kind"] != kind:
            raise ValueError(f"they hold a {description['kind']}")
        if not all(type(n) is int and n >= 0 for n in lengths):
            raise ValueError("a length is no number")
        if 16 + length + sum(lengths) != len(view):
            raise ValueError("parts are cut off, or bytes follow them")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RuntimeFailure(
            operation, f"bytes that hold no {kind}: {error}", f"the bytes of a {kind}",
            "pass the bytes unchanged; fetch a new copy of a damaged file",
        ) from None  # fmt: skip
    parts, start = [], 16 + length
    for n in lengths:
        parts.append(bytes(view[start : start + n]))
        start += n
    return description, parts
