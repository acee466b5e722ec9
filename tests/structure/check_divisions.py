# SPDX-License-Identifier: Apache-2.0
"""No function that handles secrets divides by or of what it may not: the compiled code of kernels,
samplers, encryption, decryption and encoding has integer divisions in the functions of
public_divisions.txt alone, whose operands (lengths, numbers of limbs, indices of loops) are public.

Valgrind, which follows secrets to branches and addresses, does not see divisions.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read

LIST = Path(__file__).with_name("public_divisions.txt")
# Sources whose functions see words of keys, randomness and messages; some of them only make tables.
HOLDERS = re.compile(
    r"(?:arith/|kernels/|ntt/|ring/(?:cpu_|barrett|sparse|reconstruction|karatsuba|ntt_method)|"
    r"rlwe/(?:samplers|random|encrypt_zero|key_gen)|"
    r"schemes/(?:flooding|.*crypt|.*encod|fv/|plain_poly|polynomials))"
)
FUNCTION = re.compile(r"[0-9a-f]+ <(.*)>:$")
DIVISION = re.compile(r"\s+[0-9a-f]+:\s+i?div[bwlq]?\s")


def name_of(function):
    """Class and function without parameters, template arguments and anonymous namespaces."""
    name = re.sub(r"\(anonymous namespace\)::|\[abi:\w+\]", "", function)
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    name = re.sub(r"\{lambda.*?\}|\$_\d+", "lambda", name.partition("(")[0])
    return name.rpartition(" ")[2] or function


def dividing(objdump, object_file):
    """Names of the functions of an object file that divide integers."""
    command = [objdump, "-d", "-C", "--no-show-raw-insn", str(object_file)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found, current = set(), ""
    for line in text.splitlines():
        function = FUNCTION.match(line)
        if function:
            current = function[1]
        elif DIVISION.match(line):
            found.add(name_of(current))
    return found


def self_test(description):
    """A division by an argument is found."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "unit.cpp"
        source.write_text("unsigned f(unsigned x, unsigned y) { return x / y; }")
        compiled = source.with_suffix(".o")
        command = [description["compiler"], *description["compiler_target"], "-O2", "-c", source]
        subprocess.run([*map(str, command), "-o", str(compiled)], check=True)
        found = dividing(description["objdump"], compiled)
    return [] if found == {"f"} else [f"it found {found}"]


def checks(description, build):
    yield "self-test: a division is found", self_test(description)
    known = {line for line in LIST.read_text().splitlines() if line and not line.startswith("#")}
    found = {}
    for path in sorted((build / "src").rglob("*.cpp.o")):
        layer, *_ = path.relative_to(build / "src").parts
        if HOLDERS.match(f"{layer}/{path.as_posix().rpartition('.dir/')[2]}"):
            for function in dividing(description["objdump"], path):
                found.setdefault(function, path.name.removesuffix(".o"))
    yield "functions that divide are listed", [
        f"{name} of {source} divides: see that its operands are public, then list it"
        for name, source in sorted(found.items()) if name not in known
    ]  # fmt: skip


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("divisions", checks(description, Path(options.build)), options.xml)
