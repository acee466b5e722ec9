# SPDX-License-Identifier: Apache-2.0
"""Checks shell commands that are too long or too destructive to run, word by word: targets,
scripts, presets, options, test filters and packages must exist.
"""

import fnmatch
import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))

OPERATORS = {"&&", "||", ";", "|", "&", "(", ")"}
REDIRECTIONS = {">", ">>", "<", "2>"}
# Words of the shell and tools that every system has; their arguments are not checked.
PLAIN = {"cd", "mkdir", "cp", "mv", "rm", "ls", "cat", "echo", "source", ".", "true", "set", "tar"}
ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)=(.*)$", re.DOTALL)
SUBSTITUTION = re.compile(r"\$\(([^()]*)\)")


class Wrong(Exception):
    """A command that would not do what the page says."""


def _lines(text):
    return re.sub(r"\\\n", " ", text).splitlines()


def commands(line):
    """The simple commands of a line, as words; comments and redirections are gone."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    found = [[]]
    words = list(lexer)
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in OPERATORS:
            found.append([])
        elif word in REDIRECTIONS:
            skip = True
        else:
            found[-1].append(word)
    return [command for command in found if command]


@functools.cache
def _text(*patterns):
    """The text of all files of the repository under these patterns."""
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return "\n".join(path.read_text(errors="replace") for path in paths if path.is_file())


def check_variable(name):
    """A variable of Ringlet's must be one that some source reads."""
    sources = _text("src/**/*.cpp", "python/ringlet/**/*.py", "python/bindings/**/*.cpp",
                    "scripts/**/*.py", "scripts/*.sh", "tests/support/**/*.cpp",
                    "tests/property/**/*.cpp",
                    "tests/property/**/*.hpp", "hw/**/*.py", "hw/**/*.cpp")
    if name.startswith("RINGLET_") and name not in sources + _text("scripts/*"):
        raise Wrong(f"nothing reads the environment variable {name}")


@functools.cache
def _ringlet_command():
    import typer.main
    from ringlet.cli import app

    return typer.main.get_command(app)


def check_ringlet(words):
    """Parses a `ringlet` command as it would be, and runs nothing."""
    command, name, context = _ringlet_command(), "ringlet", None
    while True:
        try:
            context = command.make_context(name, list(words), parent=context)
            if not hasattr(command, "resolve_command"):
                return
            rest = [*context._protected_args, *context.args]
            name, command, words = command.resolve_command(context, rest)
        except Exception as error:
            # An option such as --version ends the command; files of a page may be missing.
            message = str(getattr(error, "message", error))
            if type(error).__name__ == "Exit" or "does not exist" in message:
                return
            raise Wrong(f"{name}: {message or type(error).__name__}") from error


def check_make(words):
    """`make`: targets of the Makefile, and what ARGS goes on to."""
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    given = [word for word in words if not ASSIGNMENT.match(word)]
    for word in given:
        if word not in targets:
            raise Wrong(f"the Makefile has no target {word}")
    for word in words:
        match = ASSIGNMENT.match(word)
        if match and match[1] == "ARGS":
            _check_make_arguments(given, shlex.split(match[2]))
        elif match:
            check_variable(match[1])


def _check_make_arguments(targets, words):
    for target in targets:
        if target in {"test", "test-all", "test-long"}:
            _check_groups(words, target == "test-long")
        elif target == "bench":
            check_ringlet(["bench", *words])
        elif target == "demo":
            check_ringlet(["demo", *words])
        else:
            options = [word for word in words if word.startswith("-")]
            _check_options_of_script(ROOT / "scripts" / f"{target}.sh", options)


def _check_groups(words, is_long):
    from groups import CHANGE_GROUPS, LONG_GROUPS, USER_GROUPS

    if words[:1] != ["--only"] or len(words) != 2:
        raise Wrong(f"the tests take --only and groups, not {' '.join(words)}")
    for group in words[1].split(","):
        if group not in (LONG_GROUPS if is_long else USER_GROUPS | CHANGE_GROUPS):
            raise Wrong(f"there is no group of tests {group}")


def _presets(kind):
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    return {preset["name"] for preset in presets.get(kind, []) if not preset.get("hidden")}


