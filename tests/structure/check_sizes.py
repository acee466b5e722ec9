# SPDX-License-Identifier: Apache-2.0
"""Sizes of files, folders and functions, and no circles among the modules of Python."""

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
PACKAGES = ("python/ringlet", "python/ringlet_command", "lab/ringlet_lab")


def file_problems(root, files):
    for path in files:
        if path.suffix in CXX | {".py"}:
            count = len(read(root / path).splitlines())
            if count > MAX_FILE_LINES:
                yield f"{path}: {count} lines, more than {MAX_FILE_LINES}"


def folder_problems(files):
    for folder, count in sorted(Counter(path.parent for path in files).items()):
        if count > MAX_FOLDER_FILES:
            yield f"{folder}: {count} files, more than {MAX_FOLDER_FILES}"


def python_problems(root, files):
    for path in files:
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(read(root / path))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            lines = node.end_lineno - node.lineno + 1
            positional = node.args.posonlyargs + node.args.args
            count = len(positional) - (bool(positional) and positional[0].arg in {"self", "cls"})
            if lines > MAX_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines"
            if count > MAX_PARAMETERS:
                yield f"{path}:{node.lineno}: {node.name} takes {count} positional arguments"
            if len(node.args.kwonlyargs)+count > MAX_PARAMETERS:
                print(f"   KW {path}:{node.lineno}: {node.name} takes {count}+{len(node.args.kwonlyargs)}")

if __name__ == "__main__":
    files = repository_files()
    for p in [*file_problems(ROOT, files), *folder_problems(files), *python_problems(ROOT, files)]: print(p)
