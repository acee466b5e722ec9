# SPDX-License-Identifier: Apache-2.0
"""The programs that `run` starts, and the results that it keeps: programs in groups of their own,
GoogleTest's lines, and a document and a log that survive full disks.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

MOST_BYTES = 16 << 20
# Bytes of entries as they arrive; indented they take up to three times as much.
MOST_ENTRY_BYTES = 4 << 20
MOST_FAILURES = 50
MOST_FAILURE = 400
LONGEST_LINE = 1 << 20
SILENCE = 90
# Folders that tell who uses the machine, or where the programs were built.
PRIVATE = re.compile(
    r"(?<![^\s\"'(=:,])/(?!(?:usr|opt|dev|proc|sys|lib|lib64|etc|var)/)(?:[^\s/:\"',]+/)+"
)
TEST_LINE = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)")


def anonymous(value):
    """Returns the same JSON value without private folders."""
    if isinstance(value, dict):
        return {key: anonymous(item) for key, item in value.items()}
    if isinstance(value, list):
        return [anonymous(item) for item in value]
    return PRIVATE.sub("…/", value) if isinstance(value, str) else value


def say(text):
    # Nobody may read the output any more; the results are in the files.
    with contextlib.suppress(OSError, ValueError):
        print(text, flush=True)


def short(lines):
    return " ".join(" ".join(lines).split())[:MOST_FAILURE]


@dataclasses.dataclass
class Result:
    """The result of a step. The counts of several programs add up, and the worst state counts."""

    state: str = "passed"
    detail: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        order = ("skipped", "passed", "failed", "died", "timed out")
        if order.index(other.state) > order.index(self.state):
            self.state, self.detail = other.state, other.detail
        elif other.state == self.state:
            self.detail = self.detail or other.detail
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures = (self.failures + other.failures)[:MOST_FAILURES]
        return self


class Log:
    """The lines of all programs. If there are too many, the lines in the middle are left out."""

    def __init__(self):
        self._lock = threading.Lock()
        self._head, self._head_room = [], MOST_BYTES // 2
        self._tail, self._tail_room = collections.deque(), MOST_BYTES // 2 - 100
        self._is_cut = False

    def add(self, line):
        data = anonymous(line).encode(errors="replace")[:LONGEST_LINE] + b"\n"
        with self._lock:
            if not self._tail and len(data) <= self._head_room:
                self._head.append(data)
                self._head_room -= len(data)
                return
            self._tail.append(data)
            self._tail_room -= len(data)
            while self._tail_room < 0:
                self._tail_room += len(self._tail.popleft())
                self._is_cut = True

    def data(self):
        with self._lock:
            cut = [b"... lines left out ...\n"] if self._is_cut else []
            return b"".join([*self._head, *cut, *self._tail])


class Report:
    """The document and the log, in memory and in their files."""

    def __init__(self, folder, context):
        self.log = Log()
        self.document = {"schema": "ringlet-gpu/1", "context": context, "steps": []}
        self.document |= {"benchmarks": [], "refused": [], "notes": [], "machine_code": []}
        self.problem = ""
        self._room = MOST_ENTRY_BYTES
        self._json, self._log = folder / "ringlet-gpu.json", folder / "ringlet-gpu.log"

    def add(self, member, value):
        value = anonymous(value)
        had_room = self._room > 0
        self._room -= len(json.dumps(value))
        if self._room > 0:
            self.document[member].append(value)
        elif had_room:
            self.document["notes"].append("there was no room for all results: see the log")

    def note(self, text):
        say(f"   {text}")
        self.log.add(text)
        if text not in self.document["notes"]:
            self.add("notes", text)

    def text(self):
        text = json.dumps(self.document, indent=1) + "\n"
        return text if len(text) < MOST_BYTES else json.dumps(self.document) + "\n"

    def write(self):
        """Writes both files. On a full disk, removes the log so that there is room for the
        document."""
        self.problem = ""
        try:
            self._replace()
        except OSError:
            try:
                self._log.unlink(missing_ok=True)
                self._replace()
            except OSError as error:
                self.problem = f"{self._json.name} could not be written: {error.strerror}"
                return
        with contextlib.suppress(OSError):
            self._log.write_bytes(self.log.data())

    def _replace(self):
        draft = self._json.with_suffix(".draft")
        try:
            with draft.open("w") as file:
                file.write(self.text())
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._json)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise


@dataclasses.dataclass
class Ending:
    """How a program ended; `why` is empty after status 0."""

    state: str
    status: int = -1
    why: str = ""


def read_lines(stream, is_output, lines):
    with stream:
        while line := stream.readline(LONGEST_LINE):
            lines.put((is_output, line.decode(errors="replace").rstrip("\r\n")))
    lines.put((is_output, None))


class Programs:
    """Runs programs, each in a group of its own that ends with it."""

    def __init__(self, report, folder, environment):
        self.report = report
        self.folder = folder
        self.environment = {**os.environ, **environment}
        self.stop = threading.Event()

    def run(self, command, deadline, on_line=lambda line: None, environment=(), silence=SILENCE):
        command = [str(part) for part in command]
        name = Path(command[0]).name
        self.report.log.add(f"$ {' '.join(command)[:1000]}")
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                env={**self.environment, **dict(environment)},
                start_new_session=True,
            )
        except OSError as error:
            return Ending("failed", why=f"{name} does not start: {error.strerror}")
        ending = self._watch(process, deadline, on_line, silence)
        if ending.state == "timed out":
            self._end(process, name)
        # Children may outlive their program.
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        self.report.log.add(f"{name}: {ending.state} {ending.why}")
        return ending

    def _watch(self, process, deadline, on_line, silence):
        lines = queue.Queue(10000)
        for stream in (process.stdout, process.stderr):
            arguments = (stream, stream is process.stdout, lines)
            threading.Thread(target=read_lines, args=arguments, daemon=True).start()
        started = heard = time.monotonic()
        last_error, open_streams = "", 2
        while True:
            now = time.monotonic()
            status = process.poll()
            if self.stop.is_set():
                return Ending("timed out", why="interrupted")
            if now > deadline:
                return Ending("timed out", why=f"stopped after {now - started:.0f} s")
            if now - heard > silence and status is None:
                return Ending("timed out", why=f"no answer for {silence:.0f} s")
            if status is not None and (not open_streams or now - heard > 1):
                break
            try:
                is_output, line = lines.get(timeout=0.02)
            except queue.Empty:
                continue
            heard = now
            if line is None:
                open_streams -= 1
                continue
            self.report.log.add(line)
            if is_output:
                on_line(line)
            else:
                last_error = line.strip() or last_error
        words = short([last_error])
        if status < 0:
            return Ending("died", status, f"died: signal {-status} {words}".strip())
        why = (words or f"ended with status {status}") if status else ""
        return Ending("failed" if status else "passed", status, why)

    def _end(self, process, name):
        """Ends a program: asks first, then kills. A program in a driver that hangs may survive
        both."""
        for number, seconds in ((signal.SIGTERM, 1), (signal.SIGKILL, 6)):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        if process.poll() is None:
            self.report.note(f"{name} could not be killed: the driver may hang until a restart")


class TestResults:
    """The latest state of each test, from GoogleTest's lines."""

    def __init__(self):
        self.current = None
        self.states = {}
        self.texts = {}
        self._output = []

    def line(self, line):
        found = TEST_LINE.search(line)
        if not found:
            if len(self._output) < 20:
                self._output.append(line.strip())
        elif found[1] == "RUN":
            self.current, self._output = found[2], []
        elif found[2] == self.current:
            self.end(found[1], short(self._output))

    def end(self, state, text, name=None):
        self.states[name or self.current] = state
        self.texts[name or self.current] = text
        self.current = None

    def result(self, names):
        states = collections.Counter(self.states.values())
        failed = [name for name, state in self.states.items() if state == "FAILED"]
        result = Result(passed=states["OK"], failed=states["FAILED"], skipped=states["SKIPPED"])
        result.failures = [f"{name}: {self.texts[name]}" for name in failed[:MOST_FAILURES]]
        left = len(names) - len(self.states)
        if failed or left:
            result.state, result.detail = "failed", short(result.failures[:1])
        elif not result.passed:
            result.state, result.detail = "skipped", next(iter(self.texts.values()), "no test")
        if left:
            result.detail = f"{left} of {len(names)} tests did not run; {result.detail}".strip("; ")
        return result


