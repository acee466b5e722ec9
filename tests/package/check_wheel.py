# SPDX-License-Identifier: Apache-2.0
"""The wheel is complete and for every system of its policy, and works in an empty environment.

By default a selection of the package's tests runs there, and the source distribution is configured;
with --all every test runs, and a wheel is built from the source distribution; --tests=NAME,NAME
runs those instead. --built checks the wheel in dist/all/ for the Python that runs this, which
scripts/wheel_all.sh has built, and runs the demo as well.
"""

import argparse
import concurrent.futures
import email
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "structure"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_package import jobs, output_of, run  # noqa: E402
from clean_environment import Environment, download, install  # noqa: E402
from report import ROOT, Skipped, finish  # noqa: E402

POLICY = "manylinux_2_36_x86_64"
MINOR = sys.version_info.minor
TAG = "cp312-abi3" if MINOR >= 12 else f"cp3{MINOR}-cp3{MINOR}"
# The libraries that every system of the policy has; the wheel may need no others.
SYSTEM_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1",
                    "ld-linux-x86-64.so.2")  # fmt: skip
# A few tests of every kind: arrays, schemes, files, parameters, the command.
SELECTION = ("test_arrays", "test_ckks", "test_exact", "test_package", "test_params")
# What `import ringlet` loads besides NumPy, which takes nearly all of the time: 0.01 s are left.
MOST_MODULES = 30  # dataclasses of Python 3.10 load ten more than those of 3.12
NEW_MODULES = """
import sys, numpy
before = set(sys.modules)
import ringlet
print(*sorted(set(sys.modules) - before))
"""
# Benchmarks belong to the package ringlet-lab.
MOST_BYTES = 4_500_000
MEASURING = re.compile(r"^ringlet/(?:bench|report|data)/|/bench_\w+\.py$")

SUM = """
from ringlet import bfv
import numpy as np
secret = bfv.SecretContext(bfv.Parameters(4096))
public = secret.public()
a, b = (public.bind(secret.encrypt(np.array(v))) for v in ([1, 2, 3], [10, 20, 30]))
assert list(secret.decrypt(a + b)[:3]) == [11, 22, 33]
"""


def the(pattern):
    """The only file in dist/ of this pattern."""
    [path] = (ROOT / "dist").glob(pattern)
    return path


def name_problems(wheel):
    wanted = rf"ringlet-[\d.]+-{TAG}-{POLICY}\.whl"
    return [] if re.fullmatch(wanted, wheel.name) else [f"its name is {wheel.name}"]


def content_problems(wheel):
    """One library, the stubs, the licences, the command; no tests, and nothing grafted."""
    problems = []
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        folder = metadata.rpartition("/")[0]
        for name in (f"{folder}/licenses/LICENSE", f"{folder}/licenses/licenses/THIRD_PARTY.txt",
                     f"{folder}/entry_points.txt", "ringlet/py.typed", "ringlet/_core.pyi",
                     "ringlet/commands/info.py", "ringlet_command/__init__.py"):  # fmt: skip
            if name not in names:
                problems.append(f"{name} is missing")
        licences = archive.read(f"{folder}/licenses/licenses/THIRD_PARTY.txt").decode()
        for project in ("OpenSSL", "Zstandard", "nanobind", "robin-map"):
            if project not in licences:
                problems.append(f"the licence of {project} is missing")
        facts = email.message_from_bytes(archive.read(metadata))
    libraries = [name for name in names if ".so" in name]
    if len(libraries) != 1 or not libraries[0].startswith("ringlet/_core."):
        problems.append(f"its libraries are {libraries}")
    parts = ("ringlet/", "ringlet_command/", folder)
    others = [name for name in names if not name.startswith(parts)]
    problems += [f"{name} is no part of the package" for name in others]
    if facts["License-Expression"] != "Apache-2.0":
        problems.append(f"its licence is {facts['License-Expression']}")
    return problems


def material_problems(wheel, library):
    """The bill of materials names whose code is inside, in the versions that the code says."""
    with zipfile.ZipFile(wheel) as archive:
        ending = ".dist-info/sboms/ringlet.cdx.json"
        bills = [name for name in archive.namelist() if name.endswith(ending)]
        if len(bills) != 1:
            return ["there is none"]
        bill = json.loads(archive.read(bills[0]))
    found = {part["name"]: part.get("version") for part in bill["components"]}
    text = Path(library).read_bytes()
    problems = [] if bill["bomFormat"] == "CycloneDX" else [f"its format is {bill['bomFormat']}"]
    if set(found) != {"openssl", "zstd", "nanobind", "robin-map"}:
        problems.append(f"it names {sorted(found)}")
    elif f"OpenSSL {found['openssl']} ".encode() not in text or found["zstd"].encode() not in text:
        problems.append(f"the extension has others than {found}")
    return problems


