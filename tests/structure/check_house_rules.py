# SPDX-License-Identifier: Apache-2.0
"""Rules of the house that a machine can check, over every file of the repository."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read, repository_files

CXX = {".cpp", ".hpp", ".h"}
SOURCES = CXX | {".py", ".pyi", ".cmake", ".sh"}
MAX_COLUMNS = 100
PICTURES = {".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp"}
MAX_PICTURE_BYTES = 150_000
MAX_SVG_LINES = 150
CLANG_FORMAT = "clang-format-19"

# A rule is (name, which paths, pattern that no line may contain).
FORBIDDEN = [
    (
        "no code for the building machine: kernels are chosen at run time",
        lambda path: path.suffix in SOURCES | {".txt", ".json", ".toml"} or path.name == "Makefile",
        r"-m(?:arch|tune)=" + "native",
    ),
    (
        "intrinsics are in src/kernels and lab/kernels alone",
        lambda path: path.suffix in CXX
        and path.parts[:2] not in {("src", "kernels"), ("lab", "kernels")},
        r"\b_mm\d*_\w+\(|\b__m(?:128|256|512)[id]?\b|<\w*intrin\.h>",
    ),
    (
        "public headers name no instruction set and test no compiler macro but the version of C++",
        lambda path: path.parts[0] == "include",
        r"__(?:AVX|SSE|BMI)\w*|\bavx\w*\s*\(|^\s*#\s*(?:ifdef|ifndef|if(?! __cplusplus <))\b",
    ),
    (
        "macros are named RINGLET_*",
        lambda path: path.suffix in CXX and path.parts[0] in {"include", "src"},
        r"^\s*#\s*define\s+(?!RINGLET_)",
    ),
    (
        "no OpenMP outside src/base",
        lambda path: path.suffix in CXX and path.parts[:2] != ("src", "base"),
        r"^\s*#\s*pragma\s+omp",
    ),
    (
        "no rand(): it is neither random nor reproducible",
        lambda path: path.suffix in CXX,
        r"\b(?:std::)?s?rand\(",
    ),
    (
        "files are written by src/base/file_writer.cpp alone",
        lambda path: path.suffix in CXX
        and (path.parts[0] == "src" or path.parts[:2] == ("python", "src"))
        and path != Path("src/base/file_writer.cpp"),
        r"\bO_CREAT\b|\bofstream\b|\bfopen\(|\bmkos?temp|\brename\(|\bumask\(",
    ),
    (
        "no notes to do something later",
        lambda path: path.suffix in SOURCES or path.name == "CMakeLists.txt",
        r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b",
    ),
    (
        "units and policies use no container of the standard library",
        lambda path: path.parts[:2] == ("src", "kernels") and path.parts[2] in {"isa", "policy"},
        r"#include <(?:vector|string|map|unordered_map|set|array|memory|functional|iostream)>",
    ),
]


def is_source(path):
    return path.suffix in SOURCES or path.name in {"CMakeLists.txt", "Makefile", "run"}


def forbidden_problems(root, files, applies, pattern):
    expression = re.compile(pattern)
    return [
        f"{path}:{number}: {line.strip()}"
        for path in files
        if applies(path)
        for number, line in enumerate(read(root / path).splitlines(), 1)
        if expression.search(line)
    ]


def license_problems(root, files):
    wanted = "SPDX-License-Identifier: Apache-2.0"
    problems = []
    for path in files:
        if not is_source(path):
            continue
        lines = read(root / path).splitlines()[:2]
        first = lines[1:] if lines and lines[0].startswith("#!") else lines[:1]
        if not (first and wanted in first[0]):
            problems.append(f"{path}: the first line is not '{wanted}'")
    return problems


def shape_problems(root, files):
    problems = []
    for path in files:
        if not is_source(path):
            continue
        text = read(root / path)
        lines = text.splitlines()
        if text and not text.endswith("\n"):
            problems.append(f"{path}: no newline at the end")
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                problems.append(f"{path}:{number}: white space at the end of the line")
            if path.suffix in CXX | {".py"} and len(line) > MAX_COLUMNS:
                problems.append(f"{path}:{number}: {len(line)} columns")
        if path.suffix in {".hpp", ".h"} and "#pragma once" not in text:
            problems.append(f"{path}: no #pragma once")
    return problems


def picture_problems(root, files):
    problems = []
    for path in files:
        if path.suffix not in PICTURES:
            continue
        data = (root / path).read_bytes()
        if len(data) > MAX_PICTURE_BYTES:
            problems.append(f"{path}: {len(data)} bytes of picture, more than {MAX_PICTURE_BYTES}")
        lines = data.count(b"\n")
        if path.suffix == ".svg" and lines > MAX_SVG_LINES:
            problems.append(f"{path}: {lines} lines of SVG, more than {MAX_SVG_LINES}: use PNG")
    return problems


VERDICT = re.compile(r"\b(?:EXPECT_|ASSERT_|ADD_FAILURE|FAIL\(\))")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
FUNCTION = re.compile(r"^[\w:<>,&* \[\]]*?(\w+)\([^;{}]*\)[^;{}]*\{", re.MULTILINE)


def bodies(text, pattern):
    """Pairs (match, text up to the closing brace in the first column)."""
    for match in pattern.finditer(text):
        end = text.find("\n}\n", match.end())
        yield match, text[match.end() : len(text) if end < 0 else end]


def judging_functions(texts, known=frozenset()):
    """Names of the functions that assert something, directly, through each other or through one of
    those known.
    """
    functions = [(match[1], body) for text in texts for match, body in bodies(text, FUNCTION)]
    names = known | {name for name, body in functions if VERDICT.search(body)}
    while True:
        pattern = any_of(names)
        found = {name for name, body in functions if pattern.search(body)} - names
        if not found:
            return names
        names |= found


def any_of(names):
    return re.compile(r"\b(?:" + "|".join(sorted(names) or ["(?!)"]) + r")\b")


def test_problems(root, files):
    """Tests without anything that can fail."""
    tests = [path for path in files if path.parts[0] == "tests" and path.suffix in CXX]
    support = judging_functions([read(root / path) for path in tests if path.suffix == ".hpp"])
    problems = []
    for path in tests:
        if path.suffix != ".cpp":
            continue
        text = read(root / path)
        judging = any_of(judging_functions([text], support))
        for match, body in bodies(text, TEST):
            if not VERDICT.search(body) and not judging.search(body):
                problems.append(f"{path}: {match[1]}.{match[2]} asserts nothing")
    return problems


LOCAL = re.compile(
    r"^(?:(?:static|inline|thread_local)\s+)*"
    r"(?:(?:constexpr|const)\b[^=;(){}\n]*?\b(k[A-Z]\w*)(?:\[\w*\])?\s*[={]"
    r"|(?:class|struct|enum class|enum)\s+(\w+)(?:\s+final)?(?:\s*:(?!:)[^;{]*)?\s*\{)",
    re.MULTILINE,
)


def unity_problems(root, files):
    """Constants and types of source files whose names occur twice in a layer, which asan-ubsan
    compiles several files at a time. Kernels are compiled alone, and headers' names are shared.
    """
    homes = {}
    for path in files:
        if path.suffix == ".cpp" and path.parts[0] == "src" and path.parts[1] != "kernels":
            for constant, kind in LOCAL.findall(read(root / path)):
                homes.setdefault((path.parts[1], constant or kind), []).append(path)
    return [
        f"{name}: in {' and '.join(map(str, paths))}"
        for (_, name), paths in sorted(homes.items())
        if len(paths) > 1
    ]


def format_problems(root, files):
    sources = [str(root / path) for path in files if path.suffix in CXX]
    if not sources:
        return []
    command = [CLANG_FORMAT, "--dry-run", "--Werror", "--ferror-limit=1"]
    parts = [sources[i :: os.cpu_count()] for i in range(os.cpu_count())]
    try:
        runs = [
            subprocess.Popen([*command, *part], stderr=subprocess.PIPE, text=True)
            for part in parts
            if part
        ]
    except OSError as error:
        return [f"{error}: install it, or run 'make setup'"]
    complaints, failures = [], []
    for run in runs:
        errors = run.communicate()[1]
        found = [line for line in errors.splitlines() if ": error:" in line]
        complaints += found
        if run.returncode and not found:
            failures.append(errors.strip())
    return failures + complaints + (["run 'make format'"] if complaints else [])


def pin_problems(root, files):
    """Every requirement has its hashes, and what is asked for is what is pinned: the head of a .txt
    says how it is made from the .in."""
    problems = []
    for path in files:
        if path.suffix != ".in" or not path.name.startswith("requirements-"):
            continue
        locked = (root / path).with_suffix(".txt").read_text()
        pinned = {entry.split()[0] for entry in locked.replace("\\\n", "").splitlines()
                  if "--hash=sha256:" in entry}  # fmt: skip
        named = re.findall(r"^[a-z][^ ;\n]*", locked, re.MULTILINE)
        wanted = re.findall(r"^[a-z][^ ;\n]*", (root / path).read_text(), re.MULTILINE)
        problems += [f"{path}: {name} has no hash" for name in sorted({*named, *wanted} - pinned)]
    return problems


SAMPLES = [
    ("CMakeLists.txt", "add_compile_options(-march=" + "native)", "building machine"),
    ("src/ntt/a.cpp", "__m256i f(__m256i x);", "intrinsics"),
    ("src/ntt/b.cpp", "#define SHORT 1", "macros"),
    ("src/ring/c.cpp", "#pragma omp parallel", "OpenMP"),
    ("src/ring/d.cpp", "int x = rand();", "rand()"),
    ("src/gpu/q.cpp", "std::ofstream file(path);", "files are written"),
    ("src/ring/e.cpp", "// TO" + "DO", "later"),
    ("src/kernels/policy/f.hpp", "#include <vector>", "container"),
    ("include/ringlet/g.hpp", "#ifdef __AVX2__", "public headers"),
    ("src/ring/h.cpp", "int x;", "licence"),
    ("src/ring/i.cpp", "int x; ", "white space"),
    ("src/ring/j.hpp", "int x;", "#pragma once"),
    ("src/ring/k.cpp", "x;" * MAX_COLUMNS, "columns"),
    ("src/ring/n.cpp", "const int kTwo = 2;\nconst int kTwo = 2;", "names of a layer"),
    ("docs/images/o.png", "x" * MAX_PICTURE_BYTES, "bytes of picture"),
    ("docs/images/p.svg", "<g/>\n" * MAX_SVG_LINES, "lines of SVG"),
    ("tests/unit/m.cpp", "TEST(Nothing, asserted) {\n  int x = 1;\n}", "asserts nothing"),
]


def self_test():
    """Each sample breaks the rule named after it, and that must be found."""
    missed = []
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text, rule in SAMPLES:
            path = Path(name)
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
            found = [title for title, problems in rules(root, [path]) if problems]
            for problems in (shape_problems, picture_problems, test_problems):
                found += problems(root, [path])
            if not any(rule in finding for finding in found):
                missed.append(f"{name}: '{rule}' was not found in {found}")
    return missed


def rules(root, files):
    yield "every source file starts with its licence", license_problems(root, files)
    yield "columns, ends of lines, include guards", shape_problems(root, files)
    yield "pictures are small", picture_problems(root, files)
    for name, applies, pattern in FORBIDDEN:
        yield name, forbidden_problems(root, files, applies, pattern)
    yield "names of a layer's source files occur once", unity_problems(root, files)
    yield "every C++ test asserts something", test_problems(root, files)
    yield "requirements are pinned by hash", pin_problems(root, files)
    yield f"{CLANG_FORMAT} has nothing to change", format_problems(root, files)


def checks():
    yield "self-test: violations are found", self_test()
    yield from rules(ROOT, repository_files())


if __name__ == "__main__":
    options = arguments(__doc__)
    finish("house-rules", checks(), options.xml)
