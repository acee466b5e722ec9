# SPDX-License-Identifier: Apache-2.0
"""Public contexts in files: what is read at once and what later, and files that others change."""

import re

import numpy as np
import pytest
from support import flipped, from_forked, refused_call, rotated
from test_files import holds, public, scheme, secret, x  # noqa: F401

import ringlet


def test_public_contexts_in_files(scheme, secret, public, x, tmp_path):
    path = tmp_path / "public"
    public.save(path)
    assert path.read_bytes() == public.to_bytes()
    for lazy in (True, False):
        loaded = scheme.PublicContext.load(path, lazy=lazy)
        a = loaded.encrypt(x)
        assert holds(secret, rotated(a, 2), np.roll(x, -2))
        assert holds(secret, rotated(a * 2, 1), np.roll(2 * x, -1))
    missing = {"error": ringlet.RuntimeFailure}
    refused_call(scheme.PublicContext.load, tmp_path / "nothing", says=["nothing"], **missing)
    refused_call(public.save, tmp_path / "nowhere" / "public", says=["nowhere"], **missing)
    refused_call(public.save, path, compression="lz4", says=["compression"])


def test_saving_over_a_file_leaves_what_reads_it(scheme, secret, public, x, tmp_path):
    """Keys that are read later stay those of the file that was there."""
    path = tmp_path / "public"
    public.save(path)
    path.chmod(0o640)
    content = path.read_bytes()
    loaded = scheme.PublicContext.load(path)
    encrypted = loaded.encrypt(x)
    loaded.save(path)
    assert path.read_bytes() == content
    secret.public(rotations=[1]).save(path)
    assert holds(secret, rotated(encrypted, 2), np.roll(x, -2))
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["public"]
    link = tmp_path / "link"
    link.symlink_to(path)
    public.save(link)
    assert link.is_symlink() and path.read_bytes() == content
    path.unlink()
    public.save(link)
    assert link.is_symlink() and path.read_bytes() == content


def test_torn_public_contexts_are_refused(scheme, secret):
    """A file that is overwritten while it is read: old bytes up to a place, then new ones."""
    before = secret.public(rotations=[1]).to_bytes()
    after = scheme.SecretContext(secret.parameters).public(rotations=[1]).to_bytes()
    assert len(before) == len(after)
    frames = [found.start() for found in re.finditer(b"\x89RGL", before)]
    for place in (frame + offset for frame in frames[2:] for offset in (0, 60, 112, 500)):
        refused_call(scheme.PublicContext.from_bytes, before[:place] + after[place:])


@pytest.mark.parametrize("change", ["other keys", "zeros", "nothing"])
def test_a_file_that_others_overwrite_is_an_error(scheme, secret, x, tmp_path, change):
    path = tmp_path / "public"
    secret.public(rotations=[1, 2]).save(path)
    loaded = scheme.PublicContext.load(path)
    encrypted = loaded.encrypt(x)
    assert holds(secret, rotated(encrypted, 1), np.roll(x, -1))
    other = {
        "other keys": scheme.SecretContext(secret.parameters).public(rotations=[1, 2]).to_bytes(),
        "zeros": bytes(path.stat().st_size),
        "nothing": b"",
    }[change]
    path.write_bytes(other)
    says = ["ends"] if change == "nothing" else ["overwritten"]
    refused_call(rotated, encrypted, 2, says=says, error=ringlet.RuntimeFailure)
    assert holds(secret, rotated(encrypted, 1), np.roll(x, -1))


def test_lazy_keys_are_checked_when_they_are_used(scheme, secret, public, x, tmp_path):
    path = tmp_path / "public"
    public.save(str(path))
    path.write_bytes(flipped(path.read_bytes(), -1))  # in the last Galois key
    refused_call(scheme.PublicContext.load, path, lazy=False)
    loaded = scheme.PublicContext.load(path)
    a = loaded.encrypt(x)
    good = bad = 0
    for steps in (1, 2):
        try:
            good += holds(secret, rotated(a, steps), np.roll(x, -steps))
        except ringlet.InvalidArgument:
            bad += 1
    assert (good, bad) == (1, 1)


def test_forked_children_may_share_a_lazy_file(scheme, secret, x, tmp_path):
    """Each one reads keys at its own position of the file that it inherits."""
    path = tmp_path / "public"
    steps = list(range(1, 9))
    secret.public(rotations=steps).save(path)
    encrypted = scheme.PublicContext.load(path).encrypt(x)

    def rotate(*order):
        return [rotated(encrypted, k).to_bytes() for k in order]

    orders = [steps[shift:] + steps[:shift] for shift in range(3)]
    for order, results in zip(orders, from_forked(rotate, orders), strict=True):
        for k, data in zip(order, results, strict=True):
            assert holds(secret, secret.load_ciphertext(data), np.roll(x, -k))
