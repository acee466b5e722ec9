# SPDX-License-Identifier: Apache-2.0
"""Results of CKKS for others: their noise, how many there may be, parameters for them."""

import copy
import math
import pickle

import numpy as np
import pytest
from support import in_threads, refused, refused_call
from support import toy as toy_of

import ringlet
from ringlet import Circuit, SharingPolicy, bfv, ckks

DEGREE = 1024
NOISE_BITS = 12.0


@pytest.fixture
def toy():
    return toy_of(ckks, [50, 50, 50], [50], DEGREE, scale_bits=80)


def regression():
    """A covariance of 16 pairs, and the same in the clear."""
    circuit = Circuit(16)
    x, y = circuit.input(2.0), circuit.input(2.0)
    products = (x * y).mean_slots(16)
    circuit.output(products - x.mean_slots(16) * y.mean_slots(16))
    return circuit, lambda a, b: float((a * b).mean() - a.mean() * b.mean())


def test_from_a_policy_to_a_shared_result():
    circuit, covariance = regression()
    policy = SharingPolicy(2)
    found = ringlet.suggest_parameters(circuit=circuit, precision=12, sharing=policy)
    alone = ringlet.suggest_parameters(circuit=circuit, precision=12)
    assert found.precision_bits >= 12 and found.modulus_bits > alone.modulus_bits
    secret = ckks.SecretContext(found.parameters)  # checks the security
    runner = secret.public(circuit=circuit).runner(circuit)
    estimate = runner.estimate[0]
    assert found.noise_bits == pytest.approx(estimate.hidden_noise_bits)
    a, b = np.random.default_rng(5).uniform(-2, 2, (2, 16))
    result = runner(*(secret.encrypt(circuit.tiled(row, secret)) for row in (a, b)))
    sharing = secret.sharing_decryptor(policy)
    for part, options in {
        "no estimate": {},
        "estimate and": {"estimate": estimate, "noise_bits": found.noise_bits},
    }.items():
        refused_call(sharing.decrypt, result, **options, says=[part])
    fresh = secret.encrypt(0.5)
    refused_call(sharing.decrypt, fresh, estimate=estimate, says=["primes and scale", "runner"])
    shared = [
        sharing.decrypt(result, estimate=estimate),
        sharing.decrypt(result, noise_bits=found.noise_bits, magnitude=8.0),
    ]
    for one in shared:
        assert one.precision_bits == -one.error_bits >= 12
        assert 0 < np.abs(one.values - covariance(a, b)).max() <= 2.0**one.error_bits
        assert np.array_equal(one.complex_values.real, one.values)
        assert np.abs(one.values - secret.decrypt(result)).max() <= 2.0**one.error_bits
    assert not np.array_equal(shared[0].values, shared[1].values)
    with pytest.raises(ringlet.LogicError, match="declared number, 2"):
        sharing.decrypt(result, noise_bits=found.noise_bits, magnitude=8.0)
    assert sharing.decryptions_left == 0


@pytest.mark.parametrize("count", [64, 1024])
def test_the_bound_holds_for_equal_inputs(toy, count):
    circuit = Circuit(2)
    circuit.output(sum((circuit.input() for _ in range(count - 1)), circuit.input()))
    public = toy.public(circuit=circuit)
    runner = public.runner(circuit)
    zero = public.encrypt(0.0)
    result = runner(*[zero] * count)
    noise = np.abs(toy.decrypt_complex(result)).max() * 2.0**80
    assert noise == pytest.approx(count * np.abs(toy.decrypt_complex(zero)).max() * 2.0**80)
    assert noise <= 2.0 ** runner.estimate[0].hidden_noise_bits
    doubled = Circuit(2)
    doubled.output(sum([doubled.input()] * count))
    once = toy.public(circuit=doubled).runner(doubled).estimate[0].hidden_noise_bits
    assert runner.estimate[0].hidden_noise_bits == pytest.approx(once)


def test_all_decryptors_of_a_secret_count_together(toy):
    policy = SharingPolicy(3)
    first, second = toy.sharing_decryptor(policy), toy.sharing_decryptor(policy)
    encrypted = toy.encrypt(0.5)
    for sharing in (first, second):
        sharing.decrypt(encrypted, noise_bits=NOISE_BITS)
    saved = pickle.loads(pickle.dumps(first.policy))
    assert (saved.decryptions, saved.security_bits, saved.decryptions_before) == (3, 64, 2)
    assert (first.decryptions_left, second.decryptions_left) == (1, 1)
    third = toy.sharing_decryptor(saved)
    third.decrypt(encrypted, noise_bits=NOISE_BITS)
    refused_call(second.decrypt, encrypted, noise_bits=NOISE_BITS, error=ringlet.LogicError)
    for other in (SharingPolicy(4), SharingPolicy(3, security_bits=30)):
        refused_call(toy.sharing_decryptor, other, says=["3 at 64 bits"])


