# SPDX-License-Identifier: Apache-2.0
"""Found on PYTHONPATH, appends every error that a process of Python makes, and what the command
complains of, to the file RINGLET_RECORD_MESSAGES, as thrown.cpp does."""

import os


def record(*parts):
    text = "\x1f".join(parts) + "\x1e"
    file = os.open(os.environ["RINGLET_RECORD_MESSAGES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, text.encode(errors="backslashreplace"))  # one call: lines do not mix
    os.close(file)


def start():
    from ringlet import console, errors

    original, complain = errors.RingletError.__init__, console.complain

    def make(self, operation, offending, limit, remedy):
        original(self, operation, offending, limit, remedy)
        record(operation, offending, limit, remedy)

    def say(message):
        if "; limit: " not in message:
            record("ringlet", message, "", "")
        complain(message)

    errors.RingletError.__init__, console.complain = make, say


if "RINGLET_RECORD_MESSAGES" in os.environ:
    try:
        start()
    except ImportError:
        pass  # a Python without the package
