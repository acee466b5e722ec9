# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for an Intel GPU without one, by Intel's offline compiler, and prints as JSON
what became of each kernel: {"device", "kernels": [{"name", "width", "scratch"}]}, with the width
of sub-groups that the compiler took and the bytes of memory that a hardware thread needs for what
does not fit its registers. Exit status: 0, 1 for an error in the kernels, 2 if the compiler is
missing.
"""

import argparse
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")


def section(binary, wanted):
    """The contents of a section of a 64-bit ELF file, or None."""
    start, entry_size, count, names_index = (
        *struct.unpack_from("<Q", binary, 0x28),
        *struct.unpack_from("<HHH", binary, 0x3A),
    )
    headers = [
        SECTION_HEADER.unpack_from(binary, start + i * entry_size) for i in range(count)
    ]

    def contents(header):
        return binary[header[4] : header[4] + header[5]]

    names = contents(headers[names_index])
    for header in headers:
        if names[header[0] : names.index(b"\0", header[0])] == wanted:
            return contents(header)
    return None


def read_kernels(description):
    """Names, widths and scratch memory out of the YAML text that describes a binary."""
    text = description.split("kernels_misc_info:")[0]
    kernels = []
    for block in re.split(r"^  - name: +", text, flags=re.MULTILINE)[1:]:
        buffers = block.partition("per_thread_memory_buffers:")[2]
        kernels.append(
            {
                "name": block.split("\n", 1)[0].strip(),
                "width": int(re.search(r"simd_size: +(\d+)", block)[1]),
                "scratch": sum(int(size) for size in re.findall(r"size: +(\d+)", buffers)),
            }
        )
    return kernels


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="pvc")
    parser.add_argument("--prelude", type=Path, help="file to put in front")
    parser.add_argument("-D", dest="definitions", action="append", default=[])
    parser.add_argument("--option", action="append", default=[], help="of the compiler")
    parser.add_argument("files", nargs="+", type=Path)
    return parser.parse_args()


def main():
    options = arguments()
    compiler = shutil.which("ocloc")
    if not compiler:
        print("ocloc is not installed", file=sys.stderr)
        return 2
    files = [*([options.prelude] if options.prelude else []), *options.files]
    flags = [*options.option, *(f"-D{definition}" for definition in options.definitions)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.cl"
        source.write_text("\n".join(file.read_text() for file in files))
        command = [compiler, "compile", "-file", source, "-device", options.device]
        command += ["-options", " ".join(flags), "-internal_options", "-cl-intel-allow-zebin"]
        command += ["-out_dir", folder]
        run = subprocess.run(command, capture_output=True, text=True)
        binaries = list(Path(folder).glob("*.bin"))
        print(run.stdout + run.stderr, file=sys.stderr, end="")
        if run.returncode or len(binaries) != 1:
            return 1
        description = section(binaries[0].read_bytes(), b".ze_info")
    if description is None:
        print("the binary has no section .ze_info", file=sys.stderr)
        return 1
    kernels = read_kernels(description.decode())
    print(json.dumps({"device": options.device, "kernels": kernels}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
