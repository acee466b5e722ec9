# SPDX-License-Identifier: Apache-2.0
"""Whether the built site has what the code has: every public name of the Python package, every
public header and its classes and functions, every subcommand and option. The names are read from
the code by other means than those that made the pages.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "structure"), str(ROOT / "scripts")]
import error_messages  # noqa: E402
from report import arguments, finish, read  # noqa: E402

SITE = ROOT / "build" / "docs" / "html"
PACKAGE = ROOT / "python" / "ringlet"
MODULES = ("", "ckks", "bfv", "bgv", "fv", "vector", "wide", "errors", "distributed", "learn",
           "arrays")
# Declarations of classes, enumerations and functions in a header, which start in column 1.
CLASS = re.compile(r"^(?:class|struct|enum class) (?:RINGLET_API )?(\w+)[^;]*?\{", re.MULTILINE)
FUNCTION = re.compile(r"^RINGLET_API [^;{=]*?\b(\w+)\(", re.MULTILINE)


def exported_names(path):
    """`__all__` of a Python file, without running it."""
    for node in ast.parse(read(path)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if names == ["__all__"] and node.value:
                return list(ast.literal_eval(node.value))
    return []


def ids_of(text):
    """What can be linked to on a page."""
    return set(re.findall(r'\bid="([^"]+)"', text))


def python_problems():
    """Public names of the package that no page documents."""
    problems = []
    for module in MODULES:
        name = f"ringlet.{module}".rstrip(".")
        folder = PACKAGE / module
        path = folder / "__init__.py" if folder.is_dir() else PACKAGE / f"{module}.py"
        names = set(exported_names(path)) - {"__version__", *MODULES}
        page = SITE / "reference" / f"python_{name.replace('.', '_')}.html"
        found = ids_of(read(page)) if page.is_file() else set()
        if not names:
            problems.append(f"{path.relative_to(ROOT)} has no __all__")
        problems += [f"{name}.{missing} is on no page" for missing in sorted(names)
                     if f"{name}.{missing}" not in found]
    return problems


def header_problems():
    """Headers, and their classes and functions, that no page documents."""
    pages = [read(path) for path in sorted((SITE / "reference").glob("cpp_*.html"))]
    text = "\n".join(pages)
    titles = set(re.findall(r"ringlet/(\w+/\w+)\.hpp", text))
    # Sphinx mangles C++ identifiers as compilers do: a length, then a name.
    known = "\n".join(name for name in ids_of(text) if name.startswith("_CPPv"))
    problems = []
    folder = ROOT / "include" / "ringlet"
    for path in sorted(folder.glob("*/*.hpp")):
        source = read(path)
        declared = set(CLASS.findall(source)) | set(FUNCTION.findall(source))
        if str(path.relative_to(folder).with_suffix("")) not in titles:
            problems.append(f"{path.name} is on no page")
        problems += [f"{path.name}: {name} is on no page" for name in sorted(declared)
                     if f"{len(name)}{name}" not in known]
    return problems


def help_of(words):
    command = [sys.executable, "-m", "ringlet", *words, "--help"]
    run = subprocess.run(
        ["env", "COLUMNS=200", "NO_COLOR=1", "TERM=dumb", *command], capture_output=True, text=True
    )
    return run.stdout


def command_problems():
    """Subcommands and options of `ringlet --help` that the page on the command lacks."""
    page = SITE / "reference" / "command.html"
    text = re.sub(r"<[^>]+>", "", read(page)) if page.is_file() else ""
    problems = []
    pending = [[]]
    while pending:
        words = pending.pop()
        shown = help_of(words)
        name = " ".join(["ringlet", *words])
        commands = re.findall(r"^│ ([a-z][a-z-]+)  +", shown, re.MULTILINE)
        commands = commands if "COMMAND" in shown else []
        if commands:
            pending += [[*words, command] for command in commands]
            continue
        if not shown:
            problems.append(f"{name} --help says nothing")
        if name not in text:
            problems.append(f"{name} is not on the page")
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)) - {"--help"}
        problems += [f"{name}: {option} is not on the page" for option in sorted(options)
                     if option not in text]
    return problems


def quoted_problems():
    """Messages that the page on errors explains, and that no test causes."""
    explained = read(ROOT / "docs" / "howto" / "errors.md").partition("| the message says |")[2]
    known = read(error_messages.PAGE)
    for row in explained.partition("\n\n")[0].splitlines()[2:]:
        quoted = row.split("|")[1].strip()
        pattern = ".*".join(re.escape(part.strip()) for part in quoted.split("..."))
        if not re.search(pattern, known):
            yield f"no message says '{quoted}'"


def self_test():
    """What must be found in samples."""
    problems = []
    if not {"A", "B"} <= set(CLASS.findall("class RINGLET_API A final : X {\nstruct B {\n")):
        problems.append("classes are not recognised")
    if FUNCTION.findall("RINGLET_API const char* f(int x) noexcept;\n") != ["f"]:
        problems.append("functions are not recognised")
    if ids_of('<dt id="ringlet.Ntt">') != {"ringlet.Ntt"}:
        problems.append("names on pages are not recognised")
    return problems


def checks():
    yield "self-test: names are recognised", self_test()
    yield "every public name of the Python package is on its page", python_problems()
    yield "every public header, class and function is on a page", header_problems()
    yield "every subcommand and option is on the command's page", command_problems()
    yield "the page of error messages says what the sources say", [*error_messages.stale()]
    yield "messages that the page on errors explains exist", [*quoted_problems()]


if __name__ == "__main__":
    options = arguments(__doc__)
    finish("reference", checks(), options.xml)
