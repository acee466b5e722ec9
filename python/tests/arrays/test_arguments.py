# SPDX-License-Identifier: Apache-2.0
"""Arrays of several sizes in one program, and functions on arrays with few levels left."""

import numpy as np
import pytest
from plain_engine import PlainEngine
from support import refused

import ringlet
from ringlet import ckks
from ringlet.arrays import Layout


@pytest.mark.parametrize("scheme", ["ckks", "bfv"])
@pytest.mark.parametrize("shapes", [((8, 4), (4,)), ((5,), (3, 5)), ((1,), (6,))])
def test_arguments_of_a_program_may_differ_in_size(rng, scheme, shapes):
    options = {"precision": 20} if scheme == "ckks" else {"plain_bits": 20}
    program = ringlet.compile(lambda x, y: x * y + x, *shapes, scheme=scheme, **options)
    client = program.client()
    x, y = (rng.integers(-1, 2, shape) for shape in shapes)
    result = client.decrypt(client.server().run(*client.encrypt(x, y)))
    np.testing.assert_allclose(result, x * y + x, atol=1e-4)


def test_functions_work_at_the_last_level():
    """The first prime has 20 bits above the scale, for numbers up to 2^19 that nobody declares."""
    parameters = ckks.Parameters(8192, [60, 40, 40, 60], scale_bits=40)
    client = ckks.Client(secret=ckks.SecretContext(parameters))
    x = np.array([1.0, -2.0, 3.0])
    squares = client.encrypt(x) ** 2
    matrix = np.arange(6.0).reshape(3, 2) / 2
    np.testing.assert_allclose(client.decrypt(squares @ matrix), x**2 @ matrix, atol=1e-4)
    np.testing.assert_allclose(
        client.decrypt(squares.polynomial([1.0, 0.5])), 1 + 0.5 * x**2, atol=1e-4
    )
    large = client.encrypt(300 * x) @ matrix
    np.testing.assert_allclose(client.decrypt(large), 300 * x @ matrix, atol=1e-2)


def test_plans_are_kept_for_numbers_and_levels(rng):
    client = ckks.Client(depth=5)
    numbers, matrices = rng.uniform(-1, 1, (4, 6)), rng.uniform(-1, 1, (2, 6, 3))
    rows, columns = (client.encrypt(numbers, layout=layout) for layout in ("rows", "columns"))
    squares = columns * columns
    mixed = columns.made(columns.layout, columns.blocks[:3] + squares.blocks[3:])
    wanted = np.concatenate([numbers[:, :3], numbers[:, 3:] ** 2], axis=1)
    assert {block.level for block in mixed.blocks} == {4, 5}
    for _ in range(2):
        for array, x in ((rows, numbers), (columns, numbers), (mixed, wanted)):
            for matrix in matrices:
                result = array @ matrix
                assert result.level == array.level - 1
                np.testing.assert_allclose(client.decrypt(result), x @ matrix, atol=1e-3)
        shifted = np.roll(mixed, 1, axis=0)
        assert [b.level for b in shifted.blocks] == [b.level for b in mixed.blocks]
        np.testing.assert_allclose(client.decrypt(shifted), np.roll(wanted, 1, 0), atol=1e-3)
    pairs = [client.encrypt(numbers[:2, :2]), client.encrypt(numbers[:2, :2]) * 0.5]
    for x, y in (pairs, pairs[::-1]):
        product = numbers[:2, :2] @ numbers[:2, :2] * 0.5
        np.testing.assert_allclose(client.decrypt(x @ y), product, atol=1e-3)
    spent, error = rows**32, ringlet.errors.LogicError
    refused(lambda: spent @ matrices[0], "a product at depth 6", "5 products", error=error)
    refused(lambda: spent.polynomial([0, 1, 2.5]), "a product at depth 7", "depth=7", error=error)


def test_plans_that_are_kept_stay_few():
    client = ckks.Client(depth=1)
    x = client.encrypt(np.arange(1.0, 5.0))
    for n in range(100):
        assert np.allclose(client.decrypt(x @ np.full((4, 2), n)), 10 * n, 1e-3, 1e-2)
    assert len(client.engine._kept) <= 64


def test_a_matrix_of_zeros():
    client = ckks.Client(depth=1)
    result = client.encrypt([1.0, 2.0]) @ np.zeros((2, 3))
    assert (client.decrypt(result) == np.zeros(3)).all()


def test_numbers_of_two_kinds_have_plans_of_their_own():
    """The plain engine refuses two plans of one name."""
    engine = PlainEngine("ckks", 8)
    x = engine.encrypt(np.array([[2]]), Layout.rows((1, 1), 8))
    results = [ringlet.arrays.sum_pool2d(x, 1, factor=factor) for factor in (1, 1.0)]
    assert [result.dtype.kind for result in results] == ["i", "f"]
