# SPDX-License-Identifier: Apache-2.0
"""The library installs, static and shared, and projects outside the tree find and use it.

The static and the shared library are made of the same object files, so the second costs one link.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "structure"))
from report import ROOT, arguments, finish  # noqa: E402

BUILD = ROOT / "build" / "release"
CONSUMERS = ROOT / "tests" / "package"
SYSTEM_LIBRARIES = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux")


def run(command, **options):
    """Problems: none, or what the command printed."""
    command = [str(part) for part in command]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode == 0:
        return []
    return [f"{' '.join(command)} ended with status {done.returncode}", done.stdout[-4000:]]


def build_and_install(shared, prefix):
    """Installs into a first folder and moves it: the installed tree must not know where it lies."""
    jobs = os.environ.get("RINGLET_JOBS") or str(len(os.sched_getaffinity(0)))
    first = prefix.with_name(prefix.name + "-first")
    problems = (
        run(["cmake", "--preset", "release", f"-DBUILD_SHARED_LIBS={shared}"], cwd=ROOT)
        or run(["cmake", "--build", BUILD, "--parallel", jobs])
        or run(["cmake", "--install", BUILD, "--prefix", first])
    )
    if not problems:
        first.rename(prefix)
    return problems


def header_problems(prefix):
    wanted = {path.name for path in (ROOT / "include" / "ringlet").glob("*.hpp")}
    present = {path.name for path in (prefix / "include" / "ringlet").glob("*.hpp")}
    return [f"{name} is not installed" for name in sorted(wanted - present)]


def cmake_consumer(original, prefix, work, start=None):
    """Builds a copy of a project outside the tree and starts what it made."""
    work.mkdir()
    source = work / "source"
    shutil.copytree(original, source)
    configure = ["cmake", "-S", source, "-B", work / "build", "-G", "Ninja"]
    configure += [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_COMPILER=clang++-19"]
    return (
        run(configure)
        or run(["cmake", "--build", work / "build"])
        or run(start or ["./consumer"], cwd=work / "build")
    )


def pkg_config_consumer(package, name, prefix, work):
    libraries = next(prefix.glob("lib*/**/pkgconfig")).parent
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
        "LD_LIBRARY_PATH": str(libraries),
    }
    work.mkdir()
    # The flags of pkg-config are written for a shell; this one line is what a user would type.
    line = (
        f'g++-12 -std=c++20 "$SOURCE" -o consumer $(pkg-config --cflags --libs {package}) '
        "&& ./consumer"
    )
    environment["SOURCE"] = str(CONSUMERS / name / "main.cpp")
    return run(["sh", "-c", line], cwd=work, env=environment)


def needed_libraries(prefix):
    """The shared kernel library needs the C and C++ runtimes alone."""
    library = next(prefix.glob("lib*/**/libringlet_kernels.so"))
    listing = subprocess.run(
        ["readelf", "-d", str(library)], check=True, capture_output=True, text=True
    ).stdout
    needed = [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]
    return [f"it needs {name}" for name in needed if not name.startswith(SYSTEM_LIBRARIES)]


def checks(directory):
    for kind, shared in (("static", "OFF"), ("shared", "ON")):
        prefix = directory / f"prefix-{kind}"
        problems = build_and_install(shared, prefix)
        yield f"{kind}: builds and installs", problems
        if problems:
            continue
        yield f"{kind}: every public header is installed", header_problems(prefix)
        for name in ("kernels_consumer", "ringlet_consumer"):
            work = directory / f"{kind}-{name}"
            problems = cmake_consumer(CONSUMERS / name, prefix, work)
            yield f"{kind}: find_package in {name}", problems
        problems = cmake_consumer(
            ROOT / "examples",
            prefix,
            directory / f"{kind}-examples",
            ["ctest", "--no-tests=error", "--output-on-failure"],
        )
        yield f"{kind}: the examples build and run", problems
        for package, name in (
            ("ringlet-kernels", "kernels_consumer"),
            ("ringlet", "ringlet_consumer"),
        ):
            work = directory / f"{kind}-{package}"
            yield f"{kind}: pkg-config {package}", pkg_config_consumer(package, name, prefix, work)
        if kind == "shared":
            yield "shared: the kernel library needs no other library", needed_libraries(prefix)


def main():
    options = arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="ringlet-package-") as directory:
        finish("package", checks(Path(directory)), options.xml)


if __name__ == "__main__":
    main()
