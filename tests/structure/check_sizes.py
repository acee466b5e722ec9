# SPDX-License-Identifier: Apache-2.0
"""Sizes of files, folders and functions, and modules of Python that import each other.

Parameters are counted without self and cls. What a caller of Python can only give by keyword counts
in functions whose names begin with an underscore. Other libraries' interfaces are as they are.
"""

import ast
import re
import tempfile
from collections import Counter
from pathlib import Path

from report import ROOT, arguments, finish, read, repository_files

MAX_FILE_LINES = 500
MAX_FOLDER_FILES = 25
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 6
CXX = {".cpp", ".hpp", ".h"}
FOREIGN_INTERFACES = ("compat/hexl", "tests/gpu_standin", "compat/seal/include/seal/util",
                      "compat/seal/src/util")  # fmt: skip
MODULE_FOLDERS = (Path("python"), Path("lab"))


def file_problems(root, files):
    for path in files:
        count = len(read(root / path).splitlines()) if path.suffix in CXX | {".py"} else 0
        if count > MAX_FILE_LINES:
            yield f"{path}: {count} lines, more than {MAX_FILE_LINES}"


def folder_problems(files):
    for folder, count in sorted(Counter(path.parent for path in files).items()):
        if count > MAX_FOLDER_FILES and not folder.as_posix().startswith(FOREIGN_INTERFACES):
            yield f"{folder}: {count} files, more than {MAX_FOLDER_FILES}"


