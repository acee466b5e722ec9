# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the C++ reference: public headers, by area, from Doxygen's XML."""

import subprocess
import sys

import tree

# Name of the page -> title, subject of the area, and its headers in the order of the page. Every
# public header is in one area.
AREAS = {
    "cpp_transforms": (
        "Transforms and element-wise arithmetic",
        "Number-theoretic transforms and arithmetic of vectors modulo primes of up to 62 bits, on "
        "the kernels of the processor. All of it is in `ringlet::kernels`.",
        "ntt/ntt ntt/ntt_order ntt/rns_ntt kernels/eltwise kernels/comparison arith/modulus "
        "arith/modular arith/primes ntt/stages ntt/compose",
    ),
    "cpp_wide": (
        "Wide moduli",
        "The same modulo 124 bits, with two words for each number; polynomials modulo 135 bits.",
        "ntt/wide arith/wide_modulus",
    ),
    "cpp_selection": (
        "Kernels, threads and memory",
        "Which kernel runs, on how many threads, in which memory; errors and the version.",
        "kernels/kernel_selection kernels/wisdom base/cpu base/parallel ring/memory "
        "base/host_pool base/aligned base/wipe base/error base/version base/export",
    ),
    "cpp_rings": (
        "Rings and residue number systems",
        "Rings Z[X]/(X^N + 1) and Z[X]/Phi_m, bases of primes, polynomials over them, and the "
        "primitives that processor and devices implement.",
        "ring/ring_spec ring/cyclotomic ring/cyclotomic_slots ring/rns_basis ring/rns_poly "
        "ring/basis_conversion ring/storage ring/key_switch_source ring/backend rlwe/ring_search",
    ),
    "cpp_parameters": (
        "Parameters, keys and ciphertexts",
        "What the schemes share: parameters and their security, contexts, keys, files.",
        "rlwe/parameters rlwe/parameter_sets rlwe/security rlwe/context rlwe/random "
        "rlwe/plaintext rlwe/ciphertext rlwe/seeded_ciphertext rlwe/keys rlwe/key_generator "
        "rlwe/serialization estimates/object_sizes",
    ),
    "cpp_schemes": (
        "The schemes",
        "Encoding, encrypting, computing and decrypting with CKKS, BFV and BGV.",
        "schemes/ckks_encoder schemes/batch_encoder schemes/slot_encoder schemes/encryptor "
        "schemes/decryptor schemes/evaluator schemes/routines schemes/ciphertext_matrix "
        "schemes/sharing_decryptor estimates/noise_estimator",
    ),
    "cpp_circuits": (
        "Circuits",
        "Declared computations: parameters, noise, bytes and time before anything is encrypted.",
        "circuits/circuit circuits/linear_transform circuits/matrix_product "
        "circuits/slot_sums circuits/polynomial circuits/approximation circuits/sign "
        "circuits/inverse circuits/suggest_parameters circuits/circuit_plan "
        "circuits/circuit_noise circuits/predict_times circuits/circuit_runner "
        "tracing/tracing_evaluator",
    ),
    "cpp_devices": (
        "Devices",
        "GPUs and other devices of OpenCL and CUDA, and batches on several of them.",
        "gpu/device schemes/device_group",
    ),
    "cpp_fv": (
        "FV with one wide modulus",
        "Encryption over cyclotomic rings with one modulus of up to 125 bits: `ringlet::fv`.",
        "fv/fv fv/fv_serialization fv/wide_poly fv/wide_product",
    ),
}
# Headers that only include others.
WITHOUT_DECLARATIONS = {"ringlet", "kernels"}


def misplaced_headers():
    """Returns the faults of AREAS: headers in no area or in several, and names that are not
    headers."""
    folder = tree.ROOT / "include" / "ringlet"
    there = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.hpp")}
    named = [name for _, _, names in AREAS.values() for name in names.split()]
    problems = [f"{name}.hpp is in several areas" for name in sorted(set(named)) if
                named.count(name) > 1]
    problems += [f"{name}.hpp is in no area" for name in
                 sorted(there - set(named) - WITHOUT_DECLARATIONS)]
    return problems + [f"there is no header {name}.hpp" for name in sorted(set(named) - there)]


def pages():
    """Returns the generated pages: path in the site -> text."""
    found = {}
    for name, (title, what, headers) in AREAS.items():
        parts = [f"# C++: {title.lower() if title.startswith('The ') else title}", "", what, ""]
        for header in headers.split():
            parts += [
                f"## `ringlet/{header}.hpp`",
                "",
                f"```{{doxygenfile}} {header.rpartition('/')[2]}.hpp",
                ":project: ringlet",
                "```",
                "",
            ]
        found[f"reference/{name}.md"] = "\n".join(parts)
    return found


def run_doxygen():
    """Runs Doxygen, which writes its XML, and returns its warnings."""
    (tree.BUILD / "doxygen").mkdir(parents=True, exist_ok=True)
    try:
        run = subprocess.run(
            ["doxygen", "scripts/documentation/Doxyfile"],
            cwd=tree.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        sys.exit(f"docs: {error}: install doxygen, or run 'make setup'")
    return [line.strip() for line in run.stderr.splitlines() if line.strip()]
