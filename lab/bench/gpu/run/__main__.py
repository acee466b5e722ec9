#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks and measures Ringlet on the GPU of this machine, with the most important steps first.
Writes ringlet-gpu.json and ringlet-gpu.log after each step, so that a hang or a crash costs one
step.
"""

import argparse
import collections
import csv
import datetime
import json
import os
import platform
import re
import resource
import shutil
import signal
import site
import sys
import tempfile
import time
from pathlib import Path

from run_programs import Programs, Report, Result, Tests, anonymous, say, short

# The files beside this one are one file in the bundle, an archive that Python runs.
BUNDLE = Path(sys.argv[0]).resolve().parent
SMALL_TESTS = "*Small*"
# The transforms of all variants are compared where they are timed.
QUICK_TESTS = "DevicePrimitives.*:DeviceTransformTest.*:SmallRoofs.*"
LOST_DEVICE = "*Lost*.*"
# Programs of every variant at every degree: more than can be compiled in minutes.
TOO_MANY = "*AllDegreesOfEveryVariant*"
# Tests of gpu_check that compute nothing on the device, or watch what it does when calls fail.
FAILURES = (
    "*Fault*:*Error*:CudaCard*:CudaDriver*:CudaModule*:AnyDriver*:Opencl*:*StandIn*:"
    "ForkedProcess*:QueueOrder*:QueueLanes*:DeviceMemory*:DeviceRegistry*:DeviceName*:"
    "ModuleCache.*:SharedBlocks*:AddressRange*:SizeClass*"
)
EVALUATOR = "*Device*.*:WatchedGroup.*:-*Fault*"
CLOCKS = "name driver_version pstate clocks.sm clocks.mem clocks.max.sm clocks.max.mem power.draw"
CLOCKS += " power.limit temperature.gpu compute_mode"
LIBCUDA = ("libcuda.so.1",)
NVRTC = ("libnvrtc.so.13", "libnvrtc.so.12")
NVRTC_REMEDY = (
    "NVRTC is missing (libnvrtc.so.13 for drivers of CUDA 13, .12 for CUDA 12):"
    " install it by `python3 -m pip install nvidia-cuda-nvrtc`, or the CUDA toolkit"
)
# It runs in a process of its own, because libraries that it loads stay loaded.
LOAD = """
import contextlib, ctypes, sys
for name in sys.argv[1:]:
    with contextlib.suppress(OSError):
        ctypes.CDLL(name)
        print(name, flush=True)
"""
SASS_FUNCTION = re.compile(r"^\s*Function : (\S+)")
SASS_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?!NOP\b)\S.*;")
SANITIZER_SUMMARY = re.compile(r"=+ (?:ERROR|RACECHECK) SUMMARY: (\d+) ")


class Skipped(Exception):
    """The error for a step that this machine cannot do. Its text states the reason."""


class Finder:
    """Finds NVIDIA's libraries and tools, also outside of the usual places."""

    def __init__(self):
        homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
        homes += sorted(map(str, Path("/usr/local").glob("cuda*")), reverse=True)
        packages = [*sys.path, *site.getsitepackages(), site.getusersitepackages()]
        wheels = [each for root in packages if root for each in Path(root).glob("nvidia/*")]
        self._roots = [*wheels, *map(Path, homes), Path("/usr/local/nvidia")]
        system = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib")
        self._system = [Path(folder) for folder in system]

    def library_folder(self, name):
        folders = [root / sub for root in self._roots for sub in ("lib", "lib64")] + self._system
        return next((folder for folder in folders if (folder / name).is_file()), None)

    def tool(self, name):
        places = [str(root / "bin") for root in self._roots]
        return shutil.which(name) or shutil.which(name, path=os.pathsep.join(places))


