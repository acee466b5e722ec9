# SPDX-License-Identifier: Apache-2.0
"""`ringlet info`."""

from __future__ import annotations

from ..console import make_console
from .options import JsonFile


def info(json: JsonFile = None) -> None:
    """Show the processor, the devices, and which kernel serves what."""
    from ..files import note_written, prepare_folders, write_json
    from ..info import info_json, print_info

    console = make_console(json)
    prepare_folders([json])
    print_info(console)
    if json is not None:
        write_json(json, info_json())
        note_written(console, json)
