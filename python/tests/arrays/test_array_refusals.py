# SPDX-License-Identifier: Apache-2.0
"""What encrypted arrays refuse, and the tables of calls in docs/arrays.md."""

import array_table
import numpy as np
import pytest
from array_cases import CASES
from array_refusals import REFUSED, refused_message
from support import ALL, EXACT, refused, toy

import ringlet
from ringlet import ckks
from ringlet.arrays import Server
from ringlet.errors import WrongCall


@pytest.mark.parametrize("case", REFUSED, ids=[case.text for case in REFUSED])
def test_call_is_refused(case):
    error = refused_message(case)
    assert refused(lambda: (_ for _ in ()).throw(error), error=case.error) is error
    assert type(error) is case.error


def test_the_page_lists_these_calls():
    if not array_table.PAGE.exists():
        pytest.skip("the documentation is not here")
    assert array_table.split_page()[1] == array_table.tables()
    texts = [case.text for case in (*CASES, *REFUSED)]
    assert len(set(texts)) == len(texts) and len(CASES) >= 80


def test_methods_answer_as_functions_do():
    x = client().encrypt(np.arange(6.0).reshape(2, 3))
    for name in "all any argmax argmin argsort cumprod max min nonzero prod ptp sort std".split():
        method = refused(getattr(x, name), f"numpy.{name}:", error=WrongCall)
        function = refused(lambda name=name: getattr(np, name)(x), error=WrongCall)
        assert str(method) == str(function)
    refused(lambda: (x.item(), x.tolist()), "item", error=WrongCall)
    refused(lambda: x.clip(0, 1), "x.maximum", error=WrongCall)


def client(scheme=ckks, levels=2):
    return scheme.Client(secret=toy(scheme, [50] + [40] * levels))


@ALL
def test_arrays_of_two_clients(scheme):
    one, other = client(scheme), client(scheme)
    x, y = one.encrypt([1, 2]), other.encrypt([1, 2])
    refused(lambda: x + y, "two clients")
    refused(lambda: np.concatenate([x, y]), "two clients")
    refused(lambda: other.decrypt(x), error=ringlet.RingletError)
    refused(lambda: one.decrypt([1, 2]), "a list")


def test_shapes_in_words_of_numpy():
    x = client().encrypt(np.zeros((2, 3)))
    for call in (lambda a: a + np.ones(2), lambda a: np.ones((3, 2)) * a, lambda a: a.reshape(5),
                 lambda a: np.split(a, 2, 1), lambda a: np.concatenate([a, a[0]]),
                 lambda a: np.moveaxis(a, 2, 0), lambda a: a[2], lambda a: a[:, [3]],
                 lambda a: a.sum(2), lambda a: a @ np.ones(2)):  # fmt: skip
        with pytest.raises((ValueError, IndexError)) as expected:
            call(np.zeros((2, 3)))
        error = refused(lambda call=call: call(x))
        words = str(expected.value).split(" with shapes")[0]
        assert words in str(error) or "axis" in words or "matmul" in words or "reshape" in words


def test_levels_run_out():
    x = client(levels=2).encrypt([0.5, 0.25])
    assert x.level == 2 and (x * x).level == 1
    error = refused(lambda: x**8, "depth 3", "depth=3", error=ringlet.LogicError)
    assert error.operation == "EncryptedArray.__mul__"
    refused(lambda: x * 0.5 * 0.5 * 0.5, "depth=3", error=ringlet.LogicError)
    refused(lambda: (x * x * 0.5) @ np.eye(2) * 0.5, error=ringlet.LogicError)


def test_noise_of_products_by_known_numbers(rng):
    x = ringlet.bfv.Client(depth=1, plain_bits=20).encrypt(np.zeros((2048, 2), int))
    refused(lambda: rng.integers(0, 2, (3, 2048)) @ x, "larger depth")


@EXACT
def test_exact_numbers_that_are_lost(scheme):
    one = client(scheme)
    x = one.encrypt([1, -1])
    for _ in range(8):
        x = x * x
    refused(lambda: one.decrypt(x), "noise budget")


def test_numbers_in_the_clear():
    x, z = client().encrypt([1.0, 2.0]), client(ringlet.bfv).encrypt([1, 2])
    for values in (None, "a", object(), [1, None], [[1], [1, 2]], np.array(["a"]), {1}):
        refused(lambda values=values: x + values)
        refused(lambda values=values: x @ values)
    refused(lambda: x * np.nan, "not finite")
    server = Server.from_bytes(client().server().to_bytes(), min_security="none")
    for array in (x, server.load(client().encrypt([1.0, 2.0]).to_bytes())):
        refused(lambda array=array: array - [2000.0, 0], "magnitude = 1024")
    refused(lambda: x + np.ma.array([1, 2], mask=[0, 1]), "masked")
    for big in (2**63, 2**70, np.array([2**64 - 1, 0], np.uint64)):
        refused(lambda big=big: z + big)


def test_encrypted_numbers_as_options():
    x = client().encrypt([1.0, 2.0])
    for call in (
        lambda: np.take([1, 2], x),
        lambda: np.repeat(x, x),
        lambda: np.roll(a=x, shift=1),
        lambda: np.pad(x, 1, constant_values=x),
    ):
        refused(call)
    refused(lambda: np.add(x, x, out=np.zeros(2)), "out", error=WrongCall)
    refused(lambda: np.add.outer(x, x), "add.outer", error=WrongCall)
    refused(lambda: np.dot(x.reshape(2, 1), np.ones((2, 1, 2))), "shapes")
    with pytest.raises(TypeError):
        hash(x)