class Tests:
    """A GoogleTest program. After a crash it is started again with the remaining tests."""

    def __init__(self, programs, command, environment, process_count):
        self.programs = programs
        self.command = command
        self.environment = environment
        self.process_count = process_count

    def names(self, pattern, deadline):
        names, suite = [], ""

        def line(text):
            nonlocal suite
            word = text.split("#")[0].strip()
            if not text.startswith(" "):
                suite = word if word.endswith(".") else ""
            elif suite and "DISABLED_" not in suite + word:
                names.append(suite + word)

        # The last word is the program; the words before it are the tool that runs it.
        command = [self.command[-1], "--gtest_list_tests", f"--gtest_filter={pattern}"]
        ending = self.programs.run(command, deadline, line, self.environment)
        return names, ending

    def run(self, pattern, deadline, on_line=lambda line: None):
        names, ending = self.names(pattern, deadline)
        if ending.state != "passed":
            return Result(ending.state, f"the list of tests: {ending.why}")
        count = self.process_count
        # Tests of one fixture, with one parameter, share what it prepares.
        fixtures = [re.sub(r"\.[^/]*", "", name) for name in names]
        groups = collections.defaultdict(list)
        for name, fixture in zip(names, fixtures):
            groups[fixture].append(name)
        # The longest come last. A single process takes all tests: a tool takes long to start.
        parts = [*reversed(groups.values())] if count > 1 else [names]
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            results = pool.map(lambda part: self._share(part, deadline, on_line), parts)
            total = Result("skipped")
            for result in results:
                total.add(result)
        return total

    def _share(self, names, deadline, on_line):
        results = TestResults()
        silence = min(SILENCE, max(1, (deadline - time.monotonic()) / 2))
        ending, in_vain, left = Ending("passed"), 0, names

        def line(text):
            results.line(text)
            on_line(text)

        while left and in_vain < 3:
            command = [*self.command, f"--gtest_filter={':'.join(left)}"]
            ending = self.programs.run(command, deadline, line, self.environment, silence)
            is_over = time.monotonic() > deadline or self.programs.stop.is_set()
            in_vain = 0 if results.current or results.states.keys() & set(left) else in_vain + 1
            if results.current or (in_vain and not is_over):
                why = ending.why or f"ended with status {ending.status}"
                results.end("FAILED", why, results.current or left[0])
            left = [name for name in left if name not in results.states]
            if is_over:
                break
        result = results.result(names)
        if left and ending.state == "timed out":
            result.state = "timed out"
        return result