def entries(wheel):
    """What a wheel stores but for its compression, which takes a minute and has no choice."""
    with zipfile.ZipFile(wheel) as archive:
        return [(i.filename, i.CRC, i.file_size, i.date_time, i.external_attr, i.extra, i.comment)
                for i in archive.infolist()]  # fmt: skip


def repetition_problems(wheel, directory, *options):
    """Made again, it is the same bit for bit before its compression."""
    variables = {**os.environ, "RINGLET_WHEEL_QUICK": str(directory / "again")}
    problems = run([ROOT / "scripts" / "wheel.sh", *options], env=variables)
    if problems:
        return problems
    return [] if entries(directory / "again" / wheel.name) == entries(wheel) else ["it differs"]


def folder_problems(library):
    is_there = str(ROOT).encode() in Path(library).read_bytes()
    return [f"the extension has the name of {ROOT}"] if is_there else []


def size_problems(wheel, library):
    """No code that measures, and few bytes."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if MEASURING.search(name)]
    problems = [f"{name} measures" for name in names]
    text = Path(library).read_bytes()
    problems += [f"the extension has {name.decode()}" for name in (b"Stopwatch", b"SchemeMeter")
                 if name in text]
    size = wheel.stat().st_size
    print(f"     the wheel has {size / 1e6:.2f} MB")
    return problems + ([f"it has {size} bytes"] if size > MOST_BYTES else [])


def package_of(wheel, directory):
    """The extension, taken out of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".so")]
        return archive.extract(name, directory)


def export_problems(library):
    """It exports what Python looks for, and nothing of Ringlet, OpenSSL and Zstandard."""
    lines = output_of("nm", "-D", "--defined-only", library).splitlines()
    symbols = {line.split()[-1].partition("@")[0] for line in lines}
    return [f"it exports {symbol}" for symbol in sorted(symbols ^ {"PyInit__core"})][:20]


def needed_problems(library):
    lines = output_of("readelf", "-d", library).splitlines()
    needed = [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]
    problems = [f"it needs {name}" for name in needed if name not in SYSTEM_LIBRARIES]
    searched = [line for line in lines if "RPATH" in line or "RUNPATH" in line]
    return problems + [f"it looks for libraries elsewhere: {line}" for line in searched]


def hardening_problems(library):
    """Nothing can be written that the loader has written, and checks are compiled in."""
    segments = output_of("readelf", "-lW", library)
    flags = output_of("readelf", "-dW", library)
    symbols = output_of("nm", "-D", "--undefined-only", library)
    code = output_of("objdump", "-d", "--no-show-raw-insn", library)
    wanted = {
        "full RELRO": "GNU_RELRO" in segments and "BIND_NOW" in flags,
        "a stack that runs no code": re.search(r"GNU_STACK.* RW +0", segments),
        "stack protectors": "__stack_chk_fail" in symbols,
        "checked copies": re.search(r"__mem(?:cpy|move|set)_chk", symbols),
        "checked containers": "_ZSt21__glibcxx_assert_fail" in symbols,
        "marks of indirect jumps": code.count("endbr64") > 1000,
    }
    return [f"it has no {name}" for name, is_there in wanted.items() if not is_there]


def audit_problems(wheel):
    """What auditwheel says of it: a policy that is this one or older, and no library to graft."""
    text = output_of(sys.executable, "-m", "auditwheel", "show", str(wheel))
    found = re.search(r'platform tag:\s+"manylinux_(\d+)_(\d+)_x86_64"', text)
    limit = tuple(map(int, re.findall(r"\d+", POLICY)[:2]))
    if not found or tuple(map(int, found.groups())) > limit:
        return ["auditwheel names no policy up to this one", text]
    return [text] if "external shared libraries are required" in text else []


def wheel_checks(wheel, directory):
    yield "the wheel says for which systems it is", name_problems(wheel)
    yield "it holds the package, its licences and nothing else", content_problems(wheel)
    yield "auditwheel agrees, and grafts nothing", audit_problems(wheel)
    library = package_of(wheel, directory / "content")
    yield "its bill of materials is right", material_problems(wheel, library)
    yield "it knows no folder of this machine", folder_problems(library)
    yield "it measures nothing and is small", size_problems(wheel, library)
    yield "the extension exports its start alone", export_problems(library)
    yield "the extension is hardened", hardening_problems(library)
    yield "the extension needs libraries of the C and C++ runtimes alone", needed_problems(library)


