# SPDX-License-Identifier: Apache-2.0
"""Functions on arrays that are compiled, and layouts and bytes of arrays."""

import json

import numpy as np
import pytest
from array_draws import Draw
from support import ALL, refused, toy
from test_numpy_calls import random_layout

import ringlet
from ringlet import bfv, ckks
from ringlet.arrays import Server, Spec, container

WEIGHTS = np.arange(12).reshape(3, 4) - 5


def low_server(data):
    return Server.from_bytes(data, min_security="none")


def program_for(name, function, *shapes):
    options = {"precision": 12} if name == "ckks" else {"plain_bits": 20}
    return ringlet.compile(function, *map(Spec, shapes), scheme=name, **options)


def client_for(program):
    """A client with a small ring."""
    scheme = getattr(ringlet, program.scheme)
    degree = max(64, 2 * program.circuit.row_length)
    options = {} if program.scheme == "ckks" else {"plain_bits": 20}
    secret = toy(scheme, [50] + [40] * 3, degree=degree, **options)
    return scheme.Client(secret=secret, program=program)


FUNCTIONS = {
    "matrix": (lambda x: WEIGHTS @ x, (4,)),
    "two results": (lambda x, y: (x * y, (x + y).sum(0)), (3, 4), (4,)),
    "a result of zeros": (lambda x: (x, x * 0), (3,)),
    "statistics": (lambda x: ((x - 1) ** 2).sum(0, keepdims=True), (5, 3)),
    "parts": (lambda x: np.concatenate([x[::2], -x[1:]]), (4, 3)),
    "images": (lambda x: ringlet.arrays.sum_pool2d(x, 2).reshape(-1), (6, 6)),
}


def pooled(x):
    return x.reshape(3, 2, 3, 2).sum((1, 3)).reshape(-1)


@ALL
@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_give_what_numpy_gives(scheme, name, rng):
    function, *shapes = FUNCTIONS[name]
    program = program_for(scheme.__name__.split(".")[-1], function, *shapes)
    client = client_for(program)
    server = low_server(client.server().to_bytes())
    numbers = [rng.integers(0, 2, shape) for shape in shapes]
    sent = client.encrypt(*numbers)
    sent = [server.load(x.to_bytes()) for x in (sent if isinstance(sent, tuple) else (sent,))]
    results = server.run(*sent)
    expected = (pooled if name == "images" else function)(*numbers)
    if not isinstance(expected, tuple):
        results, expected = (results,), (expected,)
    for result, wanted in zip(results, expected, strict=True):
        got = client.decrypt(client.load(result.to_bytes()))
        assert got.shape == wanted.shape and np.allclose(got, wanted, 0, 0.05)


def test_a_mean_and_a_variance_share_their_sum():
    program = ringlet.compile(lambda x: (x.mean(), x.var()), (16,), precision=12)
    # Four doublings of each sum; two of them take three rotations together.
    assert program.found.counts.automorphisms == 2 * 6


def test_programs_refuse_other_arguments():
    specs = Spec((3,), magnitude=8.0), Spec((3,), magnitude=8.0)
    program = ringlet.compile(lambda x, y: x @ y, *specs, precision=12)
    client = program.client()
    server = client.server()
    x, y = client.encrypt([1, 2, 3], [4, 5, 6])
    refused(lambda: client.encrypt([1, 2, 3]), "1 arguments", "2, as the function takes")
    refused(lambda: client.encrypt([1, 2, 3], [1, 2]), "argument 1", "(3,)")
    refused(lambda: server.run(x), "1 arguments")
    refused(lambda: server.run(x, [1, 2, 3]), "argument 1")
    refused(lambda: server.run(x, y.reshape(3, 1)), "argument 1")
    assert np.isclose(client.decrypt(server.run(x, y)), 32, 0, 0.1)
    stranger = program.client().encrypt([1, 2, 3], [4, 5, 6])
    refused(lambda: server.run(*stranger), error=ringlet.RingletError)
    refused(lambda: server.run(x, stranger[1]), error=ringlet.RingletError)
    refused(lambda: client.decrypt(stranger[0]), error=ringlet.RingletError)
    refused(lambda: server.run(server.load(stranger[0].to_bytes()), y), error=ringlet.RingletError)
    refused(lambda: ckks.Client(secret=toy(ckks, [50, 40])).server().run(x, y), "program")


