# SPDX-License-Identifier: Apache-2.0
"""CKKS in Ringlet, OpenFHE, Microsoft SEAL and TenSEAL in one run: README's table.

    python lab/scripts/compare_libraries.py [--rounds 15] [--openfhe PYTHON]

Each library runs in a process of its own, with one thread and the same parameters (N = 16384, data
primes of 60, 40, 40 and 40 bits, 128 bits of security). In each round the processes take turns, and
each runs every operation once. SEAL and TenSEAL are those of the package `tenseal`. OpenFHE's
package needs the CPython of its wheel: `--openfhe` names a Python that has it. The script reports a
missing library. It decrypts and compares each result before it times anything.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

DEGREE, SLOTS, BITS, SCALE = 16384, 8192, [60, 40, 40, 40, 60], 2.0**40
OPERATIONS = ("encrypt", "multiply", "rotate", "dot product")
A = [((7 * i) % 11 - 5) / 8 for i in range(SLOTS)]
B = [((5 * i) % 13 - 6) / 8 for i in range(SLOTS)]
WANTED = {
    "encrypt": A[0], "multiply": A[0] * B[0], "rotate": A[1],
    "dot product": sum(a * b for a, b in zip(A, B, strict=True)),
}  # fmt: skip


def ringlet():
    import ringlet
    from ringlet import ckks

    secret = ckks.SecretContext(ckks.Parameters(DEGREE, BITS, scale_bits=40))
    circuit = ringlet.Circuit(SLOTS)
    left, right = circuit.input(), circuit.input()
    circuit.output((left * right).sum_slots(SLOTS))
    public = secret.public(rotations=sorted({1, *circuit.rotations}))
    run = public.runner(circuit)
    x, y = public.bind(secret.encrypt(A)), public.bind(secret.encrypt(B))
    return ringlet.__version__, lambda z: secret.decrypt(z)[0], {
        "encrypt": lambda: public.encrypt(A),
        "multiply": lambda: x * y,
        "rotate": lambda: x.rotate(1),
        "dot product": lambda: run(x, y),
    }


def seal():
    from importlib.metadata import version

    from tenseal import sealapi as s

    parms = s.EncryptionParameters(s.SCHEME_TYPE.CKKS)
    parms.set_poly_modulus_degree(DEGREE)
    parms.set_coeff_modulus(s.CoeffModulus.Create(DEGREE, BITS))
    context = s.SEALContext(parms, True, s.SEC_LEVEL_TYPE.TC128)
    keys = s.KeyGenerator(context)
    public, relin, galois = s.PublicKey(), s.RelinKeys(), s.GaloisKeys()
    keys.create_public_key(public)
    keys.create_relin_keys(relin)
    keys.create_galois_keys(galois)
    encoder, evaluator = s.CKKSEncoder(context), s.Evaluator(context)
    encryptor, decryptor = s.Encryptor(context, public), s.Decryptor(context, keys.secret_key())

    def encrypt(values):
        plain, result = s.Plaintext(), s.Ciphertext()
        encoder.encode(values, SCALE, plain)
        encryptor.encrypt(plain, result)
        return result

    def decrypt(z):
        plain = s.Plaintext()
        decryptor.decrypt(z, plain)
        return encoder.decode_double(plain)[0]

    def multiply():
        z = s.Ciphertext()
        evaluator.multiply(x, y, z)
        evaluator.relinearize_inplace(z, relin)
        evaluator.rescale_to_next_inplace(z)
        return z

    def rotate(z, steps):
        moved = s.Ciphertext()
        evaluator.rotate_vector(z, steps, galois, moved)
        return moved

    def dot_product():
        z, step = multiply(), 1
        while step < SLOTS:
            evaluator.add_inplace(z, rotate(z, step))
            step *= 2
        return z

    x, y = encrypt(A), encrypt(B)
    return f"TenSEAL {version('tenseal')}'s SEAL", decrypt, {
        "encrypt": lambda: encrypt(A),
        "multiply": multiply,
        "rotate": lambda: rotate(x, 1),
        "dot product": dot_product,
    }


def tenseal():
    import tenseal as ts

    context = ts.context(ts.SCHEME_TYPE.CKKS, DEGREE, coeff_mod_bit_sizes=BITS, n_threads=1)
    context.global_scale = SCALE
    context.generate_galois_keys()
    x, y = ts.ckks_vector(context, A), ts.ckks_vector(context, B)
    return ts.__version__, lambda z: z.decrypt()[0], {
        "encrypt": lambda: ts.ckks_vector(context, A),
        "multiply": lambda: x * y,
        "dot product": lambda: x.dot(y),
    }


def openfhe():
    from importlib.metadata import version

    import openfhe as o

    wanted = o.CCParamsCKKSRNS()
    wanted.SetMultiplicativeDepth(len(BITS) - 2)
    wanted.SetScalingModSize(40)
    wanted.SetFirstModSize(60)
    wanted.SetRingDim(DEGREE)
    wanted.SetBatchSize(SLOTS)
    wanted.SetScalingTechnique(o.ScalingTechnique.FIXEDMANUAL)
    context = o.GenCryptoContext(wanted)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE"):
        context.Enable(getattr(o.PKESchemeFeature, feature))
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    context.EvalRotateKeyGen(keys.secretKey, [1])
    context.EvalSumKeyGen(keys.secretKey)

    def encrypt(values):
        return context.Encrypt(keys.publicKey, context.MakeCKKSPackedPlaintext(values))

    def decrypt(z):
        return context.Decrypt(z, keys.secretKey).GetRealPackedValue()[0]

    x, y = encrypt(A), encrypt(B)
    return version("openfhe"), decrypt, {
        "encrypt": lambda: encrypt(A),
        "multiply": lambda: context.Rescale(context.EvalMult(x, y)),
        "rotate": lambda: context.EvalRotate(x, 1),
        "dot product": lambda: context.EvalInnerProduct(x, y, SLOTS),
    }


LIBRARIES = {"Ringlet": ringlet, "OpenFHE": openfhe, "SEAL": seal, "TenSEAL": tenseal}


def work(name):
    """The process of a library: reads a line with an operation, and prints the seconds that it
    took."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    version, decrypt, operations = LIBRARIES[name]()
    for operation, call in operations.items():
        assert abs(decrypt(call()) - WANTED[operation]) < 1e-3, (name, operation)
    print(version, ",".join(operations), sep="|", file=answers, flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        operations[line.strip()]()
        print(time.perf_counter() - start, file=answers, flush=True)


class Process:
    """A library in a process of its own."""

    def __init__(self, name, python):
        environment = os.environ | {"OMP_NUM_THREADS": "1", "RINGLET_THREADS": "1"}
        command = [python, __file__, "--work", name]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, text=True
        )
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise OSError(f"{name} did not start with {python}")
        self.version, _, names = answer.partition("|")
        self.operations = names.split(",")

    def seconds(self, operation):
        self._process.stdin.write(f"{operation}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--openfhe", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--work", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
        return
    processes = {}
    for name in LIBRARIES:
        try:
            python = options.openfhe if name == "OpenFHE" else sys.executable
            processes[name] = Process(name, python)
            print(f"{name}: {processes[name].version}", file=sys.stderr)
        except OSError as error:
            print(f"missing: {error}", file=sys.stderr)
    times = {}
    for _ in range(options.rounds):
        for operation in OPERATIONS:
            for name, process in processes.items():
                if operation in process.operations:
                    times.setdefault((operation, name), []).append(process.seconds(operation))
    print(f"| ms: least (median) | {' | '.join(processes)} |\n|---|{'--:|' * len(processes)}")
    for operation in OPERATIONS:
        row = [times.get((operation, name)) for name in processes]
        cells = [f"{min(t) * 1e3:.2f} ({statistics.median(t) * 1e3:.2f})" if t else "" for t in row]
        print(f"| {operation} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