def import_problems(environment):
    python = environment.bin / "python"
    seconds = [environment.processor_time(python, "-c", f"import {name}")
               for name in ("ringlet", "numpy")]
    print(f"     import ringlet: {seconds[0]:.3f} s of the processor; numpy: {seconds[1]:.3f}")
    modules = environment.run(python, "-c", NEW_MODULES).stdout.split()
    allowed = {"ringlet", "numpy", *sys.stdlib_module_names}
    problems = [name for name in modules if name.partition(".")[0] not in allowed]
    return problems + (modules if not 0 < len(modules) <= MOST_MODULES else [])


def place_problems(environment):
    """The package comes from the environment, and not from the checkout."""
    found = environment.run(
        environment.bin / "python", "-c", "import ringlet; print(ringlet.__file__)"
    ).stdout.strip()
    return [] if found.startswith(str(environment.directory)) else [f"it is {found}"]


def type_problems(environment):
    """What mypy says of the installed package's types, of their uses and of the examples."""
    options = ("--strict", f"--cache-dir={os.devnull}", "--explicit-package-bases")
    python = ("--python-executable", environment.bin / "python")
    mypy = (sys.executable, "-m", "mypy", *options, *python)
    names = ("ringlet.arrays", "ringlet.learn", "ringlet.tenseal")
    packages = ["-m", "ringlet._core", *(word for name in names for word in ("-p", name))]
    folders = [ROOT / "examples" / name for name in ("applications", "tenseal_programs")]
    examples = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    uses = [Path(__file__).with_name("typed_uses.py"), *examples]
    # Applications import a module beside them.
    variables = {**os.environ, "MYPYPATH": str(folders[0])}
    return run([*mypy, *packages]) + run([*mypy, *uses], env=variables)


def copy_tests(directory):
    """The tests and the files that some of them read, laid out as in the repository."""
    tests = directory / "copy" / "python" / "tests"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python" / "tests", tests, ignore=ignored)
    for folder in ("docs", "examples", "include", "src"):
        shutil.copytree(ROOT / folder, directory / "copy" / folder, ignore=ignored)
    return tests


