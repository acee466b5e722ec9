# SPDX-License-Identifier: Apache-2.0
"""Eight tasks of a data scientist in TenSEAL, in ringlet.tenseal and on Ringlet's arrays.

    python lab/scripts/compare_arrays_tenseal.py [--rounds 7] [--tasks "dot 128,polynomial"]
    python lab/scripts/compare_arrays_tenseal.py --by-hand      # no TenSEAL: programs and circuits

Each column runs in a process of its own, with one thread. In each round the processes take turns,
and each repeats every task for a twentieth of a second at least; its least time counts. TenSEAL and
ringlet.tenseal run one program with the same parameters. Arrays have the parameters that Ringlet
finds: `arrays` computes at once, `compiled` runs a program of ringlet.compile. The times are those
of the server: keys and encryption come before. All results are compared with NumPy's: a wrong one
of Ringlet ends the script, and one of TenSEAL is marked. The script reports a missing library.

--by-hand compares programs with circuits that are written by hand, with the same parameters, in
turns in one process. Its last column says how much longer the program takes.
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import time

import numpy as np

rng = np.random.default_rng(11)
A, B = rng.uniform(-1, 1, 128), rng.uniform(-1, 1, 128)
MATRIX = rng.uniform(-1, 1, (64, 128)) / 8
LEFT, RIGHT = rng.uniform(-1, 1, (64, 64)), rng.uniform(-1, 1, (64, 64)) / 8
X, Y, W = rng.uniform(-1, 1, (256, 4)), rng.uniform(-1, 1, 256), rng.uniform(-1, 1, 4)
SAMPLE = rng.uniform(-1, 1, 1000)
INPUT = rng.uniform(-1, 1, 64)
W1, W2 = rng.uniform(-1, 1, (64, 32)) / 8, rng.uniform(-1, 1, (32, 10)) / 6
B1, B2 = rng.uniform(-1, 1, 32), rng.uniform(-1, 1, 10)
IMAGE, KERNEL = rng.uniform(0, 1, (28, 28)), rng.uniform(-1, 1, (5, 5)) / 5
COEFFICIENTS = [0.5, 0.25, -0.1, -0.02, 0.3, 0.01, -0.05, 0.02]
RATE, STRIDE = 0.5 / 256, 2
MAX_ERROR = 1e-3
TURN = 0.05  # Seconds that a process repeats a task for.


def windows():
    views = np.lib.stride_tricks.sliding_window_view(IMAGE, KERNEL.shape)
    return (views[::STRIDE, ::STRIDE] * KERNEL).sum((2, 3))


WANTED = {
    "dot 128": A @ B,
    "matrix 64 x 128 by vector": MATRIX @ A,
    "matrix 64 x 64 by known matrix": LEFT @ RIGHT,
    "regression step 256 x 4": W - RATE * X.T @ (X @ W - Y),
    "mean and variance of 1000": np.array([SAMPLE.mean(), SAMPLE.var()]),
    "network 64-32-10": ((INPUT @ W1 + B1) ** 2) @ W2 + B2,
    "convolution 28 x 28 with 5 x 5": windows(),
    "polynomial of degree 7": np.polyval(COEFFICIENTS[::-1], SAMPLE),
}


def context_of(ts, degree, products):
    """A context for as many products in a row, with 40 bits each."""
    sizes = [60, *[40] * products, 60]
    context = ts.context(ts.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=sizes, n_threads=1)
    context.global_scale = 2**40
    context.generate_galois_keys()
    return context


def linear_tasks(ts):
    """What `tasks_of` returns, for tasks that are linear in encrypted numbers."""
    c = context_of(ts, 8192, 1)
    a, b = (ts.ckks_vector(c, values.tolist()) for values in (A, B))
    left = ts.ckks_tensor(c, LEFT[:, None].tolist(), batch=True)
    columns, right = MATRIX.T.tolist(), ts.plain_tensor(RIGHT.tolist())
    wide = context_of(ts, 16384, 1)
    image, count = ts.im2col_encoding(wide, IMAGE.tolist(), *KERNEL.shape, STRIDE)
    return {
        "dot 128": lambda: a.dot(b),
        "matrix 64 x 128 by vector": lambda: a.mm(columns),
        "matrix 64 x 64 by known matrix": lambda: left.mm(right),
        "convolution 28 x 28 with 5 x 5": lambda: image.conv2d_im2col(KERNEL.tolist(), count),
    }


def deep_tasks(ts):
    """What `tasks_of` returns, for tasks of several products in a row."""
    c = context_of(ts, 16384, 4)
    rows, minus_labels = (ts.ckks_tensor(c, v.tolist(), batch=True) for v in (X, -Y))
    weights = ts.ckks_tensor(c, W.tolist())
    sample, inputs = ts.ckks_vector(c, SAMPLE.tolist()), ts.ckks_vector(c, INPUT.tolist())

    def step():
        errors = (rows * weights).sum(1) + minus_labels
        return weights - (rows * errors).sum_batch() * RATE

    def statistics_of():
        mean = sample.sum() * (1 / 1000)
        return mean, sample.dot(sample) * (1 / 1000) - mean.square()

    def network():
        hidden = (inputs.mm(W1.tolist()) + B1.tolist()).square()
        return hidden.mm(W2.tolist()) + B2.tolist()

    return {
        "regression step 256 x 4": step,
        "mean and variance of 1000": statistics_of,
        "network 64-32-10": network,
        "polynomial of degree 7": lambda: sample.polyval(COEFFICIENTS),
    }


def tasks_of(module):
    """Returns version, what decrypts a result, and what computes each task."""
    ts = importlib.import_module(module)

    def numbers(value):
        value = value.decrypt()
        return np.array(value.tolist() if hasattr(value, "tolist") else value).reshape(-1)

    return ts.__version__, numbers, linear_tasks(ts) | deep_tasks(ts)


FUNCTIONS = {
    "dot 128": (1, lambda a, b: a @ b, A, B),
    "matrix 64 x 128 by vector": (1, lambda a: MATRIX @ a, A),
    "matrix 64 x 64 by known matrix": (1, lambda left: left @ RIGHT, LEFT),
    "regression step 256 x 4": (
        3, lambda x, y, w: w - (((x * w).sum(1) - y).reshape(-1, 1) * x).sum(0) * RATE, X, Y, W),
    "mean and variance of 1000": (2, lambda x: (x.mean(), x.var()), SAMPLE),
    "network 64-32-10": (3, lambda x: (x @ W1 + B1) ** 2 @ W2 + B2, INPUT),
    "convolution 28 x 28 with 5 x 5": (
        1, lambda image: ringlet_conv2d(image, KERNEL, stride=STRIDE), IMAGE),
    "polynomial of degree 7": (3, lambda x: x.polynomial(COEFFICIENTS), SAMPLE),
}  # fmt: skip


def ringlet_conv2d(image, kernel, stride):
    from ringlet.arrays import conv2d

    return conv2d(image, kernel, stride=stride)


def layout_of(values):
    if values.size < 8:
        return "apart"
    return "columns" if values.ndim == 2 and values.shape[0] > 8 * values.shape[1] else "rows"


def arrays(is_compiled):
    """Returns what `tasks_of` returns, for encrypted arrays."""
    import ringlet
    from ringlet import ckks

    def task(depth, function, *values):
        if is_compiled:
            specs = [ringlet.Spec(v.shape) for v in values]
            client = ringlet.compile(function, *specs, precision=20).client()
            server, encrypted = client.server(), client.encrypt(*values)
            encrypted = encrypted if isinstance(encrypted, tuple) else (encrypted,)
            return lambda: (client, server.run(*encrypted))
        client = ckks.Client(depth=depth, precision=20)
        encrypted = [client.encrypt(v, layout=layout_of(v)) for v in values]
        return lambda: (client, function(*encrypted))

    def numbers(result):
        client, value = result
        parts = value if isinstance(value, tuple) else (value,)
        return np.concatenate([np.reshape(client.decrypt(part), -1) for part in parts])

    return ringlet.__version__, numbers, {name: task(*f) for name, f in FUNCTIONS.items()}


def times_vector(matrix, x):
    """Returns the product by a wide matrix of 2^k rows; both vectors are repeated over the row."""
    m, n = matrix.shape
    slots = np.arange(n)
    product = x.linear_transform({d: matrix[slots % m, (slots + d) % n] for d in range(m)})
    for distance in (m << k for k in range((n // m).bit_length() - 1)):
        product = product + product.rotate(distance)
    return product


def times_matrix(x):
    """Returns the product of a row-major matrix by RIGHT."""
    n = len(RIGHT)
    vectors = {d: np.pad(np.diag(RIGHT, -d), (max(0, -d), max(0, d))) for d in range(1 - n, n)}
    return x.linear_transform({d % n**2: np.tile(v, n) for d, v in vectors.items()})


def regression_step(*inputs):
    x, y, w = inputs[:4], inputs[4], inputs[5:]
    error = sum(a * b for a, b in zip(x[1:], w[1:], strict=True)) + x[0] * w[0] - y
    return [b - (error * a).sum_slots(256) * RATE for a, b in zip(x, w, strict=True)]


def statistics_of_slots(x):
    """Returns mean and variance. The root of 1/1000 goes into the deviations."""
    n = len(SAMPLE)
    total, root = x.sum_slots(1024), np.full(n, n**-0.5)
    deviation = x * np.pad(root, (0, 24)) - total * np.pad(root / n, (0, 24))
    return [total * (1 / n), (deviation * deviation).sum_slots(1024)]


def network_of_slots(x):
    hidden = times_vector(W1.T, x) + np.tile(B1, 2)
    return times_vector(np.pad(W2.T, ((0, 6), (0, 0)))[:, np.arange(64) % 32][:, :32],
                        hidden * hidden) + np.tile(np.pad(B2, (0, 6)), 4)  # fmt: skip


def convolution_of_slots(image):
    mask = np.zeros((32, 32))
    mask[:24:STRIDE, :24:STRIDE] = 1
    return image.linear_transform(
        {32 * i + j: (mask * k).reshape(-1) for (i, j), k in np.ndenumerate(KERNEL)}
    )


#: By task: the row of the circuit, numbers of the inputs, the circuit, and how to read its results.
BY_HAND = {
    "dot 128": (128, [A, B], lambda a, b: (a * b).sum_slots(128), lambda r: r[0, :1]),
    "matrix 64 x 128 by vector": (128, [A], lambda a: times_vector(MATRIX, a), lambda r: r[0, :64]),
    "matrix 64 x 64 by known matrix": (
        4096, [LEFT.reshape(-1)], times_matrix, lambda r: r[0, :4096]),
    "regression step 256 x 4": (
        256, [*X.T, Y, *np.repeat(W, 256).reshape(4, 256)], regression_step, lambda r: r[:, 0]),
    "mean and variance of 1000": (1024, [SAMPLE], statistics_of_slots, lambda r: r[:, 0]),
    "network 64-32-10": (64, [INPUT], network_of_slots, lambda r: r[0, :10]),
    "convolution 28 x 28 with 5 x 5": (
        1024, [np.pad(IMAGE, (0, 4)).reshape(-1)], convolution_of_slots,
        lambda r: r[0, :1024].reshape(32, 32)[:24:STRIDE, :24:STRIDE]),
    "polynomial of degree 7": (
        1024, [SAMPLE], lambda x: x.polynomial(COEFFICIENTS), lambda r: r[0, :1000]),
}  # fmt: skip


def hand_runner(secret, task):
    """Returns what runs the circuit of a task, checked, with the keys of a secret context."""
    from ringlet import Circuit

    row, numbers, declare, read = BY_HAND[task]
    circuit = Circuit(row)
    results = declare(*(circuit.input() for _ in numbers))
    for result in results if isinstance(results, list) else [results]:
        circuit.output(result)
    public = secret.public(circuit=circuit)
    runner = public.runner(circuit)
    inputs = [public.bind(secret.encrypt(values, circuit=circuit)) for values in numbers]
    results = runner(*inputs)
    rows = [secret.decrypt(r) for r in (results if isinstance(results, tuple) else (results,))]
    error = np.abs(read(np.stack(rows)).reshape(-1) - np.reshape(WANTED[task], -1)).max()
    assert error < MAX_ERROR, (task, error)
    return lambda: runner(*inputs)


def compare_by_hand(tasks, rounds):
    """Prints the least times of programs and of circuits by hand, and their ratio."""
    _, _, programs = arrays(is_compiled=True)
    print("| least time in ms | compiled | by hand | compiled / by hand |\n|---|--:|--:|--:|")
    for task in tasks:
        client, _ = programs[task]()
        ways = {"compiled": programs[task], "by hand": hand_runner(client.secret, task)}
        least = dict.fromkeys(ways, np.inf)
        end = time.perf_counter() + rounds * TURN * len(ways)
        while time.perf_counter() < end:
            for name, way in ways.items():
                start = time.perf_counter()
                way()
                least[name] = min(least[name], time.perf_counter() - start)
        cells = " | ".join(f"{seconds * 1e3:.2f}" for seconds in least.values())
        print(f"| {task} | {cells} | {least['compiled'] / least['by hand']:.2f} |", flush=True)


COLUMNS = {
    "TenSEAL": lambda: tasks_of("tenseal"),
    "ringlet.tenseal": lambda: tasks_of("ringlet.tenseal"),
    "arrays": lambda: arrays(False),
    "compiled": lambda: arrays(True),
}


def work(name):
    """The process of a column: reads a line with a task, and prints the seconds that it took."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    version, numbers, tasks = COLUMNS[name]()
    print(version, file=answers, flush=True)
    for line in sys.stdin:
        task = line.strip()
        times: list[float] = []
        while sum(times) < TURN:
            start = time.perf_counter()
            result = tasks[task]()
            times.append(time.perf_counter() - start)
        is_list = isinstance(result, tuple) and "tenseal" in name.lower()
        values = np.concatenate([numbers(part) for part in (result if is_list else (result,))])
        error = np.abs(values - np.reshape(WANTED[task], -1)).max()
        assert error < MAX_ERROR or name == "TenSEAL", (name, task, error)
        print(min(times), error, file=answers, flush=True)


