# SPDX-License-Identifier: Apache-2.0
"""Intel HEXL beside Ringlet: Tables 1 to 6 of the HEXL paper, from libraries that you have built.

    python lab/scripts/compare_hexl.py --ringlet PREFIX [--hexl PREFIX] [--seal FOLDER]
        [--openfhe FOLDER] [--helib FOLDER]

`make compare-hexl` calls this script. It builds no library. For Tables 1 to 4 it compiles
lab/bench/hexl/probe.cpp with the headers of HEXL and of Ringlet, loads both into one process, each
with its libraries in a namespace of its own, and times them in turn. The folders of the other
options have the subfolders `none`, `hexl` and `ringlet`: the same library built without HEXL, with
HEXL and with Ringlet in HEXL's place. The library's own benchmark programs in them run in turn.
"""

import argparse
import ctypes
import json
import os
import random
import re
import runpy
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
QUOTED = runpy.run_path(str(LAB / "ringlet_lab" / "bench" / "tables" / "quoted.py"))
SPEEDUPS = runpy.run_path(str(LAB / "ringlet_lab" / "bench" / "schemes" / "goals.py"))["HEXL_PAPER"]
OPERATIONS = (
    "forward NTT", "inverse NTT", "vector times vector", "vector times scalar, plus vector",
)  # fmt: skip
BITS = (50, 60)  # the paper's modulus, and one for which HEXL takes no 52-bit kernel
BLOCK_US = 200.0  # of calls to one library before the other has its turn
STAND_IN = "HEXL_RINGLET_API"  # in the headers of Ringlet's drop-in, and not in HEXL's


def cell(times):
    """Least and median time."""
    return f"{min(times):.2f} ({statistics.median(times):.2f})" if times else "-"


def left_out(what, why):
    print(f"left out: {what}: {why}")


def hexl_libraries(prefix):
    """The library of a prefix, first of all, and what an archive of Ringlet's needs beside it."""
    for name in ("libhexl.so", "libhexl.a"):
        for library in sorted(prefix.glob(f"lib*/**/{name}")):
            kernels = library.parent / "libringlet_kernels.a"
            return [library, *([kernels] if name.endswith(".a") and kernels.is_file() else [])]
    raise SystemExit(f"compare_hexl: no libhexl.so and no libhexl.a below {prefix}/lib")


class Library:
    """A probe of one library, and what it has measured by operation, bits and degree."""

    def __init__(self, prefix, probe):
        self.times, self._jobs = {}, {}
        libraries = hexl_libraries(prefix)
        command = [os.environ.get("CXX", "clang++-19"), "-std=c++17", "-O3", "-shared", "-fPIC"]
        command += ["-fvisibility=hidden", "-Wl,--exclude-libs,ALL", "-o", probe, "-pthread"]
        command += [f"-I{prefix / 'include'}", f"-Wl,-rpath,{libraries[0].parent}"]
        subprocess.run([*command, LAB / "bench" / "hexl" / "probe.cpp", *libraries], check=True)
        self._probe = load(probe)
        self._probe.probe_prime.restype = ctypes.c_uint64
        self._probe.probe_job.restype = ctypes.c_void_p
        self._probe.probe_run.restype = ctypes.c_double

    def prime(self, bits, degree):
        return self._probe.probe_prime(ctypes.c_uint64(bits), ctypes.c_uint64(degree))

    def run(self, operation, case, calls):
        """Microseconds of one call."""
        if case not in self._jobs:
            buffers = (ctypes.byref(buffer) for buffer in (case.result, case.a, case.b))
            n, q = ctypes.c_uint64(len(case.a)), ctypes.c_uint64(case.q)
            self._jobs[case] = ctypes.c_void_p(self._probe.probe_job(n, q, *buffers))
        count = ctypes.c_uint64(calls)
        return self._probe.probe_run(self._jobs[case], operation, count) / calls / 1e3


