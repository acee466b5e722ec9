# SPDX-License-Identifier: Apache-2.0
"""A kernel unit defines no weak symbol that an object file of other flags could define too.

A unit is compiled with the flags of its instruction set. If it emitted, say, its own copy of
std::vector<int>::push_back, the linker could keep that copy for the whole program, which then fails
on processors without the instruction set. Weak symbols whose mangled name holds a type that belongs
to the unit, or to units of the same flags, cannot clash and are allowed.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read, unit_name

WEAK_TYPES = set("WVu")
DECLARATION = re.compile(
    r"\b(?:struct|class)\s+(?:alignas\([^)]*\)\s*)?(\w+)\s*(?:final\s*)?(?::[^;{}()]*)?\{"
)
POLICY_INCLUDE = re.compile(
    r'^\s*#\s*include\s*"(kernels/policy/[^"]+|lab/kernels/wide_[^"]+)"', re.MULTILINE
)


def weak_symbols(nm, object_file):
    """Mangled names of the weak symbols that the object file defines."""
    listing = subprocess.run(
        [nm, "--defined-only", "--format=posix", str(object_file)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    fields = (line.split() for line in listing.splitlines())
    return sorted(field[0] for field in fields if len(field) > 1 and field[1] in WEAK_TYPES)


def foreign(symbols, own_types):
    """Those of the mangled names in which no own type appears as a whole identifier."""
    marks = [f"{len(name)}{name}" for name in own_types]
    return [symbol for symbol in symbols if not any(mark in symbol for mark in marks)]


def declared_types(unit):
    """Types declared in the unit or in a policy header that it includes."""
    text = read(unit)
    types = set(DECLARATION.findall(text))
    for header in set(POLICY_INCLUDE.findall(text)):
        folder = ROOT if header.startswith("lab/") else ROOT / "src"
        types |= set(DECLARATION.findall(read(folder / header)))
    return types


def own_types(unit, flags_of):
    """Types that this unit declares, itself or through a policy header, and none of other flags
    does."""
    types = declared_types(unit)
    for other, flags in flags_of.items():
        if flags != flags_of[unit]:
            types -= declared_types(other)
    return types


def unit_problems(nm, unit, flags_of, object_files):
    matches = [path for path in object_files if unit_name(path) == unit_name(unit)]
    if len(matches) != 1:
        return [f"{len(matches)} object files of {unit_name(unit)}"]
    return [
        f"defines the weak symbol {symbol}"
        for symbol in foreign(weak_symbols(nm, matches[0]), own_types(unit, flags_of))
    ]


def self_test(description):
    """A unit that emits foreign weak functions and a weak variable must be found, as must one that
    shares its policy with a unit of other flags."""
    source = """
struct OwnPolicy {};
template <class A> __attribute__((noinline)) int loop(int x) { return x + 1; }
__attribute__((noinline)) inline int shared_helper(int x) { return x * 3; }
inline int shared_counter = 0;
int unit_entry(int x) {
  shared_counter += x;
  return loop<OwnPolicy>(x) + loop<int>(x) + shared_helper(x);
}
"""
    with tempfile.TemporaryDirectory() as directory:
        unit = Path(directory) / "unit.cpp"
        unit.write_text(source)
        compiled = unit.with_suffix(".o")
        command = [
            description["compiler"], *description["compiler_target"], "-std=c++20", "-O2", "-c",
        ]  # fmt: skip
        subprocess.run([*command, str(unit), "-o", str(compiled)], check=True)
        symbols = weak_symbols(description["nm"], compiled)
        twin = unit.with_name("twin.cpp")
        twin.write_text(source)
        foreign_symbols = ["_Z13shared_helperi", "_Z4loopIiEii", "shared_counter"]
        cases = [
            ({unit: "-O2"}, foreign_symbols),
            ({unit: "-O2", twin: "-O2"}, foreign_symbols),
            ({unit: "-O2", twin: "-O3"}, sorted([*foreign_symbols, "_Z4loopI9OwnPolicyEii"])),
        ]
        found = [(foreign(symbols, own_types(unit, flags)), wanted) for flags, wanted in cases]
    return [f"expected {wanted}, found {seen}" for seen, wanted in found if seen != wanted]


def checks(description):
    yield "self-test: foreign weak symbols are found", self_test(description)
    units = [ROOT / "src" / "kernels" / name for name in description["kernel_units"]]
    flags_of = dict(zip(units, description["kernel_flags"], strict=True))
    objects = [Path(name) for name in description["kernel_objects"]]
    yield "there are kernel units", [] if units else ["the build recorded none"]
    for unit in units:
        problems = unit_problems(description["nm"], unit, flags_of, objects)
        yield f"weak symbols of {unit_name(unit)}", problems


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("weak-symbols", checks(description), options.xml)
