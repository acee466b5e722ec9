# SPDX-License-Identifier: Apache-2.0
"""Kernel units hold the instructions that they are for, and nothing else holds vector code.

A unit whose multiply-adds a compiler replaced by something else would be right and slow. Vector
code outside the units would stop the library on older processors.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read, unit_name

# Name of the unit: a pattern that its disassembly must contain.
WANTED = {
    "s390x/vmsl56.cpp": r"\bvmslg\b",
    "avx512ifma_extended.cpp": r"\bvpmadd52[lh]uq\b.*%zmm",
}
# An instruction in a line of the disassembly, behind its address.
INSTRUCTION = re.compile(r"\s+[0-9a-f]+:\s+(\S.*)")
# Registers that only units may use: those of IBM Z, and AVX's wide ones.
VECTOR_REGISTER = re.compile(r"%v\d+\b|%[yz]mm\d")


def disassembly(objdump, object_file):
    """The instructions as lines; all sections, functions without their names."""
    command = [objdump, "-d", "--no-show-raw-insn", str(object_file)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [found.group(1) for found in map(INSTRUCTION.match, text.splitlines()) if found]


def lacks(lines, pattern):
    if any(re.search(pattern, line) for line in lines):
        return []
    return [f"none of its {len(lines)} instructions matches {pattern}"]


def vector_code(lines):
    return [f"holds '{line}'" for line in lines if VECTOR_REGISTER.search(line)][:3]


def self_test(description):
    """An object without vector code has none, and lacks what it was not compiled to."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "unit.cpp"
        source.write_text(
            "unsigned long product(unsigned long x, unsigned long y) { return x * y; }"
        )
        compiled = source.with_suffix(".o")
        command = [description["compiler"], *description["compiler_target"], "-O2", "-c", source]
        subprocess.run([*map(str, command), "-o", str(compiled)], check=True)
        lines = disassembly(description["objdump"], compiled)
    problems = [] if lines else ["no instruction was seen"]
    for pattern in WANTED.values():
        problems += [] if lacks(lines, pattern) else [f"{pattern} was found in scalar code"]
    examples = [
        "vmslg %v1,%v2,%v3,%v4,0",
        "vpmadd52luq %zmm1,%zmm2,%zmm3",
        "vaddpd %ymm1,%ymm2,%ymm3",
    ]
    found = [line for line in examples if vector_code([line])]
    return problems + ([] if found == examples else [f"of {examples} only {found} were found"])


def checks(description):
    yield "self-test", self_test(description)
    units = {unit_name(name) for name in description["kernel_units"]}
    objects = {unit_name(name): name for name in description["kernel_objects"]}
    wanted = {unit: pattern for unit, pattern in WANTED.items() if unit in units}
    yield "there are units to look at", [] if wanted else [f"none of {', '.join(WANTED)}"]
    for unit, pattern in wanted.items():
        lines = disassembly(description["objdump"], objects[unit])
        yield f"instructions of {unit}", lacks(lines, pattern)
    others = {source: name for source, name in objects.items() if source not in units}
    problems = []
    for source, name in sorted(others.items()):
        found = vector_code(disassembly(description["objdump"], name))
        problems += [f"{source} {problem}" for problem in found]
    yield f"no vector code in the {len(others)} other files of the layer", problems


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("instructions", checks(description), options.xml)