def test_noise_has_the_documented_deviation(toy):
    policy = SharingPolicy(3, security_bits=40)
    flooding = policy.flooding(DEGREE, NOISE_BITS)
    sigma = math.sqrt(12 * 3) * 2.0**20 * (2.0**NOISE_BITS + math.sqrt(DEGREE) / 2)
    assert flooding.deviation_bits == pytest.approx(math.log2(sigma))
    sharing = toy.sharing_decryptor(policy)
    encrypted = toy.encrypt(np.linspace(-1, 1, DEGREE // 2))
    squares = []
    for _ in range(3):
        shared = sharing.decrypt(encrypted, noise_bits=NOISE_BITS)
        assert shared.flooding.deviation_bits == flooding.deviation_bits
        noise = (shared.complex_values - toy.decrypt_complex(encrypted)) * 2.0**80
        assert np.abs(noise).max() <= 2.0**flooding.slot_bits
        squares.append(np.mean(np.abs(noise) ** 2))
    # 1536 squares of slots, each N sigma^2 times an exponential variable: 2.6 % of deviation.
    assert np.mean(squares) == pytest.approx(DEGREE * sigma**2, rel=0.2)


def test_refused_decryptions_do_not_count(toy):
    sharing = toy.sharing_decryptor(SharingPolicy(5, decryptions_before=4))
    assert sharing.decryptions_left == 1
    encrypted = toy.encrypt(0.5)
    stranger = ckks.SecretContext(ckks.Parameters(64, [50, 40, 50], scale_bits=40, security="none"))
    for arguments, part in (
        ((encrypted, math.nan, 1.0), "nan"),
        ((encrypted, 181.0, 1.0), "181"),
        ((encrypted, -1e308, 1.0), "8.1 "),
        ((encrypted, 8.09, 1.0), "N = 1024"),
        ((encrypted, NOISE_BITS, 0.0), "magnitude"),
        ((encrypted, NOISE_BITS, 2.0**80), "modulus"),
        ((encrypted, 60.0, 1.0), "scale"),
        ((stranger.encrypt(0.5), NOISE_BITS, 1.0), "fingerprint"),
    ):
        ciphertext, noise_bits, magnitude = arguments
        options = {"noise_bits": noise_bits, "magnitude": magnitude}
        refused_call(sharing.decrypt, ciphertext, **options, says=[part])
    assert sharing.decryptions_left == 1
    unpickled = pickle.loads(pickle.dumps(encrypted))
    values = sharing.decrypt(unpickled, noise_bits=NOISE_BITS).values
    assert np.abs(values - 0.5).max() < 2.0**-10
    refused_call(sharing.decrypt, encrypted, noise_bits=NOISE_BITS, error=ringlet.LogicError)


def test_threads_share_the_declared_number(toy):
    sharing = toy.sharing_decryptor(SharingPolicy(20))
    encrypted = toy.encrypt(0.5)
    made = []
    too_many = []

    def work(_):
        for _ in range(10):
            try:
                made.append(sharing.decrypt(encrypted, noise_bits=NOISE_BITS).error_bits)
            except ringlet.LogicError as error:
                too_many.append(error)

    in_threads(work)
    assert (len(made), len(too_many), sharing.decryptions_left) == (20, 20, 0)


def test_policies_and_objects_describe_themselves(toy):
    policy = SharingPolicy(7, security_bits=50, decryptions_before=1)
    text = "SharingPolicy(decryptions=7, security_bits=50, decryptions_before=1)"
    assert repr(policy) == text
    assert (policy.decryptions, policy.security_bits, policy.decryptions_before) == (7, 50, 1)
    sharing = toy.sharing_decryptor(policy)
    assert repr(sharing) == ("<ringlet.SharingDecryptor decryptions_left=6 of 7 security_bits=50>")
    assert repr(sharing.policy) == text and SharingPolicy(1).security_bits == 64
    result = sharing.decrypt(toy.encrypt(0.5), noise_bits=NOISE_BITS)
    assert repr(result).startswith("<ringlet.SharedResult precision_bits=")
    assert repr(result.flooding).startswith("FloodingNoiseSize(deviation_bits=")
    # Copies would count decryptions separately.
    for action in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            action(sharing)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: SharingPolicy(0), "0 declared decryptions"),
        (lambda: SharingPolicy(2**32 + 1), "4294967297"),
        (lambda: SharingPolicy(-1), "-1"),
        (lambda: SharingPolicy(1.5), "1.5"),
        (lambda: SharingPolicy(1, security_bits=19), "19"),
        (lambda: SharingPolicy(1, security_bits=81), "81"),
        (lambda: SharingPolicy(1, decryptions_before=2), "2"),
        (lambda: SharingPolicy(1).flooding(100, 10.0), "100"),
        (lambda: SharingPolicy(1).flooding(1024, math.inf), "inf"),
        (lambda: ringlet.suggest_parameters(depth=1, sharing=1), "sharing policy = 1"),
        (
            lambda: ringlet.suggest_parameters("bfv", depth=1, sharing=SharingPolicy(1)),
            "sharing for bfv",
        ),
    ],
)
def test_refusals(call, part):
    refused(call, part)


def test_only_ckks_needs_it(toy):
    refused_call(toy.sharing_decryptor, 2, says=["sharing policy = 2"])
    assert not hasattr(bfv.SecretContext, "sharing_decryptor")
    assert ringlet.suggest_parameters("bfv", depth=1).noise_bits is None
