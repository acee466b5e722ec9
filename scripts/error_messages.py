# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/errors.md from the errors that the tests of C++ and Python cause.

Runs the unit tests of build/dev and pytest, which takes some ten minutes. `--from FOLDER` reads the
messages of an earlier run instead. If a message of the page occurs again, the page keeps its
numbers."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "errors.md"
BUILD = ROOT / "build" / "dev"
RECORDING = ROOT / "tests" / "support" / "recording"
LANGUAGES = {"cpp": "C++", "python": "Python", "command": "The command"}
# Operations that tests of errors invent, and an option of an application.
INVENTED = re.compile("Test::call|Outer|at|a public call|a|f|op|operation|--json|load|split|build")

HEAD = """\
# Error messages

Written by `scripts/error_messages.py` from the errors that the tests cause. Every message has the
form `operation: what is wrong; limit: what would be accepted; remedy: what to do next`. Each line
below is one message, behind the calls that give it. Its numbers are those of one test.

Left out are descriptions of operands, which stand behind what is wrong. Python shows messages of
the C++ library with the names of its own calls; its section has only the others.
"""

NUMBER = re.compile(
    r"""'[^']*'|"[^"]*"|[^\s,;:()]*\d[^\s,;)]*|\b[a-f]+\.{3}|-?\b(?:nan|inf|infinity|NaN)\b"""
)
NAMES = "an?|b|c|e|u|x|out|operand|result|scratch|value|word|key"
# Words of a message that differ from case to case; the other words tell messages apart.
SAME = [
    (re.compile(r".*remedy: pass arguments of these types"), "arguments of other types"),
    (re.compile("<[^>]*>"), "#"),
    (re.compile(r"\ban? [\w ]+, type \d+"), "an object, type #"),
    (re.compile(r"\b(?:ckks|bfv|bgv|CKKS|BFV|BGV)\b"), "scheme"),
    (re.compile(r"\b(?:before|after|first|second)\b ?"), ""),
    (re.compile(r"\bd?type \S+?(?=[;,]| )"), "type #"),
    (re.compile(rf"\b(?:{NAMES})s?(?:\[\d\])?\b"), "#"),
    (re.compile(r"\b(?:automorphism|convert|division|limbs|ntt)_\w+"), "kernel"),
    (NUMBER, "#"),
    (re.compile(r"#(?:(?:, | and | or | |\.)#)+"), "#"),
]
OPERANDS = re.compile(r", operands? \[.*\]$|, a of \d.*$")
DEVICE = re.compile(r"\bpthread-[^;,]*")
PATH = re.compile(r"(?<![\w.])(?:/[\w.+@-]+)+/(?=[\w.-])")
FEW = 3  # calls in a line


def shape(text):
    """Returns the words of a message, without the parts that differ between cases."""
    for pattern, word in SAME:
        text = pattern.sub(word, text)
    return text


def section(operation, language):
    """Returns the class or the module of a call."""
    if operation.startswith(("load", "save")):
        return "Files"
    operation = re.sub(r"^(?:ckks|bfv|bgv)\.", "", operation)
    owner, _, call = operation.rpartition("::" if language == "cpp" else ".")
    return operation if call[:1].isupper() else owner or "Functions"


def record(folder):
    """Runs the tests and writes their messages into `folder`. Some tests may fail."""
    folder.mkdir(parents=True, exist_ok=True)
    for language in ("cpp", "python"):
        (folder / language).unlink(missing_ok=True)
    library = folder / "thrown.so"
    sources = [RECORDING / "thrown.cpp", ROOT / "src" / "base" / "error.cpp"]
    compiler = ["c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-ldl", f"-I{ROOT}/include"]
    subprocess.run([*compiler, f"-I{ROOT}/src", *sources, "-o", library], check=True)
    preload = {"RINGLET_RECORD_MESSAGES": str(folder / "cpp"), "LD_PRELOAD": str(library)}
    for program in sorted((BUILD / "tests").glob("unit_*")):
        subprocess.run([program, "--gtest_brief=1"], check=False, env=os.environ | preload)
    loaded = {"RINGLET_RECORD_MESSAGES": str(folder / "python"), "PYTHONPATH": str(RECORDING)}
    for tests in ("python/tests", "lab/tests"):
        command = [sys.executable, "-m", "pytest", "-q", tests]
        subprocess.run(command, cwd=ROOT, check=False, env=os.environ | loaded)


