#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts cycles of transforms with llvm-mca. No number that it writes is measured.

usage: predict_cycles.py [--processor NAME ...] [--compiler clang|gcc ...] [--degree N ...]
                         [--json FILE]

lab/bench/butterfly_loops.cpp has the loop bodies of the transforms. Every installed compiler
compiles it for each processor. llvm-mca predicts the cycles of one turn of each loop in an endless
sequence of turns: all data are in the first-level cache, every branch is predicted, and there is no
loop control. The cycles of a transform are those of the loops of its passes, times their turns. A
pass reads the factors of a block in the first turn of the block.

The JSON:

  kind         "predicted"
  method       how, in words
  compilers    {name: version}
  loops        a list of
    processor, target, compiler, policy
    place          "held": a pass with the factors in registers; "fresh": with their loads;
                   "last": the inverse pass that divides by N; "tail": the last stages of a forward
                   transform or the first ones of an inverse one, inside vectors too; "merged": a
                   tail of radix-2 butterflies behind radix-4 ones
    direction      "forward" or "inverse"
    radix, stages  2 or 4; stages that one turn does
    butterflies    number of radix-2 butterflies to which one turn is equal
    instructions   of one turn
    cycles         of one turn
    cycles_per_butterfly
    mix            instructions of one turn by class (CLASSES below)
    kind           "predicted"
  predictions  a list of
    processor, compiler, kernel ("vmsl56/radix4"), direction, degree
    cycles         of one whole transform
    kind           "predicted"
  missing      sentences on what could not be predicted: no compiler, no loop for a pass
