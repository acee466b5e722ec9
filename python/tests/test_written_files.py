# SPDX-License-Identifier: Apache-2.0
"""Files that the command writes: whole or not at all, with the permissions of any other file; and
JSON that it is handed."""

from __future__ import annotations

import ast
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from installed_command import heed_interrupts

import ringlet
from ringlet.errors import InvalidArgument, RuntimeFailure
from ringlet.files import prepare_folders, read_json, write_atomically

PACKAGE = Path(ringlet.__file__).parent

# What writes to a file whatever its arguments are.
WRITERS = {
    "mkdtemp", "mkstemp", "NamedTemporaryFile", "save_npz", "savetxt", "savez", "tofile",
    "write_bytes", "write_text",
}  # fmt: skip


def mode_of(call: ast.Call) -> str:
    """The mode of a call of open, as far as it is written there."""
    texts = [*call.args[:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return "".join(
        text.value
        for text in texts
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) < 4
    )


def writes(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    opens = name in ("open", "fdopen") and bool(set("wax+") & set(mode_of(call)))
    return opens or name in WRITERS


def test_the_search_for_writers_finds_them() -> None:
    for text in ('open(p, "w")', 'p.open("ab")', 'p.write_text("")', 'open(p, mode="r+")'):
        assert writes(ast.parse(text).body[0].value), text
    for text in ("open(p)", 'p.open("rb")', "p.read_text()", "os.open(p, os.O_WRONLY)"):
        assert not writes(ast.parse(text).body[0].value), text


def test_one_module_alone_writes_files() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and writes(node)
    }
    others = {place for place in found if not place.startswith("files.py:")}
    assert found != others, "files.py writes"
    assert not others


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "file"
    write_atomically(path, "one\n")
    assert path.read_bytes() == b"one\n"
    write_atomically(path, b"\x00two")
    assert path.read_bytes() == b"\x00two"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_a_plain_open(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "ours", "")
        (tmp_path / "plain").write_text("")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes[0] == modes[1]


def test_a_file_keeps_its_permissions_and_a_link_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        write_atomically(pipe, "through\n")
        assert reader.communicate(timeout=30)[0] == "through\n"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_disk_is_an_error_with_the_name() -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(Path("/dev/full"), "text")
    assert caught.value.filename == "/dev/full"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError, MemoryError])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(failure):
        write_atomically(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


WRITER = """
import sys
from pathlib import Path
from ringlet.files import write_atomically
content = b"n" * (1 << 28)
print("ready", flush=True)
while True:
    write_atomically(Path(sys.argv[1]), content)
"""


def test_ctrl_c_in_the_middle_of_writing(tmp_path: Path) -> None:
    """The signal comes while a temporary file is there; the file is the old one or the new one."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=heed_interrupts
    ) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            deadline = time.monotonic() + 60
            while not any(name != "file" for name in os.listdir(tmp_path)):
                assert time.monotonic() < deadline
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == -signal.SIGINT
        finally:
            process.kill()
    assert os.listdir(tmp_path) == ["file"]
    assert path.stat().st_size in (3, 1 << 28)


def test_folders_are_checked_before_the_work(tmp_path: Path) -> None:
    prepare_folders([tmp_path / "a" / "b" / "file", None, Path("-")])
    assert (tmp_path / "a" / "b").is_dir()
    with pytest.raises(RuntimeFailure, match="is a folder"):
        prepare_folders([tmp_path / "a"])
    with pytest.raises(OSError, match="/proc/nowhere"):
        prepare_folders([Path("/proc/nowhere/file")])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every folder")
def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(RuntimeFailure, match="read-only"):
        prepare_folders([tmp_path / "file"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]" + b" " * (64 << 20), "more than 64 MiB"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(content)
    with pytest.raises(InvalidArgument, match=reason) as caught:
        read_json(path, "read", "old.json", "JSON", "pass some")
    assert "old.json" in str(caught.value) and "pass some" in str(caught.value)
    path.write_text('{"a": [1]}')
    assert read_json(path, "read", "old.json", "JSON", "pass some") == {"a": [1]}
    with pytest.raises(OSError):
        read_json(tmp_path, "read", "a folder", "JSON", "pass some")
