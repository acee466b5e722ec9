#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of GPU kernels in machine code, without a GPU: plain code beside the
vendor's assembly.

usage: count_gpu_instructions.py BUILD [--operations] [--path exact|lazy|narrow] [--radix 2|4|8|16]

BUILD is a folder of the preset dev. For Intel's pvc, ocloc compiles and writes its listings. For
NVIDIA's sm_90, NVRTC compiles and nvdisasm disassembles (python/requirements-gpu.txt). The script
prints a Markdown table. Without --operations its rows are transforms with N = 32768, of radix 8 or
the radix named: the instructions of all passes, loads, stores and addresses included, for one
butterfly of two words. Radix 2 is the naive round through global memory. With --operations rows are
single operations: the instructions that a kernel has more than one which copies. An instruction of
pvc is for 16 work-items, one of sm_90 for 32. Instructions that only wait are not counted.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / "testing"), str(ROOT / "tests" / "gpu_gates")]
import gpu  # noqa: E402
import nvrtc_compile  # noqa: E402

TARGETS = ("sm_90", "pvc")
WAITS = ("NOP", "sync.nop", "nop")
PATHS = ("exact", "lazy", "narrow")
LOG_N = 15
RADIXES = {2: "naive", 4: "radix4", 8: "radix8", 16: "radix16"}
OPERATIONS = {
    "copy": "r[i] = u",
    "add_mod": "r[i] = add_mod(u, v, w)",
    "mul64": "const u128 x = mul64(u, v); r[i] = x.low ^ x.high",
    "mul_high": "r[i] = mul_high(u, v)",
    "mul_high_near": "r[i] = mul_high_near(u, v)",
    "mul_add_low": "r[i] = mul_add_low(u, v, w, a[i + 12288])",
    "barrett_reduce": "r[i] = barrett_reduce(u, v, w)",
    "mul_mod": "r[i] = mul_mod(u, v, w, a[i + 12288], a[i + 16384])",
}


def count(lines):
    """The instructions of each kernel in a listing: nvdisasm's, or one of ocloc."""
    counts, name = {}, None
    for line in lines:
        if head := re.match(r"\s*\.text\.(\w+):|//\.kernel (\w+)", line):
            name = head[1] or head[2]
            counts[name] = 0
        # nvdisasm puts addresses in front; ocloc puts a mask there, or a predicate, or blanks.
        code = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d\s+)?([\w.]+)", line)
        code = code or re.match(r"(?:\([^)]*\)\s*)*\s*([a-z][\w.]*)\s.*\(\d+\|M\d+\)", line)
        if code and name and code[1] not in WAITS:
            counts[name] += 1
    return counts