class Process:
    """A column in a process of its own."""

    def __init__(self, name):
        environment = os.environ | {"OMP_NUM_THREADS": "1", "RINGLET_THREADS": "1"}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--work", name],
            env=environment, stdin=pipe, stdout=pipe, text=True,
        )  # fmt: skip
        self.version = self._process.stdout.readline().strip()
        if not self.version:
            raise OSError(f"{name} did not start")

    def measure(self, task):
        """Returns the seconds of a task, and its largest error."""
        self._process.stdin.write(f"{task}\n")
        self._process.stdin.flush()
        seconds, error = map(float, self._process.stdout.readline().split())
        return seconds, error


def started():
    """Returns the processes of the columns whose library is there."""
    processes = {}
    for name in COLUMNS:
        try:
            processes[name] = Process(name)
            print(f"{name}: {processes[name].version}", file=sys.stderr)
        except OSError as error:
            print(f"missing: {error}", file=sys.stderr)
    return processes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tasks", default=",".join(WANTED), help="names of tasks, with commas")
    parser.add_argument("--by-hand", action="store_true", help="compare with circuits by hand")
    parser.add_argument("--work", choices=COLUMNS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
        return
    if options.by_hand:
        compare_by_hand(options.tasks.split(","), options.rounds)
        return
    processes, results = started(), {}
    for turn in range(options.rounds + 1):  # The first one warms up.
        for task in options.tasks.split(","):
            for name, process in processes.items():
                measured = process.measure(task)
                if turn:
                    results.setdefault((task, name), []).append(measured)
    print_table(options.tasks.split(","), list(processes), results)


def print_table(tasks, names, results):
    """Prints times, and errors above MAX_ERROR."""
    print(f"| ms: least (median) | {' | '.join(names)} | TenSEAL / arrays |")
    print(f"|---|{'--:|' * (len(names) + 1)}")
    for task in tasks:
        cells, least = [], {}
        for name in names:
            times, errors = zip(*results[task, name], strict=True)
            least[name] = min(times)
            cell = f"{min(times) * 1e3:.2f} ({statistics.median(times) * 1e3:.2f})"
            wrong = max(errors) > MAX_ERROR
            cells.append(cell + (f", wrong by {max(errors):.2g}" if wrong else ""))
        best = min(least.get("arrays", np.inf), least.get("compiled", np.inf))
        cells.append(f"{least['TenSEAL'] / best:.1f}" if "TenSEAL" in least else "")
        print(f"| {task} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