def load(path):
    """Loads a library by dlmopen: nothing that it needs is shared with this program or with another
    library, not even symbols that the loader otherwise keeps once in a process."""
    system = ctypes.CDLL(None)
    system.dlmopen.restype, system.dlerror.restype = ctypes.c_void_p, ctypes.c_char_p
    new_namespace = ctypes.c_long(-1)
    handle = system.dlmopen(new_namespace, os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL)
    if not handle:
        raise SystemExit(f"compare_hexl: {os.fsdecode(system.dlerror())}")
    return ctypes.CDLL(str(path), handle=handle)


class Case:
    """The words of one degree and modulus. Both libraries use the same buffers."""

    def __init__(self, degree, q):
        self.q = q
        choice = random.Random(degree)
        self.a, self.b, self.result = (self._aligned(degree) for _ in range(3))
        for words in (self.a, self.b):
            words[:] = [choice.randrange(q) for _ in range(degree)]

    def _aligned(self, degree):
        """HEXL is fastest on boundaries of 64 bytes."""
        memory = (ctypes.c_uint64 * (degree + 8))()
        return (ctypes.c_uint64 * degree).from_buffer(memory, -ctypes.addressof(memory) % 64)

    def answer(self, library, operation):
        self.result[:] = self.a
        library.run(operation, self, 1)
        return list(self.result)


def measure_kernels(libraries, rounds):
    """Compares all results, then measures in turn; every second round in the opposite order."""
    cases = {
        (bits, degree): Case(degree, libraries[0].prime(bits, degree))
        for bits in BITS for degree in QUOTED["DEGREES"]
    }  # fmt: skip
    jobs = [(operation, *key) for operation in range(len(OPERATIONS)) for key in cases]
    calls = {}
    for job in jobs:
        operation, case = job[0], cases[job[1:]]
        answers = [case.answer(library, operation) for library in libraries]
        if answers[0] != answers[1]:
            raise SystemExit(f"compare_hexl: the results of {OPERATIONS[operation]} differ")
        once = max(library.run(operation, case, 3) for library in libraries)
        calls[job] = max(1, round(BLOCK_US / once))
    for turn in range(rounds):
        for job in jobs:
            for library in libraries[:: 1 if turn % 2 else -1]:
                time = library.run(job[0], cases[job[1:]], calls[job])
                library.times.setdefault(job, []).append(time)


def quote(table, place):
    """The paper's shortest time with a 50-bit modulus, and its kernel."""
    times = {
        name: row[place] for name, row in QUOTED["PAPER_TABLES"][table].items()
        if name.startswith("AVX512")
    }  # fmt: skip
    name = min(times, key=times.get)
    return f"“{times[name]}” {name}"


def show_kernels(libraries, rounds, note):
    print(f"\nMicroseconds of one call: minimum (median) of {rounds} rounds in turn{note}.")
    for table, name in enumerate(OPERATIONS, 1):
        print(f"\nTable {table}: {name}\n")
        print("| bits | N | HEXL | Ringlet | HEXL : Ringlet | the paper's HEXL |")
        print("|--:|--:|--:|--:|--:|---|")
        for bits in BITS:
            for place, degree in enumerate(QUOTED["DEGREES"]):
                times = [library.times[table - 1, bits, degree] for library in libraries]
                ratio = f"{min(times[0]) / min(times[1]):.2f}"
                quoted = quote(table, place) if bits == 50 else ""
                cells = [str(bits), str(degree), *map(cell, times), ratio, quoted]
                print(f"| {' | '.join(cells)} |")


@dataclass(frozen=True)
class Program:
    """A benchmark program of another library. `rows` maps the operations of the paper's table to
    the benchmarks whose times it adds. Without them, every benchmark is a row."""

    name: str
    table: int = 0
    prefix: str = "^"
    rows: dict = field(default_factory=dict)

    @property
    def pattern(self):
        names = sorted({name for names in self.rows.values() for name in names.split(" + ")})
        return f"{self.prefix}({'|'.join(names) or '.*'})(/|$)"


