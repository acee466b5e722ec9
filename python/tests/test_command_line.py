# SPDX-License-Identifier: Apache-2.0
"""The command as a user meets it: help that fits, JSON, exit codes, errors as one line, Ctrl-C and
terminals."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from installed_command import (
    COMMAND,
    completions,
    ends_at_ctrl_c,
    interrupted,
    is_clean,
    run,
    run_forked,
    shell,
    surroundings,
)
from ringlet._core import device_libraries
from typer.testing import CliRunner

import ringlet
from ringlet import cli, extra_commands

ROWS, COLUMNS = 24, 80


def leaves(group, path=()):
    """Every command with its path: groups too, the command itself with an empty one."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from leaves(command, (*path, name))


TREE = dict(leaves(typer.main.get_command(cli.app)))
PATHS = [pytest.param(path, id=" ".join(path) or "ringlet") for path in TREE]


def help_of(path):
    result = CliRunner().invoke(cli.app, [*path, "--help"], env={"COLUMNS": str(COLUMNS)})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("path", PATHS)
def test_help_fits_a_screen(path):
    lines = help_of(path).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    # The prompt that follows takes the last row of the screen.
    assert len(lines) < ROWS + 1


def test_first_screen_has_each_command_on_a_line():
    text = help_of(())
    assert len(text.splitlines()) < ROWS
    for path in TREE:
        if len(path) == 1:
            [line] = re.findall(rf"^│ {path[0]} +(.+?) +│$", text, re.MULTILINE)
            assert line.endswith("."), f"{path[0]}: its line does not end here"
    assert "0 done, 1 a check failed, 2 refused, 130 interrupted" in text


def test_import_loads_numpy_and_little_else():
    """NumPy takes nearly all of the time of `import ringlet`, so what is loaded besides it is held,
    and no time, which differs from machine to machine."""
    script = """
import sys, numpy
before = set(sys.modules)
import ringlet
print(*sys.modules.keys() - before)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "ringlet._core" in loaded and len(loaded) <= 30
    assert {name.partition(".")[0] for name in loaded} <= {
        "ringlet", "numpy", *sys.stdlib_module_names
    }  # fmt: skip


def test_what_the_command_line_imports():
    """Pictures and measurements are imported by the commands that need them."""
    script = "import sys, ringlet.cli; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "ringlet.commands.info" in loaded
    assert not loaded & {"matplotlib", "sklearn", "dask", "ringlet_lab", "ringlet.info"}


def test_commands_of_a_package_that_is_missing(monkeypatch):
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


def test_commands_of_another_package(monkeypatch):
    """They are loaded for the help and to run, and not for commands of Ringlet's own."""
    app = typer.Typer(add_completion=False)
    app.command()(lambda: print("measured"))
    loads = []

    def load():
        loads.append(1)
        return app

    entry = SimpleNamespace(name="measure", load=load)
    monkeypatch.setattr(extra_commands, "entry_points", lambda group: [entry])
    assert CliRunner().invoke(cli.app, ["rings", "--index", "15"]).exit_code == 0 and not loads
    assert CliRunner().invoke(cli.app, ["measure"]).output == "measured\n" and loads
    assert re.search(r"^│ measure ", help_of(()), re.MULTILINE)


def test_every_command_has_json():
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
    ],
    ids=["info", "params", "rings", "tune"],
)
def test_json_on_standard_output(arguments, key, tmp_path, monkeypatch):
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
     ["tune", "--quick", "--bits", "9" * 20], ["tune", "--quick", "--bits", "30,64"],
     ["params", "bfv", "--precision", "20"], ["params", "bgv", "--share", "1"],
     ["params", "--plain-bits", "20"], ["params", "ckks", "--plain-modulus", "65537"],
     ["params", "bfv", "--plain-bits", "20", "--plain-modulus", "65537"]],
)  # fmt: skip
def test_misuse_is_one_line_with_a_hint(arguments):
    result = run_forked(*arguments)
    assert is_clean(result), result.stderr
    assert "--help'." in result.stderr or "remedy: " in result.stderr


def test_nothing_is_help():
    result = run()
    assert result.returncode == 2 and "Usage: ringlet" in result.stdout + result.stderr


@pytest.mark.parametrize("line", ["ringlet info", "ringlet --help", "ringlet info --json -"])
def test_a_full_disk(line):
    result = shell(f"{line} 2>&1 >/dev/full | grep -v '^[^r]'; exit ${{PIPESTATUS[0]}}")
    assert result.returncode == 2
    complaints = [text for text in result.stdout.splitlines() if "error" in text]
    assert len(complaints) == 1 and "No space left" in complaints[0]
    assert "Traceback" not in result.stdout and "Exception ignored" not in result.stdout


def test_a_closed_pipe():
    result = shell("ringlet info | head -n 1; exit ${PIPESTATUS[0]}")
    assert result.returncode in (0, 1) and result.stderr == ""
    assert result.stdout.startswith("ringlet")


