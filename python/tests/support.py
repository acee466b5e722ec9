# SPDX-License-Identifier: Apache-2.0
"""What tests of several subjects share."""

import multiprocessing
import re
import threading

import pytest

import ringlet
from ringlet import bfv, bgv, ckks

SCHEMES = [ckks, bfv, bgv]
NAMES = ["ckks", "bfv", "bgv"]
ALL = pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
EXACT = pytest.mark.parametrize("scheme", [bfv, bgv], ids=["bfv", "bgv"])


def refused(call, *words, error=ringlet.InvalidArgument):
    """The error that `call` ends in. It has all its parts and says each of the words."""
    with pytest.raises(error) as caught:
        call()
    raised = caught.value
    assert raised.operation and raised.offending and raised.limit and raised.remedy
    assert str(raised) == (
        f"{raised.operation}: {raised.offending}; limit: {raised.limit}; remedy: {raised.remedy}"
    )
    # Messages use Python's words, on one line: no class of C++, signature or long fingerprint.
    for stranger in ("::", "chain index", "\n", "incompatible function"):
        assert stranger not in str(raised), (stranger, str(raised))
    assert not re.search("[0-9a-f]{64}", str(raised)), str(raised)
    for word in words:
        assert word in str(raised), (word, str(raised))
    return raised


def refused_call(call, *arguments, says=(), error=ringlet.InvalidArgument, **options):
    """Like `refused`, of a call with these arguments."""
    return refused(lambda: call(*arguments, **options), *says, error=error)


def attempt(circuit, name):
    """The result of a step of a random circuit; None for a - a and a + (-a), which the library
    refuses to give."""
    try:
        result = circuit.step(name)
        result.ciphertext.to_host()  # a device raises its LogicError only here
    except ringlet.LogicError as error:
        assert name in ("add", "subtract") and "transparent" in str(error)
        return None
    return result


def in_threads(work, count=4):
    """Runs work(0) to work(count - 1), each on a thread of its own."""
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def toy(scheme, data_bits, special_bits=(55,), degree=64, **options):
    """A secret context of a ring that is small, and secure in no way. Messages have 16 bits, and
    scales 40, unless the options say something else."""
    given = {"scale_bits": 40} if scheme is ckks else {"plain_bits": 16}
    if "plain_modulus" in options or "scale" in options:
        given = {}
    sizes = {"data_bits": list(data_bits), "special_bits": list(special_bits)}
    parameters = scheme.Parameters(degree, **sizes, security="none", **{**given, **options})
    return scheme.SecretContext(parameters)


# Sets for BFV and BGV: one or two special primes, plain moduli of few or many bits.
EXACT_SETS = {
    "toy": {"data_bits": [40] * 5, "special_bits": [45], "plain_bits": 12},
    "digits": {"data_bits": [36] * 7, "special_bits": [40, 40], "degree": 512, "plain_bits": 20},
    "large": {"data_bits": [55] * 7, "special_bits": [58], "degree": 256, "plain_bits": 50},
}


def flipped(data, position, bit=1):
    """The bytes with one bit changed."""
    changed = bytearray(data)
    changed[position] ^= bit
    return bytes(changed)


def _send(sender, work, arguments):
    sender.send(work(*arguments))
    sender.close()


def from_forked(work, calls):
    """What work(*arguments) gives in forked children, a child for each of the calls."""
    context = multiprocessing.get_context("fork")
    children = []
    for arguments in calls:
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_send, args=(sender, work, arguments))
        child.start()
        sender.close()
        children.append((child, receiver))
    results = []
    for child, receiver in children:
        results.append(receiver.recv())
        child.join(60)
        assert child.exitcode == 0
    return results


def small_parameters(scheme, **options):
    """Of N = 4096, two levels."""
    scale = {"scale_bits": 30} if scheme is ckks else {"plain_bits": 16}
    return scheme.Parameters(4096, data_bits=[35, 35], special_bits=[36], **scale, **options)


def rotated(encrypted, steps):
    """By the method of the scheme."""
    rotate = encrypted.rotate if hasattr(encrypted, "rotate") else encrypted.rotate_rows
    return rotate(steps)
