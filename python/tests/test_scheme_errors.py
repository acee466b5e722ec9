# SPDX-License-Identifier: Apache-2.0
"""Errors of the schemes arrive as exceptions that name operands and remedy; operands keep."""

import gc
import pathlib
import sys
from decimal import Decimal

import numpy as np
import pytest
from support import ALL, EXACT, NAMES, SCHEMES, refused, rotated, small_parameters

import ringlet
from ringlet import ckks
from ringlet.errors import WrongCall


@pytest.fixture(scope="module", params=SCHEMES, ids=NAMES)
def scheme(request):
    return request.param


@pytest.fixture(scope="module")
def secret(scheme):
    return scheme.SecretContext(small_parameters(scheme))


@pytest.fixture(scope="module")
def public(secret):
    return secret.public(rotations=[1])


def unchanged(*operands):
    before = [operand.residues() for operand in operands]
    return lambda: all(
        np.array_equal(operand.residues(), residues)
        for operand, residues in zip(operands, before, strict=True)
    )


def test_level_mismatch(public, scheme):
    a = public.encrypt([1, 2, 3])
    lower = a.mod_switch_to_next()
    keep = unchanged(a, lower)
    methods = [lambda: a.add(lower), lambda: lower.subtract(a), lambda: a.multiply(lower)]
    # Operators bring BFV and BGV operands together; here CKKS has a scale that is not its level's.
    operators = [lambda: a + lower, lambda: lower - a]
    for call in methods + (operators if scheme is ckks else []):
        refused(call, "level 1", "level 0", "mod_switch_to")
    refused(lambda: lower.mod_switch_to(1), "1")
    refused(lambda: lower.mod_switch_to_next())
    refused(lambda: lower.mod_switch_to(7), "level = 7")
    assert keep()


def test_scale_mismatch():
    public = ckks.SecretContext(small_parameters(ckks)).public(rotations=[])
    a = public.encrypt(1.5)
    b = public.encrypt(public.encode(1.5, scale=2.0**29))
    keep = unchanged(a, b)
    for call in (lambda: a + b, lambda: a - b, lambda: a + public.encode(1.0, scale=2.0**29)):
        refused(call, "scale", "2^30", "2^29")
    refused(lambda: public.encode(1.0, scale=2.0**80), "scale")
    refused(lambda: a.multiply(b).relinearize().multiply(a), "scale")
    assert keep()


def test_missing_keys(secret, public):
    a = public.encrypt([1, 2])
    mirror = getattr(a, "conjugate", None) or a.swap_rows
    keep = unchanged(a)
    refused(lambda: rotated(a, 2), "no key for steps 2", "level 1")
    refused(mirror, "no key", "level 1")
    bare = secret.public(rotations=[], relinearization=False).bind(a)
    for call in (lambda: bare * bare, lambda: bare**2, lambda: bare.square().relinearize()):
        refused(call, "relinearization", "secret.public(", error=ringlet.LogicError)
    refused(lambda: rotated(bare, 1), "Galois", error=ringlet.LogicError)
    unbound = secret.encrypt([1, 2])
    for call in (lambda: unbound * unbound, lambda: unbound**3, lambda: rotated(unbound, 1)):
        refused(call, "bind", error=ringlet.LogicError)
    assert keep()


def check_foreign(secret, public, foreign):
    a, b, plain = public.encrypt([1, 2]), foreign.encrypt(1), foreign.encode(1)
    keep = unchanged(a, b)
    for call in (
        lambda: a + b,
        lambda: b - a,
        lambda: a * b,
        lambda: a.multiply(b),
        lambda: a + plain,
        lambda: a * plain,
        lambda: a.multiply(plain),
        lambda: public.encrypt(plain),
        lambda: public.bind(b),
        lambda: secret.decrypt(b),
        lambda: secret.decode(plain),
    ):
        words = [repr(secret.parameters), repr(foreign.parameters)]
        refused(call, *words, error=ringlet.ContextMismatch)
    refused(lambda: public.load_ciphertext(b.to_bytes()))
    assert keep()


def test_wrong_context(scheme, secret, public):
    for other in SCHEMES:
        foreign = other.SecretContext(small_parameters(other, security="none"))
        check_foreign(secret, public, foreign)
    if scheme is not ckks:
        stranger = ckks.SecretContext(small_parameters(ckks)).encrypt(1)
        refused(lambda: secret.noise_budget(stranger), error=ringlet.ContextMismatch)


