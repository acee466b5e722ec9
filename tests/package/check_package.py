# SPDX-License-Identifier: Apache-2.0
"""The library installs, static and shared, and projects outside the tree find and use it.

The static and the shared library are made of the same object files, so the second costs one link;
scripts/python_package.sh makes the extension of them too. The projects are tried side by side, as
many as there are processors.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "structure"))
from report import ROOT, arguments, finish  # noqa: E402

BUILD = ROOT / "build" / "package"
# Options of both libraries. They override what a build of the Python package may have set.
OPTIONS = (
    *("PRECOMPILE=ON", "UNITY=ON", "WARNINGS_AS_ERRORS=ON", "INSTALL=ON", "BUILD_PYTHON=OFF"),
    *("WITH_SCHEMES=ON", "WITH_GPU=ON", "WITH_STUDIES=OFF"),
    *("WITH_OPENMP=OFF", "WITH_HEXL=ON", "WITH_SEAL=ON", "WITH_STATIC_DEPENDENCIES=OFF"),
)
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


def jobs():
    return int(os.environ.get("RINGLET_JOBS") or len(os.sched_getaffinity(0)))


def build_and_install(shared, prefix):
    """Installs into a first folder and moves it: the installed tree must not know where it lies."""
    first = prefix.with_name(prefix.name + "-first")
    configure = ["cmake", "--preset", "release", "-B", BUILD, f"-DBUILD_SHARED_LIBS={shared}"]
    configure += [f"-DRINGLET_{option}" for option in OPTIONS]
    problems = (
        run(configure, cwd=ROOT)
        or run(["cmake", "--build", BUILD, "--parallel", jobs()])
        or run(["cmake", "--install", BUILD, "--prefix", first])
    )
    if not problems:
        first.rename(prefix)
    return problems


def header_problems(prefix, folder, pattern):
    """Headers of a folder of the checkout that are not installed, in the same places."""
    names = (path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob(pattern))
    missing = [name for name in names if not (prefix / "include" / name).is_file()]
    return [f"{name} is not installed" for name in sorted(missing)]


def configure_consumer(original, prefix, work, *definitions, forget=None):
    """Configures a copy of a project outside the tree; with forget, once more in its folder, where
    the package of that name is looked for again."""
    source = work / "source"
    if not source.exists():
        shutil.copytree(original, source)
    configure = ["cmake", "-S", source, "-B", work / "build", "-G", "Ninja", *definitions]
    configure += [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_COMPILER=clang++-19"]
    return run(configure + ([f"-U{forget}_*"] if forget else []))


def cmake_consumer(original, prefix, work, *definitions, start=None, forget=None):
    """Builds a copy of a project outside the tree and starts what it made."""
    return (
        configure_consumer(original, prefix, work, *definitions, forget=forget)
        or run(["cmake", "--build", work / "build", "--parallel", jobs()])
        or run(start or ["./consumer"], cwd=work / "build")
    )


def pkg_config_consumer(package, name, prefix, work, standard="c++20", static=False):
    libraries = next(prefix.glob("lib*/**/pkgconfig")).parent
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
        "LD_LIBRARY_PATH": str(libraries),
    }
    work.mkdir()
    # A shell must parse the flags of pkg-config: this is the line that a user would type.
    kind = "--static" if static else ""
    line = (
        f'g++-12 -std={standard} {kind[1:]} "$SOURCE"/*.cpp '
        f"-o consumer $(pkg-config {kind} --cflags --libs {package}) && ./consumer"
    )
    environment["SOURCE"] = str(CONSUMERS / name)
    return run(["sh", "-c", line], cwd=work, env=environment)


def output_of(*command):
    command = [str(part) for part in command]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_entries(library, tag):
    lines = output_of("readelf", "-d", library).splitlines()
    return [line.split("[")[1].rstrip("]") for line in lines if f"({tag})" in line]


def needed_libraries(prefix, name, allowed=()):
    """A shared library needs the C and C++ runtimes alone, and what is allowed."""
    library = next(prefix.glob(f"lib*/**/{name}"))
    needed = dynamic_entries(library, "NEEDED")
    known = SYSTEM_LIBRARIES + allowed
    return [f"it needs {name}" for name in needed if not name.startswith(known)]


def hexl_name_problems(prefix):
    """Programs that were linked with HEXL's own library must never load this one."""
    names = dynamic_entries(next(prefix.glob("lib*/**/libhexl.so")), "SONAME")
    return [] if names == ["libhexl.so.ringlet.0"] else [f"its name for the loader is {names}"]


HEXL_SYMBOL = re.compile(
    r"^(?:(?:typeinfo|typeinfo name|vtable|guard variable|VTT) for )?intel::hexl::"
)
# Symbols that a program with the C++ library and Ringlet's own libraries also defines.
SHARED_WEAK_SYMBOL = re.compile(r"\bstd::|\bringlet::|^DW\.ref\.|^__clang_call_terminate$")


