# SPDX-License-Identifier: Apache-2.0
"""`run` of the GPU bundle with programs that hang, crash and fail as they are told."""

from __future__ import annotations

import dataclasses
import getpass
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipapp
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "lab" / "bench" / "gpu" / "run"
STEPS = (
    "info bits ntt routines evaluator keyswitch products server failures sanitizer".split()
    + ["machine code", "compile", "opencl", "large products"]
)
MOST_BYTES = 16 << 20


@dataclasses.dataclass
class Ran:
    status: int
    output: str
    document: dict

    @property
    def last_line(self) -> str:
        return self.output.splitlines()[-1]

    def step(self, name: str) -> dict:
        return next(step for step in self.document["steps"] if step["name"] == name)

    def states(self) -> dict[str, str]:
        return {step["name"]: step["state"] for step in self.document["steps"]}

    def entries(self, kind: str) -> list[str]:
        return [each["name"] for each in self.document["benchmarks"] if each["kind"] == kind]


class Bundle:
    """A bundle of fake programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.pids = folder / "pids"
        (folder / "bin").mkdir()
        (folder / "lib").mkdir()
        (folder / "tools").mkdir()
        self.run_file = folder / "run"
        self.archive(SOURCES)
        (folder / "version.json").write_text('{"library_version": "1", "library_commit": "2"}')
        text = (ROOT / "tests" / "gpu_bundle" / "fake_program.py").read_text()
        for name in ("gpu_bench", "gpu_check", "scheme_check"):
            self.program(folder / "bin" / name, text)
        for name in ("nvidia-smi", "cuobjdump", "compute-sanitizer"):
            self.program(folder / "tools" / name, text)

    def archive(self, sources: Path) -> None:
        zipapp.create_archive(
            sources, self.run_file, "/usr/bin/env python3", filter=lambda path: path.suffix == ".py"
        )

    @staticmethod
    def program(path: Path, text: str) -> None:
        path.write_text(f"#!{sys.executable} -IS\n{text}")
        path.chmod(0o755)

    def environment(self, faults: str = "", **more: str) -> dict[str, str]:
        tools = {"PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}
        fakes = {"FAKE_FAULTS": faults, "FAKE_PIDS": str(self.pids)}
        return {**os.environ, **tools, **fakes, **more}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(self.run_file), "--out", str(self.out), *arguments]

    def run(self, *arguments: str, faults: str = "", **more: str) -> Ran:
        ran = subprocess.run(
            self.command(*arguments),
            env=self.environment(faults, **more),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert "Traceback" not in ran.stdout + ran.stderr
        written = self.out / "ringlet-gpu.json"
        document = json.loads(written.read_text()) if written.is_file() else {}
        if document:
            check_schema(document)
        return Ran(ran.returncode, ran.stdout + ran.stderr, document)


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return Bundle(tmp_path)


# The members of a step by their types.
STEP = {
    str: "name device state detail",
    float: "seconds limit_seconds",
    int: "passed failed skipped",
    list: "failures",
}
CONTEXT = {
    str: "date executable library_version system python_version cpu_model",
    int: "num_cpus",
    list: "devices libraries",
    (int, float): "limit_minutes",
}


def check_members(members: dict, types: dict) -> None:
    for kind, names in types.items():
        for name in names.split():
            assert isinstance(members[name], kind), name


def check_schema(document: dict) -> None:
    assert document["schema"] == "ringlet-gpu/1"
    members = {"schema", "context", "steps", "benchmarks", "refused", "notes", "machine_code"}
    assert set(document) == members
    check_members(document["context"], CONTEXT)
    for step in document["steps"]:
        assert set(step) == set(" ".join(STEP.values()).split())
        check_members(step, STEP)
        assert step["state"] in {"passed", "failed", "timed out", "died", "skipped"}
        is_told = step["detail"] or (step["state"] == "skipped" and step["skipped"])
        assert step["state"] == "passed" or is_told
        assert len(step["failures"]) <= 50
    for entry in document["benchmarks"]:
        assert "type" not in entry
        assert {"name", "kind", "min", "median", "time_unit", "device"} <= set(entry)
    for refused in document["refused"]:
        assert set(refused) == {"part", "row", "reason", "device"}
    assert all(isinstance(note, str) for note in document["notes"])


def test_every_step_is_in_the_document(bundle: Bundle) -> None:
    ran = bundle.run()
    assert ran.states() == dict.fromkeys(STEPS, "passed"), ran.output
    assert ran.status == 0
    assert ran.last_line == "passed: " + ", ".join(STEPS)
    for kind in ("ntt", "routines", "keyswitch", "products", "server", "compile"):
        assert f"{kind}/second" in ran.entries(kind)
    # The document leaves out entries of the tiny compilation.
    assert ran.entries("roofs") == ["roofs/first", "roofs/second"]
    assert {each["device"] for each in ran.document["benchmarks"]} == {"cuda:0", "opencl:0"}
    assert [ran.step(name)["passed"] for name in ("bits", "evaluator", "failures")] == [4, 1, 2]
    assert ran.step("sanitizer")["passed"] == 2
    code = {"kernel": "pass", "path": "lazy", "direction": "forward", "butterflies": 2}
    assert ran.document["machine_code"] == [{**code, "instructions": 3, "per_butterfly": 1.5}]
    first, second = ran.document["context"]["devices"]
    assert (first["name"], second["name"]) == ("cuda:0", "opencl:0")
    assert first["clocks"]["power.draw"] == "90.5"
    assert first["compiler_library"] == "…/libnvrtc.so.13"
    written = {path.name for path in bundle.out.iterdir()}
    assert written == {"ringlet-gpu.json", "ringlet-gpu.log"}
    assert not list(bundle.folder.rglob("__pycache__"))


def test_nothing_names_the_machine_or_its_user(bundle: Bundle) -> None:
    ran = bundle.run("--only", "bits,ntt", faults="Sums.First=fails,ntt=error")
    assert ran.step("ntt")["state"] == "failed"
    assert ran.step("ntt")["detail"] == "ntt: it did not work in …/x.cl"
    for path in bundle.out.iterdir():
        text = path.read_text()
        assert "somebody" not in text
        assert socket.gethostname() not in text
        assert f"/{getpass.getuser()}/" not in text
        assert str(Path.home()) + "/" not in text


def test_a_killed_program_loses_what_it_had_not_finished_writing(bundle: Bundle) -> None:
    ran = bundle.run("--only", "ntt,server", faults="ntt=partial")
    assert ran.states() == {"info": "passed", "ntt": "died", "server": "passed"}
    assert ran.entries("ntt") == ["ntt/first"]
    assert ran.last_line == "passed: info, server; failed: ntt (died: signal 9)"
    assert ran.status == 1


def test_tests_behind_a_crash_still_run(bundle: Bundle) -> None:
    ran = bundle.run("--only", "bits", faults="Sums.Second=abort,Sums.Third=fails")
    step = ran.step("bits")
    assert (step["state"], step["passed"], step["failed"]) == ("failed", 2, 2)
    assert step["failures"] == [
        "Sums.Second: died: signal 6",
        "Sums.Third: …/sums_test.cpp:7: Failure Expected: 1 Actual: 2",
    ]
    assert ran.status == 1


def test_several_processes_share_the_tests(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(SOURCES)
    from run_programs import Programs, Report, Tests

    programs = Programs(Report(bundle.folder, {}), bundle.folder, {})
    faults = {"FAKE_FAULTS": "Sums.First=abort,DriverLost.IsTold=fails"}
    tests = Tests(programs, [bundle.folder / "bin" / "gpu_check"], faults, 3)
    result = tests.run("*", time.monotonic() + 30)
    assert (result.state, result.passed, result.failed) == ("failed", 4, 2)
    failed = {failure.split(":")[0] for failure in result.failures}
    assert failed == {"DriverLost.IsTold", "Sums.First"}


def test_tests_that_are_all_skipped_skip_the_step(bundle: Bundle) -> None:
    ran = bundle.run("--only", "evaluator", faults="DeviceEvaluator.Ckks=skips")
    assert (ran.step("evaluator")["state"], ran.step("evaluator")["skipped"]) == ("skipped", 1)
    assert ran.status == 0


def test_a_silent_test_is_left_behind(bundle: Bundle) -> None:
    ran = bundle.run("--only", "bits", "--minutes", "0.07", faults="Sums.Second=hang")
    step = ran.step("bits")
    assert (step["passed"], step["failed"]) == (3, 1)
    assert re.fullmatch(r"Sums.Second: no answer for \d s", step["failures"][0])


def is_running(pid: str) -> bool:
    stat = Path("/proc") / pid / "stat"
    return stat.is_file() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_program_that_hangs_ends_at_its_limit_with_its_children(bundle: Bundle) -> None:
    started = time.monotonic()
    ran = bundle.run("--only", "ntt,server", "--minutes", "0.03", faults="ntt=hang")
    assert time.monotonic() - started < 15
    assert ran.states() == {"info": "passed", "ntt": "timed out", "server": "passed"}
    assert ran.entries("ntt") == ["ntt/first"]
    assert ran.step("ntt")["detail"].startswith("stopped after")
    pids = bundle.pids.read_text().split()
    assert len(pids) == 2 and not any(is_running(pid) for pid in pids)


def test_an_interrupt_keeps_what_there_is(bundle: Bundle) -> None:
    process = subprocess.Popen(
        bundle.command("--only", "ntt,server"),
        env=bundle.environment("ntt=hang"),
        stdout=subprocess.PIPE,
        text=True,
    )
    while not bundle.pids.is_file():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    expected = "interrupted; passed: info; failed: ntt (interrupted); skipped: server (interrupted)"
    assert output.splitlines()[-1] == expected
    document = json.loads((bundle.out / "ringlet-gpu.json").read_text())
    check_schema(document)
    assert document["benchmarks"][-1]["name"] == "ntt/first"
    assert not any(is_running(pid) for pid in bundle.pids.read_text().split())


def on_small_disk(bundle: Bundle, kibibytes: int, *arguments: str, faults: str = "") -> Ran:
    """`run` with its folder on a file system of so many KiB."""
    bundle.out.mkdir()
    mount = f"mount -t tmpfs -o size={kibibytes}k none {bundle.out}"
    script = f'{mount} || exit 77; "$@"; status=$?; cat {bundle.out}/ringlet-gpu.json; exit $status'
    command = ["unshare", "-rm", "sh", "-c", script, "sh", *bundle.command(*arguments)]
    try:
        ran = subprocess.run(
            command, env=bundle.environment(faults), capture_output=True, text=True, timeout=60
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare on this machine")
    if ran.returncode == 77 or "unshare failed" in ran.stderr:
        pytest.skip(f"a small file system is not permitted: {ran.stderr.strip()}")
    output, _, written = ran.stdout.rpartition("\n{\n")
    return Ran(ran.returncode, output, json.loads("{\n" + written))


def test_on_a_full_disk_the_log_gives_way(bundle: Bundle) -> None:
    ran = on_small_disk(bundle, 64, "--only", "ntt,server", faults="ntt=flood")
    check_schema(ran.document)
    assert ran.states() == {"info": "passed", "ntt": "passed", "server": "passed"}
    assert ran.status == 0


def test_what_a_full_disk_does_not_take_is_printed(bundle: Bundle) -> None:
    ran = on_small_disk(bundle, 8, faults="Sums.First=fails")
    check_schema(ran.document)
    assert 1 <= len(ran.document["steps"]) < len(STEPS)
    printed = json.loads(re.search(r"^\{\n.*?^\}$", ran.output, re.DOTALL | re.MULTILINE)[0])
    check_schema(printed)
    assert [step["name"] for step in printed["steps"]] == STEPS
    assert "ringlet-gpu.json could not be written: No space left on device; the" in ran.output
    assert ran.last_line.startswith("passed: info, ntt")
    assert ran.status == 1


def test_a_long_log_keeps_its_beginning_and_its_end(bundle: Bundle) -> None:
    bundle.run("--only", "ntt,server", faults="ntt=flood")
    log = (bundle.out / "ringlet-gpu.log").read_bytes()
    assert MOST_BYTES * 0.9 < len(log) <= MOST_BYTES
    assert b"\n0 xxx" in log and b"\n199 xxx" in log and b"... lines left out ...\n" in log
    assert log.endswith(b"gpu_bench: passed \n")


def loads(library: str) -> bool:
    code = f"import ctypes; ctypes.CDLL({library!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def skip_where_nvrtc_is_found() -> None:
    if loads("libnvrtc.so.13") or loads("libnvrtc.so.12"):
        pytest.skip("the loader finds NVRTC on this machine by itself")


def test_without_nvrtc_one_line_says_so_and_opencl_still_runs(bundle: Bundle) -> None:
    skip_where_nvrtc_is_found()
    sources = Path(shutil.copytree(SOURCES, bundle.folder / "sources"))
    text = (sources / "__main__.py").read_text()
    start = '\nif __name__ == "__main__":'
    nothing = "\nFinder.library_folder = lambda *_: None\n"
    (sources / "__main__.py").write_text(text.replace(start, nothing + start))
    bundle.archive(sources)
    ran = bundle.run(faults="roofs=error")
    assert sum("NVRTC is missing" in note for note in ran.document["notes"]) == 1
    assert ran.step("info")["state"] == "failed" and "pip install" in ran.step("info")["detail"]
    assert (ran.step("ntt")["state"], ran.step("ntt")["detail"]) == ("skipped", "NVRTC is missing")
    assert ran.step("opencl")["state"] == "passed"
    assert ran.status == 1


def test_nvrtc_of_a_python_package_is_found(bundle: Bundle) -> None:
    skip_where_nvrtc_is_found()
    library = bundle.folder / "packages" / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13"
    library.parent.mkdir(parents=True)
    library.touch()
    path = bundle.folder / "path"
    bench = bundle.folder / "bin" / "gpu_bench"
    text = bench.read_text()
    note = f'Path({str(path)!r}).write_text(os.environ["LD_LIBRARY_PATH"])\nsys.exit(main())'
    bench.write_text(text.replace("sys.exit(main())", note))
    bundle.run("--only", "ntt", PYTHONPATH=str(bundle.folder / "packages"))
    assert str(library.parent) in path.read_text().split(":")


def test_without_a_device_the_libraries_say_why(bundle: Bundle) -> None:
    ran = bundle.run(FAKE_DEVICES="")
    assert ran.states() == {name: "failed" if name == "info" else "skipped" for name in STEPS}
    assert ran.step("info")["detail"].startswith("no device: libcuda.so.1: ")
    assert ran.status == 1


def test_on_opencl_alone_steps_of_cuda_are_skipped(bundle: Bundle) -> None:
    ran = bundle.run(FAKE_DEVICES="opencl:0", faults="nothing=wrong")
    skipped = [name for name, state in ran.states().items() if state == "skipped"]
    assert skipped == ["sanitizer", "machine code", "opencl", "large products"]
    assert ran.step("sanitizer")["detail"] == "opencl:0 is no device of CUDA"
    assert ran.status == 0


def test_what_the_sanitizer_finds_fails(bundle: Bundle) -> None:
    ran = bundle.run("--only", "sanitizer", faults="memcheck=silent,racecheck=finds")
    step = ran.step("sanitizer")
    assert step["state"] == "failed"
    assert step["failures"] == [
        "memcheck: there is no summary of errors",
        "racecheck: ERROR SUMMARY: 3 errors",
    ]


def test_a_device_may_be_chosen(bundle: Bundle) -> None:
    ran = bundle.run("--only", "ntt", "--device", "opencl:0")
    assert {each["device"] for each in ran.document["benchmarks"]} == {"opencl:0"}
    ran = bundle.run("--only", "ntt", "--device", "cuda:7")
    assert ran.step("info")["detail"].startswith("no device cuda:7: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "everything"], "no step everything; --list prints the steps"),
        (["--minutes", "0"], "--minutes takes a number above 0"),
        (["--minutes", "nan"], "--minutes takes a number above 0"),
        (["--wrong"], "unrecognized arguments"),
        (["--out", "/dev/null/folder"], "Not a directory"),
        (["--out", ""], "--out FOLDER"),
    ],
)
def test_wrong_usage_is_status_two(bundle: Bundle, arguments: list[str], words: str) -> None:
    ran = bundle.run(*arguments)
    assert ran.status == 2 and words in ran.last_line


def test_the_steps_are_listed(bundle: Bundle) -> None:
    ran = bundle.run("--list")
    assert ran.output.splitlines() == STEPS and ran.status == 0
    assert not bundle.out.exists()
