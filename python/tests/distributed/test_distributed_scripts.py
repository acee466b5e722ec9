# SPDX-License-Identifier: Apache-2.0
"""Scripts that connect: without guard, and interrupted by Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

import distributed_cases as cases
from distributed_cases import settles
from installed_command import heed_interrupts

import ringlet.distributed as rd


def script(folder, body, *, is_guarded):
    """The command line of a program that connects and runs."""
    head = """\
        import numpy as np
        import ringlet.distributed as rd
        import distributed_cases as cases
        """
    body = textwrap.dedent(body)
    if is_guarded:
        body = 'if __name__ == "__main__":\n' + textwrap.indent(body, "    ")
    file = folder / "script.py"
    file.write_text(textwrap.dedent(head) + body)
    return [sys.executable, str(file)]


def start(command):
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )  # fmt: skip


def alive_in_session(leader):
    """States and commands of its processes, except for those that nobody has waited for."""
    command = ["ps", "-o", "stat=,args=", "-g", str(leader)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return [line for line in lines if not line.startswith("Z")]


def test_a_script_without_guard_is_one_error(tmp_path):
    body = """\
        secret = cases.small_secret("ckks", 64)
        rd.connect(secret.public(), workers=2)
        """
    process = start(script(tmp_path, body, is_guarded=False))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    last = errors.strip().splitlines()[-1]
    assert last.startswith("ringlet.errors.DistributedError: ")
    assert "remedy: move the statements of the script below that line" in last
    assert errors.count("ringlet.errors.") == 1


@pytest.mark.parametrize("moment", ["connecting", "running"])
@pytest.mark.parametrize("is_terminal", [False, True], ids=["client", "group"])
def test_interrupted_scripts_leave_nothing_behind(tmp_path, moment, is_terminal):
    """Ctrl-C reaches the script, and in a terminal its workers, too."""
    body = """\
        secret, circuit = cases.small_secret("ckks"), cases.square_plus()
        one = secret.encrypt(circuit.tiled(np.ones(cases.ROW), secret))
        print("connecting", flush=True)
        with rd.connect(secret.public(circuit=circuit), workers=2) as cluster:
            cluster.client.run(cases.sabotage, cases.dawdle)
            cluster.run(circuit, [one] * 1000, progress=lambda *_: print("running", flush=True))
        """
    process = start(script(tmp_path, body, is_guarded=True))
    assert process.stdout is not None
    try:
        assert any(line.strip() == moment for line in process.stdout)
        time.sleep(0.3)
        (os.killpg if is_terminal else os.kill)(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == -signal.SIGINT
        assert errors.strip().splitlines()[-1] == "KeyboardInterrupt"
        assert errors.count("Traceback") == 1, errors  # of the script, of no worker
        assert settles(lambda: not alive_in_session(process.pid))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def test_a_client_that_is_interrupted_while_it_connects_closes_what_opens_later(monkeypatch):
    from ringlet.distributed import opening

    closed = []

    class Slow:
        def close(self):
            closed.append("late")

    def open_slowly(address, workers, limits, security, opened):
        time.sleep(0.5)
        opened.append(Slow())

    class Impatient(opening.Call):
        def wait(self, seconds):
            if not closed and seconds == 60.0:
                raise KeyboardInterrupt
            return super().wait(seconds)

    monkeypatch.setattr(opening, "_open", open_slowly)
    monkeypatch.setattr(opening, "Call", Impatient)
    with pytest.raises(KeyboardInterrupt):
        rd.connect(cases.small_secret("ckks", 64).public())
    assert settles(lambda: closed == ["late"])