def recorded(folder):
    """Returns the messages in a folder: {(language, section): {shape: (text, calls)}}."""
    found = {}
    for language in ("cpp", "python"):
        lines = (folder / language).read_text(errors="replace").split("\x1e")[:-1]
        for operation, *parts in sorted({tuple(line.split("\x1f")) for line in lines}):
            if INVENTED.fullmatch(operation) or parts[2] == "none":
                continue
            is_command = language == "python" and re.match("ringlet( |$)", operation)
            parts[0] = OPERANDS.sub("", parts[0])
            names = ("", "limit: ", "remedy: ")
            text = "; ".join(name + part for name, part in zip(names, parts) if part)
            text = " ".join(PATH.sub("/.../", DEVICE.sub("the device", text)).split())
            key = ("command", "") if is_command else (language, section(operation, language))
            shapes = found.setdefault(key, {})
            shapes.setdefault(shape(text), (text, set()))[1].add(operation)
    return found


LINE = re.compile("- ((?:`[^`]*`(?:, )?)+)(?: and [0-9]+ more)?: `` ?(.*?) ?``")


def messages(text):
    """Returns the messages of a page: {(language, section, shape): (calls, message)}."""
    found, title, group = {}, "", ""
    for line in text.splitlines():
        if line.startswith("## "):
            title, group = line[3:], ""
        elif line.startswith("### "):
            group = line[4:]
        elif match := LINE.fullmatch(line):
            found[title, group, shape(match[2])] = (re.findall("`([^`]*)`", match[1]), match[2])
    return found


def page(found, old):
    """Returns the page of the messages in `found`. Messages that the page `old` has keep the
    numbers of `old`."""
    kept = messages(old)
    of_library = {key for (language, _), keys in found.items() for key in keys if language == "cpp"}
    lines, title = [HEAD], None
    for language, group in sorted(found, key=lambda key: (list(LANGUAGES).index(key[0]), key[1])):
        shapes = {
            key: value
            for key, value in found[language, group].items()
            if language == "cpp" or key not in of_library
        }
        if shapes and language != title:
            title = language
            lines += [f"## {LANGUAGES[language]}", ""]
        if shapes and group:
            lines += [f"### {group}", ""]
        for calls, key, text in sorted((sorted(c), key, t) for key, (t, c) in shapes.items()):
            names = ", ".join(f"`{call}`" for call in calls[:FEW])
            more = f" and {len(calls) - FEW} more" if len(calls) > FEW else ""
            text = kept.get((LANGUAGES[language], group, key), ("", text))[1]
            pad = " " * ("`" in (text[0], text[-1]))
            lines.append(f"- {names}{more}: ``{pad}{text}{pad}``")
        lines += [""] if shapes else []
    return "\n".join(lines)


def stale(root=ROOT):
    """Yields the calls and the words of remedies that the page has and no source has any more."""
    folders = ("src", "include", "compat", "python", "lab")
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.*"))]
    texts = [path.read_text() for path in files if path.suffix in {".cpp", ".hpp", ".py", ".h"}]
    source = re.sub(r"""["']\s*\n\s*f?["']""", "", "\n".join(texts))
    names = set(re.findall(r"\w+", source))
    for calls, text in messages(PAGE.read_text()).values():
        remedy = text.partition("; remedy: ")[2]
        runs = [run.split() for run in re.split(r"[^a-z' -]+", remedy)]
        # A name may stand at either end.
        ends = [" ".join(part) for run in runs for part in (run[:3], run[-3:]) if len(run) > 1]
        if ends and not any(end in source for end in ends):
            yield f"no source says '{remedy}', as {calls[0]} does on the page"
        yield from (f"there is no {call}" for call in calls if {*re.findall(r"\w+", call)} - names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="folder", type=Path, help="a folder that has messages")
    folder = parser.parse_args().folder
    if folder is None:
        folder = BUILD / "messages"
        record(folder)
    PAGE.write_text(page(recorded(folder), PAGE.read_text() if PAGE.is_file() else ""))
    print(PAGE)


if __name__ == "__main__":
    main()