def check_cmake(words):
    """`cmake`: presets, and options of Ringlet's own."""
    kinds = _text("CMakeLists.txt", "cmake/*.cmake", "python/CMakeLists.txt", "lab/CMakeLists.txt")
    known = {"-S", "-B", "-G", "-P", "-j", "--build", "--install", "--prefix", "--parallel",
             "--preset", "--target", "--config", "--component"}
    for at, word in enumerate(words):
        option = word.partition("=")[0]
        if word.startswith("-D"):
            name = re.split(r"[:=]", word[2:])[0]
            if name.startswith("RINGLET_") and not re.search(rf"\b{name}\b", kinds):
                raise Wrong(f"CMake knows no option {name}")
        elif word.startswith("-") and option not in known and not re.match(r"-[SBj]", word):
            raise Wrong(f"cmake's option {word} is not one that is known here")
        elif option == "--preset":
            name = word.partition("=")[2] or words[at + 1]
            if name not in _presets("configurePresets"):
                raise Wrong(f"there is no preset {name}")


def check_ctest(words):
    """`ctest`: its preset."""
    if words[:1] == ["--preset"] and words[1] not in _presets("testPresets"):
        raise Wrong(f"there is no preset of tests {words[1]}")


def _check_options_of_script(path, options):
    text = path.read_text()
    for option in options:
        name = option.partition("=")[0]
        if not re.search(rf"{re.escape(name)}\b", text):
            raise Wrong(f"{path.name} has no option {name}")


def check_script(name, words):
    """A script of the repository and its options."""
    path = ROOT / name
    if not path.is_file():
        raise Wrong(f"there is no file {name}")
    _check_options_of_script(path, [word for word in words if word.startswith("-")])


def check_built_program(name, words, folder):
    """A program below build/<preset>: the preset has it, and its filter matches a test; so for a
    command that it starts, after --.
    """
    preset, program = name.split("/")[1], name.split("/")[-1]
    if preset not in _presets("configurePresets") | {"package", "applications"}:
        raise Wrong(f"there is no preset {preset}")
    texts = _text("tests/CMakeLists.txt", "lab/**/CMakeLists.txt", "hw/**/CMakeLists.txt",
                  "hw/**/*.cmake", "hw/**/designs.json", "examples/CMakeLists.txt")
    layer = program.removeprefix("unit_").removeprefix("property_")
    made = (ROOT / "tests" / "unit" / layer).is_dir() or program in texts
    source = program.removeprefix("example_").removeprefix("app_")
    if not made and not any(ROOT.glob(f"*/**/{source}.cpp")):
        raise Wrong(f"no build makes {program}")
    if "--" in words:
        check_command(words[words.index("--") + 1 :], folder)
    for word in words:
        option, _, pattern = word.partition("=")
        if option == "--gtest_filter":
            tests = re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)",
                               _text("tests/**/*.cpp"), re.MULTILINE)
            names = [f"{suite}.{test}" for suite, test in tests]
            for part in pattern.partition("-")[0].split(":"):
                if part and not fnmatch.filter(names, part):
                    raise Wrong(f"no test has a name like {part}")


