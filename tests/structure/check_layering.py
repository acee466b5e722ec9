# SPDX-License-Identifier: Apache-2.0
"""A file includes headers of its own layer and of the layers below it, and no others.

Reads layers.json, which CMake writes into the build directory.
"""

import json
import re
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
FOREIGN = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<((?:openssl/|sodium|blake2|zlib|zstd)[^>]*)>", re.MULTILINE
)
# Libraries that only one layer may use.
OWNERS = {"sodium": "seal", "blake2": "seal", "zlib": "seal"}
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".inc"}


class Layers:
    """The declared layers: which may include which, and the layer of each public header."""

    def __init__(self, description):
        self.directories = {layer["name"]: layer["directory"] for layer in description["layers"]}
        self.allowed = {}
        self.header_layer = {}
        self.doubly_listed = []
        for layer in description["layers"]:
            below = {layer["name"]}
            for dependency in layer["depends"]:
                below |= self.allowed[dependency]
            self.allowed[layer["name"]] = below
            for header in layer["public_headers"]:
                if header in self.header_layer:
                    self.doubly_listed.append(f"{header} is listed by two layers")
                self.header_layer[header] = layer["name"]

    def files(self, root, layer):
        """Pairs (path, is_public) of the files of one layer. A layer above the libraries installs
        its headers from a folder of its own."""
        directory = root / self.directories[layer]
        for path in sorted(directory.rglob("*")):
            if path.suffix in SOURCE_SUFFIXES:
                yield path, path.relative_to(directory).parts[0] == "include"
        for header, owner in sorted(self.header_layer.items()):
            if owner == layer:
                yield root / "include" / "ringlet" / header, True

    def is_compat(self, layer):
        """A layer in the place of another library: it uses the installed interface alone."""
        return self.directories[layer].startswith("compat/")

    def problem(self, layer, include, is_public):
        """Why `layer` may not include `include`, or None."""
        first, _, rest = include.partition("/")
        if self.is_compat(layer):
            own = ROOT / self.directories[layer] / "src" / include
            if first == layer or not (rest or is_public) or (own.is_file() and not is_public):
                return None
            if is_public:
                return "a header of another library's interface shows nothing of Ringlet's"
        if first == "ringlet":
            target = self.header_layer.get(rest)
            if target is None:
                return "no layer lists this public header"
        elif first in self.directories and rest:
            if is_public or self.is_compat(layer):
                return "only what is installed may be included here"
            target = first
        else:
            return 'include it as "<layer>/..." or "ringlet/..."'
        if target not in self.allowed[layer]:
            return f"layer {layer} may not use layer {target}"
        return None


def layer_problems(layers, root, layer):
    problems = []
    for path, is_public in layers.files(root, layer):
        if not path.is_file():
            problems.append(f"{path.relative_to(root)} is listed but missing")
            continue
        text = read(path)
        for include in INCLUDE.findall(text):
            problem = layers.problem(layer, include, is_public)
            if problem:
                problems.append(f'{path.relative_to(root)}: "{include}": {problem}')
        for header in FOREIGN.findall(text):
            owner = OWNERS.get(re.match(r"\w+", header)[0], layer)
            if is_public:
                problems.append(f"{path.relative_to(root)}: <{header}> is no part of the interface")
            elif owner != layer:
                problems.append(f"{path.relative_to(root)}: <{header}> is for layer {owner} alone")
    return problems


def unlisted_headers(layers, root):
    folder = root / "include" / "ringlet"
    present = {str(path.relative_to(folder)) for path in folder.rglob("*.hpp")}
    return [f"{name} is in no layer" for name in sorted(present - set(layers.header_layer))]


def self_test():
    """Wrong includes in a small tree must be found, and right ones left alone."""

    def sample(name, directory, headers=(), depends=("low",)):
        about = {"name": name, "directory": directory, "depends": list(depends)}
        return {**about, "public_headers": list(headers)}

    layers = Layers(
        {
            "layers": [
                sample("low", "src/low", ["low/a.hpp"], ()),
                sample("high", "src/high", ["high/b.hpp"]),
                sample("other", "compat/other"),
                sample("seal", "compat/seal"),
            ]
        }
    )
    files = {
        "include/ringlet/low/a.hpp": "#include <vector>\n",
        "include/ringlet/high/b.hpp": '#include "ringlet/low/a.hpp"\n#include "high/inner.hpp"\n',
        "src/low/one.cpp": '#include "ringlet/low/a.hpp"\n#include "ringlet/high/b.hpp"\n',
        "src/low/two.cpp": '  #  include "high/inner.hpp"\n',
        "src/low/three.cpp": '#include "../high/inner.hpp"\n',
        "src/high/right.cpp": '#include "low/inner.hpp"\n#include "ringlet/high/b.hpp"\n',
        "compat/other/include/other/four.hpp": '#include "ringlet/low/a.hpp"\n',
        "compat/other/src/five.cpp": '#include "low/inner.hpp"\n',
        "compat/other/src/six.cpp": '#include "ringlet/high/b.hpp"\n',
        "compat/other/src/right.cpp": '#include "own.hpp"\n#include "ringlet/low/a.hpp"\n',
        "compat/other/include/other/right.hpp": '#include "other/four.hpp"\n',
        "compat/other/src/seven.cpp": "#include <sodium.h>\n",
        "src/high/eight.cpp": "# include <blake2.h>\n",
        "src/high/right2.cpp": "#include <openssl/evp.h>\n#include <zstd.h>\n",
        "compat/seal/include/seal/nine.h": "#include <sodium.h>\n",
        "compat/seal/src/right.cpp": '#include "seal/nine.h"\n#include <sodium.h>\n',
    }
    expected = {"b.hpp", "one.cpp", "two.cpp", "three.cpp", "four.hpp", "five.cpp", "six.cpp"}
    expected |= {"seven.cpp", "eight.cpp", "nine.h"}
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        problems = []
        for layer in layers.directories:
            problems += layer_problems(layers, root, layer)
    found = {Path(problem.split(":")[0]).name for problem in problems}
    if found != expected or len(problems) != len(expected):
        return [f"expected one problem in each of {sorted(expected)}, found {problems}"]
    return []


def checks(layers):
    yield "self-test: wrong includes are found", self_test()
    yield "every public header belongs to one layer", layers.doubly_listed + unlisted_headers(
        layers, ROOT
    )
    for layer in layers.directories:
        yield f"includes of layer {layer}", layer_problems(layers, ROOT, layer)


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("layering", checks(Layers(description)), options.xml)