def symbol_problems(library, dynamic):
    """The library defines HEXL's interface alone: all that it exports, and everything but weak
    copies of inline functions in an archive."""
    options = ["--dynamic"] if dynamic else ["--extern-only"]
    problems = []
    count = 0
    for line in output_of("nm", "-C", "--defined-only", *options, library).splitlines():
        kind, _, symbol = line[17:].partition(" ")
        if len(line) < 18 or not symbol:
            continue
        count += 1
        weak = not dynamic and kind in "VWu"
        if not HEXL_SYMBOL.search(symbol) and not (weak and SHARED_WEAK_SYMBOL.search(symbol)):
            problems.append(f"it defines {kind} {symbol}")
    return problems or ([] if count >= 30 else [f"it defines {count} symbols only"])


# Features of the caller's compiler, and the macros of HEXL that it then sees.
HEXL_MACROS = {
    "-O1": set(),
    "-mavx512dq": set(),
    "-mavx512dq -mavx512vl": {"AVX512DQ"},
    "-mavx512ifma": {"AVX512IFMA"},
    "-march=icelake-server -DHEXL_HAS_AVX512DQ": {"AVX512DQ", "AVX512IFMA"},
}


def hexl_macro_problems(prefix):
    """The macros tell which instructions the caller's own code may use."""
    command = ["clang++-19", "-Werror", "-Wno-pragma-once-outside-header", "-dM", "-E", "-xc++"]
    command.append(prefix / "include/hexl/util/defines.hpp")
    found = {
        flags: set(re.findall(r"HEXL_HAS_(\w+)", output_of(*command, *flags.split())))
        for flags in HEXL_MACROS
    }
    return [f"{flags}: {found[flags]}" for flags in found if found[flags] != HEXL_MACROS[flags]]


HEXL_REQUESTS = (
    *((request, "ON") for request in ("", "1", "1.2", "1.2.0", "1.2.4", "1.2.5", "1.2.6", "1.2.9")),
    *((request, "ON") for request in ("1.2.6;EXACT", "1.2.5...1.3", "1.2...<2")),
    *((request, "OFF") for request in ("1.1", "1.3", "1.3.0", "2", "1.2.5;EXACT", "1.3...1.4")),
)


def request_checks(kind, prefix, directory, package, requests):
    name = f"{package.lower()}_request"
    for request, found in requests:
        answer = "answers" if found == "ON" else "refuses"
        words = " ".join([package, *request.split(";")]).strip()
        yield f"{kind}: {answer} find_package({words})", configure_consumer(
            CONSUMERS / name, prefix, directory / f"{kind}-{name}", f"-DREQUEST={request}",
            f"-DFOUND={found}", forget=package,
        )  # fmt: skip


def hexl_request_checks(kind, prefix, directory):
    yield from request_checks(kind, prefix, directory, "HEXL", HEXL_REQUESTS)


def hexl_checks(kind, prefix, directory):
    yield f"{kind}: every header of HEXL's is installed", header_problems(
        prefix, "compat/hexl/include", "*.hpp"
    )
    yield f"{kind}: HEXL_HAS_* follow the caller's instructions", hexl_macro_problems(prefix)
    for request in ("1.2.6", ""):
        name = f"HEXL {request}".strip()
        yield f"{kind}: hexl_consumer with find_package({name})", cmake_consumer(
            CONSUMERS / "hexl_consumer",
            prefix,
            directory / f"{kind}-hexl_consumer",
            f"-DREQUEST={request}",
            forget="HEXL",
        )
    name = "hexl_and_ringlet_consumer"
    yield f"{kind}: find_package in {name}", cmake_consumer(
        CONSUMERS / name, prefix, directory / f"{kind}-{name}"
    )
    work = directory / f"{kind}-hexl-pkg-config"
    problems = pkg_config_consumer("hexl", "hexl_consumer", prefix, work, standard="c++17")
    yield f"{kind}: pkg-config hexl", problems
    dynamic = kind == "shared"
    suffix = "so" if dynamic else "a"
    library = next(prefix.glob(f"lib*/**/libhexl.{suffix}"))
    other = next(prefix.glob(f"lib*/**/libringlet_kernels.{suffix}"))
    missed = [] if symbol_problems(other, dynamic) else [f"{other.name} defines nothing else"]
    yield f"{kind}: self-test: symbols outside of HEXL's interface are found", missed
    yield f"{kind}: libhexl defines HEXL's interface alone", symbol_problems(library, dynamic)
    if dynamic:
        yield "shared: libhexl has a name of its own for the loader", hexl_name_problems(prefix)
        problems = needed_libraries(prefix, "libhexl.so", ("libringlet_kernels.so",))
        yield "shared: libhexl needs the kernel library alone", problems


