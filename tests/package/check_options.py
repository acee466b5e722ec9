# SPDX-License-Identifier: Apache-2.0
"""RINGLET_WITH_* do what docs/install.md says: what is built, and with what.

Every option is configured, and the build files are looked at. With --build a library of each is
built and a program linked with it runs, in the folder that tests/package compiles in.
"""

import concurrent.futures
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "structure"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_package import (  # noqa: E402
    BUILD,
    CONSUMERS,
    OPTIONS,
    cmake_consumer,
    dynamic_entries,
    jobs,
    output_of,
    run,
)
from report import ROOT, finish  # noqa: E402


class Configured:
    """The build files of the tree with some options."""

    def __init__(self, directory, *options):
        build = directory / "-".join(options or ["defaults"]).replace("=", "_")
        command = ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        # Debian's clang brings no OpenMP; GCC does.
        compiler = "g++-12" if any("OPENMP" in option for option in options) else "clang++-19"
        command += [f"-DCMAKE_CXX_COMPILER={compiler}", *(f"-D{option}" for option in options)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )  # fmt: skip
        self.said = " ".join(done.stdout.split())
        self.problems = [done.stdout[-4000:]] if done.returncode else []
        self.build = build
        self.ninja = "" if self.problems else (build / "build.ninja").read_text()
        rules = build / "CMakeFiles" / "rules.ninja"
        self.rules = "" if self.problems else rules.read_text()

    def builds(self, library):
        return re.search(rf"^build \S*{re.escape(library)}: ", self.ninja, re.MULTILINE) is not None

    def link_of(self, library):
        """What a shared library is linked with."""
        found = re.search(rf"^build \S*{re.escape(library)}\S*: .*\n((?:  .*\n)+)", self.ninja,
                          re.MULTILINE)  # fmt: skip
        return re.search(r"LINK_LIBRARIES = (.*)", found[1])[1] if found else ""


def expected(configured, condition, text):
    if text.startswith("refused: "):
        is_refused = configured.problems and condition(configured)
        return [] if is_refused else [configured.said[-500:]]
    return configured.problems or ([] if condition(configured) else [text])


SHARED = "BUILD_SHARED_LIBS=ON"
APART = ("RINGLET_UNITY=OFF",)  # The build files name every source.
ALL_LIBRARIES = ("libringlet.a", "libringlet_fv.a", "libhexl.a", "libringlet_seal.a")
STATIC_ARCHIVES = ("libcrypto.a", "libzstd.a")

# What a machine without a library finds.
NO_OPENSSL = "CMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"
NO_B2 = "RINGLET_SEAL_b2_LIBRARY=OFF"

