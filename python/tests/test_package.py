# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import ringlet
from ringlet import _core, bfv, bgv, ckks, fv, wide

FOLDER = Path(ringlet.__file__).parent


def test_stubs_are_there_and_complete() -> None:
    assert (FOLDER / "py.typed").exists()
    text = (FOLDER / "_core.pyi").read_text()
    assert "std::" not in text
    stubbed = {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    } | {
        node.target.id
        for node in ast.parse(text).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public and public <= stubbed


def test_the_schemes_have_one_shape() -> None:
    for module in (bfv, bgv):
        assert module.__all__ == ckks.__all__
        for name in ("Ciphertext", "Parameters", "Plaintext", "PublicContext", "SecretContext"):
            assert issubclass(getattr(module, name), getattr(_core, name))
    assert set(dir(bfv.Ciphertext)) == set(dir(bgv.Ciphertext))


def test_public_objects_describe_themselves() -> None:
    for module in (ringlet, ckks, bfv, bgv, fv, wide):
        for name in module.__all__:
            item = getattr(module, name)
            if isinstance(item, type) and not issubclass(item, Exception):
                assert item.__repr__ is not object.__repr__, (module.__name__, name)


def test_objects_of_fv_show_no_secret() -> None:
    context = fv.Context(fv.Parameters.default_128())
    secret = fv.SecretKey.generate(context)
    public = secret.public_key()
    text = "index=10773 slots=108 security=tc128>"
    assert repr(context) == f"<ringlet.fv.Context {text}"
    assert repr(secret) == f"<ringlet.fv.SecretKey {text}"
    assert repr(public) == f"<ringlet.fv.PublicKey {text}"
    assert repr(public.encrypt([1])) == f"<ringlet.fv.Ciphertext {text}"


def test_version_is_the_distribution_s() -> None:
    assert importlib.metadata.version("ringlet") == ringlet.__version__


def test_everything_exported_exists_and_is_documented() -> None:
    for module in (ringlet, ckks, bfv, bgv, wide):
        for name in module.__all__:
            item = getattr(module, name)
            if name != "__version__":
                assert item.__doc__, name


def test_the_core_carries_its_own_library() -> None:
    maps = subprocess.run(
        [
            sys.executable,
            "-c",
            "import ringlet; print(open('/proc/self/maps').read())",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "_core" in maps and "libringlet" not in maps


def test_cpu_and_catalog() -> None:
    info = ringlet.cpu_info()
    assert info.model and all(isinstance(feature, str) for feature in info.features)
    catalog = ringlet.kernel_catalog()
    assert [t for t in dict.fromkeys(k.table for k in catalog)] == ringlet.kernel_tables()
    for kernel in catalog:
        assert kernel.name == f"{kernel.table}/{kernel.algorithm}/{kernel.operation}"
        if kernel.available:
            assert set(kernel.features) <= set(info.features), kernel.name
    assert all(k.available for k in catalog if k.table == "scalar64")
