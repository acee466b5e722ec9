# SPDX-License-Identifier: Apache-2.0
"""Measures cycles of independent instructions, and of lines that come from each cache.

Writes the loops as assembly and compiles them with the C compiler of the machine. Uses only the
standard library otherwise, so scripts that lack the package can use it too.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

# Results of eight instructions go to vector registers 0 to 7, those of a second kind to 16 to 23
# (AVX2: 8 to 12). Operands are the registers 30 and 31 (AVX2: 13 to 15). All hold zeros.
_SCALAR = ("r8", "r9", "r10", "r11", "rax", "r8", "r9", "r10")
_ROUNDS = 4000
_BLOCKS = 80
_LINES = 4096
_BUFFER = 64 << 20
_CHAIN = ["vpaddq %ymm0, %ymm0, %ymm0"] * 8  # each waits for the preceding one, for one cycle


def instruction(sample: str, number: int, first: int = 0) -> str:
    """Returns the instruction of a sample of a table for the `number`th of eight results."""
    place = first + number
    is_wide = "zmm" in sample or "{z}" in sample
    size = 64 if is_wide else 32 if "ymm" in sample or "{y}" in sample else 8
    return sample.format(
        z=f"%zmm{place}", y=f"%ymm{place % 13}", x=f"%xmm{place % 13}", k=f"%k{number % 6 + 2}",
        r=f"%{_SCALAR[number]}", m=size * number,
    )  # fmt: skip


def mixture(sample: str, beside: str | None) -> list[str]:
    """Returns eight instructions of a sample, or four of them beside eight of another."""
    if beside is None:
        return [instruction(sample, number) for number in range(8)]
    first = 16 if "zmm" in beside else 8
    others = [instruction(beside, number, first) for number in range(8)]
    return others + [instruction(sample, number) for number in range(4)]


class Loops:
    """Loops of instructions, compiled once. Cycles are those of the clock in the same moment."""

    def __init__(self, bodies: Sequence[Sequence[str]]) -> None:
        zeros = [f"vpxord %zmm{n}, %zmm{n}, %zmm{n}" for n in range(32)]
        moves = ("vmovdqa64 {0}(%rsi), %zmm16", "vmovdqa64 %zmm16, {0}(%rsi)")
        lines: list[str] = []
        self._names: list[str] = []
        for body in [_CHAIN, *bodies]:
            lines += self._function(zeros, [".rept 4", *body, ".endr"])
        for parts in (moves[:1], moves):
            body = [part.format(at) for at in range(0, 256, 64) for part in parts]
            lines += self._function([], [*body, "add $256, %rsi"])
        self._library = _compile(lines)
        self._words = ctypes.create_string_buffer(_BUFFER + 4096)
        ctypes.memset(self._words, 1, len(self._words))
        self._start = ctypes.addressof(self._words) + 4095 & ~4095

    def _function(self, before: list[str], body: list[str]) -> list[str]:
        name = f"loop{len(self._names)}"
        self._names.append(name)
        head = [f".globl {name}", ".p2align 6", f"{name}:", *before, "1:", *body]
        return [*head, "dec %rdi", "jnz 1b", "vzeroupper", "ret"]

    def _time(self, number: int, count: int) -> float:
        function = getattr(self._library, self._names[number])
        function.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        start = time.perf_counter_ns()
        function(count, self._start)
        return float(time.perf_counter_ns() - start)

    def _cycles(self, number: int, count: int, blocks: int) -> float:
        """Returns the fewest cycles of a turn of a loop."""
        fastest = clock = float("inf")
        for _ in range(blocks):
            fastest = min(fastest, self._time(number, count))
            clock = min(clock, self._time(0, _ROUNDS))
        return fastest / count / (clock / (_ROUNDS * 4 * len(_CHAIN)))

    def cycles(self, number: int) -> float:
        """Returns the fewest cycles of the instructions of a body, by its number."""
        return self._cycles(1 + number, _ROUNDS, _BLOCKS) / 4

    def cycles_per_line(self, size: int, changes: bool) -> float:
        """Returns the fewest cycles in which a line is read, or read and written, in passes over
        `size` bytes."""
        number = len(self._names) - (1 if changes else 2)
        count = size // 256
        return min(
            self._cycles(number, count, max(4, 4 * _LINES // count)) / 4 for _ in range(12)
        )


def _compile(lines: Sequence[str]) -> ctypes.CDLL:
    names = ("clang-19", "gcc-12", "gcc", "cc")
    compiler = next((name for name in names if shutil.which(name)), None)
    if compiler is None:
        raise RuntimeError("measuring instructions needs a C compiler; scripts/setup.sh brings it")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "loops.s", Path(folder) / "loops.so"
        end = '.section .note.GNU-stack,"",@progbits'
        source.write_text("\n".join([".text", *lines, end]) + "\n")
        subprocess.run([compiler, "-shared", "-o", library, source], check=True)
        return ctypes.CDLL(str(library))
