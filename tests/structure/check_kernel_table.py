# SPDX-License-Identifier: Apache-2.0
"""docs/kernels.md says what the kernels of a build are."""

import re
import sys
from pathlib import Path

from report import ROOT, arguments, finish

sys.path.insert(0, str(ROOT / "scripts"))
import kernel_table  # noqa: E402


def stale_lines(build):
    """Lines that differ between the page and what the build would write."""
    written = kernel_table.PAGE.read_text() if kernel_table.PAGE.is_file() else ""
    wanted = kernel_table.page(kernel_table.listing_of(build))
    if written == wanted:
        return []
    old, new = written.splitlines(), wanted.splitlines()
    problems = [f"stale: {line}" for line in old if line not in new]
    problems += [f"missing: {line}" for line in new if line not in old]
    return ["run scripts/kernel_table.py", *problems]


def dead_links():
    """Relative links of the page that lead nowhere."""
    text = kernel_table.PAGE.read_text() if kernel_table.PAGE.is_file() else ""
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    return [f"no {link}" for link in links if not (kernel_table.PAGE.parent / link).exists()]


def self_test():
    """Intervals of moduli, limits and factors as the page writes them."""
    kernels = [
        {"table": "b", "algorithm": "x", "modulus_minimum": 16, "modulus_limit": 1 << 50},
        {"table": "a", "algorithm": "y", "modulus_minimum": 2, "modulus_limit": 1 << 62},
    ]
    for kernel in kernels:
        kernel.update(avoids=[])
    fussy = [{**kernels[0], "avoids": ["t"]}, kernels[1]]
    late = [{**kernels[0], "estimate_min_log_degree": 13}, kernels[1]]
    all_but_x = [("a/y", 1 << 62)]
    expected = [("a/y", 16), ("b/x", 1 << 50), ("a/y", 1 << 62)]
    cases = [
        (kernel_table.intervals(kernels, set()), expected),
        (kernel_table.intervals(kernels, {"s", "t"}), expected),
        (kernel_table.intervals(fussy, {"s"}), expected),
        (kernel_table.intervals(fussy, {"s", "t"}), all_but_x),
        (kernel_table.intervals(fussy[:1], {"t"}), [("b/x", 1 << 50)]),
        (kernel_table.intervals(late, set()), all_but_x),
        (kernel_table.power(1 << 50), "2^50"),
        (kernel_table.power((1 << 50) - 27), "2^50 - 27"),
        (kernel_table.power(97), "97"),
        (kernel_table.pairs(["1->1", "2->1"]), "1, 2"),
        (kernel_table.pairs(["1->1", "1->4", "2->1", "2->4"]), "1, 2 -> 1, 4"),
        (kernel_table.pairs(["2->1", "4->1", "4->2"]), "2, 4 -> 1; 4 -> 2"),
    ]
    return [f"{found} instead of {wanted}" for found, wanted in cases if found != wanted]


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    checks = [
        ("self-test: ranges are written as they are", self_test()),
        ("docs/kernels.md says what the kernels are", stale_lines(Path(options.build))),
        ("docs/kernels.md links to files that exist", dead_links()),
    ]
    finish("kernel-table", checks, options.xml)
