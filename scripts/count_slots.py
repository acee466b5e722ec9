#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the vector ALU slots of the radix-2 transforms from their disassembly.

usage: count_slots.py OBJECT [LOG_DEGREE]

OBJECT is a kernel unit compiled for AVX-512, LOG_DEGREE is log2 N (default 12). Printed are the
vector instructions that need an arithmetic port, per 16 coefficients of one whole transform with
reduced input and output. Loads, stores, broadcast loads and register moves are not counted, nor are
zeroing idioms, which processors of this class execute while renaming registers.
"""

import re
import subprocess
import sys

LANES = 8
MAX_ROW_STAGES = 4
FREE = ("vmov", "vbroadcast", "vpbroadcast")


def functions(path):
    """Yields (demangled name, [(address, operation, operands)]) of every function."""
    text = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", path],
        check=True, capture_output=True, text=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]{16} <)", text):
        head = re.match(r"[0-9a-f]+ <(.*)>:", part)
        if head:
            lines = re.findall(r"^\s*([0-9a-f]+):\s+(\S+) *(.*)$", part, re.M)
            yield head[1], [(int(a, 16), op, args) for a, op, args in lines]


def is_zeroing(operation, operands):
    names = operands.split(",")
    return operation.startswith("vpxor") and len(names) == 3 and names[0] == names[1]


def inner_loops(code):
    """Innermost loops as (first, last) indices: bodies of backward jumps that hold no other."""
    index = {address: i for i, (address, _, _) in enumerate(code)}
    loops = []
    for i, (address, operation, operands) in enumerate(code):
        target = re.match(r"([0-9a-f]+)", operands)
        if operation.startswith("j") and target:
            to = int(target[1], 16)
            if to <= address and to in index:
                loops.append((index[to], i))
    return [a for a in loops
            if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]


def slots(code, first, last):
    return sum(1 for _, operation, operands in code[first:last + 1]
               if "mm" in operands and operation.startswith("v")
               and not operation.startswith(FREE) and not is_zeroing(operation, operands))


def pass_slots(path):
    """Slots of one iteration of every pass: {(direction, kind, template arguments): slots}."""
    counts = {}
    pattern = r"(Forward|Inverse)Radix2<\w+(?:::\w+)*>::(rows|tail)\w*<([^>]*)>"
    for name, code in functions(path):
        match = re.search(pattern, name)
        if not match:
            continue
        loops = [n for n in (slots(code, *loop) for loop in inner_loops(code)) if n]
        if loops:
            arguments = tuple(a.strip() for a in match[3].split(","))
            counts[match[1], match[2], arguments] = max(loops)
    return counts


def transform_slots(counts, direction, log_degree):
    """Slots per 16 coefficients; the passes are those of make_schedule in schedule.hpp."""
    row_stages = log_degree - 3
    tail_stages = min(row_stages, MAX_ROW_STAGES)
    passes = -(-row_stages // MAX_ROW_STAGES)
    total = 0.0
    stage = 0
    for p in range(passes):
        tail = p == passes - 1
        stages = tail_stages if tail else (row_stages - tail_stages - stage) // (passes - 1 - p)
        outermost = "true" if p == 0 else "false"
        arguments = (str(stages), outermost) + (("true",) if tail else ())
        iteration = counts[direction, "tail" if tail else "rows", arguments]
        total += iteration * 16 / (LANES << stages)
        stage += stages
    return total


def main():
    path = sys.argv[1]
    log_degree = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    counts = pass_slots(path)
    for direction in ("Forward", "Inverse"):
        value = transform_slots(counts, direction, log_degree)
        print(f"{direction.lower()} N={1 << log_degree}: {value:.1f} slots per 16 coefficients")


if __name__ == "__main__":
    main()