def python_functions(text):
    """(name, first line, parameters, lines) of every function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if node.name.startswith("_"):
                count += len(node.args.kwonlyargs)
            yield node.name, node.lineno, count, node.end_lineno - node.lineno + 1


NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'"
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
NAME = re.compile(r"(?!(?:if|for|while|switch|catch|constexpr|requires)\b)(\b\w+|\])\s*\(")
BODY = re.compile(
    r"\s*(?:(?:const|noexcept|override|final|mutable)\b|&&?|->[^;{}()]*)*\s*"
    r"(?::\s*[\w:]+(?:<[^;{}]*>)?[({][^;]*?)?\{"
)
BRACKET = re.compile(r"[][(){}]")


def end_of(text, start):
    """Where the bracket at start is closed."""
    depth = 0
    for match in BRACKET.finditer(text, start):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def parameters_in(text):
    depth, commas = 0, 0
    for sign in re.sub(r"->|[<>]=", "", text):
        depth += (sign in "([{<") - (sign in ")]}>")
        commas += sign == "," and depth == 0
    return commas + 1 if text.strip() else 0


def keyword_only(text, name):
    """How many arguments of a bound function Python gives by keyword alone."""
    bound = re.search(rf"&{name}\b[^;]*?nb::kw_only\(\)([^;]*)", text)
    return len(re.findall(r"\b_a\b", bound[1])) if bound else 0


def cxx_functions(text):
    """As python_functions, lambdas among them, from where brackets open and close."""
    text = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in NAME.finditer(text):
        end = end_of(text, match.end() - 1)
        body = BODY.match(text, end + 1)
        if body:
            lines = text.count("\n", match.start(), end_of(text, body.end() - 1)) + 1
            first = text.count("\n", 0, match.start()) + 1
            name = "lambda" if match[1] == "]" else match[1]
            parameters = parameters_in(text[match.end() : end]) - keyword_only(text, name)
            yield name, first, parameters, lines


def function_problems(root, files):
    for path in files:
        if path.suffix not in CXX | {".py"}:
            continue
        is_foreign = path.as_posix().startswith(FOREIGN_INTERFACES)
        functions = python_functions if path.suffix == ".py" else cxx_functions
        for name, line, parameters, lines in functions(read(root / path)):
            if lines > MAX_FUNCTION_LINES:
                yield f"{path}:{line}: {name} has {lines} lines, more than {MAX_FUNCTION_LINES}"
            if parameters > MAX_PARAMETERS and not is_foreign:
                yield f"{path}:{line}: {name} takes {parameters}, more than {MAX_PARAMETERS}"


def imported(path, text, files):
    """The files that a module imports anywhere, for its types alone as well. A name of a package is
    in its __init__.py, but for private ones: `from . import _core` is the extension."""
    for node in ast.walk(ast.parse(text)):
        chains, folders, level = [], (*MODULE_FOLDERS, path.parent), getattr(node, "level", 0)
        if isinstance(node, ast.Import):
            chains = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            chains = [[*module, alias.name] for alias in node.names]
            folders = (path.parents[level - 1],) if level else folders
        for chain in chains:
            is_in_package = level and not chain[-1].startswith("_")
            for parts in (chain, chain[:-1]) if chain[1:] or is_in_package else (chain,):
                stems = [folder.joinpath(*parts) for folder in folders]
                found = {Path(f"{stem}.py") for stem in stems} & files
                found |= {stem / "__init__.py" for stem in stems} & files
                if found:
                    yield from found - {path}
                    break


def circle_problems(root, files):
    """One line for each circle: a module that comes to itself through those it imports."""
    modules = {path for path in files if path.suffix == ".py"}
    edges = {path: set(imported(path, read(root / path), modules)) for path in modules}
    reached = {}
    for path in modules:
        found, waiting = set(), [path]
        while waiting:
            new = edges[waiting.pop()] - found
            found |= new
            waiting += new
        reached[path] = found
    circles = {
        tuple(sorted(other for other in reached[path] if path in reached[other]))
        for path in modules
        if path in reached[path]
    }
    return [" and ".join(map(str, circle)) for circle in sorted(circles)]


def rules(root, files):
    yield f"files have at most {MAX_FILE_LINES} lines", list(file_problems(root, files))
    yield f"folders hold at most {MAX_FOLDER_FILES} files", list(folder_problems(files))
    limits = f"{MAX_FUNCTION_LINES} lines and {MAX_PARAMETERS} parameters"
    yield f"functions have at most {limits}", list(function_problems(root, files))
    yield "no modules import each other", circle_problems(root, files)


SEVEN = ", ".join(f"a{i}" for i in range(7))
# Files, and the exact findings of one of the rules.
SAMPLES = [
    ({"src/a.cpp": "x;\n" * 501}, ["src/a.cpp: 501 lines, more than 500"]),
    ({f"src/{i}.txt": "" for i in range(26)}, ["src: 26 files, more than 25"]),
    ({f"src/{i}.txt": "" for i in range(25)}, []),
    (
        {"a.py": f"def f({SEVEN}):\n" + "    pass\n" * 60},
        ["a.py:1: f has 61 lines, more than 60", "a.py:1: f takes 7, more than 6"],
    ),
    ({"a.py": f"class A:\n  def _f(s, *, {SEVEN}): 0\n"}, ["a.py:2: _f takes 8, more than 6"]),
    ({"a.py": f"def f(*, {SEVEN}): pass\nclass A:\n    def g(self, {SEVEN[4:]}): pass\n"}, []),
    (
        {"a.cpp": f"A::A({SEVEN})\n    : b_(1) {{\n" + "  x; // {\n" * 58 + "}\n"},
        ["a.cpp:1: A has 61 lines, more than 60", "a.cpp:1: A takes 7, more than 6"],
    ),
    ({"a.hpp": f"int b;\nf([]({SEVEN}) -> int {{}});"}, ["a.hpp:2: lambda takes 7, more than 6"]),
    ({"a.hpp": f"void f(std::map<int, int> a1, {SEVEN[8:]}) {{\n  g({SEVEN});\n}}\n"}, []),
    ({"a.cpp": f'int f({SEVEN}) {{}}\nm.def("f", &f, nb::kw_only(), "a0"_a = 1);'}, []),
    ({"compat/hexl/a.cpp": f"void f({SEVEN}) {{}}"}, []),
    (
        {
            "python/p/__init__.py": "from . import a",
            "python/p/a.py": "from . import _core\ndef f():\n    from .b import c\n",
            "python/p/b.py": "if TYPE_CHECKING:\n    from p.a import f\n",
        },
        ["python/p/a.py and python/p/b.py"],
    ),
    ({"s/a.py": "import b", "s/b.py": "from a import c"}, ["s/a.py and s/b.py"]),
    ({"s/a.py": "import ast", "s/ast.py": "import b", "s/b.py": ""}, []),
]


def self_test():
    missed = []
    for sample, expected in SAMPLES:
        with tempfile.TemporaryDirectory() as directory:
            for name, text in sample.items():
                (Path(directory) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(directory) / name).write_text(text)
            checked = rules(Path(directory), sorted(map(Path, sample)))
            found = [problem for _, problems in checked for problem in problems]
        if found != expected:
            missed.append(f"{next(iter(sample))}: {found} instead of {expected}")
    return missed


def checks():
    yield "self-test: violations are found, and nothing else", self_test()
    yield from rules(ROOT, repository_files())


if __name__ == "__main__":
    options = arguments(__doc__)
    finish("sizes", checks(), options.xml)