def test_invalid_plaintexts(scheme, public):
    a = public.encrypt([1, 2])
    keep = unchanged(a)
    values = np.zeros(public.slot_count + 1, dtype=int)
    for call in (lambda: a + values, lambda: values * a, lambda: public.encrypt(values)):
        refused(call, str(public.slot_count))
    wrong = float("nan") if scheme is ckks else 0.5
    for call in (
        lambda: a + wrong,
        lambda: wrong - a,
        lambda: a * wrong,
        lambda: a.multiply(wrong),
    ):
        refused(call)
    for call in (lambda: a + "1", lambda: a * None, lambda: {} - a, lambda: a / 2, lambda: a**0.5):
        with pytest.raises(TypeError):
            call()
    for exponent in (0, -1, 2**70):
        refused(lambda: a**exponent, "exponent")
    assert keep()


def test_transparent_results(public):
    a = public.encrypt([1, 2])
    for call in (lambda: a - a, lambda: a * 0):
        refused(call, "transparent", error=ringlet.LogicError)


def test_no_level_is_left():
    secret = ckks.SecretContext(small_parameters(ckks))
    last = secret.public(rotations=[]).encrypt(1.5).mod_switch_to(0)
    matrix = np.eye(4)
    for call in (lambda: last * last, lambda: 2 * last, lambda: last**2, lambda: matrix @ last):
        refused(call, "no multiplication is left at level 0", "suggest_parameters(depth=")
    refused(lambda: last.multiply(last), "no multiplication is left", "more primes")
    refused(lambda: last.rescale(), "level 0", "more primes")
    higher = secret.public(rotations=[]).encrypt(1.5)
    refused(lambda: higher**300, "9 multiplications", "at level 1", "level 9 or higher")


def test_factor_below_the_scale():
    x = ckks.SecretContext(small_parameters(ckks)).public(rotations=[]).encrypt(1.5)
    for call, scale in (
        (lambda: x * 1e-13, "2^35"),
        (lambda: np.full(3, 1e-13) * x, "2^35"),
        (lambda: x.multiply(1e-13), "2^30"),
    ):
        refused(call, "rounds to 0 at the scale " + scale, "scale=", error=ringlet.LogicError)
    assert x.multiply(1e-10, scale=2.0**38).size == 2


@ALL
def test_values_of_other_types(scheme):
    public = scheme.SecretContext(small_parameters(scheme)).public(rotations=[])
    boxed = np.array([1, 2], dtype=object)
    if scheme is ckks:
        remedy = "numpy.asarray(values, dtype=float)"
        numbers = (10**20, boxed, Decimal("1.5"), [10**25, 1.0])
    else:
        remedy = f"dtype=numpy.int64), t = {public.parameters.plain_modulus}"
        numbers = (10**20, -(10**20), boxed, [2**70])
    for values in numbers:
        refused(lambda values=values: public.encrypt(values), remedy)
    for values in ({1}, (i for i in range(3)), [None], [[1, 2], [3]], public.encrypt(1)):
        error = refused(lambda values=values: public.encrypt(values), "a list or an array")
        assert "3" not in error.offending  # no value of a message


@ALL
def test_calls_that_fit_no_signature(scheme, tmp_path):
    secret = scheme.SecretContext(small_parameters(scheme))
    public = secret.public(rotations=[])
    stored = public.encrypt(1).to_bytes()
    for data in (bytearray(stored), memoryview(stored), np.frombuffer(stored, np.uint8)):
        assert public.load_ciphertext(data).to_bytes() == stored
    kept = scheme.PublicContext.from_bytes(bytearray(public.to_bytes()))
    assert kept.fingerprint == public.fingerprint
    assert scheme.Parameters.from_bytes(memoryview(public.parameters.to_bytes())) is not None
    for steps in (range(1, 3), np.array([1, 2]), (1, 2)):
        secret.public(rotations=steps, relinearization=False)
    path = tmp_path / "keys"
    for call, words in (
        (lambda: scheme.Parameters(poly_modulus_degree=4096), ["no argument poly_modulus_degree"]),
        (lambda: scheme.Parameters(poly_modulus_degree=4096), ["the arguments are degree, "]),
        (lambda: scheme.Parameters(4096, data_bits=40), ["data_bits is int", "Sequence[int]"]),
        (lambda: scheme.Parameters(4096, [35, 36], [36]), ["3 positional arguments"]),
        (lambda: public.load_ciphertext(path), ["Path", "bytes | bytearray | memoryview"]),
        (lambda: public.load_ciphertext(list(stored[:9])), ["data is list", "bytes"]),
        (lambda: scheme.PublicContext.from_bytes(str(path)), ["data is str", "bytes"]),
        (lambda: scheme.PublicContext.load(3), ["path is int", "PathLike"]),
        (lambda: secret.public(rotations=3), ["rotations is int", "Sequence[int]"]),
        (lambda: secret.public(galois=[1]), ["no argument galois", "rotations, relinearization"]),
        (lambda: secret.encrypt(None), [".SecretContext.encrypt", "NoneType"]),
        (lambda: secret.encrypt(), ["values is missing"]),
        (lambda: ringlet.is_prime(3, 4), ["2 positional arguments"]),
    ):
        assert isinstance(refused(call, *words, error=WrongCall), TypeError)
    refused(lambda: scheme.PublicContext.load(pathlib.Path(path)), "keys", error=RuntimeError)