@pytest.mark.parametrize(
    "arguments",
    [["info", "--json", "/proc/no/file"], ["demo", "--output", "file"],
     ["demo", "--output", "/proc/no"], ["tune", "--quick", "--output", "/proc/no/wisdom"],
     ["rings", "--index", "15", "--json", "/dev/full"], ["params", "--json", "/"],
     ["tune", "--quick", "--output", "pipe"], ["tune", "--quick", "--output", "/"]],
)  # fmt: skip
def test_what_cannot_be_written(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("file").touch()
    result = run_forked(*arguments)
    assert is_clean(result), result.stderr
    assert Path(arguments[-1]).parts[0] in result.stderr
    assert Path("pipe").is_fifo() and set(os.listdir()) == {"pipe", "file"}


PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


@pytest.mark.parametrize("arguments", [["--help"], ["info"], ["params"], ["r\xe4ngs"]])
def test_a_terminal_without_utf_8(arguments):
    result = run(*arguments, **PLAIN)
    assert result.returncode == (2 if arguments == ["r\xe4ngs"] else 0), result.stderr
    assert "Traceback" not in result.stderr
    assert (result.stdout + result.stderr).isascii()


def in_terminal(arguments, columns, **environment):
    """Exit code and output of the command in a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    variables = {k: v for k, v in surroundings().items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**variables, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(ours, 1 << 16):
            parts.append(part)
    os.close(ours)
    return process.wait(timeout=60), b"".join(parts).decode().replace("\r\n", "\n")


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3|4|9|10)[0-9]")


@pytest.mark.parametrize("arguments", [["--help"], ["params", "--no-times"]])
def test_a_narrow_terminal(arguments):
    code, text = in_terminal(arguments, 40)
    lines = ESCAPE.sub("", text).splitlines()
    assert code == 0 and max(map(len, lines)) <= 40


def test_no_color():
    assert COLOR.search(in_terminal(["--help"], 80)[1])
    assert not COLOR.search(in_terminal(["--help"], 80, NO_COLOR="1")[1])
    assert not COLOR.search(in_terminal(["info"], 80, NO_COLOR="1")[1])


def test_ctrl_c(tmp_path):
    assert ends_at_ctrl_c(["tune", "--output", "wisdom"], tmp_path)


def test_ctrl_c_while_it_starts():
    """The same while it still imports what it needs."""

    def importing(process):
        deadline = time.monotonic() + 60
        while "/numpy/" not in Path(f"/proc/{process.pid}/maps").read_text():
            assert process.poll() is None and time.monotonic() < deadline

    assert interrupted(["info"], importing) == (130, "", "ringlet: interrupted\n")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ringlet ri", {"rings"}),
        ("ringlet params --no", {"--no-times"}),
        ("ringlet rings --js", {"--json"}),
    ],
)
def test_bash_completes(words, wanted):
    assert completions(words) == wanted


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(name):
    result = run("completion", name)
    assert result.returncode == 0 and "ringlet" in result.stdout
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed: the script was printed, but not read")
    checked = subprocess.run(
        [name, "-n"], input=result.stdout, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_info():
    short = run("info")
    assert short.returncode == 0 and "--kernels" in short.stdout and "ntt" not in short.stdout
    assert len(short.stdout.splitlines()) <= 8 + len(ringlet.devices()) + len(device_libraries())
    result = run("info", "--kernels")
    assert result.returncode == 0 and result.stderr == ""
    assert ringlet.__version__ in result.stdout and ringlet.cpu_info().model in result.stdout
    assert re.search(r"libraries +OpenSSL [3-9][\d.]+, Zstandard 1[\d.]+\n", result.stdout)
    for table in ringlet.kernel_tables():
        assert table in result.stdout
    assert all(device.name in result.stdout for device in ringlet.devices())
    assert "ntt" in result.stdout and "multiply_add" in result.stdout and "q < 2^" in result.stdout
    assert "refused" not in result.stdout
    assert re.search(r"conversion +│ q < 2\^\d+ +│ \w+/tiled", result.stdout)


def test_info_honours_the_variable():
    result = run("info", "--kernels", RINGLET_FORCE_KERNELS="scalar64")
    assert result.returncode == 0 and "RINGLET_FORCE_KERNELS=scalar64" in result.stdout
    choices = result.stdout.split("Kernel of each operation")[1].split("All kernels")[0]
    others = set(ringlet.kernel_tables()) - {"scalar64"}
    assert "scalar64/" in choices and not any(f"{other}/" in choices for other in others)


@pytest.mark.parametrize("arguments", [["info"], ["demo"]], ids=["info", "demo"])
def test_unknown_kernels_are_refused(arguments, tmp_path):
    output = [] if arguments == ["info"] else ["--output", str(tmp_path / "new")]
    result = run(*arguments, *output, RINGLET_FORCE_KERNELS="nonsense")
    assert is_clean(result) and "nonsense" in result.stderr


def test_names_in_any_case():
    """Of subcommands, options, schemes, tables and levels."""
    lower = ["params", "bgv", "--depth", "1", "--no-times", "--table", "he_standard_2018",
             "--security", "tc192"]  # fmt: skip
    assert run(*map(str.upper, lower)).stdout == run(*lower).stdout != ""


@pytest.mark.parametrize("path", [(), ("params",)])
def test_short_help(path):
    assert CliRunner().invoke(cli.app, [*path, "-h"]).output == help_of(path)


def test_version():
    version = CliRunner().invoke(cli.app, ["--version"])
    assert version.exit_code == 0 and ringlet.__version__ in version.output
