# SPDX-License-Identifier: Apache-2.0
"""The order of the site's pages. A page that no section names fails the build."""

import fnmatch

# Captions with names of pages and patterns, in the order of the side bar; a pattern stands for the
# pages that no name or pattern before it in the section has taken, by name.
SECTIONS = {
    "Start here": ("start",),
    "The course": ("course/index", "course/*"),
    "How to": ("howto/index", "howto/*"),
    "Applications": ("examples/applications/README", "examples/data/README"),
    "Subjects": (
        "python", "command", "install", "schemes", "parameters", "circuits", "slots", "rings",
        "fv", "wide", "ntt", "kernel_selection", "gpu", "scaling", "files", "seal", "hexl",
    ),
    "Reference": ("reference/index", "reference/*", "kernels"),
    "Measured": (
        "measured", "measured/papers", "measured/report", "measured/performance",
        "measured/word_sizes", "measured/ntt_variants", "measured/wide_bench",
    ),
    "Design and derivations": ("design", "glossary", "notes/*"),
    "Hardware": ("hw/karatsuba/README", "hw/karatsuba/rtl/resident/README"),
    "The project": ("CONTRIBUTING", "SECURITY", "CHANGELOG"),
}  # fmt: skip


def in_order(patterns, names):
    """The names that the patterns stand for, each once."""
    left = sorted(names)
    found = []
    for pattern in patterns:
        taken = [name for name in left if fnmatch.fnmatchcase(name, pattern)]
        found += taken
        left = [name for name in left if name not in taken]
    return found


def side_bar(names):
    """Sphinx's directives for the pages with these names, to stand at the end of the first page."""
    known = set(names)
    blocks = []
    for caption, patterns in SECTIONS.items():
        entries = in_order(patterns, known)
        if entries:
            options = f":hidden:\n:caption: {caption}\n"
            blocks.append("```{toctree}\n" + options + "\n" + "\n".join(entries) + "\n```\n")
    return "\n".join(blocks)