@ALL
def test_names_of_security(scheme):
    parameters = small_parameters(scheme, security=128)
    assert parameters == small_parameters(scheme, security="tc128")
    limits = {scheme.Parameters.from_bytes(parameters.to_bytes(), min_security=level).security
              for level in (128, "tc128")}
    assert limits == {"tc128"}
    refused(lambda: small_parameters(scheme, security=100), "security = 'tc100'", "tc128")
    for level in (128, "tc128"):
        assert ckks.max_modulus_bits(4096, level) == 106
        assert ringlet.suggest_parameters("bfv", depth=1, security=level).parameters.degree


def arrays_of_others():
    values = np.array([2, 3, 4])
    yield values
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    yield from (pandas.Series(values), pandas.Index(values), pandas.array(values))


@EXACT
def test_arrays_on_the_left(scheme):
    secret = scheme.SecretContext(small_parameters(scheme))
    x = secret.public(rotations=[1]).encrypt([5, 6, 7])
    for values in arrays_of_others():
        for result, clear in ((values * x, [10, 18, 28]), (values + x, [7, 9, 11]),
                              (values - x, [-3, -3, -3])):
            assert secret.decrypt(result)[:3].tolist() == clear
    assert secret.decrypt(sum([x, x]))[:3].tolist() == [10, 12, 14]


@ALL
def test_what_arrays_cannot_do(scheme):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    secret = scheme.SecretContext(small_parameters(scheme))
    public, a = secret.public(rotations=[1]), np.array([2, 3])
    frame, value = pandas.DataFrame(np.eye(3, dtype=int)), ringlet.Circuit(8).input()
    for x in (public.encrypt([5, 6]), public.encode([5, 6]), value):
        for call in (
            lambda x=x: np.dot(a, x),
            lambda x=x: np.inner(x, a),
            lambda x=x: np.sum(x),
            lambda x=x: np.mean(x),
            lambda x=x: np.asarray(x),
            lambda x=x: np.array([x, x]),
            lambda x=x: frame @ x,
            lambda x=x: pandas.Series([1, 2]) @ x,
            lambda x=x: x == x,
            lambda x=x: x != 1,
            lambda x=x: a == x,
            lambda x=x: pandas.Series([1, 2]) == x,
            lambda x=x: bool(x),
            lambda x=x: x in [1, 2],
        ):
            before = sys.getrefcount(x)
            refused(call, "no numbers to read")
            gc.collect()
            assert sys.getrefcount(x) == before
        for call in (lambda x=x: np.multiply(a, x), lambda x=x: np.exp(x), lambda x=x: a / x):
            with pytest.raises(TypeError):
                call()
        # Arrays of dtype object keep ciphertexts unchanged.
        kept = np.array([x, x], dtype=object)
        assert kept[0] is x and pandas.Series([x, x])[1] is x and len({x, x}) == 1


def test_wrong_steps(public):
    a = public.encrypt([1, 2])
    for steps in (2048, -2048, 2**40, 1.5, "1"):
        refused(lambda: rotated(a, steps))
    refused(lambda: rotated(a.square(), 1), "size")


def test_repr_shows_no_values(secret, public, scheme):
    start = f"<{scheme.__name__}."
    for item in (secret, public, secret.encrypt(1234), secret.encode(1234), secret.parameters):
        assert repr(item).startswith(start) and "1234" not in repr(item)
    if scheme is ckks:
        assert "level=1 scale=2^30.00" in repr(public.encrypt(1))
    assert "not bound" in repr(secret.encrypt(1)) and "not bound" not in repr(public.encrypt(1))
