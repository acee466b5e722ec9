# SPDX-License-Identifier: Apache-2.0
"""Rehearses the GPU bundle in a root folder with nothing but the C library, Python and PoCL. It
runs the bundle as it is, on a driver that ends the process, hangs or lacks its compiler, and on a
full disk.
"""

import json
import platform
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from outcome import Outcome
from runner import ROOT, tail

BUNDLE = ROOT / "build" / "gpu-bundle"
REHEARSAL = ROOT / "build" / "gpu-rehearsal"
LIBRARIES = Path("/usr/lib") / f"{platform.machine()}-linux-gnu"
# PoCL loads its devices by name, reads its built-in functions and calls the linker.
LOADER = "libOpenCL.so.1"
POCL_ICD = Path("/etc/OpenCL/vendors/pocl.icd")
POCL_DATA = (POCL_ICD, Path("/usr/share/pocl"))
POCL_DEVICES = [f"pocl/libpocl-devices-{name}.so" for name in ("pthread", "basic")]
# Libraries that the linker of PoCL's kernels reads.
LINKED = ("libc.so", "libc_nonshared.a", "libm.so", "libmvec.so.1", "libgcc_s.so.1")
LINKED_GCC = ("crtbegin.o", "libgcc.a", "libgcc_s.so")
TOOLS = ("/usr/bin/env", "/usr/bin/ld")
MEASURED = ("gpu_ntt_", "gpu_routine/", "gpu_keyswitch/", "gpu_matrix_", "gpu_server/")
TESTED = ("bits", "evaluator", "failures")
MOST_BYTES = 16 << 20
LIMIT_SECONDS = 480
SMALL_DISK_KIB = 24
NOT_PERMITTED = 77
# $1 is the root folder, $2 the size of its small file system; the other arguments are the command.
INSIDE = f"""
root=$1 size=$2; shift 2
for folder in dev proc sys; do mount --rbind /$folder "$root/$folder" || exit {NOT_PERMITTED}; done
mount -t tmpfs -o size="$size"k none "$root/small" || exit {NOT_PERMITTED}
PATH=$PATH:/usr/sbin:/sbin chroot "$root" /usr/bin/env -i "$@"
status=$?
cp -r "$root/small" "$root/kept"
exit $status
"""


def needed(files):
    """Returns the paths of the shared libraries that programs and libraries load."""
    listing = subprocess.run(["ldd", *files], capture_output=True, text=True).stdout
    words = [word for line in listing.splitlines() for word in line.split()[:3]]
    return sorted({Path(word) for word in words if word.startswith("/") and word[-1] != ":"})


def copy_into(root, path):
    target = root / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(path).is_dir():
        leave_out = shutil.ignore_patterns("*-packages", "__pycache__", "test", "config-*")
        shutil.copytree(path, target, ignore=leave_out, dirs_exist_ok=True)
    else:
        shutil.copy2(path, target)


def make_root():
    """Makes a root folder with everything that the bundle may need, and nothing else. Returns the
    folder of Python's program."""
    shutil.rmtree(REHEARSAL, ignore_errors=True)
    for name in ("usr/lib", "usr/lib64"):
        (REHEARSAL / name).mkdir(parents=True)
        (REHEARSAL / Path(name).name).symlink_to(name)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = Path(sys.base_prefix) / "bin" / version
    standard = Path(sysconfig.get_path("stdlib"))
    pocl = [LIBRARIES / name for name in (LOADER, POCL_ICD.read_text().strip(), *POCL_DEVICES)]
    linked = [LIBRARIES / name for name in LINKED]
    for name in LINKED_GCC:
        linked += Path("/usr/lib/gcc").glob(f"{LIBRARIES.name}/*/{name}")
    modules = sorted((standard / "lib-dynload").glob("*.so"))
    binaries = [python, *TOOLS, *pocl, *modules]
    for path in [*binaries, standard, *POCL_DATA, *linked, *needed(binaries)]:
        copy_into(REHEARSAL, path)
    (REHEARSAL / str(python.parent).lstrip("/") / "python3").symlink_to(version)
    for name in ("dev", "proc", "sys", "tmp", "small", "cuda", "cuda-alone"):
        (REHEARSAL / name).mkdir(parents=True, exist_ok=True)
    shutil.copytree(BUNDLE, REHEARSAL / "bundle")
    for folder in ("cuda", "cuda-alone"):
        copy_stand_in("cuda", folder, "libcuda.so.1")
    copy_stand_in("nvrtc", "cuda", "libnvrtc.so.13")
    return python.parent


def copy_stand_in(library, folder, name):
    stand_in = BUNDLE / "lib" / f"libringlet_standin_{library}.so"
    shutil.copy2(stand_in, REHEARSAL / folder / name)