PROGRAMS = {
    "SEAL": Program("sealbench", 5, "^n=8192 / .* / ", {
        "ntt forward": "UTIL / NTTForward",
        "ntt inverse": "UTIL / NTTInverse",
        "bfv encrypt": "BFV / EncryptPublic",
        "bfv decrypt": "BFV / Decrypt",
        "bfv multiply": "BFV / EvaluateMulCt",
        "bfv multiply_relinearize": "BFV / EvaluateMulCt + BFV / EvaluateRelinInplace",
        "bfv rotate": "BFV / EvaluateRotateRows",
        "ckks encode": "CKKS / EncodeDouble",
        "ckks decode": "CKKS / DecodeDouble",
        "ckks encrypt": "CKKS / EncryptPublic",
        "ckks decrypt": "CKKS / Decrypt",
        "ckks multiply": "CKKS / EvaluateMulCt",
        "ckks multiply_relinearize": "CKKS / EvaluateMulCt + CKKS / EvaluateRelinInplace",
        "ckks rescale": "CKKS / EvaluateRescaleInplace",
        "ckks rotate": "CKKS / EvaluateRotate",
    }),
    "OPENFHE": Program("lib-benchmark", 6, "^", {
        "ntt forward": "NTTTransform4096",
        "ntt inverse": "INTTTransform4096",
        "bfv encode": "none in lib-benchmark",
        "bfv decode": "none in lib-benchmark",
        "bfv encrypt": "BFVrns_Encryption",
        "bfv decrypt": "BFVrns_Decryption",
        "bfv multiply": "BFVrns_MultNoRelin",
        "bfv rotate": "BFVrns_EvalAtIndex",
        "ckks encode": "none in lib-benchmark",
        "ckks encrypt": "CKKSrns_Encryption",
        "ckks multiply": "CKKSrns_MultNoRelin",
        "ckks multiply_relinearize_rescale": "CKKSrns_MultRelin + CKKSrns_Rescale",
        "ckks rotate": "CKKSrns_EvalAtIndex",
    }),
    "HELIB": Program("ckks_basic"),
}  # fmt: skip
KINDS = ("none", "hexl", "ringlet")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class Build:
    """A program in one of the three builds of its library, and the times of its benchmarks."""

    def __init__(self, program, path, folders):
        self.path, self.times, self._pattern = path, {}, program.pattern
        folders = [*map(str, folders), os.environ.get("LD_LIBRARY_PATH", "")]
        found = ":".join(dict.fromkeys(filter(None, folders)))
        self._environment = os.environ | {"LD_LIBRARY_PATH": found}

    def run(self, environment=None):
        """Runs the program once. Returns what it printed if it failed, or None."""
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = subprocess.run(
                [self.path, f"--benchmark_filter={self._pattern}",
                 f"--benchmark_out={file.name}", "--benchmark_out_format=json"],
                env=self._environment | (environment or {}), text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            if done.returncode:
                return done.stdout[-2000:] or f"status {done.returncode}"
            measured = json.loads(Path(file.name).read_text())["benchmarks"]
        for entry in measured:
            if found := re.match(self._pattern, entry["name"]):
                time = entry["real_time"] * MICROSECONDS[entry["time_unit"]]
                self.times.setdefault(found[1], []).append(time)
        return None

    def of(self, names):
        """Sums of the benchmarks' times, run by run; empty if one is missing."""
        times = [self.times.get(name, []) for name in names.split(" + ")]
        return [sum(run) for run in zip(*times, strict=True)] if all(times) else []


def find_builds(option, folder, prefixes):
    """The builds of a library by KINDS, each with the libraries that its program may load."""
    program, builds = PROGRAMS[option], {}
    for kind in KINDS:
        paths = [path for path in sorted((folder / kind).rglob(program.name)) if path.is_file()]
        if not paths:
            left_out(f"{option} with {kind}", f"no program {program.name} below {folder / kind}")
            continue
        folders = [path.parent for path in sorted((folder / kind).glob("lib*/**/*.so"))]
        if prefixes.get(kind):
            folders.append(hexl_libraries(prefixes[kind])[0].parent)
        builds[kind] = Build(program, paths[0], folders)
    return builds


def measure_programs(builds, runs):
    """Every second turn in the opposite order."""
    # Ringlet refuses an unknown table: the build that should call it has to fail.
    ours = builds.get("ringlet")
    if ours and ours.run({"RINGLET_FORCE_KERNELS": "nothing"}) is None:
        raise SystemExit(f"compare_hexl: {ours.path} does not call Ringlet")
    for turn in range(runs):
        for build in list(builds.values())[:: 1 if turn % 2 else -1]:
            problem = build.run()
            if problem:
                raise SystemExit(f"compare_hexl: {build.path} failed:\n{problem}")


def show_programs(option, builds, runs):
    program = PROGRAMS[option]
    title = f"Table {program.table}: " if program.table else ""
    print(f"\n{title}{program.name} of {option}, with its own parameters. Microseconds of one "
          f"call: minimum (median) of {runs} runs in turn\n")  # fmt: skip
    measured = dict.fromkeys(name for build in builds.values() for name in build.times)
    gains = [kind for kind in KINDS[1:] if kind in builds and "none" in builds]
    heads = ["", "benchmark", *builds, *(f"none : {kind}" for kind in gains)]
    heads += ["the paper's gain"] if program.table else []
    print(f"| {' | '.join(heads)} |\n|---|---|{'--:|' * (len(heads) - 2)}")
    for operation, names in (program.rows or {name: name for name in measured}).items():
        times = {kind: build.of(names) for kind, build in builds.items()}
        cells = [operation if program.table else "", names, *map(cell, times.values())]
        for kind in gains:
            both = times["none"] and times[kind]
            cells.append(f"{min(times['none']) / min(times[kind]):.2f}" if both else "-")
        if program.table:
            cells.append(f"“{SPEEDUPS[tuple(operation.split())][program.table - 5]:.2f}”")
        print(f"| {' | '.join(cells)} |")


def compare_kernels(hexl, ringlet, options):
    headers = (path.read_text() for path in (hexl / "include" / "hexl").rglob("*.hpp"))
    is_stand_in = any(STAND_IN in text for text in headers)
    note = "; HEXL= is Ringlet itself, so publish none of its figures" if is_stand_in else ""
    with tempfile.TemporaryDirectory(prefix="ringlet-compare-") as folder:
        prefixes = {"hexl": hexl, "ringlet": ringlet}
        pair = [Library(prefix, Path(folder) / f"{name}.so") for name, prefix in prefixes.items()]
        measure_kernels(pair, options.rounds)
    show_kernels(pair, options.rounds, note)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ringlet", type=Path, required=True, metavar="PREFIX")
    for option in ("HEXL", *PROGRAMS):
        parser.add_argument(f"--{option.lower()}", metavar="FOLDER", default="", dest=option)
    parser.add_argument("--rounds", type=int, default=200, help="of Tables 1 to 4")
    parser.add_argument("--runs", type=int, default=5, help="of each benchmark program")
    options = parser.parse_args()
    prefixes = {"ringlet": options.ringlet.resolve()}
    if options.HEXL:
        prefixes["hexl"] = Path(options.HEXL).resolve()
        compare_kernels(prefixes["hexl"], prefixes["ringlet"], options)
    else:
        left_out("Tables 1 to 4", "no HEXL= is given")
    for option, program in PROGRAMS.items():
        if not getattr(options, option):
            left_out(f"{program.name} of {option}", f"no {option}= is given")
            continue
        builds = find_builds(option, Path(getattr(options, option)).resolve(), prefixes)
        if builds:
            measure_programs(builds, options.runs)
            show_programs(option, builds, options.runs)


if __name__ == "__main__":
    main()
