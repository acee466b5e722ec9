# SPDX-License-Identifier: Apache-2.0
"""Pages of the C++ reference: public headers, by area, from Doxygen's XML."""

import subprocess
import sys

import tree

# Name of the page -> title, what the area is, and its headers in the order of the page. Every
# public header is in one area.
AREAS = {
    "cpp_transforms": (
        "Transforms and element-wise arithmetic",
        "Number-theoretic transforms and arithmetic of vectors modulo primes of up to 62 bits, on "
        "the kernels of the processor. All of it is in `ringlet::kernels`.",
        "ntt ntt_order rns_ntt eltwise comparison modulus modular primes stages compose",
    ),
    "cpp_wide": (
        "Wide moduli",
        "The same modulo 124 bits, with two words for each number; polynomials modulo 135 bits.",
        "wide wide_modulus wide_poly wide_product",
    ),
    "cpp_selection": (
        "Kernels, threads and memory",
        "Which kernel runs, on how many threads, in which memory; errors and the version.",
        "kernel_selection wisdom cpu parallel memory host_pool aligned wipe error version export",
    ),
    "cpp_rings": (
        "Rings and residue number systems",
        "Rings Z[X]/(X^N + 1) and Z[X]/Phi_m, bases of primes, polynomials over them, and the "
        "primitives that processor and devices implement.",
        "ring_spec cyclotomic cyclotomic_slots rns_basis rns_poly basis_conversion storage "
        "key_switch_source backend",
    ),
    "cpp_parameters": (
        "Parameters, keys and ciphertexts",
        "What the schemes share: parameters and their security, contexts, keys, files.",
        "parameters parameter_sets security context random plaintext ciphertext seeded_ciphertext "
        "keys key_generator serialization object_sizes",
    ),
    "cpp_schemes": (
        "The schemes",
        "Encoding, encrypting, computing and decrypting with CKKS, BFV and BGV.",
        "ckks_encoder batch_encoder slot_encoder encryptor decryptor evaluator routines "
        "ciphertext_matrix sharing_decryptor noise_estimator",
    ),
    "cpp_circuits": (
        "Circuits",
        "Declared computations: parameters, noise, bytes and time before anything is encrypted.",
        "circuit linear_transform matrix_product slot_sums polynomial approximation sign inverse "
        "suggest_parameters circuit_plan circuit_noise predict_times circuit_runner "
        "tracing_evaluator",
    ),
    "cpp_devices": (
        "Devices",
        "GPUs and other devices of OpenCL and CUDA, and batches on several of them.",
        "device device_group",
    ),
    "cpp_fv": (
        "FV with one wide modulus",
        "Encryption over cyclotomic rings with one modulus of up to 125 bits: `ringlet::fv`.",
        "fv fv_serialization",
    ),
}
# The headers that only include others.
WITHOUT_DECLARATIONS = {"ringlet"}


def misplaced_headers():
    """What is wrong with AREAS: headers in none or several, names that are no header."""
    there = {path.stem for path in (tree.ROOT / "include" / "ringlet").glob("*.hpp")}
    named = [name for _, _, names in AREAS.values() for name in names.split()]
    problems = [f"{name}.hpp is in several areas" for name in sorted(set(named)) if
                named.count(name) > 1]
    problems += [f"{name}.hpp is in no area" for name in
                 sorted(there - set(named) - WITHOUT_DECLARATIONS)]
    return problems + [f"there is no header {name}.hpp" for name in sorted(set(named) - there)]


def pages():
    """Path in the site -> text."""
    found = {}
    for name, (title, what, headers) in AREAS.items():
        parts = [f"# C++: {title.lower() if title.startswith('The ') else title}", "", what, ""]
        for header in headers.split():
            parts += [
                f"## `ringlet/{header}.hpp`",
                "",
                f"```{{doxygenfile}} {header}.hpp",
                ":project: ringlet",
                "```",
                "",
            ]
        found[f"reference/{name}.md"] = "\n".join(parts)
    return found


def run_doxygen():
    """Writes the XML; what Doxygen warns of."""
    (tree.BUILD / "doxygen").mkdir(parents=True, exist_ok=True)
    try:
        run = subprocess.run(
            ["doxygen", "docs/Doxyfile"], cwd=tree.ROOT, capture_output=True, text=True, check=False
        )
    except OSError as error:
        sys.exit(f"docs: {error}: install doxygen, or run 'make setup'")
    return [line.strip() for line in run.stderr.splitlines() if line.strip()]