SEAL_REQUESTS = (
    *((request, "ON") for request in ("", "4", "4.0", "4.1", "4.1.2", "4.4.3", "4.1...4.9")),
    *((request, "OFF") for request in ("3.7", "4.5", "4.4.4", "5", "4.1;EXACT")),
)


def seal_request_checks(kind, prefix, directory):
    yield from request_checks(kind, prefix, directory, "SEAL", SEAL_REQUESTS)


def seal_checks(kind, prefix, directory):
    yield f"{kind}: every header of SEAL's is installed", header_problems(
        prefix, "compat/seal/include", "*.h"
    )
    name = "seal_consumer"
    yield f"{kind}: {name} with find_package(SEAL 4.1)", cmake_consumer(
        CONSUMERS / name, prefix, directory / f"{kind}-{name}", "-DREQUEST=4.1"
    )
    name = "seal_and_ringlet_consumer"
    yield f"{kind}: find_package in {name}", cmake_consumer(
        CONSUMERS / name, prefix, directory / f"{kind}-{name}"
    )
    work = directory / f"{kind}-seal-pkg-config"
    problems = pkg_config_consumer("seal", "seal_consumer", prefix, work, standard="c++17")
    yield f"{kind}: pkg-config seal", problems
    if kind == "shared":
        below = ("libcrypto.so", "libsodium.so", "libb2.so", "libz.so", "libzstd.so")
        problems = needed_libraries(prefix, "libringlet_seal.so", ("libringlet", *below))
        yield "shared: libringlet_seal needs what it was made for alone", problems


# One example for each way to include the library; `make test-all` runs all examples.
EXAMPLES = ("example_01_bfv_basics", "example_seal_01_bfv_basics", "app_private_lookup")


def example_checks(kind, prefix, directory):
    work = directory / f"{kind}-examples"
    names = ("--tests-regex", "^({})$".format("|".join(EXAMPLES)))
    yield f"{kind}: examples build and run", (
        configure_consumer(ROOT / "examples", prefix, work)
        or run(["cmake", "--build", work / "build", "--parallel", jobs(), "--target", *EXAMPLES])
        or run(["ctest", "--no-tests=error", "--output-on-failure", *names], cwd=work / "build")
    )


def unsaid(words, problems):
    """What a command that has to fail did not say."""
    return [] if words in " ".join("\n".join(problems).split()) else [f"no '{words}'", *problems]


def ringlet_checks(kind, prefix, directory):
    problems = header_problems(prefix, "include", "*.hpp")
    yield f"{kind}: every public header is installed", problems
    include = next(prefix.glob("include"))
    old = ["clang++-19", "-std=c++17", "-fsyntax-only", "-Wfatal-errors", "-xc++", f"-I{include}"]
    problems = unsaid("headers need C++20", run([*old, include / "ringlet/ringlet.hpp"]))
    yield f"{kind}: a compiler below C++20 is told so", problems
    (work := directory / f"{kind}-component").mkdir(parents=True)
    project = "cmake_minimum_required(VERSION 3.25)\nproject(component NONE)\n"
    request = "find_package(ringlet REQUIRED COMPONENTS gpu)\n"
    (work / "CMakeLists.txt").write_text(project + request)
    problems = run(["cmake", "-S", work, "-B", work / "b", f"-DCMAKE_PREFIX_PATH={prefix}"])
    yield f"{kind}: an unknown component is named", unsaid("no component 'gpu'", problems)
    for package, name in (("ringlet-kernels", "kernels_consumer"), ("ringlet", "ringlet_consumer")):
        work = directory / f"{kind}-{name}"
        yield f"{kind}: find_package in {name}", cmake_consumer(CONSUMERS / name, prefix, work)
        work = directory / f"{kind}-{package}"
        yield f"{kind}: pkg-config {package}", pkg_config_consumer(package, name, prefix, work)
        if kind == "static":
            work = directory / f"{kind}-{package}-program"
            problems = pkg_config_consumer(package, name, prefix, work, static=True)
            yield f"{kind}: a static program by pkg-config --static {package}", problems
    if kind == "shared":
        problems = needed_libraries(prefix, "libringlet_kernels.so")
        yield "shared: the kernel library needs no other library", problems


# The longest part comes first.
PARTS = (
    example_checks, seal_checks, hexl_checks, ringlet_checks, hexl_request_checks,
    seal_request_checks,
)  # fmt: skip


def checks(directory):
    prefixes = {}
    for kind, shared in (("static", "OFF"), ("shared", "ON")):
        prefix = directory / f"prefix-{kind}"
        problems = build_and_install(shared, prefix)
        yield f"{kind}: builds and installs", problems
        if not problems:
            prefixes[kind] = prefix
    parts = [part(kind, prefix, directory) for part in PARTS for kind, prefix in prefixes.items()]
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        for part in pool.map(list, parts):
            yield from part


if __name__ == "__main__":
    options = arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="ringlet-package-") as directory:
        finish("package", checks(Path(directory)), options.xml)