# Options, a condition on the build files, and its description.
CASES = (
    ((), lambda c: all(map(c.builds, ALL_LIBRARIES)),
     "the default builds everything"),
    ((), lambda c: "RINGLET_WITHOUT_GPU" not in c.ninja and "-fopenmp" not in c.ninja
     and "CCACHE_DIR" not in c.rules,
     "the default has GPUs and std::thread, and no cache of objects"),
    (("RINGLET_OBJECT_CACHE=objects",),
     lambda c: {"kernels", "base", "rlwe", "gpu", "seal"} <= set(re.findall(
         r"rule CXX_COMPILER__ringlet_layer_(.*)_Release\n(?:  .*\n)*?  command = .*/ccache ",
         c.rules)),
     "with a cache all layers are compiled through ccache"),
    ((), lambda c: "rlwe_plain_1.cpp.o" in c.ninja and "/evaluator.cpp.o" not in c.ninja,
     "the default compiles several files of a layer as one"),
    ((*APART, "RINGLET_WITH_OPENMP=ON"),
     lambda c: "_plain_" not in c.ninja and "-Wno-shadow" not in c.ninja,
     "without RINGLET_UNITY each file is compiled alone"),
    ((), lambda c: "lab/" not in c.ninja and "mqx" not in c.ninja,
     "the default has nothing of the laboratory"),
    (("RINGLET_WITH_STUDIES=ON",),
     lambda c: c.builds("libringlet_study_kernels.a") and "mqx_wide" in c.ninja
     and "RINGLET_STUDIES" in c.ninja, "with studies there are their kernels"),
    ((SHARED,), lambda c: "libcrypto.so" in c.link_of("libringlet.so."),
     "the default links OpenSSL's shared library"),
    (("RINGLET_WITH_SCHEMES=OFF",),
     lambda c: c.builds("libringlet_kernels.a") and "libringlet.a" not in c.ninja
     and "libcrypto" not in c.ninja and "zstd" not in c.ninja,
     "without schemes there are the kernels alone, and neither OpenSSL nor Zstandard"),
    (("RINGLET_WITH_GPU=OFF",), lambda c: c.ninja.count("DEFINES = -DRINGLET_WITHOUT_GPU=1") == 1,
     "without GPUs the loader of libraries is left out"),
    ((*APART, "RINGLET_WITH_OPENMP=ON"), lambda c: "-fopenmp" in c.ninja
     and "parallel_openmp" in c.ninja and "parallel_threads" not in c.ninja,
     "OpenMP replaces std::thread"),
    (("RINGLET_WITH_HEXL=OFF",), lambda c: "libhexl" not in c.ninja and c.builds("libringlet.a"),
     "without HEXL there is no libhexl"),
    (("RINGLET_WITH_SEAL=OFF",),
     lambda c: "libringlet_seal" not in c.ninja and "sodium" not in c.ninja,
     "without SEAL there is no libringlet_seal, and no libsodium"),
    (("RINGLET_WITH_STATIC_DEPENDENCIES=ON", SHARED, "RINGLET_WITH_SEAL=OFF"),
     lambda c: all(name in c.link_of("libringlet.so.") for name in STATIC_ARCHIVES)
     and "libcrypto.so" not in c.link_of("libringlet.so."),
     "with static dependencies the archives are linked"),
    (("RINGLET_WITH_FV=OFF",),
     lambda c: c.builds("libringlet.a") and "libringlet_fv" not in c.ninja,
     "without FV there is no libringlet_fv"),
    ((NO_OPENSSL,), lambda c: c.builds("libhexl.a") and "libringlet.a" not in c.ninja
     and "ringlet::ringlet (with ringlet::fv and SEAL::seal) is not built: it needs OpenSSL 3"
     in c.said, "without OpenSSL the kernels and HEXL are built, and the rest is named"),
    ((NO_B2,), lambda c: c.builds("libringlet_fv.a") and "libringlet_seal" not in c.ninja
     and "SEAL::seal is not built: it needs libb2" in c.said,
     "without libb2 all but SEAL is built, and SEAL is named"),
    *(((missing, option), lambda c, text=text: text in c.said, f"refused: {text}")
      for missing, option, text in (
          (NO_OPENSSL, "RINGLET_WITH_SCHEMES=ON", " needs OpenSSL 3 with its headers;"),
          (NO_OPENSSL, "RINGLET_WITH_FV=ON", " needs OpenSSL 3 with its headers;"),
          (NO_OPENSSL, "RINGLET_WITH_SEAL=ON", " needs OpenSSL 3 with its headers;"),
          (NO_B2, "RINGLET_WITH_SEAL=ON", "SEAL::seal needs libb2 with blake2.h;"),
      )),
)  # fmt: skip