def compile_for_intel(text, options, folder):
    source = folder / "kernels.cl"
    source.write_text(text)
    command = ["ocloc", "compile", "-file", source, "-device", "pvc", "-options", " ".join(options)]
    command += ["-internal_options", "-cl-intel-allow-zebin", "-out_dir", folder]
    dumps = folder / "dumps"
    environment = {**os.environ, "IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(dumps)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode:
        raise SystemExit(f"ocloc refuses the kernels:\n{run.stdout}{run.stderr}")
    return [line for path in sorted(dumps.glob("*.asm")) for line in path.read_text().splitlines()]


def compile_for_nvidia(text, options, folder):
    library = gpu.nvrtc_library(13)
    disassembler = library and library.parents[1] / "bin" / "nvdisasm"
    if not disassembler or not disassembler.is_file():
        raise SystemExit("NVRTC and nvdisasm are missing: install python/requirements-gpu.txt")
    cubin, _ = nvrtc_compile.Nvrtc(library).compile(text, options, "CUBIN")
    path = folder / "kernels.cubin"
    path.write_bytes(cubin)
    command = [disassembler, "-c", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def kernels_of(target, device, program, text=None):
    """The instructions of each kernel of a program, or of `text` with its options."""
    options = program["options"]
    all_text = device["prelude"] + "\n" + (text or program["text"])
    with tempfile.TemporaryDirectory() as folder:
        if target == "pvc":
            return count(compile_for_intel(all_text, options, Path(folder)))
        options = [o for o in options if not o.startswith("--gpu-architecture")]
        options += [f"--define-macro={definition}" for definition in program["definitions"]]
        options.append(f"--gpu-architecture={target}")
        return count(compile_for_nvidia(all_text, options, Path(folder)))


def per_butterfly(counts, program, radix, direction):
    """A transform of N words has N / words work-items in each pass, and N / 2 * log2 N butterflies.

    The naive rounds are one kernel for all levels, which in the inverse holds two butterflies. A
    kernel whose work-items take several sets of words is a loop, which is not counted.
    """
    if radix == 2:
        return f"{counts['ntt_forward_round']:.1f}" if direction == "forward" else "-"
    definitions = dict(text.split("=") for text in program["definitions"])
    if int(definitions["BLOCK_GROUP"]) * radix != 1 << int(definitions["LOG_BLOCK"]):
        return "-"
    words = {"block": radix}
    for name, levels in definitions.items():
        if name.startswith("GLOBAL_LEVELS_"):
            words[name.lower().replace("levels_", "")] = 1 << int(levels)
    total = sum(counts[f"ntt_{direction}_{name}"] / held for name, held in words.items())
    return f"{total / (LOG_N / 2):.1f}"


def transforms(devices, paths, radix):
    """Rows: the path, then forward and inverse, plain and with assembly, for each target."""
    heads = [f"{t}, {d}{a}" for t in TARGETS for d in ("forward", "inverse")
             for a in ("", ", assembly")]  # fmt: skip
    rows = [["path", *heads]]
    for path in paths:
        row = [path]
        for target in TARGETS:
            programs = {program["name"]: program for program in devices[target]["programs"]}
            cells = {}
            for assembly in ("", " assembly"):
                name = f"ntt {RADIXES[radix]} {path} N={1 << LOG_N}{assembly}"
                program = programs.get(name)
                counts = kernels_of(target, devices[target], program) if program else {}
                for direction in ("forward", "inverse"):
                    cell = "-"
                    if program:
                        cell = per_butterfly(counts, program, radix, direction)
                    cells[direction, assembly] = cell
            row += [cells[d, a] for d in ("forward", "inverse") for a in ("", " assembly")]
        rows.append(row)
    return rows


def operations(devices):
    """Rows: the operation, then plain and with assembly for each target."""
    text = "".join(
        f"KERNEL void op_{name}(GLOBAL u64 *r, GLOBAL const u64 *a) {{\n"
        "  const u32 i = GLOBAL_ID();\n"
        "  const u64 u = a[i], v = a[i + 4096], w = a[i + 8192];\n"
        f"  {work};\n  r[i + 4096] = u ^ v ^ w;\n}}\n"
        for name, work in OPERATIONS.items()
    )
    rows = [["operation", *(f"{t}{a}" for t in TARGETS for a in ("", ", assembly"))]]
    rows += [[name] for name in OPERATIONS if name != "copy"]
    for target in TARGETS:
        programs = {program["name"]: program for program in devices[target]["programs"]}
        arithmetic = (ROOT / "src" / "gpu" / "kernels" / "arithmetic.inc").read_text()
        for name in ("backend fused", "backend assembly fused"):
            counts = kernels_of(target, devices[target], programs[name], arithmetic + text)
            for row in rows[1:]:
                row.append(str(counts[f"op_{row[0]}"] - counts["op_copy"]))
    return rows


def catalogue(build):
    program = json.loads((Path(build) / "tests.json").read_text())["gpu_programs"]
    listing = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {device["target"]: device for device in json.loads(listing)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--operations", action="store_true")
    parser.add_argument("--path", choices=PATHS, help="transforms of one kind of primes alone")
    parser.add_argument("--radix", choices=RADIXES, type=int, default=8)
    options = parser.parse_args()
    devices = catalogue(options.build)
    paths = [options.path] if options.path else PATHS
    rows = operations(devices) if options.operations else transforms(devices, paths, options.radix)
    for i, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if i == 0:
            print("|" + " --- |" * len(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