def test_functions_that_do_not_compile():
    refused(lambda: ringlet.compile(lambda: 1), "no argument")
    refused(lambda: ringlet.compile(lambda x: 1, Spec((3,))), "returns int")
    refused(lambda: ringlet.compile(lambda x: x if x else x, Spec((3,))), "bool()")
    refused(lambda: ringlet.compile(lambda x: x + [1, 2], Spec((3,))), "broadcast")
    for shape in ((0,), (-1,), (2, "a"), (1 << 41,)):
        refused(lambda shape=shape: ringlet.compile(lambda x: x, Spec(shape)))
    refused(lambda: ringlet.compile(lambda x: x, Spec((3,)), scheme="x"))


def slow_index_map(layout):
    """Block by block and slot by slot."""
    for block in np.ndindex(*layout.grid):
        row = []
        for places in np.ndindex(*(d.extent for d in layout.dimensions)):
            index = [b * layout.extent(axis) for axis, b in enumerate(block)]
            is_there = True
            for place, dimension in zip(places, layout.dimensions, strict=True):
                if dimension.axis >= 0:
                    index[dimension.axis] += place
                is_there &= dimension.axis != -2 or place == 0
            is_there &= all(i < n for i, n in zip(index, layout.shape, strict=True))
            row.append(int(np.ravel_multi_index(index, layout.shape)) if is_there and index else
                       is_there - 1)  # fmt: skip
        yield row


def test_layouts(seed):
    for n in range(300):
        d = Draw([seed, n], "ckks")
        x = d.array(0, 4)
        layout = random_layout(d, x.shape, 16)
        slots = layout.spread(x)
        assert (layout.gathered(slots) == x).all()
        assert layout.index_map().tolist() == list(slow_index_map(layout))
        assert (slots[layout.index_map() < 0] == 0).all() and layout.size == x.size
        assert layout.is_full == bool((layout.index_map() >= 0).all())


def damaged(description, path, value):
    """The description with another value at a path."""
    copy = json.loads(json.dumps(description))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def paths(value, start=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*start, key)
        if isinstance(inner, (dict, list)):
            yield from paths(inner, (*start, key))


VALUES = [None, True, -1, 0, 1 << 13, 1 << 80, "x", [], {}]


def check_descriptions(kind, data, load):
    """Every value of the description replaced by strange ones."""
    description, parts = container.unpacked("test", kind, data)
    for path in paths(description):
        for value in VALUES:
            changed = container.packed(damaged(description, path, value), parts)
            if path[0] == "parts":
                text = json.dumps(damaged(description, path, value)).encode()
                changed = data[:8] + len(text).to_bytes(8, "little") + text + b"".join(parts)
            try:
                load(changed)
            except ringlet.RingletError:
                pass
    for text in (b"", b"[]", b"1", b'"parts"', b"{", b"\xff", b"[" * 10**5, b"9" * 5000):
        changed = data[:8] + len(text).to_bytes(8, "little") + text
        refused(lambda changed=changed: load(changed), error=ringlet.RingletError)
    for n in range(16 + int.from_bytes(data[8:16], "little")):
        refused(lambda n=n: load(data[:n]), error=ringlet.RingletError)
    for n in (data + b"x", data[:-1], b"x" + data[1:]):
        refused(lambda n=n: load(n), error=ringlet.RingletError)
    for other in (None, 1, "text", [data]):
        refused(lambda other=other: load(other), error=ringlet.RingletError)


@pytest.mark.parametrize("name", ["ckks", "bfv"])
def test_damaged_descriptions(name):
    client = client_for(program_for(name, lambda x: x[::2] * 3, (3, 2)))
    server = client.server()
    check_descriptions("server", server.to_bytes(), low_server)
    x = client.encrypt(np.ones((3, 2)).astype(int))
    check_descriptions("array", x.to_bytes(), server.load)


def test_arrays_keep_what_they_are():
    for scheme in (ckks, bfv):
        client = scheme.Client(secret=toy(scheme, [50, 40, 40]))
        x = client.encrypt([[1, 2, 3], [4, 5, 6]], layout="columns")
        apart = client.encrypt([1, 2, 3], layout="apart")
        assert len(apart.blocks) == 3
        for array in (x, x + 1, (x * 2).T, x[1] * [1, 0, 1], apart, apart + x):
            again = client.load(array.to_bytes())
            assert repr(again) == repr(array) and again.is_clean == array.is_clean
            assert np.allclose(client.decrypt(again), client.decrypt(array))


def test_complex_numbers_need_a_complex_spec():
    client = ringlet.compile(lambda x: x * x, ringlet.Spec((2,))).client()
    refused(lambda: client.encrypt([1j, 0.5]), "argument 0", "dtype=complex")
