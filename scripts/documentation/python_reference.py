# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the Python reference: every public name of the package and of its modules, by
autodoc.

Types and docstrings of the compiled part come from its stub. The script imports the package's
Python code with the stub in place of the extension, so the imported package cannot compute.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

# Modules in the order of the pages, with a title for each.
MODULES = {
    "ringlet": "kernels, circuits, parameters, devices",
    "ringlet.ckks": "real and complex numbers",
    "ringlet.bfv": "integers",
    "ringlet.bgv": "integers",
    "ringlet.fv": "one wide modulus",
    "ringlet.vector": "element-wise arithmetic",
    "ringlet.wide": "124-bit moduli",
    "ringlet.arrays": "encrypted arrays",
    "ringlet.learn": "models of scikit-learn",
    "ringlet.distributed": "several processes and machines",
    "ringlet.errors": "errors",
}
# Modules whose classes share much, which is documented with each class.
SCHEMES = {"ckks", "bfv", "bgv", "fv"}
CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)")


def stub_path():
    """Returns the path of the installed extension's stub."""
    for folder in sys.path:
        path = Path(folder or ".") / "ringlet" / "_core.pyi"
        if path.is_file():
            return path
    sys.exit("docs: the package `ringlet` is not installed with its stub; run scripts/docs.sh")


def import_package():
    """Imports `ringlet` with the stub in place of its extension, and returns the module."""
    if "ringlet._core" not in sys.modules:
        path = stub_path()
        module = ModuleType("ringlet._core")
        module.__file__ = str(path)
        sys.modules["ringlet._core"] = module
        # Annotations name classes that are defined later: they stay text.
        flags = annotations.compiler_flag
        exec(compile(path.read_text(), str(path), "exec", flags), module.__dict__)  # noqa: S102
        for name in reversed(MODULES):
            if importlib.util.find_spec(name) is not None:
                rename_exports(importlib.import_module(name))
    return importlib.import_module("ringlet")


def rename_exports(module):
    """Gives classes of the extension the names by which a module offers them."""
    for name in public_names(module):
        value = getattr(module, name)
        if inspect.isclass(value) and value.__module__.split(".")[-1].startswith("_"):
            value.__module__, value.__name__, value.__qualname__ = module.__name__, name, name


def public_names(module):
    """Returns the names that a module exports, without submodules and its version."""
    names = [name for name in module.__all__ if name != "__version__"]
    return [name for name in names if not isinstance(getattr(module, name), ModuleType)]


def directive(module, name, value):
    """Returns the lines of the directive that documents one name."""
    kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
    if kind == "class" and issubclass(value, Exception):
        kind = "exception"
    options = []
    if kind in {"class", "exception"}:
        options = ["   :members:", "   :special-members: __call__, __matmul__, __getitem__"]
    if module.split(".")[-1] in SCHEMES and kind == "class":
        options.append("   :inherited-members:")
    return [f".. auto{kind}:: {module}.{name}", *options, ""]


def pages():
    """Returns the generated pages: path in the site -> text."""
    import_package()
    found = {}
    for name, title in MODULES.items():
        if importlib.util.find_spec(name) is None:
            continue
        module = importlib.import_module(name)
        parts = [f"# Python: `{name}`, {title}", "", "```{eval-rst}", f".. py:module:: {name}", ""]
        parts += restructured(inspect.getdoc(module) or "") + [""]
        for public in sorted(public_names(module), key=str.lower):
            parts += directive(name, public, getattr(module, public))
        found[f"reference/python_{name.replace('.', '_')}.md"] = "\n".join([*parts, "```", ""])
    return found


def restructured(text):
    """Returns the lines of a docstring as reStructuredText. Docstrings are prose with code in
    backticks."""
    def escape(prose):
        return re.sub(r"([\\*|<>_])", r"\\\1", prose)

    parts, place = [], 0
    for match in CODE.finditer(text):
        parts.append(escape(text[place : match.start()]) + f"``{match[2]}``")
        place = match.end()
    return "".join([*parts, escape(text[place:])]).splitlines()


def on_docstring(*event):
    """Handles autodoc's event: converts the lines of a docstring to reStructuredText."""
    lines = event[-1]
    lines[:] = [*restructured("\n".join(lines)), ""]