"""

import argparse
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MCA = "llvm-mca-19"
METHOD = (
    "llvm-mca on the loop bodies of lab/bench/butterfly_loops.cpp: endless turns, data in the "
    "first-level cache, no loop control; a transform is its passes' turns added up"
)

CLASSES = (
    "multiply-add low",
    "multiply-add high",
    "multiply-add sum",  # VMSL: whole products of two pairs and a summand
    "add/sub",
    "min",
    "logic",
    "permute",
    "memory",
    "other",
)
# The first match of a class counts. An instruction that computes and reads memory belongs to its
# computation. mul, mulx and mlgr yield both halves; the high one is used.
PATTERNS = {
    "x86_64": (
        ("multiply-add low", r"vpmadd52luq|vpmullq|imul"),
        ("multiply-add high", r"vpmadd52huq|mulx?q?$"),
        ("min", r"vpminuq|vpmaxuq|cmov"),
        ("add/sub", r"vpaddq|vpsubq|(add|sub|adc|sbb|lea|neg|inc|dec)q?$"),
        ("permute", r"vperm|vpunpck|vshuf|vpshuf|vinsert|vextract|valign|vpblend"),
        ("logic", r"vp(and|or|xor|ternlog|cmp|s[lr]l)|(and|or|xor|not|sh[lr]d?|cmp|test|set\w+)"),
        ("memory", r"v?mov\w*|vp?broadcast\w*|push|pop"),
    ),
    "aarch64": (
        ("multiply-add high", r"umulh"),
        ("multiply-add low", r"mul|madd|msub|mneg"),
        ("min", r"csel|csinc|csetm?|umin"),
        ("add/sub", r"adds?$|subs?$|adcs?$|sbcs?$|ngcs?|neg|cmp|cmn|cinc"),
        ("logic", r"and|orr|eor|bic|lsl|lsr|asr|ror|extr|mvn|ubfx|tst"),
        ("memory", r"ld|st"),
    ),
    "s390x": (
        ("multiply-add sum", r"vmsl"),
        ("multiply-add high", r"ml(gr|g)$"),
        ("multiply-add low", r"ms(gr|g|grkc|gc)$"),
        ("min", r"vmnl|locg|selg"),
        ("add/sub", r"v[as]g$|a(l|lc)?(gr|g|grk|ghi|ghik|gfi)$|s(l|lb)?(gr|g|grk)$|lay?$|lcgr"),
        ("permute", r"vmr[hl]|vperm|vpdi|vsldb|vrep"),
        (
            "logic",
            r"vn|vo|vx|n(gr|g|grk|ihf|ilf)$|[xo](gr|g|grk)$|s[rl][la]g|risbg|cl?g|vzero|vgbm",
        ),
        ("memory", r"vl|vst|l(g|mg|d|rl|grl|arl)?$|st(g|mg|d)?$"),
    ),
}

Policy = collections.namedtuple("Policy", "name folder header log_lanes max_row_stages flags")
SCALAR = Policy("Scalar64", "harvey64", "scalar64", 0, 3, ())
IFMA_FLAGS = ("-mavx512f", "-mavx512dq", "-mavx512ifma")
IFMA = Policy("Avx512Ifma52", "ifma52", "avx512_ifma52", 3, 4, IFMA_FLAGS)
VMSL = Policy("Vmsl56", "limbs56", "vmsl56", 1, 3, ("-march=z14", "-mzvector"))
TABLES = {"scalar64": SCALAR, "ifma52": IFMA, "vmsl56": VMSL}

Target = collections.namedtuple("Target", "name compilers processors kernels")
TARGETS = (
    Target(
        "s390x",
        {"clang": ("clang++-19", "--target=s390x-linux-gnu"), "gcc": ("s390x-linux-gnu-g++",)},
        ("z14", "z15"),
        ("scalar64/radix2", "scalar64/radix4", "vmsl56/radix4"),
    ),
    Target(
        "aarch64",
        {"clang": ("clang++-19", "--target=aarch64-linux-gnu"), "gcc": ("aarch64-linux-gnu-g++",)},
        ("neoverse-n1", "neoverse-v1", "apple-m1"),
        ("scalar64/radix2", "scalar64/radix4"),
    ),
    Target(
        "x86_64",
        {"clang": ("clang++-19", "--target=x86_64-linux-gnu"), "gcc": ("g++-12",)},
        ("icelake-server", "sapphirerapids", "znver4"),
        ("scalar64/radix2", "scalar64/radix4", "ifma52/radix2", "ifma52/radix4", "ifma52/r4r2"),
    ),
)
DEGREES = [1 << k for k in range(9, 17)]
PLACES = {1: "held", 2: "fresh", 3: "last", 4: "tail", 5: "merged"}
DIRECTIONS = {1: "forward", 2: "inverse"}


def run(command):
    done = subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def assembly(target, compiler, command, policy, folder):
    """Compiles the loops of one policy and returns their assembly."""
    result = folder / f"{target}-{compiler}-{policy.header}.s"
    if result.is_file():
        return result
    run([
        *command, "-std=c++20", "-O3", "-DNDEBUG", f"-I{ROOT}/src", f"-I{ROOT}/include",
        *policy.flags, f"-DRINGLET_LOOPS_LANES={int(policy.log_lanes > 0)}",
        f'-DRINGLET_LOOPS_HEADER="kernels/policy/{policy.folder}/{policy.header}.hpp"',
        f"-DRINGLET_LOOPS_POLICY={policy.name}",
        "-S", "-o", result, ROOT / "lab" / "bench" / "butterfly_loops.cpp",
    ])  # fmt: skip
    # llvm-mca finds its marks only behind #, but Clang uses the comment sign of the processor's
    # assemblers. llvm-mca does not know gcc's .machine directive.
    lines = result.read_text().replace("// LLVM-MCA", "# LLVM-MCA").splitlines(keepends=True)
    result.write_text("".join(line for line in lines if ".machine" not in line))
    return result


def class_of(target, instruction):
    operation = instruction.split()[0]
    for name, pattern in PATTERNS[target]:
        if re.match(pattern, operation):
            if name == "memory" and "(" not in instruction and "[" not in instruction:
                return "other"  # a move between registers
            return name
    return "other"


def loops_of(target, processor, compiler, policy, source):
    """Returns one entry of "loops" for each loop. A loop that a compiler wrote twice counts once.
    """
    report = json.loads(
        run([MCA, f"-mtriple={target}-linux-gnu", f"-mcpu={processor}", "--json", source])
    )
    loops = {}
    for region in report["CodeRegions"]:
        if not region["Name"] or not region["Instructions"]:
            continue
        number = int(region["Name"].lstrip("$#"))  # assemblers write constants with these prefixes
        place, direction = PLACES[number // 1000], DIRECTIONS[number // 100 % 10]
        radix, stages = number // 10 % 10, number % 10
        lanes = policy.log_lanes
        if radix == 4 and place == "tail" and lanes > 0:
            words = 4 << lanes
        elif place == "merged":
            words = 2 << lanes
        else:
            rows = stages - lanes if place == "tail" else stages
            words = (1 << rows) << lanes
        summary = region["SummaryView"]
        cycles = summary["TotalCycles"] / summary["Iterations"]
        butterflies = stages * words // 2
        mix = collections.Counter(class_of(target, text) for text in region["Instructions"])
        loops[number] = {
            "processor": processor,
            "target": target,
            "compiler": compiler,
            "policy": policy.header,
            "place": place,
            "direction": direction,
            "radix": radix,
            "stages": stages,
            "words": words,
            "butterflies": butterflies,
            "instructions": len(region["Instructions"]),
            "cycles": round(cycles, 2),
            "cycles_per_butterfly": round(cycles / butterflies, 3),
            "mix": {name: mix[name] for name in CLASSES if mix[name]},
            "kind": "predicted",
        }
    return loops


class Schedules:
    """The passes of transforms, in the schedules of the library."""

    def __init__(self, folder):
        self.program = folder / "print_schedule"
        compiler = next(c for c in ("clang++-19", "g++-12", "g++") if shutil.which(c))
        run([compiler, "-std=c++20", f"-I{ROOT}/src", f"-I{ROOT}/include",
             ROOT / "lab" / "bench" / "print_schedule.cpp", "-o", self.program])  # fmt: skip

    def passes(self, algorithm, policy, log_degree):
        """Returns [(first stage, stages, is it the tail?)] for each pass."""
        lines = run([self.program, algorithm, policy.log_lanes, policy.max_row_stages, log_degree])
        return [tuple(map(int, line.split())) for line in lines.splitlines()]


class NoLoop(Exception):
    """The error for a pass that has no loop in lab/bench/butterfly_loops.cpp."""


def transform_cycles(loops, schedule, algorithm, lanes, direction, log_degree):
    """Returns the cycles of a transform, computed from the cycles of its loops."""
    degree = 1 << log_degree
    where = {"forward": 1, "inverse": 2}[direction]
    radix = 2 if algorithm == "radix2" else 4

    def loop(place, radix, stages):
        number = {v: k for k, v in PLACES.items()}[place] * 1000 + where * 100 + radix * 10 + stages
        if number not in loops:
            raise NoLoop(f"no loop for {place} {direction}, radix {radix}, {stages} stages")
        return loops[number]

    total = 0.0
    for first_stage, stages, is_tail in schedule:
        if is_tail:
            if algorithm == "r4r2":
                found = loop("merged", 2, stages)
            elif algorithm == "radix2":
                found = loop("tail", 2, stages + lanes)
            else:
                found = loop("tail", 4, stages)
            total += found["cycles"] * degree / found["words"]
            continue
        turns = degree >> (stages + lanes)
        blocks = 1 << first_stage
        held, fresh = loop("held", radix, stages), loop("fresh", radix, stages)
        if direction == "inverse" and first_stage == 0:
            total += turns * loop("last", radix, stages)["cycles"]
        else:
            total += blocks * fresh["cycles"] + (turns - blocks) * held["cycles"]
    return total


def predict(target, processor, compiler, degrees, schedules, folder):
    """Returns entries of "loops", "predictions" and "missing" for one processor and compiler."""
    found, predictions, missing = {}, [], []
    for kernel in target.kernels:
        table, algorithm = kernel.split("/")
        policy = TABLES[table]
        if table not in found:
            command = target.compilers[compiler]
            source = assembly(target.name, compiler, command, policy, folder)
            found[table] = loops_of(target.name, processor, compiler, policy, source)
        for degree in degrees:
            log_degree = degree.bit_length() - 1
            schedule = schedules.passes(algorithm, policy, log_degree)
            for direction in DIRECTIONS.values():
                try:
                    cycles = transform_cycles(
                        found[table], schedule, algorithm, policy.log_lanes, direction, log_degree
                    )
                except NoLoop as error:
                    missing.append(f"{processor}: {kernel} of {degree}: {error}")
                    continue
                predictions.append({
                    "processor": processor,
                    "compiler": compiler,
                    "kernel": kernel,
                    "direction": direction,
                    "degree": degree,
                    "cycles": round(cycles),
                    "kind": "predicted",
                })  # fmt: skip
    return [loop for loops in found.values() for loop in loops.values()], predictions, missing


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [name for target in TARGETS for name in target.processors]
    parser.add_argument("--processor", nargs="+", choices=names, default=names)
    parser.add_argument("--compiler", nargs="+", choices=("clang", "gcc"), default=["clang"])
    parser.add_argument("--degree", nargs="+", type=int, default=DEGREES)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not shutil.which(MCA):
        sys.exit(f"{MCA} is not installed; `scripts/setup.sh` brings it")

    content = {"kind": "predicted", "method": METHOD, "compilers": {}, "loops": [],
               "predictions": [], "missing": []}  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        schedules = Schedules(Path(name))
        for target in TARGETS:
            processors = [p for p in target.processors if p in options.processor]
            for compiler in options.compiler if processors else ():
                command = target.compilers[compiler]
                if not shutil.which(command[0]):
                    content["missing"].append(f"{', '.join(processors)}: no {command[0]}")
                    continue
                version = run([command[0], "--version"]).splitlines()[0]
                content["compilers"][f"{compiler}, {target.name}"] = f"{version}, -O3"
                for processor in processors:
                    loops, predictions, missing = predict(
                        target, processor, compiler, options.degree, schedules, Path(name)
                    )
                    content["loops"] += loops
                    content["predictions"] += predictions
                    content["missing"] += missing
    if options.json:
        options.json.write_text(json.dumps(content, indent=1) + "\n")
        return
    for loop in content["loops"]:
        print(
            f"{loop['processor']:15} {loop['compiler']:6} {loop['policy']:14} "
            f"radix {loop['radix']} {loop['direction']} {loop['place']:6} {loop['stages']} stages: "
            f"{loop['cycles_per_butterfly']:6.2f} cycles per radix-2 butterfly, "
            f"{loop['instructions']:4} instructions {loop['mix']}"
        )
    for p in content["predictions"]:
        print(f"{p['processor']:15} {p['compiler']:6} {p['kernel']:16} {p['direction']} "
              f"N = {p['degree']}: {p['cycles']} cycles (predicted)")  # fmt: skip


if __name__ == "__main__":
    main()
