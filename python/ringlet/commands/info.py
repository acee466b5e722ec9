# SPDX-License-Identifier: Apache-2.0
"""`ringlet info`."""

from __future__ import annotations

from typing import Annotated

from ..console import make_console
from .options import JsonFile, option


def info(
    *,
    kernels: Annotated[
        bool, option("--kernels", help="Also show which kernels run, and all kernels.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """Show the version, the processor, the kernels and the devices."""
    from ..files import note_written, prepare_folders, write_json
    from ..info import info_json, print_info

    console = make_console(json)
    prepare_folders([json])
    print_info(console, kernels)
    if json is not None:
        write_json(json, info_json())
        note_written(console, json)
