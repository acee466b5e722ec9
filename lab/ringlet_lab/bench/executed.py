# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that a program executes between two breakpoints, by stepping through it
(x86-64 Linux).

usage: executed.py PROGRAM [ARGUMENT ...] [-- [ARGUMENT ...]] ...

Runs the program with each list of arguments. Prints a JSON list with an object for each run:
"output", the first line that the program writes, and "instructions", a list of [count, operation,
operands] of its disassembly, each instruction once. It counts instructions of every instruction set
that the processor has. It uses only the standard library, so scripts that lack the package can use
it too.
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

Code = dict[int, tuple[str, str, str]]


class Registers(ctypes.Structure):
    """The registers of a traced x86-64 process, as Linux orders them."""

    _fields_ = [
        (name, ctypes.c_ulonglong)
        for name in (
            *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx"),
            *("rdx", "rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base"),
            *("gs_base", "ds", "es", "fs", "gs"),
        )
    ]


Observer = Callable[[int, Registers], None]

_TRACE_ME, _CONTINUE, _STEP, _GET_REGISTERS = 0, 7, 9, 12
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def _trace(request: int, pid: int, data: object = None) -> None:
    if _LIBC.ptrace(request, pid, None, data) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def disassemble(path: str, demangle: bool = True) -> Code:
    """Returns the program's instructions by address: {address: (function, operation, operands)}."""
    names = ["-C"] if demangle else []
    text = subprocess.run(
        ["objdump", "-d", *names, "--no-show-raw-insn", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    code = {}
    function = ""
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = head[1]
        elif part := re.match(r"\s*([0-9a-f]+):\s+(\S+) *(.*)$", line):
            code[int(part[1], 16)] = (function, part[2], part[3])
    return code


def _load_address(pid: int, path: str) -> int:
    """Returns the offset that the system adds to the addresses of a position-independent program.
    """
    kind = subprocess.run(["readelf", "-h", path], check=True, capture_output=True, text=True)
    if not re.search(r"Type:\s+DYN", kind.stdout):
        return 0
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            if line.rstrip().endswith(os.path.realpath(path)):
                return int(line.split("-")[0], 16)
    raise RuntimeError(f"{path} is not in the memory of its process")


def _wait_for_trap(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
        sys.exit("the program ended without a transform")


def executed(
    arguments: Sequence[str], code: Code, observe: Observer | None = None
) -> tuple[str, collections.Counter[int]]:
    """Returns the first line of output, and how often each instruction ran between the breakpoints.
    The keys are addresses in `code`. Calls `observe` with the address and the registers before each
    instruction."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        _trace(_TRACE_ME, 0)
        os.execv(arguments[0], list(arguments))
    _wait_for_trap(pid)
    base = _load_address(pid, arguments[0])
    _trace(_CONTINUE, pid)
    _wait_for_trap(pid)
    output = os.read(reader, 400).decode().strip()
    counts: collections.Counter[int] = collections.Counter()
    registers = Registers()
    place = ctypes.byref(registers)
    while True:  # runs half a million times for a scalar transform of length 4096
        _trace(_GET_REGISTERS, pid, place)
        address = registers.rip - base
        if address in code:
            if code[address][1] == "int3":
                break
            counts[address] += 1
            if observe:
                observe(address, registers)
        _trace(_STEP, pid)
        _wait_for_trap(pid)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reader)
    os.close(writer)
    return output, counts


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: executed.py PROGRAM [ARGUMENT ...] [-- [ARGUMENT ...]] ...")
    program = sys.argv[1]
    runs: list[list[str]] = [[]]
    for argument in sys.argv[2:]:
        if argument == "--":
            runs.append([])
        else:
            runs[-1].append(argument)
    # Names of functions are not needed here, and demangling takes most of the time.
    code = disassemble(program, demangle=False)
    reports = []
    for arguments in runs:
        output, counts = executed([program, *arguments], code)
        instructions = [[count, *code[address][1:]] for address, count in sorted(counts.items())]
        reports.append({"output": output, "instructions": instructions})
    json.dump(reports, sys.stdout)


if __name__ == "__main__":
    main()
