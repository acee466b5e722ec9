# SPDX-License-Identifier: Apache-2.0
"""Exceptions carry what went wrong and are what a Python programmer catches."""

from __future__ import annotations

import pickle

import pytest

import ringlet


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ringlet.InvalidArgument, ValueError),
        (ringlet.OutOfRange, IndexError),
        (ringlet.LogicError, RuntimeError),
        (ringlet.RuntimeFailure, RuntimeError),
    ],
)
def test_classes(error: type[ringlet.RingletError], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin) and issubclass(error, ringlet.RingletError)
    raised = error("operation", "value = 3", "value < 3", "take 2")
    assert str(raised) == "operation: value = 3; limit: value < 3; remedy: take 2"
    copy = pickle.loads(pickle.dumps(raised))
    assert type(copy) is error and str(copy) == str(raised) and copy.remedy == "take 2"


def test_errors_of_the_core_carry_their_parts() -> None:
    with pytest.raises(ValueError) as caught:
        ringlet.Ntt(12, 97)
    error = caught.value
    assert isinstance(error, ringlet.InvalidArgument)
    assert error.operation == "Ntt"
    assert "12" in error.offending
    for part in (error.operation, error.offending, error.limit, error.remedy):
        assert part and part in str(error)


def test_state_errors_are_logic_errors() -> None:
    parameters = ringlet.ckks.Parameters(8192, [50, 40, 50], scale_bits=40)
    fresh = ringlet.ckks.SecretContext(parameters).encrypt(1.0)
    with pytest.raises(ringlet.LogicError, match="bind"):
        fresh.rotate(1)
