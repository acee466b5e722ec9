# SPDX-License-Identifier: Apache-2.0
"""The units that need AVX-512 are valid for gcc 12, warnings as errors. Preset gcc leaves them out,
because they take as long to optimise as all others; preset gcc-avx512 of `make test-long` compiles
and runs them."""

import concurrent.futures
import json
import os
import shlex
import subprocess
from pathlib import Path

from report import ROOT, Skipped, arguments, finish, read, unit_name

COMPILER = "g++-12"


def units(build):
    """Yields the name of each unit with AVX-512 and its command with gcc in place of clang."""
    for entry in json.loads(read(build / "compile_commands.json")):
        words = shlex.split(entry["command"])
        if "-mavx512f" in words and "tests" not in Path(entry["file"]).relative_to(ROOT).parts:
            flags = [word for word in words if word.startswith(("-D", "-I", "-W", "-m", "-std="))]
            yield unit_name(entry["file"]), [COMPILER, "-fsyntax-only", *flags, entry["file"]]


def problems(command):
    run = subprocess.run(command, capture_output=True, text=True)
    return [] if run.returncode == 0 else [run.stderr.strip() or f"status {run.returncode}"]


def checks(build):
    planted = [COMPILER, "-fsyntax-only", "-Wall", "-Werror", "-x", "c++", os.devnull, "-include"]
    yield "self-test: a file that does not compile is found", (
        [] if problems([*planted, "no_such_header.hpp"]) else ["it was accepted"]
    )
    found = dict(units(build))
    if not found:
        yield "units with AVX-512", Skipped("this build has none")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, complaints in zip(found, pool.map(problems, found.values())):
            yield f"{name}, gcc 12", complaints


if __name__ == "__main__":
    options = arguments(__doc__, build=ROOT / "build" / "dev")
    finish("avx512-units", checks(Path(options.build)), options.xml)