class Rehearsal:
    """Runs the bundle in its root folder and judges its output."""

    def __init__(self, runner, path):
        self.runner = runner
        self.path = path
        self.outcome = Outcome()

    def run(self, name, arguments, out="/result", variables=()):
        """Runs the bundle. Returns its exit status and document, or NOT_PERMITTED and an empty
        document if the machine does not permit namespaces."""
        for folder in ("result", "kept"):
            shutil.rmtree(REHEARSAL / folder, ignore_errors=True)
        status, document = NOT_PERMITTED, {}
        for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
            command = [*unshare, "sh", "-c", INSIDE, "sh", REHEARSAL, SMALL_DISK_KIB]
            command += [f"PATH={self.path}:/usr/bin", "HOME=/nobody", *variables]
            command += ["/bundle/run", "--out", out, *arguments]
            log_name = f"gpu-bundle-{name}"
            status, self.log = self.runner.command(command, log_name, timeout=2 * LIMIT_SECONDS)
            if status not in (NOT_PERMITTED, 1) or (REHEARSAL / "kept").is_dir():
                break
            status = NOT_PERMITTED
        folder = REHEARSAL / ("kept" if out == "/small" else out.lstrip("/"))
        file = folder / "ringlet-gpu.json"
        if status == NOT_PERMITTED:
            self.outcome.skip(f"a root folder of its own is not permitted; log: {self.log}")
        elif self.expect(file.is_file(), f"{name}: no {file.name}"):
            document = json.loads(file.read_text())
            names = {path.name for path in folder.iterdir()}
            self.expect(names <= {file.name, "ringlet-gpu.log"}, f"{name}: wrote {names}")
            sizes = [path.stat().st_size for path in folder.iterdir()]
            self.expect(max(sizes) <= MOST_BYTES, f"{name}: files of {sizes} bytes")
        return status, document

    def expect(self, holds, problem):
        self.outcome.check(holds, f"{problem}; log: {self.log}")
        return holds

    def states(self, name, document, wanted):
        for step in document.get("steps", []):
            state = wanted.get(step["name"])
            found = f"{name}: {step['name']} {step['state']} ({step['detail']}), not {state}"
            if state:
                self.expect(step["state"] == state, found)
        missing = wanted.keys() - {step["name"] for step in document.get("steps", [])}
        self.expect(not missing, f"{name}: no step {missing}")


def on_pocl(rehearsal):
    started = time.monotonic()
    status, document = rehearsal.run("pocl", [])
    seconds = time.monotonic() - started
    if not document:
        return
    print(f"   {seconds:.0f} s on PoCL")
    rehearsal.expect(status == 0, f"status {status}")
    rehearsal.expect(seconds <= LIMIT_SECONDS, f"{seconds:.0f} s, more than {LIMIT_SECONDS}")
    for step in document["steps"]:
        print(f"   {step['name']}: {step['state']} in {step['seconds']} s {step['detail']}")
        is_well = step["state"] == "passed" or (step["state"] == "skipped" and step["detail"])
        rehearsal.expect(is_well, f"{step['name']}: {step['state']} ({step['detail']})")
        if step["name"] in TESTED:
            rehearsal.expect(step["passed"] > 0, f"{step['name']}: no test passed")
    for prefix in MEASURED:
        is_there = any(entry["name"].startswith(prefix) for entry in document["benchmarks"])
        rehearsal.expect(is_there, f"no entry {prefix}")


def on_failing_drivers(rehearsal):
    """Checks that the PoCL step passes after a CUDA step that aborts, hangs or lacks NVRTC."""
    few = ["--only", "failures,opencl", "--minutes", "2.5"]
    for name, folder, fault, state, words in (
        ("abort", "/cuda", "abort:cuLaunchKernel", "failed", "died: signal 6"),
        ("hang", "/cuda", "hang:cuStreamSynchronize", "timed out", "no answer for"),
        ("no-nvrtc", "/cuda-alone", "", "skipped", "NVRTC is missing"),
    ):
        variables = [f"LD_LIBRARY_PATH={folder}"]
        variables += [f"RINGLET_STANDIN_FAULT={fault}"] if fault else []
        status, document = rehearsal.run(name, few, variables=variables)
        if document:
            rehearsal.expect(status == 1, f"{name}: status {status}")
            rehearsal.expect(words in json.dumps(document["steps"]), f"{name}: no '{words}'")
            rehearsal.states(name, document, {"failures": state, "opencl": "passed"})


def on_a_full_disk(rehearsal):
    few = ["--only", "ntt,server", "--minutes", "2"]
    status, document = rehearsal.run("full-disk", few, out="/small")
    if document:
        rehearsal.expect(document["steps"], "full disk: no step")
        has_room = len(document["steps"]) == 3
        printed = "could not be written" in rehearsal.log.read_text()
        rehearsal.expect(has_room or printed, "full disk: steps are neither written nor printed")
        rehearsal.expect(status == int(printed), f"full disk: status {status}")


def rehearse(runner):
    status, log = runner.command([ROOT / "scripts" / "gpu_bundle.sh"], "gpu-bundle")
    if status:
        print(tail(log))
        outcome = Outcome()
        outcome.fail(f"the bundle was not built; log: {log}")
        return outcome
    rehearsal = Rehearsal(runner, make_root())
    for scene in (on_pocl, on_failing_drivers, on_a_full_disk):
        scene(rehearsal)
    if not rehearsal.outcome.failed:
        shutil.rmtree(REHEARSAL)
    return rehearsal.outcome
