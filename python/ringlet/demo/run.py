# SPDX-License-Identifier: Apache-2.0
"""The demo from end to end: both sides in one process, with a clock around each phase."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from .. import Device, device
from ..ckks import PublicContext
from ..errors import MissingPackage
from ..files import note_written, prepare_folders, write_json
from .client import Client
from .data import prepare
from .outcome import BASELINE, ROUNDS, Comparison, DeviceUse, Outcome
from .report import find_faults, outcome_json, print_report
from .server import Server, choose_parameters, declare

T = TypeVar("T")


class _Phases:
    """Runs phases with a progress bar and keeps their times."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.times_ms: dict[str, float] = {}

    def run(self, name: str, work: Callable[[], T]) -> T:
        with self.bar(name, 1) as advance:
            start = time.perf_counter()
            result = work()
            self.times_ms[name] = (time.perf_counter() - start) * 1e3
            advance()
        return result

    @contextlib.contextmanager
    def bar(self, name: str, steps: int) -> Iterator[Callable[[], None]]:
        task = self._progress.add_task(name, total=steps)
        yield lambda: self._progress.advance(task)


def _serve(server: Server, sent: bytes) -> tuple[list[bytes], float]:
    """Returns the server's answers, and the milliseconds until they are in host memory.

    Every call loads the rows before the clock starts. The device then has no copy of them from an
    earlier call.
    """
    rows = server.load(sent)
    start = time.perf_counter()
    answers = server.classify(rows)
    elapsed = (time.perf_counter() - start) * 1e3
    return [answer.to_bytes() for answer in answers], elapsed


def _compare(
    phases: _Phases, server: Server, baseline: Server, name: str, sent: bytes
) -> tuple[list[bytes], Comparison]:
    """Measures the server's work on its device and on the named baseline, in interleaved rounds."""
    kernels_ms, baseline_ms, same_bits = [], [], True
    with phases.bar(f"server, and {name} for comparison", 2 * ROUNDS) as advance:
        for _ in range(ROUNDS):
            answers, elapsed = _serve(server, sent)
            kernels_ms.append(elapsed)
            advance()
            others, elapsed = _serve(baseline, sent)
            baseline_ms.append(elapsed)
            advance()
            same_bits = same_bits and answers == others
    phases.times_ms["server"] = min(kernels_ms)
    return answers, Comparison(kernels_ms, baseline_ms, same_bits, name)


def _blocks_used(chosen: Device) -> int:
    memory = chosen.memory_statistics()
    return memory.allocation_count + memory.reuse_count


def compute(console: Console, device_name: str | None = None) -> Outcome:
    """Runs all phases. The server computes on the named device, or without a name on the device of
    RINGLET_DEVICE."""
    # Finds a missing device before anything is computed.
    chosen = device(device_name or os.environ.get("RINGLET_DEVICE") or "cpu")
    columns = (
        TextColumn("{task.description:<36}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        phases = _Phases(progress)
        task = phases.run("train in the clear", prepare)
        circuit = declare(task.model)
        parameters = phases.run("choose parameters", lambda: choose_parameters(circuit))
        client = phases.run("make keys", lambda: Client(parameters.to_bytes(), circuit.rotations))
        sent = phases.run("encrypt", lambda: client.encrypt(task.rows))
        public = phases.run("load keys", lambda: PublicContext.from_bytes(client.keys))
        moved = public.on(chosen)
        server = phases.run("plan the circuit", lambda: Server(circuit, moved))
        if chosen.is_cpu:
            name, others = BASELINE, moved.with_kernels(BASELINE)
        else:
            phases.run("warm-up", lambda: _serve(server, sent))
            name, others = "cpu", public.on("cpu")
        baseline = Server(circuit, others)
        blocks = _blocks_used(chosen)
        answers, comparison = _compare(phases, server, baseline, name, sent)
        blocks = _blocks_used(chosen) - blocks
        scores, probabilities = phases.run(
            "decrypt", lambda: [client.decrypt(answer) for answer in answers]
        )
    plain_scores = task.model.scores(task.rows)
    return Outcome(
        task=task,
        parameters=parameters,
        plain_scores=plain_scores,
        plain_probabilities=task.model.polynomial(plain_scores),
        scores=scores,
        probabilities=probabilities,
        phases_ms=phases.times_ms,
        comparison=comparison,
        bytes_sent={
            "client to server: rows": len(sent),
            "client to server: parameters and keys": len(client.keys),
            "server to client: scores": len(answers[0]),
            "server to client: probabilities": len(answers[1]),
        },
        kernel_names=moved.kernel_names,
        peak_memory=_peak_memory(),
        device_use=None if chosen.is_cpu else _device_use(phases, chosen, blocks),
    )


def _device_use(phases: _Phases, chosen: Device, blocks: int) -> DeviceUse:
    peak = chosen.memory_statistics().peak
    return DeviceUse(chosen.info, phases.times_ms["warm-up"], blocks, peak)


def _peak_memory() -> int:
    """Returns the largest resident size of this process so far, in bytes."""
    # getrusage may report the process that started this one, whose peak survives exec.
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _drawing() -> Callable[[Outcome, Sequence[Path]], None]:
    try:
        from .picture import draw
    except ImportError as error:
        raise MissingPackage(
            "ringlet demo",
            str(error),
            "matplotlib, which draws the picture",
            "python -m pip install matplotlib, or --no-png",
        ) from None
    return draw


def run_demo(
    console: Console,
    pictures: Sequence[Path],
    device_name: str | None = None,
    json_path: Path | None = None,
) -> bool:
    """Runs the demo, reports and draws. Returns True if the encrypted result is right."""
    draw = _drawing() if pictures else None
    # Finds a folder that cannot be made before anything is computed.
    prepare_folders([*pictures, json_path])
    outcome = compute(console, device_name)
    print_report(console, outcome)
    if draw is not None:
        draw(outcome, pictures)
    if json_path is not None:
        write_json(json_path, outcome_json(outcome))
    note_written(console, *pictures, json_path)
    faults = find_faults(outcome)
    for fault in faults:
        console.print(f"[bold red]failed[/bold red] {fault}")
    if not faults:
        console.print("[bold green]passed[/bold green] the encrypted result is the plaintext's")
    return not faults