def pytest_problems(environment, tests, path):
    """Problems of one file of tests, and the line of pytest's counts."""
    done = environment.run(
        *(environment.bin / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", path),
        *("--import-mode=importlib", "--strict-markers", "-W", "error"),
        *("-o", f"pythonpath={tests} {path.parent}", f"--rootdir={tests.parents[1]}"),
        cwd=tests,
        timeout=1800,
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode == 0:
        return [], last
    printed = (done.stdout + done.stderr)[-4000:]
    return [f"pytest ended with status {done.returncode}", printed], last


def test_checks(environment, names):
    """The tests in these files, or all of them for None."""
    tests = copy_tests(environment.directory)
    files = [path for path in sorted(tests.rglob("test_*.py")) if not names or path.stem in names]
    if names and len(files) != len(names):
        yield "the tests are there", sorted(set(names) - {path.stem for path in files})
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        results = pool.map(lambda path: pytest_problems(environment, tests, path), files)
        for path, (problems, counts) in zip(files, results, strict=True):
            print(f"     {path.stem}: {counts}")
            yield f"{path.stem} passes in the empty environment", problems


def environment_checks(wheel, directory, names):
    environment = Environment(directory / "empty")
    environment.directory.mkdir()
    yield "an empty environment has no compiler", environment.make()
    problems = download(wheel) or install(environment, wheel, names is not SELECTION)
    yield "the wheel installs there, with its extras", problems
    if problems:
        return None
    command = environment.bin / "ringlet"
    yield "the package comes from the wheel", place_problems(environment)
    yield "ringlet --version", environment.problems(command, "--version")
    yield "ringlet info", environment.problems(command, "info")
    yield "ringlet --help", environment.problems(command, "--help")
    yield "an encrypted sum", environment.problems(environment.bin / "python", "-c", SUM)
    what = f"import ringlet loads NumPy and at most {MOST_MODULES} modules"
    yield what, import_problems(environment)
    what = "mypy accepts arrays, examples and typed uses, and finds wrong uses"
    yield what, type_problems(environment)
    yield from test_checks(environment, names)
    return environment


def oldest_checks(wheel, directory):
    """With the first versions that the package says do, and whatever these take."""
    environment = Environment(directory / "oldest")
    environment.directory.mkdir()
    yield "an empty environment has no compiler", environment.make()
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        facts = archive.read(name).decode()
    found = re.findall(r"^Requires-Dist: ([\w-]+)>=([\d.]+)", facts, re.MULTILINE)
    oldest = {f"{name}=={version}" for name, version in found}
    pip = (environment.bin / "python", "-m", "pip", "install", "--quiet", "--only-binary=:all:")
    # The tests need these packages too.
    problems = environment.problems(*pip, *sorted(oldest), "hypothesis", f"{wheel}[{EXTRAS}]")
    yield f"it installs beside {', '.join(sorted(oldest))}", problems
    if not problems:
        yield from test_checks(environment, (*SELECTION, "test_distributed"))


def source_content_problems(archive):
    names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"CMakeLists.txt", "LICENSE", "PKG-INFO", "README.md", "licenses/THIRD_PARTY.txt",
              "pyproject.toml", "python/CMakeLists.txt", "python/ringlet/cli.py",
              "python/tests/conftest.py", "include/ringlet/base/version.hpp"}  # fmt: skip
    problems = [f"{name} is missing" for name in sorted(wanted - names)]
    built = ("build/", "dist/", ".venv/", ".git")
    problems += [f"{name} was built" for name in sorted(names) if name.startswith(built)]
    return problems + [f"{n} is compiled" for n in names if n.endswith((".so", ".o", ".a", ".pyc"))]


def configure_problems(source, build):
    """CMake finds every file that the sources name."""
    command = ["cmake", "-S", source, "-B", build, "-G", "Ninja"]
    command += ["-DCMAKE_CXX_COMPILER=clang++-19", "-DRINGLET_BUILD_PYTHON=ON"]
    return run([*command, f"-DPython_EXECUTABLE={sys.executable}"])


def build_problems(source, directory):
    """A wheel is built from the sources as any user would, and computes."""
    wheels = directory / "built"
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    variables = {**os.environ, "CXX": "clang++-19", "CMAKE_GENERATOR": "Ninja"}
    problems = run([*command, source, "--wheel-dir", wheels], env=variables)
    if problems:
        return problems
    [wheel] = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory / "imported")
    path = {**os.environ, "PYTHONPATH": str(directory / "imported")}
    return run([sys.executable, "-c", SUM], env=path, cwd=directory)


def source_checks(directory, everything):
    problems = run([ROOT / "scripts" / "sdist.sh"])
    yield "the source distribution is made", problems
    if problems:
        return
    with tarfile.open(the("*.tar.gz")) as archive:
        yield "it holds sources alone, and what builds them", source_content_problems(archive)
        archive.extractall(directory / "source")
    [source] = (directory / "source").iterdir()
    yield "it configures", configure_problems(source, directory / "configured")
    name = "a wheel is built from it"
    yield name, build_problems(source, directory) if everything else Skipped("with --all alone")


def built_checks(directory, names):
    wheel = the(f"all/ringlet-*-{TAG}-*.whl")
    yield "it can be reproduced", repetition_problems(wheel, directory, "--python", sys.executable)
    yield from wheel_checks(wheel, directory)
    environment = yield from environment_checks(wheel, directory, names)
    if environment:
        yield "ringlet demo", environment.problems(environment.bin / "ringlet", "demo")


def checks(directory, everything, names, is_oldest):
    problems = run([ROOT / "scripts" / "wheel.sh"])
    yield "the wheel is built", problems
    if is_oldest:
        yield from oldest_checks(the("ringlet-*.whl"), directory)
        return
    if problems:
        return
    wheel = the("ringlet-*.whl")
    yield "it can be reproduced", repetition_problems(wheel, directory)
    parts = (environment_checks(wheel, directory, names), wheel_checks(wheel, directory),
             source_checks(directory, everything))  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        for part in pool.map(list, parts):
            yield from part


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every test, and the sources built")
    parser.add_argument("--built", action="store_true", help="the wheel in dist/all/")
    parser.add_argument("--oldest", action="store_true", help="with its oldest requirements alone")
    parser.add_argument("--tests", help="names of files of tests, separated by commas")
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    options = parser.parse_args()
    names = options.tests.split(",") if options.tests else None if options.all else SELECTION
    with tempfile.TemporaryDirectory(prefix="ringlet-wheel-") as directory:
        directory = Path(directory)
        if options.built:
            found = built_checks(directory, names)
        else:
            found = checks(directory, options.all, names, options.oldest)
        finish("wheel", found, options.xml)
