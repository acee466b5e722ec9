# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed, and its exceptions."""

import ast
import importlib.metadata
import pickle
import re
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest
from support import refused

import ringlet
from ringlet import _core, bfv, bgv, ckks, fv, learn, wide

FOLDER = Path(ringlet.__file__).parent


def test_stubs_are_there_and_complete():
    assert (FOLDER / "py.typed").exists()
    text = (FOLDER / "_core.pyi").read_text()
    assert "std::" not in text
    nodes = ast.parse(text).body
    stubbed = {n.name for n in nodes if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    stubbed |= {getattr(n.target, "id", "") for n in nodes if isinstance(n, ast.AnnAssign)}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public and public <= stubbed


def test_the_schemes_have_one_shape():
    for module in (bfv, bgv):
        assert module.__all__ == ckks.__all__
        for name in ("Ciphertext", "Parameters", "Plaintext", "PublicContext", "SecretContext"):
            assert issubclass(getattr(module, name), getattr(_core, name))
    assert set(dir(bfv.Ciphertext)) == set(dir(bgv.Ciphertext))


def test_everything_exported_exists_is_documented_and_describes_itself():
    for module in (ringlet, ckks, bfv, bgv, fv, learn, wide):
        for name in module.__all__:
            item = getattr(module, name)
            assert module is fv or name == "__version__" or item.__doc__, name
            if isinstance(item, type) and not issubclass(item, Exception):
                assert item.__repr__ is not object.__repr__, (module.__name__, name)


def test_objects_of_fv_show_no_secret():
    context = fv.Context(fv.Parameters.default_128())
    secret = fv.SecretKey.generate(context)
    public = secret.public_key()
    text = "index=10773 slots=108 security=tc128>"
    assert repr(context) == f"<ringlet.fv.Context {text}"
    assert repr(secret) == f"<ringlet.fv.SecretKey {text}"
    assert repr(public) == f"<ringlet.fv.PublicKey {text}"
    assert repr(public.encrypt([1])) == f"<ringlet.fv.Ciphertext {text}"


def test_version_is_the_distribution_s():
    assert importlib.metadata.version("ringlet") == ringlet.__version__


def test_the_core_carries_its_own_library():
    command = [sys.executable, "-c", "import ringlet; print(open('/proc/self/maps').read())"]
    maps = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "_core" in maps and "libringlet" not in maps


def test_cpu_and_catalog():
    info = ringlet.cpu_info()
    assert info.model and all(isinstance(feature, str) for feature in info.features)
    catalog = ringlet.kernel_catalog()
    assert [t for t in dict.fromkeys(k.table for k in catalog)] == ringlet.kernel_tables()
    for kernel in catalog:
        assert kernel.name == f"{kernel.table}/{kernel.algorithm}/{kernel.operation}"
        if kernel.available:
            assert set(kernel.features) <= set(info.features), kernel.name
    assert all(k.available for k in catalog if k.table == "scalar64")


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ringlet.InvalidArgument, ValueError),
        (ringlet.OutOfRange, IndexError),
        (ringlet.LogicError, RuntimeError),
        (ringlet.RuntimeFailure, RuntimeError),
    ],
)
def test_classes(error, builtin):
    assert issubclass(error, builtin) and issubclass(error, ringlet.RingletError)
    raised = error("operation", "value = 3", "value < 3", "take 2")
    assert str(raised) == "operation: value = 3; limit: value < 3; remedy: take 2"
    copy = pickle.loads(pickle.dumps(raised))
    assert type(copy) is error and str(copy) == str(raised) and copy.remedy == "take 2"


def test_errors_of_the_core_carry_their_parts():
    error = refused(lambda: ringlet.Ntt(12, 97), "12")
    assert isinstance(error, ValueError) and error.operation == "Ntt"


def is_of_python(call):
    homes = (ringlet, _core, ckks, bfv, ckks.SecretContext)
    return any(reduce(lambda at, part: getattr(at, part, None), call.split("."), h) for h in homes)


def test_errors_name_no_class_that_only_cxx_has():
    root = Path(__file__).parents[2]
    files = [path for name in ("include", "src") for path in (root / name).rglob("*.[ch]pp")]
    text = "\n".join(path.read_text() for path in files)
    classes = set(re.findall(r"\b(?:class|struct) (?:RINGLET_API )?(\w+)", text))
    named = re.findall(r'"((?:fv::)?([A-Z]\w+))(::[\w\[\]]*)?(?: \(\w+\))?"', text)
    owners = {owner for owner, name, method in named if method or name in classes}
    calls = ringlet.errors._CALLS
    assert len(owners) > 40
    assert not {o for o in owners if o not in calls and not is_of_python(o.replace("::", "."))}
    assert not {call for call in calls.values() if not is_of_python(call.partition(" ")[0])}


def test_state_errors_are_logic_errors():
    parameters = ringlet.ckks.Parameters(8192, [50, 40, 50], scale_bits=40)
    fresh = ringlet.ckks.SecretContext(parameters).encrypt(1.0)
    refused(lambda: fresh.rotate(1), "bind", error=ringlet.LogicError)
