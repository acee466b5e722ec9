# SPDX-License-Identifier: Apache-2.0
"""The tree of the site's pages, and the words under which the site's search finds them. A page that
no section names fails the build.
"""

import fnmatch

# Title -> the page of the section, and patterns of the pages below it in their order. A pattern
# stands for the pages, by name, that no earlier pattern matches.
SECTIONS = {
    "Tutorials": (
        "course/index", ("course/*", "examples/applications/README", "examples/data/README"),
    ),
    "How-to": ("howto/index", ("install", "howto/coming_from_*", "howto/*")),
    "Reference": ("reference/index", ("reference/*", "command", "kernels", "glossary")),
    "Concepts": (
        "concepts",
        ("python", "arrays", "schemes", "parameters", "circuits", "slots", "files", "gpu",
         "scaling", "rings", "fv", "ntt", "wide", "kernel_selection", "seal", "seal_coverage",
         "hexl"),
    ),
    "Benchmarks and papers": ("measured", ("papers", "measured/*")),
    "Development": ("CONTRIBUTING", ("design", "SECURITY", "CHANGELOG", "hw/*", "notes/*")),
}  # fmt: skip

# Page -> words that people search for, besides the words of its titles.
INDEX = {
    "index": ("bootstrap", "bootstrapping", "limitations", "what is homomorphic encryption"),
    "CONTRIBUTING": ("licence", "license"),
    "install": ("install", "pip", "wheel", "Windows", "macOS", "ARM", "aarch64"),
    "python": ("NumPy", "pandas", "DataFrame", "memory", "threads", "GIL"),
    "arrays": ("EncryptedArray", "broadcasting", "reshape", "convolution", "pooling", "variance",
               "argmax"),
    "circuits": ("dot product", "inner product", "matrix", "mean", "sum", "comparison", "compare",
                 "maximum", "sign", "lookup", "look-up table", "polynomial"),
    "course/2_multiply": ("noise budget",),
    "course/3_vectors": ("rotate", "rotation", "batching"),
    "course/4_real_numbers": ("precision", "scale"),
    "course/5_client_and_server": ("client server", "client", "server"),
    "howto/keys_and_ciphertexts": ("save keys", "pickle", "serialization"),
    "howto/choose_a_scheme": ("which scheme", "CKKS or BFV"),
    "howto/classify_with_scikit_learn": ("scikit-learn", "sklearn", "machine learning", "inference",
                                         "logistic regression", "neural network"),
    "howto/statistics_of_a_table": ("pandas", "DataFrame", "mean", "variance", "covariance",
                                    "correlation", "statistics"),
    "howto/image_through_a_network": ("image", "convolution", "convolutional network", "CNN",
                                      "pooling", "PyTorch"),
    "howto/join_by_key": ("join", "merge", "group by", "private set intersection", "match keys"),
    "howto/coming_from_seal": ("SEAL", "Microsoft SEAL"),
    "howto/coming_from_tenseal": ("TenSEAL",),
    "howto/coming_from_openfhe": ("OpenFHE",),
    "howto/errors": ("exception", "error message"),
    "howto/run_on_a_gpu": ("GPU", "CUDA", "OpenCL"),
    "howto/find_lost_precision": ("precision",),
    "hexl": ("HEXL", "Intel HEXL"),
    "kernel_selection": ("AVX-512", "AVX2", "IFMA"),
    "parameters": ("security level", "128 bits"),
    "measured": ("benchmark", "performance"),
    "papers": ("paper", "papers"),
}  # fmt: skip


def in_order(patterns, names):
    """Returns the names that match the patterns, in the order of the patterns, each name once."""
    left = sorted(names)
    found = []
    for pattern in patterns:
        taken = [name for name in left if fnmatch.fnmatchcase(name, pattern)]
        found += taken
        left = [name for name in left if name not in taken]
    return found


def _hidden_tree(entries):
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"


def additions(names):
    """Returns Sphinx's directives for the end of each page, by page: the tree of pages below it,
    and its words for the index."""
    found = {}
    for front, patterns in SECTIONS.values():
        entries = in_order(patterns, set(names) - {front})
        found[front] = _hidden_tree(f"/{entry}" for entry in entries)
    tops = [f"{title} </{front}>" for title, (front, _) in SECTIONS.items()]
    found["index"] = _hidden_tree(["Start <self>", *tops])
    for name, words in INDEX.items():
        block = "\n```{eval-rst}\n.. index::\n" + "".join(f"   ! single: {w}\n" for w in words)
        found[name] = block + "```\n" + found.get(name, "")
    return found
