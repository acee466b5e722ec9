# SPDX-License-Identifier: Apache-2.0
"""The command as a user meets it: help that fits, JSON, exit codes, Ctrl-C and terminals."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from installed_command import heed_interrupts, is_clean, run, surroundings, wait_for_work
from typer.testing import CliRunner

from ringlet import cli, extra_commands

COMMAND = Path(sys.executable).parent / "ringlet"
ROWS, COLUMNS = 24, 80


def leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path: groups too, the command itself with an empty one."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from leaves(command, (*path, name))


TREE = dict(leaves(typer.main.get_command(cli.app)))
PATHS = [pytest.param(path, id=" ".join(path) or "ringlet") for path in TREE]


def help_of(path: tuple[str, ...]) -> str:
    result = CliRunner().invoke(cli.app, [*path, "--help"], env={"COLUMNS": str(COLUMNS)})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("path", PATHS)
def test_help_fits_a_screen(path: tuple[str, ...]) -> None:
    lines = help_of(path).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    # The prompt that follows takes the last row of the screen.
    assert len(lines) < ROWS + 1


def test_first_screen_has_each_command_on_a_line() -> None:
    text = help_of(())
    assert len(text.splitlines()) < ROWS
    for path in TREE:
        if len(path) == 1:
            [line] = re.findall(rf"^│ {path[0]} +(.+?) +│$", text, re.MULTILINE)
            assert line.endswith("."), f"{path[0]}: its line does not end here"
    assert "0 done, 1 a check failed, 2 refused, 130 interrupted" in text


def processor_time(command: list[str]) -> float:
    """Seconds of a process on the processor: the time that it takes on a machine with nothing else
    to do, and the same on one that is busy. The best of three."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=surroundings(), stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


def test_help_is_quick() -> None:
    assert processor_time([str(COMMAND), "--help"]) < 0.5


def test_import_is_quick() -> None:
    """Python's own start is no part of it."""
    start = processor_time([sys.executable, "-c", "pass"])
    assert processor_time([sys.executable, "-c", "import ringlet"]) - start <= 0.15


def test_what_the_command_line_imports() -> None:
    """Pictures and measurements are imported by the commands that need them."""
    script = "import sys, ringlet.cli; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "ringlet.commands.info" in loaded
    assert not loaded & {"matplotlib", "sklearn", "dask", "ringlet_lab", "ringlet.info"}


def test_commands_of_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The help names only what is there; what is missing says in a line how to install it."""
    monkeypatch.setattr(extra_commands, "entry_points", lambda group: [])
    listed = re.findall(r"^│ (\w+) ", help_of(()), re.MULTILINE)
    assert set(listed) == {path[0] for path in TREE if len(path) == 1}
    for arguments in (["bench"], ["bench", "ntt", "--degrees", "64"], ["report", "--help"]):
        result = CliRunner().invoke(cli.app, arguments)
        assert result.exit_code == 2
        [line] = result.stderr.splitlines()
        assert line.startswith(f"ringlet: error: ringlet {arguments[0]}: ")
        assert "pip install ringlet-lab" in line and "make bench" in line
    assert "pip install" not in CliRunner().invoke(cli.app, ["nonsense"]).stderr


def test_commands_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are loaded for the help and to run, and not for commands of Ringlet's own."""
    app = typer.Typer(add_completion=False)
    app.command()(lambda: print("measured"))
    loads = []

    def load() -> typer.Typer:
        loads.append(1)
        return app

    entry = SimpleNamespace(name="measure", load=load)
    monkeypatch.setattr(extra_commands, "entry_points", lambda group: [entry])
    assert CliRunner().invoke(cli.app, ["rings", "--index", "15"]).exit_code == 0 and not loads
    assert CliRunner().invoke(cli.app, ["measure"]).output == "measured\n" and loads
    assert re.search(r"^│ measure ", help_of(()), re.MULTILINE)


