# SPDX-License-Identifier: Apache-2.0
"""The note on IBM Z states the instructions that its cross builds have.

lab/scripts/count_vmsl.py counts the instructions of a radix-4 butterfly in the object files. The
counts depend on the compiler; VMSL's own instructions do not.
"""

import sys

from report import ROOT, Skipped, arguments, finish, read

sys.path.insert(0, str(ROOT / "lab" / "scripts"))
import count_vmsl  # noqa: E402

PAGE = ROOT / "docs" / "notes" / "vmsl56.md"
# Of `vmsl56/radix4`: 13 products in 8 instructions, and the exchanges that its operands need.
BUTTERFLY = {"products": "8", "permute": "5", "memory": "4"}


def self_test():
    """An outer loop around two loops, of which one computes an address by a product."""
    operations = ("la", "msg", "vmslg", "vmslg", "vn", "brctg", "msgr", "brctg", "j", "br")
    jumps = {5: 2, 7: 6, 8: 0, 9: 0}
    code = [(at, name, f"{jumps[at]:x} <f>" if at in jumps else "%r1,%r2")
            for at, name in enumerate(operations)]  # fmt: skip
    problems = []
    if count_vmsl.innermost_loop(code) != ["vmslg", "vmslg", "vn", "brctg"]:
        problems.append(f"the loop is {count_vmsl.innermost_loop(code)}")
    classes = [count_vmsl.class_of(name) for name in ("vmrlg", "sgrk", "alcgr", "vsg", "vst", "la")]
    if classes != ["permute", "sums", "sums", "sums", "memory", "other"]:
        problems.append(f"classes: {classes}")
    if count_vmsl.count(["vmslg"] * 16 + ["vn"]) != [8, 0, 0, 0, 0.5, 0, 0, 8.5]:
        problems.append("counts of a loop with two butterflies")
    return problems


def row_problems(row):
    """What differs from the arithmetic in the row of a kernel of VMSL."""
    cells = dict(zip(count_vmsl.HEADS, row, strict=True))
    if "vmsl56" not in row[0]:
        return []
    return [f"{row[0]}: {cells[name]} {name} instead of {wanted}"
            for name, wanted in BUTTERFLY.items() if cells[name] != wanted]  # fmt: skip


def checks(build):
    yield "self-test", self_test()
    rows, size, compiler = count_vmsl.rows_of(build)
    yield "a butterfly has 8 VMSL", [problem for row in rows for problem in row_problems(row)]
    page = read(PAGE)
    name = f"{PAGE.name} has the counts of {compiler}"
    if compiler not in page:
        yield name, Skipped("the page has counts of other compilers")
        return
    lines = [f"| {' | '.join([*row, compiler])} |" for row in rows]
    yield name, [f"missing: {line}" for line in [*lines, f"{size:,}"] if line not in page]


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "s390x"))
    finish("vmsl", checks(options.build), options.xml)