class Run:
    """One run: its devices, and the steps that it does on them."""

    def __init__(self, options, report, programs):
        self.options = options
        self.report = report
        self.programs = programs
        self.finder = Finder()
        self.cores = report.document["context"]["num_cpus"]
        self.main = self.second = None
        self.missing = ""

    def bench(self, part, deadline, device=None, more=(), keep=True, environment=()):
        """Runs a part of gpu_bench and keeps the results in its lines. Returns the Result and the
        lines."""
        others, count = [], 0

        def line(text):
            nonlocal count
            try:
                value = json.loads(text, parse_constant=lambda _: None)
                kind = value.pop("type")
            except (ValueError, AttributeError, KeyError, TypeError):
                return  # words for people, or the partial line of a killed program
            count += kind in ("entry", "refused")
            if kind in ("entry", "refused") and keep:
                member = "benchmarks" if kind == "entry" else "refused"
                self.report.add(member, {**value, "device": device["name"]})
            elif kind == "note":
                self.report.note(str(value.get("text")))
            elif kind == "context" and device:
                device.update(anonymous(value))
            others.append((kind, value))

        command = [BUNDLE / "bin" / "gpu_bench", part]
        command += ["--device", device["name"], *more] if device else []
        ending = self.programs.run(command, deadline, line, environment)
        result = Result(ending.state, ending.why)
        if ending.state == "passed" and not count and part not in ("list", "cubins"):
            result = Result("failed", f"gpu_bench {part} measured nothing")
        return result, others

    def tests(self, program, device, prefix=(), scale="large"):
        environment = {"RINGLET_TEST_DEVICE": device["name"]}
        if scale == "large" and not self.is_small(device):
            environment["RINGLET_TEST_SCALE"] = "large"
        # A card may be set to take one process at a time.
        is_shared = device.get("clocks", {}).get("compute_mode", "Default") == "Default"
        count = max(1, min(8, self.cores // 2)) if is_shared and not prefix else 1
        return Tests(self.programs, [*prefix, BUNDLE / "bin" / program], environment, count)

    def is_small(self, device):
        return self.options.quick or bool(device.get("is_host_processor"))

    def sizes(self, part, device):
        return SMALL_SIZES[part] if self.is_small(device) else LARGE_SIZES.get(part, [])

    def find_libraries(self, deadline):
        """Adds folders to the loader's path, for the libraries that it does not find by itself."""
        found = []
        load = [sys.executable, "-I", "-c", LOAD, *NVRTC, *LIBCUDA]
        self.programs.run(load, deadline, found.append)
        for names in (NVRTC, LIBCUDA):
            if set(names) & set(found):
                continue
            folder = next(filter(None, map(self.finder.library_folder, names)), None)
            if folder:
                path = self.programs.environment.get("LD_LIBRARY_PATH", "")
                self.programs.environment["LD_LIBRARY_PATH"] = f"{path}:{folder}".strip(":")
            elif names == NVRTC:
                self.missing = NVRTC_REMEDY
            else:
                self.report.note("libcuda.so.1 was not found: it comes with NVIDIA's driver")

    def clocks(self, deadline):
        """Returns the members of nvidia-smi for each NVIDIA device."""
        names = CLOCKS.split()
        query = ["nvidia-smi", f"--query-gpu={','.join(names)}", "--format=csv,noheader,nounits"]
        if os.environ.get("CUDA_VISIBLE_DEVICES"):
            query.append(f"--id={os.environ['CUDA_VISIBLE_DEVICES']}")
        lines = []
        ending = self.programs.run(query, deadline, lines.append)
        if ending.state != "passed":
            self.report.note(f"clocks and power are unknown: {ending.why}")
            return []
        rows = csv.reader(lines, skipinitialspace=True)
        return [dict(zip(names, row)) for row in rows if len(row) == len(names)]

    def info(self, deadline):
        self.find_libraries(min(deadline, time.monotonic() + 10))
        result, lines = self.bench("list", deadline)
        context = self.report.document["context"]
        devices = [anonymous(value) for kind, value in lines if kind == "device"]
        context["devices"] = sorted(devices, key=lambda each: each.get("api") != "cuda")
        context["libraries"] = [anonymous(value) for kind, value in lines if kind == "library"]
        nvidia = [each for each in context["devices"] if each.get("api") == "cuda"]
        rows = self.clocks(min(deadline, time.monotonic() + 10)) if nvidia else []
        for device, row in zip(nvidia, rows):
            device["clocks"] = row
        wanted = self.options.device
        self.main = next((d for d in context["devices"] if wanted in (None, d["name"])), None)
        others = [d for d in context["devices"] if d.get("api") == "opencl" and d is not self.main]
        self.second = others[0] if others else None
        if not self.main:
            reasons = [f"{each['library']}: {each['reason']}" for each in context["libraries"]]
            why = result.detail or short(reasons) or "gpu_bench lists none"
            return Result("failed", f"no device {wanted or ''}".strip() + f": {why}")
        tiny = ["--rounds", "1", "--copy-mib", "1", "--groups", "1"]
        until = min(deadline, time.monotonic() + 20)
        compiled, _ = self.bench("roofs", until, self.main, tiny, keep=False)
        needs = self.missing if self.main["api"] == "cuda" else ""
        self.missing = needs if compiled.state != "passed" else ""
        if self.missing:
            self.report.note(self.missing)
            compiled.detail = self.missing
        return result.add(compiled)

    def machine_code(self, deadline):
        dump = self.cuda_tool("cuobjdump")
        folder = self.programs.folder / "cubins"
        folder.mkdir(exist_ok=True)
        result, lines = self.bench("cubins", deadline, self.main, ["--folder", folder])
        for kind, cubin in lines:
            if kind != "cubin":
                continue
            counts, current = collections.Counter(), [""]

            def line(text, counts=counts, current=current):
                if found := SASS_FUNCTION.match(text):
                    current[0] = found[1]
                counts[current[0]] += bool(SASS_INSTRUCTION.match(text))

            ending = self.programs.run([dump, "-sass", folder / cubin["file"]], deadline, line)
            result.add(Result(ending.state, ending.why))
            for kernel in cubin["kernels"]:
                count = counts[kernel["kernel"]]
                if not count:
                    result.add(Result("failed", f"no machine code of {kernel['kernel']}"))
                per_butterfly = round(count / kernel["butterflies"], 2)
                more = {"instructions": count, "per_butterfly": per_butterfly}
                self.report.add("machine_code", {**kernel, **more})
        return result

    def cuda_tool(self, name):
        if self.main["api"] != "cuda":
            raise Skipped(f"{self.main['name']} is no device of CUDA")
        tool = self.finder.tool(name)
        if not tool:
            raise Skipped(f"{name} was not found (it is in the CUDA toolkit)")
        return tool

    def sanitizer(self, deadline):
        tool = self.cuda_tool("compute-sanitizer")
        total = Result("skipped")
        for check in ("memcheck", "racecheck"):
            findings, summaries = [], []
            prefix = [tool, "--tool", check]
            tests = self.tests("gpu_check", self.main, prefix, scale="default")
            until = deadline if check == "racecheck" else (deadline + time.monotonic()) / 2

            def line(text, findings=findings, summaries=summaries, check=check):
                if summary := SANITIZER_SUMMARY.match(text):
                    summaries.append(text)
                    if int(summary[1]):
                        findings.append(f"{check}: {text.strip('= ')}")

            total.add(tests.run(SMALL_TESTS, until, line))
            if not summaries:
                findings.append(f"{check}: there is no summary of errors")
            if findings:
                total.add(Result("failed", findings[0], failures=findings))
        return total

    def failures(self, deadline):
        tests = self.tests("gpu_check", self.main, scale="default")
        total = tests.run(f"{FAILURES}:-{LOST_DEVICE}", deadline)
        names, _ = tests.names(LOST_DEVICE, deadline)
        return total.add(tests.run(LOST_DEVICE, deadline)) if names else total

    def compile(self, deadline):
        # The runtime's own cache must be empty too.
        folder = tempfile.mkdtemp(dir=self.programs.folder)
        environment = {"RINGLET_CACHE_DIR": folder, "POCL_CACHE_DIR": folder}
        more = self.sizes("compile", self.main)
        return self.bench("compile", deadline, self.main, more, environment=environment)[0]

    def opencl(self, deadline):
        if not self.second:
            raise Skipped("there is no other device of OpenCL")
        tests = self.tests("gpu_check", self.second, scale="default")
        total = tests.run(QUICK_TESTS, (deadline + time.monotonic()) / 2)
        return total.add(self.bench("ntt", deadline, self.second, SMALL_SIZES["ntt"])[0])

    def large_products(self, deadline):
        """Measures large products, without whole processes, which would decrypt 10,000 ciphertexts.
        """
        if self.is_small(self.main):
            raise Skipped("sizes are small")
        return self.bench("products", deadline, self.main, LARGE_PRODUCT)[0]

    def transforms(self, deadline):
        """Measures the transforms, and first the roofs with which they are compared."""
        result, _ = self.bench("roofs", deadline, self.main, self.sizes("roofs", self.main))
        more = self.sizes("ntt", self.main)
        return result.add(self.bench("ntt", deadline, self.main, more)[0])


SMALL_SIZES = {
    "roofs": "--rounds 3 --copy-mib 16,64 --groups 4".split(),
    "ntt": "--degrees 4096 --limbs 1,8 --rounds 3".split(),
    "routines": "--degree 1024 --data-primes 2 --count 2 --rounds 3".split(),
    "keyswitch": "--shapes 2048:4+2 --count 2 --rounds 3".split(),
    "products": "--shapes 3x3x1:1024:2 --rounds 3 --process-rounds 1".split(),
    "server": "--count 2 --rounds 3".split(),
    "compile": "--programs 8".split(),
}


# Sizes for steps in which the defaults of gpu_bench would take too long.
LARGE_SIZES = {"products": "--shapes 10x9x8:8192:3".split()}
LARGE_PRODUCT = "--shapes 100x100x1:8192:3 --rounds 5 --process-rounds 0".split()


def measure(part):
    def work(run, deadline):
        return run.bench(part, deadline, run.main, run.sizes(part, run.main))[0]

    return work


def check(program, pattern):
    return lambda run, deadline: run.tests(program, run.main).run(pattern, deadline)


# Name, seconds on a GPU and on a processor out of eight minutes, and action; the most telling
# steps first.
STEPS = (
    ("info", 20, 10, Run.info),
    ("bits", 120, 240, check("gpu_check", f"*:-{FAILURES}:{LOST_DEVICE}:{TOO_MANY}")),
    ("ntt", 70, 35, Run.transforms),
    ("routines", 45, 35, measure("routines")),
    ("evaluator", 60, 80, check("scheme_check", EVALUATOR)),
    ("keyswitch", 25, 15, measure("keyswitch")),
    ("products", 35, 10, measure("products")),
    ("server", 20, 15, measure("server")),
    ("failures", 25, 30, Run.failures),
    ("sanitizer", 35, 1, Run.sanitizer),
    ("machine code", 15, 1, Run.machine_code),
    ("compile", 20, 5, Run.compile),
    ("opencl", 20, 3, Run.opencl),
    ("large products", 40, 1, Run.large_products),
)


def attempt(run, name, work, deadline):
    if run.programs.stop.is_set():
        return Result("skipped", "interrupted")
    if name != "info" and not run.main:
        return Result("skipped", "no device")
    if name not in ("info", "opencl") and run.missing:
        return Result("skipped", run.missing.split(" (")[0])
    try:
        return work(run, deadline)
    except Skipped as reason:
        return Result("skipped", str(reason))
    except Exception as error:  # noqa: BLE001 - the other steps go on
        return Result("failed", f"{type(error).__name__}: {error}")


def run_steps(run, steps, seconds):
    """Runs the steps within a time limit. Time that a step leaves is shared by all later steps."""
    end = time.monotonic() + seconds
    for number, (name, _, _, work) in enumerate(steps):
        is_host = bool(run.main and run.main.get("is_host_processor"))
        weights = [step[2 if is_host else 1] for step in steps[number:]]
        started = time.monotonic()
        deadline = started + max(1, (end - started) * weights[0] / sum(weights))
        say(f"{name}: up to {deadline - started:.0f} s")
        result = attempt(run, name, work, deadline)
        device = (run.second if name == "opencl" else None) or run.main
        step = {"name": name, "device": device["name"] if device else "", "state": result.state}
        step["seconds"] = round(time.monotonic() - started, 1)
        step["limit_seconds"] = round(deadline - started, 1)
        step["detail"] = anonymous(result.detail)
        step |= {"passed": result.passed, "failed": result.failed, "skipped": result.skipped}
        step["failures"] = anonymous(result.failures)
        run.report.document["steps"].append(step)
        run.report.write()
        counts = [f", {step[key]} {key}" for key in ("passed", "failed", "skipped") if step[key]]
        detail = f": {step['detail']}" if step["detail"] else ""
        say(f"   {result.state} in {step['seconds']} s{''.join(counts)}{detail}")


def last_line(steps):
    groups = {"passed": [], "failed": [], "skipped": []}
    for step in steps:
        group = step["state"] if step["state"] in groups else "failed"
        why = step["detail"].split("\n")[0] or step["state"]
        groups[group].append(step["name"] + ("" if group == "passed" else f" ({why})"))
    return "; ".join(f"{group}: {', '.join(names)}" for group, names in groups.items() if names)


def read_arguments():
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument("--out", help="folder of ringlet-gpu.json and ringlet-gpu.log")
    parser.add_argument("--only", default="", help="steps, with commas between; info always runs")
    parser.add_argument("--minutes", type=float, default=8, help="limit of all steps together")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--device", help="such as cuda:1; otherwise the first")
    parser.add_argument("--list", action="store_true", help="print the steps")
    options = parser.parse_args()
    if options.list:
        print("\n".join(step[0] for step in STEPS))
        sys.exit(0)
    wanted = {name.strip() for name in options.only.split(",")} - {""}
    unknown = wanted - {step[0] for step in STEPS}
    if unknown:
        parser.error(f"no step {', '.join(sorted(unknown))}; --list prints the steps")
    if not 0 < options.minutes <= 1440:
        parser.error("--minutes takes a number above 0, up to 1440")
    if not options.out:
        parser.error("--out FOLDER says where the results go")
    steps = [step for step in STEPS if not wanted or step[0] in wanted | {"info"}]
    return options, steps


def context(options):
    model = re.search(r"^model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "executable": "run",
        **json.loads((BUNDLE / "version.json").read_text()),
        "system": platform.platform(),
        "python_version": platform.python_version(),
        "cpu_model": model[1] if model else "unknown",
        "num_cpus": len(os.sched_getaffinity(0)),
        "devices": [],
        "libraries": [],
        "limit_minutes": options.minutes,
    }


def main():
    options, steps = read_arguments()
    try:
        Path(options.out).mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="ringlet-", ignore_cleanup_errors=True)
    except OSError as error:
        say(f"run: {error.filename}: {error.strerror}")
        return 2
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with folder as scratch:
        report = Report(Path(options.out), context(options))
        caches = ("RINGLET_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH")
        programs = Programs(report, Path(scratch), {each: f"{scratch}/cache" for each in caches})
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: programs.stop.set())
        run_steps(Run(options, report, programs), steps, 60 * options.minutes)
    if report.problem:
        say(report.text())
        say(f"{report.problem}; the results are above")
    done = report.document["steps"]
    if programs.stop.is_set():
        say(f"interrupted; {last_line(done)}")
        return 130
    say(last_line(done))
    return int(bool(report.problem) or any(s["state"] not in ("passed", "skipped") for s in done))


if __name__ == "__main__":
    STATUS = main()
    # A thread may still wait for a program that cannot be killed; it must not delay the end.
    os._exit(STATUS)
