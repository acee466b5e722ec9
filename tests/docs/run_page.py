# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of one page in their order, each by what its fence says."""

import concurrent.futures
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import run_cpp
import run_shell
import shell_words
from blocks import Block
from expected import same_text

HERE = Path(__file__).resolve().parent
CMAKE_HEAD = """\
cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES CXX)
add_executable(app app.cpp)
set_property(TARGET app PROPERTY CXX_STANDARD 20)
"""


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all pages share. `device` is whether there is a device beside the processor."""

    folder: Path
    prefix: Path
    flags: tuple[str, ...]
    device: bool
    is_long: bool


@dataclasses.dataclass
class Result:
    """What became of a block: problems, or why it was not run."""

    block: Block
    problems: list[str]
    skipped: str = ""
    compared: int = 0
    seconds: float = 0


class PythonProcess:
    """The process of a page's Python blocks, started with the first."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.process = None

    def run(self, block):
        if self.process is None:
            inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
            path = os.pathsep.join([str(HERE), *(os.path.abspath(p) for p in inherited if p)])
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "python_worker.py")],
                cwd=self.scratch,
                env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=(self.scratch / "stderr.log").open("w"),
                text=True,
            )
        assert self.process.stdin and self.process.stdout
        request = {
            "page": block.page,
            "line": block.line,
            "text": block.text,
            "fresh": "fresh" in block.modifiers,
            "is_session": block.language == "pycon",
        }
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            status = self.process.wait()
            problem = f"{block.place}: Python ended with status {status} before this block did"
            return {"problems": [problem], "printed": "", "rest": "", "compared": 0}
        return dict(json.loads(reply))

    def close(self):
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()


class PageRun:
    """The blocks of one page, and what they printed so far."""

    def __init__(self, blocks, setting):
        self.blocks = blocks
        self.setting = setting
        page = blocks[0].page
        self.scratch = setting.folder / page.replace("/", "_").removesuffix(".md")
        shutil.rmtree(self.scratch, ignore_errors=True)
        if any(b.language == "sh" and "checked" not in b.modifiers for b in blocks):
            run_shell.make_checkout(self.scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.python = PythonProcess(self.scratch)
        runnable = [b for b in blocks if b.language == "cpp" and not self.reason_to_skip(b)]
        self.programs = run_cpp.programs(runnable, setting.folder / "programs" / self.scratch.name)
        self.printed = None
        self.rest = ""
        self.cpp_printed = {}
        self.cpp_errors = {}

    def reason_to_skip(self, block):
        """Why a block is not run now, if it is not."""
        if "device" in block.modifiers and not self.setting.device:
            return "no device beside the processor"
        if "long" in block.modifiers and not self.setting.is_long:
            return "run by make test-long"
        return ""

    def run(self):
        results = []
        try:
            for block in self.blocks:
                started = time.monotonic()
                reason = self.reason_to_skip(block)
                result = Result(block, [], reason) if reason else self.run_block(block)
                if reason:
                    self.printed = None
                result.seconds = time.monotonic() - started
                results.append(result)
        finally:
            self.python.close()
        return results

    def run_block(self, block):
        return {
            "python": self.run_python,
            "pycon": self.run_python,
            "cpp": self.run_cpp,
            "sh": self.run_sh,
            "text": self.compare_text,
            "cmake": lambda block: Result(block, self.configure(block)),
            "json": lambda block: Result(block, self.parse_json(block)),
            "verilog": lambda block: Result(block, self.parse_verilog(block)),
            "directive": lambda block: Result(block, []),
        }[block.language](block)

    def run_python(self, block):
        reply = self.python.run(block)
        self.printed, self.rest = reply["printed"], reply["rest"]
        return Result(block, reply["problems"], compared=reply["compared"])

    def run_cpp(self, block):
        """Runs the program that begins with this block; of others it knows what they printed."""
        problems = []
        for program in self.programs:
            if program.blocks[0] is block:
                printed, error = run_cpp.run_program(program, self.scratch)
                self.cpp_printed |= printed
                problems = [error] if error else []
        self.printed, self.rest = self.cpp_printed.get(block.line), ""
        return Result(block, problems)

    def run_sh(self, block):
        if "checked" in block.modifiers:
            self.printed = None
            wrong = shell_words.check_text(block.text)
            return Result(block, [f"{block.place}: {problem}" for problem in wrong])
        tools = run_shell.make_tools(self.setting.folder / "tools")
        self.rest = ""
        self.printed, error = run_shell.run_shell(block.text, self.scratch, tools)
        return Result(block, [f"{block.place}: {error}"] if error else [])

    def compare_text(self, block):
        """Compares an output with what the block before it printed."""
        if "layout" in block.modifiers:
            return Result(block, [])
        if self.printed is None:
            before = self.blocks[: self.blocks.index(block)]
            if before and self.reason_to_skip(before[-1]):
                return Result(block, [], self.reason_to_skip(before[-1]))
            return Result(block, [f"{block.place}: no block before this one printed anything"])
        is_sample = "sample" in block.modifiers
        outputs = {self.printed, self.rest or self.printed}
        if any(same_text(output, block.text, is_sample) for output in outputs):
            return Result(block, [], compared=1)
        shown = f"{block.place}: this was not printed, but:\n{self.printed.rstrip()}"
        return Result(block, [shown])

    def configure(self, block):
        """Configures a project that consists of an executable `app` and the block."""
        folder = self.scratch / f"cmake{block.line}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "app.cpp").write_text("int main() {}\n")
        has_project = "project(" in block.text
        (folder / "CMakeLists.txt").write_text(("" if has_project else CMAKE_HEAD) + block.text)
        command = ["cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Ninja"]
        command += [f"-DCMAKE_PREFIX_PATH={self.setting.prefix}"]
        command += [f"-DCMAKE_CXX_COMPILER={run_cpp.COMPILER}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            error = " ".join(run.stderr.split())
            return [f"{block.place}: cmake: {error[:600]}"]
        return []

    @staticmethod
    def parse_json(block):
        try:
            json.loads(block.text)
        except ValueError as error:
            return [f"{block.place}: {error}"]
        return []

    def parse_verilog(self, block):
        """Whether Verilator takes it; statements without a module stand in one."""
        text = block.text
        if "module " not in text:
            text = f"module block;\n{text}endmodule\n"
        source = self.scratch / f"block{block.line}.v"
        source.write_text(text)
        command = ["verilator", "--lint-only", "-Wno-fatal", str(source)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return [f"{block.place}: {run.stderr.strip()}"] if run.returncode else []


def run_all(pages, setting, run_page):
    """Compiles all programs, then runs the pages; as many at a time as there are processors."""
    runs = [PageRun(blocks, setting) for blocks in pages]
    programs = [program for run in runs for program in run.programs]
    flags = list(setting.flags)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda program: run_cpp.compile_program(program, flags), programs))
        return list(pool.map(run_page, runs))
