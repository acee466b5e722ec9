#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of radix-4 butterflies on IBM Z, in the object files of a cross build.

usage: count_vmsl.py BUILD

BUILD is build/s390x or build/s390x-clang. Nothing is run: the script disassembles the units and
takes the innermost loop of the pass of two row stages that is not the first one nor, backwards,
the last one. It prints a row of a Markdown table for each loop, with the instructions for one
radix-4 butterfly or for four radix-2 butterflies, which read and write the same four words:

  products    VMSL, or MLG and MSG with their forms for registers
  permute     merges and VPERM
  sums        additions and subtractions of numbers
  minimum     VMNLG. Scalar code selects by masks, which count as sums and logic
  logic       AND, shifts
  memory      loads and stores of words, factors and spilled registers
  other       addresses, moves between registers, the loop's branch

The last line has the bytes of code of all functions that transform by vmsl56/radix4.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

HEADS = ("loop", "products", "permute", "sums", "minimum", "logic", "memory", "other", "all")
# The first match of an operation counts. LA, AGHI and the like compute addresses.
CLASSES = (
    ("products", r"vmslg$|m[ls]g"),
    ("permute", r"vmr[hl]g$|vperm$"),
    ("sums", r"v[as]g$|[as]lc?gr?k?$|[as]gr?k?$|l[ac]?cgr$|alcg$|lcgr$"),
    ("minimum", r"vmnlg$"),
    ("logic", r"vn$|ngr?k?$|s[rl][al]gk?$"),
    ("memory", r"vl$|vst$|lm?g$|stm?g$"),
)
# Name, unit, mangled name of the function, word of a store.
LOOPS = (
    ("`vmsl56/radix4`, forward", "vmsl56", r"ForwardExtended.*6Vmsl56.*4rowsILi2ELb0ELb0E"),
    ("`vmsl56/radix4`, inverse", "vmsl56", r"InverseExtended.*6Vmsl56.*4rowsILi2ELb0ELb0E"),
    ("`scalar64/radix4`, forward", "scalar64_extended",
     r"15ForwardExtended.*8Scalar64.*VariantELi2EEELb1EE4rowsILi2ELb0ELb0E"),
)
# Of the unit vmsl56: what computes factors and sizes, not transforms.
NO_TRANSFORM = r"build_table|table_bytes"


def functions(objdump, path):
    """The instructions of each function, as (address, operation, operands)."""
    command = [objdump, "-d", "--no-show-raw-insn", path]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            code = found[head[1]] = []
        elif part := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)$", line):
            code.append((int(part[1], 16), part[2], part[3]))
    return found


def class_of(operation):
    for name, pattern in CLASSES:
        if re.match(pattern, operation):
            return name
    return "other"


def innermost_loop(code):
    """The operations from the target of a backward jump to the jump, where no other backward jump
    lies between them. Only one such loop may have more products than an address needs."""
    jumps = []
    for address, operation, operands in code:
        target = re.search(r"([0-9a-f]+) <", operands)
        if target and operation[0] in "bcj" and code[0][0] <= int(target[1], 16) <= address:
            jumps.append((int(target[1], 16), address))
    found = []
    for low, high in jumps:
        loop = [operation for address, operation, _ in code if low <= address <= high]
        is_innermost = not any(low <= jump < high for _, jump in jumps)
        if is_innermost and sum(class_of(operation) == "products" for operation in loop) > 1:
            found.append(loop)
    if len(found) != 1:
        raise ValueError(f"{len(found)} innermost loops of butterflies")
    return found[0]


def count(operations):
    """Instructions by class, and all, for one radix-4 butterfly: two butterflies of VMSL write four
    vectors, one scalar butterfly writes four words and perhaps registers."""
    butterflies = 2 if "vmslg" in operations else 1
    classes = collections.Counter(map(class_of, operations))
    return [classes[name] / butterflies for name in HEADS[1:-1]] + [len(operations) / butterflies]


def rows_of(build):
    """The rows of the table as lists of texts, the bytes of code, and the compiler's version."""
    description = json.loads((Path(build) / "layers.json").read_text())
    objects = {Path(path).name.partition(".")[0]: path for path in description["kernel_objects"]}
    rows = []
    for name, unit, symbol in LOOPS:
        units = functions(description["objdump"], objects[unit])
        matching = [code for function, code in units.items() if re.search(symbol, function)]
        if len(matching) != 1:
            raise ValueError(f"{len(matching)} functions match {symbol}")
        rows.append([name, *(f"{number:g}" for number in count(innermost_loop(matching[0])))])
    return rows, code_bytes(description, objects["vmsl56"]), version_of(description["compiler"])


def code_bytes(description, path):
    command = [description["nm"], "-S", "--defined-only", path]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = [line.split() for line in lines]
    return sum(int(size, 16) for _, size, kind, name in (s for s in symbols if len(s) == 4)
               if kind in "tTwW" and not re.search(NO_TRANSFORM, name))


def version_of(compiler):
    """As in "GCC 12.2.0" or "Clang 19.1.7"."""
    command = [compiler, "--version"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    name = "Clang" if "clang" in text else "GCC"
    return f"{name} {re.search(r'[0-9]+[.][0-9]+[.][0-9]+', text)[0]}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: count_vmsl.py BUILD")
    rows, size, compiler = rows_of(sys.argv[1])
    print(f"| {' | '.join([*HEADS, 'compiler'])} |")
    print("|---" * (len(HEADS) + 1) + "|")
    for row in rows:
        print(f"| {' | '.join([*row, compiler])} |")
    print(f"\n{compiler}: {size:,} bytes of code")


if __name__ == "__main__":
    main()