def preset_problems():
    """Presets insist on every component: a test machine without a library must not pass."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    base = next(preset for preset in presets if preset["name"] == "base")["cacheVariables"]
    options = (ROOT / "cmake" / "RingletOptions.cmake").read_text()
    automatic = re.findall(r"set\((\w+) AUTO CACHE", options) or ["any option that is AUTO"]
    return [f"preset base does not set {name}" for name in automatic if base.get(name) != "ON"]


def configuration_checks(directory):
    """All configured first, as many at a time as there are processors."""
    wanted = list(dict.fromkeys(options for options, _, _ in CASES))
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        made = dict(zip(wanted, pool.map(lambda o: Configured(directory, *o), wanted), strict=True))
    for options, condition, text in CASES:
        name = f"{' '.join(options) or 'no option'}: {text}"
        yield name, expected(made[options], condition, text)
    yield "presets insist on every component", preset_problems()


def installed(directory, *options):
    """A shared library with these options, installed; its prefix, or problems. The options that it
    changes are set back by whoever uses the folder next, as they all name theirs."""
    prefix = directory / "-".join(options).replace("=", "_")
    configure = ["cmake", "--preset", "release", "-B", BUILD, f"-D{SHARED}"]
    configure += [f"-DRINGLET_{option}" for option in OPTIONS]
    configure += ["-DRINGLET_WITH_SEAL=OFF", *(f"-D{option}" for option in options)]
    problems = (
        run(configure, cwd=ROOT)
        or run(["cmake", "--build", BUILD, "--parallel", jobs()])
        or run(["cmake", "--install", BUILD, "--prefix", prefix])
    )
    return prefix, problems


DEVICES = """
#include <ringlet/gpu/device.hpp>
int main() {
  const auto devices = ringlet::Device::list();
  return devices.size() == 1 ? 0 : 1;
}
"""


def static_problems(prefix):
    """The library needs no OpenSSL and no Zstandard, and shows nothing of them."""
    library = next(prefix.glob("lib*/**/libringlet.so"))
    needed = dynamic_entries(library, "NEEDED")
    problems = [f"it needs {n}" for n in needed if n.startswith(("libcrypto", "libzstd"))]
    names = output_of("nm", "-D", "--defined-only", "--format=just-symbols", library).split()
    shown = [name for name in names if name.startswith(("EVP_", "ZSTD_", "OPENSSL_", "CRYPTO_"))]
    return problems + [f"it shows {name}" for name in shown[:5]]


def built_checks(directory):
    consumer = CONSUMERS / "ringlet_consumer"
    for options in (
        ("RINGLET_WITH_STATIC_DEPENDENCIES=ON",),
        ("RINGLET_WITH_STATIC_DEPENDENCIES=OFF", "RINGLET_WITH_GPU=OFF"),
        ("RINGLET_WITH_GPU=ON",),
    ):
        name = " ".join(options)
        prefix, problems = installed(directory, *options)
        work = directory / ("consumer-" + prefix.name)
        yield f"{name}: a program computes", problems or cmake_consumer(consumer, prefix, work)
        if problems:
            continue
        if options[0] == "RINGLET_WITH_STATIC_DEPENDENCIES=ON":
            yield f"{name}: OpenSSL and Zstandard are in the library", static_problems(prefix)
        if options[-1] == "RINGLET_WITH_GPU=OFF":
            yield f"{name}: there is the processor alone", devices_problems(prefix, work)
    yield "RINGLET_WITH_OPENMP=ON: the tests of threads pass", openmp_problems()
    yield "RINGLET_UNITY=OFF: every file compiles alone", compiled_apart(directory / "apart")


def compiled_apart(build):
    """Finds missing includes, and names that hide others."""
    configure = ["cmake", "--preset", "release", "-B", build]
    configure += ["-DRINGLET_UNITY=OFF", "-DRINGLET_WARNINGS_AS_ERRORS=ON"]
    return run(configure, cwd=ROOT) or run(["cmake", "--build", build, "--parallel", jobs()])


def openmp_problems():
    """The kernels by GCC, and the tests of what shares out loops."""
    build = ROOT / "build" / "openmp"
    configure = ["cmake", "--preset", "gcc", "-B", build]
    configure += ["-DRINGLET_WITH_OPENMP=ON", "-DRINGLET_WITH_SCHEMES=OFF"]
    return (
        run(configure, cwd=ROOT)
        or run(["cmake", "--build", build, "--target", "unit_base", "--parallel", jobs()])
        or run([build / "tests" / "unit_base", "--gtest_filter=*Parallel*"])
    )


def devices_problems(prefix, work):
    source = work / "devices.cpp"
    source.write_text(DEVICES)
    library = next(prefix.glob("lib*/**/libringlet.so")).parent
    command = ["clang++-19", "-std=c++20", source, "-o", work / "devices", f"-I{prefix}/include"]
    command += [f"-L{library}", f"-Wl,-rpath,{library}", "-lringlet", "-lringlet_kernels"]
    return run(command) or run([work / "devices"])


if __name__ == "__main__":
    words = sys.argv[1:]
    xml = [word.partition("=")[2] for word in words if word.startswith("--xml=")]
    with tempfile.TemporaryDirectory(prefix="ringlet-options-") as name:
        directory = Path(name)
        made = built_checks if "--build" in words else configuration_checks
        finish("options", made(directory), xml[0] if xml else None)