def test_every_command_has_json() -> None:
    """All but the one that prints a script."""
    for path, command in TREE.items():
        if hasattr(command, "commands") or path == ("completion",):
            continue
        [option] = [p for p in command.params if "--json" in p.opts]
        assert option.metavar == "FILE" and not option.secondary_opts, path


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["info"], "kernels"),
        (["params", "bfv", "--no-times"], "sizes"),
        (["rings", "--index", "15"], "slots"),
        (["tune", "--quick", "--degrees", "64", "--bits", "30", "--output", "wisdom"], "entries"),
        (["demo", "--no-png"], "accuracy"),
    ],
    ids=["info", "params", "rings", "tune", "demo"],
)
def test_json_on_standard_output(
    arguments: list[str], key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is all there, and what people read is on standard error; a file has the same."""
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, "--json", "-")
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    assert key in printed and result.stderr.strip()
    assert set(os.listdir(tmp_path)) <= {"wisdom"}
    if arguments == ["info"]:
        to_file = run(*arguments, "--json", "folder/result.json")
        assert to_file.returncode == 0 and "wrote folder/result.json" in to_file.stdout
        assert json.loads((tmp_path / "folder" / "result.json").read_text()) == printed


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["info", "--nonsense"], ["rings", "--slots", "many"],
     ["params", "ckks", "more"], ["completion"], ["completion", "dos"],
     ["tune", "--quick", "--bits", "9" * 20], ["tune", "--quick", "--bits", "30,64"]],
)  # fmt: skip
def test_misuse_is_one_line_with_a_hint(arguments: list[str]) -> None:
    result = run(*arguments)
    assert is_clean(result), result.stderr
    assert "--help'." in result.stderr or "remedy: " in result.stderr


def test_nothing_is_help() -> None:
    result = run()
    assert result.returncode == 2 and "Usage: ringlet" in result.stdout + result.stderr


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        timeout=120,
        env={**surroundings(), "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", **environment},
        check=False,
    )


@pytest.mark.parametrize("line", ["ringlet info", "ringlet --help", "ringlet info --json -"])
def test_a_full_disk(line: str) -> None:
    result = shell(f"{line} 2>&1 >/dev/full | grep -v '^[^r]'; exit ${{PIPESTATUS[0]}}")
    assert result.returncode == 2
    complaints = [text for text in result.stdout.splitlines() if "error" in text]
    assert len(complaints) == 1 and "No space left" in complaints[0]
    assert "Traceback" not in result.stdout and "Exception ignored" not in result.stdout


def test_a_closed_pipe() -> None:
    result = shell("ringlet info | head -n 1; exit ${PIPESTATUS[0]}")
    assert result.returncode in (0, 1) and result.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [["info", "--json", "/proc/no/file"],
     ["demo", "--output", "/proc/no"], ["tune", "--quick", "--output", "/proc/no/wisdom"],
     ["rings", "--index", "15", "--json", "/dev/full"], ["params", "--json", "/"],
     ["tune", "--quick", "--output", "pipe"], ["tune", "--quick", "--output", "/"]],
)  # fmt: skip
def test_what_cannot_be_written(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    result = run(*arguments)
    assert is_clean(result), result.stderr
    assert Path(arguments[-1]).parts[0] in result.stderr
    assert Path("pipe").is_fifo() and os.listdir() == ["pipe"]


PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


@pytest.mark.parametrize("arguments", [["--help"], ["info"], ["params"], ["r\xe4ngs"]])
def test_a_terminal_without_utf_8(arguments: list[str]) -> None:
    result = run(*arguments, **PLAIN)
    assert result.returncode == (2 if arguments == ["r\xe4ngs"] else 0), result.stderr
    assert "Traceback" not in result.stderr
    assert (result.stdout + result.stderr).isascii()


def in_terminal(arguments: list[str], columns: int, **environment: str) -> tuple[int, str]:
    """Exit code and output of the command in a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    variables = {k: v for k, v in surroundings().items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    return process.wait(timeout=60), b"".join(parts).decode().replace("\r\n", "\n")


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3|4|9|10)[0-9]")


@pytest.mark.parametrize("arguments", [["--help"], ["params", "--no-times"]])
def test_a_narrow_terminal(arguments: list[str]) -> None:
    code, text = in_terminal(arguments, 40)
    lines = ESCAPE.sub("", text).splitlines()
    assert code == 0 and max(map(len, lines)) <= 40


def test_no_color() -> None:
    assert COLOR.search(in_terminal(["--help"], 80)[1])
    assert not COLOR.search(in_terminal(["--help"], 80, NO_COLOR="1")[1])
    assert not COLOR.search(in_terminal(["info"], 80, NO_COLOR="1")[1])


def test_ctrl_c(tmp_path: Path) -> None:
    """One line, code 130, no file, and soon, wherever the command is."""
    process = subprocess.Popen(
        [COMMAND, "tune", "--output", "wisdom"],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    try:
        wait_for_work(process, seconds=0.8)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=10)
    finally:
        process.kill()
    assert process.returncode == 130
    assert complaint.strip().splitlines()[-1] == "ringlet: interrupted"
    assert "Traceback" not in complaint and os.listdir(tmp_path) == []


def test_ctrl_c_while_it_starts() -> None:
    """The same while it still imports what it needs."""
    process = subprocess.Popen(
        [COMMAND, "info"],
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    try:
        deadline = time.monotonic() + 60
        while "/numpy/" not in Path(f"/proc/{process.pid}/maps").read_text():
            assert process.poll() is None and time.monotonic() < deadline
        process.send_signal(signal.SIGINT)
        output, complaint = process.communicate(timeout=10)
    finally:
        process.kill()
    assert (process.returncode, output, complaint) == (130, "", "ringlet: interrupted\n")


COMPLETE = """
eval "$(ringlet completion bash)"
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"$(complete -p ringlet | sed 's/.*-F \\([^ ]*\\).*/\\1/')" ringlet
printf '%%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ringlet ri", {"rings"}),
        ("ringlet params --no", {"--no-times"}),
        ("ringlet rings --js", {"--json"}),
    ],
)
def test_bash_completes(words: str, wanted: set[str]) -> None:
    result = shell(COMPLETE % words)
    assert result.returncode == 0 and result.stderr == ""
    assert set(result.stdout.split()) == wanted


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(name: str) -> None:
    result = run("completion", name)
    assert result.returncode == 0 and "ringlet" in result.stdout
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed: the script was printed, but not read")
    checked = subprocess.run(
        [name, "-n"], input=result.stdout, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