def check_pip(words):
    """`pip install`: Ringlet itself with extras that it has, or what the requirements name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = _text("python/requirements-*.txt") + " ".join(project["dependencies"])
    for word in words:
        if word.startswith("-") or word == "install" or word.endswith(".txt"):
            continue
        match = re.match(r"^(?P<name>[^\[]+?)(?:\[(?P<extras>[\w,-]+)\])?$", word)
        if not match:
            raise Wrong(f"pip: {word} is no package")
        for extra in filter(None, (match["extras"] or "").split(",")):
            if extra not in project["optional-dependencies"]:
                raise Wrong(f"the package has no extra {extra}")
        own = {"ringlet", "."}
        is_own = match["name"] in own or re.search(r"(?:^|/)ringlet[\w.*-]*\.(?:whl|tar\.gz)$",
                                                   match["name"])
        if not is_own and not re.search(rf"\b{re.escape(match['name'])}\b", known):
            raise Wrong(f"pip: {word} is neither Ringlet nor one of its requirements")


def check_apt(words):
    """`apt install`: packages that the set-up installs as well."""
    setup = _text("scripts/setup.sh")
    for word in words:
        if word.startswith("-") or word in {"install", "update"}:
            continue
        if not re.search(rf"(?<![\w.+-]){re.escape(word)}(?![\w.+-])", setup):
            raise Wrong(f"scripts/setup.sh installs no package {word}")


def check_pkg_config(words):
    """`pkg-config`: modules that Ringlet installs."""
    names = {path.name.partition(".pc")[0] for path in ROOT.glob("**/*.pc.in")}
    for word in words:
        if not word.startswith("-") and word not in names:
            raise Wrong(f"Ringlet installs no {word}.pc; it has {', '.join(sorted(names))}")


def check_dask(words):
    """`dask scheduler` and the like: the subcommand and its options are in its own help."""
    run = subprocess.run(
        [sys.executable, "-m", "dask", words[0], "--help"], capture_output=True, text=True
    )
    if run.returncode:
        raise Wrong(f"dask has no subcommand {words[0]}")
    for word in words[1:]:
        option = word.partition("=")[0]
        if option.startswith("--") and option not in run.stdout:
            raise Wrong(f"dask {words[0]} has no option {option}")


def check_python(words):
    """`python`: a module or a script of the repository."""
    if words[:2] == ["-m", "ringlet"]:
        check_ringlet(words[2:])
    elif words[:2] == ["-m", "pip"]:
        check_pip(words[2:])
    elif words[:2] == ["-m", "venv"]:
        return
    elif words and not words[0].startswith("-"):
        check_script(words[0], words[1:])
    else:
        raise Wrong(f"python {' '.join(words)} is not one that is known here")


def check_emulated(words, folder):
    """`qemu-*`: the program that it runs."""
    rest = [word for at, word in enumerate(words) if word != "-L" and words[at - 1 : at] != ["-L"]]
    check_command(rest, folder)


def check_verilator(words):
    """`verilator`: folders, and the module on top."""
    for at, word in enumerate(words):
        if word == "-y" and not (ROOT / words[at + 1]).is_dir():
            raise Wrong(f"there is no folder {words[at + 1]}")
        if word == "--top-module" and not any(ROOT.glob(f"hw/**/{words[at + 1]}.v")):
            raise Wrong(f"there is no module {words[at + 1]}")


def _check_tool(tool, rest):
    """Checks a command by its name; False for a name that is not known."""
    if tool == "export":
        for word in rest:
            check_variable(word.partition("=")[0])
    elif tool in CHECKS:
        CHECKS[tool](rest)
    elif tool == "git" and rest[:1] == ["clone"]:
        pass
    else:
        return tool in PLAIN or bool(re.match(r"(?:clang\+\+|g\+\+)(?:-\d+)?$", tool))
    return True


def check_command(words, folder="."):
    """One simple command, in a folder of the repository.

    Raises Wrong with what does not exist.
    """
    words = list(words)
    while words and (match := ASSIGNMENT.match(words[0])):
        check_variable(match[1])
        words.pop(0)
    while words[:1] in (["sudo"], ["nice"], ["time"]):
        words.pop(0)
    if not words or _check_tool(words[0].removeprefix(".venv/bin/"), words[1:]):
        return
    name, rest = words[0], words[1:]
    path = os.path.normpath(os.path.join(folder, name))
    if name.startswith("qemu-"):
        check_emulated(rest, folder)
    elif path == "build/gpu-bundle/run":
        check_script("lab/bench/gpu/run/__main__.py", rest)
    elif path.startswith("build/"):
        check_built_program(path, rest, folder)
    elif ("/" in name or folder != ".") and not name.startswith("/"):
        check_script(path, rest)
    else:
        raise Wrong(f"{name} is no command that can be checked without running it")


def changed_folder(folder, name):
    """Where `cd` leads to; what `git clone` made is the repository itself."""
    path = os.path.normpath(os.path.join(folder, name))
    if name == "gpu-bundle":
        return "build/gpu-bundle"
    return path if path.startswith("build") or (ROOT / path).is_dir() else "."


def check_text(text):
    """What is wrong with the commands of a block."""
    problems = []
    folder = "."
    for line in _lines(text):
        inner = SUBSTITUTION.findall(line)
        for part in [*inner, SUBSTITUTION.sub("value", line)]:
            try:
                for words in commands(part):
                    check_command(words, folder)
                    if words[0] == "cd" and len(words) > 1:
                        folder = changed_folder(folder, words[1])
            except (Wrong, ValueError) as error:
                problems.append(f"`{' '.join(line.split())}`: {error}")
    return problems


CHECKS = {
    "make": check_make,
    "cmake": check_cmake,
    "ctest": check_ctest,
    "ringlet": check_ringlet,
    "pip": check_pip,
    "apt": check_apt,
    "apt-get": check_apt,
    "pkg-config": check_pkg_config,
    "dask": check_dask,
    "python": check_python,
    "python3": check_python,
    "verilator": check_verilator,
}
