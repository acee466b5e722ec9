# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels for an NVIDIA GPU without one, by NVRTC, and prints as JSON what became of each
kernel: {"arch", "nvrtc_version", "cubin_bytes", "warnings", "kernels": [{"name", "registers",
"stack", "spill_stores", "spill_loads", "shared"}]}, sizes in bytes. Exit status: 0, 1 for an error
in the kernels (the log goes to standard error), 2 if the compiler is missing.
"""

import argparse
import ctypes
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = re.compile(r"Compiling entry function '(\w+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


class Refused(Exception):
    """The compiler refused the kernels; the text is its log."""


class Nvrtc:
    """The library, by ctypes."""

    def __init__(self, path):
        # NVRTC opens its built-in functions by name alone, which finds them once they are loaded.
        for builtins in sorted(path.resolve().parent.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(builtins))
        self.library = ctypes.CDLL(str(path))
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, name, *values):
        result = getattr(self.library, name)(*values)
        if result != 0:
            raise RuntimeError(f"{name}: {self.library.nvrtcGetErrorString(result).decode()}")

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def bytes_of(self, what, program):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def compile(self, source, options, wanted):
        """What `wanted` names, "CUBIN" or "PTX", of the source, and the log."""
        program = ctypes.c_void_p()
        handle, text = ctypes.byref(program), source.encode()
        self.call("nvrtcCreateProgram", handle, text, b"kernels.cu", 0, None, None)
        try:
            texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            result = self.library.nvrtcCompileProgram(program, len(options), texts)
            log = self.bytes_of("ProgramLog", program).rstrip(b"\0").decode(errors="replace")
            if result != 0:
                raise Refused(log or self.library.nvrtcGetErrorString(result).decode())
            return self.bytes_of(wanted, program), log
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))


def assemble(ptxas, ptx, arch):
    """The cubin that the stand-alone assembler makes of PTX, and what it says."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "kernels.ptx", Path(folder) / "kernels.cubin"
        source.write_bytes(ptx.rstrip(b"\0"))
        command = [ptxas, "-v", f"-arch={arch}", "-o", cubin, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(done.stdout + done.stderr)
        return cubin.read_bytes(), done.stdout + done.stderr


def read_kernels(log):
    """Kernels and what they use, out of what the assembler says."""
    kernels = []
    for block in re.split(r"(?=Compiling entry function ')", log)[1:]:
        frame, shared = FRAME.search(block), SHARED.search(block)
        kernels.append(
            {
                "name": KERNEL.match(block)[1],
                "registers": int(REGISTERS.search(block)[1]),
                "stack": int(frame[1]),
                "spill_stores": int(frame[2]),
                "spill_loads": int(frame[3]),
                "shared": int(shared[1]) if shared else 0,
            }
        )
    return kernels


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvrtc", type=Path, required=True, help="libnvrtc.so.13, or .12")
    parser.add_argument("--ptxas", type=Path, help="assemble by this program, not by the library")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--prelude", type=Path, help="file to put in front")
    parser.add_argument("-D", dest="definitions", action="append", default=[])
    parser.add_argument("--option", action="append", default=[], help="of the compiler")
    parser.add_argument("--cubin", type=Path, help="file to write the machine code to")
    parser.add_argument("files", nargs="+", type=Path)
    return parser.parse_args()


def compile_kernels(nvrtc, options):
    files = [*([options.prelude] if options.prelude else []), *options.files]
    source = "\n".join(file.read_text() for file in files)
    given = options.option or ["--std=c++17"]
    given = [option for option in given if not option.startswith("--gpu-architecture")]
    flags = [*given, *(f"--define-macro={text}" for text in options.definitions)]
    if options.ptxas:
        target = options.arch.replace("sm_", "compute_")
        ptx, log = nvrtc.compile(source, [f"--gpu-architecture={target}", *flags], "PTX")
        cubin, said = assemble(options.ptxas, ptx, options.arch)
        return cubin, log + said
    flags += [f"--gpu-architecture={options.arch}", "--ptxas-options=-v"]
    return nvrtc.compile(source, flags, "CUBIN")


def main():
    options = arguments()
    try:
        nvrtc = Nvrtc(options.nvrtc)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        cubin, log = compile_kernels(nvrtc, options)
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 1
    if options.cubin:
        options.cubin.write_bytes(cubin)
    report = {
        "arch": options.arch,
        "nvrtc_version": nvrtc.version(),
        "cubin_bytes": len(cubin),
        "warnings": len(re.findall(r"\bwarning\b", log)),
        "kernels": read_kernels(log),
    }
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
