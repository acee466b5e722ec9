# SPDX-License-Identifier: Apache-2.0
"""Stands in for every program that `run` starts, by its name: the bundle's own and NVIDIA's tools.
FAKE_FAULTS says what goes wrong, such as "ntt=hang,Sums.Second=abort"; FAKE_DEVICES what is listed.
"""

import fnmatch
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NAME = Path(sys.argv[0]).name
FAULTS = dict(each.split("=") for each in os.environ.get("FAKE_FAULTS", "").split(",") if each)
TESTS = {
    "gpu_check": [
        "Sums.First",
        "Sums.Second",
        "Sums.Third",
        "SmallRoofs.First",
        "DeviceFaultsTest.Refused",
        "DriverLost.IsTold",
    ],
    "scheme_check": ["DeviceEvaluator.Ckks", "DeviceFaults.Ckks", "OnHost.Ckks"],
}


def line(**values):
    print(json.dumps(values), flush=True)


def go_wrong(what):
    fault = FAULTS.get(what)
    if fault == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"])
        Path(os.environ["FAKE_PIDS"]).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)
    elif fault == "abort":
        os.abort()
    elif fault == "partial":
        print('{"type": "entry", "na', end="", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "flood":
        for number in range(200):
            print(f"{number} " + "x" * 100_000, file=sys.stderr)
    elif fault == "error":
        print(f"{what}: it did not work in /home/somebody/kernels/x.cl", file=sys.stderr)
        sys.exit(1)
    elif fault == "fails":
        print("/home/somebody/sums_test.cpp:7: Failure\nExpected: 1\n  Actual: 2")
    return fault


def device(name):
    api = name.split(":")[0]
    is_host = api == "opencl"
    line(type="device", name=name, api=api, is_host_processor=is_host, driver_version="13.0")


def bench(part, *options):
    if part == "list":
        for name in os.environ.get("FAKE_DEVICES", "opencl:0,cuda:0").split(","):
            if name:
                device(name)
        line(type="library", library="libcuda.so.1", reason="no file")
        return
    name = options[options.index("--device") + 1]
    line(type="context", compiler_library="/home/somebody/nvidia/lib/libnvrtc.so.13")
    line(type="progress", text=part, done=0, total=2)
    print("words that are no JSON")
    if part == "cubins":
        folder = Path(options[options.index("--folder") + 1])
        (folder / "lazy.cubin").write_bytes(b"ELF")
        kernel = {"kernel": "pass", "path": "lazy", "direction": "forward", "butterflies": 2}
        line(type="cubin", file="lazy.cubin", kernels=[kernel])
        return
    line(type="entry", name=f"{part}/first", kind=part, min=1.0, median=2.0, time_unit="us")
    go_wrong(part)
    line(type="entry", name=f"{part}/second", kind=part, min=1.0, median=2.0, time_unit="us")
    line(type="refused", part=part, row="radix 16", reason=f"{name} has no room")


def matches(name, pattern):
    wanted, _, unwanted = pattern.partition("-")
    return any(fnmatch.fnmatchcase(name, each) for each in wanted.split(":")) and not any(
        fnmatch.fnmatchcase(name, each) for each in unwanted.split(":")
    )


def check(*options):
    pattern = next(each.split("=", 1)[1] for each in options if "--gtest_filter=" in each)
    names = [name for name in TESTS[NAME] if matches(name, pattern)]
    if "--gtest_list_tests" in options:
        for name in names:
            suite, test = name.split(".")
            print(f"{suite}.\n  {test}  # GetParam() = 1")
        return 0
    failed = False
    for name in names:
        print(f"[ RUN      ] {name}", flush=True)
        fault = go_wrong(name)
        failed = failed or fault == "fails"
        word = {"fails": "  FAILED  ", "skips": "  SKIPPED "}.get(fault, "       OK ")
        print(f"[{word}] {name} (0 ms)", flush=True)
    return int(failed)


def main():
    if NAME == "gpu_bench":
        return bench(*sys.argv[1:])
    if NAME == "nvidia-smi":
        print("NVIDIA H200, 580.1, P0, 1980, 3201, 1980, 3201, 90.5, 700.00, 40, Default")
    elif NAME == "cuobjdump":
        print("\t\tFunction : pass\n\t.headerflags @x\n        /*0000*/     LDC R1 ;  /* 0x0 */")
        print("                          /* 0x000 */\n        /*0010*/     IMAD R1 ;  /* 0x1 */")
        print("        /*0020*/     EXIT ;  /* 0x1 */\n        /*0030*/     NOP;  /* 0x1 */")
    elif NAME == "compute-sanitizer":
        status = subprocess.run(sys.argv[3:]).returncode
        fault = FAULTS.get(sys.argv[2])
        if fault != "silent":
            print(f"========= ERROR SUMMARY: {3 if fault == 'finds' else 0} errors")
        return status
    else:
        return check(*sys.argv[1:])
    return 0


sys.exit(main())
