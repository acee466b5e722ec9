# SPDX-License-Identifier: Apache-2.0
"""Files that the command writes: whole or not at all, with the permissions of any other file; JSON
that it receives; pictures that are sharp and small."""

import ast
import io
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from installed_command import heed_interrupts
from matplotlib.colors import to_rgb
from PIL import Image

import ringlet
from ringlet.errors import InvalidArgument, RuntimeFailure
from ringlet.files import prepare_folders, read_json, write_atomically
from ringlet.plots import COLORS, PIXELS_PER_INCH, PIXELS_WIDE, make_figure, save, tidy

PACKAGE = Path(ringlet.__file__).parent

# Functions that write to a file with all arguments.
WRITERS = {
    "mkdtemp", "mkstemp", "NamedTemporaryFile", "save_npz", "savetxt", "savez", "tofile", "umask",
    "write_bytes", "write_text",
}  # fmt: skip


def mode_of(call):
    """The mode of a call of open, as far as it is written there."""
    texts = [*call.args[:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return "".join(
        text.value
        for text in texts
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) < 4
    )


def writes(call):
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    opens = name in ("open", "fdopen") and bool(set("wax+") & set(mode_of(call)))
    return opens or name in WRITERS


def test_the_search_for_writers_finds_them():
    for text in ('open(p, "w")', 'p.open("ab")', 'p.write_text("")', 'open(p, mode="r+")'):
        assert writes(ast.parse(text).body[0].value), text
    for text in ("open(p)", 'p.open("rb")', "p.read_text()", "os.open(p, os.O_WRONLY)"):
        assert not writes(ast.parse(text).body[0].value), text


def test_no_module_writes_files_by_itself():
    found = {
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and writes(node)
    }
    assert not found


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    write_atomically(path, "one\n")
    assert path.read_bytes() == b"one\n"
    write_atomically(path, b"\x00two")
    assert path.read_bytes() == b"\x00two"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_a_plain_open(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "ours", "")
        (tmp_path / "plain").write_text("")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes[0] == modes[1]


def test_a_file_keeps_its_permissions_and_a_link_stays(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        write_atomically(pipe, "through\n")
        assert reader.communicate(timeout=30)[0] == "through\n"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_disk_is_an_error_with_the_name():
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(Path("/dev/full"), "text")
    assert caught.value.filename == "/dev/full"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, limits[1]))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            write_atomically(path, "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
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


def test_ctrl_c_in_the_middle_of_writing(tmp_path):
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


def test_folders_are_checked_before_the_work(tmp_path):
    prepare_folders([tmp_path / "a" / "b" / "file", None, Path("-")])
    assert (tmp_path / "a" / "b").is_dir()
    with pytest.raises(RuntimeFailure, match="is a folder"):
        prepare_folders([tmp_path / "a"])
    with pytest.raises(OSError, match="/proc/nowhere"):
        prepare_folders([Path("/proc/nowhere/file")])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every folder")
def test_a_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(RuntimeFailure, match="read-only"):
        prepare_folders([tmp_path / "file"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]" + b" " * (64 << 20), "more than 64 MiB"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, content, reason):
    path = tmp_path / "old.json"
    path.write_bytes(content)
    with pytest.raises(InvalidArgument, match=reason) as caught:
        read_json(path, "read", "old.json", "JSON", "pass a JSON file")
    assert "old.json" in str(caught.value) and "pass a JSON file" in str(caught.value)
    path.write_text('{"a": [1]}')
    assert read_json(path, "read", "old.json", "JSON", "pass a JSON file") == {"a": [1]}
    with pytest.raises(OSError):
        read_json(tmp_path, "read", "a folder", "JSON", "pass a JSON file")


def drawn(width):
    """Bars, points that shine through each other, and text, in all colours."""
    figure = make_figure(width, 5)
    axes = figure.subplots()
    tidy(axes, "Title", "x", "y")
    for index, color in enumerate(COLORS):
        axes.bar([index], [1 + index], color=color)
        axes.scatter(np.linspace(0, 7, 50), np.linspace(index, 9, 50), color=color, alpha=0.7)
    return figure


@pytest.mark.parametrize("width", [8, 12])
def test_png_is_sharp_and_small(width, tmp_path):
    figure = drawn(width)
    path = tmp_path / "new" / "picture.png"
    save(figure, [path])
    picture = Image.open(path)
    expected = max(PIXELS_WIDE, width * PIXELS_PER_INCH)
    assert picture.mode == "P" and abs(picture.width - expected) <= 1
    full = io.BytesIO()
    figure.savefig(full, format="png", dpi=picture.width / width)
    assert path.stat().st_size < 0.6 * len(full.getvalue())
    before, after = (
        np.asarray(image.convert("RGB")).astype(int) for image in (Image.open(full), picture)
    )
    difference = np.abs(before - after)
    assert difference.max() <= 24 and difference.mean() < 0.5
    colours = np.array([colour for _, colour in picture.convert("RGB").getcolors()])
    for colour in ("#ffffff", *COLORS):
        wanted = np.round(255 * np.array(to_rgb(colour)))
        assert min(np.abs(colours - wanted).max(axis=1)) <= 1, colour


def test_the_same_picture_is_the_same_file(tmp_path):
    for suffix in ("png", "svg"):
        paths = [tmp_path / f"{name}.{suffix}" for name in ("one", "two")]
        for path in paths:
            save(drawn(8), [path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
