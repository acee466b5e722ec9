# SPDX-License-Identifier: Apache-2.0
"""File access of the command. It writes a file completely or not at all, and reads JSON that may be
damaged.

All other modules of the package write files through this one.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console

from . import _core
from .errors import InvalidArgument, RuntimeFailure

# The path that means standard output, where JSON may go to a file.
STANDARD_OUTPUT = Path("-")
# Reports of benchmarks have less than one MiB.
_MOST_JSON_BYTES = 64 << 20


def _is_special(path: Path) -> bool:
    """Returns True for a pipe, a terminal or a device. Write to it; do not replace it by a new
    file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def write_atomically(path: Path, data: str | bytes) -> None:
    """Writes a file in one step: even if the call is interrupted, `path` has either all of the old
    content or all of the new content.

    - data: bytes, or text, which is written as UTF-8. Missing parent folders are created. An
      existing file keeps its permissions, a link stays a link, and pipes and devices are written
      to. Raises OSError if the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _core.write_file(path, data.encode() if isinstance(data, str) else data)


def write_json(path: Path, content: Any) -> None:
    """Writes JSON to a file, or to standard output for the path "-"."""
    text = json.dumps(content, indent=2) + "\n"
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_atomically(path, text)


def read_json(path: Path, operation: str, named: str, wanted: str, remedy: str) -> Any:
    """Returns the content of a JSON file.

    Raises OSError if the file cannot be read. Raises InvalidArgument, with `named` as the file's
    name, if the content is no JSON, nested too deeply or larger than 64 MiB.
    """
    with path.open("rb") as file:
        data = file.read(_MOST_JSON_BYTES + 1)
    if len(data) > _MOST_JSON_BYTES:
        raise InvalidArgument(operation, f"{named}: more than 64 MiB", wanted, remedy)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else f"{error!s:.200}"
        raise InvalidArgument(operation, f"{named}: not JSON: {reason}", wanted, remedy) from None


def prepare_folders(paths: Iterable[Path | None]) -> None:
    """Creates the folders of files that will be written, so that a missing folder is an error
    before any measurement.

    Raises OSError, or RuntimeFailure if a folder is read-only.
    """
    for path in paths:
        if path is None or path == STANDARD_OUTPUT:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            remedy = "name a file in this folder"
            raise RuntimeFailure("write", f"{path} is a folder", "a file", remedy)
        if not os.access(path if _is_special(path) else path.parent, os.W_OK):
            raise RuntimeFailure(
                "write",
                f"{path.parent} is read-only",
                "a folder that may be written to",
                "choose another folder or change its permissions",
            )


def note_written(console: Console, *paths: Path | None) -> None:
    """Prints which files were written."""
    for path in paths:
        if path is not None and path != STANDARD_OUTPUT:
            console.print(f"wrote {path}", soft_wrap=True, markup=False)


def beside(path: Path, suffix: str) -> Path | None:
    """Returns the path with another suffix; None for standard output."""
    return None if path == STANDARD_OUTPUT else path.with_suffix(suffix)
