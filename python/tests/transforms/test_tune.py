# SPDX-License-Identifier: Apache-2.0
"""Wisdom from Python, `ringlet tune`, and what `ringlet info` says of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from installed_command import is_clean, run, run_forked, surroundings
from support import refused_call

import ringlet
from ringlet import tune

SMALL = ["tune", "--degrees", "16,1024", "--bits", "30,49"]
# Two transform lengths and all 15 element-wise operations, each for two widths.
ENTRIES = 2 * 2 + 2 * 15


def line_of(output, word):
    return next(line for line in output.splitlines() if line.startswith(word))


def test_wisdom_is_a_value(tmp_path):
    entry = ringlet.WisdomEntry("ntt", 12, 49, "scalar64/radix2")
    wisdom = ringlet.Wisdom([entry])
    assert len(wisdom) == 1 and wisdom.entries == [entry] and wisdom == ringlet.Wisdom([entry])
    assert wisdom != ringlet.Wisdom() and len(ringlet.Wisdom()) == 0
    path = tmp_path / "wisdom"
    wisdom.save(str(path))
    file = ringlet.Wisdom.load(str(path))
    assert (file.state, file.reason, file.path) == ("used", "", str(path))
    assert file.wisdom == wisdom
    with pytest.raises(ringlet.InvalidArgument, match="scalar64/radix3"):
        ringlet.Wisdom([ringlet.WisdomEntry("ntt", 12, 49, "scalar64/radix3")])
    with pytest.raises(ringlet.RuntimeFailure, match="missing"):
        wisdom.save(str(tmp_path / "missing" / "wisdom"))


def test_what_cannot_be_used_has_a_state_and_a_reason(tmp_path):
    path = tmp_path / "wisdom"
    states = {"absent": None, "damaged": "nonsense\n"}
    ringlet.Wisdom().save(str(path))
    whole = path.read_text()
    states["used"] = whole
    states["damaged"] = whole[:-5]
    for state, text in states.items():
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        file = ringlet.Wisdom.load(str(path))
        assert file.state == state and (file.reason == "") == (state == "used")
        assert len(file.wisdom) == 0
    assert ringlet.Wisdom.load("/dev/zero").state == "damaged"
    assert ringlet.Wisdom.load(str(tmp_path)).state == "damaged"


def test_tuning_tells_what_it_finds():
    told = []
    wisdom = ringlet.Wisdom.tune([4], [30], ["ntt", "add"], progress=told.append)
    assert [step.entry for step in told] == wisdom.entries
    assert [step.completed for step in told] == [1, 2] and told[0].total == 2
    names = {f"{k.table}/{k.algorithm}" for k in ringlet.kernel_catalog() if k.available}
    for step in told:
        assert {step.entry.kernel, step.estimate} <= names
        assert (step.gain > 1) == (step.entry.kernel != step.estimate)


def test_tuning_ends_with_an_exception_of_the_callback():
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ringlet.Wisdom.tune(quick=True, progress=stop)


def test_tuning_refuses():
    for arguments in (([21], [30], ["ntt"]), ([4], [64], ["ntt"]), ([4], [30], ["nonsense"])):
        refused_call(ringlet.Wisdom.tune, *arguments, says=["Wisdom.tune"])


def test_command_writes_wisdom_that_info_shows(tmp_path):
    path = tmp_path / "not" / "there yet" / "wisdom"
    result = run(*SMALL, "--output", str(path))
    assert result.returncode == 0 and result.stderr == ""
    assert f"export RINGLET_WISDOM={path}" in result.stdout
    assert f"{ENTRIES} measured" in result.stdout
    file = ringlet.Wisdom.load(str(path))
    assert file.state == "used" and len(file.wisdom) == ENTRIES
    assert [p.name for p in path.parent.iterdir()] == ["wisdom"]
    shown = run("info", RINGLET_WISDOM=str(path), RINGLET_PLAN_EFFORT="measure")
    assert shown.returncode == 0
    assert line_of(shown.stdout, "planner").split() == ["planner", "measure"]
    assert line_of(shown.stdout, "wisdom").endswith(f"{path}, {ENTRIES} entries")


def test_command_has_a_place_of_its_own(tmp_path):
    small = ["tune", "--degrees", "16", "--bits", "30"]
    assert run(*small, XDG_CONFIG_HOME=str(tmp_path / "config")).returncode == 0
    assert ringlet.Wisdom.load(str(tmp_path / "config/ringlet/wisdom")).state == "used"
    # A relative folder counts as unset, as the specification of these variables states.
    assert run(*small, XDG_CONFIG_HOME="config", HOME=str(tmp_path / "home")).returncode == 0
    assert ringlet.Wisdom.load(str(tmp_path / "home/.config/ringlet/wisdom")).state == "used"


@pytest.mark.parametrize(
    "arguments",
    [
        *(["--degrees", text] for text in ("12", "1", "2097152", "-16", "abc", "")),
        *(["--bits", text] for text in ("64", "1", "many")),
    ],
)
def test_command_refuses(arguments, tmp_path):
    assert is_clean(run_forked("tune", *arguments, "--output", str(tmp_path / "wisdom")))
    assert list(tmp_path.iterdir()) == []


def test_command_without_a_place_to_write(tmp_path):
    (tmp_path / "file").write_text("")
    assert is_clean(run_forked(*SMALL, "--output", str(tmp_path / "file" / "wisdom")))
    assert is_clean(run_forked(*SMALL, "--output", str(tmp_path)))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_info_says_why_wisdom_is_not_used(tmp_path):
    assert "none" in line_of(run("info").stdout, "wisdom")
    path = tmp_path / "wisdom"
    missing = line_of(run("info", RINGLET_WISDOM=str(path)).stdout, "wisdom")
    assert str(path) in missing and "absent" in missing and "no such file" in missing
    path.write_text("[bold]nonsense[/bold]\n")
    damaged = run("info", RINGLET_WISDOM=str(path))
    assert damaged.returncode == 0 and damaged.stderr == ""
    assert "damaged" in line_of(damaged.stdout, "wisdom")
    assert line_of(damaged.stdout, "planner").endswith("estimate")


def test_wisdom_changes_what_plans_take(tmp_path):
    path = tmp_path / "wisdom"
    ringlet.Wisdom([ringlet.WisdomEntry("multiply", 0, 30, "scalar64/barrett")]).save(str(path))
    program = "import ringlet; print(ringlet.Eltwise(2**30 - 1).kernel_name('multiply'))"
    shown = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**surroundings(), "RINGLET_WISDOM": str(path)},
        check=True,
    )
    assert shown.stdout.strip() == "scalar64/barrett"


def test_an_unknown_effort_is_refused():
    result = run("info", RINGLET_PLAN_EFFORT="patient")
    assert is_clean(result) and "estimate or measure" in result.stderr


def test_default_path_and_widths(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert tune.default_path() == tmp_path / "ringlet" / "wisdom"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/somewhere")
    assert tune.default_path() == Path("/somewhere/.config/ringlet/wisdom")
    assert tune.widths_text([47, 30, 45, 46]) == "30, 45-47"
    assert tune.log_degrees([2, 4096, 1 << 20]) == [1, 12, 20]
